"""Retries: the requests that may be sent again, and the delay before it (rule X8)."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

import httpx

from specfn.http.redact import ONCE
from specfn.http.response.response import Result
from specfn.migrate.parameters.reserved import overrides

_RETRIED: Final = frozenset({429, 502, 503, 504})

#: Idempotent methods (RFC 9110, section 9.2.2), and QUERY.
_IDEMPOTENT: Final = frozenset({"GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "QUERY"})


def is_idempotent(request: httpx.Request) -> bool:
    """Return whether a request is idempotent, by its operation, its method and fields that override the method."""
    if ONCE in request.extensions:
        return False
    fields = {"header": request.headers.multi_items(), "query": request.url.params.multi_items()}
    named = {
        value.strip().upper()
        for location, pairs in fields.items()
        for name, value in pairs
        if overrides(name, location) == "method"
    }
    return {request.method, *named} <= _IDEMPOTENT


def is_repeatable(request: httpx.Request) -> bool:
    """Return whether a request can be sent again: it is idempotent, and its body is in memory."""
    return is_idempotent(request) and isinstance(request.stream, httpx.ByteStream)


def retry_delay(request: httpx.Request, result: Result, left: float) -> float | None:
    """Return the seconds to wait before a retry; ``None`` for no retry (rule X8).

    Args:
        request: the request.
        result: its result.
        left: the remaining seconds of the call. A longer delay means no retry.
    """
    if not is_idempotent(request) or result.status not in _RETRIED:
        return None
    seconds = delay_seconds(result.headers.get("retry-after", ""))
    return seconds if seconds is not None and seconds < left else None


def delay_seconds(retry_after: str) -> float | None:
    """Return the seconds of ``Retry-After``; ``None`` if it is invalid. It is a number or a date (RFC 9110, section 10.2.3)."""
    if retry_after.isascii() and retry_after.isdigit():
        return float(retry_after[:9])
    try:
        date = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    aware = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max((aware - datetime.now(UTC)).total_seconds(), 0.0)
