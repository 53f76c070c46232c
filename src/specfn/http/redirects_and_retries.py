"""The requests that follow a response: redirects, next pages and retries. Nothing is sent here."""

import contextlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import zip_longest
from typing import Final
from urllib.parse import unquote_plus

import httpx

from specfn._internal.url import url_without_secrets
from specfn.http.connection import Redirects
from specfn.http.redacted_request import ALWAYS, ANONYMOUS, ONCE, redacted_request
from specfn.http.request.parameters import hazard
from specfn.migrate.parameters.reserved import overrides
from specfn.network.origins import origin_with_port, parse

#: Headers about a body; they are removed with the body.
_CONTENT_HEADERS: Final = frozenset({b"content-length", b"content-type", b"transfer-encoding"})


def follow_up(
    request: httpx.Request, target: httpx.URL, method: str, *, keeps_body: bool
) -> httpx.Request:
    """Return the request that follows another one to a URL of the same origin, with its headers.

    With ``keeps_body``, the body and the headers about it are kept.
    """
    headers = [
        (name, value)
        for name, value in request.headers.raw
        if keeps_body or name.lower() not in _CONTENT_HEADERS
    ]
    always: Sequence[str] = request.extensions.get(ALWAYS, ())
    content = request.content if keeps_body else None
    once = ONCE in request.extensions and method == request.method
    anonymous = ANONYMOUS in request.extensions
    return redacted_request(
        method, target, headers, content, always=always, once=once, anonymous=anonymous
    )


def next_page_request(
    request: httpx.Request,
    target: httpx.URL,
    own_names: Collection[str] = (),
    path: str | None = None,
) -> httpx.Request | None:
    """Return the request of the next page: the URL of this page with the query of the URL that the server named.

    The named path is never requested (rule X13), unless the caller allows it. ``None`` if the query does not lead to
    another page.

    Args:
        request: the request of this page.
        target: the URL that the server named, on the same host.
        own_names: the names of query members that this side decides, as it does for those of the connection.
        path: the pattern of the path to request on the same origin; ``None`` to use the query only.
    """
    always: Sequence[str] = request.extensions.get(ALWAYS, ())
    own = {*own_names, *map(_name_of, always)}
    named = [pair for pair in _pairs(target) if _name_of(pair) not in own]
    query = "&".join((*named, *(pair for pair in _pairs(request.url) if _name_of(pair) in own)))
    base = request.url if path is None else target
    url = base.copy_with(fragment=None, query=query.encode("ascii") or None)
    is_allowed = bool(named) if path is None else _is_allowed(url, request.url, path)
    if not is_allowed or url == request.url:
        return None
    return follow_up(request, url, "GET", keeps_body=False)


def at_page(request: httpx.Request, page: httpx.Request) -> httpx.Request:
    """Return the request at the URL of a next page, with the headers and the query pairs of a connection from another request."""
    always: Sequence[str] = request.extensions.get(ALWAYS, ())
    own = {*map(_name_of, always)}
    query = "&".join((*(pair for pair in _pairs(page.url) if _name_of(pair) not in own), *always))
    url = page.url.copy_with(query=query.encode("ascii") or None)
    return follow_up(request, url, page.method, keeps_body=False)


def _is_allowed(url: httpx.URL, own: httpx.URL, pattern: str) -> bool:
    """Return whether a URL has the origin of another one, and a path that matches a pattern segment by segment."""
    path = url.raw_path.partition(b"?")[0].decode("ascii")
    pairs = [*zip_longest(path.split("/"), pattern.split("/"), fillvalue="")]
    is_matching = all(segment == part or (part == "*" and segment) for segment, part in pairs)
    return is_matching and hazard(path) is None and origin_with_port(url) == origin_with_port(own)


def _pairs(url: httpx.URL) -> list[str]:
    return [pair for pair in url.query.decode("ascii").split("&") if pair]


def _name_of(pair: str) -> str:
    return unquote_plus(pair.partition("=")[0])


def join_reference(base: httpx.URL, reference: str) -> httpx.URL | None:
    """Resolve a reference without its fragment; return ``None`` if it is invalid or contains user information."""
    try:
        url = base.join(reference).copy_with(fragment=None)
    except (httpx.InvalidURL, ValueError):
        return None
    return None if url.userinfo else url


def resolve_reference(base: httpx.URL, reference: str) -> httpx.URL | None:
    """Resolve a reference as ``join_reference`` does; return ``None`` also if it has another origin."""
    url = join_reference(base, reference)
    return None if url is None or origin_with_port(url) != origin_with_port(base) else url


# -- links to next pages (RFC 8288; rule X9) ---------------------------------------------------------

_TARGET: Final = re.compile(r"[ \t]*<([^>]*)>")
_COMMA: Final = re.compile(r"[ \t]*,")
_PARAMETER: Final = re.compile(
    r"[ \t]*+;[ \t]*+([^\s=;,<>\"]*+)(?:[ \t]*+=[ \t]*+(?:\"((?:[^\"\\]|\\.)*+)\"|([^\s;,\"]*+)))?"
)
_ESCAPED: Final = re.compile(r"\\(.)")

#: The maximum number of links that are read from one header.
_MAX_LINKS: Final = 100


def links(header: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield the links of a ``Link`` header: each target with its parameters, by lower-case name.

    Invalid text ends the header; the links before it are valid (RFC 8288, appendix B.2).
    """
    at = 0
    for _ in range(_MAX_LINKS):
        target = _TARGET.match(header, at)
        if target is None:
            return
        at = target.end()
        parameters: dict[str, str] = {}
        while match := _PARAMETER.match(header, at):
            name, quoted, token = match.groups()
            value = token or "" if quoted is None else _ESCAPED.sub(r"\1", quoted)
            parameters.setdefault(name.lower(), value)
            at = match.end()
        yield target[1].strip(), parameters
        comma = _COMMA.match(header, at)
        if comma is None:
            return
        at = comma.end()


def next_request(request: httpx.Request, header: str) -> httpx.Request | None:
    """Return the request of the next page; ``None`` if there is no link to a next page of the same origin.

    Args:
        request: the request of this page. Its path, headers and the query pairs of the connection are kept.
        header: the ``Link`` header of the response.
    """
    own = request.url.copy_with(fragment=None)
    for reference, parameters in links(header):
        is_next = "next" in parameters.get("rel", "").lower().split()
        if is_next and resolve_reference(own, parameters.get("anchor", "")) == own:
            target = resolve_reference(own, reference)
            following = None if target is None else next_page_request(request, target)
            if following is not None:
                return following
    return None


# -- redirects (rule X7) -----------------------------------------------------------------------------

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})


#: The methods of requests without credentials, and the headers that are kept for them.
_SAFE: Final = frozenset({"GET", "HEAD"})
_NEUTRAL: Final = frozenset({b"accept", b"accept-encoding", b"user-agent"})


def redirect(
    request: httpx.Request,
    status: int,
    location: str | None,
    redirects: Redirects,
    base_path: str,
) -> httpx.Request | None:
    """Return the request of a redirect that is followed; ``None`` for any other response (rule X7).

    A redirect out of the base path is the result of the call, except for GET and HEAD: they are sent there without
    credentials, cookies, arguments and the headers of the connection, because another application may respond.
    ``"whole-origin"`` trusts the origin. Only ``"any"`` follows to another origin, in the same way and never to http.

    Args:
        request: the request before.
        status: the status of its response.
        location: the ``Location`` of its response.
        redirects: which redirects the connection follows.
        base_path: the path to which credentials are sent.
    """
    if redirects == "never" or status not in _REDIRECTS or location is None:
        return None
    target = resolve_reference(request.url, location)
    if target is None:
        return _request_elsewhere(request, location) if redirects == "any" else None
    method = _method(request.method, status)
    if redirects == "whole-origin" or _is_below(target, base_path):
        return follow_up(request, target, method, keeps_body=method == request.method)
    return _anonymous(request, target, method) if method in _SAFE else None


def _request_elsewhere(request: httpx.Request, location: str) -> httpx.Request | None:
    """Return the request of a redirect to another origin; ``None`` if none may be sent there."""
    try:
        target = request.url.join(location).copy_with(fragment=None)
        base = parse(f"{target.scheme}://{target.netloc.decode('ascii')}")
    except (httpx.InvalidURL, ValueError):
        return None
    is_downgrade = request.url.scheme == "https" and base.scheme != "https"
    if is_downgrade or target.userinfo or request.method not in _SAFE:
        return None
    return _anonymous(request, target, request.method)


def _anonymous(request: httpx.Request, target: httpx.URL, method: str) -> httpx.Request:
    """Return a request without credentials, cookies, arguments and headers of the caller."""
    headers = [pair for pair in request.headers.raw if pair[0].lower() in _NEUTRAL]
    return redacted_request(method, target, headers, None, anonymous=True)


#: The beginning of the note on a redirect that is not followed.
NOT_FOLLOWED: Final = "the redirect to "

#: The maximum number of characters of the target in the note.
_MAX_TARGET_CHARACTERS: Final = 200


def note_of_redirect(
    request: httpx.Request,
    status: int,
    location: str | None,
    allowed: Sequence[Redirects],
    base_path: str,
) -> str | None:
    """Return where a redirect leads that was not followed, and which setting follows it; ``None`` for other responses.

    Args:
        request: the request.
        status: the status of its response.
        location: the ``Location`` of its response.
        allowed: the values of ``redirects`` that may follow one more redirect of the call.
        base_path: the path to which credentials are sent.
    """
    if status not in _REDIRECTS or location is None:
        return None
    where = url_without_secrets(location)
    with contextlib.suppress(httpx.InvalidURL, ValueError):
        where = str(request.url.join(where))
    where = where[:_MAX_TARGET_CHARACTERS]
    followed = (
        f'Connection(redirects="{value}") follows it'
        for value in allowed
        if redirect(request, status, location, value, base_path) is not None
    )
    return f"{NOT_FOLLOWED}{where} was not followed; {next(followed, 'no setting follows it')}"


def _is_below(target: httpx.URL, base_path: str) -> bool:
    path = target.raw_path.partition(b"?")[0].decode("ascii")
    return f"{path}/".startswith(f"{base_path}/") and not (base_path and hazard(path))


def _method(method: str, status: int) -> str:
    """Return the method after a redirect: GET after 303, and after 301 or 302 to a POST (RFC 9110, section 15.4)."""
    if (status == 303 and method != "HEAD") or (status in {301, 302} and method == "POST"):
        return "GET"
    return method


# -- retries (rule X8) -------------------------------------------------------------------------------

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


def retry_delay(
    request: httpx.Request, status: int, retry_after: str | None, left: float
) -> float | None:
    """Return the seconds to wait before a retry; ``None`` for no retry (rule X8).

    A delay that is longer than the seconds that are left means no retry.
    """
    if status not in _RETRIED or not is_idempotent(request):
        return None
    seconds = delay_seconds(retry_after or "")
    return seconds if seconds is not None and seconds < left else None


def delay_seconds(retry_after: str) -> float | None:
    """Return the seconds of ``Retry-After``; ``None`` if it is invalid. It is a number or a date (RFC 9110, section 10.2.3)."""
    if retry_after.isascii() and retry_after.isdigit():
        return float(retry_after)
    try:
        date = parsedate_to_datetime(retry_after)
        aware = date if date.tzinfo else date.replace(tzinfo=UTC)
        return max((aware - datetime.now(UTC)).total_seconds(), 0.0)
    except (ValueError, OverflowError):
        return None
