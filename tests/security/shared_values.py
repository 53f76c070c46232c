"""Scripts whose values are small in the sandbox and endless for the server: ``python -m tests.security.shared_values``.

Each is run in one process of limited CPU time and memory, which prints how each ended as a line of JSON.
"""

import json
import resource
import sys
from typing import Final

from tests.code_mode.script_support import echo, run, scripts
from tests.mcp.server_support import Api

from specfn.code_mode.sandbox import ScriptLimits

#: Seconds of processor time, and bytes of memory, of the process of the server.
CPU: Final = 100
MEMORY: Final = 2 << 30

LISTS: Final = "x = []\nfor i in range(40): x = [x, x]\n"
TUPLES: Final = "x = ()\nfor i in range(40): x = (x, x)\n"
DICTS: Final = "x = {}\nfor i in range(40): x = {'a': x, 'b': x}\n"
DEEP: Final = "x = 1\nfor i in range(1_000): x = [x]\n"
DEEP_DICTS: Final = "x = 1\nfor i in range(1_000): x = {'a': x}\n"
TEXT: Final = "t = 'a' * 1_000_000\nx = [t] * 1_000\n"
KEYS: Final = "k = 'a' * 100_000\nx = [{k: 1} for i in range(1_000)]\n"
BYTES: Final = "x = [b'a' * 1_000_000] * 1_000\n"
WIDE: Final = "y = list(range(1_000))\nx = [y] * 1_000\n"

#: How a value that is too large is refused.
_MANY: Final = "at most 100,000 values"
_LONG: Final = "at most 8,388,608 bytes"
_LEVELS: Final = "more than 100 levels"

#: The values, and a part of the text of the error.
VALUES: Final = {
    "lists": (LISTS, _MANY),
    "tuples": (TUPLES, _MANY),
    "dicts": (DICTS, _MANY),
    "one list many times": (WIDE, _MANY),
    "levels": (DEEP, _LEVELS),
    "levels of dicts": (DEEP_DICTS, _LEVELS),
    "one text many times": (TEXT, _LONG),
    "one key many times": (KEYS, _LONG),
    "one file many times": (BYTES, _LONG),
    "a number": ("x = 10 ** 100_000\n", "more than 4,300 digits"),
    "a text within a deque": ("import collections\n" + TEXT + "x = collections.deque(x)\n", _LONG),
    "lists within a counter": (
        "import collections\n" + LISTS + "x = collections.Counter({'a': x})\n",
        _MANY,
    ),
    "lists within a named tuple": (
        "import collections\n" + LISTS + "x = collections.namedtuple('N', 'a b')(x, x)\n",
        _MANY,
    ),
}

#: What a script does with such a value at its end.
USES: Final = {
    "result": "x",
    "result within others": "{'a': [x], 'b': (x,)}",
    "argument": "await api.pets.post(body=x)",
    "argument by another name": "await api.pets.post(**{'body': {'name': x}})",
    "gather": "await asyncio.gather(*[api.pets.post(body={'name': x}) for i in range(9)])",
}

#: Scripts of their own: the code, and a part of the text of the error; empty where the sandbox itself has to end it.
OTHERS: Final = {
    "tuples as a key": (TUPLES + "{x: 1}", ""),
    "tuples as a member": (TUPLES + "{x}", ""),
    "tuples as an argument's key": (TUPLES + "await api.pets.post(body={x: 1})", ""),
    "a print": (LISTS + "print(x)", ""),
    "an exception": (LISTS + "raise ValueError(f'{x}')", ""),
    "a text of a value": (
        LISTS + "import collections\ncollections.defaultdict(list, a=x).values()",
        "",
    ),
    "an unknown function": (TUPLES + "nothing({x: 1})", "there is no function 'nothing'"),
    "an unknown function of the API": (
        TUPLES + "api.pets.nothing({x: 1})",
        "api.pets has no nothing",
    ),
    "a built-in function that does not exist": (TUPLES + "dir({x: 1})", "does not exist here"),
    "a function by its own name": (
        TUPLES + "pets_post({x: 1})",
        "there is no function 'pets_post'",
    ),
    "an attribute of a namespace": (TUPLES + "api.pets({x: 1})", ""),
    "the class of a namespace": (TUPLES + "type(api)({x: 1})", ""),
    "a file": (TUPLES + "open({x: 1})", ""),
    "a result of sleep": (TUPLES + "await asyncio.sleep(0, {x: 1})\n1 / 0", "ZeroDivisionError"),
    "several calls together": (
        "y = [1] * 30_000\nawait asyncio.gather(*[api.pets.post(body={'name': y}) for i in range(9)])",
        _MANY,
    ),
    "a name in other code": ("eval('a' * 9_000_000)", "NameError"),
}


def all_scripts() -> dict[str, tuple[str, str]]:
    """The scripts by name: the code, and a part of the text with which it has to end."""
    found = {
        f"{value} as {use}": (code + end, text)
        for value, (code, text) in VALUES.items()
        for use, end in USES.items()
        if value == "lists" or use in ("result", "argument")
    }
    return {**found, **OTHERS}


def main() -> None:
    """Run each script, after one call; a line of JSON for each: its name, the text of its end, and what was sent."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU, CPU))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for name, (code, text) in all_scripts().items():
        seconds = 30 if text else 0.3  # without a text, the sandbox itself expands the value
        api = Api(reply=echo)
        found = scripts(api, limits=ScriptLimits(seconds=seconds), allow=("read", "write"))
        made = run(found, f"import asyncio\nawait api.pets.get()\n{code}")
        sys.stdout.write(json.dumps([name, made.text, made.is_error, api.received]) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
