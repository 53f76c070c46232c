"""The log of a server: one line for each call, without its arguments."""

import json
import logging
import re
import time
from asyncio import CancelledError
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from mcp import types

from specfn._internal.logs import one_line_log
from specfn.invocation.answer import Answer
from specfn.mcp.callers import caller_id

log: Final = one_line_log("specfn.mcp.calls")

#: A value that is written without quotes.
_PLAIN: Final = re.compile(r"[\w.:+-]+")

#: The maximum number of characters of a name, which may be one that a model invented.
_MAX_NAME_CHARACTERS: Final = 100


@dataclass(slots=True)
class CallLine:
    """What the line of a call reports.

    Attributes:
        function: the name of the function or tool.
        kind: the kind of the answer (``docs/binding.md``), ``failed`` or ``cancelled``.
        status: the status of the response; ``None`` if there was none.
        size: the bytes of the text for the model.
    """

    function: str
    kind: str = ""
    status: int | None = None
    size: int = 0

    def add(self, answer: Answer) -> None:
        """Report an answer."""
        self.kind = answer.kind
        self.status = None if answer.result is None else answer.result.status
        self.size = len(answer.text.encode())

    def finish(self, result: types.CallToolResult | types.InputRequiredResult) -> None:
        """Report the result of a tool, which is not always that of a function."""
        if isinstance(result, types.InputRequiredResult):
            self.kind = "needs_approval"
            return
        if not self.kind:
            self.kind = "refused" if result.is_error else "answered"
        texts = [block.text for block in result.content if isinstance(block, types.TextContent)]
        self.size = sum(len(text.encode()) for text in texts)


@contextmanager
def logged_call(function: str) -> Iterator[CallLine]:
    """Log a call at its end, also if it fails or is cancelled."""
    line, begin = CallLine(function), time.monotonic()
    try:
        yield line
    except CancelledError:
        line.kind = "cancelled"
        raise
    finally:
        if log.isEnabledFor(logging.INFO):
            fields = {
                "time": _time_of(time.time()),
                "function": line.function[:_MAX_NAME_CHARACTERS],
                "kind": line.kind or "failed",
                "status": line.status,
                "ms": round((time.monotonic() - begin) * 1000),
                "bytes": line.size,
                "caller": caller_id(),
            }
            text = " ".join(f"{key}={_quote(value)}" for key, value in fields.items())
            log.info("%s", text, extra={"call": fields})


class JsonLines(logging.Formatter):
    """Formats each record of a log as one JSON object."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as JSON: the fields of a call, or the message of any other record."""
        message: dict[str, Any] = {"message": record.getMessage()}
        if record.exc_info:
            message["exception"] = self.formatException(record.exc_info)
        fields = getattr(record, "call", message)
        head = {"time": _time_of(record.created), "level": record.levelname, "log": record.name}
        return json.dumps({**head, **fields})


def _time_of(seconds: float) -> str:
    return (
        f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{int(seconds % 1 * 1000):03}Z"
    )


def _quote(value: object) -> str:
    """Return a value so that a name cannot look like another field."""
    text = "-" if value in {None, ""} else str(value)
    return text if _PLAIN.fullmatch(text) else json.dumps(text)
