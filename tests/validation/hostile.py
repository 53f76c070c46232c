"""Hostile values against schemas of all kinds: what validation says of each, a line of JSON for each pair.

Run as a program, so that the one who runs it sees the end of the process, if it comes to that.
"""

import json
import sys
from collections import OrderedDict, UserDict, UserList
from collections.abc import Callable, Iterator
from decimal import Decimal
from enum import IntEnum, StrEnum
from typing import Any, NoReturn

from specfn import Failure
from specfn.validation.validate import Validator


class Bomb:
    """Whatever is asked of it, the process ends."""

    def _explode(self, *_: Any) -> NoReturn:
        raise SystemExit

    __eq__ = __hash__ = __len__ = __iter__ = __bool__ = __repr__ = __str__ = _explode  # type: ignore[assignment]
    __int__ = __float__ = __index__ = __contains__ = __getitem__ = __lt__ = _explode


class Text(str):
    __slots__ = ()
    __eq__ = __hash__ = __len__ = Bomb._explode  # type: ignore[assignment]


class Dict(dict[str, Any]):
    __iter__ = items = keys = values = __getitem__ = __len__ = Bomb._explode  # type: ignore[assignment]


class List(list[Any]):
    __iter__ = __getitem__ = __len__ = Bomb._explode  # type: ignore[assignment]


class Number(int):
    __eq__ = __hash__ = __lt__ = __mod__ = Bomb._explode  # type: ignore[assignment]


class One(IntEnum):
    ONE = 1


class Word(StrEnum):
    A = "a"


def lists(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def tree(levels: int, leaf: Any = 1) -> Any:
    value: Any = {"v": leaf}
    for _ in range(levels - 1):
        value = {"c": value}
    return value


def cyclic_list() -> Any:
    value: list[Any] = [1]
    value.append(value)
    return value


def cyclic_dict() -> Any:
    value: dict[str, Any] = {"v": 1}
    value["c"] = {"c": value}
    return value


#: Made anew for each schema: none of them should be changed, and a test should not rely on it.
VALUES: dict[str, Callable[[], Any]] = {
    "lists at the limit": lambda: lists(64),
    "lists beyond the limit": lambda: lists(65),
    "lists without end": lambda: lists(50_000),
    "objects at the limit": lambda: tree(64),
    "objects at the limit, wrong at their end": lambda: tree(64, "x"),
    "objects beyond the limit": lambda: tree(65),
    "a cycle of lists": cyclic_list,
    "a cycle of objects": cyclic_dict,
    "one list many times": lambda: [[0] * 100] * 100,
    "an integer beyond floats": lambda: 10**400,
    "an integer at the limit of digits": lambda: 10**4299,
    "an integer beyond digits": lambda: 10**4300,
    "a huge integer": lambda: -(1 << 3_000_000),
    "an integer between floats": lambda: 2**53 + 1,
    "nan": lambda: float("nan"),
    "nan below": lambda: {"v": [float("nan")]},
    "infinity": lambda: -float("inf"),
    "a tiny number": lambda: 5e-324,
    "a large number": lambda: 1.7e308,
    "minus zero": lambda: -0.0,
    "true": lambda: True,
    "a lone surrogate": lambda: "\ud800",
    "a lone surrogate below": lambda: {"v": ["a\udfff"]},
    "a lone surrogate as key": lambda: {"\ud800": 1},
    "null in a text": lambda: "a\x00b",
    "a long text": lambda: "a" * 200_000,
    "a long text that ends badly": lambda: "a" * 60_000 + "!",
    "a long text of letters beyond ASCII": lambda: "é" * 50_000,
    "a long key": lambda: {"k" * 200_000: 1},
    "keys with meaning elsewhere": lambda: {"__proto__": 1, "$ref": "#", "": 2, "a.b": 3, "~/": 4},
    "bytes": lambda: b"a",
    "bytes below": lambda: {"v": [bytearray(b"a"), memoryview(b"a")]},
    "a tuple": lambda: (1, 2),
    "a set": lambda: {1},
    "a number as key": lambda: {1: 1},
    "null as key": lambda: {None: 1, "a": 2},
    "an object that ends the process": Bomb,
    "one below": lambda: {"v": [Bomb()]},
    "a hostile text": lambda: Text("a"),
    "a hostile object": lambda: Dict(v=1),
    "a hostile list": lambda: List([1]),
    "a hostile integer": lambda: Number(1),
    "hostile ones below": lambda: {"v": [Text("a"), Dict(v=1), List([1]), Number(1)]},
    "other containers": lambda: [OrderedDict(v=1), UserDict(v=1), UserList([1])],
    "members of enumerations": lambda: [One.ONE, Word.A],
    "a decimal": lambda: Decimal(1),
    "a complex number": lambda: 1j,
    "a generator": lambda: iter([1]),
    "a class": lambda: int,
    "a function": lambda: lists,
    "not implemented": lambda: NotImplemented,
    "a million items": lambda: [1] * 1_000_000,
    "a million properties": lambda: dict.fromkeys(map(str, range(1_000_000)), 1),
    "many items": lambda: [1] * 5_000,
    "many different items": lambda: list(range(5_000)),
    "many equal objects": lambda: [{"v": index % 3} for index in range(1_000)],
}


def hops(count: int) -> Any:
    """A way down through that many schemas applied to the same value."""
    node: Any = {"$ref": "#/$defs/Tree"}
    for index in range(count):
        node = (
            {"allOf": [node]},
            {"anyOf": [node, {"type": "boolean"}]},
            {"oneOf": [{"type": "null"}, node]},
        )[index % 3]
    return node


def nested(count: int) -> Any:
    members = {"c": hops(count), "v": {"type": "integer"}}
    named = {"Tree": {"type": "object", "properties": members, "additionalProperties": False}}
    return {"anyOf": [{"$ref": "#/$defs/Tree"}, {"type": "array"}], "$defs": named}


SCHEMAS: dict[str, Any] = {
    "anything": {},
    "nothing": {"not": {}},
    "a tree": nested(0),
    "a tree with hops": nested(5),
    "types": {"type": ["integer", "string", "object"]},
    "bounds": {"minimum": -5, "exclusiveMaximum": 10.5, "multipleOf": 0.01},
    "an integer format": {"type": ["integer", "array"], "format": "int64"},
    "texts": {"minLength": 1, "maxLength": 10, "format": "uuid"},
    "patterns": {"pattern": "^(a+)+$", "patternProperties": {"^(k|kk)+$": False}},
    "looking patterns": {"pattern": r"^(?=.*a)(?!.*b)\w+$", "propertyNames": {"pattern": r"(.)\1"}},
    "different items": {"uniqueItems": True, "items": {"type": ["integer", "object", "array"]}},
    "constants": {"enum": [1, "a", [1, 2], {"v": 1}, None, True]},
    "properties": {
        "properties": {"v": {"type": "integer"}},
        "required": ["v", "a"],
        "additionalProperties": {"minimum": 1},
        "maxProperties": 3,
    },
    "the rest": {"anyOf": [{"properties": {"v": True}}], "unevaluatedProperties": False},
    "some items": {"contains": {"const": 1}, "maxContains": 3, "unevaluatedItems": {"minimum": 0}},
    "equality": {"if": {"const": {"v": 1}}, "else": {"type": "array", "prefixItems": [True, False]}},
}  # fmt: skip


#: What so much is tried against: it is refused before any schema is looked at.
LOOKED_AT = ("anything", "properties")


def said(validator: Validator, value: Any) -> Any:
    """The verdict, and each problem but for its value; null where a pattern was too costly for the value."""
    outcome = validator.validate(value)
    if validator.unchecked:
        return None
    if not isinstance(outcome, Failure):
        return True
    return [
        (problem.path[:200], problem.expected[:200], problem.description)
        for problem in outcome.errors
    ]


def sunk(levels: int, action: Callable[[], Any]) -> Any:
    """Return the result of an action at a certain depth of the stack."""
    return action() if levels == 0 else sunk(levels - 1, action)


def lines() -> Iterator[tuple[str, str, Any]]:
    for name, schema in SCHEMAS.items():
        validator = Validator(schema)
        for kind, make in VALUES.items():
            if "patterns" in name:
                validator = Validator(schema)  # it remembers what was too costly
            if "million" not in kind or name in LOOKED_AT:
                yield name, kind, said(validator, make())
    for name in ("a tree", "a tree with hops"):
        validator = Validator(SCHEMAS[name])
        validator.is_valid(1)
        for kind in ("objects at the limit", "objects at the limit, wrong at their end"):
            room = sys.getrecursionlimit() - 250
            yield (
                name,
                f"{kind}, far down",
                sunk(room, lambda v=validator, k=kind: said(v, VALUES[k]())),
            )


if __name__ == "__main__":
    for line in lines():
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()
