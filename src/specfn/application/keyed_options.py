"""Options whose keys name functions or parameters: names, descriptions, and the refusal of keys that match nothing.

Ignoring such a key could leave something open that the caller wanted to close.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from specfn._internal.did_you_mean import ask_or_list
from specfn._internal.json import JsonObject
from specfn.document.upgrade.openapi3 import dicts
from specfn.errors import UsageError
from specfn.function.function import Function
from specfn.migrate.bodies.media_types import SchemaResolver
from specfn.migrate.migrate import operations
from specfn.migrate.operation_keys import route_keys, texts_of
from specfn.migrate.route import Route
from specfn.migrate.template import colon_name
from specfn.settings import Paging, Settings
from specfn.tools.function_keys import FunctionKeys
from specfn.tools.function_set import AdvertisedFunction

#: The pattern of every operation. It may match nothing in a document without operations.
_ANY: Final = "*"

#: A legal name (rule F1).
_NAME: Final = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")


def with_names_and_descriptions(
    functions: Sequence[Function], settings: Settings
) -> tuple[Function, ...]:
    """Return functions with the names and descriptions of ``Options.names`` and ``Options.descriptions``.

    Raises:
        UsageError: an option names an unknown function, or a function twice; or a name is illegal, or that of another
            function.
    """
    if not settings.names and not settings.descriptions:
        return tuple(functions)
    keys = FunctionKeys(
        [AdvertisedFunction(name=function.name, function=function) for function in functions]
    )
    names = _by_function("Options.names", settings.names, keys)
    texts = _by_function("Options.descriptions", settings.descriptions, keys)
    for name in names.values():
        if not _NAME.fullmatch(name) or len(name) > settings.max_length:
            raise UsageError(
                f"Options.names: {name!r} is not a legal name; use letters, digits and _, no digit first, "
                f"at most {settings.max_length}"
            )
    renamed = tuple(
        replace(
            function,
            name=names.get(function.name, function.name),
            shortened=function.shortened and function.name not in names,
            own_description=texts.get(function.name, function.own_description),
        )
        for function in functions
    )
    _refuse_equal_names(functions, renamed)
    return renamed


def _by_function(option: str, table: Mapping[str, str], keys: FunctionKeys) -> dict[str, str]:
    """Return the values of an option by the names of its functions."""
    values: dict[str, str] = {}
    used: dict[str, str] = {}
    for key, value in table.items():
        name = keys.resolve_option_key(option, key).name
        if name in used:
            raise UsageError(f"{option} has two keys for {name}: {used[name]!r} and {key!r}")
        used[name], values[name] = key, value
    return values


def _refuse_equal_names(before: Sequence[Function], after: Sequence[Function]) -> None:
    """Refuse a new name that another function already has, ignoring letter case."""
    owners: dict[str, Function] = {}
    pairs = zip(before, after, strict=True)
    kept_first = sorted(pairs, key=lambda pair: pair[0].name != pair[1].name)
    for _, function in kept_first:
        owner = owners.setdefault(function.name.lower(), function)
        if owner is not function:
            raise UsageError(
                f"Options.names: {function.name!r} for {function.method_and_path} is already the name of "
                f"{owner.method_and_path}"
            )


def refuse_unmatched(
    routes: Sequence[Route], document: JsonObject, settings: Settings, resolve: SchemaResolver
) -> None:
    """Check that the keys of ``answers``, ``hidden``, ``media_types``, ``paging``, ``path_parameters`` and ``safety`` match something in the document.

    Args:
        routes: of the document, before any is selected.
        document: normalized.
        settings: the caller's options.
        resolve: gives the composed schema behind a normalized one.

    Raises:
        UsageError: a name or pattern matches nothing; the text lists the closest names.
    """
    bodies = (route for route in routes if route.body is not None)
    _refuse_unmatched_keys("safety", settings.safety, routes, "function")
    _refuse_unmatched_keys("answers", settings.answers, routes, "function")
    _refuse_unmatched_keys("paging", settings.paging, routes, "function")
    _refuse_unknown_page_parameters(settings.paging, routes)
    _refuse_unmatched_keys(
        "media_types", settings.media_types, bodies, "function with a request body"
    )
    _refuse_unknown_parameters(settings.hidden, document, resolve)
    _refuse_unknown_segments(settings.path_parameters, document)


def _refuse_unmatched_keys(
    option: str, table: Iterable[str], routes: Iterable[Route], what: str
) -> None:
    patterns = [pattern for pattern in table if pattern != _ANY]
    if not patterns:
        return
    operations = [*map(route_keys, routes)]
    for pattern in patterns:
        if not any(keys.match(pattern) for keys in operations):
            closest = ask_or_list(pattern, texts_of(operations))
            raise UsageError(f"Options.{option}: {pattern!r} matches no {what}{closest}")


def _refuse_unknown_page_parameters(
    table: Mapping[str, Paging | None], routes: Sequence[Route]
) -> None:
    for pattern, paging in table.items():
        name = None if paging is None or not paging.parameter else paging.parameter
        if name is None or name.startswith("body."):
            continue
        matching = [route for route in routes if route_keys(route).match(pattern)]
        groups = [route.query.parameters for route in matching if route.query is not None]
        own = [parameter for parameters in groups for parameter in parameters]
        known = {name for one in own for name in (one.key, *one.members)}
        if name.removeprefix("query.") not in known:
            closest = ask_or_list(name, sorted(known))
            raise UsageError(f"Options.paging: {pattern!r} has no parameter {name!r}{closest}")


def _refuse_unknown_segments(choices: Mapping[str, bool], document: JsonObject) -> None:
    wanted = choices.keys() - {_ANY}
    if not wanted:
        return
    texts = (text for operation in operations(document) for text in operation.path.split("/"))
    names = {name for text in texts if (name := colon_name(text)) is not None}
    for name in choices:
        if name in wanted - names:
            closest = ask_or_list(name, sorted(names)) or "; the document has no such segments"
            raise UsageError(
                f"Options.path_parameters: {name!r} is not a segment ':{name}' of any path{closest}"
            )


def _refuse_unknown_parameters(
    hidden: Mapping[str, bool], document: JsonObject, resolve: SchemaResolver
) -> None:
    if not hidden:
        return
    known = {*_parameters(document), *_members(document, resolve)}
    names = {name for name, _ in known}
    headers = {name.lower() for name, where in known if where == "header"}
    for name in hidden:
        if name not in names and name.lower() not in headers:
            reason = "is not a parameter in the query, headers or cookies of any operation"
            raise UsageError(
                f"Options.hidden: {name!r} {reason}{ask_or_list(name, sorted(names)) or '; the application has no functions'}"
            )


def _parameters_without_path(document: JsonObject) -> Iterator[JsonObject]:
    """Yield the parameters of all operations without path parameters, which are always sent."""
    for operation in operations(document):
        raw = operation.raw if isinstance(operation.raw, dict) else {}
        yield from (
            parameter for parameter in dicts(raw.get("parameters")) if parameter.get("in") != "path"
        )


def _parameters(document: JsonObject) -> Iterator[tuple[str, Any]]:
    """Yield the names of parameters with their locations."""
    for parameter in _parameters_without_path(document):
        if isinstance(parameter.get("name"), str):
            yield parameter["name"], str(parameter.get("in"))


def _members(document: JsonObject, resolve: SchemaResolver) -> Iterator[tuple[str, Any]]:
    """Yield the properties of objects in the query, which are parameters of their own there (rule R6)."""
    for parameter in _parameters_without_path(document):
        schema = resolve(parameter["schema"]) if "schema" in parameter else None
        if isinstance(schema, dict) and isinstance(schema.get("properties"), dict):
            yield from ((name, "query") for name in schema["properties"])
