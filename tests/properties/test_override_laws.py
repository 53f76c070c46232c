"""Laws of method overrides: no argument of a model makes a call do more than its safety says (rules F6, X11)."""

import json
import re
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any
from urllib.parse import parse_qsl

import httpx
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples

import specfn
from specfn import Connection, Options
from specfn.errors import ArgumentError, UsageError

Json = dict[str, Any]

HERE = Connection(base_url="https://api.example")

#: What the judge knows of methods: RFC 9110, and nothing of the library.
DANGER = {"GET": 0, "HEAD": 0, "POST": 1, "PUT": 1, "PATCH": 1}
SAFETY = {"read": 0, "write": 1, "destructive": 2}

HEADERS = ("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override")
FIELDS = ("_method", "_HttpMethod", *HEADERS)


def obeyed(request: httpx.Request) -> list[str]:
    """Return every method that a framework could read out of a request, as the frameworks do.

    Headers are read from a WSGI environment, fields by PHP's names, and a body by its media type.
    """
    environ = {
        "HTTP_" + name.decode().upper().replace("-", "_"): value.decode()
        for name, value in request.headers.raw
    }
    found = [environ.get("HTTP_" + name.upper().replace("-", "_")) for name in HEADERS]
    fields = parse_qsl(request.url.query.decode(), keep_blank_values=True) + in_body(request)
    for name, value in fields:
        if re.sub(r"[ .\[-]", "_", name.lstrip()).lower() in {
            each.replace("-", "_").lower() for each in FIELDS
        }:
            found.append(value)
    return [each.strip().upper() for each in found if each and each.strip()] or [request.method]


def in_body(request: httpx.Request) -> list[tuple[str, str]]:
    """Return the fields of a body: of a form, of a multipart form, or the members of a JSON object."""
    kind = request.headers.get("content-type", "")
    if kind.startswith("application/json"):
        value = json.loads(request.content)
        members = value.items() if isinstance(value, dict) else ()
        return [
            (name, each)
            for name, item in members
            for each in (item if isinstance(item, list) else [item])
            if isinstance(each, str)
        ]
    if kind.startswith("multipart/"):
        head = f"Content-Type: {kind}\r\n\r\n".encode()
        message = BytesParser(policy=HTTP).parsebytes(head + request.content)
        return [
            (
                str(part.get_param("name", header="content-disposition")),
                part.get_payload(decode=True).decode(),
            )
            for part in message.iter_parts()  # type: ignore[attr-defined]
            if part.get_filename() is None
        ]
    return parse_qsl(request.content.decode(), keep_blank_values=True)


def spelled(name: str) -> st.SearchStrategy[str]:
    """A name in the spellings that some server takes for it."""
    return st.sampled_from(
        [name, name.lower(), name.upper(), name.replace("-", "_"), name.swapcase()]
    )


names = st.sampled_from(HEADERS).flatmap(spelled)
fields = st.one_of(
    st.sampled_from(FIELDS).flatmap(spelled), st.sampled_from([".method", "[method", "a", "method"])
)
methods = st.sampled_from(
    ["GET", "POST", "PUT", "PATCH", "DELETE", "delete", " DELETE ", "PURGE", "", "x"]
)
schemas = st.one_of(
    st.just({"type": "string"}),
    st.lists(methods, min_size=1, max_size=3, unique=True).map(lambda listed: {"enum": listed}),
    methods.map(lambda value: {"const": value}),
)
declared = st.one_of(
    st.tuples(names, st.just("header"), schemas, st.booleans()),
    st.tuples(fields, st.just("query"), schemas, st.booleans()),
)
free = {"type": "object", "additionalProperties": True}
bodies = st.sampled_from(
    ["application/json", "application/x-www-form-urlencoded", "multipart/form-data", None]
)


@st.composite
def documents(draw: st.DrawFn) -> Json:
    """One operation that declares overrides, a query object with any keys, and a body with any members."""
    parameters: list[Json] = [
        {"name": name, "in": where, "schema": schema, "required": required}
        for name, where, schema, required in draw(st.lists(declared, max_size=3))
    ]
    for name, style in (("any", "form"), ("deep", "deepObject")):
        parameters.append({"name": name, "in": "query", "schema": free, "style": style})
    operation: Json = {"parameters": parameters}
    media_type = draw(bodies)
    if media_type is not None:
        text = {"type": "object", "additionalProperties": {"type": ["string", "array"]}}
        operation["requestBody"] = {"content": {media_type: {"schema": text}}}
    query = draw(st.sampled_from(["", "?_method=DELETE", "?_method={m}", "?a=1"]))
    method = draw(st.sampled_from(["get", "post", "put", "patch", "delete"]))
    info = {"title": "t", "version": "1"}
    return {"openapi": "3.1.0", "info": info, "paths": {f"/x{query}": {method: operation}}}


values = st.one_of(methods, st.lists(methods, max_size=2))
members = st.dictionaries(fields, values, max_size=3)
arguments = st.fixed_dictionaries(
    {"m": methods},
    optional={
        "query": st.builds(lambda any_, own: {"any": any_, "deep": any_, **own}, members, members),
        "headers": st.dictionaries(names, methods, max_size=3),
        "body": members,
    },
)


@settings(max_examples=examples(120))
@given(document=documents(), arguments=arguments)
def test_no_argument_does_more_than_the_safety_says(document: Json, arguments: Json) -> None:
    """What a framework reads as the method of a request is never more dangerous than ``safety``."""
    [function] = specfn.load(document)
    try:
        request = specfn.request(function, arguments, HERE, validate=False)
    except (ArgumentError, UsageError):
        return
    for method in obeyed(request):
        assert DANGER.get(method, 2) <= SAFETY[function.safety], (method, request)


@given(document=documents(), arguments=arguments, value=methods)
def test_a_fixed_override_is_what_is_sent(document: Json, arguments: Json, value: str) -> None:
    """The value of ``Options.fixed`` is sent whatever the arguments say, and the safety follows it."""
    [operation] = [each for item in document["paths"].values() for each in item.values()]
    found = [each for each in operation["parameters"] if each["in"] == "header"][:1]
    if not found or not value.strip():
        return
    operation["parameters"] = found
    found[0]["schema"] = {}
    [key] = document["paths"]
    document["paths"] = {key.partition("?")[0]: document["paths"][key]}
    name = found[0]["name"]
    [function] = specfn.load(document, options=Options(fixed={f"header.{name}": value.strip()}))
    assert SAFETY[function.safety] == DANGER.get(value.strip().upper(), 2)
    try:
        request = specfn.request(function, arguments, HERE, validate=False)
    except ArgumentError:
        return
    assert request.headers.get_list(name) == [value.strip()]


@given(document=documents())
def test_no_schema_offers_an_override(document: Json) -> None:
    """Neither the model's schema nor the validator has a parameter that overrides the method, also if un-hidden."""
    [operation] = [each for item in document["paths"].values() for each in item.values()]
    listed = [each["name"] for each in operation["parameters"]]
    for options in ({}, {"keyword": False}, {"hidden": dict.fromkeys(listed, False)}):
        [function] = specfn.load(document, options=Options(**options))
        for key in ("query", "headers"):
            shown = function.validator["properties"].get(key, {}).get("properties", {})
            assert set(shown) <= {"any", "deep", "a", "method"}
