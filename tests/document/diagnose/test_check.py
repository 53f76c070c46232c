import copy
import gc
import os
import sys
import tracemalloc
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specfn import load
from specfn.document.diagnose import check
from specfn.document.diagnose.check import MAX_NOTES, MAX_OPERATION_NOTES, diagnose, strict
from specfn.document.read.load import read
from specfn.document.references.bundle import bundle
from specfn.errors import UsageError
from specfn.records import Note

INFO = {"title": "t", "version": "1"}
OK = {"200": {"description": "d"}}


def _document(version: str, **members: Any) -> dict[str, Any]:
    key = "swagger" if version == "2.0" else "openapi"
    return {key: version, "info": INFO, "paths": {}, **members}


def _parameters(version: str, *parameters: Any) -> dict[str, Any]:
    return _document(version, paths={"/a": {"get": {"parameters": [*parameters], "responses": OK}}})


def _schema(version: str, schema: Any) -> dict[str, Any]:
    if version == "2.0":
        return _document(version, definitions={"A": schema})
    return _document(version, components={"schemas": {"A": schema}})


#: openapi-spec-validator knows OpenAPI 3.2 from 0.8.2 on; what is said of 3.2 before is tested below.
KNOWS_32 = tuple(map(int, metadata.version("openapi-spec-validator").split(".")[:3])) >= (0, 8, 2)
needs_32 = pytest.mark.skipif(not KNOWS_32, reason="needs openapi-spec-validator>=0.8.2")

#: The versions that the installed package can check.
CHECKED = ["2.0", "3.0.0", "3.1.0", *(["3.2.0"] if KNOWS_32 else [])]

VERSIONS = ["2.0", "3.0.0", "3.0.3", "3.1.0", "3.1.1", pytest.param("3.2.0", marks=needs_32)]
AT = "/paths/~1a/get/parameters/0"


@pytest.mark.parametrize("version", VERSIONS)
def test_a_valid_document_has_no_faults(version: str) -> None:
    """N1: a document that its version's metaschema describes has no notes."""
    parameter: dict[str, Any] = {"name": "q", "in": "query"}
    parameter |= {"type": "string"} if version == "2.0" else {"schema": {"type": "string"}}
    assert diagnose(_parameters(version, parameter)) == ()
    assert diagnose(_schema(version, {"type": "object"})) == ()


def test_a_version_that_the_validator_does_not_know_is_not_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """N1: without a metaschema nothing is called a fault; the text names the package version to install."""
    monkeypatch.setitem(check._VERSIONS, "3.2", ("v3.2-is-not-here", "OpenAPIV32SpecValidator"))
    check._metaschema.cache_clear()
    try:
        (note,) = diagnose(_parameters("3.2.0", 5))
        assert "install openapi-spec-validator>=0.8.2" in note.text
        with pytest.raises(UsageError, match=r"OpenAPI 3.2 is not checked.*>=0\.8\.2"):
            strict(_document("3.2.0"))
    finally:
        check._metaschema.cache_clear()


FAULTS: list[Any] = [
    # the root
    ({"openapi": "3.0.0", "paths": {}}, "", 'expected the property "info"'),
    ({"openapi": "3.1.0", "info": INFO}, "", 'expected the property "paths"'),
    ({"openapi": 3.1, "info": INFO, "paths": {}}, "/openapi", "expected a text, found 3.1"),
    ({"swagger": 2.0, "info": INFO, "paths": {}}, "/swagger", 'expected one of "2.0", found 2.0'),
    (_document("3.0.0", servres=[]), "", "unknown property \"servres\"; did you mean 'servers'?"),
    (_document("3.1.0", servres=[]), "", "unknown property \"servres\"; did you mean 'servers'?"),
    (
        _document("3.0.0", paths={"a": {}}),
        "/paths",
        'unknown property "a"; expected a name that matches ^',
    ),
    (
        _document("3.1.0", paths={"a": {}}),
        "/paths",
        'unknown property "a"; expected a name that matches ^',
    ),
    (_document("3.0.0", paths={"/a": 5}), "/paths/~1a", "expected an object, found 5"),
    pytest.param(
        _document("3.2.0", paths={"/a": 5}),
        "/paths/~1a",
        "expected an object, found 5",
        marks=needs_32,
    ),
    # the branch that was meant, and the place in it
    (_parameters("3.0.0", 5), AT, "expected an object, found 5"),
    (_parameters("3.0.0", {"$ref": 5}), f"{AT}/$ref", "expected a text, found 5"),
    (_parameters("3.0.0", {"name": "x", "in": "query"}), AT, 'expected the property "schema"'),
    (_parameters("3.1.0", {"name": "x", "in": "query"}), AT, 'expected the property "schema"'),
    (
        _parameters("3.0.0", {"name": "x", "in": "path", "schema": {}}),
        AT,
        'expected the property "required"',
    ),
    (
        _parameters("3.0.0", {"name": "x", "in": "path", "schema": {}, "required": False}),
        f"{AT}/required",
        "expected one of true, found false",
    ),
    (
        _parameters("3.0.0", {"name": "x", "in": "body", "schema": {}}),
        f"{AT}/in",
        'expected one of "path", "query", "header", "cookie", found "body"',
    ),
    (
        _parameters(
            "3.0.0", {"name": "x", "in": "query", "schema": {}, "example": 1, "examples": {}}
        ),
        AT,
        "expected not example and examples together",
    ),
    (
        _parameters("3.1.0", {"name": "x", "in": "query", "schema": {}, "content": {"a/b": {}}}),
        AT,
        "expected exactly one of the forms that OpenAPI allows, found several",
    ),
    (
        _parameters("3.0.0", {"name": "x", "in": "query", "schema": {"type": "strin"}}),
        f"{AT}/schema/type",
        'found "strin"',
    ),
    (
        _parameters("3.1.0", {"name": "x", "in": "query", "schema": 5}),
        f"{AT}/schema",
        "expected an object or true or false, found 5",
    ),
    (
        _parameters("2.0", {"name": "x", "in": "query", "type": "strin"}),
        f"{AT}/type",
        'found "strin"',
    ),
    (_parameters("2.0", {"name": "x", "in": "body"}), AT, 'expected the property "schema"'),
    (_parameters("2.0", {"name": "x", "in": "path"}), AT, 'expected the property "required"'),
    # schemas
    (
        _schema("3.0.0", {"tpye": "string"}),
        "/components/schemas/A",
        "unknown property \"tpye\"; did you mean 'type'?",
    ),
    (_schema("3.0.0", {"minLength": -1}), "/components/schemas/A/minLength", "expected at least 0"),
    (
        _schema("3.0.0", {"items": []}),
        "/components/schemas/A/items",
        "expected an object, found an array",
    ),
    (
        _schema("3.0.0", {"required": ["a", "a"]}),
        "/components/schemas/A/required",
        "expected distinct items",
    ),
    (
        _schema("3.0.0", {"additionalProperties": {"not": {"nullable": "yes"}}}),
        "/components/schemas/A/additionalProperties/not/nullable",
        'expected true or false, found "yes"',
    ),
    (
        _schema("2.0", {"required": True}),
        "/definitions/A/required",
        "expected an array, found true",
    ),
    (_schema("3.1.0", 5), "/components/schemas/A", "expected an object or true or false, found 5"),
    (
        _document("3.1.0", components={"schemas": {"a b": {}}}),
        "/components/schemas/a b",
        'expected a text that matches ^[a-zA-Z0-9._-]+$, found "a b"',
    ),
    # other objects
    (
        _document("3.0.0", components={"securitySchemes": {"a": {"type": "htp"}}}),
        "/components/securitySchemes/a/type",
        'expected one of "apiKey", "http", "oauth2", "openIdConnect", found "htp"',
    ),
    (
        _document("3.1.0", components={"securitySchemes": {"a": {"type": "apiKey"}}}),
        "/components/securitySchemes/a",
        'expected the property "name"',
    ),
    (
        _document("3.1.0", paths={"/a": {"get": {"responses": {"200": {}}}}}),
        "/paths/~1a/get/responses/200",
        'expected the property "description"',
    ),
    (
        _document("3.0.0", paths={"/a": {"get": {"responses": {}}}}),
        "/paths/~1a/get/responses",
        "expected at least 1 property",
    ),
]


@pytest.mark.parametrize(("document", "pointer", "text"), FAULTS)
def test_a_fault_is_named_where_it_is(document: dict[str, Any], pointer: str, text: str) -> None:
    """N1: a note points to the deepest place that is wrong, and says what was expected and found."""
    notes = diagnose(document)
    assert [note for note in notes if note.pointer == pointer and text in note.text], notes
    assert len(notes) <= 2


def test_every_fault_is_found_at_once() -> None:
    """All faults are notes, each in its place, in the order of the document."""
    names = [f"/p{number}" for number in range(20)]
    document = _document("3.0.0", paths={name: {"get": {"respones": OK}} for name in names})
    pointers = [note.pointer for note in diagnose(document)]
    assert list(dict.fromkeys(pointers)) == [f"/paths/~1p{number}/get" for number in range(20)]
    assert len(pointers) == 40


def test_texts_are_short() -> None:
    """A note is one short line, however long what was found is."""
    long = "x\n" * 10_000
    for document in (
        _document("3.0.0", paths={long: 5}, info={"title": 5, "version": long, long: long}),
        _document("3.0.0", **{f"{long}{number}": 1 for number in range(30)}),
        _schema("3.0.0", {"type": long}),
    ):
        for note in diagnose(document):
            assert len(note.text) <= 200
            assert "\n" not in note.text


@pytest.mark.parametrize(
    "document",
    [
        None,
        5,
        "openapi",
        [],
        {},
        {"openapi": None},
        {"openapi": "4.0.0"},
        {"openapi": "2.0"},
        {"swagger": "3.0"},
        {"swagger": "1.2"},
        {"openapi": {}},
        {"openapi": True},
    ],
)
def test_what_has_no_version_is_one_note(document: Any) -> None:
    """What is no document of a known version is said, not raised."""
    [note] = diagnose(document)
    assert note == Note(pointer="", text="the document declares no version of OpenAPI or Swagger")
    assert strict(document) == (note,)


def _nested(levels: int, key: str, leaf: Any) -> Any:
    value = leaf
    for _ in range(levels):
        value = {key: [value] if key.endswith("Of") else value}
    return value


@pytest.mark.parametrize(
    ("version", "key"), [("3.0.0", "not"), ("2.0", "items"), ("3.0.0", "allOf")]
)
@pytest.mark.parametrize("levels", [10, 90])
def test_nested_unions_take_no_exponential_time(version: str, key: str, levels: int) -> None:
    """A fault under many nested unions is found in its place, with little memory for a large value."""
    leaf = {"type": 7, "properties": {f"p{number}": {"type": "string"} for number in range(5_000)}}
    document = _schema(version, _nested(levels, key, leaf))
    diagnose(_schema(version, {"type": 7}))
    tracemalloc.start()
    try:
        notes = diagnose(document)
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()
    assert notes[0].pointer.endswith("/type")
    assert notes[0].pointer.count(f"/{key}") == levels


FLOODS = [
    _document("3.0.0", paths={f"/a{number}": 1 for number in range(50_000)}),
    _document("3.1.0", paths={f"/a{number}": 1 for number in range(50_000)}),
    _document("3.1.0", components={"schemas": {f"a {number}": {} for number in range(50_000)}}),
    _document("3.0.0", tags=[5] * 50_000),
    _document("3.0.0", **{f"a{number}": 1 for number in range(50_000)}),
    _parameters("3.0.0", *([5] * 50_000)),
    _parameters("2.0", *([5] * 50_000)),
]


@pytest.mark.parametrize("document", FLOODS, ids=range(len(FLOODS)))
def test_a_flood_of_faults_ends_at_the_limit(document: dict[str, Any]) -> None:
    """As many faults as a document may have become no more than 100 notes, and cost no more."""
    diagnose(_document("3.0.0", paths=5))
    tracemalloc.start()
    try:
        assert 1 <= len(diagnose(document)) <= MAX_NOTES
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_a_document_that_is_too_deep_is_one_note() -> None:
    """A value that could end the process is not handed to the engine."""
    for levels in (250, 100_000):
        document = _schema("3.0.0", _nested(levels, "not", {}))
        assert diagnose(document) == (
            Note(pointer="", text="the document is nested deeper than 200 levels"),
        )
        assert strict(document) == (
            Note(pointer="", text="the document is nested deeper than 200 levels"),
        )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.floats(allow_nan=False),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
MEMBERS = st.sampled_from(
    [
        *(
            "openapi",
            "swagger",
            "info",
            "paths",
            "components",
            "schemas",
            "definitions",
            "/a",
            "get",
        ),
        *("parameters", "responses", "200", "content", "schema", "type", "in", "$ref", "allOf"),
        *("securitySchemes", "A", "items", "properties", "required", "name", "tags", "x-a"),
    ]
)
LIKELY = st.recursive(
    JSON | st.sampled_from(["#/components/schemas/A", "query", "string", "apiKey", "http", "body"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(MEMBERS, inner, max_size=4),
    max_leaves=20,
)


@settings(deadline=None)
@given(
    st.sampled_from(CHECKED),
    st.dictionaries(MEMBERS, LIKELY, max_size=5),
)
def test_no_json_value_raises(version: str, members: dict[str, Any]) -> None:
    """Whatever a document holds, both checks return notes, and every pointer leads into the document."""
    document = {**members, "swagger" if version == "2.0" else "openapi": version}
    before = copy.deepcopy(document)
    for note in (*diagnose(document), *strict(document)):
        assert note.pointer == "" or note.pointer.startswith("/")
        assert 1 <= len(note.text) <= 200
    assert document == before


@pytest.mark.parametrize(
    "value",
    ["\ud800", object(), {1: 2}, {1, 2}, float("nan"), 10**400, b"x"],
    ids=["surrogate", "object", "key", "set", "nan", "huge", "bytes"],
)
def test_what_is_no_json_raises_neither(value: Any) -> None:
    """Python values that are no JSON become notes, too."""
    for document in (
        _document("3.1.0", paths=value),
        _document("3.0.0", components={"schemas": value}),
    ):
        assert isinstance(diagnose(document), tuple)
        assert isinstance(strict(document), tuple)


@given(
    st.sampled_from(CHECKED),
    st.dictionaries(MEMBERS, LIKELY, max_size=5),
)
def test_a_document_has_notes_if_it_is_not_valid(version: str, members: dict[str, Any]) -> None:
    """There is a note if and only if the metaschema's own verdict is that there is a fault."""
    document = {**members, "swagger" if version == "2.0" else "openapi": version}
    metaschema = check._metaschema(version[:3])
    assert metaschema is not None
    assert (diagnose(document) == ()) is metaschema.is_valid(document)


def test_the_metaschemas_are_read_without_the_package() -> None:
    """Diagnosing does not import openapi-spec-validator, which takes a third of a second."""
    code = (
        "import sys; from specfn.document.diagnose.check import diagnose;"
        "assert diagnose({'openapi': '3.1.0'});"
        "assert not {'openapi_spec_validator', 'jsonschema', 'httpx'} & set(sys.modules)"
    )
    source = str(Path(check.__file__).parents[3])
    assert (
        os.spawnve(
            os.P_WAIT,
            sys.executable,
            [sys.executable, "-c", code],
            {**os.environ, "PYTHONPATH": source},
        )
        == 0
    )


# -- strict -------------------------------------------------------------------------------------

TWICE = {"operationId": "o", "responses": OK}
WRONG_DEFAULT = {"type": "integer", "default": "x"}

STRICT: list[Any] = [
    (
        _document("3.1.0", paths={"/a": {"get": TWICE}, "/b": {"get": TWICE}}),
        "'o' for 'get' in '/b'",
    ),
    (_document("3.0.0", paths={"/a/{x}": {"get": {"responses": OK}}}), "'x' for 'get'"),
    (_schema("3.0.0", WRONG_DEFAULT), "'x' is not of type 'integer'"),
    pytest.param(_schema("3.2.0", WRONG_DEFAULT), "'x' is not of type 'integer'", marks=needs_32),
    (
        _parameters("2.0", {"name": "q", "in": "query", "type": "integer", "default": "x"}),
        "'x' is not of type 'integer'",
    ),
    (_schema("3.1.0", {"$ref": "#/components/schemas/B"}), "'/components/schemas/B' has no target"),
    (_schema("3.1.0", {"$ref": "#/components/schemas/A"}), "RecursionError"),
    (
        _schema("3.1.0", {"$ref": "https://example.invalid/x"}),
        "'https://example.invalid/x' has no target",
    ),
    ({"openapi": "3.1.0", "paths": {}}, 'expected the property "info"'),
]


@pytest.mark.parametrize(("document", "text"), STRICT)
def test_strict_says_what_the_validator_finds(document: dict[str, Any], text: str) -> None:
    """Strict checks report what openapi-spec-validator finds, and what it stumbles over."""
    assert text in " ".join(note.text for note in strict(document))


@pytest.mark.parametrize("version", VERSIONS)
def test_strict_has_nothing_against_a_valid_document(version: str) -> None:
    """A valid document is valid in every version, under the strict check, too."""
    assert strict(_document(version, paths={"/a": {"get": {"responses": OK}}})) == ()


def test_strict_knows_the_documents_own_uri() -> None:
    """A reference to the document by its own URI is checked like an internal one."""
    uri = "https://example.invalid/api.json"
    document = _schema("3.1.0", {"$ref": f"{uri}#/components/schemas/B"})
    document["components"]["schemas"]["B"] = {"type": "string"}
    assert strict(document, uri) == ()
    assert strict(document, None) != ()


def test_what_is_embedded_is_no_fault() -> None:
    """A bundle of several files passes both checks as its files do."""
    api = Path(__file__).parents[3] / "fixtures" / "references" / "api"
    source = read(api / "openapi.yaml")
    document = bundle(source, str(api)).document
    assert diagnose(document) == ()
    # The validator takes what looks like a reference in data for one.
    schemas = {**document["components"]["schemas"], "Data": {}}
    document = {**document, "components": {"schemas": schemas}}
    assert strict(document, source.uri) == ()


@pytest.mark.usefixtures("frozen_heap")
def test_strict_keeps_no_document() -> None:
    """A document that was checked is not kept for the life of the process."""
    title = "a title that is nowhere else"
    strict({"openapi": "3.1.0", "info": {"title": title, "version": "1"}, "paths": {}})
    gc.collect()
    kept = [value for value in gc.get_objects() if type(value) is dict and "title" in value]
    assert not [value for value in kept if value["title"] == title]


#: Operations that a version's metaschema refuses, with a part of the note.
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("2.0", {}, '"responses"'),
    ("3.0.3", {}, '"responses"'),
    ("2.0", {"responses": OK, "requestBody": {}}, '"requestBody"'),
    ("3.0.3", {"responses": OK, "consumes": []}, '"consumes"'),
    ("3.1.0", {"responses": OK, "consumes": []}, '"consumes"'),
    ("3.1.0", {"tags": "a"}, "tags"),
    ("3.0.3", {"responses": {"200": {}}}, '"description"'),
]


@pytest.mark.parametrize("place", ["paths", "pathItems", "operation"])
@pytest.mark.parametrize(("version", "operation", "text"), REFUSED)
def test_an_operation_that_the_metaschema_refuses_has_a_note_on_its_function(
    version: str, operation: dict[str, Any], text: str, place: str
) -> None:
    """N1: the function of a refused operation has a note, wherever the operation is; the others have none."""
    item: dict[str, Any] = {"post": operation}
    document = _document(version, **{"x-items": {"a": item}})
    item = {"$ref": "#/x-items/a"} if place == "pathItems" else item
    item = {"post": {"$ref": "#/x-items/a/post"}} if place == "operation" else item
    document["paths"] = {"/a": item, "/b": {"get": {"responses": OK}}}
    refused, valid = load(document).functions
    assert valid.notes == ()
    notes = [note for note in refused.notes if "a reference is resolved" not in note.text]
    assert any(
        text in note.text + note.pointer and note.pointer.startswith("/paths/~1a/post")
        for note in notes
    )


@given(number=st.integers(1, 3 * MAX_OPERATION_NOTES))
def test_one_operation_has_few_notes_about_its_faults(number: int) -> None:
    """N1: an operation with many faults has at most as many notes as the limit."""
    parameters = [
        {"name": f"p{index}", "in": "query", "schema": {}, "x": 1} for index in range(number)
    ]
    document = _parameters("3.0.3", *parameters)
    notes = load(document).functions[0].notes
    assert min(number, MAX_OPERATION_NOTES) == len(notes)
