"""Explanation of the faults of an invalid document, as notes that name the cause.

jsonschema-rs validates a value in milliseconds, but its list of errors can be huge. Each nested union copies everything
below it, so a small invalid document can cost gigabytes. A million faults cost a million errors. This
module therefore uses validity alone. It checks one part of the metaschema and of the document at a time, from the
outside inwards, until the caller has enough notes.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from specfn._internal.did_you_mean import ask_if_meant
from specfn._internal.json import JsonObject, dumps
from specfn._internal.pointer import join
from specfn._internal.values import with_count
from specfn.document.diagnose.metaschema import Metaschema, Rule
from specfn.records import Note

#: The tokens of a location in the document.
Place: TypeAlias = tuple[str | int, ...]

#: The longest text of a note, and of a value in it.
_MAX_TEXT: Final = 200
_MAX_VALUE: Final = 60
#: How many names one note lists.
_MAX_NAMES: Final = 9


@dataclass(frozen=True, slots=True)
class _InvalidValue:
    """A value in the document that a rule of the metaschema rejects."""

    place: Place
    rule: Rule
    value: Any


_Findings: TypeAlias = Iterator["_InvalidValue | Note"]
#: Yields the findings of one schema keyword about a value.
_Step: TypeAlias = Callable[[Metaschema, _InvalidValue, JsonObject], _Findings]


def explain(metaschema: Metaschema, value: Any, rule: Rule) -> Iterator[Note]:
    """Yield the faults of a document, or of a part of it, that a rule refuses, until the caller stops.

    The number of validations is about the depth of the document times the number of notes that the caller reads.
    """
    start: list[_InvalidValue | Note] = [_InvalidValue((), rule, value)]
    stack = [iter(start)]
    while stack:
        item = next(stack[-1], None)
        if item is None:
            stack.pop()
        elif isinstance(item, Note):
            yield item
        else:
            stack.append(_findings(metaschema, item))


def _findings(metaschema: Metaschema, task: _InvalidValue) -> _Findings:
    """Yield the faults of one value: notes, and tasks for its invalid parts."""
    node = metaschema.node(task.rule)
    is_explained = False
    for keyword in node if isinstance(node, dict) else ():
        step = _STEPS.get(keyword)
        if step is not None:
            items = step(metaschema, task, node)
        else:
            items = _check_assertion(metaschema, task, node, keyword)
        for item in items:
            is_explained = True
            yield item
    if not is_explained:
        yield _rest(metaschema, task, node)


def _check(metaschema: Metaschema, place: Place, rule: Rule, value: Any) -> _Findings:
    if not metaschema.fits(rule, value):
        yield _InvalidValue(place, rule, value)


# -- keywords that apply schemas to the same value ---------------------------------------------------


def _check_reference(metaschema: Metaschema, task: _InvalidValue, node: JsonObject) -> _Findings:
    yield from _check(metaschema, task.place, task.rule.target(node["$ref"]), task.value)


def _check_dynamic(metaschema: Metaschema, task: _InvalidValue, node: JsonObject) -> _Findings:
    rule = metaschema.dynamic(task.rule, node["$dynamicRef"])
    yield from _check(metaschema, task.place, rule, task.value)


def _check_all_of(metaschema: Metaschema, task: _InvalidValue, node: JsonObject) -> _Findings:
    for index in range(len(node["allOf"])):
        yield from _check(metaschema, task.place, task.rule.below("allOf", index), task.value)


def _check_condition(metaschema: Metaschema, task: _InvalidValue, node: JsonObject) -> _Findings:
    branch = "then" if metaschema.fits(task.rule.below("if"), task.value) else "else"
    if branch in node:
        yield from _check(metaschema, task.place, task.rule.below(branch), task.value)


def _check_dependents(metaschema: Metaschema, task: _InvalidValue, node: JsonObject) -> _Findings:
    for name in node["dependentSchemas"]:
        if isinstance(task.value, dict) and name in task.value:
            rule = task.rule.below("dependentSchemas", name)
            yield from _check(metaschema, task.place, rule, task.value)


# -- keywords that apply schemas to members ----------------------------------------------------------


def _check_items(metaschema: Metaschema, task: _InvalidValue, _: JsonObject) -> _Findings:
    if isinstance(task.value, list):
        for index, item in enumerate(task.value):
            yield from _check(metaschema, (*task.place, index), task.rule.below("items"), item)


def _check_names(metaschema: Metaschema, task: _InvalidValue, _: JsonObject) -> _Findings:
    if isinstance(task.value, dict):
        for name in task.value:
            rule = task.rule.below("propertyNames")
            yield from _check(metaschema, (*task.place, name), rule, name)


def _check_properties(metaschema: Metaschema, task: _InvalidValue, node: JsonObject) -> _Findings:
    if isinstance(task.value, dict):
        for name in node["properties"]:
            if name in task.value:
                rule = task.rule.below("properties", name)
                yield from _check(metaschema, (*task.place, name), rule, task.value[name])


def _check_patterns(metaschema: Metaschema, task: _InvalidValue, node: JsonObject) -> _Findings:
    if isinstance(task.value, dict):
        for text in node["patternProperties"]:
            rule, pattern = task.rule.below("patternProperties", text), re.compile(text)
            for name, member in task.value.items():
                if pattern.search(name):
                    yield from _check(metaschema, (*task.place, name), rule, member)


def _check_others(metaschema: Metaschema, task: _InvalidValue, node: JsonObject) -> _Findings:
    """Check the members to which ``additionalProperties`` applies."""
    others = _unknown(task.value, node)
    if node["additionalProperties"] is not False:
        rule = task.rule.below("additionalProperties")
        for name in others:
            yield from _check(metaschema, (*task.place, name), rule, task.value[name])
    elif others:
        yield _note_unknown_properties(task.place, others, node)


def _unknown(value: Any, node: JsonObject) -> list[str]:
    """Return the members of a value that neither ``properties`` nor ``patternProperties`` covers."""
    if not isinstance(value, dict):
        return []
    known = node.get("properties", {})
    patterns = [re.compile(text) for text in node.get("patternProperties", ())]
    return [
        name
        for name in value
        if name not in known and not any(pattern.search(name) for pattern in patterns)
    ]


# -- unions --------------------------------------------------------------------------------------------


def _check_union(metaschema: Metaschema, task: _InvalidValue, node: JsonObject) -> _Findings:
    """Report the faults of the most likely branch. If a tag has no branch, report the tags instead."""
    keyword = "oneOf" if "oneOf" in node else "anyOf"
    rules = [task.rule.below(keyword, index) for index in range(len(node[keyword]))]
    fitting = sum(metaschema.fits(rule, task.value) for rule in rules)
    if fitting:
        if fitting > 1 and keyword == "oneOf":
            yield _note(task.place, "exactly one of the forms that OpenAPI allows", "several")
        return
    branches = [_branch(metaschema, rule) for rule in rules]
    tag = _tag(branches, task.value)
    options = [_options(branch, tag) for branch in branches] if tag else []
    if tag and not any(task.value[tag] in some for some in options):
        expected = f"one of {_join_as_json(option for some in options for option in some)}"
        yield _note((*task.place, tag), expected, _describe_value(task.value[tag]))
        return
    scores = [
        (bool(tag) and task.value[tag] not in options[index], _score(branch, task.value))
        for index, branch in enumerate(branches)
    ]
    yield _InvalidValue(task.place, rules[scores.index(min(scores))], task.value)


def _branch(metaschema: Metaschema, rule: Rule) -> JsonObject:
    """Return the schema of a branch, with references followed."""
    node: JsonObject = metaschema.node(rule)
    while "$ref" in node:
        rule = rule.target(node["$ref"])
        node = metaschema.node(rule)
    return node


def _options(branch: JsonObject, name: str) -> list[Any]:
    """Return the values that a branch lists for a property, or an empty list."""
    schema = branch.get("properties", {}).get(name)
    if not isinstance(schema, dict):
        return []
    return [schema["const"]] if "const" in schema else list(schema.get("enum", ()))


def _tag(branches: list[JsonObject], value: Any) -> str:
    """Return the property that distinguishes the branches; empty if the value has no such property."""
    for name in branches[0].get("properties", ()) if isinstance(value, dict) else ():
        if name in value and all(_options(branch, name) for branch in branches):
            return str(name)
    return ""


def _score(branch: JsonObject, value: Any) -> tuple[int, int, int]:
    """Return how far a value is from a branch: wrong types first, then constants and required properties, then unknown ones."""
    types = branch.get("type", [])
    allowed = [types] if isinstance(types, str) else types
    members = value if isinstance(value, dict) else {}
    wrong = sum(
        bool(options := _options(branch, name)) and member not in options
        for name, member in members.items()
    )
    missing = sum(name not in members for name in branch.get("required", ()))
    return (
        int(bool(allowed) and not any(isinstance(value, _CLASSES[name]) for name in allowed)),
        wrong + missing,
        len(_unknown(members, branch)),
    )


#: The classes of a type's values, precise enough to distinguish branches.
_CLASSES: Final[dict[str, type | tuple[type, ...]]] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "null": type(None),
}


# -- assertions ----------------------------------------------------------------------------------------


def _check_assertion(
    metaschema: Metaschema, task: _InvalidValue, node: JsonObject, keyword: str
) -> _Findings:
    expected = _EXPECTED.get(keyword)
    if expected is not None and not metaschema.holds(node, keyword, task.value):
        yield _note(task.place, expected(node[keyword]), _describe_value(task.value))


def _check_not(metaschema: Metaschema, task: _InvalidValue, node: JsonObject) -> _Findings:
    if metaschema.fits(task.rule.below("not"), task.value):
        names = node["not"].get("required")
        expected = f"not {' and '.join(names)} together" if names else "something else"
        yield _note(task.place, expected, _describe_value(task.value))


def _check_missing_properties(_: Metaschema, task: _InvalidValue, node: JsonObject) -> _Findings:
    if isinstance(task.value, dict):
        for name in node["required"]:
            if name not in task.value:
                yield _note(
                    task.place, f"the property {_join_as_json([name])}", "an object without it"
                )


def _rest(metaschema: Metaschema, task: _InvalidValue, node: Any) -> Note:
    """Return a note for a fault that no keyword explained."""
    if isinstance(node, dict) and "unevaluatedProperties" in node and isinstance(task.value, dict):
        names = metaschema.list_unevaluated(task.rule, task.value)
        if names:
            return _note_unknown_properties(task.place, names, node)
    return _note(task.place, "a value that OpenAPI allows", _describe_value(task.value))


_STEPS: Final[dict[str, _Step]] = {
    "$ref": _check_reference,
    "$dynamicRef": _check_dynamic,
    "allOf": _check_all_of,
    "anyOf": _check_union,
    "oneOf": _check_union,
    "not": _check_not,
    "if": _check_condition,
    "dependentSchemas": _check_dependents,
    "items": _check_items,
    "properties": _check_properties,
    "patternProperties": _check_patterns,
    "additionalProperties": _check_others,
    "propertyNames": _check_names,
    "required": _check_missing_properties,
}

# -- texts ---------------------------------------------------------------------------------------------

_TYPES: Final = {
    "object": "an object",
    "array": "an array",
    "string": "a text",
    "boolean": "true or false",
    "integer": "an integer",
    "number": "a number",
    "null": "null",
}


def _type_text(types: str | list[str]) -> str:
    return " or ".join(_TYPES[name] for name in ([types] if isinstance(types, str) else types))


def _properties_text(count: int) -> str:
    return "1 property" if count == 1 else f"{count} properties"


#: The expected value, by the keyword that asserts it.
_EXPECTED: Final[dict[str, Callable[[Any], str]]] = {
    "type": _type_text,
    "enum": lambda options: f"one of {_join_as_json(options)}",
    "const": lambda value: _join_as_json([value]),
    "pattern": lambda text: f"a text that matches {text}",
    "format": lambda name: f"a text in the format {name}",
    "minimum": lambda limit: f"at least {limit}",
    "minLength": lambda limit: f"at least {with_count(limit, 'character')}",
    "minItems": lambda limit: f"at least {with_count(limit, 'item')}",
    "minProperties": lambda limit: f"at least {_properties_text(limit)}",
    "maxProperties": lambda limit: f"at most {_properties_text(limit)}",
    "uniqueItems": lambda _: "distinct items",
    "contains": lambda _: "another number of matching items",
}


def _join_as_json(values: Iterable[Any]) -> str:
    return ", ".join(dumps(value).decode() for value in values)


def _describe_value(value: Any) -> str:
    """Return a value for a text: a scalar as JSON, another value as its type."""
    if isinstance(value, dict | list):
        return _TYPES["object" if isinstance(value, dict) else "array"]
    text = dumps(value[:_MAX_VALUE] if isinstance(value, str) else value).decode()
    return text if len(text) <= _MAX_VALUE else f"{text[:_MAX_VALUE]}…"


def _note_unknown_properties(place: Place, names: list[str], node: JsonObject) -> Note:
    """Return a note about properties that the metaschema does not know; for a single one with the closest name."""
    listed = _join_as_json(name[:_MAX_VALUE] for name in names[:_MAX_NAMES])
    if len(names) > 1:
        return Note(pointer=join(place), text=_short(f"unknown properties {listed}"))
    hint = ask_if_meant(names[0][:_MAX_VALUE], node.get("properties", ()), cutoff=0.75)
    patterns = [text for text in node.get("patternProperties", ()) if text != "^x-"]
    if patterns and not node.get("properties"):
        hint = f"; expected a name that matches {' or '.join(patterns)}"
    return Note(pointer=join(place), text=_short(f"unknown property {listed}{hint}"))


def _note(place: Place, expected: str, found: str) -> Note:
    return Note(pointer=join(place), text=_short(f"expected {expected}, found {found}"))


def _short(text: str) -> str:
    return text if len(text) <= _MAX_TEXT else f"{text[:199]}…"
