import json
import re
import string
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.effort import calls, examples

from specfn import Options, load
from specfn.errors import DocumentError

METHODS = ["get", "put", "post", "delete", "head", "patch", "query", "options", "trace"]

names = st.one_of(
    st.sampled_from(["id", "Id", "ID", "pet-id", "pet_id", "query", "body", "_query", "a.b", "1", "größe", "api_key"]),
    st.text(string.ascii_letters + "_-.$", min_size=1, max_size=6),
)  # fmt: skip
segments = st.one_of(
    st.sampled_from(["pets", "Pets", "a-b", "a_b", "get", "delete", "v1.0", "1", "日本", "%41", ":id"]),
    names.map("{{{}}}".format),
    st.tuples(names, names).map(lambda pair: "{{{}}}.{{{}}}".format(*pair)),
    names.map("x-{{{}}}:verb".format),
)  # fmt: skip
paths = st.one_of(
    st.lists(segments, max_size=4).map(lambda parts: "/" + "/".join(parts)),
    st.sampled_from(["", "a", "//a", "/a/../b", "/a?b=c", "/a#b", "/{", "/{}", "/a//b", "/a/", "/\x00"]),
)  # fmt: skip
leaves: st.SearchStrategy[Any] = st.sampled_from(
    [
        {},
        True,
        {"type": "integer", "minimum": 1},
        {"type": "string", "maxLength": 5},
        {"type": ["string", "null"]},
        {"enum": ["a", 1, None]},
        {"$ref": "#/components/schemas/Node"},
        {"$ref": "#/components/schemas/Missing"},
        {"type": "string", "format": "binary"},
        {"type": "integer", "readOnly": True},
    ]
)
schemas = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.fixed_dictionaries({"type": st.just("array"), "items": inner}),
        st.fixed_dictionaries(
            {"type": st.just("object"), "properties": st.dictionaries(names, inner, max_size=3)},
            optional={"required": st.lists(names, max_size=2), "additionalProperties": inner},
        ),
        st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"allOf": st.lists(inner, min_size=1, max_size=2)}),
    ),
    max_leaves=5,
)
parameters = st.fixed_dictionaries(
    {"name": names, "in": st.sampled_from(["path", "query", "header", "cookie", "body"])},
    optional={
        "schema": schemas,
        "required": st.booleans(),
        "description": st.text(max_size=8),
        "style": st.sampled_from(["form", "deepObject", "simple", "pipeDelimited", "matrix"]),
        "explode": st.booleans(),
    },
)
contents = st.dictionaries(
    st.sampled_from(["application/json", "application/x-www-form-urlencoded", "text/plain", "*/*"]),
    st.fixed_dictionaries({"schema": schemas}),
    max_size=2,
)
operations = st.fixed_dictionaries(
    {},
    optional={
        "parameters": st.lists(st.one_of(parameters, st.just({"$ref": "#/nowhere"})), max_size=4),
        "requestBody": st.fixed_dictionaries({"content": contents}),
        "responses": st.dictionaries(
            st.sampled_from(["200", "201", "2XX", "404", "default"]),
            st.fixed_dictionaries({"content": contents}),
            max_size=2,
        ),
        "summary": st.text(max_size=8),
        "deprecated": st.booleans(),
        "tags": st.lists(st.text(max_size=4), max_size=2),
        "x-samchon-accessor": st.lists(st.sampled_from(["pets", "get", "a b"]), max_size=3),
        "x-samchon-human": st.booleans(),
        "operationId": names,
    },
)
documents = st.fixed_dictionaries(
    {
        "openapi": st.sampled_from(["3.0.3", "3.1.0", "3.2.0"]),
        "info": st.just({"title": "t", "version": "1"}),
        "paths": st.dictionaries(
            paths,
            st.dictionaries(st.sampled_from(METHODS), operations, max_size=3),
            max_size=5,
        ),
        "components": st.fixed_dictionaries(
            {
                "schemas": st.just(
                    {"Node": {"properties": {"next": {"$ref": "#/components/schemas/Node"}}}}
                )
            }
        ),
    }
)
options = st.builds(
    Options,
    keyword=st.booleans(),
    dialect=st.sampled_from(["3.0", "3.1"]),
    max_length=st.sampled_from([16, 32, 64]),
    recursive=st.sampled_from([False, 0, 1, 3]),
    schema_budget=st.sampled_from([1024, None]),
    headers=st.sampled_from(["include", "required", "omit"]),
    methods=st.sampled_from([(), ("options",), ("options", "trace")]),
)
arguments = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=4)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.one_of(names, st.sampled_from(["query", "headers", "cookies", "body"])),
            inner,
            max_size=3,
        ),
    ),
    max_leaves=8,
)


def operation_keys(document: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        (method, path)
        for path, item in document["paths"].items()
        if not path.startswith("x-")
        for method in item
    ]


@settings(max_examples=examples(50), deadline=None)
@given(documents, options)
def test_every_operation_is_a_function_or_an_error(document: dict[str, Any], how: Options) -> None:
    """R1, F1: functions and errors are the operations, and names are legal, unique and short."""
    before = json.dumps(document)
    application = load(document, options=how)
    assert json.dumps(document) == before
    found = [(each.method, each.path) for each in (*application, *application.errors)]
    assert sorted(found) == sorted(operation_keys(document))
    names = [function.name for function in application]
    assert len({name.lower() for name in names}) == len(names)
    for name in names:
        assert re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_]*", name)
        assert len(name) <= how.max_length
    for error in application.errors:
        assert error.code in {
            "reference", "external", "recursive", "path", "method", "human", "malformed", "chain",
        }  # fmt: skip
        assert error.reason
        assert error.pointer.startswith("/paths/")


def _children(node: Any) -> list[Any]:
    if isinstance(node, dict):
        return [*node.values()]
    return node if isinstance(node, list) else []


def _has_reference(node: Any) -> bool:
    if isinstance(node, dict) and isinstance(node.get("$ref"), str):
        return True
    return any(map(_has_reference, _children(node)))


@settings(max_examples=examples(50), deadline=None)
@given(documents, options)
def test_what_is_a_function_can_be_shown(document: dict[str, Any], how: Options) -> None:
    """F7, F9, F10: composing never fails; schemas are JSON within the budget, 3.0 without ``$ref``."""
    for function in load(document, options=how):
        for schema in (function.parameters, function.output):
            text = json.dumps(schema, separators=(",", ":"), ensure_ascii=False)
            assert how.schema_budget is None or len(text.encode()) <= how.schema_budget
            assert how.dialect == "3.1" or not _has_reference(schema)
        assert isinstance(function.parameters, dict if how.keyword else list)
        keys = [key for key, _ in function.route.keys]
        assert len(set(keys)) == len(keys)
        assert len(function.fingerprint) == 64
        assert all(edit.reason for edit in function.edits)


@settings(max_examples=examples(50), deadline=None)
@given(documents, options, arguments)
def test_validate_never_raises(document: dict[str, Any], how: Options, given_: Any) -> None:
    """V1, V2: any value gets a verdict, with its places if it is refused; ``data`` is the value."""
    for function in load(document, options=how):
        outcome = function.validate(given_)
        assert outcome.data is given_
        if not outcome:
            assert outcome.errors
            assert all(each.path.startswith("$input") for each in outcome.errors)


@settings(max_examples=examples(40), deadline=None)
@given(documents, arguments)
def test_both_forms_agree(document: dict[str, Any], given_: Any) -> None:
    """F4: a list is valid exactly where the object that it stands for is."""
    keyword, positional = load(document), load(document, options=Options(keyword=False))
    for one, other in zip(keyword, positional, strict=True):
        keys = [key for key, _ in one.route.keys]
        if isinstance(given_, dict):
            listed = [given_.get(key) for key in keys]
        else:
            listed = (given_ if isinstance(given_, list) else [given_])[: len(keys)]
        assert bool(other.validate(listed)) is bool(one.validate(other.arguments_by_key(listed)))


@settings(max_examples=examples(40), deadline=None)
@given(documents, st.randoms(use_true_random=False))
def test_the_order_of_paths_does_not_count(document: dict[str, Any], chance: Any) -> None:
    """R12, F2: each operation keeps its name and its schemas when paths are reordered."""
    paths = [*document["paths"].items()]
    chance.shuffle(paths)
    shown = [
        {
            (each.method, each.path): (each.name, each.description, each.schemas.as_json)
            for each in load(source)
        }
        for source in (document, {**document, "paths": dict(paths)})
    ]
    assert shown[0] == shown[1]


@settings(max_examples=examples(40), deadline=None)
@given(
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(
                st.sampled_from(
                    ["paths", "/a", "/{b}", "get", "post", "parameters", "name", "in", "path", "query",
                     "schema", "$ref", "requestBody", "content", "application/json", "responses", "200",
                     "type", "properties", "items", "allOf", "anyOf", "components", "schemas", "security",
                     "enum", "required", "servers", "tags", "discriminator", "additionalProperties"]
                ),
                inner,
                max_size=4,
            ),
        ),
        max_leaves=30,
    )
)  # fmt: skip
@example([{"in": []}])
def test_any_tree_is_converted_or_refused(tree: Any) -> None:
    """N1, R1: whatever stands in a document, loading and showing it raises nothing but a DocumentError."""
    for version in ({"openapi": "3.1.0"}, {"swagger": "2.0"}):
        document = {
            **(tree if isinstance(tree, dict) else {}),
            "paths": {"/a/{b}": {"get": tree, "post": {"requestBody": tree, "responses": tree}, "put": {"parameters": tree}}, "/b": tree},
            **version,
        }  # fmt: skip
        try:
            application = load(document)
        except DocumentError:
            continue
        for function in application:
            assert json.dumps([function.parameters, function.output])
            assert function.validate({}).data == {}
            assert function.fingerprint


# -- one wrong value anywhere ---------------------------------------------------------------------------

JUNK: list[Any] = [
    None, True, False, 5, -1.5, "", "x", [], {}, [5], [[]], [{}], [None], ["x", "x"], {"a": 5}, {"a": []},
    {"$ref": 5}, {"$ref": "#"}, {"$ref": "#/paths"}, {"in": []},
]  # fmt: skip
JSON_BODY = {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}
MODERN: dict[str, Any] = {
    "openapi": "3.1.0",
    "servers": [{"url": "https://{x}/", "variables": {"x": {"default": "a", "enum": ["a"]}}}],
    "security": [{"key": ["a"]}],
    "paths": {
        "/pets/{id}": {
            "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
            "post": {
                "operationId": "a",
                "tags": ["a"],
                "summary": "a",
                "deprecated": True,
                "parameters": [
                    {"name": "q", "in": "query", "style": "form", "explode": True,
                     "schema": {"type": "object", "properties": {"a": {"type": "integer"}}}},
                    {"name": "c", "in": "cookie", "content": {"application/json": {"schema": {}}}},
                    {"$ref": "#/components/parameters/H"},
                ],
                "requestBody": {"required": True, "content": JSON_BODY},
                "responses": {"200": {"description": "a", "content": JSON_BODY}, "default": {"description": "b"}},
                "callbacks": {"done": {"{$url}": {"post": {}}}},
                "security": [{"key": []}],
            },
        },
    },
    "components": {
        "parameters": {"H": {"name": "h", "in": "header", "schema": {"enum": ["a", None]}}},
        "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}},
        "schemas": {
            "Pet": {
                "discriminator": {"propertyName": "kind", "mapping": {"cat": "#/components/schemas/Cat"}},
                "type": "object",
                "properties": {"kind": {"type": "string"}, "more": {"$ref": "#/components/schemas/Pet"}},
                "required": ["kind"],
            },
            "Cat": {"allOf": [{"$ref": "#/components/schemas/Pet"}, {"properties": {"a": {"minimum": 1}}}]},
        },
    },
}  # fmt: skip
OLD: dict[str, Any] = {
    "swagger": "2.0",
    "host": "a.example",
    "basePath": "/v1",
    "schemes": ["https"],
    "consumes": ["application/json"],
    "produces": ["application/json"],
    "paths": {
        "/pets/{id}": {
            "parameters": [{"name": "id", "in": "path", "type": "integer", "required": True}],
            "post": {
                "parameters": [
                    {"name": "b", "in": "body", "schema": {"$ref": "#/definitions/Pet"}},
                    {"name": "q", "in": "query", "type": "array", "items": {"type": "string"}, "collectionFormat": "csv"},
                ],
                "responses": {"200": {"description": "a", "schema": {"$ref": "#/definitions/Pet"}}},
            },
            "put": {
                "consumes": ["multipart/form-data"],
                "parameters": [
                    {"name": "f", "in": "formData", "type": "file"},
                    {"name": "g", "in": "formData", "type": "string", "required": True},
                ],
                "responses": {"200": {"description": "a", "schema": {"type": "file"}}},
            },
        }
    },
    "definitions": {
        "Pet": {
            "type": "object",
            "discriminator": "kind",
            "required": ["kind"],
            "properties": {"kind": {"type": "string"}, "more": {"type": "array", "items": {"$ref": "#/definitions/Pet"}}},
        }
    },
    "securityDefinitions": {"o": {"type": "oauth2", "flow": "implicit", "authorizationUrl": "u", "scopes": {"a": "b"}}},
}  # fmt: skip


def places(node: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place of a tree."""
    yield place
    inner = (
        node.items()
        if isinstance(node, dict)
        else enumerate(node if isinstance(node, list) else ())
    )
    for key, value in inner:
        yield from places(value, (*place, key))


def replaced(node: Any, place: tuple[Any, ...], value: Any) -> Any:
    """A tree with another value at one place."""
    if not place:
        return value
    copy = dict(node) if isinstance(node, dict) else list(node)
    copy[place[0]] = replaced(node[place[0]], place[1:], value)
    return copy


def fault(document: Any, how: Options) -> str | None:
    """What goes wrong when a document is loaded, shown and checked; ``None`` if nothing does."""
    try:
        application = load(document, options=how)
    except DocumentError:
        return None
    except Exception as error:  # noqa: BLE001  # whatever it is, it should not be
        return f"load: {error!r}"
    try:
        for function in application:
            json.dumps([function.parameters, function.output])
            assert function.fingerprint
            assert isinstance(function.edits, tuple)
            assert function.validate([] if how.keyword else {}).errors
            function.validate({} if how.keyword else [])
    except Exception as error:  # noqa: BLE001  # likewise
        return f"use: {error!r}"
    return None


@pytest.mark.parametrize("document", [MODERN, OLD], ids=["3.1", "2.0"])
@pytest.mark.parametrize(
    "how", [Options(), Options(dialect="3.1", keyword=False, recursive=1)], ids=["plain", "other"]
)
def test_one_wrong_value_anywhere_breaks_nothing(document: dict[str, Any], how: Options) -> None:
    """R1, N1, F10: a document with junk in any one place is refused as a whole, or converted and usable."""
    assert fault(document, how) is None
    faults = {
        (place, repr(junk)): found
        for index, place in enumerate(places(document))
        for number, junk in enumerate(JUNK)
        if place
        and (index + number) % 3 == 0
        and (found := fault(replaced(document, place, junk), how))
    }
    assert not faults


# -- work grows with the document -----------------------------------------------------------------------


def declared(count: int, where: str, pattern: str) -> list[dict[str, Any]]:
    return [
        {"name": pattern.format(index), "in": where, "schema": {"type": "string"}}
        for index in range(count)
    ]


def template(count: int, pattern: str) -> str:
    return "/" + "/".join("{" + pattern.format(index) + "}" for index in range(count))


def chained(count: int) -> list[dict[str, Any]]:
    """Objects of which each holds the next one's name; the last two collide."""
    return [
        {
            "name": f"o{index}",
            "in": "query",
            "schema": {
                "type": "object",
                "properties": {f"o{index + 1}": {}, "z" if index > count - 3 else f"y{index}": {}},
            },
        }
        for index in range(count)
    ]


SHAPES: dict[str, Callable[[int], tuple[str, list[dict[str, Any]]]]] = {
    "query": lambda count: ("/a", declared(count, "query", "q{}")),
    "cookies": lambda count: ("/a", declared(count, "cookie", "q{}")),
    "headers": lambda count: ("/a", declared(count, "header", "q{}")),
    "dropped": lambda count: ("/a", declared(count, "path", "q{}")),
    "undeclared": lambda count: (template(count, "p{}"), []),
    "exact": lambda count: (template(count, "p{}"), declared(count, "path", "p{}")),
    "near": lambda count: (template(count, "p_{}"), declared(count, "path", "p-{}")),
    "unmatched": lambda count: (template(count, "p_{}"), declared(count, "path", "x{}")),
    "aliases": lambda count: (template(count, "p-{}"), []),
    "chained objects": lambda count: ("/a", chained(count)),
}


def work(shape: str, count: int) -> int:
    """How many calls it takes to convert an operation with so many parameters."""
    path, parameters = SHAPES[shape](count)
    document = {
        "openapi": "3.1.0",
        "info": {},
        "paths": {path: {"get": {"parameters": parameters}}},
    }
    return calls(lambda: load(document), of_c=True)


@pytest.mark.parametrize("shape", SHAPES)
def test_work_grows_with_the_document(shape: str) -> None:
    """T17: twice the parameters are at most about twice the work, however they are named."""
    work(shape, 10)
    small, large = work(shape, 50), work(shape, 200)
    assert large < 5 * small
