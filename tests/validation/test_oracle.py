"""The verdict of another implementation, on schemas and values that nobody chose."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from tests.effort import examples

from specfn.validation.compile.references import survey
from specfn.validation.validate import Validator

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.integers(-20, 20).map(lambda tenth: tenth / 2)
    | st.sampled_from(["", "a", "ab", "abc", "x1"])
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "c", "1", ""]), inner, max_size=4)
    ),
    max_leaves=8,
)
names = st.sampled_from(["A", "B", "C"])
keys = st.sampled_from(["a", "b", "c", "1"])

leaves = st.one_of(
    st.booleans(),
    st.sampled_from(["string", "integer", "number", "boolean", "null", "object", "array"]).map(
        lambda name: {"type": name}
    ),
    st.lists(
        st.sampled_from(["string", "integer", "null", "object"]),
        min_size=1,
        max_size=3,
        unique=True,
    ).map(lambda types: {"type": types}),
    scalars.map(lambda value: {"const": value}),
    st.lists(scalars, min_size=1, max_size=3).map(lambda options: {"enum": options}),
    st.integers(-3, 3).map(lambda bound: {"minimum": bound}),
    st.integers(0, 3).map(lambda bound: {"minLength": bound}),
    st.sampled_from([{"pattern": "^a"}, {"pattern": "^(?!a)"}, {"multipleOf": 0.5}]),
    names.map(lambda name: {"$ref": f"#/$defs/{name}"}),
)


def composed(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    keywords = {
        **dict.fromkeys(
            ("properties", "dependentSchemas"), st.dictionaries(keys, inner, max_size=3)
        ),
        "patternProperties": st.dictionaries(st.sampled_from(["^a", "b$", "1"]), inner, max_size=2),
        **dict.fromkeys(
            ("allOf", "anyOf", "oneOf", "prefixItems"), st.lists(inner, min_size=1, max_size=3)
        ),
        **dict.fromkeys(
            (
                "additionalProperties",
                "propertyNames",
                "items",
                "contains",
                "not",
                "if",
                "then",
                "else",
                "unevaluatedProperties",
                "unevaluatedItems",
            ),
            inner,
        ),
        **dict.fromkeys(
            (
                "minContains",
                "maxContains",
                "minItems",
                "maxItems",
                "minProperties",
                "maxProperties",
            ),
            st.integers(0, 3),
        ),
        "required": st.lists(keys, max_size=2, unique=True),
        "dependentRequired": st.dictionaries(
            keys, st.lists(keys, max_size=2, unique=True), max_size=2
        ),
        "uniqueItems": st.booleans(),
        "type": st.sampled_from(["object", "array"]),
    }
    chosen = st.lists(st.sampled_from(sorted(keywords)), min_size=1, max_size=4, unique=True)
    return chosen.flatmap(lambda some: st.fixed_dictionaries({key: keywords[key] for key in some}))


schemas = st.recursive(leaves, composed, max_leaves=8)
definitions = st.fixed_dictionaries(dict.fromkeys(("A", "B", "C"), schemas))
slow = settings(deadline=None, max_examples=examples(80), suppress_health_check=list(HealthCheck))


def rooted(schema: Any, named: dict[str, Any]) -> dict[str, Any]:
    root = schema if isinstance(schema, dict) else {"allOf": [schema]}
    return {**root, "$defs": named}


@slow
@given(schemas, definitions, st.lists(values, min_size=1, max_size=5))
def test_the_verdict_is_that_of_jsonschema(
    schema: Any, named: dict[str, Any], some: list[Any]
) -> None:
    """V5: on any schema without loops in place, the verdict is that of jsonschema."""
    root = rooted(schema, named)
    if survey(root).looping:
        return  # jsonschema never returns from these
    validator, oracle = Validator(root, one_of="exactly"), Draft202012Validator(root)
    for value in some:
        assert validator.is_valid(value) is oracle.is_valid(value)


@slow
@given(
    schemas,
    definitions,
    st.lists(values, min_size=1, max_size=5),
    st.booleans(),
    st.sampled_from(["any", "exactly"]),
)
def test_every_failure_is_explained(
    schema: Any,
    named: dict[str, Any],
    some: list[Any],
    equals: bool,  # noqa: FBT001 - drawn
    one_of: Any,
) -> None:
    """V2, V8: an invalid value has problems, one per place, and the feedback marks each."""
    validator = Validator(rooted(schema, named), equals=equals, one_of=one_of)
    for value in some:
        outcome = validator.validate(value)
        problems = validator.problems(value)
        assert bool(outcome) is (not problems)
        assert len({problem.path for problem in problems}) == len(problems)
        if not outcome:
            assert outcome.feedback().count("❌") == min(len(problems), 20)


simple = st.recursive(
    st.sampled_from(
        [
            {"type": "string"},
            {"type": "integer"},
            {"enum": ["a", 1]},
            {"minLength": 2},
            {"minimum": 1},
        ]
    ),
    lambda inner: (
        st.fixed_dictionaries(
            {"type": st.just("object"), "properties": st.dictionaries(keys, inner, max_size=3)},
            optional={
                "required": st.lists(keys, max_size=2, unique=True),
                "additionalProperties": st.just(False) | inner,
                "minProperties": st.integers(0, 2),
            },
        )
        | st.fixed_dictionaries(
            {"type": st.just("array"), "items": inner}, optional={"maxItems": st.integers(0, 2)}
        )
    ),
    max_leaves=6,
)


def oracle_paths(root: Any, value: Any) -> set[str]:
    """The places of jsonschema's errors: a missing or surplus property at its own."""
    found = set()
    for error in Draft202012Validator(root).iter_errors(value):
        path = "".join(f"[{token!r}]" for token in error.absolute_path)
        if error.validator == "required":
            missing = [name for name in error.validator_value if name not in error.instance]
            found.update(f"{path}[{name!r}]" for name in missing)
        elif error.validator == "additionalProperties" and error.validator_value is False:
            declared = error.schema.get("properties", {})
            found.update(f"{path}[{name!r}]" for name in error.instance if name not in declared)
        else:
            found.add(path)
    return found


def own_paths(root: Any, value: Any) -> set[str]:
    from specfn._internal.pointer import input_tokens  # noqa: PLC0415 - only here

    found = set()
    for problem in Validator(root).problems(value):
        tokens = input_tokens(problem.path)
        assert tokens is not None
        found.add("".join(f"[{token!r}]" for token in tokens))
    return found


@slow
@given(simple, st.lists(values, min_size=1, max_size=5))
def test_the_places_are_those_of_jsonschema(schema: Any, some: list[Any]) -> None:
    """V2: without unions, the places are exactly those of jsonschema's errors."""
    for value in some:
        assert own_paths(schema, value) == oracle_paths(schema, value)


@pytest.mark.parametrize(
    ("value", "step", "valid"),
    [
        (0.07, 0.01, True),
        (19.99, 0.01, True),
        (0.3, 0.1, True),
        (1e-7, 1e-7, True),
        (0.35, 0.1, False),
        (10**30, 7, False),
    ],
)
def test_multiples_are_exact(value: float, step: float, valid: bool) -> None:  # noqa: FBT001 - a case
    """V5: ``multipleOf`` is exact on decimals, where others compare binary fractions."""
    assert Validator({"multipleOf": step}).is_valid(value) is valid


def test_nonsense_is_refused_by_both() -> None:
    """The oracle judges what is a schema as we do."""
    with pytest.raises(SchemaError):
        Draft202012Validator.check_schema({"type": "text"})
