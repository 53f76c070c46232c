"""Whether an answer asks for another request: a redirect, or a retry after a while. Pure but for the clock."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

import httpx

from specfn.http.redact import onward
from specfn.http.response.response import Result
from specfn.migrate.parameters.reserved import overrides

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_RETRIED: Final = frozenset({429, 502, 503, 504})

#: Methods whose request may arrive twice without harm (RFC 9110, section 9.2.2; QUERY is one too).
_IDEMPOTENT: Final = frozenset({"GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "QUERY"})


def redirected(request: httpx.Request, result: Result) -> httpx.Request | None:
    """The request that a redirect asks for, if it stays within the origin (rule X7).

    Another scheme, host or port is another party: nothing is sent there, not even without
    credentials, and the redirect is the result.
    """
    location = result.headers.get("location")
    if result.status not in _REDIRECTS or location is None:
        return None
    method = _method(request.method, result.status)
    keeps_body = method == request.method
    return onward(request, location, method, keeps_body=keeps_body, keeps_query=False)


def _method(method: str, status: int) -> str:
    """RFC 9110, section 15.4: 303 asks for a GET, and so do 301 and 302 after a POST."""
    if (status == 303 and method != "HEAD") or (status in {301, 302} and method == "POST"):
        return "GET"
    return method


def is_idempotent(request: httpx.Request) -> bool:
    """Return whether a request may arrive twice without harm, by its method and by what overrides the method."""
    fields = {"header": request.headers.multi_items(), "query": request.url.params.multi_items()}
    named = {
        value.strip().upper()
        for location, pairs in fields.items()
        for name, value in pairs
        if overrides(name, location) == "method"
    }
    return {request.method, *named} <= _IDEMPOTENT


def is_repeatable(request: httpx.Request) -> bool:
    """Return whether the same bytes can be sent again without harm: idempotent, with a body held in memory."""
    return is_idempotent(request) and isinstance(request.stream, httpx.ByteStream)


def pause(request: httpx.Request, result: Result, left: float) -> float | None:
    """How many seconds to wait before the same request is sent again; ``None`` not to (rule X8).

    Args:
        request: what was sent.
        result: what the server answered.
        left: the seconds that the call still has; a longer pause is not made.
    """
    if not is_idempotent(request) or result.status not in _RETRIED:
        return None
    seconds = _seconds(result.headers.get("retry-after", ""))
    return seconds if seconds is not None and seconds < left else None


def _seconds(retry_after: str) -> float | None:
    """``Retry-After``, a number of seconds or a date (RFC 9110, section 10.2.3)."""
    if retry_after.isascii() and retry_after.isdigit():
        return float(retry_after[:9])
    try:
        date = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    aware = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max((aware - datetime.now(UTC)).total_seconds(), 0.0)
