"""Hostile responses, each read in a process of limited CPU time and memory: ``python -m tests.security.hostile_responses``.

Prints a line of JSON for each: its name, the type of the data, the number of notes, and the seconds of CPU time.
"""

import codecs
import json
import pkgutil
import resource
import sys
import time
from collections.abc import Iterator
from encodings import __path__ as encodings
from encodings.aliases import aliases
from typing import Final

from tests.effort import THOROUGH

from specfn import execute  # noqa: F401  # imported here, so that no case pays for it
from specfn.http.response.response import decode

#: The most CPU time of the whole table, in seconds, and memory, in bytes. A case takes milliseconds.
CPU: Final = 120
MEMORY: Final = 4 << 30

_MEGABYTE: Final = 1_000_000

#: Every codec that Python has; and the other names by which it knows them.
CODECS: Final = sorted({module.name for module in pkgutil.iter_modules(encodings)})
ALIASES: Final = sorted({*aliases, *aliases.values()} - {*CODECS})

#: How long each text is, for so many codecs: long enough that quadratic work takes seconds.
_LONG: Final = _MEGABYTE if THOROUGH else 200_000

#: Texts that are slow, large or impossible to decode for some codec.
TEXTS: Final = {
    "letters": b"a" * _LONG,
    "labels": b"a." * (_LONG // 2),
    "punycode": b"a-" + b"z9" * (_LONG // 2),
    "prefixed": b"xn--" + b"b1" * (_LONG // 2),
    "escapes": b"\\N{DIGIT ONE}" * (_LONG // 13),
    "high": b"\xff\x81\x9d" * (_LONG // 3),
    "shifts": b"\x1b$B\x1b(B~{~}" * (_LONG // 10),
    "base64": b"+AGE-" * (_LONG // 5),
}
JSON: Final = json.dumps({"items": [{"id": 1, "name": "a é 日"}] * 1_000}).encode()

#: JSON that is slow, large or impossible to read.
VALUES: Final = {
    "integer": b"9" * _MEGABYTE,
    "negative integer": b"[-" + b"9" * _MEGABYTE + b"]",
    "integers": b"[" + b",".join([b"9" * 4_000] * 250) + b"]",
    "fraction": b"[0." + b"3" * _MEGABYTE + b"]",
    "exponent": b"[1e" + b"9" * _MEGABYTE + b"]",
    "small exponent": b"[" + b"1" * _MEGABYTE + b"e-" + b"9" * 9 + b"]",
    "many infinities": b"[" + b",".join([b"Infinity"] * 100_000) + b"]",
    "deep infinities": b"[" * 900 + b",".join([b"NaN"] * 100_000) + b"]" * 900,
    "halves": b'"' + rb"\ud83d" * (_MEGABYTE // 6) + b'"',
    "backslashes": b'"' + b"\\\\" * (_MEGABYTE // 2) + rb"\udc00" + b'"',
    "raw halves": b'["' + b"\xed\xa0\xbd" * (_MEGABYTE // 3) + b'"]',
    "names of halves": b"{" + b",".join(b'"\\ud8%02x": 1' % (i % 256) for i in range(50_000)) + b"}",
    "depth": b"[" * _MEGABYTE,
    "depth and a long number": b"[" * _MEGABYTE + b"9" * 25,
    "depth and NaN": b'{"a":' * 150_000 + b"NaN",
    "brackets in strings": b'["' + b"[" * _MEGABYTE + b'", NaN]',
    "quotes": b'"' * _MEGABYTE,
    "NaN": b"NaN" * (_MEGABYTE // 3),
    "wide halves": "日\ud83d".encode("utf-16", "surrogatepass") * 100_000,
    "nothing": b"\0" * _MEGABYTE,
}  # fmt: skip


def cases() -> Iterator[tuple[str, str, bytes]]:
    """Yield each case: its name, its media type and its bytes."""
    for codec in (*CODECS, *ALIASES):
        yield f"JSON in {codec}", f"application/json; charset={codec}", JSON
    for codec in CODECS:
        for kind, text in TEXTS.items():
            yield f"{kind} in {codec}", f"text/plain; charset={codec}", text
    for kind, value in VALUES.items():
        yield kind, "application/json", value
        yield (
            f"{kind} as utf-16",
            "application/json; charset=utf-16",
            value.decode("latin-1").encode("utf-16-le"),
        )


def _refuse(constant: str) -> None:
    raise AssertionError(constant)


def main() -> None:
    """Read each case, and show it as a model and a reader of notes would see it."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU, CPU))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    codecs.lookup("punycode")
    for name, declared, body in cases():
        started = time.process_time()
        result = decode(200, {"content-type": declared}, body, truncated=False)
        text = result.for_model()
        seconds = time.process_time() - started
        assert len(text) <= 20_000
        assert json.loads(text, parse_constant=_refuse)["status"] == 200
        assert all(len(note.text) < 1_000 for note in result.notes)
        kind = type(result.data).__name__
        line = {"name": name, "type": kind, "notes": len(result.notes), "seconds": seconds}
        sys.stdout.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
