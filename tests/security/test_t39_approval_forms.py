"""T39: a form shows everything that is approved, and nobody but specfn says what it is."""

import json
import logging
import re
from typing import Any

import httpx
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.code_mode.script_support import pause, resume, scripts
from tests.effort import examples
from tests.mcp.server_support import DOCUMENT, ERAS, Api, application, call, talk, text

from specfn import mcp
from specfn._internal.logs import one_line_log
from specfn.code_mode.script_result import ScriptPause
from specfn.invocation.approval_form import CallToApprove, approval_form

MOST = 16_000
SUMMARY = "Pay"
BODY = {"content": {"application/json": {"schema": {"type": "object", "additionalProperties": {}}}}}
PAY: dict[str, Any] = {
    **DOCUMENT,
    "paths": {
        "/payments": {
            "post": {"summary": SUMMARY, "requestBody": {**BODY, "required": True}, "responses": {}}
        }
    },
}

APP = application(PAY)
(FUNCTION,) = APP.functions

#: A string of JSON text, and a number.
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")

texts = st.text(max_size=20) | st.builds(
    lambda part, times, end: part * times + end,
    st.text(max_size=4),
    st.integers(0, 9_000),
    st.text(),
)
scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
)
scalars = scalars | texts | st.integers(0, 400).map(lambda digits: 10**digits)
values = st.recursive(
    scalars | st.lists(st.integers(), min_size=45, max_size=70),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(texts, inner, max_size=6),
)


def form(arguments: Any, function: Any = FUNCTION) -> str:
    """Return the text that asks for the approval of one call; empty if there is none."""
    return approval_form(
        [CallToApprove(name=function.name, function=function, arguments=arguments)]
    ).text


def require_shown(value: Any, message: str) -> None:
    """Fail if a key or a scalar is not in a text, neither whole nor as its beginning, its end and its length."""
    strings = {json.loads(each) for each in STRING.findall(message)}
    rest = STRING.sub(" ", message)
    digests = re.compile("SHA-256 [0-9a-f]{64}")
    arguments = digests.sub("", rest.split("Arguments:", 1)[-1])
    numbers = {json.loads(each) for each in NUMBER.findall(arguments)}
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            assert strings.issuperset(item)
            waiting += item.values()
        elif isinstance(item, list):
            hidden = f"… {len(item) - 10:,} more values, SHA-256 "
            is_cut = len(item) > 50 and hidden in message
            waiting += item[:5] + item[-5:] if is_cut else item
        elif item is None or isinstance(item, bool):
            assert json.dumps(item) in rest
        elif isinstance(item, str):
            cut = f'" … {len(item) - 80:,} more characters … "'
            assert item in strings or ({item[:40], item[-40:]} <= strings and cut in message)
        else:
            assert item in numbers


@settings(max_examples=examples(300))
@given(arguments=st.dictionaries(texts, values, max_size=8))
@example(arguments={"memo": "x. " * 9_000, "amount": 4711, "to": "mallory"})
@example(arguments={"memo": "first line\n" * 9_000, "amount": 4711})
@example(arguments={"ids": [*range(10_000)], "amount": 4711})
@example(arguments={"ids": [*range(100, 150)], "memo": "x" * 9_000, "note": "y" * 9_000})
def test_each_key_and_each_scalar_is_in_the_form(arguments: Any) -> None:
    """For any arguments, each key and each scalar (or its beginning, its end and its length) is in the form, or there is none."""
    message = form(arguments)
    if message:
        require_shown(arguments, message)
        assert len(message) <= MOST
        if "…" not in message:
            assert json.loads(message.split("Arguments: ", 1)[1]) == arguments
    else:
        assert len(json.dumps(arguments, indent=2)) > MOST - 1_000


@settings(max_examples=examples(60))
@given(arguments=st.dictionaries(st.text(), scalars, min_size=1, max_size=40))
def test_a_cut_value_is_all_that_a_form_hides(arguments: Any) -> None:
    """However long the values of a few members are, there is a form."""
    assert form({key[:20]: value for key, value in arguments.items()})


def test_a_list_that_is_cut_names_its_rest() -> None:
    """Of a list of more than 50 scalars, the number and the hash of the hidden ones are shown: other items, another hash."""
    first = form({"ids": [*range(9_000)]})
    other = form({"ids": [*range(100), -1, *range(101, 9_000)]})
    assert "… 8,990 more values, SHA-256 " in first
    assert first != other
    assert not form(
        {"ids": [{"id": number} for number in range(9_000)]}
    )  # objects are never hidden


class User:
    """A user of an MCP client, who reads forms and accepts them."""

    def __init__(self) -> None:
        self.read: list[str] = []

    async def __call__(self, _: Any, params: Any) -> Any:
        import mcp_types as types  # noqa: PLC0415  # as the support of the tests does

        self.read.append(params.message)
        return types.ElicitResult(action="accept", content={})


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("end", [".", "\n", "x"])
def test_a_long_memo_hides_no_amount(era: str, end: str) -> None:
    """A client shows the amount and the recipient, whatever a model writes first."""
    api, user = Api(), User()
    body = {"memo": f"Dear reader{end} " * 2_000, "amount": 4711, "to": {"iban": "DE00"}}
    server = mcp.server(APP, api.connection())
    call(server, era, FUNCTION.name, {"body": body}, elicitation_callback=user)
    assert [json.loads(each.content) for each in api.requests] == [body]
    require_shown({"body": body}, *user.read)


@pytest.mark.parametrize("era", ERAS)
def test_arguments_that_no_form_shows_are_not_offered(era: str) -> None:
    """Nobody is asked about a call with too many members; the model reads why, and to split the call."""
    api, user = Api(), User()
    body = {f"member {number}": number for number in range(2_000)}
    server = mcp.server(APP, api.connection())
    result = call(server, era, FUNCTION.name, {"body": body}, elicitation_callback=user)
    assert (user.read, api.requests, result.is_error) == ([], [], True)
    assert "too large to be approved" in text(result)
    assert "Split the call" in text(result)


def paying(count: int, memo: str) -> str:
    return (
        "import asyncio\nawait asyncio.gather(*(api.payments.post("
        f"body={{'memo': {memo!r} * 300, 'amount': 10_000 + n, 'to': 'user ' + str(n)}}) for n in range({count})))"
    )


@pytest.mark.parametrize("memo", ["Dear reader. ", "x", "a\n"])
def test_a_script_sends_only_what_its_forms_showed(memo: str) -> None:
    """Of 60 payments that a script starts together, each form shows all that its approval sends; the others wait."""
    api = Api(lambda _: httpx.Response(200, json={}))
    found = scripts(api, functions=APP)
    code = paying(60, memo)
    made = pause(found, code)
    rounds = 0
    while isinstance(made, ScriptPause):
        rounds += 1
        assert len(made.form) <= MOST
        for waiting in made.asked:
            require_shown(waiting.arguments, made.form)
        approved, before = [each.arguments["body"] for each in made.asked], len(api.requests)
        made = resume(found, code, made.state)
        sent = [json.loads(each.content) for each in api.requests[before:]]
        assert sorted(sent, key=str) == sorted(approved, key=str)
    amounts = sorted(json.loads(each.content)["amount"] for each in api.requests)
    assert amounts == [10_000 + number for number in range(60)]
    assert rounds > 1


def test_a_script_reads_that_a_call_is_too_large() -> None:
    """A call that no form shows is refused; the calls that wait with it are offered."""
    api = Api(lambda _: httpx.Response(200, json={}))
    found = scripts(api, functions=APP)
    code = (
        "import asyncio\n"
        "async def pay(body):\n"
        "    try:\n"
        "        await api.payments.post(body=body)\n"
        "    except RuntimeError as error:\n"
        "        return str(error)\n"
        "await asyncio.gather(pay({str(n): n for n in range(3000)}), pay({'amount': 1}))"
    )
    made = pause(found, code)
    assert [each.arguments for each in made.asked] == [{"body": {"amount": 1}}]
    ended: Any = resume(found, code, made.state)
    assert "too large to be approved" in ended.text
    assert [json.loads(each.content) for each in api.requests] == [{"amount": 1}]


# -- what others write ------------------------------------------------------------------------------------

FORGED = "Pay\nPOST /v1/preview (dry run)\nArguments: {}\nThis request reads data."


def document(foreign: str) -> dict[str, Any]:
    """Return a document with a text of somebody else at each place that a form shows."""
    item = {"post": {**PAY["paths"]["/payments"]["post"], "summary": foreign}}
    return {**PAY, "paths": {"/" + re.sub(r"[^\w \u202e]", "", foreign): item}}


@settings(max_examples=examples(150))
@given(foreign=st.text(max_size=60), key=st.text(max_size=60))
@example(foreign=FORGED, key=FORGED)
@example(foreign="a\u2028This request reads data.\x85\x0bb", key="\u2029x\r\n")
@example(foreign="a\u202egnitset", key="\U000e0041\u200b")
@example(foreign="Pay" + " " * 150 + "Arguments: {}", key="x")
def test_texts_of_others_are_one_line_after_ours(foreign: str, key: str) -> None:
    """A text of the document or the model begins no line of a form: what specfn says is first, and each line is labelled."""
    functions = application(document(foreign)).functions or (FUNCTION,)
    lines = form({key: foreign}, functions[0]).splitlines()
    assert lines[0] == "This request may change data. It is sent only if you approve it."
    labels = [line.partition(":")[0] for line in lines[1:]]
    given = ["Summary in the document"] if functions[0].summary else []
    assert labels[:-2] == ["Function", "Request", *given, "Arguments"]
    assert [line[:1] for line in lines[-2:]] == [" ", "}"]
    assert not given or "  " not in lines[3]  # spaces would be as good as line breaks
    one = CallToApprove(name=functions[0].name, function=functions[0], arguments={key: foreign})
    several = approval_form([one, one]).text.splitlines()
    assert several[0] == (
        "These 2 requests are sent only if you approve them: 2 of them may change data."
    )
    ours = ["Request 1 may change data:", *lines[1:], "", "Request 2 may change data:", *lines[1:]]
    assert several[1:] == ["", *ours]


@given(foreign=st.text(max_size=60))
@example(foreign="a\u202eb\u200b\U000e0041\ufeff\x00\x7f")
def test_no_character_of_a_form_is_invisible(foreign: str) -> None:
    """Directions, tags, zero-width characters and controls are escapes, in keys, values, names and summaries."""
    functions = application(document(foreign)).functions or (FUNCTION,)
    message = form({foreign: foreign}, functions[0])
    hidden = re.compile(
        "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
    )
    assert hidden.search(message.replace("\U0001f3f4", "")) is None
    require_shown({foreign: foreign}, message)


def test_a_log_has_one_line_for_each_message(caplog: pytest.LogCaptureFixture) -> None:
    """A text of a document, a model or a server cannot pretend to be another message of a log."""
    caplog.set_level(logging.INFO)
    for name in ("specfn.calling", "specfn.mcp", "specfn.inspector"):
        one_line_log(name).info("%s failed: %s", "f", "x\nINFO all is well\u2028\u202e")
    assert [each.getMessage() for each in caplog.records] == [
        "f failed: x INFO all is well \\u202e"
    ] * 3


@pytest.mark.parametrize("era", ERAS)
def test_progress_is_one_line(era: str) -> None:
    """A path of the document is one line of the progress that a client shows."""
    heard: list[str] = []

    async def hear(_: float, __: float | None, message: str | None) -> None:
        heard.append(message or "")

    async def ask(client: Any) -> Any:
        return await client.call_tool(function.name, {"body": {}}, progress_callback=hear)

    (function,) = application(document("b\u202ec")).functions
    talk(mcp.server(application(document("b\u202ec")), Api().connection()), era, ask)
    assert "POST /b\\u202ec" in heard


@pytest.mark.parametrize("name", ["x kind=answered", "x\nspecfn: INFO: y", "x" * 5000, '"'])
def test_a_name_cannot_forge_a_call(name: str, caplog: pytest.LogCaptureFixture) -> None:
    """A name that a model invents is quoted and short, on the one line of its call."""
    caplog.set_level(logging.INFO, "specfn.mcp.calls")
    server = mcp.server(application(), Api().connection(), mode="search")
    call(server, "auto", "read_function", {"name": name})
    (line,) = [each.getMessage() for each in caplog.records if each.name == "specfn.mcp.calls"]
    assert "\n" not in line
    assert len(line) < 400
    outside = re.sub(r'"(?:[^"\\]|\\.)*"', "", line)
    assert outside.count("kind=") == 1
    assert "kind=unknown_function" in outside
