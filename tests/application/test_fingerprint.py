import copy
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from specfn import Application, Options, load

DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "t", "version": "1"},
    "servers": [{"url": "https://api.example"}],
    "paths": {
        "/pets/{id}": {
            "put": {
                "summary": "Change",
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
                    {"name": "q", "in": "query", "schema": {"type": "array", "items": {}}},
                ],
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
                            }
                        }
                    }
                },
                "responses": {
                    "200": {
                        "description": "ok",
                        "content": {"application/json": {"schema": {"type": "string"}}},
                    }
                },
                "security": [{"key": []}],
            }
        },
        "/other": {"get": {}},
    },
    "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}},
}

Change = Callable[[dict[str, Any]], object]


def put(document: dict[str, Any]) -> dict[str, Any]:
    operation: dict[str, Any] = document["paths"]["/pets/{id}"]["put"]
    return operation


def schema(document: dict[str, Any]) -> dict[str, Any]:
    node: dict[str, Any] = put(document)["requestBody"]["content"]["application/json"]["schema"]
    return node


def changed(change: Change) -> Application:
    document = copy.deepcopy(DOCUMENT)
    change(document)
    return load(document)


def first(application: Application) -> str:
    return application.functions[0].fingerprint


VISIBLE: dict[str, Change] = {
    "summary": lambda d: put(d).update(summary="Changes"),
    "tag": lambda d: put(d).update(tags=["x"]),
    "deprecation": lambda d: put(d).update(deprecated=True),
    "parameter description": lambda d: put(d)["parameters"][1].update(description="x"),
    "parameter type": lambda d: put(d)["parameters"][0]["schema"].update(type="integer"),
    "parameter name": lambda d: put(d)["parameters"][1].update(name="r"),
    "required": lambda d: put(d)["parameters"][1].update(required=True),
    "property": lambda d: schema(d)["properties"].update(c={}),
    "bound": lambda d: schema(d)["properties"]["b"].update(maximum=5),
    "body required": lambda d: put(d)["requestBody"].update(required=True),
    "output": lambda d: put(d)["responses"]["200"]["content"]["application/json"]["schema"].update(
        type="integer"
    ),
    "scheme": lambda d: put(d).update(security=[{"other": []}]),
    "no security": lambda d: put(d).update(security=[]),
}
WIRE: dict[str, Change] = {
    "server": lambda d: d.update(servers=[{"url": "https://api.evil"}]),
    "own server": lambda d: put(d).update(servers=[{"url": "https://api.evil"}]),
    "server variable": lambda d: d["servers"][0].update(variables={"a": {"default": "b"}}),
    "explode": lambda d: put(d)["parameters"][1].update(explode=False),
    "style": lambda d: put(d)["parameters"][1].update(style="pipeDelimited"),
    "allowReserved": lambda d: put(d)["parameters"][1].update(allowReserved=True),
    "media type": lambda d: put(d)["requestBody"].update(
        content={"application/merge-patch+json": {"schema": schema(d)}}
    ),
    "accepted type": lambda d: put(d)["responses"]["200"]["content"].update({"text/plain": {}}),
    "where a key goes": lambda d: d["components"]["securitySchemes"]["key"].update(name="X-Kez"),
}


@pytest.mark.parametrize("change", [*VISIBLE.values(), *WIRE.values()], ids=[*VISIBLE, *WIRE])
def test_what_a_model_reads_or_a_server_gets_counts(change: Change) -> None:
    """T14: any change of what is shown or sent changes the function's and the application's fingerprint."""
    before, after = load(DOCUMENT), changed(change)
    assert first(before) != first(after)
    assert before.fingerprint != after.fingerprint


ELSEWHERE: dict[str, Change] = {
    "title": lambda d: d["info"].update(title="other"),
    "extension": lambda d: put(d).update({"x-internal": 5}),
    "other function": lambda d: d["paths"]["/other"]["get"].update(summary="x"),
    "unused component": lambda d: d["components"].update(schemas={"Unused": {"type": "string"}}),
    "other answer": lambda d: put(d)["responses"].update({"404": {"description": "no"}}),
    "unused scheme": lambda d: d["components"]["securitySchemes"].update(
        b={"type": "http", "scheme": "basic"}
    ),
    "operationId": lambda d: put(d).update(operationId="x"),
}


@pytest.mark.parametrize("change", ELSEWHERE.values(), ids=ELSEWHERE)
def test_what_is_neither_shown_nor_sent_does_not_count(change: Change) -> None:
    """T14: a function's fingerprint changes with nothing else."""
    assert first(load(DOCUMENT)) == first(changed(change))


def test_one_function_changes_alone() -> None:
    """T14: a change in one function changes that one's fingerprint and the application's."""
    before, after = (
        load(DOCUMENT),
        changed(lambda d: d["paths"]["/other"]["get"].update(summary="x")),
    )
    assert before.functions[1].fingerprint != after.functions[1].fingerprint
    assert before.fingerprint != after.fingerprint


def test_functions_that_come_and_go_count() -> None:
    """T14: the application's fingerprint knows which functions there are."""
    assert load(DOCUMENT).fingerprint != changed(lambda d: d["paths"].pop("/other")).fingerprint


def _reversed(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: _reversed(value) for key, value in reversed(node.items())}
    return [_reversed(item) for item in node] if isinstance(node, list) else node


def test_the_order_of_keys_does_not_count() -> None:
    """T14: a document whose objects are written in another order has the same fingerprints."""
    before, after = load(DOCUMENT), load(_reversed(DOCUMENT))
    assert {f.name: f.fingerprint for f in before} == {f.name: f.fingerprint for f in after}
    assert before.fingerprint == after.fingerprint


def test_the_order_of_media_types_does_not_count_where_the_choice_is_the_same() -> None:
    """T14: listing the same answers in another order changes nothing that is decided."""
    types = {"application/json": {"schema": {"type": "string"}}, "text/plain": {}, "text/csv": {}}
    found = {
        first(changed(lambda d, c=content: put(d)["responses"]["200"].update(content=c)))
        for content in (types, dict(reversed(types.items())))
    }
    assert len(found) == 1


@pytest.mark.parametrize(
    "options", [{"keyword": False}, {"dialect": "3.1"}, {"max_length": 16}], ids=str
)
def test_a_fingerprint_is_stable(options: dict[str, Any]) -> None:
    """T14: 64 hexadecimal digits, the same in every run and for text, bytes and dict."""
    text = json.dumps(DOCUMENT)
    found = {
        load(source, options=Options(**options)).fingerprint
        for source in (DOCUMENT, text.encode(), json.loads(text))
    }
    (value,) = found
    assert re.fullmatch(r"[0-9a-f]{64}", value)


def test_the_fingerprint_of_an_application() -> None:
    """T14: the order of the functions does not count, each of them does."""

    def combined(*paths: str) -> str:
        return load({**DOCUMENT, "paths": {path: {"get": {}} for path in paths}}).fingerprint

    assert combined("/a", "/b") == combined("/b", "/a")
    assert len({combined(), combined("/a"), combined("/b"), combined("/a", "/b")}) == 4


def test_how_parts_are_written_counts() -> None:
    """What a multipart body's parts are, and what the connection must give, goes over the wire."""
    schema = {"type": "array", "prefixItems": [{"type": "string"}]}

    def made(*parameters: dict[str, Any], **encoding: Any) -> str:
        media = {"schema": schema, "prefixEncoding": [encoding]}
        operation = {
            "requestBody": {"content": {"multipart/mixed": media}},
            "parameters": list(parameters),
        }
        return first(load({**DOCUMENT, "paths": {"/x": {"post": operation}}}))

    hidden = [{"name": name, "in": "query"} for name in ("api_key", "apiKey")]
    found = [made(), made(contentType="text/html"), *(made(each) for each in hidden)]
    assert len(set(found)) == len(found)
    assert made() == found[0]


PARTS: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "t", "version": "1"},
    "servers": [{"url": "https://api.example/{v}", "variables": {"v": {"default": "1"}}}],
    "paths": {
        "/files/{id}": {
            "post": {
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "style": "label", "schema": {"type": "integer"}},
                    {"name": "f", "in": "query", "style": "deepObject", "schema": {"type": "object"}},
                    {"name": "X-A", "in": "header", "schema": {"type": "array", "items": {"type": "string"}}},
                    {"name": "c", "in": "cookie", "schema": {"const": "x"}},
                    {"name": "limit", "in": "query", "schema": {"type": "integer", "maximum": 50}},
                    {"name": "page", "in": "query", "schema": {"type": "integer"}},
                ],
                "requestBody": {
                    "content": {
                        "multipart/form-data": {
                            "schema": {
                                "type": "object",
                                "properties": {
                                    "file": {"type": "string", "format": "binary"},
                                    "tags": {"type": "array", "items": {"type": "string"}},
                                },
                            },
                            "encoding": {"file": {"contentType": "image/png"}},
                        }
                    }
                },
                "responses": {"200": {"description": "ok", "content": {"application/xml": {"schema": {}}}}},
                "security": [{"o": ["files:write"]}],
            },
            "patch": {
                "requestBody": {
                    "content": {
                        "application/x-www-form-urlencoded": {
                            "schema": {"type": "object", "properties": {"a": {"type": "string"}}}
                        }
                    }
                },
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
                "responses": {"204": {"description": "ok"}},
            },
        }
    },
    "components": {
        "securitySchemes": {
            "o": {
                "type": "oauth2",
                "flows": {
                    "clientCredentials": {"tokenUrl": "https://api.example/token", "scopes": {"files:write": ""}}
                },
            }
        }
    },
}  # fmt: skip


def test_fingerprints_are_those_of_the_versions_before() -> None:
    """A reviewed lock stays valid: what a fingerprint is calculated from has the same names in every version."""
    known = {**functions(load(PARTS)), **functions(load(DOCUMENT))}
    assert known == {
        "post /files/{id}": "517a2ae46e1538ebdf301bc8a93a36686b4968366e3db7c380c25c31c2846e0e",
        "patch /files/{id}": "e51e948ae9db2c0e76f9d617ba73fd18ed32e8490fcae5f946b0b5f132fa66d4",
        "put /pets/{id}": "a9c203be4df24aece447432ef06769362e7b77bb32f38b0655644ddff9dedbf3",
        "get /other": "c8fe4676481b7c920443a33f00615e924ca630f3ee351bbb8ffb613882374b59",
    }


def functions(application: Application) -> dict[str, str]:
    return {
        f"{function.method} {function.path}": function.fingerprint
        for function in application.functions
    }
