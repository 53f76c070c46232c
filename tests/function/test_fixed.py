import pickle
from typing import Any

import pytest

import specfn
from specfn import Function, Options, load
from specfn.errors import ArgumentError, UsageError
from specfn.function.separation.join import split

Json = dict[str, Any]

TEXT = {"type": "string"}
CONNECTION = specfn.Connection(base_url="https://api.example")


def parameter(name: str, where: str, schema: Any = None, **rest: Any) -> Json:
    needed = {"required": True} if where == "path" else {}
    return {"name": name, "in": where, "schema": schema or TEXT, **needed, **rest}


def document() -> Json:
    """Two operations of an API with tenants and a version in the query."""
    version = parameter("api-version", "query", required=True, description="CANARY")
    filtering = {
        "type": "object",
        "properties": {"tenant": TEXT, "color": TEXT},
        "required": ["tenant"],
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {
            "/{tenant}/pets/{id}": {
                "post": {
                    "parameters": [
                        parameter("tenant", "path", {"type": "integer"}, description="CANARY"),
                        parameter("id", "path"),
                        version,
                        parameter("limit", "query", {"type": "integer"}),
                        parameter("X-Trace", "header"),
                    ],
                    "requestBody": {
                        "content": {"application/json": {"schema": {"type": "object"}}}
                    },
                }
            },
            "/find": {
                "get": {
                    "parameters": [version, parameter("filter", "query", filtering, required=True)]
                }
            },
        },
    }


def post(**options: Any) -> Function:
    return load(document(), options=Options(**options)).functions[0]


FIXED = {"path.tenant": 7, "api-version": "2024-01-01"}


def test_what_is_fixed_is_gone() -> None:
    """S6: nobody is shown a fixed parameter, nor told of it; a group is required only for what is left of it."""
    made = post(fixed=FIXED)
    assert list(made.parameters["properties"]) == ["id", "query", "body", "headers"]
    assert made.parameters["required"] == ["id"]
    assert list(made.parameters["properties"]["query"]["properties"]) == ["limit"]
    assert "CANARY" not in made.description
    assert made.validate({"id": "1"})
    assert not made.validate({"id": "1", "tenant": 8})
    assert not made.validate({"id": "1", "query": {"api-version": "x"}})


def test_what_is_fixed_is_sent() -> None:
    """S6: the request has the fixed values, in path, query and headers."""
    made = post(fixed={**FIXED, "x-trace": "on"})
    request = specfn.request(made, {"id": "1", "query": {"limit": 2}}, CONNECTION)
    assert str(request.url) == "https://api.example/7/pets/1?api-version=2024-01-01&limit=2"
    assert request.headers["X-Trace"] == "on"
    request = specfn.request(made, {"id": "1"}, CONNECTION)
    assert request.url.query == b"api-version=2024-01-01"


def test_arguments_do_not_change_what_is_fixed() -> None:
    """S6: an argument for a fixed parameter is refused; unchecked, the fixed value goes before it."""
    made = post(fixed=FIXED)
    given = {"id": "1", "tenant": 8, "query": {"api-version": "x"}}
    with pytest.raises(ArgumentError):
        specfn.request(made, given, CONNECTION)
    request = specfn.request(made, given, CONNECTION, validate=False)
    assert str(request.url) == "https://api.example/7/pets/1?api-version=2024-01-01"
    assert given == {"id": "1", "tenant": 8, "query": {"api-version": "x"}}


def test_positions_of_what_is_left() -> None:
    """S6, F4: by position a fixed parameter has no place, and the others move up."""
    made = post(fixed=FIXED, keyword=False)
    assert len(made.parameters) == 4
    assert made.validate(["1", {"limit": 2}])
    request = specfn.request(made, ["1", {"limit": 2}], CONNECTION)
    assert str(request.url) == "https://api.example/7/pets/1?api-version=2024-01-01&limit=2"
    with pytest.raises(ArgumentError) as caught:
        specfn.request(made, [".."], CONNECTION)
    assert [each.path for each in caught.value.problems] == ["$input[0]"]


def test_a_group_of_which_nothing_is_left() -> None:
    """S6: it is gone, and made again for the request."""
    made = post(fixed={**FIXED, "limit": 3}, keyword=False)
    assert len(made.parameters) == 3
    request = specfn.request(made, ["1"], CONNECTION)
    assert request.url.query == b"api-version=2024-01-01&limit=3"


def test_a_member_of_a_spread_parameter() -> None:
    """S6, R6: the properties of a query object are parameters by themselves."""
    made = load(document(), options=Options(fixed={"path.tenant": 1, "tenant": "a", "api-*": "1"}))
    find = made["GET /find"]
    assert list(find.parameters["properties"]["query"]["properties"]) == ["color"]
    request = specfn.request(find, {"query": {"color": "red"}}, CONNECTION)
    assert request.url.query == b"api-version=1&tenant=a&color=red"


def test_fixed_values_are_on_no_side() -> None:
    """S6: neither the model nor a person is asked for a fixed value."""
    made = post(fixed=FIXED, separate=lambda node: node.name in {"tenant", "limit"})
    assert made.separated
    assert list(made.separated.llm["properties"]) == ["id", "body", "headers"]
    assert list(made.separated.human["properties"]) == ["query"]
    assert split(made, {"id": "1", "query": {"limit": 1}}) == (
        {"id": "1", "query": {}} if "query" in made.separated.llm["properties"] else {"id": "1"},
        {"query": {"limit": 1}},
    )


def test_a_pickled_function_keeps_what_is_fixed() -> None:
    """S6: the values travel with the function."""
    made = pickle.loads(pickle.dumps(post(fixed=FIXED)))
    assert specfn.request(made, {"id": "1"}, CONNECTION).url.query == b"api-version=2024-01-01"


def test_a_fingerprint_knows_what_is_fixed() -> None:
    """T14, S6: a fixed value goes over the wire."""
    found = {post(fixed=each).fingerprint for each in ({}, {"limit": 1}, {"limit": 2})}
    assert len(found) == 3


@pytest.mark.parametrize(
    ("fixed", "told"),
    [
        (
            {"tenatn": 1},
            "the key 'tenatn', but no operation has such a parameter; did you mean 'tenant'",
        ),
        ({"query.versoin": 1}, "the key 'query.versoin'.*did you mean 'api-version'"),
        ({"zzzzz": 1}, "there is 'tenant', 'id', 'api-version', 'limit', 'X-Trace'"),
        ({"cookie.id": 1}, "the key 'cookie.id'"),
        (
            {"tenant": "x"},
            r"invalid value for 'tenant' of POST /\{tenant\}/pets/\{id\} in Options\.fixed: expected integer",
        ),
        (
            {"l*": 1, "*mit": 2},
            r"different values for the parameter 'limit' of POST .*: by 'l\*' and '\*mit'",
        ),
    ],
)
def test_what_cannot_be_fixed(fixed: Json, told: str) -> None:
    """S6: names that nothing has, values that do not fit, and values that contradict are the caller's fault."""
    with pytest.raises(UsageError, match=told):
        load(document(), options=Options(fixed=fixed))


def test_a_name_goes_before_patterns() -> None:
    """S6: what is named is not a matter of patterns; patterns that agree do not contradict."""
    made = post(
        fixed={"limit": 1, "l*": 2, "api-*": "1", "*-version": "1", "tenant": "3", "path.tenant": 3}
    )
    request = specfn.request(made, {"id": "1"}, CONNECTION)
    assert request.url.query == b"api-version=1&limit=1"
