from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn import Function, Options, load
from specfn.function.description import headline


def made(operation: dict[str, Any], path: str = "/x", **options: Any) -> Function:
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {path: {"post": operation}},
    }
    return load(document, options=Options(**options)).functions[0]


def text(operation: dict[str, Any], path: str = "/x", **options: Any) -> str:
    return made(operation, path, **options).description


def parameter(name: str, where: str, description: Any = None, **rest: Any) -> dict[str, Any]:
    said = {} if description is None else {"description": description}
    needed = {"required": True} if where == "path" else {}
    return {"name": name, "in": where, "schema": {"type": "string"}, **said, **needed, **rest}


@pytest.mark.parametrize(
    ("summary", "description", "expected"),
    [
        ("List pets", "All of them.", "List pets\n\nAll of them."),
        ("List pets", None, "List pets"),
        (None, "All of them.", "All of them."),
        (None, None, "POST /x"),
        ("", "", "POST /x"),
        ("  List pets \n", "\tAll. ", "List pets\n\nAll."),
        ("List pets", "List pets", "List pets"),
        ("List pets", "List pets.", "List pets."),
        ("List pets.", "List pets", "List pets"),
        ("List pets", "List pets. All of them.", "List pets. All of them."),
        ("List pets.", "List pets: all of them.", "List pets: all of them."),
        ("List pets", "List pets, all of them.", "List pets\n\nList pets, all of them."),
        ("Get a pet", "Get a petition.", "Get a pet\n\nGet a petition."),
        ("List pets", "First line.\n\nSecond.", "List pets\n\nFirst line.\n\nSecond."),
        (5, ["x"], "POST /x"),
    ],
)
def test_summary_then_description(summary: Any, description: Any, expected: str) -> None:
    """F3: the summary, then the description without repeating the summary."""
    said = {"summary": summary, "description": description}
    assert text({key: value for key, value in said.items() if value is not None}) == expected


FULL: dict[str, Any] = {
    "summary": "Change a pet",
    "description": "Changes it.",
    "parameters": [
        parameter("c", "cookie", "a cookie"),
        parameter("X-H", "header", "a header"),
        parameter("q", "query", "a\n  query"),
        parameter("silent", "query"),
        parameter("api_key", "query", "a credential"),
        parameter("id", "path", "which"),
    ],
    "requestBody": {"description": "the pet", "content": {"application/json": {"schema": {}}}},
    "security": [{"key": []}, {"oauth": ["read", "write"], "key": []}, {}],
    "tags": ["pets", 5, "all pets"],
    "deprecated": True,
}
TAGS = [
    "@param id which",
    "@param q a query",
    "@param X-H a header",
    "@param c a cookie",
    "@param body the pet",
    "@security key",
    "@security oauth read write",
    "@tag pets",
    "@tag all pets",
    "@deprecated",
]


def test_tags_follow_the_prose() -> None:
    """F3: params of path, query, header, cookie and body, security with scopes, tags, deprecation."""
    assert text(FULL, "/{id}") == "Change a pet\n\nChanges it.\n\n" + "\n".join(TAGS)


def test_tags_follow_the_place_where_there_is_no_prose() -> None:
    """F3: an operation without texts and operationId is described by its method and path, then by its tags."""
    assert text({"tags": ["pets"]}) == "POST /x\n\n@tag pets"


@pytest.mark.parametrize(
    ("operation_id", "expected"),
    [
        ("listUserKeys", "list user keys"),
        ("ListUserKeys", "list user keys"),
        ("list_user_keys", "list user keys"),
        ("users/list-keys", "users list keys"),
        ("Users.List::Keys", "users list keys"),
        ("getURLByID", "get URL by ID"),
        ("XMLParser", "XML parser"),
        ("get_v2_users", "get v2 users"),
        ("a", "a"),
        ("größeÄndern", "größe ändern"),
        ("获取用户", "获取用户"),
        ("list\u200bPets\x1b", "list pets"),
        ("123", "POST /x"),
        ("__", "POST /x"),
        ("", "POST /x"),
        (7, "POST /x"),
    ],
)
def test_the_operation_id_in_words_stands_for_missing_prose(
    operation_id: Any, expected: str
) -> None:
    """F3: without summary and description a model reads the operationId in words, else the method and the path."""
    assert text({"operationId": operation_id}) == expected
    assert text({"operationId": operation_id, "description": "Does it."}) == "Does it."


@given(
    st.text(max_size=30) | st.none(),
    st.text(max_size=30) | st.none(),
    st.text(max_size=30) | st.none(),
    st.lists(st.text(max_size=9), max_size=2),
)
def test_every_function_is_described(
    summary: str | None, description: str | None, operation_id: str | None, tags: list[str]
) -> None:
    """F3: whatever texts an operation has, a description begins with prose that a reader can see."""
    said = {"summary": summary, "description": description, "operationId": operation_id}
    operation: dict[str, Any] = {key: value for key, value in said.items() if value is not None}
    first = text({**operation, "tags": tags}).split("\n")[0]
    assert first.strip()
    if not any(value and value.strip() for value in said.values()):
        assert first == "POST /x"


# -- shortened names ---------------------------------------------------------------------------------------

LONG = (
    "/organizations/{organization}/repositories/{repository}/environments/{environment}/variables"
)


@pytest.mark.parametrize("summary", [None, "List variables", f"Lists.\n\nPOST {LONG}"])
def test_a_shortened_name_adds_the_path(summary: str | None) -> None:
    """F2, F3: where the name leaves out a part of the path, the description has the path, once and before the tags."""
    said = {} if summary is None else {"summary": summary}
    function = made({**said, "tags": ["x"]}, LONG)
    assert len("_".join(function.accessor)) > 64 >= len(function.name)
    prose, _, tags = function.description.rpartition("\n\n")
    assert prose.endswith(f"POST {LONG}")
    assert prose.count(LONG) == 1
    assert tags == "@tag x"


def test_a_name_that_is_whole_adds_nothing() -> None:
    """F3: a name that fits tells the path, and so does a name of the caller's."""
    assert text({"summary": "List."}, "/a/b") == "List."
    assert text({"summary": "List."}, LONG, names={f"POST {LONG}": "list_variables"}) == "List."
    assert text({"summary": "List."}, LONG, max_length=128) == "List."
    told = text({"summary": "List."}, LONG, descriptions={f"POST {LONG}": "Word for word."})
    assert told == "Word for word."


@pytest.mark.parametrize("description", ["", "  \n ", "\u200b"])
def test_no_tag_without_a_text(description: str) -> None:
    """F3: a parameter without a visible description has no line."""
    assert text({"parameters": [parameter("q", "query", description)]}) == "POST /x"


@pytest.mark.parametrize("description", ["  \n ", "\u200b"])
def test_no_tag_for_a_body_without_a_text(description: str) -> None:
    """F3: likewise a body."""
    body = {"description": description, "content": {"application/json": {}}}
    assert text({"requestBody": body}) == "POST /x"


def test_security_of_the_document_counts() -> None:
    """F3: where the operation says nothing, the document's requirements are told; an empty list is none."""
    document: dict[str, Any] = {
        "openapi": "3.0.3",
        "info": {"title": "t", "version": "1"},
        "security": [{"key": []}],
        "paths": {"/x": {"get": {}, "post": {"security": []}}},
    }
    assert [each.description for each in load(document)] == [
        "GET /x\n\n@security key",
        "POST /x",
    ]


def test_names_are_those_that_the_model_sees() -> None:
    """R14: ``@param`` shows the key at the root, not the wire's name."""
    function = made({"parameters": [parameter("pet-id", "path", "which")]}, "/{pet-id}")
    assert function.description == "POST /{pet-id}\n\n@param pet_id which"


def test_a_spread_object_is_not_told_under_its_own_name() -> None:
    """R6, R14: what is spread has no name of its own that a model could use."""
    schema = {"type": "object", "properties": {"limit": {"type": "integer"}}}
    function = made({"parameters": [parameter("page", "query", "how much", schema=schema)]})
    assert list(function.parameters["properties"]["query"]["properties"]) == ["limit"]
    assert "@param page" not in function.description


def test_texts_are_data() -> None:
    """F12: control, bidirectional, tag and zero-width characters go; scripts and emoji stay."""
    hidden = "a\x00b\u202ec\u200bd\U000e0041e\x1b[31m"
    operation = {
        "summary": hidden,
        "description": "Grüße 👩‍👩‍👧 日本語",
        "parameters": [parameter("q", "query", hidden)],
        "tags": [hidden],
        "requestBody": {"description": hidden, "content": {"application/json": {}}},
    }
    assert text(operation) == (
        "abcde[31m\n\nGrüße 👩‍👩‍👧 日本語\n\n@param q abcde[31m\n@param body abcde[31m\n@tag abcde[31m"
    )


def test_braces_and_percents_are_text() -> None:
    """F12, T23: nothing of a text is formatted."""
    said = "{0} %s {__class__} ${x} \\n {{}}"
    assert text({"description": said}) == said


def test_a_line_of_a_text_cannot_pose_as_a_tag() -> None:
    """F3: a parameter's description is one line, whatever line breaks it has."""
    said = "first\n@deprecated\r\n@security none\u2028@tag x"
    *_, line = text({"parameters": [parameter("q", "query", said)]}).split("\n\n")
    assert "\n" not in line
    assert line.startswith("@param q first @deprecated @security none")


# -- limits ------------------------------------------------------------------------------------------------


def test_nothing_is_refused_for_its_length() -> None:
    """F3: without a limit a description of any length is whole."""
    long = "Words and words. " * 10_000
    function = made({"description": long}, description_limit=None)
    assert function.description == long.strip()
    assert function.edits == ()


def test_the_limit_is_8192_characters() -> None:
    """F3, T12: by default a longer description is truncated at the end of a sentence, its tags stay, and an edit says so."""
    long = "Words and words. " * 10_000
    function = made({"description": long, "tags": ["pets"]})
    prose, _, tags = function.description.partition("\n\n")
    assert 8192 - 20 < len(function.description) <= 8192
    assert (prose[-6:], tags) == ("words.", "@tag pets")
    assert [edit.kind for edit in function.edits] == ["description"]
    assert made({"description": "x" * 8192}).edits == ()


def test_a_limit_cuts_at_a_sentence_and_says_so() -> None:
    """F3: ``description_limit`` keeps whole sentences and the tags, and records the edit."""
    operation = {"description": "One sentence. Another one. A third one.", "tags": ["pets"]}
    function = made(operation, description_limit=40)
    assert function.description == "One sentence. Another one.\n\n@tag pets"
    (edit,) = function.edits
    assert (edit.pointer, edit.kind) == ("/description", "description")
    assert "40" in edit.reason


def test_what_fits_is_not_edited() -> None:
    """F3: a description of exactly the limit stays, without an edit."""
    whole = text(FULL, "/{id}")
    function = made(FULL, "/{id}", description_limit=len(whole))
    assert function.description == whole
    assert function.edits == ()
    assert made(FULL, "/{id}", description_limit=len(whole) - 1).edits


@pytest.mark.parametrize("limit", [16, 20, 40, 60, 80, 100, 120, 160, 200])
def test_tags_are_the_last_to_go(limit: int) -> None:
    """F3: as long as all tags fit they are all there, then the least telling go first."""
    found = text(FULL, "/{id}", description_limit=limit)
    assert len(found) <= limit
    lines = [line for line in found.split("\n") if line.startswith("@")]
    assert lines == TAGS[len(TAGS) - len(lines) :]
    assert len(lines) == len(TAGS) or len("\n".join(TAGS[-len(lines) - 1 :])) > limit


@given(
    st.text(max_size=80),
    st.text(max_size=200),
    st.lists(st.text(max_size=30), max_size=4),
    st.integers(16, 200),
)
def test_a_limit_is_kept(summary: str, description: str, tags: list[str], limit: int) -> None:
    """F3: whatever the texts, the description is within the limit, and an edit tells whether it was cut."""
    operation = {"summary": summary, "description": description, "tags": tags}
    whole = text(operation)
    function = made(operation, description_limit=limit)
    assert len(function.description) <= limit
    assert (function.description == whole) is (len(whole) <= limit)
    assert bool(function.edits) is (len(whole) > limit)


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ({"summary": "List  pets.\n", "description": "Other."}, "List pets."),
        ({"description": "Lists pets, e.g. cats. Others are not listed."}, "Lists pets, e.g. cats"),
        ({"description": "<p>Lists <code>pets</code>.</p> <p>More.</p>"}, "Lists pets"),
        (
            {"description": "> [!NOTE] See [the guide](https://a.example/b)! Then call."},
            "See the guide",
        ),
        ({"description": "Reads a version 1.2 of it"}, "Reads a version 1.2 of it"),
        ({}, "POST /x"),
    ],
)
def test_a_headline_is_one_sentence(operation: dict[str, Any], expected: str) -> None:
    """A line is the summary, else the first sentence of the description without markup, else the path."""
    assert headline(made(operation).route) == expected


@given(st.text(max_size=300))
def test_a_headline_is_one_line(description: str) -> None:
    """Any description gives one line that is not empty."""
    line = headline(made({"description": description}).route)
    assert line
    assert len(line.splitlines()) == 1
