"""What connectors write and read, held against the types of the vendors' own packages."""

from typing import Any

import pytest
from tests.calling.models import said, wished
from tests.connectors.test_codecs import TALK, TOOLS
from tests.connectors.test_enforced import application
from tests.live.vendor_types import CHECKS

from specfn import calling
from specfn.calling.effects import Send
from specfn.connectors.registry import codec
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
