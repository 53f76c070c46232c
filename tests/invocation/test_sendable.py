import json
from typing import Any

import httpx
import pytest
from tests.calling.models import Script, said, wished

import specfn
from specfn import calling
from specfn.errors import ArgumentError
from specfn.invocation.check import check
from specfn.tools.function_set import AdvertisedFunction
from specfn.tools.tool_set import ToolSet

Json = dict[str, Any]


def parameter(name: str, where: str, schema: Any = None, **rest: Any) -> Json:
    schema = schema or {"type": "string"}
    return {"name": name, "in": where, "required": True, "schema": schema, **rest}


TEXTS = {"type": "array", "items": {"type": "string"}}
PARAMETERS = [
    *(parameter(name, "path") for name in ("id", "a", "b")),
    parameter("q", "query"),
    parameter("X-Text", "header"),
    {**parameter("X-List", "header", TEXTS), "required": False},
]
DOCUMENT: Json = {
    "openapi": "3.1.0",
    "info": {"title": "t", "version": "1"},
    "paths": {"/items/{id}/{a}{b}": {"delete": {"parameters": PARAMETERS}}},
}
VALID: Json = {"id": "7", "a": "x", "b": "y", "query": {"q": "z"}, "headers": {"X-Text": "t"}}

#: What a model gives instead, the place that is wrong, and a word of what it is told.
HAZARDS: list[tuple[Json, str, str]] = [
    ({"id": ".."}, "$input.id", "segments . or .."),
    ({"id": "."}, "$input.id", "segments . or .."),
    ({"id": "%2e%2E"}, "$input.id", "segments . or .."),
    ({"id": "x/../../admin"}, "$input.id", "segments . or .."),
    ({"id": "x\\..\\y"}, "$input.id", "segments . or .."),
    ({"id": ""}, "$input.id", "empty"),
    ({"id": "x\ny"}, "$input.id", "control characters"),
    ({"id": "x%0ay"}, "$input.id", "control characters"),
    ({"a": "%2", "b": "e"}, "$input.a", "segments . or .."),
    ({"headers": {"X-Text": "x\r\nHost: evil"}}, '$input.headers["X-Text"]', "one line"),
    ({"headers": {"X-Text": "x\x00"}}, '$input.headers["X-Text"]', "one line"),
    ({"headers": {"X-Text": " x"}}, '$input.headers["X-Text"]', "one line"),
    ({"headers": {"X-Text": "t", "X-List": ["x", "y\n"]}}, '$input.headers["X-List"]', "one line"),
]


@pytest.fixture(scope="module")
def functions() -> dict[bool, Any]:
    return {
        keyword: specfn.load(DOCUMENT, options=specfn.Options(keyword=keyword)).functions[0]
        for keyword in (True, False)
    }


def checked(function: Any, arguments: Any) -> Any:
    entry = AdvertisedFunction(name=function.name, function=function)
    return check(entry, arguments, ToolSet([entry]), None)


def by_position(arguments: Json) -> list[Any]:
    keys = ("id", "a", "b", "query", "headers")
    return [arguments.get(key) for key in keys]


@pytest.mark.parametrize(("given", "path", "word"), HAZARDS, ids=range(len(HAZARDS)))
def test_what_cannot_be_sent_is_told_like_what_is_not_valid(
    functions: Any, given: Json, path: str, word: str
) -> None:
    """V5, X3, X11: validation uses the schema alone; what no request carries is refused with place, type and reason."""
    arguments = {**VALID, **given}
    assert functions[True].validate(arguments)
    with pytest.raises(ArgumentError) as caught:
        specfn.request(functions[True], arguments, specfn.Connection(base_url="https://a.example"))
    outcome = checked(functions[True], arguments)
    assert not outcome
    assert outcome.errors == caught.value.problems
    [problem] = outcome.errors
    assert (problem.path, word in (problem.description or problem.expected)) == (path, True)
    assert problem.expected
    told = outcome.feedback()
    [line] = [line for line in told.split("\n") if "❌" in line]
    assert word in line
    assert "missing" not in line
    assert "Nothing was executed." in told


def test_places_by_position(functions: Any) -> None:
    """F4: by position, the place is the position."""
    outcome = checked(functions[False], by_position({**VALID, "headers": {"X-Text": "\n"}}))
    assert not outcome
    assert [problem.path for problem in outcome.errors] == ['$input[4]["X-Text"]']


def test_every_hazard_at_once(functions: Any) -> None:
    """V2: values that cannot be sent are reported together; what can be sent is not among them."""
    bad = {**VALID, "id": "..", "b": "%00", "headers": {"X-Text": "\r"}}
    outcome = checked(functions[True], json.dumps(bad))
    assert not outcome
    paths = ["$input.id", "$input.b", '$input.headers["X-Text"]']
    assert [problem.path for problem in outcome.errors] == paths
    assert checked(functions[True], json.dumps(VALID))


def test_nobody_is_asked_about_what_cannot_be_sent() -> None:
    """C8, X3: a person is asked to agree only to calls that can be made."""
    asked: list[Any] = []
    client = httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(204)))
    connection = specfn.Connection(base_url="https://a.example", client=client)

    def approve(request: Any) -> bool:
        asked.append(request.arguments)
        return True

    [function] = specfn.load(DOCUMENT).bind(connection, approve=approve).values()
    assert "❌" in function(**{**VALID, "id": ".."})
    assert asked == []
    assert "❌" not in function(**VALID)
    assert asked == [VALID]


def test_a_conversation_corrects_what_cannot_be_sent() -> None:
    """C11, X3: a model reads what is wrong, sends another value, and that is what reaches the server."""
    received: list[str] = []

    def handle(request: httpx.Request) -> httpx.Response:
        received.append(request.url.path)
        return httpx.Response(204)

    client = httpx.Client(transport=httpx.MockTransport(handle))
    connection = specfn.Connection(base_url="https://a.example", client=client)
    app = specfn.load(DOCUMENT)
    name = app.functions[0].name
    asked: list[Any] = []
    script = Script(
        [
            wished(("c1", name, json.dumps({**VALID, "id": "../admin"}))),
            wished(("c2", name, json.dumps(VALID))),
            said("Done."),
        ]
    )
    outcome = calling.run(
        app,
        script,
        connector="openai",
        messages="delete 7",
        connection=connection,
        approve=lambda request: asked.append(request) or True,
    )
    assert received == ["/items/7/xy"]
    assert len(asked) == 1
    assert [bool(call.executed) for call in outcome.calls] == [False, True]
    assert outcome.calls[0].errors
