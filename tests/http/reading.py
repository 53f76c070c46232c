"""A server's half of the wire, written for the tests: it knows the declarations, and reads what arrived.

It shares nothing with the code that writes: styles are taken apart here by the words of the
specification, forms and multipart bodies by Python's own parsers.
"""

import email
import email.policy
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote, unquote_plus

from specfn.migrate.route import Parameter, Route

DELIMITERS = {"spaceDelimited": "%20", "pipeDelimited": "%7C", "tabDelimited": "%09"}
HEADER_DELIMITERS = {"spaceDelimited": " ", "pipeDelimited": "|", "tabDelimited": "\t"}


@dataclass(frozen=True)
class Arrived:
    """One request, taken apart no further than any server does."""

    method: str
    path: str
    query: list[tuple[str, str]]
    headers: dict[str, str]
    cookies: list[tuple[str, str]]
    body: bytes

    @staticmethod
    def parse(raw: bytes) -> "Arrived":
        head, _, body = raw.partition(b"\r\n\r\n")
        line, *lines = head.decode().split("\r\n")
        method, target, _ = line.split(" ")
        path, _, query = target.partition("?")
        headers = {
            name.lower(): value for name, _, value in (each.partition(": ") for each in lines)
        }
        return Arrived(
            method=method,
            path=path,
            query=[_pair(each) for each in query.split("&") if each],
            headers=headers,
            cookies=[_pair(each) for each in headers.get("cookie", "").split("; ") if each],
            body=body,
        )


def _pair(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name, value


def differences(
    route: Route, arguments: dict[str, Any], arrived: Arrived, base: str
) -> Iterator[str]:
    """Every place where what a server reads is not the argument that was given."""
    yield from _path(route, arguments, arrived.path.removeprefix(base))
    for parameter, value in _given(route.query, arguments.get("query", {})):
        if not _is_query(parameter, value, arrived.query):
            yield f"query {parameter.name}: {value!r} read from {arrived.query}"
    for parameter, value in _given(route.headers, arguments.get("headers", {})):
        if not _is_header(parameter, value, arrived.headers.get(parameter.name.lower())):
            yield f"header {parameter.name}: {value!r} read from {arrived.headers}"
    for parameter, value in _given(route.cookies, arguments.get("cookies", {})):
        if not _is_query(parameter, value, arrived.cookies):
            yield f"cookie {parameter.name}: {value!r} read from {arrived.cookies}"
    if route.body is not None and "body" in arguments:
        read = BODIES[route.body.kind]
        if not read(arguments["body"], arrived, route.body.encoding):
            yield f"body {arguments['body']!r} read from {arrived.body!r}"


def _given(group: Any, values: dict[str, Any]) -> Iterator[tuple[Parameter, Any]]:
    """The parameters of a group with their values; one that is not given has none."""
    for parameter in group.parameters if group else ():
        if parameter.members:
            yield parameter, {name: values[name] for name in parameter.members if name in values}
        else:
            yield parameter, values.get(parameter.key)


# -- values -----------------------------------------------------------------------------------------


def same(text: str, value: Any) -> bool:
    """Whether a decoded text is a value: itself, or the JSON of what is no text."""
    if isinstance(value, str):
        return text == value
    try:
        return bool(json.loads(text) == value)
    except ValueError:
        return False


def same_all(texts: list[str], values: list[Any]) -> bool:
    return len(texts) == len(values) and all(map(same, texts, values))


def same_members(
    pairs: list[tuple[str, str]], value: dict[str, Any], *, repeats: bool = False
) -> bool:
    """Whether pairs of names and texts are an object; an array may be its name several times."""
    left = list(pairs)
    for name, item in value.items():
        is_repeated = repeats and isinstance(item, list)
        for each in [each for each in item if each is not None] if is_repeated else [item]:
            index = next((at for at, (key, _) in enumerate(left) if key == name), None)
            if index is None or not same(left.pop(index)[1], each):
                return False
    return not left


def present(value: Any) -> Any:
    """A value without what cannot be told: nulls, and what holds nothing then; ``None`` for nothing."""
    if isinstance(value, list):
        return [item for item in value if item is not None] or None
    if isinstance(value, dict):
        return {key: item for key, item in value.items() if item is not None} or None
    return value


# -- paths and headers --------------------------------------------------------------------------------


def _path(route: Route, arguments: dict[str, Any], path: str) -> Iterator[str]:
    template = route.path.partition("?")[0].partition("#")[0]
    names = [parameter.name for parameter in route.parameters]
    pattern = re.escape(template)
    for name in names:
        pattern = pattern.replace(re.escape(f"{{{name}}}"), "([^/]*)", 1)
    pattern = re.sub(r"[^\x21\x23-\x7e]", lambda match: quote(match[0]), pattern)
    match = re.fullmatch(pattern, path)
    if match is None:
        yield f"the path {path} is not {template}"
        return
    order = sorted(route.parameters, key=lambda each: template.find(f"{{{each.name}}}"))
    for parameter, raw in zip(order, match.groups(), strict=True):
        if not _is_text(parameter, arguments[parameter.key], raw, unquote, DELIMITERS):
            yield f"path {parameter.name}: {arguments[parameter.key]!r} read from {raw}"


def _is_header(parameter: Parameter, value: Any, raw: str | None) -> bool:
    value = present(value)
    if value is None or raw is None:
        return value is None and raw is None
    return _is_text(parameter, value, raw, str, HEADER_DELIMITERS)


def _is_text(
    parameter: Parameter,
    value: Any,
    raw: str,
    decode: Callable[[str], str],
    delimiters: dict[str, str],
) -> bool:
    """A path segment or a header, by its style."""
    if parameter.media_type is not None:
        return same(decode(raw), value)
    value = present(value)
    marks = {
        "label": (".", "." if parameter.explode else ","),
        "matrix": (";", ";" if parameter.explode else ","),
    }
    prefix, delimiter = marks.get(parameter.style, ("", delimiters.get(parameter.style, ",")))
    if not raw.startswith(prefix):
        return False
    raw = raw[len(prefix) :]
    is_repeated = parameter.style == "matrix" and parameter.explode and isinstance(value, list)
    if parameter.style == "matrix" and not (parameter.explode and isinstance(value, list | dict)):
        name, _, raw = raw.partition("=")
        if decode(name) != parameter.name:
            return False
    if isinstance(value, list):
        items = raw.split(delimiter)
        if is_repeated:
            items = [each.partition("=")[2] for each in items]
        return same_all([decode(each) for each in items], value)
    if isinstance(value, dict):
        return same_members(
            _members(raw.split(delimiter), explode=parameter.explode, decode=decode), value
        )
    return same(decode(raw), value)


def _members(
    parts: list[str], *, explode: bool, decode: Callable[[str], str]
) -> list[tuple[str, str]]:
    """``k=v`` each, or key and value in turn."""
    if explode:
        return [(decode(name), decode(item)) for name, item in map(_pair, parts)]
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return [(decode(name), decode(item)) for name, item in pairs]


# -- queries and cookies --------------------------------------------------------------------------------


def _is_query(  # a case each
    parameter: Parameter, value: Any, pairs: list[tuple[str, str]]
) -> bool:
    decoded = [(unquote(name), unquote(item)) for name, item in pairs]
    own = [item for name, item in decoded if name == parameter.name]
    if parameter.media_type is not None and value is not None:
        return len(own) == 1 and same(own[0], value)
    if isinstance(value, dict | list) and parameter.style == "deepObject":
        return _is_deep(parameter.name, value, decoded)
    value = present(value)
    if value is None:
        return own in ([], [""])
    if isinstance(value, dict) and parameter.explode:
        return same_members([pair for pair in decoded if pair[0] in value], value, repeats=True)
    if isinstance(value, list) and parameter.explode:
        return same_all(own, value)
    if isinstance(value, dict | list):
        raw = [item for name, item in pairs if unquote(name) == parameter.name]
        parts = raw[0].split(DELIMITERS.get(parameter.style, ",")) if len(raw) == 1 else []
        if isinstance(value, list):
            return same_all([unquote(each) for each in parts], value)
        return same_members(_members(parts, explode=False, decode=unquote), value)
    return len(own) == 1 and same(own[0], value)


def _is_deep(name: str, value: Any, pairs: list[tuple[str, str]]) -> bool:
    """``name[a][b]=...``, as the servers that invented the notation read it."""
    expected = dict(_leaves((), value))
    found = {
        tuple(re.findall(r"\[([^\]]*)\]", key.removeprefix(name))): item
        for key, item in pairs
        if key.startswith(f"{name}[")
    }
    return expected.keys() == found.keys() and all(
        same(found[key], expected[key]) for key in expected
    )


def _leaves(place: tuple[str, ...], value: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves((*place, key), item)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves((*place, str(index)), item)
    elif value is not None:
        yield place, value


# -- bodies ---------------------------------------------------------------------------------------------


def _is_json(value: Any, arrived: Arrived, _: Any) -> bool:
    return bool(json.loads(arrived.body) == value)


def _is_content(value: Any, arrived: Arrived, _: Any) -> bool:
    return arrived.body.decode() == value


#: How the pairs of a form or the parts of a multipart body are written: the delimiters, and an escape.
FORM = ({"spaceDelimited": "+", "pipeDelimited": "%7C"}, unquote_plus)
PARTS = (HEADER_DELIMITERS, str)


def _is_form(value: dict[str, Any], arrived: Arrived, encoding: Any) -> bool:
    raw = [_pair(each) for each in arrived.body.decode("ascii").split("&") if each]
    pairs = [(unquote_plus(name), item) for name, item in raw]
    return all(
        _is_field(name, item, pairs, encoding.get(name, {}), FORM) for name, item in value.items()
    )


def _is_multipart(value: Any, arrived: Arrived, encoding: Any) -> bool:
    head = f"Content-Type: {arrived.headers['content-type']}\r\n\r\n".encode()
    message = email.message_from_bytes(head + arrived.body, policy=email.policy.HTTP)
    pairs = []
    for part in message.iter_parts():
        content = part.get_payload(decode="content-transfer-encoding" not in part)
        text = content.decode() if isinstance(content, bytes) else content
        name = str(part["content-disposition"].params["name"])
        pairs.append((re.sub("%(22|0D|0A)", lambda match: unquote(match[0]), name), str(text)))
    if not isinstance(value, dict):
        return pairs == [("file", value)]
    return all(
        _is_field(name, item, pairs, encoding.get(name, {}), PARTS) for name, item in value.items()
    )


def _is_field(  # a case each
    name: str, item: Any, pairs: list[tuple[str, str]], encoding: dict[str, Any], manner: Any
) -> bool:
    """A field, or the fields of an array; those with a style are read as a query is."""
    delimiters, decode = manner
    own = [found for key, found in pairs if key == name]
    if item is None:
        return own == [""]
    if {"style", "explode"}.isdisjoint(encoding) or not isinstance(item, dict | list):
        items = item if isinstance(item, list) else [item]
        kept = items if manner is PARTS else [each for each in items if each is not None]
        expected = ["" if each is None else each for each in kept]
        return same_all([decode(each) for each in own], expected)
    style = encoding.get("style", "form")
    value = present(item)
    decoded = [(key, decode(found)) for key, found in pairs]
    if style == "deepObject":
        return _is_deep(name, item, decoded)
    if value is None:
        return not own
    if encoding.get("explode", style == "form"):
        if isinstance(value, list):
            return same_all([decode(each) for each in own], value)
        return same_members([pair for pair in decoded if pair[0] in value], value, repeats=True)
    parts = own[0].split(delimiters.get(style, ","))
    if isinstance(value, list):
        return same_all([decode(each) for each in parts], value)
    return same_members(_members(parts, explode=False, decode=decode), value)


BODIES: dict[str, Callable[[Any, Arrived, Any], bool]] = {
    "json": _is_json,
    "form": _is_form,
    "multipart": _is_multipart,
    "text": _is_content,
    "xml": _is_content,
    "binary": _is_content,
}
