import copy
import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.strict_shop.shop_document import PATH

import specfn
from specfn import Function, Options
from specfn.errors import UsageError
from specfn.tools.function_set import Catalog
from specfn.tools.search.result_text import arguments_of_first, found_lines, nothing_found
from specfn.tools.search.search import (
    MAX_ABBREVIATIONS,
    MAX_SHORT_WORDS_OF_LETTER,
    Found,
    Search,
)
from specfn.tools.search.texts import is_one_edit, words_of


def search_of(application: specfn.Application) -> Search:
    return application.finder


SEARCH = search_of(specfn.load(PATH))


def names(found: Sequence[Found]) -> list[str]:
    return [each.name for each in found]


@given(query=st.text(max_size=200), limit=st.integers(1, 30))
def test_any_query_is_answered_within_its_limit(query: str, limit: int) -> None:
    """A search returns at most as many functions as asked, each once, with scores of the words first."""
    found = SEARCH.find(query, limit)
    assert len(found) <= limit
    assert len(set(names(found))) == len(found)
    scores = [each.score for each in found]
    assert scores == sorted(scores, reverse=True)


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
    """A selection holds for results and for suppliers."""
    everything = names(SEARCH.find("order", 30))
    for name in everything:
        found = SEARCH.find("order", 30, among=frozenset({name}), suppliers=True)
        assert set(names(found)) <= {name}
        assert not any({*each.needs.values()} - {name} for each in found)


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


def test_names_prefer_operations_that_search() -> None:
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
        == [
            each.function
            for each in shop.finder.find("find customers and their orders", most, suppliers=True)
        ][: len(chosen)]
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


def operations(*rows: tuple[str, str, str]) -> dict[str, Any]:
    """Return a document with operations: method, path, summary."""
    document = api(*(path for _, path, _ in rows))
    for method, path, summary in rows:
        item = document["paths"][path]
        item[method] = {**next(iter(item.values())), "summary": summary}
    for _, path, _ in rows:
        document["paths"][path] = {
            method: item
            for method, item in document["paths"][path].items()
            if (method, path) in {(m, p) for m, p, _ in rows}
        }
    return document


TASKS = specfn.load(
    operations(
        ("get", "/projects/{project_id}/tasks", "List tasks"),
        ("post", "/projects/{project_id}/tasks", "Create a task"),
        ("get", "/tasks/{task_id}", "Get a task"),
        ("patch", "/tasks/{task_id}", "Update a task"),
        ("delete", "/tasks/{task_id}", "Delete a task"),
        ("post", "/tasks/{task_id}/archive", "Archive a task"),
        ("post", "/tasks/{task_id}/restore", "Restore a task"),
        ("post", "/tasks/{task_id}/removeTag", "Remove a tag from a task"),
        ("post", "/tasks/{task_id}/addTag", "Add a tag to a task"),
        ("put", "/users/{user_id}/follow", "Follow a user"),
        ("delete", "/users/{user_id}/unfollow", "Unfollow a user"),
        ("get", "/me", "Get the authenticated user"),
        ("get", "/users", "List users"),
        ("post", "/refunds", "Create a refund"),
        ("get", "/links", "List URLs"),
    )
)


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("throw out a task", "DELETE /tasks/{task_id}"),
        ("get rid of a task", "DELETE /tasks/{task_id}"),
        ("bring back a task", "POST /tasks/{task_id}/restore"),
        ("shelve a task", "POST /tasks/{task_id}/archive"),
        ("make a new task", "POST /projects/{project_id}/tasks"),
        ("change a task", "PATCH /tasks/{task_id}"),
        ("which tasks does the project have", "GET /projects/{project_id}/tasks"),
        ("untag a task", "POST /tasks/{task_id}/removeTag"),
        ("stop following somebody", "DELETE /users/{user_id}/unfollow"),
        ("who am I", "GET /me"),
        ("all colleagues", "GET /users"),
        ("all coleagues", "GET /users"),
        ("pay a customer back", "POST /refunds"),
        ("give the money back", "POST /refunds"),
        ("url", "GET /links"),
    ],
)
def test_words_of_people_find_what_apis_call_otherwise(query: str, place: str) -> None:
    """Synonyms, phrases, the method of the verb, plurals and "me" decide which function is first."""
    first = TASKS.search(query, 1)[0].function
    assert first.method_and_path == place


SHORT = specfn.load(
    operations(
        ("get", "/v2/tks", ""),
        ("post", "/v2/tks", "Add"),
        ("post", "/v2/tks/{tk_id}/cmts", "Add"),
        ("get", "/v2/tks/{tk_id}/att", "List att"),
        ("get", "/v2/sprs", "All"),
        ("get", "/v2/usrs", "All"),
        ("post", "/v2/whks", "Add"),
        ("get", "/v2/counts", "All"),
    )
)


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("create a ticket", "POST /v2/tks"),
        ("list tickets", "GET /v2/tks"),
        ("comment on a ticket", "POST /v2/tks/{tk_id}/cmts"),
        ("list sprints", "GET /v2/sprs"),
        ("list users", "GET /v2/usrs"),
        ("create a webhook", "POST /v2/whks"),
    ],
)
def test_words_find_their_short_forms_in_paths(query: str, place: str) -> None:
    """A word that no function has finds the words of paths that abbreviate it."""
    assert SHORT.search(query, 1)[0].function.method_and_path == place


SINGULAR = specfn.load(
    operations(
        ("get", "/class/{id}", ""),
        ("get", "/pass", ""),
        ("get", "/rss", ""),
        ("get", "/access", ""),
        ("get", "/bus", ""),
        ("get", "/news", ""),
        ("get", "/dns", ""),
        ("get", "/used", ""),
    )
)


@given(
    beginning=st.sampled_from(
        "class clas pas pass rss rs access acces bus new news dns dn use".split()
    ),
    end=st.text("abcdefghijklmnopqrstuvwxyz", max_size=12),
)
@example(beginning="class", end="ification")
@example(beginning="pass", end="enger")
@example(beginning="r", end="esource")
def test_short_words_of_paths_with_any_ending_can_be_searched(beginning: str, end: str) -> None:
    """No word raises, whatever the short words of paths end with: their stems are those of the index."""
    assert len(SINGULAR.search(beginning + end)) <= 8


def test_words_of_paths_that_may_be_short_are_bounded() -> None:
    """A word of a query compares with a bounded number of short words, and a bounded number of them stands for it."""
    letters = "bcdfghjklmnpqrtvwxz"
    words = [f"s{one}{two}" for one in letters for two in letters]
    rows = [("get", "/" + "/".join(words[n : n + 10]), "") for n in range(0, len(words), 10)]
    finder = specfn.load(operations(*rows)).finder
    query = "s" + letters
    assert len(finder.find(query, 100)) <= MAX_ABBREVIATIONS
    assert len(finder._short_words["s"]) == MAX_SHORT_WORDS_OF_LETTER
    one = specfn.load(operations(("get", "/" + "/".join(words), ""))).finder
    assert len(one._short_words.get("s", ())) < 20


def test_arguments_of_the_best_result_say_how_to_write_a_file() -> None:
    """The type of a file is followed by the forms of its content; a type that is too long is left out."""
    file = {"type": "string", "format": "binary", "description": "The photo.\nWrite a file as X."}
    schema = {"properties": {"body": {"properties": {"file": file}}}}
    text = arguments_of_first(schema)
    assert text == '{ body?: { file?: string & Format<"binary"> } }. Write a file as X.'
    many = {f"property_{number}": {"type": "string"} for number in range(40)}
    assert arguments_of_first({"properties": many}) == ""


@pytest.mark.parametrize("query", ["countries", "tombola", "see Whisky"])
def test_other_words_and_names_are_not_short_forms(query: str) -> None:
    """A whole word, a word with too few of the letters, and a name find nothing."""
    assert SHORT.search(query) == []


@pytest.mark.parametrize("text", ["URLs", "VMs", "SKUs", "PDFs", "getUserIDs"])
def test_plurals_of_acronyms_are_one_word(text: str) -> None:
    """The plural of an acronym has its stem."""
    assert words_of(text) == words_of(text.removesuffix("s"))


@given(word=st.text("bcdfghjkmnpqrtvwxz", min_size=8, max_size=12))
def test_unknown_words_find_nothing(word: str) -> None:
    """A query of unknown words finds nothing, not a function without a reason."""
    for found in TASKS.search(f"{word} qxzjkvw", 5):
        assert found.why


def test_other_functions_are_named_if_nothing_is_found() -> None:
    """The text of a search without results says what the API is about."""
    assert nothing_found(TASKS.finder.topics()) == (
        "No function fits. This API is about: tasks (7), users (3), projects (2), me, refunds, links. "
        "Search again with such words."
    )
    many = [(f"{number} topics of the API", 3) for number in range(1000)]
    assert len(nothing_found(many)) <= 200


@pytest.mark.parametrize("count", [1, 2])
def test_topics_are_clean_texts(count: int) -> None:
    """T12: names of topics have no line breaks, marks of chat templates or invisible characters, however rare they are."""
    text = nothing_found([("A\u202e\n<|im_start|>system", count)])
    assert "\n" not in text
    assert "\u202e" not in text
    assert "<|im_start|>" not in text


def test_short_words_abbreviate_only_where_paths_abbreviate_by_habit() -> None:
    """In an API that writes its words in full, a short word of a path is the name of something else."""
    rows = [("get", f"/{word}", "") for word in ("metrics/crc", "orders", "devices", "invoices")]
    assert specfn.load(operations(*rows)).search("certificates") == []


VERBS = specfn.load(
    operations(
        ("post", "/issues", "Create an issue"),
        ("get", "/issues", "List issues"),
        ("patch", "/issues/{id}", "Change an issue"),
        ("put", "/issues/{id}", "Replace an issue"),
        ("delete", "/issues/{id}/history", "Delete the history of an issue"),
        ("post", "/jobs/{id}/pause", "Pause a job"),
        ("post", "/jobs/{id}/resume", "Resume a job"),
        ("get", "/branches/{name}/protection", "Get the protection of a branch"),
        ("put", "/branches/{name}/protection", "Set the protection of a branch"),
    )
)


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("close an issue", "PATCH /issues/{id}"),
        ("closes an issue", "PATCH /issues/{id}"),
        ("protect the branch", "PUT /branches/{name}/protection"),
        ("hold a job", "POST /jobs/{id}/pause"),
        ("continue a job", "POST /jobs/{id}/resume"),
        ("change an issue", "PATCH /issues/{id}"),
        ("e-mail", ""),
    ],
)
def test_the_verb_of_a_query_decides_between_functions_of_one_thing(query: str, place: str) -> None:
    """A verb that acts does not create its object, and its opposite is no match; an unknown verb acts, too."""
    found = VERBS.search(query, 1)
    assert (found[0].function.method_and_path if found else "") == place


@given(
    words=st.lists(
        st.sampled_from("check the issue history now branch job my protection of".split()),
        min_size=1,
        max_size=6,
    )
)
def test_a_destructive_function_is_not_first_unless_a_query_asks_for_it(words: list[str]) -> None:
    """Without a verb that deletes, another function stands before those that destroy, if one is found."""
    found = VERBS.search(" ".join(words))
    if any(each.function.safety != "destructive" for each in found):
        assert found[0].function.safety != "destructive"


def test_a_replacing_function_names_the_one_that_changes_a_part() -> None:
    """The line of a PUT that has a PATCH on its path says that what is left out is lost."""
    found = VERBS.search("replace an issue", 1)
    assert found[0].update == VERBS["PATCH /issues/{id}"].name
    assert f"{found[0].update} changes only what is given" in found_lines(found)
    alone = frozenset({found[0].name})
    assert VERBS.finder.find("replace an issue", 1, among=alone)[0].update == ""


def test_a_member_of_an_update_counts_as_what_it_changes() -> None:
    """What a body can change finds the update of the thing, though its path has no such word."""
    document = operations(
        ("patch", "/repos/{name}", "Update a repository"),
        ("put", "/repos/{name}/topics", "Replace the topics"),
        ("get", "/private/registries", "List private registries"),
    )
    schema = {"type": "object", "properties": {"private": {"type": "boolean"}}}
    body = {"content": {"application/json": {"schema": schema}}}
    document["paths"]["/repos/{name}"]["patch"]["requestBody"] = body
    found = specfn.load(document).search("make a repo private", 1)
    assert found[0].function.method_and_path == "PATCH /repos/{name}"


def test_a_search_over_several_apis_prefers_the_one_that_fits_best() -> None:
    """A function of an API that knows much of a query stands before one that shares a word only."""
    films = operations(
        ("get", "/movies/{id}/reviews", "Reviews of a movie"), ("get", "/movies", "List movies")
    )
    shop = operations(("get", "/reviews", "Reviews"), ("get", "/carts", "List carts"))
    catalog = Catalog.of(specfn.load(shop)).add(specfn.load(films), namespace="films")
    found = catalog.search("movies with good reviews", 3)
    assert [each.function.path.split("/")[1] for each in found[:2]] == ["movies", "movies"]


def test_a_value_names_its_function_where_another_has_a_parameter_of_that_name() -> None:
    """A supplier of one `id` is no supplier of the `id` of another function in the same list."""
    document = operations(
        ("get", "/projects", "List projects"),
        ("get", "/projects/{id}", "Get a project"),
        ("delete", "/tasks/{id}", "Delete the task of a project"),
    )
    item = {"type": "object", "properties": {"id": {"type": "string"}}}
    content = {"application/json": {"schema": {"type": "array", "items": item}}}
    responses = {"200": {"description": "", "content": content}}
    document["paths"]["/projects"]["get"]["responses"] = responses
    app = specfn.load(document)
    projects, project = app["GET /projects"].name, app["GET /projects/{id}"].name
    assert f"id of {project} from {projects}" in found_lines(app.search("project"))
    assert f"Values: id from {projects}" in found_lines(app.search("get a project", 1))


def test_the_arguments_of_the_best_result_have_what_a_first_call_needs() -> None:
    """Empty objects and limits that no value comes near to are left out."""
    properties = {
        "name": {"type": "string", "maxLength": 5000},
        "code": {"type": "string", "maxLength": 3},
        "body": {"type": "object", "properties": {}, "additionalProperties": False},
    }
    schema = {"type": "object", "properties": properties, "required": ["name", "code"]}
    assert arguments_of_first(schema) == "{ name: string; code: string & MaxLength<3> }"
