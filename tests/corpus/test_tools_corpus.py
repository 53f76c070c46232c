from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import llguidance
import pytest
from tests.connectors.lint import faults
from tests.corpus.test_schemas_corpus import spread
from tests.properties.test_fit_laws import plain
from tests.samples import Sampler
from tests.schema.conftest import accepts

from specfn._json import dumps
from specfn.api import load
from specfn.application.application import Application
from specfn.connectors.registry import NAMES, profile
from specfn.function.function import Function
from specfn.schema.fit import Fit, Fitter

pytestmark = pytest.mark.corpus

Json = dict[str, Any]

BUDGET = 32 * 1024

#: Profiles that every function is held against; the others are of the same make.
WHOLE = ("openai-strict", "portable")

#: An integer's bound that llguidance has no room for.
TOO_LARGE = "Failed to generate regex for integer range"


@pytest.fixture(scope="module")
def applications(corpus: Path) -> list[tuple[str, Application]]:
    paths = sorted((corpus / "dev").glob("*.json"))
    return [(path.stem, load(path)) for path in paths]


def fits(
    applications: list[tuple[str, Application]], name: str, *, few: bool
) -> Iterator[tuple[str, Function, Fit]]:
    for stem, application in applications:
        fitter = Fitter(profile(name), budget=BUDGET)
        for function in spread(application.functions) if few else application.functions:
            yield f"{stem} {function.name}", function, fitter.fit(function.validator)


@pytest.mark.parametrize("name", NAMES)
def test_every_tool_passes_the_lint(applications: list[tuple[str, Application]], name: str) -> None:
    """What is sent of real documents is what the profile accepts, and within the budget of schemas."""
    found = []
    for place, _, fit in fits(applications, name, few=name not in WHOLE):
        wrong = faults(fit.schema, fit.profile, strict=fit.strict)
        if len(dumps(fit.schema)) > BUDGET:
            wrong.append("over the budget")
        found += [f"{place}: {fault}" for fault in wrong]
    assert found == []


@pytest.mark.parametrize("name", ["anthropic", "gemini", *WHOLE])
def test_fitting_twice_is_fitting_once(
    applications: list[tuple[str, Application]], name: str
) -> None:
    """A tool of a real document that is fitted again stays as it is."""
    changed = [
        place
        for place, _, fit in fits(applications, name, few=True)
        if Fitter(profile(name), budget=BUDGET).fit(fit.schema).schema != fit.schema
    ]
    assert changed == []


@pytest.mark.parametrize("name", ["anthropic", "gemini", "portable"])
def test_what_is_valid_is_accepted(applications: list[tuple[str, Application]], name: str) -> None:
    """Arguments that the validator takes are taken by the fitted schema, of real documents, too."""
    tried = refused = 0
    for place, function, fit in fits(applications, name, few=True):
        shown = plain(fit.schema)
        for seed in range(2):
            value = Sampler(function.validator, seed).draw()
            if not fit.names and accepts(function.validator, value):
                tried += 1
                assert accepts(shown, value), place
            else:
                refused += 1
    assert tried > refused


@pytest.mark.parametrize("name", ["anthropic", "openai-strict", "portable"])
def test_grammars_compile(applications: list[tuple[str, Application]], name: str) -> None:
    """Llguidance compiles at least 99 in 100 tools without being lenient; bounds beyond 64 bits fail."""
    tokenizer = llguidance.LLTokenizer("byte")
    causes: Counter[str] = Counter()
    total = 0
    for _, _, fit in fits(applications, name, few=True):
        total += 1
        grammar = llguidance.LLMatcher.grammar_from_json_schema(dumps(fit.schema).decode())
        failed, told = llguidance.LLMatcher.validate_grammar_with_warnings(grammar, tokenizer)
        if failed:
            causes[told[0].split(":")[0]] += 1
    assert set(causes) <= {TOO_LARGE}
    assert causes.total() <= total // 100
