"""T26: arguments that were not asked for are refused, and what a body may hold is its schema's to say."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn import Connection, Function, Options, load, request
from specfn.errors import ArgumentError

USER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": {"type": "integer", "readOnly": True},
        "name": {"type": "string"},
        "isAdmin": {"allOf": [{"$ref": "#/components/schemas/Flag"}]},
        "team": {"$ref": "#/components/schemas/Team"},
        "friends": {"type": "array", "items": {"$ref": "#/components/schemas/User"}},
        "byName": {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/User"}},
    },
    "required": ["id", "name"],
}
COMPONENTS: dict[str, Any] = {
    "User": USER,
    "Flag": {"type": "boolean", "readOnly": True},
    "Team": {
        "anyOf": [
            {"type": "object", "properties": {"owner": {"type": "string", "readOnly": True}}},
            {"type": "null"},
        ]
    },
    "Strict": {**USER, "additionalProperties": False},
}
HERE = Connection(base_url="https://api.example")


def made(schema: str, **options: Any) -> Function:
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
    parameters = [
        {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}},
        {"name": "q", "in": "query", "schema": {"type": "string"}},
        {"name": "X-H", "in": "header", "schema": {"type": "string"}},
        {"name": "c", "in": "cookie", "schema": {"type": "string"}},
    ]
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {
            "/users/{id}": {"put": {"parameters": parameters, "requestBody": {"content": content}}}
        },
        "components": {"schemas": COMPONENTS},
    }
    return load(document, options=Options(**options)).functions[0]


FUNCTION = made("User")


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ({"id": 1, "isAdmin": True}, "$input.isAdmin"),
        ({"id": 1, "__proto__": {}}, "$input.__proto__"),
        ({"id": 1, "constructor": 1}, "$input.constructor"),
        ({"id": 1, "": 1}, '$input[""]'),
        ({"id": 1, "Id": 1}, "$input.Id"),
        ({"id": 1, "method": "DELETE"}, "$input.method"),
        ({"id": 1, "url": "https://evil"}, "$input.url"),
        ({"id": 1, "base_url": "https://evil"}, "$input.base_url"),
        ({"id": 1, "path": {"id": 2}}, "$input.path"),
        ({"id": 1, "q": "x"}, "$input.q"),
        ({"id": 1, "name": "x"}, "$input.name"),
        ({"id": 1, "query": {"q": "x", "admin": 1}}, "$input.query.admin"),
        ({"id": 1, "query": {"__proto__": 1}}, "$input.query.__proto__"),
        ({"id": 1, "headers": {"Host": "evil"}}, "$input.headers.Host"),
        ({"id": 1, "headers": {"x-h": "v"}}, '$input.headers["x-h"]'),
        ({"id": 1, "cookies": {"session": "x"}}, "$input.cookies.session"),
    ],
)
def test_undeclared_arguments_are_refused(arguments: dict[str, Any], path: str) -> None:
    """T26, R5: the root and the groups are closed; the feedback names what does not belong."""
    outcome = FUNCTION.validate(arguments)
    assert not outcome
    assert [(each.path, each.expected) for each in outcome.errors] == [(path, "undefined")]
    with pytest.raises(ArgumentError):
        request(FUNCTION, arguments, HERE)


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"name": "a", "id": 1}, "$input.body.id"),
        ({"name": "a", "id": None}, "$input.body.id"),
        ({"name": "a", "isAdmin": True}, "$input.body.isAdmin"),
        ({"name": "a", "isAdmin": False}, "$input.body.isAdmin"),
        ({"name": "a", "friends": [{"name": "b", "id": 2}]}, "$input.body.friends[0].id"),
        ({"name": "a", "byName": {"b": {"name": "b", "id": 2}}}, "$input.body.byName.b.id"),
        ({"name": "a", "team": {"owner": "me"}}, "$input.body.team.owner"),
    ],
)
@pytest.mark.parametrize("schema", ["User", "Strict"])
def test_read_only_properties_are_refused(schema: str, body: dict[str, Any], path: str) -> None:
    """T26, F11: what only the server sets cannot be sent, at any depth, whoever declares it readOnly."""
    function = made(schema)
    outcome = function.validate({"id": 1, "body": body})
    assert not outcome
    assert path in [each.path for each in outcome.errors]
    assert {each.expected for each in outcome.errors if each.path == path} == {"undefined"}


@pytest.mark.parametrize("dialect", ["3.0", "3.1"])
def test_read_only_properties_are_not_offered(dialect: Any) -> None:
    """T26, F11: a model is not shown what it cannot send, and need not send what is required of answers."""
    function = made("User", dialect=dialect)
    text = str(function.parameters)
    assert "isAdmin" not in text
    assert "owner" not in text
    assert function.validate({"id": 1, "body": {"name": "a"}})


def test_undeclared_keys_of_an_open_body_are_kept() -> None:
    """T26, R5: an open body takes more, and nothing of it is dropped on the way."""
    body = {"name": "a", "extra": {"__proto__": [1, None]}, "": 0}
    outcome = FUNCTION.validate({"id": 1, "body": body})
    assert outcome
    sent = request(FUNCTION, {"id": 1, "body": body}, HERE)
    assert sent.content == b'{"name":"a","extra":{"__proto__":[1,null]},"":0}'


def test_a_closed_body_and_options_equals_refuse_them() -> None:
    """T26, V2: where the schema or the caller closes an object, undeclared keys are refused."""
    for function in (made("Strict"), made("User", equals=True)):
        (problem,) = function.validate({"id": 1, "body": {"name": "a", "extra": 1}}).errors
        assert (problem.path, problem.expected) == ("$input.body.extra", "undefined")


@given(
    st.dictionaries(
        st.text(max_size=6).filter(
            lambda key: key not in {"id", "query", "headers", "cookies", "body"}
        ),
        st.one_of(st.none(), st.integers(), st.text(max_size=3)),
        min_size=1,
        max_size=3,
    )
)
def test_no_undeclared_key_passes(extra: dict[str, Any]) -> None:
    """T26: whatever the key and the value, one that is not declared is told, and only that."""
    outcome = FUNCTION.validate({"id": 1, **extra})
    assert not outcome
    assert len(outcome.errors) == len(extra)
    assert {each.expected for each in outcome.errors} == {"undefined"}
