from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from orjson import dumps
from tests.connectors.lint import faults
from tests.connectors.names import PROFILES
from tests.corpus.test_schemas_corpus import spread
from tests.effort import part
from tests.grammars import compiled, is_no_moment, is_told, narrowed, texts, widened
from tests.properties.test_fit_laws import (
    Undeclared,
    filled,
    plain,
    without_nulls,
)
from tests.samples import Sampler
from tests.schema.conftest import accepts
from tests.schema.conftest import place as at

from specfn import Application, Function
from specfn.connectors import profile
from specfn.schema.profiles.fit import Fit, Fitter
from specfn.schema.profiles.restore import restore

pytestmark = pytest.mark.corpus

Json = dict[str, Any]

BUDGET = 32 * 1024

#: Profiles that many functions are held against; the others are of the same make.
WHOLE = ("openai-strict", "portable")

#: Profiles that are unlike each other; of tools for others, and where much is done with one, every so many are tried.
MAIN = ("anthropic", "gemini", *WHOLE)
SAMPLED = 4


@pytest.fixture(scope="module")
def applications(loaded: dict[Path, Application]) -> list[tuple[str, Application]]:
    return [(path.stem, application) for path, application in loaded.items()]


def fits(
    applications: list[tuple[str, Application]], name: str, *, few: bool
) -> Iterator[tuple[str, Function, Fit]]:
    for stem, application in applications:
        fitter = Fitter(profile(name), budget=BUDGET)
        functions = application.functions
        for function in spread(functions) if few else part(functions, 4):
            yield f"{stem} {function.name}", function, fitter.fit(function.validator)


def is_there(schema: Json, pointer: str) -> bool:
    try:
        return isinstance(at(schema, pointer), dict)
    except (KeyError, IndexError, ValueError):
        return False


@pytest.mark.parametrize("name", PROFILES, scope="module")
def test_every_tool_passes_the_lint(applications: list[tuple[str, Application]], name: str) -> None:
    """What is sent of real documents is what the profile accepts, and within the budget of schemas."""
    found = []
    for place, _, fit in fits(applications, name, few=name not in WHOLE):
        wrong = faults(fit.schema, fit.profile, strict=fit.strict)
        if len(dumps(fit.schema)) > BUDGET:
            wrong.append("over the budget")
        found += [f"{place}: {fault}" for fault in wrong]
    assert found == []


Tools = list[tuple[str, Function, Fit]]


@pytest.fixture(scope="module")
def few(applications: list[tuple[str, Application]], name: str) -> Tools:
    """Return the tools of a few functions of every document, made once for each profile."""
    return list(fits(applications, name, few=True))


@pytest.fixture(scope="module")
def tried(few: Tools, name: str) -> Tools:
    """Return a few tools of every document; of profiles that are like others fewer."""
    return few if name in MAIN else list(part(few, 3 * SAMPLED))


@pytest.mark.parametrize("name", PROFILES, scope="module")
def test_every_edit_has_its_place(tried: Tools) -> None:
    """What is told of a real tool is told of a place that its schema has, and once."""
    found = []
    for where, _, fit in tried:
        edits = fit.edits
        found += [f"{where}: {edit}" for edit in edits if not is_there(fit.schema, edit.pointer)]
        found += [f"{where}: twice" for _ in range(len(edits) - len(set(edits)))]
    assert found == []


@pytest.mark.parametrize("name", PROFILES, scope="module")
def test_fitting_twice_is_fitting_once(tried: Tools, name: str) -> None:
    """A tool of a real document that is fitted again stays as it is."""
    changed = [
        place
        for place, _, fit in part(tried, 2)
        if Fitter(profile(name), budget=BUDGET).fit(fit.schema).schema != fit.schema
    ]
    assert changed == []


@pytest.mark.parametrize(
    "name", [name for name in PROFILES if profile(name).strict is None], scope="module"
)
def test_what_is_valid_is_accepted(tried: Tools) -> None:
    """Arguments that the validator takes are taken by the fitted schema, of real documents, too."""
    accepted = 0
    for place, function, fit in tried:
        shown = plain(fit.schema)
        for seed in range(2):
            value = Sampler(function.validator, seed).draw()
            if not fit.names and accepts(function.validator, value):
                accepted += 1
                assert accepts(shown, value), place
    assert accepted > len(tried)


@pytest.mark.parametrize("name", ["openai-strict"], scope="module")
def test_what_is_valid_is_accepted_with_nulls(tried: Tools) -> None:
    """Valid arguments with null for what they leave out are taken where the provider enforces, and come back valid."""
    accepted = 0
    found = [each for each in tried if each[2].strict]
    for place, function, fit in part(found, SAMPLED):
        validator = function.validator
        for seed in range(4):
            value = Sampler(validator, seed).draw()
            if fit.names or not accepts(validator, value):
                continue
            try:
                written = filled(fit.schema, fit.schema.get("$defs", {}), value)
            except Undeclared:
                continue
            accepted += 1
            assert accepts(fit.schema, written), place
            restored = restore(validator, written, names=fit.names, nulls=True)
            assert accepts(validator, restored), place
            assert without_nulls(restored) == without_nulls(value), place
    assert accepted > len(found) // SAMPLED


@pytest.mark.parametrize("name", ["anthropic", "openai-strict", "portable"], scope="module")
def test_grammars_compile(few: Tools) -> None:
    """Llguidance compiles tools without being lenient, and without a warning."""
    causes = {}
    for place, _, fit in few:
        told = compiled(fit.schema)[1]
        if told:
            causes[place] = told
    assert causes == {}


@pytest.mark.parametrize("name", ["gemini", "openai-strict", "portable"], scope="module")
def test_what_a_grammar_admits_is_valid(few: Tools) -> None:
    """What llguidance lets a model write is valid once it is restored, but where an edit says that a rule was only described."""
    found = part(few, 2 * SAMPLED)
    drawn = 0
    for seed, (where, function, fit) in enumerate(found):
        for text in texts(plain(narrowed(fit)), seed, 2):
            drawn += 1
            written = function.parse(text)
            assert written, (where, text)
            meant = restore(function.validator, written.data, names=fit.names, nulls=fit.strict)
            outcome = function.validate(meant)
            failed = [] if outcome else [e for e in outcome.errors if not is_no_moment(e.value)]
            places = widened(fit) if failed else []
            assert all(is_told(each.path, places) for each in failed), (where, text, failed)
    assert drawn > len(found)
