import copy
import json
import random
import re
from pathlib import Path
from typing import Any, get_args

import pytest
from tests.application.comparison.pairs import DOCUMENT, PAIRS, changed, pet, put

import specfn
from specfn import Application, compare, load
from specfn.application.comparison.difference import Difference, DifferenceKind

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
