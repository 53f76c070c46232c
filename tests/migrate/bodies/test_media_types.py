from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn import Function, Options, load
from specfn.migrate.bodies.media_types import choose, essence, has_binary, kind_of, schema_of
from specfn.migrate.route import Body, BodyKind

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"
OBJECT = {"type": "object", "properties": {"a": {"type": "string"}}}
FILE = {"type": "object", "properties": {"f": {"type": "string", "format": "binary"}}}


def made(content: dict[str, Any], *, version: str = "3.0.3", **rest: Any) -> Function:
    """The function of a document with one operation that takes a body."""
    document = {
        "openapi": version,
        "info": {"title": "t", "version": "1"},
        "paths": {"/x": {"post": {"requestBody": {"required": True, "content": content}}}},
        "components": rest.pop("components", {}),
    }
    application = load(document, options=Options(**rest))
    assert not application.errors
    return application.functions[0]


def body(content: dict[str, Any], **rest: Any) -> Body:
    found = made(content, **rest).route.body
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("media_type", "expected"),
    [
        ("application/json", "application/json"),
        ("Application/JSON; charset=utf-8", "application/json"),
        (" text/plain ;q=1", "text/plain"),
        ("", ""),
    ],
)
def test_types_compare_without_parameters_and_case(media_type: str, expected: str) -> None:
    """R8: what counts of a media type is its essence."""
    assert essence(media_type) == expected


@pytest.mark.parametrize(
    ("media_type", "kind"),
    [
        ("application/json", "json"),
        ("APPLICATION/JSON;charset=UTF-8", "json"),
        ("application/merge-patch+json", "json"),
        ("application/problem+json", "json"),
        ("application/vnd.github.v3+json; version=1", "json"),
        ("*/*", "json"),
        ("text/json", "json"),
        ("application/json-seq", "json"),
        ("application/x-www-form-urlencoded", "form"),
        ("multipart/form-data", "multipart"),
        ("multipart/form-data; boundary=x", "multipart"),
        ("text/plain", "text"),
        ("text/csv", "text"),
        ("text/html;charset=utf-8", "text"),
        ("text/*", "text"),
        ("application/xml", "xml"),
        ("text/xml", "xml"),
        ("application/atom+xml", "xml"),
        ("application/octet-stream", "binary"),
        ("image/png", "binary"),
        ("application/pdf", "binary"),
        ("nonsense", "binary"),
        ("", "binary"),
    ],
)
def test_every_type_has_a_kind(media_type: str, kind: BodyKind) -> None:
    """R8: JSON, form, multipart, text, XML; whatever else is bytes. No type refuses an operation."""
    assert kind_of(media_type) == kind
    assert body({media_type: {"schema": OBJECT}}).kind == kind


#: Each wins over those below it, wherever it stands.
ORDER = [
    "application/json",
    "application/merge-patch+json",
    "application/hal+json",
    "*/*",
    "application/x-json-lines",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "text/plain",
    "application/xml",
    "application/octet-stream",
]


@pytest.mark.parametrize("index", range(len(ORDER) - 1))
def test_preference(index: int) -> None:
    """R8: the kinds of media types have an order of preference, whatever the document's."""
    content = {key: {"schema": OBJECT} for key in ORDER[index:]}
    assert choose(content) == ORDER[index]
    assert choose(dict(reversed(content.items()))) == ORDER[index]


@given(st.permutations(ORDER), st.integers(1, len(ORDER)))
def test_preference_is_a_total_order(shuffled: list[str], count: int) -> None:
    """R8: of any declared media types the one of the highest rank is chosen."""
    declared = shuffled[:count]
    assert choose({key: {} for key in declared}) == min(declared, key=ORDER.index)


@pytest.mark.parametrize(
    "types",
    [
        ["application/b+json", "application/a+json"],
        ["application/json; v=2", "application/json"],
        ["text/csv", "text/plain"],
        ["image/png", "application/pdf"],
    ],
)
def test_equals_go_by_the_document(types: list[str]) -> None:
    """R8: among media types of one rank the first in document order is chosen."""
    for order in permutations(types):
        assert choose({key: {} for key in order}) == order[0]


def test_the_declared_text_is_sent_verbatim() -> None:
    """R8: parameters and case of the chosen media type stay as they are written."""
    written = "Application/JSON; Charset=UTF-8"
    assert body({"text/plain": {}, written: {"schema": OBJECT}}).media_type == written


BINARY_PROPERTIES: list[dict[str, Any]] = [
    {"type": "string", "format": "binary"},
    {"type": "array", "items": {"type": "string", "format": "binary"}},
    {"type": "string", "contentMediaType": "application/octet-stream"},
]


@pytest.mark.parametrize("node", BINARY_PROPERTIES)
def test_a_form_cannot_hold_a_file(node: dict[str, Any]) -> None:
    """R8: urlencoded is passed over for an object with a binary property, unless there is nothing else."""
    schema = {"type": "object", "properties": {"name": {"type": "string"}, "file": node}}
    media = {"schema": schema}
    assert has_binary(schema)
    assert choose({FORM: media, MULTIPART: media}) == MULTIPART
    assert choose({FORM: media}) == FORM
    assert choose({FORM: {"schema": OBJECT}, MULTIPART: media}) == FORM


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/components/schemas/Upload"},
        {"allOf": [{"$ref": "#/components/schemas/Upload"}]},
        {"allOf": [OBJECT, FILE]},
        {"type": "object", "properties": {"f": {"$ref": "#/components/schemas/File"}}},
    ],
)
def test_a_form_cannot_hold_a_file_behind_a_reference(schema: dict[str, Any]) -> None:
    """R8: it is the object that counts, however the document spells it."""
    components = {"schemas": {"Upload": FILE, "File": {"type": "string", "format": "binary"}}}
    found = body({FORM: {"schema": schema}, MULTIPART: {"schema": schema}}, components=components)
    assert found.media_type == MULTIPART


@pytest.mark.parametrize(
    ("media_type", "schema", "expected"),
    [
        ("text/plain", {"type": "string", "maxLength": 3}, {"type": "string", "maxLength": 3}),
        ("text/csv", OBJECT, {"type": "string"}),
        ("text/plain", None, {"type": "string"}),
        ("application/xml", OBJECT, {"type": "string", "description": "XML text"}),
        ("application/xml", {"type": "string"}, {"type": "string"}),
        ("image/png", OBJECT, {"type": "string", "format": "binary"}),
        (
            "image/png",
            {"type": "string", "format": "binary"},
            {"type": "string", "format": "binary"},
        ),
        ("application/pdf", None, {"type": "string", "format": "binary"}),
        ("application/json", None, {}),
    ],
)
def test_what_is_not_json_is_a_string(media_type: str, schema: Any, expected: Any) -> None:
    """R8: text and XML bodies are strings, and what is not known is bytes."""
    media = {} if schema is None else {"schema": schema}
    assert schema_of(media, kind_of(media_type)) == expected
    assert body({media_type: media}, version="3.1.0").schema == expected


def test_a_sequence_of_items_is_an_array() -> None:
    """N1, R8: ``itemSchema`` of 3.2 is what each item of a sequence is."""
    found = body({"application/json-seq": {"itemSchema": OBJECT}}, version="3.2.0")
    assert found.schema == {"type": "array", "items": OBJECT}
    assert found.kind == "json"


# -- the caller's choice -----------------------------------------------------------------------------

BOTH = {"application/json": {"schema": OBJECT}, "application/xml": {"schema": OBJECT}}


@pytest.mark.parametrize(
    ("wish", "expected"),
    [
        ({}, "application/json"),
        ({"*": "application/xml"}, "application/xml"),
        ({"*": "APPLICATION/XML; q=1"}, "application/xml"),
        ({"x.post": "application/xml"}, "application/xml"),
        ({"x.*": "application/xml"}, "application/xml"),
        ({"x.post": "application/json", "*": "application/xml"}, "application/json"),
        ({"*": "text/plain"}, "application/json"),
    ],
)
def test_options_force_a_documented_choice(wish: dict[str, str], expected: str) -> None:
    """R8: ``Options.media_types`` forces what is documented, by accessor pattern; no more than that."""
    assert body(BOTH, media_types=wish).media_type == expected


def test_an_exact_wish_is_fulfilled() -> None:
    """R8: of two documented types that differ in parameters the one that was asked for is chosen."""
    first, second = "application/json; version=1", "application/json; version=2"
    assert choose({first: {}, second: {}}, second) == second


def test_the_choice_is_what_a_model_sees() -> None:
    """R8: the body's schema is that of the chosen media type."""
    content = {"application/json": {"schema": OBJECT}, "text/plain": {"schema": {"type": "string"}}}
    function = made(content, media_types={"*": "text/plain"})
    assert function.parameters["properties"]["body"] == {"type": "string"}
    assert function.validate({"body": "x"})
    assert not function.validate({"body": {"a": "x"}})


@pytest.mark.parametrize("content", [{}, None, [], "application/json", {"application/json": None}])
def test_odd_content_refuses_nothing(content: Any) -> None:
    """R8: a body without usable content is dropped with a note, and the operation stays."""
    function = made(content)
    assert function.method == "post"
    if function.route.body is None:
        assert any("body" in note.text for note in function.notes)


def test_encoding_is_kept() -> None:
    """R8, X5: Encoding Objects of a form go along, by property."""
    media = {"schema": OBJECT, "encoding": {"a": {"contentType": "text/plain"}, "b": "odd"}}
    assert body({MULTIPART: media}).encoding == {"a": {"contentType": "text/plain"}}


def test_without_any_media_type_there_is_no_choice() -> None:
    """R8: no content, no media type."""
    assert choose({}) is None
    assert choose({}, "application/json") is None
