import copy
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from orjson import dumps, loads
from tests.connectors.lint import faults
from tests.connectors.names import PROFILES
from tests.grammars import HARMLESS, is_no_moment, is_told, narrowed, texts, widened
from tests.properties.test_schema_laws import (
    components,
    components_with_defaults,
    defaults,
    entities,
    graphs,
    has_loop,
    samples,
    schemas,
    uses,
)
from tests.samples import Sampler
from tests.schema.conftest import accepts, composed, contradictions, misfits, place

from specfn.connectors import profile
from specfn.schema.profiles.fit import Fit, Fitter
from specfn.schema.profiles.refusals import refusals
from specfn.schema.profiles.restore import restore
from specfn.validation.validate import Validator

LAW = settings(deadline=None, max_examples=settings.default.max_examples * 6 // 10)

Json = dict[str, Any]

profiles = st.sampled_from(PROFILES)
items = st.sampled_from(["a", "x y", "x_y", "1st", "filter[a]", "b" * 70, "ok"])


def rooted(named: Json, node: Any) -> Json:
    """A schema as the body of arguments, closed at the root, with what it refers to."""
    validator = composed(named, {"type": "object", "properties": {"body": node}})
    return {**validator, "additionalProperties": False}


def plain(schema: Any) -> Any:
    """A schema with ``nullable`` beside a type or an enum as JSON Schema says it."""
    if not isinstance(schema, dict):
        return schema
    out = {
        key: {name: plain(inner) for name, inner in value.items()}
        if key in {"properties", "$defs"}
        else [plain(inner) for inner in value]
        if key == "anyOf"
        else plain(value)
        if key in {"items", "additionalProperties"}
        else value
        for key, value in schema.items()
        if key != "nullable"
    }
    return {"anyOf": [out, {"type": "null"}]} if schema.get("nullable") is True else out


def fitted(validator: Json, name: str, **options: Any) -> Fit:
    return Fitter(profile(name), **options).fit(validator)


@LAW
@given(components, schemas(references=True), profiles, samples)
def test_fitting_never_narrows(named: Json, node: Json, name: str, found: list[Any]) -> None:
    """What the validator accepts, the fitted schema accepts; enforced ones ask for more, and are not asked here."""
    assume(not has_loop(named))
    validator = rooted(named, node)
    before = copy.deepcopy(validator)
    fit = fitted(validator, name, budget=32_768)
    assert validator == before
    assert faults(fit.schema, fit.profile, strict=fit.strict) == []
    assert list(refusals(fit.schema, fit.profile)) == []
    for edit in fit.edits:
        assert isinstance(place(fit.schema, edit.pointer), dict), edit
    if not fit.strict:
        shown = plain(fit.schema)
        values = [{"body": value} for value in found]
        for value in [{}, *values, *(Sampler(validator, seed).draw() for seed in range(3))]:
            assert accepts(shown, value) or not accepts(validator, value)


@LAW
@given(components, schemas(references=True), profiles)
@example(
    named={
        "A": {"$ref": "#/components/schemas/C", "title": "T"},
        "C": {"anyOf": [{"type": "string"}]},
    },
    node={"items": False, "prefixItems": [{"$ref": "#/components/schemas/A"}]},
    name="anthropic",
)
def test_fitting_twice_is_fitting_once(named: Json, node: Json, name: str) -> None:
    """A fitted schema is one that its profile accepts, so fitting it again changes nothing."""
    assume(not has_loop(named))
    fit = fitted(rooted(named, node), name)
    again = fitted(fit.schema, name)
    assert again.schema == fit.schema
    assert again.strict == fit.strict


@LAW
@given(components_with_defaults, defaults, profiles)
def test_a_fitted_schema_admits_its_own_defaults(named: Json, node: Json, name: str) -> None:
    """F10: a default that a provider is shown is valid where it stands, and a constant is of the type beside it."""
    assume(not has_loop(named))
    shown = fitted(rooted(named, node), name).schema
    assert contradictions(shown) == []
    assert misfits(shown) == []


class Undeclared(Exception):  # noqa: N818  # not an error: such a value is not asked about
    pass


def filled(schema: Json, definitions: Json, value: Any) -> Any:
    """A value with null for every optional property that it leaves out, as a strict schema asks for it."""
    while "$ref" in schema:
        schema = definitions[schema["$ref"].removeprefix("#/$defs/")]
    if value is None:
        return None
    if "anyOf" in schema:
        return _filled_branch(schema["anyOf"], definitions, value)
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        if not properties.keys() >= value.keys():
            raise Undeclared
        return {
            name: filled(inner, definitions, value[name]) if name in value else None
            for name, inner in properties.items()
        }
    if isinstance(value, list):
        return [filled(schema.get("items", {}), definitions, item) for item in value]
    return value


def _filled_branch(branches: list[Json], definitions: Json, value: Any) -> Any:
    """A value as the first branch that takes it asks for it."""
    for branch in branches:
        try:
            written = filled(branch, definitions, value)
        except Undeclared:
            continue
        if accepts({**branch, "$defs": definitions}, written):
            return written
    raise Undeclared


#: Places that can be enforced: a map cannot.
enforceable = [*uses[:3], *uses[4:]]


@LAW
@given(graphs(*enforceable), entities(*enforceable))
def test_strict_arguments_come_back_as_they_were_meant(named: Json, node: Json) -> None:
    """What is enforced admits every valid value with null for what it leaves out, and restoring takes that out."""
    assume(not has_loop(named))
    validator = rooted(named, {**node, "additionalProperties": False})
    fit = fitted(validator, "openai-strict")
    assume(fit.strict)
    for seed in range(4):
        value = Sampler(validator, seed).draw()
        if not accepts(validator, value):
            continue
        try:
            written = filled(fit.schema, fit.schema.get("$defs", {}), value)
        except Undeclared:
            continue
        assert accepts(fit.schema, written)
        restored = restore(validator, written, names=fit.names, nulls=True)
        assert accepts(validator, restored)
        assert restore(validator, restored, names=fit.names, nulls=True) == restored
        assert without_nulls(restored) == without_nulls(value)


def undeclared(schema: Json, value: Any) -> bool:
    """Whether a value holds a property that a closed schema does not declare, wherever it is."""
    names = {name for node in _objects(schema) for name in node.get("properties", ())}
    return not names.issuperset(_keys(value))


def _objects(schema: Json) -> list[Json]:
    return [schema, *schema.get("$defs", {}).values(), *schema["properties"].values()]


def _keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*map(_keys, value.values()))
    return set().union(*map(_keys, value)) if isinstance(value, list) else set()


def without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


@LAW
@given(
    st.dictionaries(
        items, st.sampled_from([{"type": "integer"}, {"type": "string"}, {}]), min_size=1
    ),
    st.sampled_from(["portable", "gemini"]),
    st.randoms(use_true_random=False),
)
def test_renamed_keys_come_back(properties: Json, name: str, random: Any) -> None:
    """Names that a provider refuses are shown as others, which are all different, and restored."""
    node = {"type": "object", "properties": properties, "required": sorted(properties)}
    validator = rooted({}, {"type": "array", "items": node})
    fit = fitted(validator, name)
    shown = fit.schema["properties"]["body"]["items"]["properties"]
    assert len(shown) == len(properties)
    assert faults(fit.schema, fit.profile, strict=False) == []
    value = {"body": [{own: random.choice([1, "x", None]) for own in properties}]}
    to_shown = {own: alias for alias, own in fit.names.items()}
    written = {"body": [{to_shown.get(own, own): item for own, item in value["body"][0].items()}]}
    assert restore(validator, written, names=fit.names, nulls=False) == value
    assert restore(validator, value, names=fit.names, nulls=False) == value


@LAW
@given(graphs(*uses), entities(*uses), profiles, st.sampled_from([1024, 4096]))
def test_fitting_stays_within_its_budget(named: Json, node: Json, name: str, budget: int) -> None:
    """Whatever the graph, what is sent is within the budget, but for what the profile itself must add."""
    assume(not has_loop(named))
    fit = fitted(rooted(named, node), name, budget=budget)
    assert len(dumps(fit.schema)) <= budget
    assert faults(fit.schema, fit.profile, strict=fit.strict) == []


@LAW
@given(components, schemas(references=True), profiles)
def test_what_was_not_widened_is_enforced(named: Json, node: Json, name: str) -> None:
    """Where no edit tells of something that was only described, what the fitted schema accepts is valid."""
    assume(not has_loop(named))
    validator = rooted(named, node)
    fit = fitted(validator, name)
    assume({edit.kind for edit in fit.edits} <= HARMLESS - {"open"})
    assume(b'"nullable"' not in dumps(fit.schema))
    for seed in range(4):
        value = Sampler(fit.schema, seed).draw()
        if accepts(fit.schema, value) and not undeclared(fit.schema, value):
            restored = restore(validator, value, names=fit.names, nulls=fit.strict)
            assert accepts(validator, restored)


@LAW
@given(components, schemas(references=True), st.sampled_from(["gemini", "openai-strict"]))
def test_what_a_grammar_admits_is_valid_or_told(named: Json, node: Json, name: str) -> None:
    """Whatever llguidance lets a model write is valid once it is restored, or an edit has told of the rule that it breaks."""
    assume(not has_loop(named))
    validator = rooted(named, node)
    fit = fitted(validator, name)
    for text in texts(plain(narrowed(fit)), 1, 2):
        restored = restore(validator, loads(text), names=fit.names, nulls=fit.strict)
        outcome = Validator(validator).validate(restored)
        failed = [] if outcome else outcome.errors
        assert all(is_no_moment(e.value) or is_told(e.path, widened(fit)) for e in failed), text


@pytest.mark.parametrize("name", PROFILES)
def test_a_recursive_schema_fits(name: str) -> None:
    """A component that holds itself ends: as a reference, or nested to a depth."""
    tree = {
        "type": "object",
        "properties": {"children": {"type": "array", "items": kin_of("Tree")}},
    }
    fit = fitted(rooted({"Tree": tree}, kin_of("Tree")), name)
    assert faults(fit.schema, fit.profile, strict=fit.strict) == []
    assert ("$defs" in fit.schema) == fit.profile.refs


def kin_of(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}
