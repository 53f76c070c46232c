"""T27: what was found valid is what is sent, and what was not is not sent at all."""

import copy
import json
from typing import Any
from urllib.parse import parse_qsl, unquote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.effort import examples

from specfn import Connection, load, propagate
from specfn.errors import ArgumentError

TREE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "count": {"type": "integer", "minimum": 0},
        "tag": {"type": ["string", "null"], "maxLength": 5},
        "flags": {"type": "array", "items": {"type": "boolean"}},
        "price": {"type": "number"},
        "child": {"$ref": "#/components/schemas/Tree"},
    },
    "required": ["count"],
    "additionalProperties": False,
}
APPLICATION = load(
    {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {
            "/any/{id}": {
                "post": {
                    "parameters": [
                        {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}},
                        {"name": "q", "in": "query", "schema": {"type": "string", "maxLength": 5}},
                        {"name": "n", "in": "query", "schema": {"type": "integer"}},
                    ],
                    "requestBody": {"content": {"application/json": {"schema": {}}}},
                    "security": [{"key": []}],
                }
            },
            "/tree": {
                "post": {
                    "requestBody": {
                        "required": True,
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Tree"}}
                        },
                    }
                }
            },
        },
        "components": {
            "schemas": {"Tree": TREE},
            "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}},
        },
    }
)  # fmt: skip
ANY, TREES = APPLICATION["POST /any/{id}"], APPLICATION["POST /tree"]

over_a_socket = settings(
    max_examples=examples(60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=3)
    ),
    max_leaves=8,
)
trees = st.recursive(
    st.fixed_dictionaries({"count": st.integers(0, 9)}, optional={"tag": st.text(max_size=5)}),
    lambda inner: st.fixed_dictionaries(
        {"count": st.integers(0, 9)},
        optional={
            "child": inner,
            "flags": st.lists(st.booleans(), max_size=2),
            "price": st.just(1.0),
        },
    ),
    max_leaves=4,
)


def connection(loopback: Any) -> Connection:
    return Connection(base_url=loopback.url, credentials={"key": "secret"})


def exact(value: Any) -> str:
    """A JSON value as text that tells ``true`` from 1, but not ``1.0`` from 1: JSON has one kind of number."""

    def plain(each: Any) -> Any:
        if isinstance(each, dict):
            return {key: plain(item) for key, item in each.items()}
        if isinstance(each, list):
            return [plain(item) for item in each]
        is_whole = isinstance(each, float) and each.is_integer()
        return int(each) if is_whole else each

    return json.dumps(plain(value))


@over_a_socket
@given(body=values, q=st.text(max_size=5), n=st.integers(), id_=st.integers())
def test_what_is_valid_is_sent_as_it_is(loopback: Any, body: Any, q: str, n: int, id_: int) -> None:
    """The server reads exactly the data of the verdict, and the caller's arguments stay as they were."""
    arguments = {"id": id_, "query": {"q": q, "n": n}, "body": body}
    kept = copy.deepcopy(arguments)
    outcome = ANY.validate(arguments)
    assert outcome
    propagate(ANY, outcome.data, connection(loopback))
    path, _, query = loopback.target.partition("?")
    assert unquote(path) == f"/any/{id_}"
    assert parse_qsl(query, keep_blank_values=True) == [("q", q), ("n", str(n))]
    assert exact(json.loads(loopback.body)) == exact(body)
    assert exact(arguments) == exact(kept)


@over_a_socket
@given(body=st.one_of(trees, values))
def test_what_is_not_valid_is_not_sent(loopback: Any, body: Any) -> None:
    """Calling judges as validating does: valid is sent, anything else is an error and no connection."""
    loopback.requests.clear()
    arguments = {"body": body}
    if TREES.validate(arguments):
        propagate(TREES, arguments, connection(loopback))
        assert exact(json.loads(loopback.body)) == exact(body)
        return
    with pytest.raises(ArgumentError):
        propagate(TREES, arguments, connection(loopback))
    assert loopback.requests == []


def test_repairs_are_what_is_sent(loopback: Any) -> None:
    """After repairs the data of the verdict is sent; what a model wrote is not, and would be refused."""
    written = {"body": {"count": "12", "flags": ["true"], "child": '{"count": 1}'}}
    outcome = TREES.check(written)
    assert outcome
    assert outcome.repairs
    propagate(TREES, outcome.data, connection(loopback))
    assert json.loads(loopback.body) == {"count": 12, "flags": [True], "child": {"count": 1}}
    with pytest.raises(ArgumentError):
        propagate(TREES, written, connection(loopback))
    assert len(loopback.requests) == 1


def test_what_changes_after_the_check_is_not_sent(loopback: Any) -> None:
    """The request is made of what was checked; a credential callable cannot slip something in between."""
    arguments: dict[str, Any] = {"id": 1, "query": {"q": "a"}, "body": {"n": [1]}}

    def credential() -> str:
        arguments["id"] = "../admin"
        arguments["query"]["q"] = "changed"
        arguments["body"]["n"].append("more")
        return "secret"

    here = Connection(base_url=loopback.url, credentials={"key": credential})
    propagate(ANY, arguments, here)
    assert loopback.target == "/any/1?q=a"
    assert json.loads(loopback.body) == {"n": [1]}


class Chameleon(dict[str, Any]):
    """Says one thing when it is looked at the first time, and another after."""

    looks = 0

    def __getitem__(self, key: str) -> Any:
        self.looks += 1
        return super().__getitem__(key) if self.looks < 2 else {"isAdmin": True}

    def items(self) -> Any:
        self.looks += 1
        return super().items() if self.looks < 2 else {"isAdmin": True}.items()


class Sly(str):
    """A text that is another one when it is written."""

    __slots__ = ()

    def encode(self, *_: Any, **__: Any) -> bytes:
        return b"../admin"


@pytest.mark.parametrize(
    "arguments",
    [
        Chameleon(body={"count": 1}),
        {"body": Chameleon(count=1)},
        {"body": {"count": 1, "child": Chameleon(count=1)}},
        {"body": {"count": 1, "tag": Sly("a")}},
        {"body": {Sly("count"): 1}},
        {"body": {"count": True}},
    ],
    ids=["root", "body", "child", "text", "key", "boolean"],
)
def test_only_plain_values_are_taken(loopback: Any, arguments: Any) -> None:
    """A value that could differ from look to look is no JSON value, and is not sent."""
    assert not TREES.validate(arguments)
    with pytest.raises(ArgumentError):
        propagate(TREES, arguments, connection(loopback))
    assert loopback.requests == []
