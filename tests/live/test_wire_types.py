"""What connectors write and read, held against the types of the vendors' own packages."""

from typing import Any

import pytest
from tests.calling.models import said, wished
from tests.connectors.test_codecs import TALK, TOOLS
from tests.connectors.test_enforced import application
from tests.connectors.test_features import application as documented
from tests.live.vendor_types import CHECKS

from specfn import calling
from specfn.calling import Send
from specfn.connectors import codec, profile
from specfn.connectors.turn import Demand, Prompt

pytestmark = pytest.mark.filterwarnings("ignore")  # the packages' own


@pytest.mark.parametrize("mode", ["auto", "required", "none"])
@pytest.mark.parametrize("name", sorted(CHECKS))
def test_requests_are_of_the_vendors_types(name: str, mode: Any) -> None:
    """A conversation with a call and its result is a request by the vendor's own types."""
    demand = Demand(mode=mode, parallel=False)
    prompt = Prompt(messages=TALK, tools=[TOOLS[name]], demand=demand, model="m")
    CHECKS[name](codec(name).encode(prompt))


#: The functions of a document for tools: one that can be enforced and one that cannot.
CLOSED = {
    "type": "object",
    "properties": {"a": {"type": ["string", "null"]}, "b": {"enum": ["x", 1]}},
}
OPEN = {"type": "object", "additionalProperties": {"type": "string"}}


@pytest.mark.parametrize("profile", [None, "gemini-json-schema"])
@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("name", sorted(CHECKS))
def test_tools_are_of_the_vendors_types(name: str, profile: str | None, *, strict: bool) -> None:
    """Tools that are to be enforced, and tools that are not, are tools by the vendor's own types."""
    if profile is not None and not profile.startswith(name):
        profile = None
    session = calling.Session(
        application([CLOSED, OPEN]),
        connector=name,
        profile=profile,
        messages="Hi",
        model="m",
        choice=calling.Auto(options={"allow_strict_schema_adherence": strict}),
    )
    effect = session.next()
    assert isinstance(effect, Send)
    CHECKS[name](effect.request)


#: Which members the vendors' own types have for each feature; a profile has a feature exactly if the type does.
MEMBERS = {
    "openai-responses": ("openai.types.responses", "FunctionToolParam"),
    "anthropic": ("anthropic.types", "ToolParam"),
    "openai": ("openai.types.shared_params", "FunctionDefinition"),
}


@pytest.mark.parametrize("name", sorted(MEMBERS))
def test_a_profile_has_the_features_of_the_vendors_type(name: str) -> None:
    """Deferred loading and output schemas are in a profile's form exactly if the vendor's type has members for them."""
    module, kind = MEMBERS[name]
    members = getattr(pytest.importorskip(module), kind).__annotations__
    shape = profile(name).shape
    shape = shape.get("function", shape)
    for member in ("defer_loading", "output_schema"):
        assert (member in shape) == (member in members)


@pytest.mark.parametrize("namespaces", [True, False])
@pytest.mark.parametrize("chosen", [None, "gemini-json-schema"])
@pytest.mark.parametrize("name", sorted(CHECKS))
def test_features_are_of_the_vendors_types(
    name: str, chosen: str | None, *, namespaces: bool
) -> None:
    """Deferred functions, search tools, namespaces and output schemas are tools by the vendor's own types."""
    result = {"type": "object", "properties": {"a": {"type": ["string", "null"]}, "b": OPEN}}
    app = documented({"pets/a": result, "pets/b": {"type": "array", "items": result}})
    options = {"defer_loading": True, "output_schema": True, "namespaces": namespaces}
    session = calling.Session(
        app,
        connector=name,
        profile=chosen if chosen is not None and chosen.startswith(name) else None,
        messages="Hi",
        model="m",
        choice=calling.Auto(options=options),
    )
    effect = session.next()
    assert isinstance(effect, Send)
    CHECKS[name](effect.request)


def test_a_call_with_a_namespace_is_of_the_vendors_type() -> None:
    """A call of a function in a namespace goes back as the vendor's types have it."""
    function = {"type": "function", "name": "f", "parameters": {}, "strict": False}
    space = {"type": "namespace", "name": "n", "description": "d", "tools": [function]}
    call: Any = {"id": "c", "name": "f", "arguments": {}}
    message: Any = {"role": "assistant", "content": "", "calls": [call]}
    result: Any = {"id": "c", "name": "f", "text": "x", "error": False}
    body = codec("openai-responses").encode(
        Prompt(
            messages=[message, {"role": "tool", "results": [result]}],
            tools=[space, {"type": "tool_search"}],
            model="m",
        )
    )
    assert body["input"][0]["namespace"] == "n"
    CHECKS["openai-responses"](body)


#: The replies' types.
REPLIES = {
    "openai": ("openai.types.chat", "ChatCompletion"),
    "openai-responses": ("openai.types.responses", "Response"),
    "anthropic": ("anthropic.types", "Message"),
    "gemini": ("google.genai.types", "GenerateContentResponse"),
}


@pytest.mark.parametrize("called", [True, False])
@pytest.mark.parametrize("name", sorted(REPLIES))
def test_replies_are_read_from_the_vendors_objects(name: str, *, called: bool) -> None:
    """A reply is read the same as a dict and as the vendor's object."""
    module, kind = REPLIES[name]
    reply = wished(("c1", "a_get", {"x": 1}), connector=name) if called else said("Hi.", name)
    made = getattr(pytest.importorskip(module), kind).model_construct
    if name == "gemini":
        made = getattr(pytest.importorskip(module), kind).model_validate
        found = codec(name).decode(made(reply))
    else:
        found = codec(name).decode(made(**reply))
    plain = codec(name).decode(reply)
    assert (found.text, found.calls, found.stop) == (plain.text, plain.calls, plain.stop)
