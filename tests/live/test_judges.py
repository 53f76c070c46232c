"""Tools of real documents, held against the code that vendors, frameworks and servers of models run themselves.

The documents are dealt out into groups, so that what is made of them is made once and only of a few at a time.
"""

import importlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from orjson import dumps, loads
from tests.grammars import compiled, is_no_moment, is_told, narrowed, texts, widened
from tests.properties.test_fit_laws import plain

from specfn import load
from specfn.connectors import profile
from specfn.tools.tool import Tool, Tools
from specfn.tools.tool_builder import build_tools

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.filterwarnings("ignore"),  # the packages' own
]

Json = dict[str, Any]

GROUPS = 8

#: The profiles whose tools are judged.
NAMES = ("anthropic", "gemini", "openai-strict", "portable")

#: Of these the schemas are compiled to grammars.
COMPILED = ("anthropic", "openai-strict", "portable")

#: Every so many tools is sampled, or taken through a slow conversion.
EVERY = 3


@dataclass(frozen=True, slots=True)
class Judged:
    """A tool, the list that it is of, and where it is from."""

    place: str
    tool: Tool
    tools: Tools

    @property
    def schema(self) -> Json:
        """What is sent, as a judge may change it."""
        found: Json = loads(dumps(self.tool.fit.schema))
        return found


@pytest.fixture(scope="module", params=range(GROUPS), ids=lambda group: f"group{group}")
def judged(request: pytest.FixtureRequest, corpus: Path) -> dict[str, list[Judged]]:
    """The tools of every function of some documents, by profile; however many one request may hold."""
    found: dict[str, list[Judged]] = {name: [] for name in NAMES}
    for path in sorted((corpus / "dev").glob("*.json"))[request.param :: GROUPS]:
        entries = load(path).entries
        for name in NAMES:
            made = build_tools(entries, replace(profile(name), tools=None))
            assert [item.function for item in made.left_out] == []
            found[name] += [Judged(f"{path.stem} {tool.name}", tool, made) for tool in made.tools]
    return found


def enforced(judged: dict[str, list[Judged]]) -> list[Judged]:
    """The tools that are sent to be enforced."""
    return [each for each in judged["openai-strict"] if each.tool.fit.strict]


# -- what others make of strict schemas -----------------------------------------------------------


def test_the_vendors_transformer_changes_nothing(judged: dict[str, list[Judged]]) -> None:
    """A strict tool is what OpenAI's own package makes of it."""
    transform = pytest.importorskip("openai.lib._pydantic")._ensure_strict_json_schema
    changed = []
    for each in enforced(judged):
        schema = each.schema
        if transform(schema, path=(), root=schema) != each.schema:
            changed.append(each.place)
    assert changed == []


def transformers() -> Iterator[Callable[..., Any]]:
    """Those of pydantic-ai: the one for all who speak Chat Completions, and the one for OpenAI itself."""
    yield pytest.importorskip("pydantic_ai.profiles.openai").OpenAIJsonSchemaTransformer
    provider = importlib.import_module("pydantic_ai.providers.openai").OpenAIProvider
    yield provider.model_profile("gpt-5")["json_schema_transformer"]


def test_pydantic_ai_finds_it_strict(judged: dict[str, list[Judged]]) -> None:
    """Pydantic-ai finds a strict tool strict-compatible, and making it strict leaves it as it is."""
    wrong = []
    for transformer in transformers():
        for each in enforced(judged):
            asked = transformer(each.schema, strict=None)
            asked.walk()
            if not asked.is_strict_compatible:
                wrong.append(f"{each.place}: incompatible")
            if transformer(each.schema, strict=True).walk() != each.schema:
                wrong.append(f"{each.place}: changed")
    assert wrong == []


# -- declared types -------------------------------------------------------------------------------


def test_declarations_are_of_the_vendors_types(judged: dict[str, list[Judged]]) -> None:
    """A declaration for Gemini is a ``FunctionDeclaration``, and all that it says comes back from one."""
    declaration = pytest.importorskip("google.genai.types").FunctionDeclaration
    lost = []
    for each in judged["gemini"]:
        made = declaration.model_validate(loads(dumps(each.tool.wire)))
        back = made.model_dump(by_alias=True, exclude_unset=True, mode="json")
        if in_lower_case(back) != loads(dumps(each.tool.wire)):
            lost.append(each.place)
    assert lost == []


def in_lower_case(value: Any) -> Any:
    """A declaration with its types as JSON Schema writes them: ``OBJECT`` is ``object``."""
    if isinstance(value, list):
        return [in_lower_case(item) for item in value]
    if not isinstance(value, dict):
        return value
    out = {key: in_lower_case(item) for key, item in value.items()}
    if isinstance(out.get("type"), str):
        out["type"] = out["type"].lower()
    return out


def test_json_schema_is_converted_to_the_vendors_types(judged: dict[str, list[Judged]]) -> None:
    """The same in JSON Schema is converted by the vendor's package to a schema that says the same."""
    types = pytest.importorskip("google.genai.types")
    lost = []
    for each in [each for each in judged["gemini"] if each.tool.wire.get("parameters")][::EVERY]:
        given = types.JSONSchema.model_validate(plain(without_examples(each.schema)))
        made = types.Schema.from_json_schema(
            json_schema=given, raise_error_on_unsupported_field=True
        )
        back = made.model_dump(by_alias=True, exclude_none=True, mode="json")
        if canonical(in_lower_case(back)) != canonical(without_examples(each.schema)):
            lost.append(each.place)
    assert lost == []


def without_examples(schema: Json) -> Json:
    """A schema without examples, which the package's idea of JSON Schema does not have."""
    out = {key: value for key, value in schema.items() if key != "example"}
    return over(out, without_examples)


def over(schema: Json, change: Callable[[Json], Json]) -> Json:
    """A schema with its direct subschemas changed."""
    out = dict(schema)
    if "properties" in out:
        out["properties"] = {name: change(inner) for name, inner in out["properties"].items()}
    if "items" in out:
        out["items"] = change(out["items"])
    if "anyOf" in out:
        out["anyOf"] = [change(inner) for inner in out["anyOf"]]
    return out


def canonical(schema: Json) -> Json:
    """One way to say what can be said in several: null as a flag of the whole, unions in one level."""
    out = over(schema, canonical)
    branches = out.pop("anyOf", [])
    for branch in branches:
        if branch.pop("nullable", False):
            out["nullable"] = True
    if out.get("type") == "null":
        out = {**{key: item for key, item in out.items() if key != "type"}, "nullable": True}
    said_nothing = {"items": {}, "default": None}
    out = {key: value for key, value in out.items() if said_nothing.get(key, out) != value}
    flat = [inner for branch in branches for inner in _parts(branch)]
    if len(flat) == 1 and out.keys() <= {"nullable"}:
        return {**flat[0], **out}
    return {**out, "anyOf": flat} if flat else out


def _parts(branch: Json) -> list[Json]:
    """The alternatives of a branch; none of one that is null alone."""
    found: list[Json] = branch["anyOf"] if branch.keys() == {"anyOf"} else [branch]
    return [each for each in found if each]


# -- grammars -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", COMPILED)
def test_grammars_compile(judged: dict[str, list[Judged]], name: str) -> None:
    """Llguidance compiles at least 99 in 100 tools, without being lenient and without a warning."""
    causes: Counter[str] = Counter()
    places = []
    for each in judged[name]:
        told = compiled(each.tool.fit.schema)[1]
        causes.update(line.split(":")[0] for line in told)
        places += [each.place] if told else []
    assert len(places) <= len(judged[name]) // 100, (causes, places)


@pytest.mark.parametrize("name", NAMES)
def test_what_a_grammar_admits_is_valid(judged: dict[str, list[Judged]], name: str) -> None:
    """What llguidance lets a model write is valid once it is restored, but where an edit says that a rule was only described."""
    drawn = 0
    for seed, each in enumerate(judged[name][::EVERY]):
        fit = each.tool.fit
        for text in texts(plain(narrowed(fit)), seed, 1):
            drawn += 1
            failed = [error for error in refused(each, text) if not is_no_moment(error.value)]
            places = widened(fit) if failed else []
            assert all(is_told(error.path, places) for error in failed), (each.place, text, failed)
    assert drawn > len(judged[name]) // EVERY // 2


def refused(each: Judged, text: str) -> Any:
    """What our validator finds wrong with arguments that a model wrote for a tool."""
    parsed = each.tool.function.parse(text)
    assert parsed, (each.place, text)
    outcome = each.tool.function.validate(each.tools.restore(each.tool.name, parsed.data))
    return () if outcome else outcome.errors
