"""Redirects and retries: the request that follows a response, and the delay before it."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

import httpx

from specfn.http.redact import follow_up
from specfn.http.response.response import Result
from specfn.migrate.parameters.reserved import overrides

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_RETRIED: Final = frozenset({429, 502, 503, 504})

#: Idempotent methods (RFC 9110, section 9.2.2), and QUERY.
_IDEMPOTENT: Final = frozenset({"GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "QUERY"})


def redirect(request: httpx.Request, result: Result) -> httpx.Request | None:
    """Return the request of a redirect within the origin; ``None`` for any other response (rule X7).

    A redirect to another origin is not followed, even without credentials. It is the result of the call.
    """
    location = result.headers.get("location")
    if result.status not in _REDIRECTS or location is None:
        return None
    method = _method(request.method, result.status)
    keeps_body = method == request.method
    return follow_up(request, location, method, keeps_body=keeps_body, keeps_query=False)


def _method(method: str, status: int) -> str:
    """Return the method after a redirect: GET after 303, and after 301 or 302 to a POST (RFC 9110, section 15.4)."""
    if (status == 303 and method != "HEAD") or (status in {301, 302} and method == "POST"):
        return "GET"
    return method


def is_idempotent(request: httpx.Request) -> bool:
    """Return whether a request is idempotent, by its method and by fields that override the method."""
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
