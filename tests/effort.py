"""How much work something is, counted instead of timed: a count is the same on a busy machine.

And how much of the work the tests do: a part of it, or all of it in the profile "thorough" (CONTRIBUTING.md).
"""

import cProfile
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, Final, TypeVar

_T = TypeVar("_T")

_PROFILE: Final = os.environ.get("HYPOTHESIS_PROFILE")

#: Tests look at everything that they can, however long it takes.
THOROUGH: Final = _PROFILE == "thorough"

#: How many times as many examples a property is tried with, by profile.
_TIMES: Final = {"thorough": 10, "fast": 0.2, "specfn": 0.33}

#: The most seconds of processor time of a process that should need few: what explodes would need years.
_SECONDS = 120


def examples(usual: int) -> int:
    """Return how many examples a property is tried with, by the profile of the run."""
    return max(5, round(usual * _TIMES.get(_PROFILE or "specfn", 1)))


def part(items: Sequence[_T], every: int) -> Sequence[_T]:
    """Return every so many of the items, the first included; all of them in the profile "thorough"."""
    return items if THOROUGH else items[::every]


def lines(work: Callable[[], Any]) -> int:
    """How many lines of Python a piece of work runs, its loops counted round by round."""
    count = 0

    def listen(_: FrameType, event: str, __: Any) -> Any:
        nonlocal count
        count += event == "line"
        return listen

    before = sys.gettrace()
    sys.settrace(listen)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def calls(work: Callable[[], Any], *, of_c: bool = False) -> int:
    """How many calls a piece of work makes, of Python's functions alone or of C's as well."""
    profile = cProfile.Profile(subcalls=False, builtins=of_c)
    profile.runcall(work)
    return sum(entry.callcount for entry in profile.getstats())


def ends(*program: str) -> str:
    """What a Python program prints; where it does not end by itself, the system ends it, and this fails."""
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_CPU, ({_SECONDS}, {_SECONDS}))"
    ran = subprocess.run(
        [sys.executable, "-"],
        input="\n".join((limit, *program)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-2_000:]
    return ran.stdout


def ends_here(work: Callable[[], Any]) -> bool:
    """Whether work ends within two seconds of processor time, in a copy of this process with all that a test replaced in it."""
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (2, 2))
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1] == 0
