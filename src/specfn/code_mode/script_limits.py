"""The limits of one script."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptLimits:
    """The limits of one script.

    Attributes:
        seconds: the processor time; the time of calls does not count.
        memory: the bytes of its values.
        calls: the most calls.
        code: the most bytes of the code.
        output: the most characters of its result.
        snapshot: the most bytes of a script that waits for an approval, compressed.
        together: the most scripts of a server at the same time.
    """

    seconds: float = 10.0
    memory: int = 128 * 1024 * 1024
    calls: int = 100
    code: int = 64 * 1024
    output: int = 20_000
    snapshot: int = 1024 * 1024
    together: int = 16
