"""A vendor's own messages go back field by field: members that specfn does not know, and whole conversations."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.calling.shop import APP
from tests.live.test_scenarios import CASES, LIST, SCENARIOS
from tests.live.vendors import VENDORS, Line, Vendor

from specfn import calling
from specfn.calling import Ask, CallResult, Done, Invoke, Send

pytestmark = pytest.mark.filterwarnings("ignore")  # the packages' own

Json = dict[str, Any]

#: Members that nobody knows, of every kind.
NEW: Json = {
    "x_text": "some words",
    "x_number": 0.5,
    "x_flag": False,
    "x_list": [1, "b", {"c": [True]}],
    "x_object": {"deep": {"er": {"est": 7}}, "text": "abc"},
}

SIGNATURE = "c2lnbmVk"

QUIET = calling.InvocationConfig(recovery_hint=False)

#: A reply in words and a call, to which members are added.
BOTH = Line("Let me look.", (("c1", LIST, {"query": {"limit": 1}}),))


def chat(raw: Json, *, known: bool) -> Any:  # noqa: ARG001  # all are kept
    """Add members to a completion, its call and its function."""
    message = raw["choices"][0]["message"]
    message["reasoning_content"] = "because"
    message |= NEW
    for call in message.get("tool_calls", ()):
        call |= {"extra_content": {"google": {"thought_signature": SIGNATURE}}, **NEW}
        call["function"] |= NEW
    if "function_call" in message:
        message["function_call"] |= NEW
    return [message]


def mistral(raw: Json, *, known: bool) -> Any:
    """Add members to a completion; Mistral's package keeps those alone that it knows."""
    if not known:
        return chat(raw, known=False)
    return [raw["choices"][0]["message"]]


def responses(raw: Json, *, known: bool) -> Any:
    """Add members to each item of a response, reasoning, and an item of a kind that nobody knows."""
    thought = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "e"}
    raw["output"] = [{**item, **NEW} for item in (thought, *raw["output"])]
    if not known:
        raw["output"].insert(1, {"type": "x_item", **NEW})
    return raw["output"]


def anthropic(raw: Json, *, known: bool) -> Any:
    """Add members to each block of a message, thinking, and a block of a kind that nobody knows."""
    thought = {"type": "thinking", "thinking": "because", "signature": SIGNATURE}
    raw["content"] = [thought, *({**block, **NEW} for block in raw["content"])]
    if not known:
        raw["content"].insert(1, {"type": "x_block", **NEW})
    return raw["content"]


def gemini(raw: Json, *, known: bool) -> Any:
    """Add a signature to each part; and members that nobody knows, which Google's package refuses."""
    [candidate] = raw["candidates"]
    content = candidate["content"]
    content["parts"] = [{**part, "thoughtSignature": SIGNATURE} for part in content["parts"]]
    content["parts"].insert(0, {"text": "because", "thought": True})
    if not known:
        content["parts"] = [{**part, **NEW} for part in content["parts"]]
        content["parts"][-1]["functionCall"] |= NEW
        content["parts"].append({"xPart": NEW})
    return content["parts"]


def bedrock(raw: Json, *, known: bool) -> Any:
    """Add reasoning; and members that nobody knows, which botocore takes out."""
    content = raw["output"]["message"]["content"]
    thought = {"text": "because", "signature": SIGNATURE}
    content.insert(0, {"reasoningContent": {"reasoningText": thought}})
    if not known:
        content[-1]["toolUse"] |= NEW
        content.append({"xBlock": NEW})
    return content


#: For each vendor: what adds members to a reply and returns what has to go back; and the last message of a request's
#: history that is the assistant's.
FORMS: dict[str, tuple[Callable[..., Any], Callable[[Json], Any]]] = {
    "openai": (chat, lambda body: body["messages"][1:2]),
    "openai-functions": (chat, lambda body: body["messages"][1:2]),
    "mistral": (mistral, lambda body: body["messages"][1:2]),
    "cohere": (chat, lambda body: body["messages"][1:2]),
    "ollama": (chat, lambda body: body["messages"][1:2]),
    "openai-responses": (responses, lambda body: body["input"][1:-1]),
    "anthropic": (anthropic, lambda body: body["messages"][1]["content"]),
    "gemini": (gemini, lambda body: body["contents"][1]["parts"]),
    "bedrock": (bedrock, lambda body: body["messages"][1]["content"]),
}

#: Members that a package adds to what a server has sent.
ADDED = {"mistral": {"index", "prefix"}}


def conversation(vendor: Vendor, messages: Any, **settings: Any) -> calling.Session:
    """Return a session of a vendor."""
    begun = {"connector": vendor.connector, "profile": vendor.profile, "config": QUIET}
    return calling.Session(APP, messages=messages, model="m", **{**begun, **settings})


def answered(session: calling.Session, reply: Any) -> Json:
    """Return the next request to the model after a reply with calls that succeed."""
    session.feed(reply)
    while not isinstance(effect := session.next(), Send):
        assert isinstance(effect, Invoke)
        session.feed([CallResult(text="{}", executed=True, status=200)] * len(effect.calls))
    return effect.request


def without(value: Any, names: set[str]) -> Any:
    """Return JSON without some members."""
    if isinstance(value, list):
        return [without(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: without(item, names) for key, item in value.items() if key not in names}


@pytest.mark.parametrize("known", [False, True], ids=["json", "package"])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("name", sorted(FORMS))
def test_a_reply_goes_back_field_by_field(name: str, *, stream: bool, known: bool) -> None:
    """What a reply holds is in the next request, unknown members included: from JSON, and from a package's objects."""
    vendor, (add, found) = VENDORS[name], FORMS[name]
    raw = vendor.raw(BOTH)
    expected = copy.deepcopy(add(raw, known=known))
    session = conversation(vendor, "Hi")
    session.next()
    if known:
        reply = vendor.reply(raw, stream=stream)
    else:
        reply = list(vendor.events(raw)) if stream else raw
    if stream:
        reply = session.codec.gather(reply)
    back = found(answered(session, reply))
    assert without(back, ADDED.get(name, set()) if known else set()) == expected


@pytest.mark.parametrize(("name", "of"), CASES)
def test_a_history_is_read_and_sent_back(name: str, of: str) -> None:
    """The history of each request of a conversation, read by another session, is in its request as it was."""
    vendor = VENDORS[of]
    for request in requests(name, vendor):
        [member] = {"messages", "input", "contents"} & request.keys()
        before = copy.deepcopy(request[member])
        effect = conversation(vendor, request[member]).next()
        assert isinstance(effect, Send)
        assert effect.request[member] == before == request[member]


def requests(name: str, vendor: Vendor) -> list[Json]:
    """Return the requests of a scenario in which every call that is made succeeds."""
    scenario = SCENARIOS[name]
    settings = {key: item for key, item in scenario.settings.items() if key != "approve"}
    session = conversation(vendor, "Look at the shop.", **settings)
    lines = iter(scenario.lines)
    found: list[Json] = []
    while not isinstance(effect := session.next(), Done):
        if isinstance(effect, Send):
            found.append(json.loads(json.dumps(effect.request)))
            session.feed(vendor.reply(vendor.raw(next(lines)), stream=False))
        elif isinstance(effect, Ask):
            session.feed([True] * len(effect.requests))
        else:
            session.feed([CallResult(text="{}", executed=True, status=200)] * len(effect.calls))
    return found
