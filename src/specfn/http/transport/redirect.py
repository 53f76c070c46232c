"""Redirects: the request that follows a response (rule X7)."""

from typing import Final

import httpx

from specfn.http.connection import Redirects
from specfn.http.redact import follow_up, redacted_request, resolve_reference
from specfn.http.request.parameters import hazard
from specfn.http.response.response import Result

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})


#: The methods of requests without credentials, and the headers that are kept for them.
_SAFE: Final = frozenset({"GET", "HEAD"})
_NEUTRAL: Final = frozenset({b"accept", b"accept-encoding", b"user-agent"})


def redirect(
    request: httpx.Request, result: Result, redirects: Redirects, base_path: str
) -> httpx.Request | None:
    """Return the request of a redirect within the origin; ``None`` for any other response (rule X7).

    A redirect to another origin is not followed, even without credentials. It is the result of the call. So is a
    redirect out of the base path, except for GET and HEAD: they are sent there without credentials, cookies, arguments
    and the headers of the connection, because another application may respond. ``"whole-origin"`` trusts the origin.

    Args:
        request: the request before.
        result: its response.
        redirects: which redirects the connection follows.
        base_path: the path to which credentials are sent.
    """
    location = result.headers.get("location")
    if redirects == "never" or result.status not in _REDIRECTS or location is None:
        return None
    target = resolve_reference(request.url, location)
    if target is None:
        return None
    method = _method(request.method, result.status)
    if redirects == "whole-origin" or _is_below(target, base_path):
        return follow_up(request, target, method, keeps_body=method == request.method)
    if method not in _SAFE:
        return None
    headers = [pair for pair in request.headers.raw if pair[0].lower() in _NEUTRAL]
    return redacted_request(method, target, headers, None)


def _is_below(target: httpx.URL, base_path: str) -> bool:
    path = target.raw_path.partition(b"?")[0].decode("ascii")
    return f"{path}/".startswith(f"{base_path}/") and not (base_path and hazard(path))


def _method(method: str, status: int) -> str:
    """Return the method after a redirect: GET after 303, and after 301 or 302 to a POST (RFC 9110, section 15.4)."""
    if (status == 303 and method != "HEAD") or (status in {301, 302} and method == "POST"):
        return "GET"
    return method
