"""The next page of a response: its ``Link`` header as a request (RFC 8288; rule X9). Nothing is sent here."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

import httpx

from specfn.http.redact import next_page_request, resolve_reference

_TARGET: Final = re.compile(r"[ \t]*<([^>]*)>")
_COMMA: Final = re.compile(r"[ \t]*,")
_PARAMETER: Final = re.compile(
    r"[ \t]*;[ \t]*([^\s=;,<>\"]*)(?:[ \t]*=[ \t]*(?:\"((?:[^\"\\]|\\.)*)\"|([^\s;,\"]*)))?"
)
_ESCAPED: Final = re.compile(r"\\(.)")

#: The maximum number of links that are read from one header.
_MOST: Final = 100


def links(header: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield the links of a ``Link`` header: each target with its parameters, by lower-case name.

    Invalid text ends the header; the links before it are valid (RFC 8288, appendix B.2).
    """
    at = 0
    for _ in range(_MOST):
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
            made = None if target is None else next_page_request(request, target)
            if made is not None:
                return made
    return None
