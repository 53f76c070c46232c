"""openapi-spec-validator in a process of its own, which ends at a limit of processor time.

Its time grows with the square of a document, and it matches defaults against patterns by backtracking. Neither can be
stopped in a thread.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, Final, NoReturn

from specfn._internal.pointer import join
from specfn.records import Note

#: The maximum processor time in seconds: for any document, and for each MB. Real documents need up to 3 s per MB.
MAX_SECONDS: Final = 2.0
MAX_SECONDS_PER_MB: Final = 10.0

#: The maximum time by the clock, as a multiple of the processor time: other programs may use the processor.
_PATIENCE: Final = 20

_PROGRAM: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from specfn.document.diagnose.spec_validator import answer; answer()"
)


def notes(document: Any, kind: str, uri: str, limit: int) -> list[Note]:
    """Return the findings of openapi-spec-validator's own checks, or a note that it did not end.

    Args:
        document: the raw document.
        kind: the class of the validator.
        uri: the URI that the document was read from.
        limit: the maximum number of findings.
    """
    try:
        content = json.dumps(document)
    except (TypeError, ValueError) as error:
        return [
            Note(pointer="", text=f"openapi-spec-validator was not run: {_one_line(str(error))}")
        ]
    seconds = MAX_SECONDS + MAX_SECONDS_PER_MB * len(content) / 1e6
    # The executable of a frozen program is the program of the caller: it would start itself.
    executable = "" if getattr(sys, "frozen", False) else sys.executable
    try:
        ended = subprocess.run(  # noqa: S603  # the interpreter itself, without a shell
            [executable, "-c", _PROGRAM, json.dumps(sys.path)],
            input=json.dumps([content, kind, uri, limit, seconds]).encode(),
            capture_output=True,
            timeout=seconds * _PATIENCE,
            env={**os.environ, "PYTHONWARNINGS": "ignore"},
            check=True,
        )
    except (subprocess.SubprocessError, OSError) as error:
        late = isinstance(error, subprocess.TimeoutExpired) or getattr(error, "returncode", 1) < 0
        what = f"was stopped after {seconds:.1f} s" if late else "could not be run"
        text = f"openapi-spec-validator {what}, so its findings are missing; the other checks are complete"
        return [Note(pointer="", text=text)]
    return [Note(pointer=pointer, text=text) for pointer, text in json.loads(ended.stdout)]


def answer() -> None:
    """Read a document from stdin, and write the findings to stdout as JSON. This runs in the other process."""
    content, kind, uri, limit, seconds = json.load(sys.stdin)
    import openapi_spec_validator  # noqa: F401, PLC0415  # these 370 ms do not count

    document = json.loads(content)
    if hasattr(signal, "setitimer"):  # elsewhere only the clock counts
        signal.setitimer(signal.ITIMER_PROF, seconds)  # the signal ends the process
    sys.stdout.write(json.dumps(list_findings(document, kind, uri, limit)))
    sys.stdout.flush()
    os._exit(0)  # the document is not freed


def list_findings(document: Any, kind: str, uri: str, limit: int) -> list[tuple[str, str]]:
    """Return the pointers and texts of the findings, without a limit of time. The arguments are those of ``notes``."""
    from jsonschema_path import SchemaPath  # noqa: PLC0415  # 370 ms with its imports
    from openapi_spec_validator import validation  # noqa: PLC0415  # 370 ms with its imports

    findings: list[tuple[str, str]] = []
    try:
        path = SchemaPath.from_dict(document, base_uri=uri, handlers=_NoHandlers())
        errors = _errors(getattr(validation, kind)(path), path)
        findings.extend(
            (join(error.absolute_path), _one_line(error.message)) for error in islice(errors, limit)
        )
    except Exception as error:  # noqa: BLE001  # it raises many kinds of errors, and each is a finding
        findings.append(("", _one_line(_describe_exception(error))))
    return findings


def _errors(validator: Any, path: Any) -> Iterator[Any]:
    """Yield the errors of its own checks, without those of the metaschema.

    Its ``iter_errors`` is not used: it copies everything below an invalid value once per level.
    """
    yield from validator.root_validator(path)


class _NoHandlers(Mapping[str, Callable[[str], Any]]):
    """A mapping that returns a refusing handler for every URI scheme, so that no default handler applies."""

    def __getitem__(self, scheme: str) -> Callable[[str], Any]:
        return _refuse

    def __contains__(self, scheme: object) -> bool:
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 1  # an empty mapping would be replaced by the defaults


def _refuse(uri: str) -> NoReturn:
    raise LookupError(f"{uri} is another document")


def _describe_exception(error: Exception) -> str:
    """Return a text for an exception. A text that quotes the document is replaced by the reference."""
    reference = getattr(error, "ref", None)
    what = f"the reference {reference!r} has no target" if reference else str(error)
    return f"openapi-spec-validator stopped at an error ({type(error).__name__}): {what}"


def _one_line(text: str) -> str:
    line = " ".join(text[:800].split())
    return line if len(line) <= 200 else f"{line[:199]}…"
