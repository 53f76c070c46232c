from typing import Any

import pytest

from specfn.records import ABSENT
from specfn.validation.validate import Validator


def tagged(tag: str, **properties: Any) -> dict[str, Any]:
    """An object schema with a required constant for a tag and required properties."""
    return {
        "type": "object",
        "properties": {"kind": {"const": tag}, **properties},
        "required": ["kind", *properties],
    }


STRING, INTEGER, NULL = {"type": "string"}, {"type": "integer"}, {"type": "null"}
CAT, DOG = tagged("cat", lives=INTEGER), tagged("dog", bark=STRING)
DEFINITIONS = {
    "Cat": CAT,
    "Dog": DOG,
    "Pet": {
        "oneOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}],
        "discriminator": {"propertyName": "kind"},
    },
    "Open": {"type": "object", "properties": {"size": INTEGER}, "required": ["size"]},
    "Number": {"anyOf": [INTEGER, {"type": "number", "maximum": 5}]},
    "Filter": {
        "anyOf": [
            {
                "type": "object",
                "properties": {"and": {"type": "array", "items": {"$ref": "#/$defs/Filter"}}},
                "required": ["and"],
                "additionalProperties": False,
            },
            {
                "type": "object",
                "properties": {"or": {"type": "array", "items": {"$ref": "#/$defs/Filter"}}},
                "required": ["or"],
                "additionalProperties": False,
            },
            {
                "type": "object",
                "properties": {"f": STRING},
                "required": ["f"],
                "additionalProperties": False,
            },
        ]
    },
}
CAT_REF, DOG_REF, PET = ({"$ref": f"#/$defs/{name}"} for name in ("Cat", "Dog", "Pet"))
TAGS = '"cat" | "dog"'

#: Schema, value, the places and what is expected in them.
CASES: list[tuple[str, Any, Any, list[tuple[str, str]]]] = [
    # by type at the root
    ("no type fits", {"anyOf": [STRING, INTEGER]}, True, [("", "string | integer")]),
    ("no type fits a reference", {"anyOf": [CAT_REF, NULL]}, 5, [("", "Cat | null")]),
    (
        "one type fits",
        {"anyOf": [{**STRING, "minLength": 3}, INTEGER]},
        "ab",
        [("", "string & MinLength<3> | integer")],
    ),
    ("nullable object", {"anyOf": [CAT_REF, NULL]}, {"kind": "cat"}, [(".lives", "integer")]),
    (
        "nullable array",
        {"anyOf": [{"type": "array", "items": STRING}, NULL]},
        ["a", 5],
        [("[1]", "string")],
    ),
    (
        "object or array, array",
        {"oneOf": [CAT_REF, {"type": "array", "items": INTEGER}]},
        [1, "x"],
        [("[1]", "integer")],
    ),
    (
        "object or array, object",
        {"oneOf": [CAT_REF, {"type": "array"}]},
        {"kind": "cat", "lives": "9"},
        [(".lives", "integer")],
    ),
    (
        "integral float is an integer",
        {"anyOf": [{**INTEGER, "maximum": 1}, STRING]},
        2.0,
        [("", "integer & Maximum<1> | string")],
    ),
    ("true is no integer", {"anyOf": [INTEGER, STRING]}, True, [("", "integer | string")]),
    # by constants at the root
    ("no constant fits", {"anyOf": [{"const": "a"}, {"const": "b"}]}, "c", [("", '"a" | "b"')]),
    (
        "constant or other type",
        {"anyOf": [{"const": "auto"}, INTEGER]},
        "manual",
        [("", '"auto" | integer')],
    ),
    (
        "constant or pattern",
        {"anyOf": [{"enum": ["auto"]}, {**STRING, "pattern": "^x"}]},
        "manual",
        [("", '"auto" | string & Pattern<"^x">')],
    ),
    (
        "constant or object",
        {"oneOf": [{"enum": ["none", "auto"]}, tagged("function", name=STRING)]},
        {"kind": "function"},
        [(".name", "string")],
    ),
    # by discriminator
    ("tag fits", PET, {"kind": "dog", "bark": 5}, [(".bark", "string")]),
    ("tag fits, many faults", PET, {"kind": "cat", "lives": "x"}, [(".lives", "integer")]),
    ("tag unknown", PET, {"kind": "cow", "bark": 5}, [(".kind", '"dog"'), (".bark", "string")]),
    ("tag unknown, no members", PET, {"kind": "cow"}, [(".kind", TAGS)]),
    ("tag unknown, members of no branch", PET, {"kind": "cow", "moo": 5}, [(".kind", TAGS)]),
    ("tag in another case", PET, {"kind": "CAT", "bark": "x"}, [(".kind", TAGS)]),
    ("tag of a wrong type", PET, {"kind": 5}, [(".kind", TAGS)]),
    ("tag missing", PET, {"bark": "x"}, [(".kind", '"dog"')]),
    ("tag in vain", PET, "cat", [("", "Pet")]),
    (
        "tag inside",
        {"properties": {"a": {"type": "array", "items": PET}}},
        {"a": [{"kind": "cat", "lives": 1}, {"kind": "cow"}]},
        [(".a[1].kind", TAGS)],
    ),
    (
        "open branch takes unknown tags",
        {"anyOf": [CAT_REF, {"$ref": "#/$defs/Open"}], "discriminator": {"propertyName": "kind"}},
        {"kind": "lion"},
        [(".size", "integer")],
    ),
    ("nullable discriminated", {"anyOf": [PET, NULL]}, {"kind": "cat"}, [(".lives", "integer")]),
    (
        "nullable discriminated, unknown tag",
        {"anyOf": [{"anyOf": [CAT_REF, DOG_REF], "discriminator": {"propertyName": "kind"}}, NULL]},
        {"kind": "cow"},
        [(".kind", TAGS)],
    ),
    (
        "nonsense discriminator",
        {"anyOf": [CAT_REF, NULL], "discriminator": "kind"},
        {"kind": "cat"},
        [(".lives", "integer")],
    ),
    # by tags that nobody names
    ("implied tag fits", {"anyOf": [CAT_REF, DOG_REF]}, {"kind": "dog"}, [(".bark", "string")]),
    (
        "implied tag unknown",
        {"anyOf": [CAT_REF, DOG_REF]},
        {"kind": "cow", "bark": 1},
        [(".kind", '"dog"'), (".bark", "string")],
    ),
    (
        "two tags",
        {
            "anyOf": [
                tagged("a", v={"const": 1}),
                tagged("a", v={"const": 2}),
                tagged("b", v={"const": 3}),
            ]
        },
        {"kind": "a", "v": 3},
        [(".v", "1 | 2")],
    ),
    (
        "tags by enum",
        {
            "oneOf": [
                tagged("x", t={"enum": [1, 2]}, a=STRING),
                tagged("x", t={"enum": [3]}, b=STRING),
            ]
        },
        {"kind": "x", "t": 2},
        [(".a", "string")],
    ),
    # by what is missing, by how much is wrong, by order
    (
        "fewest missing",
        {
            "anyOf": [
                {"type": "object", "required": ["a", "b"]},
                {"type": "object", "properties": {"c": STRING}, "required": ["c"]},
            ]
        },
        {},
        [(".c", "string")],
    ),
    (
        "present property",
        {
            "anyOf": [
                {"type": "object", "properties": {"a": STRING}, "required": ["a"]},
                {"type": "object", "properties": {"b": STRING}, "required": ["b"]},
            ]
        },
        {"b": 5},
        [(".b", "string")],
    ),
    (
        "fewest faults",
        {
            "anyOf": [
                {"type": "object", "properties": {"a": STRING, "b": STRING}},
                {"type": "object", "properties": {"a": INTEGER, "b": STRING}},
            ]
        },
        {"a": 1, "b": 2},
        [(".b", "string | undefined")],
    ),
    ("first of equals", {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, {}, [(".a", "any")]),
    (
        "closed branches",
        {
            "anyOf": [
                {"properties": {"a": STRING}, "additionalProperties": False},
                {"properties": {"b": STRING, "c": STRING}, "additionalProperties": False},
            ]
        },
        {"b": "x", "c": 5},
        [(".c", "string | undefined")],
    ),
    # both together and within each other
    (
        "unions within unions",
        {"anyOf": [{"$ref": "#/$defs/Number"}, STRING]},
        None,
        [("", "Number | string")],
    ),
    (
        "the inner branch is opened",
        {"anyOf": [{"anyOf": [CAT_REF, DOG_REF]}, NULL]},
        {"kind": "dog"},
        [(".bark", "string")],
    ),
    (
        "union in a branch",
        {"anyOf": [tagged("a", x={"anyOf": [INTEGER, NULL]}), DOG_REF]},
        {"kind": "a", "x": "s"},
        [(".x", "integer | null")],
    ),
    (
        "union beside properties",
        {
            "type": "object",
            "properties": {"a": STRING},
            "anyOf": [{"required": ["b"]}, {"required": ["c"]}],
        },
        {"a": 5},
        [(".a", "string | undefined"), (".b", "any")],
    ),
    (
        "union in an allOf",
        {"allOf": [PET, {"properties": {"z": STRING}}]},
        {"kind": "cat", "z": 1},
        [(".z", "string | undefined"), (".lives", "integer")],
    ),
    (
        "a filter's leaf",
        {"$ref": "#/$defs/Filter"},
        {"and": [{"or": [{"f": 5}]}, {"f": "x"}]},
        [(".and[0].or[0].f", "string")],
    ),
    (
        "anyOf and oneOf",
        {"anyOf": [STRING, INTEGER], "oneOf": [STRING, NULL]},
        5,
        [("", "(string | integer) & (string | null)")],
    ),
    # oneOf
    (
        "fits twice",
        {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {"a": 1, "b": 1},
        [("", "{ a: any } | { b: any }")],
    ),
    (
        "fits twice, by reference",
        {"oneOf": [INTEGER, {"$ref": "#/$defs/Number"}]},
        3,
        [("", "integer | Number")],
    ),
]


@pytest.mark.parametrize(
    ("schema", "value", "wanted"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_the_branch_that_was_meant(schema: Any, value: Any, wanted: list[tuple[str, str]]) -> None:
    """V4: the problems are those of the branch meant, in both modes; where none was, one for the union."""
    root = {**schema, "$defs": DEFINITIONS}
    exact, loose = (Validator(root, one_of=mode) for mode in ("exactly", "any"))
    problems = exact.problems(value)
    assert [(problem.path, problem.expected) for problem in problems] == [
        ("$input" + path, expected) for path, expected in wanted
    ]
    assert loose.problems(value) == (() if loose.is_valid(value) else problems)


def test_unknown_and_missing_tags() -> None:
    """An unknown tag is shown, a missing one is absent, and both say what they are for."""
    validator = Validator({**PET, "$defs": DEFINITIONS})
    (unknown,) = validator.problems({"kind": "cow"})
    (missing,) = validator.problems({})
    assert unknown.value == "cow"
    assert missing.value is ABSENT
    assert unknown.description == missing.description == "It selects the alternative."


def test_a_guess_says_that_it_is_one() -> None:
    """If the number of faults selected the branch, the problem names the alternative."""
    schema = {"anyOf": [{"required": ["a", "b"]}, {"$ref": "#/$defs/Open"}], "$defs": DEFINITIONS}
    (problem,) = Validator(schema).problems({})
    assert problem.path == "$input.size"
    assert problem.description is not None
    assert problem.description.startswith("The nearest alternative is {")


def test_what_fits_too_often_says_so() -> None:
    """A value that fits two branches of a oneOf is told which."""
    schema = {"oneOf": [INTEGER, {"type": "number"}, STRING]}
    (problem,) = Validator(schema, one_of="exactly").problems(3)
    assert Validator(schema, one_of="any").is_valid(3)
    assert (
        problem.description
        == "It must fit exactly one alternative, but it fits integer and number."
    )


@pytest.mark.parametrize("levels", [4, 16, 30])
def test_nested_unions_take_time_of_their_size(levels: int) -> None:
    """V4: the wrong leaf of nested unions is found without trying every combination of branches."""
    value: Any = {"f": 5}
    for _ in range(levels):
        value = {"and": [value]}
    validator = Validator({"$ref": "#/$defs/Filter", "$defs": DEFINITIONS})
    (problem,) = validator.problems(value)
    assert problem.path == "$input" + ".and[0]" * levels + ".f"


def test_many_wrong_leaves() -> None:
    """Each wrong leaf of a wide tree of unions is found once."""
    value: Any = {"f": 5}
    for _ in range(7):
        value = {"or": [value, {"f": "fine"}, value]}
    problems = Validator({"$ref": "#/$defs/Filter", "$defs": DEFINITIONS}).problems(value)
    assert len(problems) == len({problem.path for problem in problems}) == 2**7


def test_more_unions_than_are_opened() -> None:
    """Beyond the most levels that are opened each union is still one problem at its place."""
    validator = Validator({"items": PET, "$defs": DEFINITIONS})
    problems = validator.problems([{"kind": "cat"}] * 25_000)
    assert len(problems) == 25_000
    assert problems[0].path == "$input[0].lives"
    assert problems[-1].path == "$input[24999]"


MESSAGES = {
    "Easy": {
        "type": "object",
        "properties": {"type": {"const": "message"}, "content": {"type": ["string", "array"]}},
        "required": ["type", "content"],
    },
    "Item": {
        "oneOf": [{"$ref": "#/$defs/Input"}, {"$ref": "#/$defs/Call"}],
        "discriminator": {"propertyName": "type"},
    },
    "Input": {
        "type": "object",
        "properties": {"type": {"const": "message"}, "content": {"type": "array"}},
        "required": ["type", "content"],
    },
    "Call": {
        "type": "object",
        "properties": {"type": {"const": "call"}, "id": INTEGER},
        "required": ["type", "id"],
    },
}


def test_a_tag_that_alternatives_share() -> None:
    """V5: a tag decides between the alternatives that have it and all others; which of them fits does not matter."""
    union = {
        "oneOf": [{"$ref": "#/$defs/Easy"}, {"$ref": "#/$defs/Item"}],
        "discriminator": {"propertyName": "type"},
        "$defs": MESSAGES,
    }
    loose, exact = Validator(union, one_of="any"), Validator(union, one_of="exactly")
    both = {"type": "message", "content": []}
    assert (loose.is_valid(both), exact.is_valid(both)) == (True, False)
    for value in ({"type": "message", "content": 5}, {"type": "call", "content": []}, {"type": 1}):
        assert not loose.is_valid(value)
    [problem] = loose.problems({"type": "call", "id": "x"})
    assert problem.path == "$input.id"


def test_a_tag_that_alternatives_leave_open() -> None:
    """V5: with a discriminator a union whose alternatives do not require their tags stays exact."""
    parts = [{"properties": {"kind": STRING, name: STRING}} for name in ("a", "b")]
    for union in ({"oneOf": parts}, {"oneOf": [INTEGER, {"type": "number"}]}):
        tagged_union = {**union, "discriminator": {"propertyName": "kind"}}
        for value in ({"kind": "x"}, 1):
            fits = Validator(union, one_of="exactly").is_valid(value)
            assert Validator(tagged_union, one_of="any").is_valid(value) is fits
