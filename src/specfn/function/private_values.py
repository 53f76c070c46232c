"""The scalars of arguments that a response must not show, if the server repeats them (T38)."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from specfn import human
from specfn._internal.json import JsonObject
from specfn.function.function_schemas import Schemas
from specfn.records import PrivateValue

#: The formats of dates and times.
_DATES: Final = frozenset({"date", "date-time", "time", "duration"})

#: The keywords whose schemas apply to the same value.
_IN_PLACE: Final = ("allOf", "anyOf", "oneOf")


def private_values(schemas: Schemas, arguments: Any) -> Iterator[PrivateValue]:
    """Yield the scalars of the human part; for a function without one, those that the schema marks as secret.

    The arguments need not be valid.
    """
    named = _by_key(schemas, arguments)
    if not isinstance(named, dict):
        return
    root, split_schemas = schemas.root, schemas.split_schemas
    is_human = split_schemas is not None and split_schemas.human is not None
    parts: Iterable[tuple[tuple[str | int, ...], Any]] = [((), named)]
    if split_schemas is not None and is_human:
        parts = split_schemas.human_parts(named)
    for path, part in parts:
        nodes, name = [root], ""
        for token in path:
            nodes = [*_below(root, nodes, token)]
            name = token if isinstance(token, str) else name
        yield from _values(root, nodes, name, part, is_human=is_human)


def _by_key(schemas: Schemas, arguments: Any) -> Any:
    if schemas.settings.keyword or not isinstance(arguments, list | tuple):
        return arguments
    keys = (key for key, _ in schemas.keys)
    return {key: value for key, value in zip(keys, arguments, strict=False) if value is not None}


def _values(
    root: JsonObject, nodes: list[JsonObject], name: str, part: Any, *, is_human: bool
) -> Iterator[PrivateValue]:
    """Yield the private scalars of a part of arguments: all that a human filled in, or only secrets.

    Args:
        root: the schema of all arguments, with the definitions.
        nodes: the schemas of the part.
        name: the name of the member that contains the part.
        part: the part, of any depth.
        is_human: whether a human filled it in.
    """
    waiting = [(nodes, name, part, False)]
    while waiting:
        nodes, name, value, is_secret = waiting.pop()
        is_secret = is_secret or any(_is_secret(node, name) for node in nodes)
        if isinstance(value, dict):
            waiting += [
                ([*_below(root, nodes, own)], own, inner, is_secret)
                for own, inner in value.items()
                if isinstance(own, str)
            ]
        elif isinstance(value, list | tuple):
            waiting += [
                ([*_below(root, nodes, at)], name, inner, is_secret)
                for at, inner in enumerate(value)
            ]
        elif value is not None and (is_human or is_secret):
            yield PrivateValue(
                name=name,
                value=value,
                is_human=is_human,
                is_secret=is_secret,
                is_common=any(_is_common(node, value) for node in nodes),
            )


def _is_secret(node: JsonObject, name: str) -> bool:
    return human.secrets(human.Node(node, location="body", pointer="", name=name))


def _is_common(node: JsonObject, value: Any) -> bool:
    listed = node.get("enum")
    is_listed = isinstance(listed, list) and value in listed
    return is_listed or ("const" in node and node["const"] == value) or node.get("format") in _DATES


def _below(root: JsonObject, nodes: Iterable[JsonObject], token: str | int) -> Iterator[JsonObject]:
    """Yield the schemas of a member or an item, and those that they apply in place."""
    inner: list[Any] = []
    for node in nodes:
        if isinstance(token, str):
            own = node.get("properties", {})
            inner.append(own[token] if token in own else node.get("additionalProperties"))
        else:
            prefix = node.get("prefixItems", ())
            inner.append(prefix[token] if token < len(prefix) else node.get("items"))
    yield from _in_place(root, inner)


def _in_place(root: JsonObject, nodes: list[Any]) -> Iterator[JsonObject]:
    """Yield schemas, and all that they apply to the same value by reference or combination."""
    seen: set[int] = set()
    waiting = [*nodes]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, dict) or id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        reference = node.get("$ref")
        if isinstance(reference, str) and reference.startswith("#/$defs/"):
            name = reference.removeprefix("#/$defs/").replace("~1", "/").replace("~0", "~")
            waiting.append(root.get("$defs", {}).get(name))
        for keyword in _IN_PLACE:
            waiting += node.get(keyword, ())
