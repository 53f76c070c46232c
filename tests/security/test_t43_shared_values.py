"""Threat T43: the server pays for what a script shares in the sandbox."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.code_mode.script_support import echo, run, scripts
from tests.effort import examples
from tests.mcp.server_support import Api
from tests.security.shared_values import all_scripts

SCRIPTS = all_scripts()
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=20,
)


@pytest.fixture(scope="module")
def ends(root: Path) -> Mapping[str, Any]:
    """How each script ended, in a process of limited time and memory."""
    command = [sys.executable, "-m", "tests.security.shared_values"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {name: rest for name, *rest in lines}


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_server_does_not_pay_for_shared_values(ends: Mapping[str, Any], name: str) -> None:
    """A script with endless values ends in little time and memory; nothing more is sent, and its calls are listed."""
    assert name in ends, "the process of the server ended before: it needed too much time or memory"
    text, is_error, received = ends[name]
    assert is_error
    assert SCRIPTS[name][1] in text
    assert "Executed calls (1):\n- api.pets.get({}): HTTP 200" in text
    assert received == ["GET /v1/pets"]


REMOVALS = {
    "the function of results": "_result = lambda value: value",
    "the built-in functions": "len = isinstance = type = str = dict = list = getattr = lambda *_: 1",
    "the types of errors": "ValueError = TypeError = None",
    "the names of the prelude": "_install = _places = _hand_over = print",
    "the module of JSON": "import json\ntry:\n  json.dumps = lambda *_: '[]'\nexcept Exception: pass",
    "the function of the API": "try:\n  api.pets.get = api.pets.get.__closure__\nexcept Exception: pass",
}


@pytest.mark.parametrize("removal", REMOVALS.values(), ids=REMOVALS)
@pytest.mark.parametrize("use", ["x", "await api.pets.post(body=x)", "_result(x)"])
def test_a_script_cannot_remove_the_limits(removal: str, use: str) -> None:
    """Whatever names a script gives another meaning, a value that is too large is not handed over."""
    api = Api(reply=echo)
    code = f"y = [1] * 1_000\nx = [y] * 1_000\n{removal}\n{use}"
    made = run(scripts(api, allow=("read", "write")), code)
    assert len(made.text) < 2_000
    assert "1,1,1" not in made.text
    assert api.received == []


@pytest.mark.parametrize(
    ("value", "sizes"),
    [("[1] * size", (60_000, 60_000, 30_000, 100)), ("'a' * size", (5 << 20, 5 << 20, 2 << 20, 1))],
    ids=["values", "bytes"],
)
def test_the_limits_are_of_the_whole_script(value: str, sizes: tuple[int, ...]) -> None:
    """Values that are small one by one are counted together; a refused value does not count."""
    api = Api(reply=lambda _: httpx.Response(200, json={}))
    code = f"""
async def call(size):
    try:
        await api.pets.post(body={{'name': 'A', 'x': {value}}})
        return 'sent'
    except ValueError as error:
        return 'too many'
[await call(size) for size in {sizes}]
"""
    made = run(scripts(api, allow=("write",)), code)
    assert made.text == '["sent","too many","sent","sent"]'
    assert len(api.requests) == 3


def test_a_hundred_levels_are_handed_over() -> None:
    """A value of a hundred levels is handed over, and one of more is refused."""
    for levels, is_error in ((100, False), (101, True)):
        made = run(scripts(Api()), f"x = 1\nfor i in range({levels}): x = [x]\nx")
        assert made.is_error is is_error, made.text


def test_a_text_for_another_value_is_short() -> None:
    """A value that JSON does not have becomes a text of at most 1,000 characters."""
    assert run(scripts(Api()), "ValueError('a' * 9_000)").text == "a" * 1_000


@settings(max_examples=examples(60), deadline=None)
@given(VALUES)
def test_a_value_is_returned_as_it_is(value: Any) -> None:
    """What a script returns is what it computed, and what it sends is what it passed."""
    api = Api(reply=echo)
    code = f"import json\nx = json.loads({json.dumps(value)!r})\nawait api.pets.post(body={{'name': 'A', 'x': x}})\nx"
    made = run(scripts(api, allow=("write",)), code)
    assert not made.is_error, made.text
    assert json.loads(api.requests[0].content) == {"name": "A", "x": value}
    if isinstance(value, str):
        return  # the text of a result is checked by the tests of texts
    if value is None:
        assert "ended without a value" in made.text
    else:
        assert json.loads(made.text) == value


def test_no_address_of_the_server_is_shown() -> None:
    """Neither the variables of a script nor the namespaces show an address of the server."""
    code = "print(locals())\nprint([api, api.pets, api.pets.get, type(api)])\nlocals()"
    text = run(scripts(Api()), code).text
    assert "0x7" not in text
    assert "specfn." not in text
    assert '"api":"Api(' in text
