"""Refusal of options that match nothing in a document.

Ignoring such an option could leave something open that the caller wanted to close.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from specfn._internal.did_you_mean import near
from specfn._internal.json import JsonObject
from specfn.document.upgrade.base import dicts
from specfn.errors import UsageError
from specfn.migrate.bodies.media_types import Look
from specfn.migrate.operation_keys import known_texts, route_keys
from specfn.migrate.operations import operations
from specfn.migrate.route import Route
from specfn.settings import Settings

#: The pattern of every operation. It may match nothing in a document without operations.
_ANY = "*"


def refuse_unmatched(
    routes: Sequence[Route], document: JsonObject, settings: Settings, look: Look
) -> None:
    """Check that ``answers``, ``hidden``, ``media_types`` and ``safety`` match something in the document.

    Args:
        routes: of the document, before any is selected.
        document: normalized.
        settings: the caller's options.
        look: gives the composed schema behind a normalized one.

    Raises:
        UsageError: a name or pattern matches nothing; the text lists the closest names.
    """
    bodies = (route for route in routes if route.body is not None)
    _patterns("safety", settings.safety, routes, "function")
    _patterns("answers", settings.answers, routes, "function")
    _patterns("media_types", settings.media_types, bodies, "function with a request body")
    _hidden(settings.hidden, document, look)


def _patterns(option: str, given: Iterable[str], routes: Iterable[Route], what: str) -> None:
    patterns = [pattern for pattern in given if pattern != _ANY]
    if not patterns:
        return
    operations = [*map(route_keys, routes)]
    for pattern in patterns:
        if not any(keys.match(pattern) for keys in operations):
            closest = near(pattern, known_texts(operations))
            raise UsageError(f"Options.{option}: {pattern!r} matches no {what}{closest}")


def _hidden(given: Mapping[str, bool], document: JsonObject, look: Look) -> None:
    if not given:
        return
    known = {*_parameters(document), *_members(document, look)}
    named = {name for name, _ in known}
    headers = {name.lower() for name, where in known if where == "header"}
    for name in given:
        if name not in named and name.lower() not in headers:
            reason = "is not a parameter in the query, headers or cookies of any operation"
            raise UsageError(
                f"Options.hidden: {name!r} {reason}{near(name, sorted(named)) or '; the application has no functions'}"
            )


def _declared(document: JsonObject) -> Iterator[JsonObject]:
    """Yield the parameters of all operations without path parameters, which are always sent."""
    for operation in operations(document):
        raw = operation.raw if isinstance(operation.raw, dict) else {}
        yield from (each for each in dicts(raw.get("parameters")) if each.get("in") != "path")


def _parameters(document: JsonObject) -> Iterator[tuple[str, Any]]:
    """Yield the names of parameters with their locations."""
    for parameter in _declared(document):
        if isinstance(parameter.get("name"), str):
            yield parameter["name"], str(parameter.get("in"))


def _members(document: JsonObject, look: Look) -> Iterator[tuple[str, Any]]:
    """Yield the properties of objects in the query, which are parameters of their own there (rule R6)."""
    for parameter in _declared(document):
        schema = look(parameter["schema"]) if "schema" in parameter else None
        if isinstance(schema, dict) and isinstance(schema.get("properties"), dict):
            yield from ((name, "query") for name in schema["properties"])
