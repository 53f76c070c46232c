from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.schema.conftest import accepts, document, ref

from specfn import Options, load
from specfn.document.normalize import normalize
from specfn.document.read.load import Source
from specfn.document.references import dynamic
from specfn.document.references.bundle import bundle
from specfn.document.references.identifiers import Identifiers

Json = dict[str, Any]

HOME = "https://schemas.example/"
PET = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
OWNED = {"type": "object", "properties": {"owner": {"$ref": "owner"}}}


def normalized(schemas: Json, uri: str | None = None, **root: Any) -> Json:
    """The components of a normalized document."""
    whole = {"openapi": "3.1.0", "paths": {}, "components": {"schemas": schemas}, **root}
    result = normalize(whole, uri)
    assert result.dangling == frozenset()
    assert normalize(result.document).document == result.document
    found: Json = result.document["components"]["schemas"]
    return found


@pytest.mark.parametrize(
    ("uri", "root", "pet", "owner"),
    [
        (None, {}, f"{HOME}pet", f"{HOME}owner"),
        (None, {}, "pet", "owner"),
        (None, {}, "v1/pet", "./v1/owner"),
        (None, {}, "/pet", "./a/../owner"),
        ("file:///srv/api.yaml", {}, "file:///srv/pet", "owner"),
        (None, {"$self": f"{HOME}api.json"}, "pet", f"{HOME}owner"),
        (None, {}, "tag:example.com,2024:pet", "owner"),
    ],
)
def test_a_reference_is_relative_to_the_id_around_it(
    uri: str | None, root: Json, pet: str, owner: str
) -> None:
    """N3: a reference below an `$id` is relative to it, and names an `$id` of the document."""
    found = normalized({"Pet": {"$id": pet, **OWNED}, "Owner": {"$id": owner, **PET}}, uri, **root)
    assert found["Pet"]["properties"]["owner"] == ref("Owner")


@pytest.mark.parametrize(
    "reference", ["other", f"{HOME}other", "../owner", "owner#nowhere", "http://[", "owner/#"]
)
def test_an_id_is_no_place_to_read_from(reference: str) -> None:
    """N3, T6: a reference to an `$id` that the document does not have leads nowhere."""
    schemas = {
        "Pet": {"$id": f"{HOME}v1/pet", "items": {"$ref": reference}},
        "Owner": {"$id": f"{HOME}v1/owner"},
    }
    result = normalize({"openapi": "3.1.0", "paths": {}, "components": {"schemas": schemas}})
    assert result.dangling == {reference}


@pytest.mark.parametrize("references", ["internal", "directory", "origins"])
def test_what_is_in_the_document_is_not_fetched(references: str, tmp_path: Any) -> None:
    """T6: an `$id` of the document is preferred to a file or URL of that name, and leaves no note."""
    (tmp_path / "owner").write_text('{"type": "null"}')
    home = HOME if references == "origins" else f"{tmp_path.as_uri()}/"
    allowed = {"internal": "internal", "directory": str(tmp_path), "origins": [HOME[:-1]]}[
        references
    ]
    schemas = {"Pet": {"$id": f"{home}pet", **OWNED}, "Owner": {"$id": f"{home}owner", **PET}}
    source = document(ref("Pet"), schemas)
    found = bundle(Source(document=source, uri=f"{home}openapi.json"), allowed)
    assert found.document is source
    assert found.problems == ()
    [function] = load(source, options=Options(references=allowed)).functions
    assert function.validate({"body": {"owner": {"name": "x"}}})
    assert not function.validate({"body": {"owner": None}})


@pytest.mark.parametrize(
    "data", [{"enum": [{}]}, {"const": {}}, {"default": {}}, {"examples": [{}]}, {"example": {}}]
)
@pytest.mark.parametrize(
    "names", [{"$anchor": "a"}, {"$dynamicAnchor": "a"}, {"$id": "a"}], ids=repr
)
def test_what_looks_like_an_identifier_in_data_is_none(data: Json, names: Json) -> None:
    """N3, N4: `$id` and `$anchor` inside enum, const, default or an example are data."""
    [(key, value)] = data.items()
    filled = {key: [names] if isinstance(value, list) else names}
    text = "a" if "$id" in names else "#a"
    schemas = {"A": filled, "B": {**PET, **names}, "C": {"properties": {"x": {"$ref": text}}}}
    assert normalized(schemas)["C"]["properties"]["x"] == ref("B")


def test_a_property_may_have_the_name_of_a_keyword() -> None:
    """N3: what stands under the name of a property is a schema, whatever the name."""
    names = ["enum", "const", "default", "example", "examples", "x-own", "$defs", "discriminator"]
    for name in names:
        schemas = {
            "A": {"properties": {name: {"$anchor": "here", **PET}}},
            "B": {"items": {"$ref": "#here"}},
        }
        for version in ({"openapi": "3.1.0"}, {"swagger": "2.0"}):
            kept = (
                {"components": {"schemas": schemas}}
                if "openapi" in version
                else {"definitions": schemas}
            )
            assert Identifiers({**version, **kept}, None).find(None, "#here") is not None


def test_an_anchor_belongs_to_its_resource() -> None:
    """N3: of equal anchors, that of the resource around a reference is meant, then the document's first."""
    schemas = {
        "A": {
            "$id": "a",
            "$defs": {"X": {"$anchor": "x", "type": "integer"}},
            "items": {"$ref": "#x"},
        },
        "B": {
            "$id": "b",
            "$defs": {"X": {"$anchor": "x", "type": "string"}},
            "items": {"$ref": "#x"},
        },
        "C": {"items": {"$ref": "b#x"}},
        "D": {"items": {"$ref": "#x"}},
        "E": {"$id": "e", "items": {"$ref": "#x"}},
    }
    found = normalized(schemas)
    kinds = [found[found[name]["items"]["$ref"].rpartition("/")[2]]["type"] for name in "ABCDE"]
    assert kinds == ["integer", "string", "string", "integer", "integer"]


def test_a_plain_reference_to_a_dynamic_anchor_is_static() -> None:
    """N3: only `$dynamicRef` asks who refers; `$ref` to the same anchor does not (JSON Schema Core, 8.2.2)."""
    schemas = {
        "Base": {"$id": "base", "properties": {"s": {"$ref": "#T"}, "d": {"$dynamicRef": "#T"}},
                 "$defs": {"T": {"$dynamicAnchor": "T", "type": "integer"}}},
        "Top": {"$id": "top", "$ref": "base", "$defs": {"T": {"$dynamicAnchor": "T", "type": "string"}}},
    }  # fmt: skip
    function = load(document(ref("Top"), schemas)).functions[0]
    assert function.validate({"body": {"s": 1, "d": "x"}})
    assert not function.validate({"body": {"s": "x"}})
    assert not function.validate({"body": {"d": 1}})


def pages(*, identified: bool) -> Json:
    """A generic page, and two of something."""
    page: Json = {
        "type": "object",
        "properties": {"items": {"type": "array", "items": {"$dynamicRef": "#T"}}},
        "$defs": {"T": {"$dynamicAnchor": "T", "not": {}}},
    }
    found: Json = {"Page": page, "Pet": PET}
    for name, item in (("PetPage", ref("Pet")), ("TextPage", {"type": "string"})):
        found[name] = {**ref("Page"), "$defs": {"T": {"$dynamicAnchor": "T", **item}}}
    if identified:
        found = {name: {"$id": f"{HOME}{name}", **node} for name, node in found.items()}
    return found


@pytest.mark.parametrize("identified", [True, False])
@pytest.mark.parametrize("dialect", ["3.0", "3.1"])
def test_a_dynamic_reference_is_bound_by_who_refers(dialect: Any, identified: bool) -> None:  # noqa: FBT001
    """N3: a generic schema means, validates and shows what its user binds, with no trace of the definitions."""
    inline = {**ref("Page"), "$defs": {"T": {"$dynamicAnchor": "T", "type": "integer"}}}
    bodies = {
        "pets": (ref("PetPage"), [{"name": "Tom"}], ["Tom"]),
        "texts": (ref("TextPage"), ["Tom"], [{"name": "Tom"}]),
        "inline": (inline, [1], ["Tom"]),
        "nobody": (ref("Page"), [], [1]),
    }
    for body, valid, invalid in bodies.values():
        spec = document(body, pages(identified=identified))
        function = load(spec, options=Options(dialect=dialect)).functions[0]
        assert function.validate({"body": {"items": valid}})
        assert not function.validate({"body": {"items": invalid}})
        written = function.schemas.as_json[0]
        assert b"@allOf" not in written
        assert b"#/components/" not in function.schemas.as_json[0]
        assert not any(edit.kind == "reference" for edit in function.edits)
        assert "#/components/" not in str(function.validator)


def test_a_tree_is_extended_in_all_its_nodes() -> None:
    """N3: the children of an extended recursive schema are extended, by `$dynamicRef` as by `$recursiveRef`."""
    for anchor, reference in (
        ({"$dynamicAnchor": "node"}, {"$dynamicRef": "#node"}),
        ({"$recursiveAnchor": True}, {"$recursiveRef": "#"}),
    ):
        tree = {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "children": {"type": "array", "items": reference},
            },
        }
        schemas = {
            "Tree": {"$id": "tree", **anchor, **tree},
            "Strict": {"$id": "strict", **anchor, "$ref": "tree", "unevaluatedProperties": False},
        }
        function = load(document(ref("Strict"), schemas)).functions[0]
        assert function.validate({"body": {"children": [{"name": "a"}]}})
        assert not function.validate({"body": {"children": [{"nmae": "a"}]}})
        assert (
            load(document(ref("Tree"), schemas))
            .functions[0]
            .validate({"body": {"children": [{"nmae": "a"}]}})
        )


def test_a_reference_and_a_dynamic_one_both_apply() -> None:
    """N3: `$ref` and `$dynamicRef` in one schema are two constraints."""
    schemas = {
        "A": {"$id": "a", "properties": {"x": {"$ref": "#/$defs/L", "$dynamicRef": "#T"}},
              "$defs": {"L": {"minLength": 2}, "T": {"$dynamicAnchor": "T", "type": "string"}}},
    }  # fmt: skip
    function = load(document(ref("A"), schemas)).functions[0]
    assert function.validate({"body": {"x": "ab"}})
    assert not function.validate({"body": {"x": "a"}})
    assert not function.validate({"body": {"x": [1, 2]}})


def test_too_many_meanings_are_open_with_an_edit_and_a_note(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """N3, T17: where a document has too many variants, the reference admits anything, and both records say so."""
    monkeypatch.setattr(dynamic, "_MAX_VARIANTS", 0)
    schemas = pages(identified=True)
    schemas["Both"] = {
        "$id": "both",
        "$ref": f"{HOME}Between",
        "$defs": {"T": {"$dynamicAnchor": "T", "type": "integer"}},
    }
    schemas["Between"] = {"$id": f"{HOME}Between", "properties": {"page": ref("Page")}}
    function = load(document(ref("Both"), schemas)).functions[0]
    assert function.validate({"body": {"page": {"items": ["x"]}}})
    assert any(
        edit.kind == "reference" and "any value is accepted" in edit.reason
        for edit in function.edits
    )
    assert any("any value is accepted" in note.text for note in function.notes)


@pytest.mark.parametrize("count", [30, 120])
def test_many_anchors_and_resources_are_bounded(count: int) -> None:
    """T17: resources that bind one another's anchors in every way make a bounded number of components."""
    names = [f"r{index}" for index in range(count)]
    schemas = {
        name: {
            "$id": name,
            "properties": {other: {"$ref": other} for other in names[:10]}
            | {"t": {"$dynamicRef": f"#t{index % 40}"}},
            "$defs": {"T": {"$dynamicAnchor": f"t{index % 40}", "type": "integer"}},
        }
        for index, name in enumerate(names)
    }
    whole = {"openapi": "3.1.0", "paths": {}, "components": {"schemas": schemas}}
    assert len(normalize(whole).document["components"]["schemas"]) <= 600 + 3 * count


# -- dependencies of drafts 3 to 7 -----------------------------------------------------------------------

DRAFT_7 = "http://json-schema.org/draft-07/schema#"
members = st.sampled_from(["a", "b", "c"])
depended = st.one_of(
    st.lists(members, max_size=2, unique=True),
    st.booleans(),
    members.map(lambda name: {"required": [name]}),
    members.map(lambda name: {"properties": {name: {"type": "integer"}}}),
    members.map(lambda name: {"dependencies": {name: ["a"]}}),
)


@settings(deadline=None)
@given(
    st.dictionaries(members, depended, max_size=3),
    st.dictionaries(members, st.sampled_from([1, "x"]), max_size=3),
    st.booleans(),
)
def test_dependencies_mean_what_draft_7_says(
    value: Json,
    instance: Json,
    in_schema: bool,  # noqa: FBT001
) -> None:
    """N7: under a dialect before 2019-09, the document's or the schema's own, `dependencies` are enforced."""
    schema = {"dependencies": value}
    root = {} if in_schema else {"jsonSchemaDialect": DRAFT_7}
    found = normalized({"X": {"$schema": DRAFT_7, **schema} if in_schema else schema}, **root)["X"]
    assert accepts(found, instance) == jsonschema.Draft7Validator(schema).is_valid(instance)


@pytest.mark.parametrize(
    ("version", "dialect", "schema", "enforced"),
    [
        ("3.1.0", DRAFT_7, {}, True),
        ("3.1.0", "http://json-schema.org/draft-04/schema#", {}, True),
        ("3.2.0", "https://json-schema.org/draft-06/schema", {}, True),
        ("3.1.0", None, {"$schema": DRAFT_7}, True),
        ("3.1.0", None, {}, False),
        ("3.1.0", "https://json-schema.org/draft/2020-12/schema", {}, False),
        ("3.1.0", DRAFT_7, {"$schema": "https://json-schema.org/draft/2020-12/schema"}, False),
        ("3.0.3", DRAFT_7, {"$schema": DRAFT_7}, False),
    ],
)
def test_dependencies_belong_to_their_dialects(
    version: str,
    dialect: str | None,
    schema: Json,
    enforced: bool,  # noqa: FBT001
) -> None:
    """N7: in other dialects `dependencies` is no keyword, and stays as it is."""
    given_ = {"properties": {"x": {"dependencies": {"a": ["b"]}}}, **schema}
    root = {"openapi": version, **({"jsonSchemaDialect": dialect} if dialect else {})}
    found = normalized({"X": given_}, **root)["X"]["properties"]["x"]
    assert found == (
        {"dependentRequired": {"a": ["b"]}} if enforced else {"dependencies": {"a": ["b"]}}
    )


def test_dependencies_join_their_successors() -> None:
    """N7: both spellings in one schema are enforced, and what is no list and no schema has no meaning."""
    given_ = {
        "dependencies": {"a": ["b", 1], "c": {"required": ["d"]}, "e": 5, "f": "g"},
        "dependentRequired": {"a": ["z"]},
        "dependentSchemas": {"c": {"minProperties": 2}},
    }
    found = normalized({"X": given_}, jsonSchemaDialect=DRAFT_7)["X"]
    assert found == {
        "dependentRequired": {"a": ["z", "b"]},
        "dependentSchemas": {"c": {"allOf": [{"minProperties": 2}, {"required": ["d"]}]}},
    }
    assert normalized({"X": {"dependencies": 5}}, jsonSchemaDialect=DRAFT_7)["X"] == {}
