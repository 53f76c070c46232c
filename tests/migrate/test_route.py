import pickle
from typing import Any

import pytest

from specfn.migrate.route import Api, Body, Parameter, ParameterGroup, Placeholder, Route, Template


def parameter(name: str, *, required: bool = False, **rest: Any) -> Parameter:
    location = rest.pop("location", "query")
    return Parameter(name=name, key=name, location=location, schema={}, required=required, **rest)


def group(key: Any, *parameters: Parameter) -> ParameterGroup:
    needed = any(each.required for each in parameters)
    return ParameterGroup(key=key, parameters=parameters, required=needed)


def body(*, required: bool) -> Body:
    return Body(
        media_type="application/json",
        kind="json",
        schema={},
        required=required,
        description=None,
        encoding={},
        pointer="",
    )


def route(**given: Any) -> Route:
    plain: dict[str, Any] = {
        "method": "get",
        "path": "/{a}/{b}",
        "template": Template(segments=((Placeholder("a"),), (Placeholder("b"),))),
        "accessor": ("getByAAndB",),
        "parameters": (),
        "query": None,
        "headers": None,
        "cookies": None,
        "body": None,
        "success": None,
        "exceptions": {},
        "security": (),
        "servers": (),
        "notes": (),
        "operation": {},
        "pointer": "/paths/~1{a}~1{b}/get",
    }
    return Route(**{**plain, **given})


FULL = route(
    cookies=group("cookies", parameter("c", required=True)),
    headers=group("headers", parameter("h")),
    body=body(required=True),
    query=group("query", parameter("q")),
    parameters=(
        parameter("a", location="path", required=True),
        parameter("b", location="path", required=True),
    ),
)


def test_keys_are_in_positional_order() -> None:
    """F4: path parameters, query, body, headers, cookies, each with whether it is required."""
    assert FULL.keys == (
        ("a", True),
        ("b", True),
        ("query", False),
        ("body", True),
        ("headers", False),
        ("cookies", True),
    )


@pytest.mark.parametrize("left_out", ["query", "body", "headers", "cookies"])
def test_what_is_not_declared_has_no_key(left_out: str) -> None:
    """F4: the arity is fixed by the route: what it does not have takes no position."""
    keys = [key for key, _ in FULL._replace(**{left_out: None}).keys]
    assert keys == [key for key, _ in FULL.keys if key != left_out]


def test_groups_are_those_that_are_there() -> None:
    """R5: query, headers, cookies, without those that are not declared."""
    assert [each.key for each in FULL.groups] == ["query", "headers", "cookies"]
    assert route().groups == ()
    assert route().keys == ()


@pytest.mark.parametrize(
    "record", [FULL, FULL.parameters[0], FULL.query, FULL.body, Api(security_schemes={})]
)
def test_records_are_frozen_and_travel(record: Any) -> None:
    """A route and its parts cannot be changed, and a pickled one is equal."""
    with pytest.raises(AttributeError):
        setattr(record, record._fields[0], None)
    assert pickle.loads(pickle.dumps(record)) == record
