"""Declared parameters with their arguments, written as their places in the request take them (X2)."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, TypeAlias
from urllib.parse import unquote_plus

from specfn.http.headers import is_token, is_value
from specfn.http.json_values import dumps, text
from specfn.http.media import is_json
from specfn.http.request import style
from specfn.http.request.body import form_pairs
from specfn.http.request.style import Escape, Pair
from specfn.http.unserializable import Faults, Unfit
from specfn.migrate.parameters.reserved import is_reserved, overrides
from specfn.migrate.route import Parameter, ParameterGroup

#: The keys of values that the caller or the document fixed; they may override the method (rule X11).
Fixed: TypeAlias = Collection[tuple[str, ...]]


def argument(parameter: Parameter, group: Mapping[str, Any]) -> tuple[bool, Any]:
    """Whether a group gives the parameter, and what. A spread object is gathered again (rule R6)."""
    if not parameter.members:
        return parameter.key in group, group.get(parameter.key)
    gathered = {name: group[name] for name in parameter.members if name in group}
    return bool(gathered), gathered


def _content(parameter: Parameter, value: Any) -> Any:
    """What a ``content`` parameter writes: one text in its media type (OpenAPI, Parameter Object)."""
    if parameter.media_type is None:
        return value
    return dumps(value).decode() if is_json(parameter.media_type) else text(value)


def path_text(parameter: Parameter, value: Any) -> str:
    """The argument as it stands in its path segment, percent-encoded.

    Raises:
        Unfit: it cannot be written there.
    """
    escape = style.in_path_reserved if parameter.allow_reserved else style.in_path
    content = _content(parameter, value)
    return style.expand(parameter.name, content, parameter.style, escape, explode=parameter.explode)


def query_pairs(parameter: Parameter, value: Any) -> list[Pair]:
    """The argument as pairs of a query, percent-encoded.

    Raises:
        Unfit: it cannot be written there.
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
    """The argument as the whole query, encoded by its media type (OpenAPI 3.2).

    Raises:
        Unfit: it cannot be written there.
    """
    if isinstance(value, dict) and not is_json(parameter.media_type or ""):
        return "&".join(f"{name}={written}" for name, written in form_pairs(value, {}))
    return style.in_query(str(_content(parameter, value)), "")


def header_text(parameter: Parameter, value: Any) -> str | None:
    """The argument as a header's value; ``None`` where there is nothing to send.

    Raises:
        Unfit: it cannot be written there, or would be more than a value (rule X11).
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
        raise Unfit(
            "string",
            "a header is one line of text without control characters or blanks around it",
            value=value,
        )
    return written


def cookie_pairs(parameter: Parameter, value: Any) -> list[Pair]:
    """The argument as cookies: percent-encoded, or as it is where the style is ``cookie`` (3.2).

    Raises:
        Unfit: it cannot be written there, or would be more than a cookie.
    """
    verbatim = parameter.style == "cookie" and parameter.media_type is None
    written = _pairs(parameter, value, style.in_cookie if verbatim else style.in_query)
    if not all(is_token(name) for name, _ in written):
        raise Unfit("object whose keys may name cookies", value=value)
    return written


def _arguments(
    group: ParameterGroup | None, named: Mapping[str, Any], faults: Faults
) -> Iterable[tuple[Parameter, tuple[str, ...], Any]]:
    """The parameters of a group that have an argument, with its place and value."""
    if group is None:
        return
    given = named.get(group.key)
    if not isinstance(given, dict):
        if given is not None:
            faults.found.append(Unfit("object", value=given, tokens=(group.key,)))
        return
    for parameter in group.parameters:
        present, value = argument(parameter, given)
        if present:
            place = (group.key,) if parameter.members else (group.key, parameter.key)
            yield parameter, place, value


def query(
    group: ParameterGroup | None, named: Mapping[str, Any], faults: Faults, fixed: Fixed = ()
) -> list[str]:
    """Return a group's parameters as the pairs of a query, encoded.

    Rule X11: no argument becomes a field that overrides the method, not even as the key of an object.
    """
    written: list[str] = []
    for parameter, place, value in _arguments(group, named, faults):
        with faults.at(*place):
            pairs = _query(parameter, value)
            if place not in fixed and any(map(_overrides_method, pairs)):
                raise Unfit("undefined", "only Options.fixed may override the method", value=value)
            written += pairs
    return written


def _query(parameter: Parameter, value: Any) -> list[str]:
    """Return one parameter as encoded pairs."""
    if parameter.location == "querystring":
        return [querystring(parameter, value)]
    return [f"{name}={item}" for name, item in query_pairs(parameter, value)]


def _overrides_method(written: str) -> bool:
    """Return whether a piece of a query has a field that overrides the method."""
    names = (pair.partition("=")[0] for pair in written.split("&"))
    return any(overrides(unquote_plus(name), "query") for name in names)


def headers(
    group: ParameterGroup | None, named: Mapping[str, Any], faults: Faults, fixed: Fixed = ()
) -> dict[str, Pair]:
    """Return a group's headers, by lower-case name.

    Rule X11: what a header parameter may never be is refused, whatever the document says. What overrides the
    method or the path is written where its value is fixed.
    """
    written: dict[str, Pair] = {}
    for parameter, place, value in _arguments(group, named, faults):
        with faults.at(*place):
            is_refused = is_reserved(parameter.name) and place not in fixed
            if is_refused or not is_token(parameter.name):
                raise Unfit("undefined", "only connection.headers may set this header")
            header = header_text(parameter, value)
            if header is not None:
                written[parameter.name.lower()] = (parameter.name, header)
    return written


def cookies(
    group: ParameterGroup | None, named: Mapping[str, Any], faults: Faults
) -> tuple[Pair, ...]:
    """A group's cookies, in order."""
    written: list[Pair] = []
    for parameter, place, value in _arguments(group, named, faults):
        with faults.at(*place):
            written.extend(cookie_pairs(parameter, value))
    return tuple(written)
