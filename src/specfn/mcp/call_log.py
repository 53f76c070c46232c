"""What a server reports of each call, without its arguments: a line of the log, a span and counters of OpenTelemetry."""

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
from opentelemetry import (  # a dependency of the SDK; it does nothing until it is set up
    metrics,
    trace,
)

from specfn._internal.logs import one_line_log
from specfn.invocation.answer import Answer
from specfn.mcp.callers import caller_id

log: Final = one_line_log("specfn.mcp.calls")

_tracer: Final = trace.get_tracer("specfn")
_calls: Final = metrics.get_meter("specfn").create_counter(
    "specfn.calls", description="Calls by function and kind of answer"
)
_repairs: Final = metrics.get_meter("specfn").create_counter(
    "specfn.repairs", description="Repairs of arguments by function"
)

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
        repairs: the number of repairs of the arguments.
    """

    function: str
    kind: str = ""
    status: int | None = None
    size: int = 0
    repairs: int = 0

    def add(self, answer: Answer) -> None:
        """Report an answer."""
        self.kind = answer.kind
        self.status = None if answer.result is None else answer.result.status
        self.size = len(answer.text.encode())
        self.repairs = len(answer.repairs)

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
    """Report a call at its end, also if it fails or is cancelled."""
    line, begin = CallLine(function), time.monotonic()
    # the text of an exception may contain what a model sent
    with _tracer.start_as_current_span(
        "specfn.call", record_exception=False, set_status_on_exception=False
    ) as span:
        try:
            yield line
        except CancelledError:
            line.kind = "cancelled"
            raise
        finally:
            fields = {
                "time": _time_of(time.time()),
                "function": line.function[:_MAX_NAME_CHARACTERS],
                "kind": line.kind or "failed",
                "status": line.status,
                "ms": round((time.monotonic() - begin) * 1000),
                "bytes": line.size,
                "caller": caller_id(),
            }
            if log.isEnabledFor(logging.INFO):
                text = " ".join(f"{key}={_quote(value)}" for key, value in fields.items())
                log.info("%s", text, extra={"call": fields})
            _measure(span, fields, line.repairs)


def _measure(span: trace.Span, fields: dict[str, Any], repairs: int) -> None:
    # a name that a model invented is not an attribute: there is no limit to such names
    is_known = fields["kind"] != "unknown_function"
    names = {"specfn.function": fields["function"]} if is_known else {}
    kind = {"specfn.kind": fields["kind"]}
    status = {} if fields["status"] is None else {"http.response.status_code": fields["status"]}
    span.set_attributes({**names, **kind, **status, "specfn.repairs": repairs})
    _calls.add(1, {**names, **kind})
    if repairs:
        _repairs.add(repairs, names)


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
