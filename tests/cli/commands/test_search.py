from collections.abc import Callable
from pathlib import Path
from typing import Any

from specfn import load

Command = Callable[..., Any]


def test_the_results_are_those_of_the_library(specfn: Command, products: Path) -> None:
    """The functions are those of ``Application.search``, in its order, with their facts."""
    ended = specfn("search", products, "cancel an order", "--limit", "4", "--json")
    found = load(products).search("cancel an order", 4)
    assert ended.code == 0
    assert [(each["name"], each["score"], each["needs"]) for each in ended.data] == [
        (each.name, each.score, dict(each.needs)) for each in found
    ]
    assert ended.data[0]["safety"] == "write"


def test_the_text_has_a_paragraph_for_each(specfn: Command, products: Path) -> None:
    """A paragraph has the name, the operation, the summary, the words and the suppliers."""
    first = specfn("search", products, "cancel an order").out.split("\n\n")[0]
    assert first.splitlines() == [
        "orders_cancel_postByOrderId",
        "  POST /orders/{orderId}:cancel (write)",
        "  Cancel an order",
        "  matches: cancel, order; orderId comes from orders_get",
    ]


def test_select_limits_the_search(specfn: Command, products: Path) -> None:
    """Only selected functions are found."""
    ended = specfn("search", products, "product", "--select", "DELETE *", "--json")
    assert {each["method"] for each in ended.data} == {"delete"}


def test_nothing_found_is_no_error(specfn: Command, products: Path) -> None:
    """Words that no function contains give an empty result, and a message."""
    ended = specfn("search", products, "...")
    assert (ended.code, ended.out) == (0, "")
    assert "no function fits these words" in ended.err
    assert specfn("search", products, "...", "--json").data == []
