"""Threat T36: a script leaves its limits, or its snapshot is altered or contains a credential."""

import asyncio
import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.code_mode.script_support import KEY, Execution, echo, pause, resume, run, scripts
from tests.mcp.server_support import Api

from specfn.calling import Answer
from specfn.code_mode import script_run
from specfn.code_mode.sandbox import ScriptLimits
from specfn.code_mode.script_result import ScriptPause, ScriptResult
from specfn.invocation.check import PreparedCall

HOSTILE = {
    "a loop": "while True: pass",
    "a loop that catches everything": "while True:\n  try:\n    while True: pass\n  except BaseException: pass",
    "memory": "x = [0]\nwhile True: x = x * 2",
    "one large value": "'a' * 10 ** 12",
    "recursion": "def f(): return f()\nf()",
    "an import of a module": "import socket",
    "an import by a function": "__import__('os').system('id')",
    "a file": "open('/etc/passwd').read()",
    "the environment": "import os\nos.environ['PATH']",
    "classes of the interpreter": "().__class__.__base__.__subclasses__()",
    "nested source": "(" * 30_000,
    "a network access": "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:1/')",
    "calls without end": "while True:\n  try:\n    await api.pets.nothing()\n  except Exception: pass",
    "a class attribute of the host": "api.pets.__class__.__init__.__globals__",
}
READS = "[each['name'] for each in await api.pets.get()]"
WRITE = "await api.pets.post(body={'name': 'Rex'})"


@pytest.fixture
def api() -> Api:
    return Api(reply=echo)


@pytest.mark.parametrize("code", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_script_ends(api: Api, code: str) -> None:
    """A hostile script ends with an error, reads and sends nothing, and the next script runs."""
    found = scripts(api, limits=ScriptLimits(seconds=0.2, memory=16 << 20))
    made = run(found, code)
    assert made.is_error, made.text
    assert "root:" not in made.text
    assert api.requests == []
    assert run(found, READS).text == '["Rex","Max"]'


def test_calls_are_limited(api: Api) -> None:
    """A script makes no more calls than allowed, also if it catches the errors."""
    found = scripts(api, limits=ScriptLimits(calls=3))
    code = "for i in range(9):\n  try:\n    await api.pets.getById(id=i)\n  except Exception as e:\n    print(e)"
    assert "at most 3 calls" in run(found, code).text
    assert len(api.requests) == 3


def test_output_and_code_are_limited(api: Api) -> None:
    """Neither prints nor the value nor the code exceed their limits."""
    found = scripts(api, limits=ScriptLimits(output=500, code=1_000))
    for code in ("for i in range(99): print('x' * 99)", "'x' * 9_999", "print('y' * 9_999)\n1/0"):
        assert len(run(found, code).text) <= 500
    assert "at most 1,000 are allowed" in run(found, "#" * 1_001).text


def test_scripts_at_the_same_time_are_limited(api: Api) -> None:
    """A server refuses more scripts at the same time than allowed."""
    made = run(scripts(api, limits=ScriptLimits(together=0)), READS)
    assert made.is_error
    assert "too many scripts" in made.text


def test_a_call_after_the_end_is_not_sent(api: Api) -> None:
    """A call that a script did not await is not sent after its end; the result says so."""
    made = run(scripts(api), "api.pets.get()\n1")
    assert "did not await them: api.pets.get" in made.text
    assert api.requests == []


def _altered(part: str) -> Callable[[Any], Any]:
    def alter(content: Any) -> Any:
        if part == "snapshot":
            plain = bytearray(zlib.decompress(b64decode(content["snapshot"])))
            plain[len(plain) // 2] ^= 1
            return {**content, "snapshot": b64encode(zlib.compress(bytes(plain))).decode()}
        if part == "arguments":
            [[number, name, _, *rest]] = content["waiting"]
            return {**content, "waiting": [[number, name, {"body": {"name": "Max"}}, *rest]]}
        if part == "function":
            [[number, _, _, *rest]] = content["waiting"]
            return {**content, "waiting": [[number, "pets_eraseById", {"id": 1}, *rest]]}
        return {**content, part: type(content[part])()}

    return alter


@pytest.mark.parametrize(
    "part", ["snapshot", "arguments", "function", "waiting", "calls", "printed", "executed"]
)
def test_an_altered_state_is_refused(api: Api, part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A state with any other content is refused, and no byte of its snapshot is read."""
    code = f"print(1)\nawait api.pets.get()\n{WRITE}"
    found = scripts(api)
    state = json.loads(pause(found, code).state)
    altered = json.dumps({**state, "content": _altered(part)(state["content"])})
    loaded: list[bytes] = []
    monkeypatch.setattr("specfn.code_mode.script_run.zlib.decompress", loaded.append)
    made = resume(found, code, altered)
    assert isinstance(made, ScriptResult)
    assert "cannot be resumed" in made.text
    assert loaded == []
    assert api.received == ["GET /v1/pets"]


@pytest.mark.parametrize(
    "state", ["", "1", "{}", '{"content":{},"seal":""}', '{"content":1,"seal":7}']
)
def test_an_invented_state_is_refused(api: Api, state: str) -> None:
    """A text that is no sealed state is refused."""
    made = resume(scripts(api), WRITE, state)
    assert isinstance(made, ScriptResult)
    assert "cannot be resumed" in made.text


def test_another_code_or_key_is_refused(api: Api) -> None:
    """A state belongs to one code and one key, and one server accepts it once."""
    found = scripts(api)
    state = pause(found, WRITE).state
    for other, code in ((found, f"{WRITE} "), (scripts(api, key="another-key" * 4), WRITE)):
        made = resume(other, code, state)
        assert isinstance(made, ScriptResult)
        assert made.is_error
    assert api.requests == []
    assert resume(found, WRITE, state) == ScriptResult('{"name":"Rex"}')
    again = resume(found, WRITE, state)
    assert isinstance(again, ScriptResult)
    assert "used before" in again.text
    assert api.received == ["POST /v1/pets"]


def test_no_credential_in_a_snapshot(api: Api) -> None:
    """The state of a script contains neither the credential of its calls nor the key of the seal."""
    code = f"pets = await api.pets.get()\n{WRITE}"
    state = pause(scripts(api), code).state
    snapshot = zlib.decompress(b64decode(json.loads(state)["content"]["snapshot"]))
    assert b"Rex" in snapshot  # texts can be found in it
    assert api.requests[0].headers["authorization"] == "Bearer own-token"
    for secret in ("own-token", KEY):
        assert secret.encode() not in snapshot
        assert secret not in state


def test_only_the_functions_of_the_namespace_can_be_called(api: Api) -> None:
    """A script calls functions by their places only, and never by a name or an attribute that the server uses."""
    found = scripts(api, allow=("read", "write"))
    for call in (
        "pets_get()",
        "api.pets.nothing()",
        "hand_over('pets_get', '[[], {}]')",
        "type(api)()",
    ):
        made = run(found, f"await {call}")
        assert made.text.startswith("Error in line 1: ")
    assert api.requests == []


ENDS = {
    "an error": "1 / 0",
    "an exit": "raise SystemExit",
    "a loop": "while True: pass",
    "memory": "x = [0]\nwhile True: x = x * 2",
    "one large value": "'a' * 10 ** 12",
    "recursion": "def f(): return f()\nf()",
    "many levels": "x = 1\nfor i in range(1_000): x = [x]\nx",
    "many values": "[0] * 200_000",
    "many questions to the system": "while True:\n  try: open('x')\n  except Exception: pass",
    "sleeping": "import asyncio\nawait asyncio.gather(*[asyncio.sleep(9) for i in range(9)])",
    "an error in a call": "await api.pets.getById(id='x')",
    "a large exception": "raise ValueError('a' * 1_000_000)",
}
FAULTS = {
    "the check of a call": "specfn.code_mode.script_functions.ScriptFunctions.prepare",
    "the place of a call": "specfn.code_mode.script_functions.ScriptFunctions.arguments_of",
    "the execution of a call": "tests.code_mode.script_support.Execution.__call__",
    "the data of a response": "specfn.code_mode.script_functions.ScriptFunctions.data",
    "the results of calls": "specfn.code_mode.sandbox.Sandbox.resume",
    "the snapshot": "specfn.code_mode.sandbox.Sandbox.snapshot",
    "the seal": "specfn.code_mode.script_run.seal",
}
LISTED = "Executed calls (1):\n- api.pets.get({}): HTTP 200"


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_every_limit_lists_the_executed_calls(api: Api, end: str) -> None:
    """However a script ends, by an error or by a limit, its text lists the executed calls."""
    found = scripts(api, limits=ScriptLimits(seconds=0.5, memory=64 << 20))
    made = run(found, f"print('a')\nawait api.pets.get()\n{end}")
    assert made.is_error
    assert LISTED in made.text


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_every_end_lists_the_executed_calls(
    api: Api, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault of the server ends a script, too: its text lists the executed calls, and not the fault."""
    found = scripts(api)

    def break_down(_: httpx.Request) -> httpx.Response:
        monkeypatch.setattr(fault, fail)
        return httpx.Response(200, json=[])

    def fail(*_: Any, **__: Any) -> Any:
        raise RuntimeError("the reason")

    api.reply = break_down
    made = run(found, f"await api.pets.get()\nawait api.pets.get()\n{WRITE}", ask=True)
    assert made.is_error
    assert "the server could not continue the script" in made.text
    assert "the reason" not in made.text
    assert "- api.pets.get({}): HTTP 200" in made.text


def test_a_fault_of_one_call_does_not_hide_the_others(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the server fails at one of several calls that are made together, the executed ones are listed."""
    genuine = Execution.__call__

    async def fail(self: Execution, call: PreparedCall, **options: Any) -> Answer:
        answer = await genuine(self, call, **options)
        if call.name == "pets_getById":
            raise RuntimeError
        return answer

    monkeypatch.setattr(Execution, "__call__", fail)
    code = "import asyncio\nawait asyncio.gather(api.pets.get(), api.pets.getById(id=1))"
    made = run(scripts(api), code)
    assert "the server could not continue the script" in made.text
    assert LISTED in made.text


def test_a_state_that_is_refused_does_not_deny_the_executed_calls(api: Api) -> None:
    """The text for a state that cannot be resumed does not say that nothing was executed before."""
    found = scripts(api)
    pause(found, f"await api.pets.get()\n{WRITE}")
    made = resume(found, WRITE, "{}")
    assert isinstance(made, ScriptResult)
    assert "Nothing was executed" not in made.text
    assert "the calls before the question were" in made.text


@pytest.mark.parametrize(
    "code", ["x = 'ab' * 500_000\n" + WRITE, WRITE.replace("'Rex'", "'R' * 90_000")]
)
def test_what_is_too_large_to_store_does_not_wait(
    api: Api, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither much larger variables nor large arguments are stored; the former are not even compressed."""
    found, sizes = scripts(api, limits=ScriptLimits(snapshot=50_000)), list[int]()

    compress = zlib.compress

    def measure(snapshot: bytes, level: int) -> bytes:
        sizes.append(len(snapshot))
        return compress(snapshot, level)

    monkeypatch.setattr(script_run.zlib, "compress", measure)
    assert "holds too much data" in run(found, code, ask=True).text
    assert all(size <= 400_000 for size in sizes)
    assert isinstance(asyncio.run(found.run(WRITE, ask=True)), ScriptPause)


def test_a_script_does_not_ask_without_end(api: Api) -> None:
    """After three refusals of a function in a row, further calls of it are refused without a question."""
    code = """
texts = []
for i in range(20):
    try:
        await api.pets.eraseById(id=i)
    except RuntimeError as error:
        texts.append(str(error))
texts
"""
    found, asked = scripts(api), 0
    made: Any = asyncio.run(found.run(code, ask=True))
    while isinstance(made, ScriptPause) and asked < 20:
        asked += 1
        made = resume(found, code, made.state, approved=False)
    assert asked == 3
    texts = json.loads(made.text)
    assert all("The user declined this call" in text for text in texts[:3])
    assert all(
        "3 times in a row, so this call was refused without asking" in text for text in texts[3:]
    )
    assert api.requests == []


def test_an_approval_begins_the_count_of_refusals_again(api: Api) -> None:
    """Refusals that are not in a row, or of several functions, do not add up."""
    code = """
for i in range(6):
    for call in (lambda: api.pets.eraseById(id=i), lambda: api.pets.post(body={'name': 'A'})):
        try:
            await call()
        except RuntimeError as error:
            print(error)
"""
    found, asked = scripts(api), []
    made: Any = asyncio.run(found.run(code, ask=True))
    while isinstance(made, ScriptPause):
        asked.append(made.asked[0].function)
        is_approved = len(asked) % 2 == 0 or len(asked) == 5
        made = resume(found, code, made.state, approved=is_approved)
    assert asked == ["pets_eraseById", "pets_post"] * 5 + ["pets_eraseById", "pets_post"]
