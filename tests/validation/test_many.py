"""Very many problems: the work grows with the value and with the schema, never with the product of both."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.effort import calls

from specfn import Failure, Function, load
from specfn.validation.plain_types import MAX_PROBLEMS
from specfn.validation.repair.coerce import coerce
from specfn.validation.validate import Validator

#: The most calls for one value that is wrong, and for one name or constant that the schema declares.
_PER_VALUE = 250
_PER_NAME = 400

#: The calls that any failure takes, whatever its size: twenty problems are described at length.
_FIXED = 60_000

STRING, INTEGER = {"type": "string"}, {"type": "integer"}


def names(count: int, prefix: str = "value") -> list[str]:
    return [f"{prefix}_{index}" for index in range(count)]


def tagged(tags: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"tag": {"enum": tags}, **properties}}


#: Schemas of items by the number of their names or constants, and an item that is wrong.
ITEMS: dict[str, tuple[Callable[[int], Any], Any]] = {
    "a constant": (lambda count: {"enum": names(count)}, "Valeu_1"),
    "a constant in another case": (lambda count: {"enum": [*names(count), "VALUE_1"]}, "Value_1"),
    "a constant or null": (lambda count: {"anyOf": [{"enum": names(count)}, {"type": "null"}]}, "x"),
    "one of many constants": (lambda count: {"anyOf": [{"const": each} for each in names(count)]}, "x"),
    "a number that should be a constant": (lambda count: {"enum": names(count)}, 5),
    "an unknown tag of many": (
        lambda count: {"oneOf": [tagged(names(count, "a")), tagged(names(count, "b"))]},
        {"tag": "c"},
    ),
    "an unknown tag of many alternatives": (
        lambda count: {"oneOf": [tagged([each]) for each in names(count)]},
        {"tag": "c"},
    ),
    "a wrong member of one of many alternatives": (
        lambda count: {"oneOf": [tagged([each], size=INTEGER) for each in names(count)]},
        {"tag": "value_0", "size": "x"},
    ),
    "a property that is not declared": (
        lambda count: {"properties": dict.fromkeys(names(count), INTEGER), "additionalProperties": False},
        {"valeu_1": 1},
    ),
    "a property that is not evaluated": (
        lambda count: {
            "allOf": [{"properties": dict.fromkeys(names(count), INTEGER)}],
            "unevaluatedProperties": False,
        },
        {"valeu_1": 1},
    ),
    "a name that is not listed": (lambda count: {"propertyNames": {"enum": names(count)}}, {"x": 1}),
    "a property that belongs elsewhere": (
        lambda count: {
            "properties": {each: {"properties": {f"in_{each}": {}}} for each in names(count)},
            "additionalProperties": False,
        },
        {"in_value_1": 1},
    ),
}  # fmt: skip


def work(schema: Any, value: Any) -> int:
    """Return the calls that repairing, explaining and describing take, once the schema is compiled."""
    validator = Validator(schema)

    def run() -> Any:
        outcome = coerce(value, validator)
        assert isinstance(outcome, Failure)
        return outcome.feedback()

    run()
    return calls(run, of_c=True)


@pytest.mark.parametrize("kind", [kind for kind in ITEMS if kind != "a constant in another case"])
def test_many_wrong_items(kind: str) -> None:
    """V8: many wrong items against many names or constants cost what both cost alone, added up."""
    schema, item = ITEMS[kind]
    for items, count in ((20, 2_000), (2_000, 20), (1_500, 1_500)):
        needed = work({"type": "array", "items": schema(count)}, [item] * items)
        assert needed < _FIXED + _PER_VALUE * items + _PER_NAME * count, (items, count, needed)


def test_many_repairs() -> None:
    """V7: so do many items of which each is another spelling of one of many constants."""
    schema, item = ITEMS["a constant in another case"]
    validator = Validator({"items": schema(1_000)})
    value = [item] * 1_000
    assert not coerce(value, validator)  # two constants are spelled so
    needed = calls(lambda: coerce(value, validator), of_c=True)
    assert needed < _FIXED + (_PER_VALUE + _PER_NAME) * 1_000


def function(declared: int, **more: Any) -> Function:
    body = {"type": "object", "properties": dict.fromkeys(names(declared), INTEGER), **more}
    operation = {
        "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
        "responses": {"200": {"description": "ok"}},
    }
    info = {"title": "t", "version": "1"}
    document = {"openapi": "3.1.0", "info": info, "paths": {"/a": {"post": operation}}}
    [found] = load(document).functions
    return found


@pytest.mark.parametrize("where", ["body", "root", "deep"])
@pytest.mark.parametrize("closed", ["additionalProperties", "unevaluatedProperties"])
def test_many_unknown_names(closed: str, where: str) -> None:
    """V8: each unknown name costs the same few calls, however many there are and however many are declared."""
    sent = dict.fromkeys(names(3_000, "unknown"), 1)
    value = {
        "body": {"body": sent},
        "root": {**sent, "body": {}},
        "deep": {"body": {"value_0": sent}},
    }[where]
    found = []
    for declared in (10, 1_000):
        checked = function(declared, **{closed: False})
        checked.check(value)
        found.append(calls(lambda f=checked: f.check(value).feedback(), of_c=True))
        assert found[-1] < _FIXED + 40 * len(sent) + _PER_NAME * declared, (declared, found)


def test_only_what_is_read_is_compared() -> None:
    """V8: names are compared, and sentences composed, for the first problems alone."""
    schema = {"properties": dict.fromkeys(names(500), INTEGER), "additionalProperties": False}
    validator = Validator(schema)
    few, many = (
        {f"valeu_{index}": 1 for index in range(count)}
        for count in (MAX_PROBLEMS, MAX_PROBLEMS + 1_000)
    )
    validator.problems(few)
    before = calls(lambda: validator.problems(few), of_c=True)
    assert calls(lambda: validator.problems(many), of_c=True) - before < 20 * 1_000
