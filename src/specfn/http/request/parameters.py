"""Serialization of parameters by their location: path, query, header or cookie (rule X2)."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, TypeAlias
from urllib.parse import unquote_plus

from specfn.http.json_values import dumps, text
from specfn.http.media import is_json
from specfn.http.request import style
from specfn.http.request.body import form_pairs
from specfn.http.request.style import Escape, Pair
from specfn.http.unserializable import SerializationFaults, Unserializable
from specfn.migrate.parameters.reserved import is_reserved, overrides
from specfn.migrate.route import Parameter, ParameterGroup
from specfn.network.headers import is_token, is_value

#: The keys of values that the caller or the document fixed. These may override the method (rule X11).
Fixed: TypeAlias = Collection[tuple[str, ...]]


def argument(parameter: Parameter, group: Mapping[str, Any]) -> tuple[bool, Any]:
    """Return whether a group contains a parameter, and its value. A spread object is assembled again (rule R6)."""
    if not parameter.members:
        return parameter.key in group, group.get(parameter.key)
    gathered = {name: group[name] for name in parameter.members if name in group}
    return bool(gathered), gathered


def _content(parameter: Parameter, value: Any) -> Any:
    """Return the value to serialize; a ``content`` parameter becomes text in its media type (Parameter Object)."""
    if parameter.media_type is None:
        return value
    return dumps(value).decode() if is_json(parameter.media_type) else text(value)


def path_text(parameter: Parameter, value: Any) -> str:
    """Serialize a path parameter, percent-encoded.

    Raises:
        Unserializable: the value cannot be serialized in a path.
    """
    escape = style.in_path_reserved if parameter.allow_reserved else style.in_path
    content = _content(parameter, value)
    return style.expand(parameter.name, content, parameter.style, escape, explode=parameter.explode)


def query_pairs(parameter: Parameter, value: Any) -> list[Pair]:
    """Serialize a query parameter as percent-encoded pairs.

    Raises:
        Unserializable: the value cannot be serialized in a query.
    """
    escape = style.in_query_reserved if parameter.allow_reserved else style.in_query
    written = _pairs(parameter, value, escape)
    if not written and parameter.allow_empty_value:
        return [(escape(parameter.name, "="), "")]
    return written


def _pairs(parameter: Parameter, value: Any, escape: Escape) -> list[Pair]:
    content = _content(parameter, value)
    return style.pairs(parameter.name, content, parameter.style, escape, explode=parameter.explode)


def querystring(parameter: Parameter, value: Any) -> str:
    """Serialize a ``querystring`` parameter as the whole query, by its media type (OpenAPI 3.2).

    Raises:
        Unserializable: the value cannot be serialized in a query.
    """
    if isinstance(value, dict) and not is_json(parameter.media_type or ""):
        return "&".join(f"{name}={written}" for name, written in form_pairs(value, {}))
    return style.in_query(str(_content(parameter, value)), "")


def header_text(parameter: Parameter, value: Any) -> str | None:
    """Serialize a header; return ``None`` if there is nothing to send.

    Raises:
        Unserializable: the value cannot be serialized, or is not a valid header value (rule X11).
    """
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


def cookie_pairs(parameter: Parameter, value: Any) -> list[Pair]:
    """Serialize cookies: percent-encoded, or as they are for the style ``cookie`` (OpenAPI 3.2).

    Raises:
        Unserializable: the value cannot be serialized, or is not a valid cookie.
    """
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
    """Serialize one parameter as encoded pairs."""
    if parameter.location == "querystring":
        return [querystring(parameter, value)]
    return [f"{name}={item}" for name, item in query_pairs(parameter, value)]


def _overrides_method(written: str) -> bool:
    """Return whether a part of a query contains a field that overrides the method."""
    names = (pair.partition("=")[0] for pair in written.split("&"))
    return any(overrides(unquote_plus(name), "query") for name in names)


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
            is_refused = is_reserved(parameter.name) and place not in fixed
            if is_refused or not is_token(parameter.name):
                raise Unserializable("undefined", "only connection.headers may set this header")
            header = header_text(parameter, value)
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
            written.extend(cookie_pairs(parameter, value))
    return tuple(written)
