"""Redirects: the request that follows a response (rule X7)."""

from typing import Final

import httpx

from specfn.http.redact import follow_up
from specfn.http.response.response import Result

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})


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
