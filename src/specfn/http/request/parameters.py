"""Parameters in a path, query, header or cookie (rule X2), so that no argument leaves its place (rules X3, X11).

Percent-encoding alone is not enough for a path. ``..`` consists of unreserved characters, and clients, proxies and
servers decode and collapse paths differently, sometimes more than once.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias
from urllib.parse import quote, unquote, unquote_plus

from specfn.errors import DocumentError
from specfn.http.request import style
from specfn.http.request.body import form_pairs
from specfn.http.request.style import Escape, Pair, dumps, normalize, text
from specfn.http.unserializable import SerializationFaults, Unserializable
from specfn.migrate.bodies.media_types import is_json
from specfn.migrate.parameters.reserved import is_reserved, overrides
from specfn.migrate.route import (
    CallableFunction,
    Parameter,
    ParameterGroup,
    Pieces,
    Placeholder,
    Route,
)
from specfn.migrate.safety import exceeds, method_in, safety_of
from specfn.network.headers import is_token, is_value

# -- paths and URLs ----------------------------------------------------------------------------------

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SEPARATOR: Final = re.compile(r"[/\\]")
_STRAY_PERCENT: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")

#: The number of times that a value is decoded before it is refused as an attack.
_MAX_DECODINGS: Final = 8

#: RFC 3986's characters of a segment and of a query, besides the unreserved ones.
_SEGMENT: Final = "%:@!$&'()*+,;="
_QUERY: Final = "%:@!$'()*+,;=/?"


def hazard(segment: str) -> str | None:
    """Return the reason why a path must not contain a text in any decoding of a server; ``None`` if it may.

    Path parameters (``..;x``) are ignored, because some servers drop them before they resolve dot segments.
    """
    if segment.isascii() and segment.isalnum():
        return None  # most segments
    for _ in range(_MAX_DECODINGS):
        if _CONTROL.search(segment):
            return "a path must not contain control characters"
        if any(part.partition(";")[0] in {".", ".."} for part in _SEPARATOR.split(segment)):
            return "a path must not contain the segments . or .."
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
    if len(pieces) == 1 and isinstance(piece := pieces[0], str) and piece.isalnum():
        return piece if piece.isascii() else _literal(piece, _SEGMENT)
    known = len(faults.found)
    segment = ""
    tab = "\t"  # which the encoded segment never holds
    keys = []
    for piece in pieces:
        if isinstance(piece, str):
            segment += _literal(piece, _SEGMENT)
            continue
        parameter = _declared_parameter(piece, route, declared)
        keys.append(parameter.key)
        tab = "%09" if parameter.style == "tabDelimited" else tab
        with faults.at(parameter.key):
            segment += _path_value(parameter, arguments.get(parameter.key))
    reason = hazard(segment.replace(tab, ","))
    if reason is not None and len(faults.found) == known:
        if not keys:
            raise DocumentError(f"the path key is not safe: {reason}", pointer=route.pointer)
        value = arguments.get(keys[0])
        faults.found.append(Unserializable("string", reason, value=value, tokens=(keys[0],)))
    return segment


def _declared_parameter(
    piece: Placeholder, route: Route, declared: Mapping[str, Parameter]
) -> Parameter:
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
            key = _declared_parameter(piece, route, declared).key
            if arguments.get(key) is None:
                break
            with faults.at(key):
                value += quote(text(arguments[key]), safe="")
        else:
            label = _literal(name, _QUERY)
            written.append(label if pieces is None else f"{label}={value}")
    return written


def _path_value(parameter: Parameter, value: Any) -> str:
    """Serialize one path parameter, after a check of each value in it."""
    normalized = normalize(value)
    for leaf in _leaves(normalized):
        reason = hazard(leaf)
        if reason is not None:
            raise Unserializable("string", reason, value=value)
    escape = style.in_path_reserved if parameter.allow_reserved else style.in_path
    content = _content(parameter, normalized)
    written = style.expand(
        parameter.name, content, parameter.style, escape, explode=parameter.explode
    )
    if normalized == "" or not written:
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


# -- parameters by location --------------------------------------------------------------------------

#: The keys of values that the caller or the document fixed. These may override the method (rule X11).
Fixed: TypeAlias = Collection[tuple[str, ...]]


def argument(parameter: Parameter, group: Mapping[str, Any]) -> tuple[bool, Any]:
    """Return whether a group contains a parameter, and its value. A spread object is assembled again (rule R6)."""
    if not parameter.members:
        return parameter.key in group, group.get(parameter.key)
    gathered = {name: group[name] for name in parameter.members if name in group}
    return bool(gathered), gathered


def _content(parameter: Parameter, value: Any) -> Any:
    """Return the value to serialize; a ``content`` parameter becomes text in its media type (Parameter Object).

    Raises:
        Unserializable: the value is not JSON.
    """
    if parameter.media_type is None:
        return value
    return dumps(value).decode() if is_json(parameter.media_type) else text(value)


def _pairs(parameter: Parameter, value: Any, escape: Escape) -> list[Pair]:
    content = _content(parameter, value)
    return style.pairs(parameter.name, content, parameter.style, escape, explode=parameter.explode)


def _header(parameter: Parameter, value: Any) -> str | None:
    """Serialize a header; return ``None`` if there is nothing to send."""
    if parameter.media_type is None and style.is_undefined(value):
        return None
    written = style.expand(
        parameter.name,
        _content(parameter, value),
        parameter.style,
        style.in_header,
        explode=parameter.explode,
    )
    if not is_value(written):
        raise Unserializable(
            "string",
            "a header is one line of text without control characters or blanks around it",
            value=value,
        )
    return written


def _cookies(parameter: Parameter, value: Any) -> list[Pair]:
    """Serialize cookies: percent-encoded, or as they are for the style ``cookie`` (OpenAPI 3.2)."""
    verbatim = parameter.style == "cookie" and parameter.media_type is None
    written = _pairs(parameter, value, style.in_cookie if verbatim else style.in_query)
    if not all(is_token(name) for name, _ in written):
        raise Unserializable("object whose keys are valid cookie names", value=value)
    return written


def _arguments(
    group: ParameterGroup | None, named: Mapping[str, Any], faults: SerializationFaults
) -> Iterable[tuple[Parameter, tuple[str, ...], Any]]:
    """Yield each parameter of a group that has an argument, with the path and the value of the argument."""
    if group is None:
        return
    given = named.get(group.key)
    if not isinstance(given, dict):
        if given is not None:
            faults.found.append(Unserializable("object", value=given, tokens=(group.key,)))
        return
    for parameter in group.parameters:
        present, value = argument(parameter, given)
        if present:
            place = (group.key,) if parameter.members else (group.key, parameter.key)
            yield parameter, place, value


def query(
    group: ParameterGroup | None,
    named: Mapping[str, Any],
    faults: SerializationFaults,
    fixed: Fixed = (),
) -> list[str]:
    """Serialize the parameters of a group as encoded query pairs.

    Rule X11: no argument can override the method, not even as the key of an object.
    """
    written: list[str] = []
    for parameter, place, value in _arguments(group, named, faults):
        with faults.at(*place):
            pairs = _query(parameter, value)
            if place not in fixed and any(map(_overrides_method, pairs)):
                raise Unserializable(
                    "undefined", "only Options.fixed may override the method", value=value
                )
            written += pairs
    return written


def _query(parameter: Parameter, value: Any) -> list[str]:
    """Serialize one parameter as encoded pairs; a ``querystring`` is the whole query (OpenAPI 3.2)."""
    if parameter.location == "querystring":
        if isinstance(value, dict) and not is_json(parameter.media_type or ""):
            return ["&".join(f"{name}={written}" for name, written in form_pairs(value, {}))]
        return [style.in_query(str(_content(parameter, value)), "")]
    escape = style.in_query_reserved if parameter.allow_reserved else style.in_query
    pairs = _pairs(parameter, value, escape)
    if not pairs and parameter.allow_empty_value:
        pairs = [(escape(parameter.name, "="), "")]
    return [f"{name}={item}" for name, item in pairs]


def _overrides_method(written: str) -> bool:
    """Return whether a part of a query contains a field that overrides the method."""
    return any(
        overrides(unquote_plus(pair.partition("=")[0]), "query") for pair in written.split("&")
    )


def headers(
    group: ParameterGroup | None,
    named: Mapping[str, Any],
    faults: SerializationFaults,
    fixed: Fixed = (),
) -> dict[str, Pair]:
    """Serialize the headers of a group; return them by lower-case name.

    Rule X11: reserved headers are refused, whatever the document declares. A header that overrides the method or the
    path is sent only with a fixed value.
    """
    written: dict[str, Pair] = {}
    for parameter, place, value in _arguments(group, named, faults):
        with faults.at(*place):
            if not is_token(parameter.name):
                raise Unserializable("undefined", "the document gives this header an invalid name")
            if is_reserved(parameter.name) and place not in fixed:
                raise Unserializable("undefined", "only connection.headers may set this header")
            header = _header(parameter, value)
            if header is not None:
                written[parameter.name.lower()] = (parameter.name, header)
    return written


def cookies(
    group: ParameterGroup | None, named: Mapping[str, Any], faults: SerializationFaults
) -> tuple[Pair, ...]:
    """Serialize the cookies of a group, in order."""
    written: list[Pair] = []
    for parameter, place, value in _arguments(group, named, faults):
        with faults.at(*place):
            written.extend(_cookies(parameter, value))
    return tuple(written)


# -- rounded integers --------------------------------------------------------------------------------


def refuse_rounded_integers(
    function: CallableFunction, named: Mapping[str, Any], faults: SerializationFaults
) -> None:
    """Refuse a float such as ``1e23`` for an integer: its digits are not exactly its value."""
    route = function.route
    body = None if route.body is None else "body"
    if not any(key != body and _has_rounded_float(value) for key, value in named.items()):
        return
    parts: list[tuple[Parameter, tuple[str, ...], Any]] = [
        (parameter, (parameter.key,), named.get(parameter.key)) for parameter in route.parameters
    ]
    for group in (route.query, route.headers, route.cookies):
        parts += _arguments(group, named, SerializationFaults())
    reason = "the number is rounded; write all digits of the integer"
    for parameter, place, value in parts:
        for tokens, number in _rounded_floats(value) if parameter.media_type is None else ():
            if function.accepts_only_integers((*place, *tokens)):
                refusal = Unserializable("integer", reason, value=number, tokens=(*place, *tokens))
                faults.found.append(refusal)


def _has_rounded_float(value: Any) -> bool:
    """Return whether a value contains a float whose digits are not exactly its value; most arguments do not."""
    kind = type(value)
    if kind is str or kind is int:
        return False
    return next(_rounded_floats(value), None) is not None


def _rounded_floats(value: Any) -> Iterator[tuple[tuple[str | int, ...], float]]:
    """Yield the whole floats in a value whose digits are not exactly their values, with their places."""
    if isinstance(value, float):
        if value.is_integer() and isinstance(style.number(value), float):
            yield (), value
    elif isinstance(value, dict | list):
        for token, item in value.items() if isinstance(value, dict) else enumerate(value):
            for tokens, number in _rounded_floats(item):
                yield (token, *tokens), number


# -- overridden methods ------------------------------------------------------------------------------


def refuse_override(route: Route, named: Mapping[str, Any], faults: SerializationFaults) -> None:
    """Refuse a property such as ``_method`` whose method exceeds the safety of the route.

    A body follows its own schema, so a method within the safety of the route stays. An example is ``_method=PUT`` in a
    POST that writes, which some frameworks require for uploads.
    """
    body = named.get("body")
    for name, item in body.items() if isinstance(body, dict) else ():
        if isinstance(name, str) and overrides(name, "body") and _exceeds(item, route):
            reason = f"it would override the method of a call whose safety is {route.safety!r}"
            faults.found.append(
                Unserializable("undefined", reason, value=item, tokens=("body", name))
            )


def _exceeds(item: Any, route: Route) -> bool:
    """Return whether a value, or an item of a list, is a method that exceeds the safety of the route."""
    values = item if isinstance(item, list) else [item]
    methods = [method_in(value) for value in values if isinstance(value, str)]
    return any(method and exceeds(safety_of(method), route.safety) for method in methods)
