"""Parameters that no model is shown: the connection fills them, or the error says how (rule R7)."""

from typing import Any

import pytest

import specfn
from specfn.errors import UsageError


def document(*parameters: dict[str, Any], **more: Any) -> dict[str, Any]:
    declared = [{"schema": {"type": "string"}, **parameter} for parameter in parameters]
    return {
        "openapi": "3.0.3",
        "info": {"title": "x", "version": "1"},
        "paths": {"/x": {"get": {"parameters": declared, **more.pop("operation", {})}}},
        **more,
    }


def sent(source: dict[str, Any], **fields: Any) -> Any:
    app = specfn.load(source)
    made = app.request("GET /x", {}, specfn.Connection(base_url="https://h", **fields))
    return str(made.url), made.headers


PLACES = [
    ("query", "api_key", "query", r"connection\.query\['api_key'\]"),
    ("header", "X-API-Key", "headers", r"connection\.headers\['X-API-Key'\]"),
    ("cookie", "access_token", "cookies", r"connection\.cookies\['access_token'\]"),
]


@pytest.mark.parametrize(("where", "name", "field", "said"), PLACES)
def test_a_credential_by_its_name(where: str, name: str, field: str, said: str) -> None:
    """A required credential that no scheme names is filled by the connection's own field."""
    source = document({"name": name, "in": where, "required": True})
    assert specfn.load(source)["GET /x"].route.groups == ()
    with pytest.raises(UsageError, match=said):
        sent(source)
    url, headers = sent(source, **{field: {name: "k3y"}})
    assert "k3y" in url + str(headers.raw)
    optional = document({"name": name, "in": where})
    assert sent(optional)[0] == "https://h/x"


SCHEMES = {
    "components": {
        "securitySchemes": {
            "key": {"type": "apiKey", "in": "header", "name": "X-Token"},
            "oauth": {"type": "oauth2", "flows": {}},
        }
    }
}


def test_the_key_of_a_scheme() -> None:
    """A parameter that is a scheme's key is filled by its credential, whether or not the operation requires it."""
    source = document({"name": "x-token", "in": "header", "required": True}, **SCHEMES)
    with pytest.raises(UsageError, match=r"connection\.credentials\['key'\]"):
        sent(source)
    assert sent(source, credentials={"key": "k3y"})[1]["X-Token"] == "k3y"
    assert sent(source, headers={"X-TOKEN": "k3y"})[1]["X-Token"] == "k3y"


def test_another_requirement_is_enough() -> None:
    """Where the operation may be called with another scheme, its key is not asked for."""
    source = document(
        {"name": "X-Token", "in": "header", "required": True},
        operation={"security": [{"key": []}, {"oauth": []}]},
        **SCHEMES,
    )
    _, headers = sent(source, credentials={"oauth": "t"})
    assert headers["Authorization"] == "Bearer t"
    assert "X-Token" not in headers


def test_what_the_caller_hid() -> None:
    """Options.hidden takes a parameter from the model; the connection must give it if it is required."""
    source = document({"name": "tenant", "in": "query", "required": True})
    app = specfn.load(source, options=specfn.Options(hidden={"tenant": True}))
    connection = specfn.Connection(base_url="https://h")
    with pytest.raises(UsageError, match=r"connection\.query\['tenant'\]"):
        app.request("GET /x", {}, connection)
    connection = specfn.Connection(base_url="https://h", query={"tenant": "t 1"})
    assert str(app.request("GET /x", {}, connection).url) == "https://h/x?tenant=t%201"


def test_a_hidden_credential_is_not_sent_in_the_clear() -> None:
    """What fills a hidden parameter is a credential: not over plain http to another host."""
    source = document({"name": "api_key", "in": "query"})
    app = specfn.load(source)
    connection = specfn.Connection(base_url="http://api.example.com", query={"api_key": "k"})
    with pytest.raises(UsageError, match="allow_insecure"):
        app.request("GET /x", {}, connection)


def test_headers_that_no_argument_may_set() -> None:
    """What HTTP writes itself is neither shown nor asked for; what routes a request is the connection's."""
    names = ["Host", "content-length", "Transfer-Encoding", "Expect", "TE"]
    own = [{"name": name, "in": "header", "required": True} for name in names]
    assert specfn.load(document(*own))["GET /x"].route.groups == ()
    assert sent(document(*own))[0] == "https://h/x"
    source = document({"name": "X-Forwarded-For", "in": "header", "required": True})
    with pytest.raises(UsageError, match=r"connection\.headers\['X-Forwarded-For'\]"):
        sent(source)
    assert sent(source, headers={"x-forwarded-for": "::1"})[1]["X-Forwarded-For"] == "::1"
