"""The limits of one script."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptLimits:
    """The limits of one script.

    Attributes:
        seconds: the maximum processor time; the time of calls does not count.
        memory: the maximum number of bytes of the script's values.
        calls: the maximum number of calls.
        code: the maximum number of bytes of the code.
        output: the maximum number of characters of the script's result.
        snapshot: the maximum number of bytes of a script that waits for an approval: its variables, compressed, and
            the arguments of the calls that wait.
        together: the maximum number of scripts that a server runs at the same time.
    """

    seconds: float = 10.0
    memory: int = 128 * 1024 * 1024
    calls: int = 100
    code: int = 64 * 1024
    output: int = 20_000
    snapshot: int = 1024 * 1024
    together: int = 16
