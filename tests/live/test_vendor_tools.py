"""Tools of ten real documents in every profile, by the types of the packages that send them."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from orjson import dumps, loads
from pydantic import ValidationError
from tests.connectors.names import PROFILES
from tests.live.vendor_types import Json, adapter, modelled, of_shape, shapes, typed

import specfn
from specfn import Function, load
from specfn.connectors import codec, profile
from specfn.connectors.registry import conversation_profile
from specfn.schema.profiles.profile import Profile
from specfn.tools.function_set import AdvertisedFunction
from specfn.tools.tool_builder import build_tools

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.filterwarnings("ignore"),  # the packages' own
]

DOCUMENTS = 10

#: A document of one function with an argument.
ONE = {
    "openapi": "3.1.0",
    "info": {"title": "t", "version": "1"},
    "paths": {
        "/a": {
            "get": {
                "parameters": [{"name": "q", "in": "query", "schema": {"type": "string"}}],
                "responses": {"200": {"description": "ok"}},
            }
        }
    },
}

#: How many functions of a document are checked; they are spread over it.
FUNCTIONS = 40

Check = Callable[[Json], Any]


def dictionary(module: str, name: str) -> Check:
    """Return a check by a ``TypedDict`` of a package."""
    return lambda tool: typed(module, name, tool)


def model(module: str, name: str) -> Check:
    """Return a check by a model of a package: what it sends is what it was given."""

    def check(tool: Json) -> None:
        made = modelled(module, name, tool)
        assert made.model_dump(mode="json", by_alias=True, exclude_unset=True) == tool

    return check


def declaration(tool: Json) -> None:
    """Check a tool of Gemini, or a declaration in one."""
    whole = tool if "functionDeclarations" in tool else {"functionDeclarations": [tool]}
    modelled("google.genai.types", "Tool", whole)


def specification(tool: Json) -> None:
    """Check a tool of Bedrock."""
    of_shape(tool, shapes().shape_for("Tool"))


def local(tool: Json) -> None:
    """Check a tool of Ollama: its package keeps the name, the description and the names of the properties."""
    sent = adapter("ollama", "Tool").validate_python(tool).model_dump(exclude_none=True)["function"]
    given = tool["function"]
    assert (sent["name"], sent["description"]) == (given["name"], given["description"])
    schemas = [each.get("parameters", {}) for each in (sent, given)]
    kept, whole = [(item.get("properties", {}).keys(), item.get("required")) for item in schemas]
    assert kept == whole


CHAT = dictionary("openai.types.chat", "ChatCompletionFunctionToolParam")
FUNCTION = dictionary("openai.types.chat.completion_create_params", "Function")
RESPONSES = dictionary("openai.types.responses", "FunctionToolParam")
ANTHROPIC = dictionary("anthropic.types", "ToolParam")
MISTRAL = dictionary("mistralai.client.models", "ToolTypedDict")
COHERE = model("cohere.types", "ToolV2")

#: Whose types a profile's tools have; ``PORTABLE`` tools have the form of Chat Completions in a conversation.
CHECKS: dict[str, tuple[Check, ...]] = {
    "anthropic": (ANTHROPIC,),
    "anthropic-strict": (ANTHROPIC,),
    "azure-openai": (CHAT,),
    "bedrock": (specification,),
    "bedrock-strict": (specification,),
    "gemini": (declaration,),
    "gemini-json-schema": (declaration,),
    "mcp": (model("mcp.types", "Tool"),),
    "mistral": (MISTRAL,),
    "mistral-strict": (MISTRAL,),
    "openai": (CHAT,),
    "openai-functions": (FUNCTION,),
    "openai-responses": (RESPONSES,),
    "openai-responses-strict": (RESPONSES,),
    "openai-strict": (CHAT,),
    "portable": (FUNCTION,),
}

#: Those who take the portable form in Chat Completions.
PORTABLE: tuple[Check, ...] = (CHAT, MISTRAL, COHERE, local)


@pytest.fixture(scope="module", params=range(DOCUMENTS), ids=lambda at: f"document{at}")
def functions(request: pytest.FixtureRequest, corpus: Path) -> list[Function]:
    """Functions of one of ten documents, spread over the corpus."""
    paths = sorted((corpus / "dev").glob("*.json"))
    found = load(paths[request.param * len(paths) // DOCUMENTS]).functions
    return list(found[:: len(found) // FUNCTIONS + 1])


def made(functions: list[Function], fitted: Profile) -> list[Json]:
    """Return the tools as they go over the wire; none is left out."""
    entries = [AdvertisedFunction(name=each.name, function=each) for each in functions]
    found = build_tools(entries, replace(fitted, tools=None))
    assert [left.function for left in found.left_out] == []
    assert len(found.tools) == len(functions)
    sent: list[Json] = loads(dumps(list(found)))
    return sent


def test_every_profile_is_checked() -> None:
    """A new profile needs a check here."""
    assert set(CHECKS) == set(PROFILES)


@pytest.mark.parametrize("name", sorted(CHECKS))
def test_tools_are_of_the_vendors_types(functions: list[Function], name: str) -> None:
    """Each tool of a profile is a tool by the vendor's types, and has no member that they do not have."""
    for tool in made(functions, profile(name)):
        for check in CHECKS[name]:
            check(tool)


def test_portable_tools_are_of_everybodys_types(functions: list[Function]) -> None:
    """A portable tool in a request of Chat Completions is a tool of OpenAI, Mistral, Cohere and Ollama."""
    fitted = conversation_profile(codec("openai"), "portable", strict=False)
    for tool in made(functions, fitted):
        for check in PORTABLE:
            check(tool)


BROKEN = [(name, check) for name in sorted(CHECKS) for check in CHECKS[name]]


@pytest.mark.parametrize(("name", "check"), [*BROKEN, *(("openai", each) for each in PORTABLE)])
def test_checks_refuse_what_is_wrong(name: str, check: Check) -> None:
    """A check refuses a tool whose name is no text."""
    [tool] = specfn.load(ONE).tools(name)
    check(tool)
    wrong = loads(dumps(tool).replace(b'"a_get"', b"7"))
    assert wrong != tool
    with pytest.raises((AssertionError, ValidationError)):
        check(wrong)
