"""The next page: the link that an answer gives, as a request that could be sent (RFC 8288; rule X9). Pure."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

import httpx

from specfn.http.redact import onward, resolved

_TARGET: Final = re.compile(r"[ \t]*<([^>]*)>")
_COMMA: Final = re.compile(r"[ \t]*,")
_PARAMETER: Final = re.compile(
    r"[ \t]*;[ \t]*([^\s=;,<>\"]*)(?:[ \t]*=[ \t]*(?:\"((?:[^\"\\]|\\.)*)\"|([^\s;,\"]*)))?"
)
_ESCAPED: Final = re.compile(r"\\(.)")

#: The most links of one header that are looked at.
_MOST: Final = 100


def links(header: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The links of a ``Link`` header: each target with its parameters, by lower-case name.

    What is not a link ends the reading; the links before it count (RFC 8288, appendix B.2).
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
    """The request of the page after an answer, if the answer links to one of the same origin.

    Args:
        request: what was answered. Its headers go along, and what the connection always sends in the
            query; its body does not.
        header: the answer's ``Link`` header.
    """
    own = request.url.copy_with(fragment=None)
    for target, parameters in links(header):
        is_next = "next" in parameters.get("rel", "").lower().split()
        if is_next and resolved(own, parameters.get("anchor", "")) == own:
            made = onward(request, target, "GET", keeps_body=False, keeps_query=True)
            if made is not None:
                return made
    return None
