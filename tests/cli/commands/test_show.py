from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from specfn import load

Command = Callable[..., Any]


@pytest.mark.parametrize(
    "key", ["orders_getByOrderId", "orders.getByOrderId", "getOrder", "GET /orders/{orderId}"]
)
def test_a_function_answers_to_all_its_names(specfn: Command, products: Path, key: str) -> None:
    """Name, accessor, operationId and place show the same function."""
    ended = specfn("show", products, key)
    assert ended.code == 0
    assert ended.out == specfn("show", products, "orders_getByOrderId").out


def test_the_text_is_all_that_a_model_reads(specfn: Command, products: Path) -> None:
    """Place, arguments in words, description and both schemas stand there, in this order."""
    out = specfn("show", products, "orders_getByOrderId").out
    function = load(products)["orders_getByOrderId"]
    lines = out.splitlines()
    assert lines[:4] == [
        "GET /orders/{orderId} (read)",
        "orders_getByOrderId",
        "  orderId: string (uuid)",
        "  returns Order",
    ]
    places = [out.index(part) for part in (function.description, "Parameters (", "Output (")]
    assert places == sorted(places)


def test_json_is_the_function(specfn: Command, products: Path) -> None:
    """``--json`` holds the schemas as they are, and what is known of the operation."""
    data = specfn("show", products, "orders_getByOrderId", "--json").data
    function = load(products)["orders_getByOrderId"]
    assert data["parameters"] == function.parameters
    assert data["output"] == function.output
    assert data["fingerprint"] == function.fingerprint
    assert data["accessor"] == "orders.getByOrderId"
    assert data["operation_id"] == "getOrder"
    assert data["safety"] == "read"


def test_optional_arguments_and_silence_are_marked(specfn: Command, document: Command) -> None:
    """An argument is named as ``call`` reads it, and says if it is optional; without content the result is nothing."""
    query = {"name": "limit", "in": "query", "schema": {"type": "integer"}}
    path = document(
        {"/a": {"get": {"parameters": [query], "responses": {"204": {}}}}, "/b": {"get": {}}}
    )
    out = specfn("show", path, "a_get").out
    assert "\na_get\n  query.limit: integer, optional\n  returns nothing\n" in out
    assert "\nb_get\n  returns nothing\n" in specfn("show", path, "b_get").out


def test_an_unknown_name_is_wrong_use(specfn: Command, products: Path) -> None:
    """Up to three names that are near are suggested; nothing is shown."""
    ended = specfn("show", products, "orders_getById")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("specfn: there is no function 'orders_getById'; did you mean ")
    assert ended.err.count(" or ") <= 2


def test_an_operation_that_is_no_function_says_why(specfn: Command, document: Command) -> None:
    """Whoever asks for such an operation reads the reason, not that it is unknown."""
    ended = specfn("show", document({"/a": {"get": {}}, "b": {"get": {}}}), "GET b")
    assert ended.code == 2
    assert "GET b is not a function: " in ended.err
    assert "#/paths/b" in ended.err
