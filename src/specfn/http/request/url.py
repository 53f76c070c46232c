"""The URL of a request: assembled by concatenation, so that no argument leaves its segment (rule X3).

Percent-encoding alone does not hold a value in its place: ``..`` consists of unreserved characters,
and clients, proxies and servers decode and collapse in their own ways, more than once.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote, unquote

import httpx

from specfn.errors import DocumentError, UsageError
from specfn.http.json_values import settle, text
from specfn.http.origin import Base
from specfn.http.request.parameters import path_text
from specfn.http.unserializable import Faults, Unfit
from specfn.migrate.route import Parameter, Pieces, Placeholder, Route

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SEPARATOR: Final = re.compile(r"[/\\]")
_STRAY_PERCENT: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")

#: How often a value is decoded before it is taken for an attack.
_ROUNDS: Final = 8

#: RFC 3986's characters of a segment and of a query, besides the unreserved ones.
_SEGMENT: Final = "%:@!$&'()*+,;="
_QUERY: Final = "%:@!$'()*+,;=/?"


def hazard(segment: str) -> str | None:
    """Why a text must not be part of a path: what a server could decode it to. ``None`` if it may.

    Path parameters (``..;x``) are looked behind as well: some servers drop them before they
    resolve dots.
    """
    for _ in range(_ROUNDS):
        if _CONTROL.search(segment):
            return "a path must not hold control characters"
        if any(part.partition(";")[0] in {".", ".."} for part in _SEPARATOR.split(segment)):
            return "a path must not hold the segments . or .."
        decoded = unquote(segment)
        if decoded == segment:
            return None
        segment = decoded
    return "the value is percent-encoded too many times"


def path(route: Route, arguments: Mapping[str, Any], faults: Faults) -> str:
    """The path below the base path, encoded. Where ``faults`` grew, it must not be used.

    Raises:
        DocumentError: the path key itself climbs, or names a parameter that nothing declares.
    """
    declared = {parameter.name: parameter for parameter in route.parameters}
    segments = (
        _segment(pieces, route, declared, arguments, faults) for pieces in route.template.segments
    )
    return "/" + "/".join(segments)


def _segment(
    pieces: Pieces,
    route: Route,
    declared: Mapping[str, Parameter],
    arguments: Mapping[str, Any],
    faults: Faults,
) -> str:
    """One segment, looked at once more as a whole: harmless pieces can add up to ``..``."""
    if len(pieces) == 1 and isinstance(pieces[0], str) and pieces[0].isalnum():
        return _literal(pieces[0], _SEGMENT)
    known = len(faults.found)
    segment = ""
    tab = "\t"  # which the encoded segment never holds
    keys = []
    for piece in pieces:
        if isinstance(piece, str):
            segment += _literal(piece, _SEGMENT)
            continue
        parameter = _parameter(piece, route, declared)
        keys.append(parameter.key)
        tab = "%09" if parameter.style == "tabDelimited" else tab
        with faults.at(parameter.key):
            segment += _checked(parameter, arguments.get(parameter.key))
    reason = hazard(segment.replace(tab, ","))
    if reason is not None and len(faults.found) == known:
        if not keys:
            raise DocumentError(f"the path key is refused: {reason}", pointer=route.pointer)
        value = arguments.get(keys[0])
        faults.found.append(Unfit("string", reason, value=value, tokens=(keys[0],)))
    return segment


def _parameter(piece: Placeholder, route: Route, declared: Mapping[str, Parameter]) -> Parameter:
    parameter = declared.get(piece.name)
    if parameter is None:
        raise DocumentError(f"nothing declares {piece.name!r}", pointer=route.pointer)
    return parameter


def fixed_query(route: Route, arguments: Mapping[str, Any], faults: Faults) -> list[str]:
    """The query that the path key begins with, encoded, pair by pair (rule R3).

    A pair whose placeholder has no argument is left out.
    """
    declared = {parameter.name: parameter for parameter in route.parameters}
    written = []
    for name, pieces in route.template.query:
        value = ""
        for piece in pieces or ():
            if isinstance(piece, str):
                value += _literal(piece, _QUERY)
                continue
            key = _parameter(piece, route, declared).key
            if arguments.get(key) is None:
                break
            with faults.at(key):
                value += quote(text(arguments[key]), safe="")
        else:
            label = _literal(name, _QUERY)
            written.append(label if pieces is None else f"{label}={value}")
    return written


def _checked(parameter: Parameter, value: Any) -> str:
    """One path parameter's text, each value in it looked at before it is encoded."""
    settled = settle(value)
    for leaf in _leaves(settled):
        reason = hazard(leaf)
        if reason is not None:
            raise Unfit("string", reason, value=value)
    written = "" if settled == "" else path_text(parameter, settled)
    if not written:
        raise Unfit("string & MinLength<1>", "a path parameter must not be empty", value=value)
    return written


def _leaves(value: Any) -> list[str]:
    """Every key and scalar of a value, as text."""
    if isinstance(value, dict):
        return [*value, *(leaf for item in value.values() for leaf in _leaves(item))]
    if isinstance(value, list):
        return [leaf for item in value for leaf in _leaves(item)]
    return [text(value)]


def _literal(written: str, safe: str) -> str:
    """A text of the document, encoded where it is not yet."""
    return quote(_STRAY_PERCENT.sub("%25", written), safe=safe)


def assemble(base: Base, path: str, query: Sequence[str], *, segments: int) -> httpx.URL:
    """Join the parts and make sure that what is sent is what was built.

    Args:
        base: where the request goes.
        path: the path below the base path, encoded.
        query: the pairs of the query, encoded; none for no query at all.
        segments: how many segments the template has.

    Raises:
        Unfit: the URL is longer than the client takes.
        UsageError: the parts did not stay where they belong.
    """
    target = base.path + path + ("?" + "&".join(query) if query else "")
    try:
        url = httpx.URL(base.origin + target)
    except httpx.InvalidURL:
        raise Unfit("arguments that fit into a URL", "the URL would be too long") from None
    kept = str(url) == base.origin + target and url.raw_path.decode("ascii") == target
    below = path.count("/") == max(segments, 1) and path.startswith("/")
    if not (kept and below) or "?" in path or "#" in target:
        raise UsageError(f"the URL below {base.origin} would not be sent as it was built")
    return url
