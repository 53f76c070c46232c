import copy
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.calling.models import Script, results, said, wished

from specfn import Application, Connection, Options, calling, load

#: A secret of a person's in the path, so that it stands in every URL of the call.
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "t", "version": "1"},
    "paths": {
        "/vault/{password}": {
            "post": {
                "parameters": [
                    {
                        "name": "password",
                        "in": "path",
                        "required": True,
                        "schema": {"type": "string"},
                    }
                ],
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "properties": {"note": {"type": "string"}},
                            }
                        }
                    }
                },
                "responses": {"200": {"description": ""}},
            }
        }
    },
}
SENT = {"body": {"note": "n"}}


def bound(app: Application, connection: Connection, password: str) -> str:
    """Return the result of a bound function."""
    (function,) = app.bind(
        connection, allow={"write"}, fill=lambda *_: {"password": password}
    ).values()
    return str(function.answer(SENT))


def conversing(app: Application, connection: Connection, password: str) -> str:
    """Return the result that a model reads in a conversation."""
    script = Script([wished(("c1", app.functions[0].name, SENT)), said("x")])
    outcome = calling.run(
        app,
        script,
        connector="openai",
        messages="x",
        connection=connection,
        approve=lambda _: calling.Approve(human={"password": password}),
    )
    assert "CANARY" not in repr(outcome)
    return results(script.requests[1])[0][1]


@pytest.mark.parametrize("answer", [bound, conversing])
@pytest.mark.parametrize("password", ["CANARY", "..", "CANARY/../..", ""])
def test_a_persons_value_and_name_are_not_told(
    answer: Callable[[Application, Connection, str], str], password: str
) -> None:
    """S5: whatever goes wrong with a call, the model reads neither the person's value nor what it is called."""

    def silent(request: httpx.Request) -> Any:
        raise httpx.ConnectError(f"no way to {request.url}")

    app = load(DOCUMENT, options=Options(separate="secrets"))
    client = httpx.Client(transport=httpx.MockTransport(silent))
    told = answer(app, Connection(base_url="https://api.example", client=client), password)
    assert "CANARY" not in told
    assert "password" not in told.replace("/vault/{password}", "")
    assert "api.example" not in told


def _login(required: list[str]) -> Application:
    """Return a function with a model's member and a member of the human part, as a list of what is required."""
    members = {"user": {"type": "string"}, "password": {"type": "string", "format": "password"}}
    schema = {"type": "object", "properties": members, "required": required}
    body = {"required": True, "content": {"application/json": {"schema": schema}}}
    operation = {"requestBody": body, "responses": {"200": {"description": ""}}}
    document = {**DOCUMENT, "paths": {"/login": {"post": operation}}}
    return load(document, options=Options(separate="secrets"))


#: What a model reads if nobody can be asked: by what is required, and by the need for agreement.
NOBODY = {
    (("user",), False): "",
    (("user",), True): "needs the user's approval, and no user is available",
    (
        ("user", "password"),
        False,
    ): "needs values that only the user fills in, and the user cannot be asked here",
    (
        ("user", "password"),
        True,
    ): "needs values that only the user fills in, and the user cannot be asked here",
}


@pytest.mark.parametrize(("required", "agreed"), NOBODY)
@pytest.mark.parametrize("way", ["bind", "run"])
def test_with_nobody_to_ask_an_optional_part_of_a_person_is_left_out(
    required: tuple[str, ...], way: str, *, agreed: bool
) -> None:
    """Bound functions and conversations perform such a call, and read the same text where they do not."""
    app, seen = _login([*required]), []
    reply = httpx.MockTransport(
        lambda request: seen.append(request) or httpx.Response(200, json={})
    )
    connection = Connection(base_url="https://api.example", client=httpx.Client(transport=reply))
    sent = {"body": {"user": "u"}}
    if way == "bind":
        (function,) = app.bind(connection, allow=() if agreed else {"write"}, ask=False).values()
        told = str(function.answer(sent))
    else:
        script = Script([wished(("c1", "login_post", sent)), said("x")])
        config = calling.InvocationConfig(approval="always" if agreed else "never")
        outcome = calling.run(
            app, script, connector="openai", messages="x", connection=connection, config=config
        )
        told = results(script.requests[1])[0][1]
        assert outcome.stopped == ("denied" if NOBODY[required, agreed] else "model_text")
    text = NOBODY[required, agreed]
    assert text in told
    assert [request.content for request in seen] == ([] if text else [b'{"user":"u"}'])


@pytest.mark.parametrize("answer", [False, None, calling.Deny()])
def test_a_person_who_declines_is_not_passed_over(answer: Any) -> None:
    """A call whose human part is optional is not performed if the person was asked and declined."""
    script = Script([wished(("c1", "login_post", {"body": {"user": "u"}})), said("x")])
    outcome = calling.run(
        _login(["user"]),
        script,
        connector="openai",
        messages="x",
        connection=Connection(base_url="https://api.example"),
        config=calling.InvocationConfig(approval="never"),
        approve=lambda _: answer,
    )
    assert [call.executed for call in outcome.calls] == [False]
    assert "The user declined this call" in outcome.calls[0].result


@pytest.mark.parametrize("answer", [bound, conversing])
def test_an_invalid_human_part_is_a_warning_without_values(
    answer: Callable[[Application, Connection, str], str], caplog: pytest.LogCaptureFixture
) -> None:
    """The log has the place of a human part that is invalid, and not its value; nothing is sent."""
    document = copy.deepcopy(DOCUMENT)
    (parameter,) = document["paths"]["/vault/{password}"]["post"]["parameters"]
    parameter["schema"]["maxLength"] = 3
    app = load(document, options=Options(separate="secrets"))
    with caplog.at_level("WARNING", logger="specfn.calling"):
        told = answer(app, Connection(base_url="https://api.example"), "CANARY")
    assert "CANARY" not in told + caplog.text
    [record] = caplog.records
    assert record.getMessage() == (
        f"{app.functions[0].name}: the human part is invalid: $input.password: expected string & MaxLength<3>"
    )
