"""The data of a page: the overview, the details of each function, figures, and the differences from another version."""

import re
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from textwrap import shorten
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from specfn._internal.json import JsonObject
from specfn.application.application import Application
from specfn.comparison.compare import compare
from specfn.comparison.difference import Difference
from specfn.connectors import registry
from specfn.errors import DocumentError
from specfn.function.function import Function
from specfn.inspector.document_places import declarations, place_of_edit, steps_of_path, value_at
from specfn.records import Edit, members
from specfn.schema.profiles.profile import Profile
from specfn.tools.report import OVER_TEXTS, ToolMeter
from specfn.tools.tool import MANY_TOKENS, LeftOut
from specfn.tools.tool_set import ToolSet

#: Tags of HTML, which many descriptions contain: those within a line, and all others.
_INLINE: Final = re.compile(r"</?(?:a|b|i|em|strong|code|span)(?: [^<>]*)?>")
_TAG: Final = re.compile(r"</?[a-zA-Z][^<>]*>")

#: The maximum number of characters of a summary in a row.
_MAX_SUMMARY: Final = 160


def overview(application: Application, profile: str, profiles: tuple[str, ...]) -> JsonObject:
    """Return the data of the first list of a page with profiles, without composing schemas; one is selected first.

    Raises:
        UsageError: there is no such profile; with the names that exist.
    """
    info = application.document.get("info")
    info = info if isinstance(info, dict) else {}
    raw = application.raw
    return {
        "generator": f"specfn {version('specfn')}",
        "title": _text(info.get("title")) or "Untitled document",
        "version": _text(info.get("version")),
        "format": f"Swagger {raw['swagger']}"
        if "swagger" in raw
        else f"OpenAPI {raw.get('openapi', '')}",
        "functions": [*map(_row, application.functions)],
        "errors": [*map(members, application.errors)],
        "profile": registry.profile(profile).name,
        "profiles": [_profile(registry.profile(name)) for name in profiles],
        "manyTokens": MANY_TOKENS,
    }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


def _row(function: Function) -> JsonObject:
    text = function.summary or _text(function.operation.get("description"))
    return {
        "name": function.name,
        "method": function.method,
        "path": function.path,
        "summary": shorten(_TAG.sub(" ", _INLINE.sub("", text)), _MAX_SUMMARY, placeholder=" …"),
        "safety": function.safety,
        "deprecated": function.deprecated,
        "accessor": ".".join(function.accessor),
        "pointer": function.route.pointer,
    }


def _profile(profile: Profile) -> JsonObject:
    return {
        "name": profile.name,
        "tools": profile.tools,
        "descriptionLimit": profile.description_limit,
        "verified": profile.verified,
        "strict": profile.strict is not None,
        "emptyRoot": profile.empty_root,
        "shape": profile.shape,
    }


#: The figures of a function that a page shows.
_SHOWN: Final = ("tokens", "tool_bytes", "edits")


def function_figures(functions: Sequence[Function], profile: Profile) -> Iterator[JsonObject]:
    """Yield the figures of each function, with its number of notes. Its schemas are released afterwards."""
    meter = ToolMeter(profile)
    for function in functions:
        figures = meter.measure(function)
        shown = {name: figures[name] for name in _SHOWN}
        over = [OVER_TEXTS[excess["what"]].format_map(excess) for excess in figures["over"]]
        yield {**shown, "over": over, "notes": len(function.notes)}
        function.schemas.release()


def document_notes(application: Application) -> list[JsonObject]:
    """Return the faults of the document that belong to no single operation."""
    return [*map(members, application.diagnostics)]


def profile_figures(functions: Sequence[Function], tools: ToolSet) -> Iterator[JsonObject]:
    """Yield ``tokens`` and ``edits`` of each function as a tool of a profile; ``refused`` if it cannot be a tool."""
    for function in functions:
        tool = tools.compose(function.name) if function.name in tools else None
        if tool is None:
            yield {"refused": str(function.fault)}
        elif isinstance(tool, LeftOut):
            yield {"refused": tool.reason}
        else:
            yield {"tokens": tool.tokens, "edits": len(tool.edits)}


def total(figures: Sequence[JsonObject]) -> JsonObject:
    """Return the figures of all functions for one profile."""
    tokens = [row["tokens"] for row in figures if "tokens" in row]
    return {"each": list(figures), "total": sum(tokens), "functions": len(tokens)}


#: Texts of formats.
_TEXTS: Final = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
    "email": "name@example.com",
    "uri": "https://example.com",
    "uuid": "00000000-0000-4000-8000-000000000000",
}

#: The deepest nesting of an example.
_MAX_DEPTH: Final = 12

#: Keywords whose value is an example.
_VALUES: Final = ("const", "example", "default")


def example_arguments(schema: Any) -> Any:
    """Return a short value that the schema of arguments probably accepts. Patterns are not considered."""
    return _example(schema, schema, 0)


def _example(schema: Any, root: Any, depth: int) -> Any:
    if not isinstance(schema, dict) or depth > _MAX_DEPTH:
        return None
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        return _example(root.get("$defs", {}).get(name), root, depth + 1)
    for key in _VALUES:
        if key in schema:
            return schema[key]
    for key in ("examples", "enum"):
        if isinstance(schema.get(key), list) and schema[key]:
            return schema[key][0]
    for branch in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        if branch != {"type": "null"}:
            return _example(branch, root, depth + 1)
    return _example_of_type(schema, root, depth)


def _example_of_type(schema: JsonObject, root: Any, depth: int) -> Any:
    declared = schema.get("type", "object" if "properties" in schema else "string")
    types = declared if isinstance(declared, list) else [declared]
    kind = next((name for name in types if name != "null"), "null")
    if kind == "object":
        properties = schema.get("properties", {})
        required = [name for name in schema.get("required", ()) if name in properties]
        return {name: _example(properties[name], root, depth + 1) for name in required}
    if kind == "array":
        return [_example(schema.get("items"), root, depth + 1)] if schema.get("minItems") else []
    if kind == "string":
        text = _TEXTS.get(str(schema.get("format")), "text")
        return text.ljust(min(schema.get("minLength", 0), 1_000), "x")[: schema.get("maxLength")]
    if kind in {"integer", "number"}:
        return schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
    return True if kind == "boolean" else None


def function_details(application: Application, function: Function) -> JsonObject:
    """Return the details of a function that do not depend on a profile.

    ``enforced`` is the schema that is validated, ``human`` the schema of the human part. ``edits`` has the place of
    each edit in the document.
    """
    fault = function.fault
    return {
        "operationId": function.operation_id,
        "tags": list(function.tags),
        "idempotent": function.idempotent,
        "security": [dict(requirement) for requirement in function.security],
        "fault": None if fault is None else str(fault),
        "enforced": None if fault else function.model_function.validator,
        "example": None if fault else example_arguments(function.model_function.validator),
        "output": function.output,
        "human": _human(function),
        "edits": edits_with_places(application, function, function.model_function.edits),
        "notes": [*map(members, function.notes)],
    }


def _human(function: Function) -> Any:
    separated = function.separated
    return None if separated is None else separated.human


def edits_with_places(
    application: Application, function: Function, edits: Iterable[Edit]
) -> list[JsonObject]:
    """Return edits as JSON, each with the pointer of its nearest declaration in the document as ``at``."""
    document = application.document
    return [
        {**members(edit), "at": place_of_edit(document, function, edit.pointer)} for edit in edits
    ]


def model_view(application: Application, function: Function, tools: ToolSet) -> JsonObject:
    """Return the name, description, schema and edits of a function as a model sees them with a profile.

    If the profile has no such tool, the result has only ``refused``, the reason.
    """
    if function.name not in tools:
        return {"refused": str(function.fault or DocumentError("the function has no tool"))}
    tool = tools.compose(function.name)
    if isinstance(tool, LeftOut):
        return {"refused": tool.reason}
    assert tool is not None
    return {
        "name": tool.name,
        "description": tool.description,
        "schema": tool.fit.schema,
        "strict": tool.fit.strict,
        "tokens": tool.tokens,
        "edits": edits_with_places(application, function, tool.edits),
    }


#: The number of characters of a fingerprint in a label.
_HASH: Final = 8

#: The place of the declarations of security schemes.
_SCHEMES: Final = "/components/securitySchemes"


def changes(old: Application, new: Application, *, responses: bool = False) -> JsonObject:
    """Return the differences and the values at their places; those of responses too if ``responses`` is set.

    Returns:
        ``labels``, the names of both documents; ``differences``, each with ``old_pointer`` and ``new_pointer`` of the
        nearest common declaration; and ``old`` and ``new``, the values by pointer.
    """
    sides: dict[str, JsonObject] = {"old": {}, "new": {}}
    differences = []
    for difference in compare(old, new, responses=responses):
        pointers = _pointers(old.document, new.document, difference)
        for side, application, pointer in zip(sides, (old, new), pointers, strict=True):
            if pointer is not None and pointer not in sides[side]:
                sides[side][pointer] = value_at(application.document, pointer)
        differences.append(
            {**difference.as_json(), "old_pointer": pointers[0], "new_pointer": pointers[1]}
        )
    return {"labels": _labels(old, new), "differences": differences, **sides}


def _labels(*applications: Application) -> list[str]:
    """Return the names of files with their versions; with the beginnings of fingerprints if these are equal."""
    labels = []
    for application in applications:
        info: Any = application.document.get("info")
        release = info.get("version", "") if isinstance(info, dict) else ""
        name = unquote(urlsplit(application.source or "").path).rpartition("/")[2]
        labels.append(f"{name} {release}".strip() or "–")
    if len({*labels}) == len(labels):
        return labels
    return [
        f"{label} ({application.fingerprint[:_HASH]})"
        for label, application in zip(labels, applications, strict=True)
    ]


def _pointers(
    old: JsonObject, new: JsonObject, difference: Difference
) -> tuple[str | None, str | None]:
    """Return the deepest declarations that both documents have; those of the difference for no schema."""
    before, after = difference.old_pointer, difference.new_pointer
    if difference.kind == "security" and difference.before == difference.after:
        return _SCHEMES, _SCHEMES  # the requirement is the same, but one of its schemes is not
    root, steps = steps_of_path(difference.place)
    if not root or before is None or after is None:
        return before, after
    old_trail, new_trail = declarations(old, before, steps), declarations(new, after, steps)
    depth = min(len(old_trail), len(new_trail)) - 1
    return old_trail[depth], new_trail[depth]
