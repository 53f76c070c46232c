import pickle
from typing import Any

import pytest

from specfn.errors import DocumentError
from specfn.validation.validate import Validator

SELF = {"$ref": "#/$defs/T"}
STRING = {"type": "string"}


def of(schema: Any, **definitions: Any) -> Validator:
    return Validator({"$ref": "#/$defs/T", "$defs": {"T": schema, **definitions}})


# -- references ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["A", "a b", "a/b", "a~b", "a%b", "ü", 'a"b', "#", "a%20b", "0", "Pet<cat>"]
)
@pytest.mark.parametrize("encode", ["raw", "percent"])
def test_names_of_definitions(name: str, encode: str) -> None:
    """A definition is found under any name, as a pointer, percent-encoded or not."""
    token = name.replace("~", "~0").replace("/", "~1").replace("%", "%25")
    if encode == "percent":
        token = "".join(
            f"%{byte:02X}" for byte in name.replace("~", "~0").replace("/", "~1").encode()
        )
    schema = {"$ref": f"#/$defs/{token}", "$defs": {name: STRING}}
    (problem,) = Validator(schema).problems(5)
    assert problem.expected == name


@pytest.mark.parametrize(
    "reference",
    [
        "#/$defs/Nothing",
        "#/$defs/T/properties/x",
        "other.json",
        "http://a.b/c",
        "#anchor",
        "#/$defs/T/9",
    ],
)
def test_references_that_lead_nowhere(reference: str) -> None:
    """A reference that is not to be found is the document's fault, said on first use."""
    validator = of({"items": {"$ref": reference}})
    with pytest.raises(DocumentError):
        validator.validate([1])


def test_references_into_definitions() -> None:
    """A pointer to any place of the schema is followed."""
    schema = {"properties": {"a": STRING, "b": {"$ref": "#/properties/a"}, "c": {"$ref": "#"}}}
    assert [problem.path for problem in Validator(schema).problems({"b": 5, "c": {"a": 1}})] == [
        "$input.b",
        "$input.c.a",
    ]


def test_what_looks_like_a_reference_in_data() -> None:
    """Constants may hold anything, ``$ref`` included."""
    data = {"$ref": "http://a.b/c", "pattern": "("}
    assert Validator({"const": data}).is_valid(data)
    assert Validator({"enum": [data], "default": data, "x-a": data}).is_valid(data)


def test_identifiers_in_a_schema_mean_nothing() -> None:
    """``$id``, anchors and dialects do not redirect references."""
    schema = {
        "$id": "http://a.b/",
        "$schema": "http://a.b/meta",
        "$anchor": "x",
        **SELF,
        "$defs": {"T": {"$id": "y", **STRING}},
    }
    assert Validator(schema).is_valid("a")
    assert not Validator(schema).is_valid(5)


# -- loops in place ------------------------------------------------------------------------------------

LOOPS: list[tuple[str, Validator, list[Any], list[Any]]] = [
    ("itself", of(SELF), [5, None], []),
    ("each other", of({"$ref": "#/$defs/U"}, U=SELF), [5, None], []),
    ("itself and more", of({"allOf": [SELF, STRING]}), ["a"], [5]),
    ("itself with a sibling", of({**SELF, "type": "string"}), ["a"], [5]),
    ("a union with itself", of({"anyOf": [SELF, STRING]}), ["a"], [5]),
    ("one of itself", of({"oneOf": [SELF, STRING, {"type": "null"}]}), ["a", None], [5]),
    (
        "a branch that extends itself",
        of({"anyOf": [{"allOf": [SELF, {"minLength": 2}]}, STRING]}),
        ["a"],
        [5],
    ),
    (
        "unions of each other",
        of({"anyOf": [{"$ref": "#/$defs/U"}, STRING]}, U={"anyOf": [SELF, {"type": "null"}]}),
        ["a", None],
        [5],
    ),
    ("not itself", of({"not": SELF}), [5], []),
    ("if itself", of({"if": SELF, "then": STRING}), [5], []),
    (
        "a dependent self",
        of({"dependentSchemas": {"a": SELF}, "required": ["a"]}),
        [{"a": 1}],
        [{}],
    ),
    (
        "an ordinary recursion",
        of({"type": "object", "additionalProperties": SELF}),
        [{"a": {}}],
        [{"a": 5}],
    ),
    (
        "a parent and its child",
        of({"anyOf": [{"$ref": "#/$defs/U"}, STRING]}, U={"allOf": [SELF, {"minLength": 2}]}),
        ["a"],
        [5],
    ),
]


@pytest.mark.parametrize(
    ("validator", "good", "bad"), [loop[1:] for loop in LOOPS], ids=[loop[0] for loop in LOOPS]
)
def test_loops_are_cut(validator: Validator, good: list[Any], bad: list[Any]) -> None:
    """An in-place reference of a schema to itself neither hangs nor influences the verdict."""
    assert [value for value in good if not validator.is_valid(value)] == []
    assert [value for value in bad if validator.is_valid(value)] == []
    assert all(validator.problems(value) for value in bad)


def test_a_loop_is_cut_only_where_it_closes() -> None:
    """A definition on a loop keeps its meaning where it is entered by itself."""
    child = {"allOf": [{"$ref": "#/$defs/Parent"}, {"minLength": 2}]}
    parent = {"anyOf": [{"$ref": "#/$defs/Child"}, STRING]}
    schema = {
        "properties": {"a": {"$ref": "#/$defs/Child"}},
        "$defs": {"Parent": parent, "Child": child},
    }
    validator = Validator(schema)
    assert validator.is_valid({"a": "xx"})
    assert not validator.is_valid({"a": "x"})
    assert not validator.is_valid({"a": 5})


def test_everything_refers_to_everything() -> None:
    """A complete graph of unions ends."""
    names = [f"D{index}" for index in range(12)]
    union = [{"$ref": f"#/$defs/{name}"} for name in names]
    schema = {
        "$ref": "#/$defs/D0",
        "$defs": {name: {"anyOf": [*union, {"const": name}]} for name in names},
    }
    assert Validator(schema).is_valid("D7")


# -- equals --------------------------------------------------------------------------------------------

A, B = {"properties": {"a": STRING}}, {"properties": {"b": STRING}}
CLOSED: list[tuple[str, Any, Any, list[str]]] = [
    ("plain", A, {"a": "x", "c": 1}, ["$input.c"]),
    ("nested", {"properties": {"o": A}}, {"o": {"c": 1}}, ["$input.o.c"]),
    ("items", {"items": A}, [{"c": 1}], ["$input[0].c"]),
    ("reference", {"$ref": "#/$defs/A"}, {"c": 1}, ["$input.c"]),
    ("no properties", {"type": "object"}, {"c": 1}, []),
    ("says so", {**A, "additionalProperties": True}, {"c": 1}, []),
    ("says what", {**A, "additionalProperties": {"type": "integer"}}, {"c": 1}, []),
    ("patterns", {**A, "patternProperties": {"^x": True}}, {"x1": 1, "c": 1}, ["$input.c"]),
    ("conjoined", {"allOf": [A, B]}, {"a": "x", "b": "y", "c": 1}, ["$input.c"]),
    (
        "conjoined by reference",
        {"$ref": "#/$defs/A", **B},
        {"a": "x", "b": "y", "c": 1},
        ["$input.c"],
    ),
    ("conjoined with an open one", {"allOf": [A, {"additionalProperties": True}]}, {"c": 1}, []),
    (
        "union",
        {"anyOf": [{**A, "required": ["a"]}, {**B, "required": ["b"]}]},
        {"a": "x", "c": 1},
        ["$input.c"],
    ),
    (
        "union and more",
        {**A, "anyOf": [{**B, "required": ["b"]}]},
        {"a": "x", "b": "y", "c": 1},
        ["$input.c"],
    ),
    (
        "condition",
        {**A, "if": {"required": ["a"]}, "then": B},
        {"a": "x", "b": "y", "c": 1},
        ["$input.c"],
    ),
    ("not asked", {"not": {**A, "required": ["a"]}}, {"c": 1}, []),
    ("a question", {"if": A, "then": {"required": ["z"]}}, {"z": 1, "c": 1}, []),
    ("recursion", {"$ref": "#/$defs/Node"}, {"next": {"next": {"c": 1}}}, ["$input.next.next.c"]),
]
NAMED = {"A": A, "Node": {"properties": {"next": {"$ref": "#/$defs/Node"}}}}


@pytest.mark.parametrize(
    ("schema", "value", "surplus"), [row[1:] for row in CLOSED], ids=[row[0] for row in CLOSED]
)
def test_equals(schema: Any, value: Any, surplus: list[str]) -> None:
    """With ``equals`` every object schema that declares properties and says nothing of others is closed."""
    problems = Validator({**schema, "$defs": NAMED}, equals=True).problems(value)
    assert [(problem.path, problem.expected) for problem in problems] == [
        (path, "undefined") for path in surplus
    ]


@pytest.mark.parametrize(
    ("schema", "value"), [row[1:3] for row in CLOSED], ids=[row[0] for row in CLOSED]
)
def test_open_without_equals(schema: Any, value: Any) -> None:
    """Without ``equals`` the same schemas refuse nothing that they do not name."""
    assert Validator({**schema, "$defs": NAMED}).is_valid(value)


# -- nonsense ------------------------------------------------------------------------------------------

NONSENSE: list[tuple[Any, str]] = [
    ({"type": "text"}, "/$defs/T/type"),
    ({"properties": {"a": {"minimum": "1"}}}, "/$defs/T/properties/a/minimum"),
    ({"properties": 5}, "/$defs/T/properties"),
    ({"anyOf": []}, "/$defs/T/anyOf"),
    ({"required": "a"}, "/$defs/T/required"),
    ({"items": [STRING]}, "/$defs/T/items"),
    ({"minLength": -1}, "/$defs/T/minLength"),
    ({"$ref": 5}, "/$defs/T/$ref"),
    ({"const": {1}}, ""),
    ({"properties": {1: True}}, ""),
]


@pytest.mark.parametrize(("schema", "pointer"), NONSENSE)
def test_what_is_no_schema(schema: Any, pointer: str) -> None:
    """A schema that cannot be compiled is the document's fault, with the place where that can be said."""
    with pytest.raises(DocumentError) as raised:
        of(schema).validate(5)
    assert raised.value.pointer == pointer


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"required": ["a", "a"]}, {"a": 1}, {}),
        ({"type": ["string", "string"]}, "a", 5),
        ({"type": "string", "nullable": True, "x-y": {"type": 5}}, "a", 5),
        ({"minLength": 2.0}, "ab", "a"),
    ],
)
def test_habits_that_do_no_harm(schema: Any, good: Any, bad: Any) -> None:
    """Repetitions and unknown keywords are passed over."""
    assert of(schema).is_valid(good)
    assert not of(schema).is_valid(bad)


def test_validators_travel() -> None:
    """A validator can be pickled: it carries its schema and compiles again."""
    validator = Validator({"type": "string", "format": "uuid"}, formats="hint", equals=True)
    assert validator.is_valid("x")
    copy = pickle.loads(pickle.dumps(validator))
    assert copy.is_valid("x")
    assert not copy.is_valid(5)


def test_the_schema_is_not_changed() -> None:
    """Preparing leaves the given schema as it is."""
    schema = {
        "$ref": "#/$defs/T",
        "$defs": {"T": {"anyOf": [SELF, {"type": "integer", "format": "int32"}]}},
    }
    before = repr(schema)
    Validator(schema, equals=True).problems("x")
    assert repr(schema) == before
