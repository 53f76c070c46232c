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


# -- credentials by their description --------------------------------------------------------------------

DESCRIPTIONS = [
    ("API key. Your API key identifies your project and provides you with API access.", True),
    ("OAuth token for the current user.", True),
    ("OAuth 2.0 token for the current user", True),
    ("Authentication token. Requires scope: `none`", True),
    ("Access token to use if unable to set a header", True),
    ("Your registered api-key", True),
    ("The key of the item. Not the API key.", False),
    ("Lists the API keys of a project", False),
    ("A token of the page", False),
    ("", False),
]


def operations(
    count: int, declaring: int, description: str, name: str = "mark", where: str = "query"
) -> dict[str, Any]:
    """Return a document in which some operations declare a required parameter."""
    declared = {
        "name": name,
        "in": where,
        "required": True,
        "description": description,
        "schema": {"type": "string"},
    }
    paths = {
        f"/x{number}": {"get": {"parameters": [declared] if number < declaring else []}}
        for number in range(count)
    }
    return {"openapi": "3.0.3", "info": {"title": "x", "version": "1"}, "paths": paths}


def is_shown(source: dict[str, Any], place: str = "GET /x0") -> bool:
    return bool(specfn.load(source)[place].route.groups)


@pytest.mark.parametrize("where", ["query", "header"])
@pytest.mark.parametrize(("description", "is_credential"), DESCRIPTIONS)
def test_a_credential_by_its_description(
    description: str, where: str, *, is_credential: bool
) -> None:
    """R7: a parameter of most functions is hidden if the first sentence of its description names a credential."""
    source = operations(6, 6, description, where=where)
    assert is_shown(source) is not is_credential
    if is_credential:
        (note,) = specfn.load(source)["GET /x0"].route.notes
        assert "its description is that of a credential" in note.text


@pytest.mark.parametrize(
    ("count", "declaring", "is_hidden"),
    [(5, 5, True), (10, 5, True), (4, 4, False), (11, 5, False)],
)
def test_only_a_parameter_of_most_functions_is_hidden_by_its_description(
    count: int, declaring: int, *, is_hidden: bool
) -> None:
    """R7: at least half of the functions and at least five declare it."""
    assert is_shown(operations(count, declaring, "API key.")) is not is_hidden


@pytest.mark.parametrize(
    "path", ["/oauth.access", "/auth/Token", "/introspect", "/keys/revoke", "/v1/login"]
)
def test_the_token_of_an_operation_on_tokens_is_an_argument(path: str) -> None:
    """R7: what an operation checks or revokes is an argument, whatever its description says."""
    source = operations(6, 6, "Access token.")
    source["paths"][path] = source["paths"]["/x0"]
    assert is_shown(source, f"GET {path}")
    assert not is_shown(source)


def test_a_hidden_credential_is_filled_under_its_name() -> None:
    """A required hidden parameter that nothing fills is an error with both ways; each of them fills it."""
    app = specfn.load(operations(6, 6, "API key."))
    with pytest.raises(
        UsageError, match=r"connection\.credentials\['mark'\] or connection\.query\['mark'\]"
    ):
        app.request("GET /x0", {}, specfn.Connection(base_url="https://h"))
    for field in ("credentials", "query"):
        connection = specfn.Connection(base_url="https://h", **{field: {"mark": "k3y"}})
        assert str(app.request("GET /x0", {}, connection).url) == "https://h/x0?mark=k3y"
    connection = specfn.Connection(base_url="http://api.example.com", credentials={"mark": "k3y"})
    with pytest.raises(UsageError, match="allow_insecure"):
        app.request("GET /x0", {}, connection)


def test_a_hidden_credential_is_enough() -> None:
    """A caller who passes the credential that an operation declares as a parameter needs no other one (Google's key)."""
    oauth = {"components": {"securitySchemes": {"oauth": {"type": "oauth2", "flows": {}}}}}
    source = operations(6, 6, "API key.") | oauth | {"security": [{"oauth": []}]}
    app = specfn.load(source)
    connection = specfn.Connection(base_url="https://h", credentials={"mark": "k3y"})
    assert str(app.request("GET /x0", {}, connection).url) == "https://h/x0?mark=k3y"
    tenant = document(
        {"name": "tenant", "in": "query"}, operation={"security": [{"oauth": []}]}, **oauth
    )
    app = specfn.load(tenant, options=specfn.Options(hidden={"tenant": True}))
    with pytest.raises(UsageError, match="needs credentials: oauth"):
        app.request("GET /x", {}, specfn.Connection(base_url="https://h", query={"tenant": "t"}))


def test_the_options_show_what_a_description_hides() -> None:
    """``Options.hidden`` decides before names and descriptions."""
    options = specfn.Options(hidden={"mark": False})
    assert specfn.load(operations(6, 6, "API key."), options=options)["GET /x0"].route.groups
    token = document({"name": "X-Token", "in": "header"})
    assert specfn.load(token, options=specfn.Options(hidden={"x-token": False}))[
        "GET /x"
    ].route.groups


def test_a_header_of_idempotency_is_shown() -> None:
    """R7: a header whose description mentions idempotency is an argument, although its name ends like a credential."""
    declared = {"name": "X-App-Token", "in": "header", "description": "Makes the call idempotent."}
    assert specfn.load(document(declared))["GET /x"].route.groups
