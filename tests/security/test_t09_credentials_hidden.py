"""T9: what carries credentials is the connection's to fill, and is nowhere in what a model reads."""

import json
from typing import Any

import pytest

from specfn import Application, Options, load

CANARY = "sk-canary-7f3a"
SCHEMES = {
    "header": {"type": "apiKey", "in": "header", "name": "X-Acme-Auth"},
    "query": {"type": "apiKey", "in": "query", "name": "sig"},
    "cookie": {"type": "apiKey", "in": "cookie", "name": "session"},
    "basic": {"type": "http", "scheme": "basic"},
}
CREDENTIALS = [
    ("X-Acme-Auth", "header"),
    ("x-acme-AUTH", "header"),
    ("sig", "query"),
    ("session", "cookie"),
    ("Authorization", "header"),
    ("api_key", "query"),
    ("api-key", "header"),
    ("X-API-KEY", "header"),
    ("access_token", "query"),
    ("accessToken", "query"),
    ("AUTH_TOKEN", "header"),
    ("X-Auth-Token", "header"),
    ("client_secret", "query"),
    ("subscription-key", "query"),
    ("Ocp-Apim-Subscription-Key", "header"),
]


def leaky(name: str, where: str) -> dict[str, Any]:
    """A parameter that holds a secret wherever a document can hold one."""
    return {
        "name": name,
        "in": where,
        "required": True,
        "description": f"use {CANARY}",
        "example": CANARY,
        "examples": {CANARY: {"value": CANARY}},
        "schema": {
            "type": "string",
            "default": CANARY,
            "example": CANARY,
            "enum": [CANARY],
            "description": CANARY,
        },
    }


def converted(*parameters: dict[str, Any], version: str = "3.1.0", **options: Any) -> Application:
    document = {
        "openapi": version,
        "info": {"title": "t", "version": "1"},
        "paths": {"/x": {"get": {"parameters": list(parameters), "security": [{"header": []}]}}},
        "components": {"securitySchemes": SCHEMES},
    }
    return load(document, options=Options(**options))


def shown(application: Application) -> str:
    """Everything that a model could read of an application."""
    return json.dumps(
        [
            [
                each.name,
                each.description,
                each.parameters,
                each.output,
                each.validator,
                [note.text for note in each.notes],
                [edit.reason for edit in each.edits],
                each.validate({"query": {"x": 1}, "headers": {}, "cookies": 1}).feedback(),
                each.validate(None).feedback(),
            ]
            for each in application
        ],
        ensure_ascii=False,
    )


@pytest.mark.parametrize(("name", "where"), CREDENTIALS)
@pytest.mark.parametrize("options", [{}, {"dialect": "3.1"}, {"keyword": False}], ids=str)
def test_a_credential_is_nowhere(name: str, where: str, options: dict[str, Any]) -> None:
    """T9, R7: neither the parameter nor its default, example, enum or text is in what a model reads."""
    application = converted(leaky(name, where), **options)
    function = application.functions[0]
    assert function.route.keys == ()
    assert CANARY not in shown(application)
    assert not function.validate({f"{where}s": {name: CANARY}})
    assert [note for note in function.notes if name in note.text]


def test_a_model_cannot_name_a_credential() -> None:
    """T9: beside parameters that are shown, a credential is refused as undeclared."""
    function = converted(
        leaky("sig", "query"), {"name": "q", "in": "query", "schema": {"type": "string"}}
    ).functions[0]
    (problem,) = function.validate({"query": {"sig": "x"}}).errors
    assert (problem.path, problem.expected) == ("$input.query.sig", "undefined")


@pytest.mark.parametrize("version", ["3.0.3", "3.1.0", "3.2.0"])
def test_references_hide_nothing_from_the_rule(version: str) -> None:
    """T9, N3: a credential that is declared by ``$ref``, or at the path, is hidden all the same."""
    document = {
        "openapi": version,
        "info": {"title": "t", "version": "1"},
        "paths": {
            "/x": {
                "parameters": [{"$ref": "#/components/parameters/Key"}],
                "get": {"parameters": [{"$ref": "#/components/parameters/Sig"}]},
            }
        },
        "components": {
            "securitySchemes": {"a": {"$ref": "#/components/x-a"}},
            "x-a": SCHEMES["query"],
            "parameters": {"Key": leaky("api_key", "query"), "Sig": leaky("sig", "query")},
        },
    }
    application = load(document)
    assert application.functions[0].route.keys == ()
    assert CANARY not in shown(application)


def test_swagger_2_schemes_hide_too() -> None:
    """T9, N6: the key of a 2.0 security definition is hidden."""
    document = {
        "swagger": "2.0",
        "info": {"title": "t", "version": "1"},
        "securityDefinitions": {"a": SCHEMES["query"]},
        "paths": {
            "/x": {
                "get": {
                    "parameters": [
                        {"name": "sig", "in": "query", "type": "string", "default": CANARY}
                    ]
                }
            }
        },
    }
    application = load(document)
    assert application.functions[0].route.keys == ()
    assert CANARY not in shown(application)


SPREAD = {
    "name": "auth",
    "in": "query",
    "schema": {
        "type": "object",
        "properties": {
            "sig": {"type": "string", "default": CANARY},
            "api_key": {"type": "string", "default": CANARY},
            "q": {"type": "string"},
        },
    },
}


def test_a_spread_object_hides_nothing_from_the_rule() -> None:
    """T9, R6, R7: on the wire a member of a spread object is a query parameter, and may be a credential."""
    application = converted(SPREAD)
    function = application.functions[0]
    assert list(function.parameters["properties"]["query"]["properties"]) == ["q"]
    assert CANARY not in shown(application)


def test_options_hidden_hides_as_well() -> None:
    """T9: what the caller hides is as hidden as what the document declares."""
    application = converted(leaky("tenant", "query"), hidden={"tenant": True})
    assert application.functions[0].route.keys == ()
    assert CANARY not in shown(application)


def test_the_caller_may_show_what_is_no_credential() -> None:
    """R7: a name that only looks like a credential is shown where the caller says so."""
    parameter = {"name": "api_key", "in": "query", "schema": {"type": "string"}}
    function = converted(parameter, hidden={"api_key": False}).functions[0]
    assert list(function.parameters["properties"]["query"]["properties"]) == ["api_key"]


#: Names that are credentials in any document (rule R7), in the words that they are made of.
WORDS = [
    "api key", "x api key", "access token", "auth token", "x auth token", "client secret", "subscription key",
    "ocp apim subscription key", "oauth token", "x amz credential", "x amz security token", "x amz signature",
]  # fmt: skip

#: Names that only resemble them, and that a model has to fill in.
ORDINARY = [
    "key", "token", "secret", "password", "api", "apiKeyId", "api-key-name", "access", "accessTokens", "auth",
    "next_token", "page-token", "client", "clientId", "subscription", "signature", "credential", "x", "oauth",
]  # fmt: skip


def spellings(words: str) -> list[str]:
    """A name as people write it: with any separator, in any letter case."""
    parts = words.split()
    camel = parts[0] + "".join(part.capitalize() for part in parts[1:])
    joined = ["_".join(parts), "-".join(parts), "".join(parts), ".".join(parts), camel]
    return [*joined, "-".join(map(str.capitalize, parts)), "_".join(parts).upper()]


@pytest.mark.parametrize("where", ["query", "header", "cookie"])
@pytest.mark.parametrize("words", WORDS)
def test_each_name_of_a_credential_hides_it(words: str, where: str) -> None:
    """T9, R7: each name of the list hides a parameter, in every spelling and place."""
    for name in spellings(words):
        function = converted({"name": name, "in": where, "schema": {"type": "string"}}).functions[0]
        assert function.route.keys == (), name
        assert any(repr(name) in note.text for note in function.notes)


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_names_hide_nothing(name: str) -> None:
    """R7: a name that only resembles a credential's is a parameter like any other."""
    function = converted({"name": name, "in": "query", "schema": {"type": "string"}}).functions[0]
    assert list(function.parameters["properties"]["query"]["properties"]) == [name]
