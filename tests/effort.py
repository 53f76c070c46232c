"""How much work something is, counted instead of timed: a count is the same on a busy machine."""

import subprocess
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

#: The most seconds of processor time of a process that should need few: what explodes would need years.
_SECONDS = 120


def lines(work: Callable[[], Any]) -> int:
    """How many lines of Python a call runs, its loops counted round by round."""
    count = 0

    def step(_: FrameType, event: str, __: Any) -> Any:
        nonlocal count
        count += event == "line"
        return step

    before = sys.gettrace()
    sys.settrace(step)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


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
