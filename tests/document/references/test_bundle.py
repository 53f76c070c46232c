import copy
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from orjson import dumps
from tests.effort import examples

import specfn
from specfn.document.read.load import Source, read
from specfn.document.references import bundle as module
from specfn.document.references import loader
from specfn.document.references.bundle import KEY, Bundled, bundle, is_external
from specfn.errors import UsageError

API = Path(__file__).parents[3] / "fixtures" / "references" / "api"


def _resolve(document: Any, reference: str) -> Any:
    """What an internal reference names, by its pointer alone."""
    assert reference.startswith("#")
    node = document
    for token in unquote(reference[1:]).split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        node = node[int(name)] if isinstance(node, list) else node[name]
    return node


def _files(directory: Path, files: dict[str, Any]) -> Source:
    """Write files; the first is the root document."""
    for name, content in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(dumps(content))
    return read(directory / next(iter(files)))


@pytest.fixture
def bundled() -> Bundled:
    return bundle(read(API / "openapi.yaml"), str(API))


def test_an_api_in_several_files_becomes_one_document(bundled: Bundled) -> None:
    """N4: every file stands once, as it is, and every reference leads to what it named."""
    assert bundled.problems == ()
    document = bundled.document
    assert [uri.rpartition("/")[2] for uri in document[KEY]] == [
        "pets.yaml",
        "common.yaml",
        "pet%20of%20ours.yaml",
    ]
    item = _resolve(document, document["paths"]["/pets"]["$ref"])
    content = item["get"]["responses"]["200"]["content"]["application/json"]
    pet = _resolve(document, content["schema"]["items"]["$ref"])
    assert pet is document[KEY][(API / "schemas" / "pet of ours.yaml").as_uri()]
    assert _resolve(document, pet["properties"]["parent"]["$ref"]) is pet
    assert _resolve(document, pet["properties"]["size"]["$ref"]) == {"type": "number"}
    assert _resolve(document, pet["properties"]["default"]["$ref"]) == {"type": "string"}
    number = _resolve(document, pet["properties"]["id"]["$ref"])
    assert number == {"type": "integer", "minimum": 1}
    error = _resolve(document, item["get"]["responses"]["default"]["$ref"])
    schema = error["content"]["application/json"]["schema"]
    assert schema == {"$ref": "#/components/schemas/Error"}


def test_what_stands_beside_a_reference_stays(bundled: Bundled) -> None:
    """N3: siblings of a reference are kept for whoever reads it."""
    responses = bundled.document["paths"]["/pets/{id}"]["get"]["responses"]
    schema = responses["200"]["content"]["application/json"]["schema"]
    assert schema["description"] == "This one."
    assert schema.keys() == {"$ref", "description"}


def test_the_documents_own_uri_is_the_document(bundled: Bundled) -> None:
    """A reference to the root by its URI is an internal one."""
    assert bundled.document["components"]["schemas"]["Itself"] == {
        "$ref": "#/components/schemas/Error"
    }


def test_data_is_no_reference(bundled: Bundled) -> None:
    """N4: what looks like a reference inside enum, const, default, an example or an extension is data."""
    raw = read(API / "openapi.yaml").document
    assert bundled.document["components"]["schemas"]["Data"] == raw["components"]["schemas"]["Data"]


def test_a_mapping_follows_references_and_fetches_nothing(bundled: Bundled) -> None:
    """A discriminator's value is rewritten where its document is there, and else left alone."""
    animal = bundled.document["components"]["schemas"]["Animal"]
    mapping = animal["discriminator"]["mapping"]
    assert mapping["pet"] == animal["oneOf"][0]["$ref"]
    assert mapping["stray"] == "schemas/never-read.yaml"
    assert mapping["wild"] == "Error"


def test_mappings_of_embedded_documents_are_theirs(tmp_path: Path) -> None:
    """A pointer in the mapping of another document means that document."""
    union = {
        "oneOf": [{"$ref": "#/defs/A"}],
        "discriminator": {
            "propertyName": "kind",
            "mapping": {"a": "#/defs/A", "b": "B", "root": "root.json#/components/schemas/R"},
            "defaultMapping": "u.json#/defs/A",
        },
    }
    source = _files(
        tmp_path,
        {
            "root.json": {"components": {"schemas": {"R": {"$ref": "u.json#/defs/U"}}}},
            "u.json": {"defs": {"U": union, "A": {"type": "object"}}},
        },
    )
    document = bundle(source, str(tmp_path)).document
    found = _resolve(document, document["components"]["schemas"]["R"]["$ref"])
    mapping = found["discriminator"]["mapping"]
    assert mapping["a"] == found["oneOf"][0]["$ref"]
    assert found["discriminator"]["defaultMapping"] == mapping["a"]
    assert mapping["b"] == "B"
    assert mapping["root"] == "#/components/schemas/R"


def test_what_nothing_refers_to_is_not_looked_at(bundled: Bundled) -> None:
    """A part of a file that nothing names stays as it is, and what only it names is not read."""
    common = bundled.document[KEY][(API / "common.yaml").as_uri()]
    assert common["schemas"]["Unused"] == {"$ref": "never-read.yaml"}


def test_the_source_is_not_changed() -> None:
    """N8: bundling mutates nothing; unchanged parts are shared."""
    source = read(API / "openapi.yaml")
    before = copy.deepcopy(source.document)
    document = bundle(source, str(API)).document
    assert source.document == before
    assert document["info"] is source.document["info"]
    assert (
        document["components"]["schemas"]["Data"]
        is source.document["components"]["schemas"]["Data"]
    )


def test_bundling_twice_is_bundling_once() -> None:
    """What was made one document is left alone, and what is embedded is not embedded again."""
    source = read(API / "openapi.yaml")
    once = bundle(source, str(API))
    assert (
        bundle(Source(document=once.document, uri=source.uri), str(API)).document is once.document
    )
    more = copy.deepcopy(once.document)
    more["components"]["schemas"]["More"] = {"$ref": "paths/pets.yaml"}
    again = bundle(Source(document=more, uri=source.uri), str(API)).document
    assert again[KEY].keys() == once.document[KEY].keys()
    assert _resolve(again, again["components"]["schemas"]["More"]["$ref"])["get"]


@pytest.mark.parametrize("references", ["internal", str(API), ("https://example.invalid",)])
def test_without_external_references_nothing_happens(references: Any) -> None:
    """A document that refers to nothing outside is handed on as the very same object."""
    document = {
        "components": {"schemas": {"A": {"$ref": "#/components/schemas/B"}, "B": {"$ref": "#"}}},
        "x-a": {"$ref": "x.yaml"},
    }
    assert bundle(Source(document=document), references) == Bundled(document=document)
    assert bundle(Source(document=document), references).document is document


def test_the_library_is_loaded_for_several_files_only() -> None:
    """A document in one file does not pay for jsonref."""
    loaded = {name: sys.modules.pop(name) for name in ("jsonref",) if name in sys.modules}
    try:
        specfn.load(API / "openapi.yaml")
        bundle(Source(document={"a": {"$ref": "#/b"}}), str(API))
        assert "jsonref" not in sys.modules
    finally:
        sys.modules.update(loaded)


def test_only_plain_values_come_out(bundled: Bundled) -> None:
    """N4: jsonref's proxies never leave: all that comes out is plain JSON."""
    stack: list[Any] = [bundled.document]
    while stack:
        value = stack.pop()
        assert type(value) in {dict, list, str, int, float, bool, type(None)}
        stack.extend(
            value.values() if type(value) is dict else value if type(value) is list else ()
        )


LEFT = [
    ("b.json#/nowhere", "its target does not exist"),
    ("b.json#/list/7", "its target does not exist"),
    ("b.json#/list/x", "its target does not exist"),
    ("b.json#/text/a", "its target does not exist"),
    ("b.json#name", "its fragment is not a JSON Pointer"),
    ("b.json#/loop", "it leads to itself"),
    ("b.json#/ping", "it leads to itself"),
    ("b.json#/away", "it is not a file in the directory"),
    ("gone.json", "it is not a file in the directory"),
    ("list.json", "not a JSON or YAML object"),
    ("http://[", "it is not a URI reference"),
    ("urn:x:y", "it is not a file in the directory"),
]


@pytest.mark.parametrize(("reference", "reason"), LEFT)
def test_a_reference_that_leads_nowhere_stays_and_is_noted(
    tmp_path: Path, reference: str, reason: str
) -> None:
    """N4: what cannot be followed stays as it is, with a note that names it, its place and why."""
    source = _files(
        tmp_path,
        {
            "a.json": {"paths": {"/x": {"$ref": reference}, "/y": {"$ref": "b.json#/item"}}},
            "b.json": {
                "item": {},
                "list": [1],
                "text": "x",
                "loop": {"$ref": "#/loop"},
                "ping": {"$ref": "a.json#/paths/~1x"},
                "away": {"$ref": "../away.json"},
            },
            "list.json": [1],
        },
    )
    found = bundle(source, str(tmp_path))
    [problem] = found.problems
    assert problem.pointer == "/paths/~1x"
    assert reference in problem.text
    assert reason in problem.text
    assert found.document["paths"]["/x"] == {"$ref": reference}
    assert found.document["paths"]["/y"]["$ref"].startswith(f"#/{KEY}/")


def test_a_problem_behind_a_reference_is_noted_where_it_is(tmp_path: Path) -> None:
    """A note on a reference in an embedded document points into what is embedded."""
    source = _files(
        tmp_path,
        {
            "a.json": {"paths": {"/x": {"$ref": "b.json#/item"}}},
            "b.json": {"item": {"parameters": [{"$ref": "gone.json"}]}},
        },
    )
    found = bundle(source, str(tmp_path))
    [problem] = found.problems
    assert _resolve(found.document, f"#{problem.pointer.replace('%', '%25')}") == {
        "$ref": "gone.json"
    }


def test_a_document_without_uri_stands_in_the_directory(tmp_path: Path) -> None:
    """Relative references of a text or a dict are relative to the directory that they may stay in."""
    _files(tmp_path, {"b.json": {"type": "string"}})
    document = {"components": {"schemas": {"A": {"$ref": "b.json"}}}}
    assert bundle(Source(document=document), str(tmp_path)).problems == ()
    assert bundle(Source(document=document), ("https://example.invalid",)).problems


def test_a_pointer_may_lead_through_a_reference(tmp_path: Path) -> None:
    """A pointer that goes on behind a reference is followed, and that reference is rewritten, too."""
    source = _files(
        tmp_path,
        {
            "a.json": {"components": {"schemas": {"A": {"$ref": "b.json#/b/properties/x"}}}},
            "b.json": {"b": {"$ref": "c.json"}},
            "c.json": {"properties": {"x": {"type": "string"}}},
        },
    )
    found = bundle(source, str(tmp_path))
    assert found.problems == ()
    b = found.document[KEY][(tmp_path / "b.json").as_uri()]
    assert _resolve(found.document, b["b"]["$ref"])["properties"] == {"x": {"type": "string"}}


@pytest.mark.parametrize("reference", ["#name", "#/items/1", f"#/items/{'9' * 5000}", "#/items/x"])
def test_dangling_references_inside_embedded_documents_are_left_to_others(
    tmp_path: Path, reference: str
) -> None:
    """What leads nowhere inside an embedded document is no concern of the bundle, and no crash."""
    source = _files(
        tmp_path,
        {
            "a.json": {"paths": {"/x": {"$ref": "b.json#/item"}}},
            "b.json": {"item": {"parameters": [{"$ref": reference}]}, "items": [{}]},
        },
    )
    found = bundle(source, str(tmp_path))
    assert found.problems == ()
    item = _resolve(found.document, found.document["paths"]["/x"]["$ref"])
    assert item["parameters"][0]["$ref"].endswith(reference[1:])


@pytest.mark.parametrize("reference", ["http://[", "//[/x", "http://[::1/x#/a"])
def test_what_is_no_uri_is_noted(reference: str) -> None:
    """A malformed reference is a note, also where there is no base to join it with."""
    document = {"components": {"schemas": {"A": {"$ref": reference}}}}
    [problem] = bundle(Source(document=document), ("https://example.invalid",)).problems
    assert "it is not a URI reference" in problem.text


def test_yaml_aliases_of_references_are_rewritten_each(tmp_path: Path) -> None:
    """A reference that is said once and meant in two files leads from each to the same place."""
    (tmp_path / "a.yaml").write_text(
        "components:\n  schemas:\n    A: &a {$ref: b.yaml}\n    B: *a\n", encoding="utf-8"
    )
    (tmp_path / "b.yaml").write_text(
        "items: &s {$ref: '#/x'}\nnot: *s\nx: {type: string}\n", encoding="utf-8"
    )
    document = bundle(read(tmp_path / "a.yaml"), str(tmp_path)).document
    schemas = document["components"]["schemas"]
    assert schemas["A"] == schemas["B"]
    b = _resolve(document, schemas["A"]["$ref"])
    assert b["items"] == b["not"]
    assert _resolve(document, b["not"]["$ref"]) == {"type": "string"}


def test_swagger_examples_are_data(tmp_path: Path) -> None:
    """In Swagger 2.0 ``examples`` are values by media type, and never hold references."""
    response = {"description": "d", "examples": {"application/json": {"$ref": "gone.json"}}}
    document = {"swagger": "2.0", "responses": {"one": response}}
    assert bundle(Source(document=document), str(tmp_path)).document is document


def _chain(length: int) -> dict[str, Any]:
    files: dict[str, Any] = {"root.json": {"components": {"schemas": {"A": {"$ref": "0.json"}}}}}
    for number in range(length):
        files[f"{number}.json"] = {"items": {"$ref": f"{number + 1}.json"}}
    return {**files, f"{length}.json": {"type": "string"}}


@pytest.mark.parametrize(
    ("owner", "limit", "value", "reason"),
    [
        (None, "most", 3, "more than 3 other documents; Options.max_documents raises the limit"),
        (None, "limit", 90, "larger than"),
        (loader, "MAX_NODES", 12, "more than 12 keys and values"),
        (module, "MAX_HOPS", 3, "reached through 3 other documents"),
    ],
)
def test_limits_stop_the_following(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    owner: Any,
    limit: str,
    value: int,
    reason: str,
) -> None:
    """N4: count, bytes, values and length of chains are limited; what is beyond stays and is noted."""
    source = _files(tmp_path, _chain(6))
    assert bundle(source, str(tmp_path)).problems == ()
    if owner is None:
        found = bundle(source, str(tmp_path), **{limit: value})  # type: ignore[arg-type]
    else:
        monkeypatch.setattr(owner, limit, value)
        found = bundle(source, str(tmp_path))
    [problem] = found.problems
    assert reason in problem.text
    assert found.document[KEY].keys() == {
        (tmp_path / f"{number}.json").as_uri() for number in range(3)
    }


def test_a_long_chain_of_files_needs_no_recursion(tmp_path: Path) -> None:
    """Chains of references through files are followed up to the limit, not to the end of the stack."""
    found = bundle(_files(tmp_path, _chain(60)), str(tmp_path))
    assert len(found.document[KEY]) == module.MAX_HOPS
    assert len(found.problems) == 1


@pytest.mark.parametrize(
    ("references", "reason"),
    [
        ("no/such/directory", "expected 'internal', a directory"),
        (str(API / "openapi.yaml"), "expected 'internal', a directory"),
        ("https://example.com", "expected 'internal', a directory"),
        (("example.com",), "expected a URL like"),
        (("https://example.com/api",), "expected a URL like"),
        (("https://user@example.com",), "expected a URL like"),
        (("https://example.com?x",), "expected a URL like"),
        (("ftp://example.com",), "expected a URL like"),
        (("",), "expected a URL like"),
    ],
)
def test_a_wrong_option_is_a_wrong_use(references: Any, reason: str) -> None:
    """Neither a directory nor origins is a UsageError, also where there is nothing to follow."""
    with pytest.raises(UsageError, match=reason):
        bundle(Source(document={}), references)


@pytest.mark.parametrize(
    ("reference", "external"),
    [
        ("#", False),
        ("#/a", False),
        ("", False),
        ("a.yaml", True),
        ("?x", True),
        ("http://a#", True),
    ],
)
def test_external_is_what_names_another_document(reference: str, *, external: bool) -> None:
    """A reference is internal if it is empty or only a fragment."""
    assert is_external(reference) is external


# -- the law: a bundle says what the files say ----------------------------------------------------

NAMES = ("a.json", "in/b c.json", "in/d~e.json")
DEFINITIONS = ("x", "y/z", "~w %", "default")

SCHEMAS = st.recursive(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(DEFINITIONS))
    | st.sampled_from([{"type": "string"}, {"enum": [{"$ref": "gone.json"}]}]),
    lambda inner: st.dictionaries(st.sampled_from(["items", "not", "if"]), inner, min_size=1),
    max_leaves=4,
)
#: By file and definition; the definitions themselves are no references, so none leads to itself.
FILES = st.tuples(
    *[
        st.fixed_dictionaries(
            {name: st.fixed_dictionaries({"not": SCHEMAS}) for name in DEFINITIONS}
        )
        for _ in NAMES
    ]
).map(lambda files: dict(zip(NAMES, files, strict=True)))


def _written(schema: Any, base: str) -> Any:
    """A schema with its references as its file writes them: relative, or bare within the file."""
    if isinstance(schema, tuple):
        name, definition = schema
        token = (
            definition.replace("~", "~0").replace("/", "~1").replace("%", "%25").replace(" ", "%20")
        )
        there = "" if name == base else name.replace(" ", "%20")
        up = "../" if there and "/" in base else ""
        return {"$ref": f"{up}{there}#/$defs/{token}"}
    if isinstance(schema, dict):
        return {key: _written(value, base) for key, value in schema.items()}
    return schema


def _expanded(schema: Any, files: dict[str, Any], levels: int) -> Any:
    """What the files mean, references followed so many levels."""
    if isinstance(schema, tuple):
        name, definition = schema
        return _expanded(files[name][definition], files, levels - 1) if levels else "…"
    if isinstance(schema, dict):
        return {key: _expanded(value, files, levels) for key, value in schema.items()}
    return schema


def _followed(value: Any, document: Any, levels: int) -> Any:
    """What the bundle means, internal references followed so many levels."""
    if isinstance(value, dict) and "$ref" in value and "gone" not in value["$ref"]:
        return _followed(_resolve(document, value["$ref"]), document, levels - 1) if levels else "…"
    if isinstance(value, dict):
        return {key: _followed(member, document, levels) for key, member in value.items()}
    return (
        [_followed(item, document, levels) for item in value] if isinstance(value, list) else value
    )


@settings(max_examples=examples(50), deadline=None)
@given(FILES)
def test_a_bundle_means_what_the_files_mean(files: dict[str, Any]) -> None:
    """N4: following the references of the bundle gives what following them through the files gives."""
    with TemporaryDirectory() as directory:
        written = {name: {"$defs": _written(schemas, name)} for name, schemas in files.items()}
        found = bundle(_files(Path(directory), written), directory)
    assert found.problems == ()
    for name, schema in files[NAMES[0]].items():
        expected = _expanded(schema, files, 4)
        assert _followed(found.document["$defs"][name], found.document, 4) == expected
