import copy
import json
import random
import re
from pathlib import Path
from typing import Any, get_args

import pytest
from tests.comparison.pairs import DOCUMENT, PAIRS, Json, changed, pet, put

import specfn
from specfn import Application, compare, load
from specfn.comparison.difference import Difference, DifferenceKind

BEFORE = load(DOCUMENT)


def found(old: Application, new: Application) -> tuple[Difference, ...]:
    return compare(old, new)


@pytest.mark.parametrize("name", PAIRS)
def test_each_kind_of_change_is_found_at_its_place(name: str) -> None:
    """One change has its kind, place and verdict, and nothing is reported that it does not bring along."""
    pair = PAIRS[name]
    differences = found(BEFORE, load(changed(pair.change)))
    main = [each for each in differences if each.kind == pair.kind]
    assert [(each.place, each.breaking) for each in main] == [(pair.place, pair.forward)] * len(
        main
    )
    assert main
    assert {each.kind for each in differences} <= {pair.kind, *pair.others}


def test_every_kind_has_a_pair() -> None:
    """Each kind of difference is the main one of a pair, in one direction at least."""
    kinds = {kind for pair in PAIRS.values() for kind in (pair.kind, pair.back_kind)}
    assert kinds == set(get_args(DifferenceKind))


def test_every_kind_is_documented(root: Path) -> None:
    """The page of differences lists each kind, and no other one."""
    page = (root / "docs" / "diff.md").read_text(encoding="utf-8")
    table = page.partition("## Kinds")[2].partition("\n## ")[0]
    listed = {
        word
        for line in table.splitlines()
        for word in re.findall(r"`([a-z-]+)`", line.split("|")[1] if "|" in line else "")
    }
    assert listed == set(get_args(DifferenceKind))


@pytest.mark.parametrize("name", PAIRS)
def test_the_change_back_is_found_too(name: str) -> None:
    """The opposite change has its own verdict."""
    pair = PAIRS[name]
    differences = found(load(changed(pair.change)), BEFORE)
    main = {each.breaking for each in differences if each.kind == pair.back_kind}
    assert main == {pair.backward}


@pytest.mark.parametrize("name", PAIRS)
def test_before_and_after_change_places(name: str) -> None:
    """The pointers of a difference lead to declarations of both documents."""
    new = load(changed(PAIRS[name].change))
    for each in found(BEFORE, new):
        for pointer, application in ((each.old_pointer, BEFORE), (each.new_pointer, new)):
            node: Any = application.document
            for token in (pointer or "").split("/")[1:]:
                key = token.replace("~1", "/").replace("~0", "~")
                node = node[int(key)] if isinstance(node, list) else node[key]
            assert node is not None


def shuffled(node: Any, chance: random.Random) -> Any:
    """Return the same JSON with the members of its objects, and sets of names, in another order."""
    if isinstance(node, dict):
        items = [(key, shuffled(value, chance)) for key, value in node.items()]
        chance.shuffle(items)
        return {
            key: chance.sample(value, len(value))
            if isinstance(value, list) and key in {"required", "enum"}
            else value
            for key, value in items
        }
    return [shuffled(each, chance) for each in node] if isinstance(node, list) else node


@pytest.mark.parametrize("seed", range(5))
def test_a_reordered_copy_is_the_same(seed: int) -> None:
    """The order of members and the form of the text do not count."""
    text = json.dumps(shuffled(DOCUMENT, random.Random(seed)), indent=seed)
    assert found(BEFORE, load(text.encode())) == ()
    assert found(load(text.encode()), BEFORE) == ()


def test_an_application_has_no_differences_from_itself() -> None:
    """A document compared with itself is the same."""
    assert found(BEFORE, BEFORE) == ()
    assert specfn.compare(BEFORE, load(copy.deepcopy(DOCUMENT))) == ()


def test_a_renamed_component_is_no_difference() -> None:
    """The name of a component is not part of any call."""
    text = json.dumps(DOCUMENT).replace("Owner", "Person").replace("schemas/Pet", "schemas/Animal")
    assert found(BEFORE, load(text.replace('"Pet"', '"Animal"').encode())) == ()


def test_a_shared_schema_is_reported_at_its_first_place_of_each_function() -> None:
    """A change of a recursive component is listed once for each function that uses it."""
    old = changed(lambda d: d["paths"].update({"/b": {"post": copy.deepcopy(put(d))}}))
    old["paths"]["/b"]["post"]["parameters"].pop(0)
    new = copy.deepcopy(old)
    new["components"]["schemas"]["Owner"]["properties"]["mail"]["maxLength"] = 3
    differences = found(load(old), load(new))
    assert [(each.kind, each.place) for each in differences] == [
        ("bound", "$input.body.owner.mail")
    ] * 2
    assert len({each.name for each in differences}) == 2


def test_work_grows_with_the_document_only() -> None:
    """Many functions that share a large web of changed components are compared in bounded steps."""
    count = 300

    def document(bound: int) -> dict[str, Any]:
        schemas = {
            f"S{index}": {
                "type": "object",
                "properties": {
                    **{
                        f"p{step}": {"$ref": f"#/components/schemas/S{(index * step + 1) % count}"}
                        for step in range(1, 8)
                    },
                    "x": {"type": "integer", "maximum": bound if index == count - 1 else 1},
                },
            }
            for index in range(count)
        }
        paths = {
            f"/p{index}": {
                "post": {
                    "requestBody": {
                        "content": {
                            "application/json": {
                                "schema": {"$ref": f"#/components/schemas/S{index}"}
                            }
                        }
                    },
                    "responses": {},
                }
            }
            for index in range(20)
        }
        return {**DOCUMENT, "paths": paths, "components": {"schemas": schemas}, "security": []}

    differences = found(load(document(9)), load(document(8)))
    assert {each.kind for each in differences} <= {"bound"}
    assert len(differences) <= 20


def test_an_operation_that_becomes_an_error_has_its_reason() -> None:
    """A function that the new document cannot have any more is removed, with the reason."""
    new = load(changed(lambda d: put(d)["requestBody"].update({"$ref": "#/nowhere"})))
    removed = [each for each in found(BEFORE, new) if each.kind == "function-removed"]
    assert [each.breaking for each in removed] == ["yes"]
    assert "has no target" in removed[0].sentence
    assert removed[0].new_pointer == new.errors[0].pointer


def test_a_recursive_schema_against_any_value_ends() -> None:
    """A schema that contains itself is compared with an unconstrained one in both directions."""
    free = changed(lambda d: d["components"]["schemas"].update(Owner={}))
    loop = changed(
        lambda d: d["components"]["schemas"].update(
            Owner={
                "items": {"$ref": "#/components/schemas/Owner"},
                "additionalProperties": {"$ref": "#/components/schemas/Owner"},
            }
        )
    )
    assert found(load(free), load(loop)) is not None
    assert all(each.breaking == "no" for each in found(load(loop), load(free)))


def test_a_list_of_values_decides_its_types() -> None:
    """A list of texts without a type becomes a text: nothing is refused."""
    old = load(changed(lambda d: pet(d)["properties"].update(kind={"enum": ["cat", "dog"]})))
    new = load(changed(lambda d: pet(d)["properties"].update(kind={"type": "string"})))
    assert {each.breaking for each in found(old, new)} == {"no"}


def _body(schema: Any, **schemas: Any) -> Application:
    """Return an application whose only function sends a body of a schema."""
    content = {"application/json": {"schema": schema}}
    operation = {"requestBody": {"content": content}, "responses": {}}
    return load(
        {
            "openapi": "3.1.0",
            "info": {"title": "a", "version": "1"},
            "paths": {"/a": {"post": operation}},
            "components": {"schemas": schemas},
        }
    )


def _verdicts(old: Application, new: Application) -> set[str]:
    return {each.breaking for each in found(old, new)}


@pytest.mark.parametrize("key", ["anyOf", "oneOf"])
@pytest.mark.parametrize(
    "other", [{"type": "number", "multipleOf": 2}, {"type": ["null", "string"]}, {}]
)
def test_alternatives_that_only_refer_to_themselves_are_compared(key: str, other: Any) -> None:
    """The comparison of an endless schema with another one ends."""
    loop = {
        "A": {key: [{"$ref": "#/components/schemas/B"}]},
        "B": {"$ref": "#/components/schemas/A"},
    }
    endless = _body({"type": "array", "items": {"$ref": "#/components/schemas/A"}}, **loop)
    plain = _body({"type": "array", "items": other})
    found(endless, plain)
    found(plain, endless)


LISTS: list[tuple[Any, Any, set[str]]] = [
    ({"const": "a"}, {"const": "a", "enum": ["a", "b"]}, set()),
    ({"const": "a"}, {"const": "a", "enum": ["b"]}, {"yes"}),
    ({"enum": ["a", "b"]}, {"oneOf": [{"const": "b", "title": "B"}, {"const": "a"}]}, set()),
    (
        {"type": "string", "enum": ["a", "b"]},
        {"type": "string", "anyOf": [{"enum": ["a", "b"]}]},
        set(),
    ),
    ({"anyOf": [{"enum": ["a"]}, {"type": "null"}]}, {"enum": [None, "a"]}, set()),
    ({"enum": ["a", "b"]}, {"oneOf": [{"const": "a"}, {"const": "c"}]}, {"yes"}),
    ({"enum": ["a"]}, {"oneOf": [{"const": "a"}, {"const": "c"}]}, {"no"}),
]


@pytest.mark.parametrize(("before", "after", "verdicts"), LISTS)
def test_listed_values_are_the_same_in_any_form(
    before: Any, after: Any, verdicts: set[str]
) -> None:
    """A list of values is compared by its values, as ``const``, as ``enum`` or as alternatives."""
    assert _verdicts(_body(before), _body(after)) == verdicts


def test_a_required_property_that_is_declared_is_not_newly_required() -> None:
    """A property that was required before breaks nobody by its declaration."""
    schema = {"type": "object", "properties": {}, "required": ["a"]}
    assert _verdicts(_body(schema), _body({**schema, "properties": {"a": {}}})) == {"no"}


URL = "https://api.example/v1"
USED = {"url": "https://{host}/v1", "variables": {"host": {"default": "a.example"}}}
MOVED = {"url": "https://{host}/v1", "variables": {"host": {"default": "b.example"}}}

SERVERS: list[tuple[Json, Json, set[str]]] = [
    ({}, {"servers": [{"url": "/"}]}, set()),
    ({"servers": []}, {"servers": [{"url": "/"}]}, set()),
    (
        {"servers": [{"url": URL}]},
        {"servers": [{"url": URL, "variables": MOVED["variables"]}]},
        set(),
    ),
    ({"servers": [USED]}, {"servers": [MOVED]}, {"yes"}),
    ({"servers": [{"url": URL}]}, {}, {"yes"}),
]


@pytest.mark.parametrize(("before", "after", "verdicts"), SERVERS)
def test_servers_are_compared_as_they_are_used(
    before: Json, after: Json, verdicts: set[str]
) -> None:
    """No server is the root, and a variable counts if the URL contains it."""
    old, new = (changed(lambda d: d.pop("servers")) | each for each in (before, after))
    differences = found(load(old), load(new))
    assert {each.breaking for each in differences} == verdicts
    assert all(
        len({*each.sentence.partition(" from ")[2].split(" to ")}) == 2 for each in differences
    )


def test_a_server_that_no_function_uses_is_no_difference() -> None:
    """The servers of the document count only for functions without servers of their own."""

    def moved(document: Json) -> None:
        servers = document.pop("servers")
        for item in document["paths"].values():
            item["servers"] = servers

    assert found(BEFORE, load(changed(moved))) == ()
    assert found(load(changed(moved)), BEFORE) == ()


OPEN: tuple[list[Any], ...] = ([], [{}], [{}, {"key": []}], [{"key": []}, {}])


@pytest.mark.parametrize("before", OPEN)
@pytest.mark.parametrize("after", OPEN)
def test_credentials_that_may_be_absent_break_nobody(before: list[Any], after: list[Any]) -> None:
    """A call without credentials is still accepted."""
    old, new = (load({**DOCUMENT, "security": each}) for each in (before, after))
    assert _verdicts(old, new) <= {"no"}


def test_a_changed_security_scheme_is_shown() -> None:
    """The sentence contains the two definitions if the names of the schemes are the same."""
    new = load(changed(PAIRS["header of a key"].change))
    (difference,) = {each.sentence for each in found(BEFORE, new) if each.kind == "security"}
    before, _, after = difference.partition(" from ")[2].partition(" to ")
    assert before != after
    assert "X-Other" in after


IMPLIED: list[tuple[Any, Any, set[str]]] = [
    ({"items": False, "prefixItems": [{}]}, {"prefixItems": [{}], "maxItems": 1}, {"no"}),
    ({"items": False, "prefixItems": [{}]}, {"prefixItems": [{}], "maxItems": 0}, {"no", "yes"}),
    ({"required": ["a", "b"]}, {"required": ["a", "b"], "minProperties": 2}, {"no"}),
    ({"required": ["a", "b"]}, {"required": ["a", "b"], "minProperties": 3}, {"yes"}),
]


@pytest.mark.parametrize(("before", "after", "verdicts"), IMPLIED)
def test_a_bound_that_other_keywords_imply_refuses_nothing(
    before: Any, after: Any, verdicts: set[str]
) -> None:
    """A new bound breaks callers only if it is tighter than what applied before."""
    assert _verdicts(_body(before), _body(after)) == verdicts


def test_a_changed_default_is_shown() -> None:
    """The sentence contains both values, shortened."""
    old, new = ({"type": "string", "default": each} for each in ("a", "b" * 500))
    sentence = found(_body(old), _body(new))[0].sentence
    assert '"a" became "bbb' in sentence
    assert len(sentence) < 200


COVERED: list[tuple[Any, list[Any], set[str]]] = [
    (
        {"type": "string"},
        [{"type": "string", "minLength": 2}, {"type": ["string", "null"]}],
        {"no"},
    ),
    ({"type": "string"}, [{"type": "string", "minLength": 2}, {"type": "null"}], {"no", "yes"}),
    ({"anyOf": [{"type": "integer"}, {}]}, [{"type": "integer", "minimum": 1}, {}], {"no"}),
]


@pytest.mark.parametrize(("before", "branches", "verdicts"), COVERED)
@pytest.mark.parametrize("key", ["anyOf", "oneOf"])
def test_a_value_may_fit_any_alternative(
    key: str, before: Any, branches: list[Any], verdicts: set[str]
) -> None:
    """An alternative that another one covers may be narrowed."""
    assert _verdicts(_body(before), _body({key: branches})) == verdicts


@pytest.mark.parametrize("key", ["anyOf", "oneOf"])
def test_the_type_of_all_alternatives_may_be_declared_beside_them(key: str) -> None:
    """A type that every alternative has refuses nothing; another type does."""
    branches = [{"$ref": "#/components/schemas/A"}, {"type": "object", "required": ["b"]}]
    plain = _body({key: branches}, A={"type": "object", "required": ["a"]})
    typed, other = (
        _body({key: branches, "type": kind}, A={"type": "object", "required": ["a"]})
        for kind in ("object", "string")
    )
    assert found(plain, typed) == found(typed, plain) == ()
    assert _verdicts(plain, other) == {"yes"}


FORM: list[tuple[Json, Json, set[str]]] = [
    ({}, {"a": {}}, set()),
    ({}, {"a": {"contentType": "text/plain"}}, set()),
    ({}, {"a": {"contentType": "application/json"}}, {"yes"}),
    ({}, {"a": {"style": "spaceDelimited"}}, {"yes"}),
]


@pytest.mark.parametrize(("before", "after", "verdicts"), FORM)
def test_an_encoding_counts_if_it_changes_the_form(
    before: Json, after: Json, verdicts: set[str]
) -> None:
    """An Encoding Object without an effect is no difference."""

    def form(encoding: Json) -> Application:
        schema = {"type": "object", "properties": {"a": {"type": "array", "items": {}}}}
        media = {"schema": schema, "encoding": encoding}
        content = {"application/x-www-form-urlencoded": media}
        return load(changed(lambda d: put(d).update(requestBody={"content": content})))

    assert _verdicts(form(before), form(after)) == verdicts


@pytest.mark.parametrize("media_type", ["multipart/form-data", "application/x-www-form-urlencoded"])
def test_the_encoding_of_a_new_property_breaks_nobody(media_type: str) -> None:
    """A property of one body only is reported as a property, whatever its encoding."""

    def form(names: str) -> Application:
        properties = {name: {"type": "array", "items": {"type": "string"}} for name in names}
        encoding = {name: {"style": "form", "explode": False} for name in names}
        media = {"schema": {"type": "object", "properties": properties}, "encoding": encoding}
        return load(changed(lambda d: put(d).update(requestBody={"content": {media_type: media}})))

    kinds = {(each.kind, each.breaking) for each in found(form("a"), form("ab"))}
    assert kinds == {("property-added", "no")}
    kinds = {(each.kind, each.breaking) for each in found(form("ab"), form("a"))}
    assert kinds == {("property-removed", "maybe")}


@pytest.mark.parametrize(
    ("schema", "verdicts"),
    [({"type": ["string", "null"]}, set()), ({"type": "array"}, {"yes"}), ({}, {"yes"})],
)
def test_explode_does_not_change_a_single_value(schema: Any, verdicts: set[str]) -> None:
    """A text or a number is sent in the same way with and without ``explode``."""

    def query(explode: bool) -> Application:  # noqa: FBT001
        parameter = {"name": "a", "in": "query", "schema": schema, "explode": explode}
        return load(changed(lambda d: put(d)["parameters"].append(parameter)))

    assert _verdicts(query(explode=True), query(explode=False)) == verdicts
