"""Notes about the schemas of a function: normalized constants (N7), formats and patterns not asserted (V5)."""

from collections.abc import Iterator
from itertools import chain
from typing import Any, Final

from specfn._internal.characters import escape_all
from specfn._internal.json import JsonObject, dumps
from specfn._internal.pointer import Tokens, join
from specfn.document.references.dynamic import OPEN
from specfn.document.upgrade.constants import DECLARED
from specfn.function.function_schemas import Schemas
from specfn.migrate.route import Route
from specfn.records import Note
from specfn.schema.patterns.cost import refused
from specfn.schema.patterns.engine import classify, patterns_in
from specfn.schema.render.annotations import normalization_note
from specfn.schema.walk import subschema_entries

#: The maximum number of formats or patterns in a note, and of characters of a pattern in it.
_MAX_LISTED: Final = 3
_MAX_PATTERN: Final = 60


def schema_notes(route: Route, schemas: Schemas) -> Iterator[Note]:
    """Yield the notes about the arguments of an operation, which are composed for it."""
    yield from _readings(route, schemas)
    yield from _formats(route, schemas)
    yield from _patterns(route, schemas)


def _readings(route: Route, schemas: Schemas) -> Iterator[Note]:
    """Yield a note for each place that was normalized to another meaning."""
    root, facts = schemas.root, schemas.facts
    places: dict[str, JsonObject] = {"": root, **root.get("$defs", {})}
    for name, schema in places.items():
        component, is_variant, _ = name.partition("<")
        for node, tokens in facts.of(_find_marks, schema):
            place = ("components", "schemas", component, *tokens)
            pointer = route.pointer if not name or is_variant else join(place)
            yield Note(
                pointer=pointer, text=f"at {component}{join(tokens)}: {normalization_note(node)}"
            )


def _formats(route: Route, schemas: Schemas) -> Iterator[Note]:
    """Yield one note about the string formats that are only hints, if there are any."""
    hints = schemas.hints
    if hints:
        shown = [f"{hint.format} at {hint.pointer}: {hint.reason}" for hint in hints[:_MAX_LISTED]]
        more = f"; and {len(hints) - _MAX_LISTED:,} more" if len(hints) > _MAX_LISTED else ""
        text = f"{len(hints):,} formats are not enforced ({'; '.join(shown)}{more})"
        yield Note(pointer=route.pointer, text=text)


def _patterns(route: Route, schemas: Schemas) -> Iterator[Note]:
    """Yield one note about the patterns that validation does not run, if there are any."""
    root, facts = schemas.root, schemas.facts
    nodes = (root, *root.get("$defs", {}).values())
    patterns = dict.fromkeys(chain.from_iterable(facts.of(_patterns_of, node) for node in nodes))
    reasons = refused(patterns, classify, schemas.pattern_bytes)
    if reasons:
        shown = [f"{_show_pattern(name)}: {why}" for name, why in [*reasons.items()][:_MAX_LISTED]]
        more = f"; and {len(reasons) - _MAX_LISTED:,} more" if len(reasons) > _MAX_LISTED else ""
        text = f"patterns that validation does not run: {'; '.join(shown)}{more}"
        yield Note(pointer=route.pointer, text=text)


def _patterns_of(schema: Any) -> tuple[str, ...]:
    return tuple(patterns_in(schema))


def _show_pattern(pattern: str) -> str:
    """Return a pattern for a note: visible, on one line, and short."""
    text = escape_all(dumps(pattern[:_MAX_PATTERN]).decode())
    return f"{text} …" if len(pattern) > _MAX_PATTERN else text


def _find_marks(schema: Any) -> tuple[tuple[JsonObject, Tokens], ...]:
    """Return the nodes that were normalized to another meaning, with their places."""
    marks: list[tuple[JsonObject, Tokens]] = []
    waiting: list[tuple[Any, Tokens]] = [(schema, ())]
    while waiting:
        node, tokens = waiting.pop()
        if not isinstance(node, dict):
            continue
        if DECLARED in node or OPEN in node:
            marks.append((node, tokens))
        waiting += [
            (inner, (*tokens, keyword) if key is None else (*tokens, keyword, key))
            for keyword, key, inner in reversed(subschema_entries(node))
        ]
    return tuple(marks)
