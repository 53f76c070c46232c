"""``Options.one_of``: the verdicts under ``any`` and ``exactly``, against jsonschema on schemas rewritten here."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.effort import examples

from specfn.validation.compile.references import survey
from specfn.validation.validate import Validator

Json = dict[str, Any]

scalars = st.sampled_from([0, 1, 2, 1.5, "", "a", "ab", True, None])
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "kind"]), inner, max_size=3)
    ),
    max_leaves=6,
)
leaves = st.sampled_from(
    [
        *({"type": name} for name in ("integer", "number", "string", "object", "array", "null")),
        *({"minimum": 1}, {"maxLength": 1}, {"required": ["a"]}, {"required": ["b"]}),
        *({"const": 1}, {"enum": ["a", 1, None]}, {"maxItems": 1}, True, False),
        *({"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}),
    ]
)


def composed(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Schemas that hold others, most of them unions."""
    some = st.lists(inner, min_size=1, max_size=3)
    named = st.dictionaries(st.sampled_from(["a", "b"]), inner, min_size=1, max_size=2)
    return st.one_of(
        some.map(lambda branches: {"oneOf": branches}),
        some.map(lambda branches: {"oneOf": branches, "type": ["object", "integer", "string"]}),
        st.tuples(some, some).map(lambda two: {"oneOf": two[0], "anyOf": two[1]}),
        st.tuples(some, some).map(lambda two: {"oneOf": two[0], "allOf": two[1]}),
        st.tuples(named, some, st.booleans()).map(
            lambda three: {
                "properties": three[0],
                "oneOf": three[1],
                "unevaluatedProperties": three[2],
            }
        ),
        st.sampled_from(
            ["not", "items", "additionalProperties", "propertyNames", "contains", "then"]
        ).flatmap(lambda keyword: inner.map(lambda schema: {keyword: schema})),
        inner.map(lambda schema: {"contains": schema, "maxContains": 1}),
        inner.map(lambda schema: {"contains": schema, "unevaluatedItems": False}),
        st.tuples(inner, inner, inner).map(
            lambda three: {"if": three[0], "then": three[1], "else": three[2]}
        ),
        named.map(lambda schemas: {"dependentSchemas": schemas}),
        named.map(lambda schemas: {"properties": schemas}),
        some.map(lambda schemas: {"prefixItems": schemas}),
    )


schemas = st.recursive(leaves, composed, max_leaves=10)
many = settings(deadline=None, max_examples=examples(120), suppress_health_check=list(HealthCheck))

#: Below these a value that fits more would make the whole fit less.
EXACT = ("not", "if", "dependentSchemas")


def relaxed(node: Any, *, exact: bool = False) -> Any:
    """A schema whose ``oneOf`` is ``anyOf`` wherever that accepts no less; definitions come in both forms."""
    if not isinstance(node, dict):
        return node
    out: Json = {}
    for key, value in node.items():
        inner = exact or key in EXACT or (key == "contains" and "maxContains" in node)
        if key == "$ref":
            out[key] = value + "Exact" if exact else value
        elif key in {"properties", "dependentSchemas"}:
            out[key] = {name: relaxed(item, exact=inner) for name, item in value.items()}
        elif key in {"allOf", "anyOf", "oneOf", "prefixItems"}:
            out[key] = [relaxed(item, exact=inner) for item in value]
        else:
            out[key] = relaxed(value, exact=inner)
    if "oneOf" in out and not exact:
        out["allOf"] = [*out.get("allOf", ()), {"anyOf": out.pop("oneOf")}]
    return out


def rooted(schema: Any, named: Json) -> Json:
    return {"allOf": [schema], "$defs": named}


@many
@given(schemas, st.fixed_dictionaries({"A": schemas, "B": schemas}), st.lists(values, max_size=5))
def test_any_is_any_of_in_positive_places(schema: Any, named: Json, some: list[Any]) -> None:
    """V5: under ``any`` a ``oneOf`` in a positive place takes what fits a branch, and every other stays exact."""
    root = rooted(schema, named)
    if survey(root).looping:
        return  # jsonschema never returns from these
    both = {
        f"{name}{suffix}": relaxed(node, exact=bool(suffix))
        for name, node in named.items()
        for suffix in ("", "Exact")
    }
    loose, strict = Validator(root, one_of="any"), Validator(root, one_of="exactly")
    oracle = Draft202012Validator(rooted(relaxed(schema), both))
    letter = Draft202012Validator(root)
    for value in some:
        assert loose.is_valid(value) is oracle.is_valid(value)
        assert strict.is_valid(value) is letter.is_valid(value)
        assert loose.is_valid(value) or not strict.is_valid(value)
        assert bool(loose.problems(value)) is not loose.is_valid(value)


#: One more schema around a schema, with the value that leads to it.
AROUND = st.sampled_from(
    [
        lambda s, v: ({"not": s}, v),
        lambda s, v: ({"if": s, "then": False}, v),
        lambda s, v: ({"if": s, "else": False}, v),
        lambda s, v: ({"if": True, "then": s}, v),
        lambda s, v: ({"allOf": [s]}, v),
        lambda s, v: ({"anyOf": [s, {"type": "null"}]}, v),
        lambda s, v: ({"oneOf": [s, {"type": "number"}]}, v),
        lambda s, v: ({"properties": {"a": s}}, {"a": v}),
        lambda s, v: ({"dependentSchemas": {"a": {"properties": {"a": s}}}}, {"a": v}),
        lambda s, v: ({"additionalProperties": s}, {"b": v}),
        lambda s, v: ({"contains": s}, [v]),
        lambda s, v: ({"contains": s, "maxContains": 1}, [v, v]),
        lambda s, v: ({"items": s}, [v]),
    ]
)
ways = st.lists(AROUND, max_size=3)


@many
@given(ways, ways, st.sampled_from([1, 1.5, "a"]))
def test_what_is_exact_follows_the_place(inner: Any, outer: Any, value: Any) -> None:
    """V5: whether a ``oneOf`` whose branches overlap is exact depends on all that is around it, through references."""
    schema: Any = {"oneOf": [{"type": "integer"}, {"type": "number"}]}
    for wrap in inner:
        schema, value = wrap(schema, value)
    named, schema = {"A": schema}, {"$ref": "#/$defs/A"}
    for wrap in outer:
        schema, value = wrap(schema, value)
    both = {"A": relaxed(named["A"]), "AExact": relaxed(named["A"], exact=True)}
    oracle = Draft202012Validator(rooted(relaxed(schema), both))
    root = rooted(schema, named)
    assert Validator(root, one_of="any").is_valid(value) is oracle.is_valid(value)
    letter = Draft202012Validator(root)
    assert Validator(root, one_of="exactly").is_valid(value) is letter.is_valid(value)


kinds = st.sampled_from(["cat", "dog", "cow", 1, None])
objects = st.dictionaries(st.sampled_from(["kind", "a", "b"]), kinds | scalars, max_size=3)
tagged = st.lists(
    st.tuples(st.sampled_from(["cat", "dog", "cow"]), st.booleans(), leaves.filter(bool)),
    min_size=1,
    max_size=3,
)


@many
@given(tagged, st.lists(objects, max_size=5))
def test_a_tag_that_all_require_decides(
    branches: list[tuple[str, bool, Any]], some: list[Json]
) -> None:
    """V5, F10: the tag of every branch decides; a value without a tag must match exactly one branch."""
    number = {"oneOf": [{"type": "integer"}, {"type": "number"}]}
    union = [
        {
            "type": "object",
            "properties": {"kind": {"const": tag}, "a": leaf, "b": number},
            "required": ["kind"] if required else [],
        }
        for tag, required, leaf in branches
    ]
    named = {"A": {"type": "integer"}, "B": True}
    root = {**rooted({"oneOf": union, "discriminator": {"propertyName": "kind"}}, named)}
    wide = {"anyOf": number["oneOf"]}

    def read(keyword: str, inner: Json) -> Draft202012Validator:
        said = [{**node, "properties": {**node["properties"], "b": inner}} for node in union]
        return Draft202012Validator(rooted({keyword: said}, named))

    tagged = read("anyOf", wide)
    untagged = read(
        "oneOf", number if len(branches) > 1 else wide
    )  # exact, and so is what is inside
    letter = Draft202012Validator(root)
    for value in some:
        oracle = tagged if "kind" in value else untagged
        assert Validator(root, one_of="any").is_valid(value) is oracle.is_valid(value)
        assert Validator(root, one_of="exactly").is_valid(value) is letter.is_valid(value)
