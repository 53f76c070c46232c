"""Threat T36: a script leaves its limits, or its snapshot is altered or contains a credential."""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Any

import pytest
from tests.code_mode.script_support import KEY, echo, pause, resume, run, scripts
from tests.mcp.server_support import Api

from specfn.code_mode.paused_script import compressed, decompressed
from specfn.code_mode.script_limits import ScriptLimits
from specfn.code_mode.script_result import ScriptResult

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
            plain = bytearray(decompressed(b64decode(content["snapshot"])))
            plain[len(plain) // 2] ^= 1
            return {**content, "snapshot": b64encode(compressed(bytes(plain))).decode()}
        if part == "arguments":
            [[number, name, _, token]] = content["waiting"]
            return {**content, "waiting": [[number, name, {"body": {"name": "Max"}}, token]]}
        if part == "function":
            [[number, _, _, token]] = content["waiting"]
            return {**content, "waiting": [[number, "pets_eraseById", {"id": 1}, token]]}
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
    monkeypatch.setattr("specfn.code_mode.script_run.decompressed", loaded.append)
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
    snapshot = decompressed(b64decode(json.loads(state)["content"]["snapshot"]))
    assert b"Rex" in snapshot  # texts can be found in it
    assert api.requests[0].headers["authorization"] == "Bearer own-token"
    for secret in ("own-token", KEY):
        assert secret.encode() not in snapshot
        assert secret not in state
