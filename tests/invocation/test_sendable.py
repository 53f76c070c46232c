import json
from typing import Any

import httpx
import pytest
from tests.calling.models import Script, said, wished

import specfn
from specfn import calling
from specfn.errors import ArgumentError

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


CLIENT = httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(204)))
CONNECTION = specfn.Connection(base_url="https://a.example", client=CLIENT)


def application(*, keyword: bool = True) -> specfn.Application:
    return specfn.load(DOCUMENT, options=specfn.Options(keyword=keyword))


def problems(app: specfn.Application, arguments: Any) -> Any:
    with pytest.raises(ArgumentError) as caught:
        specfn.request(app.functions[0], arguments, CONNECTION)
    return caught.value.problems


def answer(arguments: Any) -> Any:
    """Return the answer to a call that would be sent without a question."""
    [function] = application().bind(CONNECTION, allow=["destructive"]).values()
    return function.outcome(arguments)


@pytest.mark.parametrize(("given", "path", "word"), HAZARDS, ids=range(len(HAZARDS)))
def test_what_cannot_be_sent_is_told_like_what_is_not_valid(
    given: Json, path: str, word: str
) -> None:
    """V5, X3, X11: validation uses the schema alone; what no request carries is refused with place, type and reason."""
    arguments = {**VALID, **given}
    app = application()
    assert app.functions[0].validate(arguments)
    [problem] = problems(app, arguments)
    assert (problem.path, word in (problem.description or problem.expected)) == (path, True)
    assert problem.expected
    told = answer(arguments)
    assert told.kind == "invalid"
    [line] = [line for line in told.text.split("\n") if "❌" in line]
    assert word in line
    assert "missing" not in line
    assert "Nothing was executed." in told.text


def test_places_by_position() -> None:
    """F4: by position, the place is the position."""
    arguments = {**VALID, "headers": {"X-Text": "\n"}}
    keys = ("id", "a", "b", "query", "headers")
    [problem] = problems(application(keyword=False), [arguments.get(key) for key in keys])
    assert problem.path == '$input[4]["X-Text"]'


def test_every_hazard_at_once() -> None:
    """V2: values that cannot be sent are reported together; what can be sent is not among them."""
    bad = {**VALID, "id": "..", "b": "%00", "headers": {"X-Text": "\r"}}
    paths = ["$input.id", "$input.b", '$input.headers["X-Text"]']
    assert [problem.path for problem in problems(application(), bad)] == paths
    lines = [line for line in answer(json.dumps(bad)).text.split("\n") if "❌" in line]
    assert [line.split('"')[1] for line in lines] == ["id", "b", "X-Text"]
    assert answer(json.dumps(VALID)).kind == "answered"


def test_nobody_is_asked_about_what_cannot_be_sent() -> None:
    """C8, X3: a person is asked to agree only to calls that can be made."""
    asked: list[Any] = []

    def approve(request: Any) -> bool:
        asked.append(request.arguments)
        return True

    [function] = specfn.load(DOCUMENT).bind(CONNECTION, approve=approve).values()
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
