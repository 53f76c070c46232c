"""Answers held against what the document promises, if the connection asks for it."""

import asyncio
import pickle
import warnings
from typing import Any

import pytest

import specfn
from specfn import Connection
from specfn.errors import HTTPStatusError, ResponseError, ResponseWarning

DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "x", "version": "1"},
    "components": {
        "schemas": {
            "Pet": {
                "type": "object",
                "required": ["id", "name"],
                "properties": {
                    "id": {"type": "integer", "readOnly": True},
                    "name": {"type": "string"},
                    "secret": {"type": "string", "writeOnly": True},
                    "kin": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}},
                },
            }
        }
    },
    "paths": {
        "/pet": {
            "get": {
                "responses": {
                    "200": {
                        "description": "a pet",
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}
                        },
                    }
                }
            }
        },
        "/none": {"get": {"responses": {"204": {"description": "nothing"}}}},
        "/any": {
            "get": {"responses": {"2XX": {"description": "x", "content": {"application/json": {}}}}}
        },
    },
}
GOOD = b'{"id": 1, "name": "Rex", "kin": [{"id": 2, "name": "Fido"}], "more": true}'
BAD = b'{"id": "1", "kin": [{"name": 7}], "secret-7": "canary"}'


@pytest.fixture(scope="module")
def pets() -> Any:
    return specfn.load(DOCUMENT)


def connection(loopback: Any, manner: Any) -> Connection:
    return Connection(base_url=loopback.url, validate_response=manner)


def test_as_promised(pets: Any, loopback: Any, http: Any) -> None:
    """An answer that keeps the promise is returned; properties beyond it are no fault."""
    loopback.respond = lambda _: http(GOOD)
    assert pets.execute("GET /pet", {}, connection(loopback, "raise")).data["name"] == "Rex"


def test_not_as_promised(pets: Any, loopback: Any, http: Any) -> None:
    """Every place that breaks the promise is named, and no value of the answer is shown."""
    loopback.respond = lambda _: http(BAD)
    with pytest.raises(ResponseError) as caught:
        pets.execute("GET /pet", {}, connection(loopback, "raise"))
    paths = [problem.path for problem in caught.value.problems]
    assert paths == ["$output.id", "$output.name", "$output.kin[0].id", "$output.kin[0].name"]
    assert "canary" not in str(caught.value)
    assert str(caught.value).startswith("GET /pet (pet_get): the response does not match")
    assert caught.value.result.data["id"] == "1"
    assert pickle.loads(pickle.dumps(caught.value)).problems == caught.value.problems
    with pytest.raises(ResponseError):
        asyncio.run(pets.aexecute("GET /pet", {}, connection(loopback, "raise")))


def test_a_warning(pets: Any, loopback: Any, http: Any) -> None:
    """A connection that only warns gets the answer all the same; one that is off hears nothing."""
    loopback.respond = lambda _: http(BAD)
    with pytest.warns(ResponseWarning, match=r"\$output\.id"):
        result = pets.propagate("GET /pet", {}, connection(loopback, "warn"))
    assert result.data["id"] == "1"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pets.propagate("GET /pet", {}, connection(loopback, "off")).ok


def test_what_is_not_looked_at(pets: Any, loopback: Any, http: Any) -> None:
    """Failures, other statuses and promises of nothing in particular are left alone."""
    strict = connection(loopback, "raise")
    loopback.respond = lambda _: http(BAD, "404 Not Found")
    with pytest.raises(HTTPStatusError):
        pets.execute("GET /pet", {}, strict)
    loopback.respond = lambda _: http(BAD, "201 Created")
    assert pets.execute("GET /pet", {}, strict).ok
    assert pets.execute("GET /any", {}, strict).ok
    loopback.respond = lambda _: http(b"", "204 No Content", media_type="")
    assert pets.execute("GET /none", {}, strict).data is None


@pytest.mark.parametrize(
    ("content", "media_type"), [(b"<html>", "text/html"), (b"", ""), (b"\x00", "image/png")]
)
def test_another_media_type(
    pets: Any, loopback: Any, http: Any, content: bytes, media_type: str
) -> None:
    """Where JSON is promised, anything else breaks the promise."""
    loopback.respond = lambda _: http(content, media_type=media_type)
    with pytest.raises(ResponseError, match="application/json"):
        pets.execute("GET /pet", {}, connection(loopback, "raise"))


def test_a_pickled_function_remembers(pets: Any, loopback: Any, http: Any) -> None:
    """A function that was pickled holds answers against the same promise."""
    function = pickle.loads(pickle.dumps(pets["GET /pet"]))
    loopback.respond = lambda _: http(BAD)
    with pytest.raises(ResponseError):
        specfn.execute(function, {}, connection(loopback, "raise"))


@pytest.mark.parametrize("path", ["/pet", "/any", "/none"])
@pytest.mark.parametrize("manner", ["warn", "raise"])
def test_nan_is_reported_whatever_is_promised(
    pets: Any, loopback: Any, http: Any, path: str, manner: Any
) -> None:
    """X9: numbers that JSON cannot write are reported at their places, also where the document promises nothing."""
    loopback.respond = lambda _: http(b'{"id": NaN, "name": "x", "more": [1, {"a": -Infinity}]}')
    text = r"\$output\.id: expected number \(NaN and infinities are not JSON\); \$output\.more\[1\]\.a: "
    if manner == "raise":
        with pytest.raises(ResponseError, match=text) as caught:
            pets.execute(f"GET {path}", {}, connection(loopback, manner))
        assert [str(problem.value) for problem in caught.value.problems] == ["nan", "-inf"]
    else:
        with pytest.warns(ResponseWarning, match=text):
            pets.execute(f"GET {path}", {}, connection(loopback, manner))
