"""The URL of a request, assembled so that no argument leaves its segment (rule X3).

Percent-encoding alone is not enough. ``..`` consists of unreserved characters, and clients, proxies and servers decode
and collapse paths differently, sometimes more than once.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote, unquote

import httpx

from specfn.errors import DocumentError, UsageError
from specfn.http.json_values import normalize, text
from specfn.http.request.parameters import path_text
from specfn.http.unserializable import SerializationFaults, Unserializable
from specfn.migrate.route import Parameter, Pieces, Placeholder, Route
from specfn.network.origins import Base

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SEPARATOR: Final = re.compile(r"[/\\]")
_STRAY_PERCENT: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")

#: The number of times that a value is decoded before it is refused as an attack.
_ROUNDS: Final = 8

#: RFC 3986's characters of a segment and of a query, besides the unreserved ones.
_SEGMENT: Final = "%:@!$&'()*+,;="
_QUERY: Final = "%:@!$'()*+,;=/?"


def hazard(segment: str) -> str | None:
    """Return the reason why a path must not contain a text in any decoding of a server; ``None`` if it may.

    Path parameters (``..;x``) are ignored, because some servers drop them before they resolve dot segments.
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


def path(route: Route, arguments: Mapping[str, Any], faults: SerializationFaults) -> str:
    """Return the encoded path below the base path. If there are ``faults``, the result is invalid.

    Raises:
        DocumentError: the path key contains dot segments, or the name of an undeclared parameter.
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
    faults: SerializationFaults,
) -> str:
    """Return one segment. It is also checked as a whole, because harmless parts can add up to ``..``."""
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
            raise DocumentError(f"the path key is not safe: {reason}", pointer=route.pointer)
        value = arguments.get(keys[0])
        faults.found.append(Unserializable("string", reason, value=value, tokens=(keys[0],)))
    return segment


def _parameter(piece: Placeholder, route: Route, declared: Mapping[str, Parameter]) -> Parameter:
    parameter = declared.get(piece.name)
    if parameter is None:
        raise DocumentError(
            f"the path contains the parameter {piece.name!r}, which the operation does not declare",
            pointer=route.pointer,
        )
    return parameter


def fixed_query(
    route: Route, arguments: Mapping[str, Any], faults: SerializationFaults
) -> list[str]:
    """Return the query of the path key as encoded pairs (rule R3).

    A pair whose placeholder has no argument is omitted.
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
    """Serialize one path parameter, after a check of each value in it."""
    normalized = normalize(value)
    for leaf in _leaves(normalized):
        reason = hazard(leaf)
        if reason is not None:
            raise Unserializable("string", reason, value=value)
    written = "" if normalized == "" else path_text(parameter, normalized)
    if not written:
        raise Unserializable(
            "string & MinLength<1>", "a path parameter must not be empty", value=value
        )
    return written


def _leaves(value: Any) -> list[str]:
    """Return every key and scalar of a value, as text."""
    if isinstance(value, dict):
        return [*value, *(leaf for item in value.values() for leaf in _leaves(item))]
    if isinstance(value, list):
        return [leaf for item in value for leaf in _leaves(item)]
    return [text(value)]


def _literal(written: str, safe: str) -> str:
    """Return a text of the document, percent-encoded unless it is already."""
    return quote(_STRAY_PERCENT.sub("%25", written), safe=safe)


def assemble(base: Base, path: str, query: Sequence[str], *, segments: int) -> httpx.URL:
    """Join the parts of a URL, and check that httpx does not change them.

    Args:
        base: the base URL.
        path: the encoded path below the base path.
        query: the encoded query pairs; may be empty.
        segments: the number of segments of the template.

    Raises:
        Unserializable: the URL is longer than httpx accepts.
        UsageError: a part would leave its place in the URL.
    """
    target = base.path + path + ("?" + "&".join(query) if query else "")
    try:
        url = httpx.URL(base.origin + target)
    except httpx.InvalidURL:
        raise Unserializable("arguments that fit into a URL", "the URL would be too long") from None
    kept = str(url) == base.origin + target and url.raw_path.decode("ascii") == target
    below = path.count("/") == max(segments, 1) and path.startswith("/")
    if not (kept and below) or "?" in path or "#" in target:
        raise UsageError(
            f"the URL at {base.origin} is not safe: httpx would change its path or query"
        )
    return url
