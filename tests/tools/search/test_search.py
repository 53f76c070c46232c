import copy
import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strict_shop.shop_document import PATH

import specfn
from specfn import Function, Options
from specfn.errors import UsageError
from specfn.tools.search.search import Found, Search
from specfn.tools.search.texts import component_schemas, is_one_edit, words_of


def search_of(application: specfn.Application) -> Search:
    components = component_schemas(application.document)
    return Search((f.name, f, components) for f in application)


SEARCH = search_of(specfn.load(PATH))


def names(found: Sequence[Found]) -> list[str]:
    return [each.name for each in found]


@given(query=st.text(max_size=200), limit=st.integers(1, 30))
def test_any_query_is_answered_within_its_limit(query: str, limit: int) -> None:
    """A search returns at most as many functions as asked, each once, with scores of the words first."""
    found = SEARCH.find(query, limit)
    assert len(found) <= limit
    assert len(set(names(found))) == len(found)
    own = [each.score for each in found if not each.why.startswith("yields")]
    assert own == sorted(own, reverse=True)


@pytest.mark.parametrize("query", ["", "the of a to", " \n\t", "?!", "🦄"])
def test_a_query_without_words_finds_nothing(query: str) -> None:
    """Stop words and signs say nothing about a function."""
    assert SEARCH.find(query) == []


def test_a_long_query_reads_a_bounded_number_of_words() -> None:
    """Words beyond the limit change nothing."""
    begin = " ".join(f"order word{number}" for number in range(100))
    assert SEARCH.find(begin) == SEARCH.find(begin + " customer" * 20_000)


@given(position=st.integers(0, 30))
def test_a_summary_finds_its_function(position: int) -> None:
    """The summary of a function finds it among the first three."""
    functions = specfn.load(PATH).functions
    function = functions[position % len(functions)]
    assert function.name in names(SEARCH.find(function.operation["summary"], 3))


def test_only_allowed_functions_are_found() -> None:
    """A selection holds for results and for inserted producers."""
    everything = names(SEARCH.find("order", 30))
    for name in everything:
        assert set(names(SEARCH.find("order", 30, among=frozenset({name})))) <= {name}


@given(word=st.sampled_from(["customers", "product", "orders", "invoice"]), data=st.data())
def test_one_typing_error_is_corrected(word: str, data: st.DataObject) -> None:
    """A word of the API with one wrong letter finds what the word finds."""
    if words_of(word)[0] not in set(SEARCH._index.words):
        return
    place = data.draw(st.integers(1, len(word) - 2))
    mistyped = word[:place] + "q" + word[place + 1 :]
    assert names(SEARCH.find(mistyped, 3)) == names(SEARCH.find(word, 3))


@given(left=st.text("abcd", max_size=7), right=st.text("abcd", max_size=7))
def test_one_edit_is_one_edit(left: str, right: str) -> None:
    """The comparison equals trying all edits."""
    edits = {left[:i] + left[i + 1 :] for i in range(len(left))}
    edits |= {
        left[:i] + c + left[j:] for i in range(len(left) + 1) for j in (i, i + 1) for c in "abcd"
    }
    edits |= {
        left[:i] + left[i + 1 : i + 2] + left[i] + left[i + 2 :] for i in range(len(left) - 1)
    }
    assert is_one_edit(left, right) == (left != right and right in edits)


def test_producers_of_path_parameters_are_named() -> None:
    """`needs` names a function that lists the things which a path parameter identifies."""
    document = api(
        "/users", "/users/{user_id}", "/users/{user_id}/roles/{id}", "/users/{user_id}/roles"
    )
    found = {
        each.name: each for each in search_of(specfn.load(document)).find("get one role of a user")
    }
    role = found["users_roles_getByUser_idAndId"]
    assert role.needs == {"user_id": "users_get", "id": "users_roles_getByUser_id"}


def test_unknown_words_prefer_operations_that_search() -> None:
    """A name that no function contains is looked up, so functions that search come first."""
    document = api("/people/{id}", "/search/people", "/people/{id}/films")
    found = search_of(specfn.load(document)).find("people Zyx Wvut")
    assert found[0].function.path == "/search/people"


def test_the_human_part_is_not_searched() -> None:
    """Words of properties that a model does not see find nothing."""
    document = api("/payments", method="post")
    secret = {
        "type": "object",
        "properties": {
            "cardnumber": {"type": "string", "description": "zirconium"},
            "amount": {"type": "integer"},
        },
    }
    document["paths"]["/payments"]["post"]["requestBody"] = {
        "content": {"application/json": {"schema": secret}}
    }
    shown = search_of(specfn.load(copy.deepcopy(document)))
    hidden = search_of(
        specfn.load(document, options=Options(separate=lambda node: node.name == "cardnumber"))
    )
    assert shown.find("cardnumber")
    assert shown.find("zirconium")
    assert hidden.find("cardnumber") == hidden.find("zirconium") == []
    assert hidden.find("amount")


def test_another_ranking_is_fused() -> None:
    """A function that only the other ranking finds is a result, too."""

    def rank(query: str, functions: Sequence[Function]) -> Sequence[Function]:
        return [each for each in functions if each.path == "/bees" and query]

    found = specfn.load(api("/apes", "/bees", "/cats")).search("apes", rank=rank)
    assert [each.function.path for each in found] == ["/apes", "/bees"]


def test_a_limit_below_one_is_refused() -> None:
    """A search for no results is a mistake of the caller."""
    with pytest.raises(UsageError, match="at least 1, not 0"):
        SEARCH.find("order", 0)


def test_words_of_every_script_are_found() -> None:
    """Words are split by camel case, digits and signs; letters of any script count."""
    assert words_of("getUserByID2") == ("user", "id", "2")
    assert words_of("заказы/клиента") == ("заказы", "клиента")
    found = search_of(specfn.load(api("/заказы", "/users"))).find("заказы")
    assert [each.function.path for each in found] == ["/заказы"]


def api(*paths: str, method: str = "get") -> dict[str, Any]:
    """Return a document with one operation for each path."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {
            path: {
                method: {
                    "parameters": [
                        {
                            "name": part[1:-1],
                            "in": "path",
                            "required": True,
                            "schema": {"type": "string"},
                        }
                        for part in path.split("/")
                        if part.startswith("{")
                    ],
                    "responses": {"200": {"description": "ok"}},
                }
            }
            for path in paths
        },
    }


@given(budget=st.integers(1, 20_000), most=st.integers(1, 12))
def test_a_selection_is_within_its_limits(budget: int, most: int) -> None:
    """A selection is the beginning of the search, with at most the tokens and functions that are allowed."""
    shop = specfn.load(PATH)
    chosen = shop.select("find customers and their orders", budget_tokens=budget, max_tools=most)
    assert len(chosen) <= most
    assert (
        list(chosen)
        == [each.function for each in shop.search("find customers and their orders", most)][
            : len(chosen)
        ]
    )
    sizes = [
        len(
            json.dumps(
                {"name": each.name, "description": each.description, "parameters": each.parameters},
                separators=(",", ":"),
                ensure_ascii=False,
            )
        )
        for each in chosen
    ]
    assert sum(sizes) / 4 <= budget


def test_a_search_may_be_limited_to_a_selection() -> None:
    """`select` takes what `tools` takes."""
    shop = specfn.load(PATH)
    found = shop.search("order", 30, select={"safety": ["read"]})
    assert found
    assert {each.function.safety for each in found} == {"read"}
