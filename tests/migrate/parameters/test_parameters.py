import hashlib
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn import Function, Options, load
from specfn.migrate.parameters.parameters import root_keys
from specfn.migrate.parameters.reserved import is_reserved, overrides, plain

INTEGER = {"type": "integer"}
STRING = {"type": "string"}


def parameter(name: str, where: str, schema: Any = None, **rest: Any) -> dict[str, Any]:
    needed = {"required": True} if where == "path" else {}
    return {
        "name": name,
        "in": where,
        "schema": STRING if schema is None else schema,
        **needed,
        **rest,
    }


def made(
    *parameters: dict[str, Any],
    path: str = "/x",
    method: str = "get",
    options: dict[str, Any] | None = None,
    components: dict[str, Any] | None = None,
    version: str = "3.1.0",
    **operation: Any,
) -> Function:
    """The function of a document with one operation."""
    document = {
        "openapi": version,
        "info": {"title": "t", "version": "1"},
        "paths": {path: {method: {"parameters": list(parameters), **operation}}},
        "components": components or {},
    }
    application = load(document, options=Options(**options or {}))
    assert not application.errors
    return application.functions[0]


def path_keys(function: Function) -> list[tuple[str, str]]:
    return [(each.name, each.key) for each in function.route.parameters]


def members(function: Function, group: str = "query") -> list[str] | None:
    """The properties that a group has; ``None`` where there is no such group."""
    root = function.parameters["properties"]
    return list(root[group]["properties"]) if group in root else None


def notes(function: Function, *words: str) -> list[str]:
    return [note.text for note in function.notes if all(word in note.text for word in words)]


# -- R4: path parameters pair with the template by name ---------------------------------------------


def test_path_parameters_pair_by_name_not_by_order() -> None:
    """R4: the order of the declarations says nothing; the template's order stands."""
    function = made(
        parameter("b", "path", INTEGER), parameter("a", "path", STRING), path="/{a}/x/{b}"
    )
    assert path_keys(function) == [("a", "a"), ("b", "b")]
    assert [each.schema for each in function.route.parameters] == [STRING, INTEGER]
    assert function.notes == ()


@pytest.mark.parametrize(
    ("placeholder", "declared"),
    [
        ("petId", "petid"),
        ("petId", "PETID"),
        ("pet_id", "pet-id"),
        ("pet-id", "petId"),
        ("petId", "pet_id"),
        ("id", "something_else"),  # the only one left on both sides
    ],
)
def test_near_names_pair_with_a_note(placeholder: str, declared: str) -> None:
    """R4: a name that differs in case, ``-`` or ``_``, or is the only one left, pairs; a note says so."""
    function = made(parameter(declared, "path", INTEGER), path=f"/pets/{{{placeholder}}}")
    (found,) = function.route.parameters
    assert found.name == placeholder
    assert found.schema == INTEGER
    assert notes(function, repr(declared), repr(placeholder))


def test_the_only_one_left_is_what_exact_and_near_names_leave() -> None:
    """R4: exact names pair first, then near ones, then the one that is left on both sides."""
    function = made(
        parameter("other", "path", {"type": "boolean"}),
        parameter("B_B", "path", INTEGER),
        parameter("a", "path", STRING),
        path="/{a}/{bb}/{c}",
    )
    assert [each.schema for each in function.route.parameters] == [
        STRING,
        INTEGER,
        {"type": "boolean"},
    ]
    assert len(function.notes) == 2


@pytest.mark.parametrize("path", ["/users/{id}", "/users/:id"])
def test_a_parameter_that_nothing_declares_is_a_required_string(path: str) -> None:
    """R4: a placeholder or ``:id`` that nothing declares is a required string; a note names it."""
    function = made(path=path)
    (found,) = function.route.parameters
    assert (found.name, found.schema, found.required) == ("id", STRING, True)
    assert function.parameters["required"] == ["id"]
    assert notes(function, "'id' is not declared")


def test_an_exact_name_is_never_taken_by_a_near_one() -> None:
    """R4: ``petid`` is not taken for ``petId`` where the template has both."""
    function = made(
        parameter("petid", "path", INTEGER),
        parameter("petId", "path", STRING),
        path="/{petId}/{petid}",
    )
    assert [each.schema for each in function.route.parameters] == [STRING, INTEGER]
    assert function.notes == ()


def test_missing_declarations_are_required_strings() -> None:
    """R4: what the template has and no declaration does is a required string, with a note for each."""
    function = made(path="/{a}/{b}")
    assert [each.schema for each in function.route.parameters] == [STRING, STRING]
    assert function.route.keys == (("a", True), ("b", True))
    assert notes(function, "'a'")
    assert notes(function, "'b'")


def test_two_left_on_one_side_are_not_guessed() -> None:
    """R4: with two declarations left over, none is taken: the placeholder is a string, both are dropped."""
    function = made(parameter("p", "path", INTEGER), parameter("q", "path", INTEGER), path="/{a}")
    assert path_keys(function) == [("a", "a")]
    assert function.route.parameters[0].schema == STRING
    assert notes(function, "'p'", "is ignored")
    assert notes(function, "'q'", "is ignored")


def test_declared_but_not_in_the_template_is_dropped() -> None:
    """R4: a path parameter without a place in the template is dropped, with a note at its declaration."""
    function = made(parameter("a", "path"), parameter("ghost", "path"), path="/{a}")
    assert path_keys(function) == [("a", "a")]
    (note,) = function.route.notes
    assert "'ghost'" in note.text
    assert note.pointer == "/paths/~1{a}/get/parameters/1" or "parameters/1" in note.pointer


def test_repeated_placeholders_are_one_parameter() -> None:
    """R4: a placeholder that is repeated takes the same value."""
    function = made(parameter("id", "path", INTEGER), path="/{id}/copy/{id}")
    assert path_keys(function) == [("id", "id")]


def test_path_parameters_are_always_required() -> None:
    """R4: a path cannot be sent with a hole, whatever ``required`` says."""
    function = made(parameter("id", "path", required=False), path="/{id}")
    assert function.parameters["required"] == ["id"]


def test_placeholders_in_a_fixed_query_pair_with_query_declarations() -> None:
    """R3, R4: ``/search?q={q}`` with ``q`` declared ``in: query`` is one parameter with that schema."""
    function = made(parameter("q", "query", INTEGER, required=True), path="/search?q={q}")
    assert [each.schema for each in function.route.parameters] == [INTEGER]
    assert members(function) is None


def test_optional_placeholders_in_a_fixed_query_stay_optional() -> None:
    """R3, R5: ``/search?q={q}`` asks for ``q`` only where the declaration does."""
    function = made(parameter("q", "query", INTEGER), path="/search?q={q}")
    assert function.validate({})
    assert not function.validate({"q": "x"})
    assert not function.validate({"query": {"q": "x"}})


def test_a_fixed_member_of_the_query_is_not_asked_for() -> None:
    """R3: what a path key fixes is not a model's to give a second time; a note names it."""
    function = made(parameter("kind", "query"), parameter("q", "query"), path="/search?kind=a&flag")
    assert members(function) == ["q"]
    assert notes(function, "'kind'")


# -- R14: keys at the root --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("id", "id"),
        ("_id", "_id"),
        ("a" * 64, "a" * 64),
        ("pet-id", "pet_id"),
        ("pet.id", "pet_id"),
        ("$id", "_id"),
        ("2fa", "_2fa"),
        ("grüße", "gr__e"),
        ("query", "_query"),
        ("headers", "_headers"),
        ("cookies", "_cookies"),
        ("body", "_body"),
        ("Query", "Query"),
    ],
)
def test_root_keys(name: str, key: str) -> None:
    """R14: a path parameter's key is its name where that is legal, else an alias of legal characters."""
    assert root_keys([name]) == {name: key}
    function = made(parameter(name, "path"), path=f"/x/{{{name}}}")
    assert path_keys(function) == [(name, key)]


def test_long_names_get_head_and_hash() -> None:
    """R14: a name over 64 characters becomes a head and a hash that depends on the name alone."""
    name = "a" * 65
    key = root_keys([name])[name]
    assert key.startswith("aaaa")
    assert key.endswith(hashlib.sha256(name.encode()).hexdigest()[:6])
    assert len(key) == 64
    assert root_keys(["a" * 66])["a" * 66] != key


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/{a-b}/{a.b}", {"a-b": "a_b", "a.b": "_a_b"}),
        ("/{a_b}/{a-b}", {"a_b": "a_b", "a-b": "_a_b"}),
        ("/{a-b}/{a_b}", {"a-b": "_a_b", "a_b": "a_b"}),
        ("/{query}/{_query}", {"query": "__query", "_query": "_query"}),
        ("/{a-b}/{_a_b}/{a_b}", {"a-b": "__a_b", "_a_b": "_a_b", "a_b": "a_b"}),
    ],
)
def test_legal_names_keep_themselves(path: str, expected: dict[str, str]) -> None:
    """R14: a legal name is its own key in any order; it is the alias that gets ``_`` until it is free."""
    assert dict(path_keys(made(path=path))) == expected


names = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_characters="{}/?#&="), min_size=1, max_size=80),
    st.from_regex(r"[_a]{0,2}(query|body|a[-_.]b|1)", fullmatch=True),
    st.integers(60, 70).map(lambda count: "a" * count),
    st.integers(60, 66).map(lambda count: "a" * count + "-"),
)


@given(st.lists(names, max_size=8, unique=True))
def test_every_root_key_is_legal_and_its_own(wanted: list[str]) -> None:
    """R14: whatever the names, the keys are distinct identifiers within 64, and no group's."""
    keys = root_keys(wanted)
    assert set(keys) == set(wanted)
    assert len(set(keys.values())) == len(wanted)
    for name, key in keys.items():
        assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,63}", key)
        assert key not in {"query", "headers", "cookies", "body"}
        legal = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,63}", name)
        assert key == name or not legal or name in {"query", "headers", "cookies", "body"}


def test_an_alias_that_must_yield_stays_within_64() -> None:
    """R14: no key at the root is longer than 64 characters, also where an alias gets a prefix."""
    function = made(path="/{" + "a" * 63 + "_}/{" + "a" * 63 + "-}")
    keys = [key for _, key in path_keys(function)]
    assert len(set(keys)) == 2
    assert all(len(key) <= 64 for key in keys)


def test_a_path_of_taken_aliases_ends() -> None:
    """R14: a hostile path whose names are all the forms of an alias is converted like any other."""
    name = "a" * 63 + "-"
    digest = hashlib.sha256(name.encode()).hexdigest()[:6]
    taken, key = [], "a" * 63 + "_"
    while key not in taken:
        taken.append(key)
        key = f"_{key[:56]}_{digest}"
    keys = root_keys([name, *taken])
    assert len(set(keys.values())) == len(taken) + 1
    assert len(keys[name]) <= 64


def test_members_of_groups_keep_their_names() -> None:
    """R14: whatever its spelling, a query, header or cookie parameter is a member under its own name."""
    strange = ["filter[name]", "a.b", "$top", "1st", "x-y", "query", "ä"]
    function = made(*(parameter(name, "query") for name in strange))
    assert members(function) == strange


# -- R5: groups --------------------------------------------------------------------------------------


def test_groups_are_closed_objects_in_declared_order() -> None:
    """R5: query, headers and cookies each are a closed object with one property per parameter."""
    function = made(
        parameter("h", "header"),
        parameter("q2", "query"),
        parameter("c", "cookie"),
        parameter("q1", "query"),
    )
    root = function.parameters
    assert list(root["properties"]) == ["query", "headers", "cookies"]
    assert [members(function, group) for group in root["properties"]] == [
        ["q2", "q1"],
        ["h"],
        ["c"],
    ]
    assert root["additionalProperties"] is False
    assert {root["properties"][key]["additionalProperties"] for key in root["properties"]} == {
        False
    }


def test_no_group_without_parameters() -> None:
    """R5: an operation without parameters takes an empty closed object."""
    assert made().parameters == {"type": "object", "properties": {}, "additionalProperties": False}


@pytest.mark.parametrize("where", ["query", "header", "cookie"])
@pytest.mark.parametrize("required", [True, False])
def test_a_group_is_required_when_a_member_is(where: str, required: bool) -> None:  # noqa: FBT001
    """R5: a group whose members are all optional is itself optional; else both are required."""
    function = made(parameter("a", where), parameter("b", where, required=required))
    (key,) = function.parameters["properties"]
    group = function.parameters["properties"][key]
    assert function.parameters.get("required", []) == ([key] if required else [])
    assert group.get("required", []) == (["b"] if required else [])
    assert bool(function.validate({})) is not required
    assert bool(function.validate({key: {}})) is not required
    assert function.validate({key: {"b": "x"}})


def test_members_carry_schema_description_and_deprecation() -> None:
    """R5: a member has its parameter's schema, description and deprecation; its own text comes first."""
    function = made(
        parameter("a", "query", {**INTEGER, "description": "inner"}, description="outer"),
        parameter("b", "query", {**INTEGER, "description": "inner"}, deprecated=True),
    )
    found = function.parameters["properties"]["query"]["properties"]
    assert found["a"] == {"type": "integer", "description": "outer"}
    assert found["b"] == {"type": "integer", "description": "inner", "deprecated": True}


@pytest.mark.parametrize("required", [True, False, None])
def test_a_body_is_required_only_where_the_document_says_so(required: bool | None) -> None:  # noqa: FBT001
    """R5: ``required`` of a body is the document's, which defaults to false."""
    body = {
        "content": {"application/json": {"schema": {"type": "object", "required": ["a"]}}},
        **({} if required is None else {"required": required}),
    }
    function = made(method="post", requestBody=body)
    assert function.route.keys == (("body", bool(required)),)
    assert bool(function.validate({})) is not required


def test_a_body_follows_its_own_schema() -> None:
    """R5: an open body stays open, and what a closed one refuses is refused."""
    schema = {"type": "object", "properties": {"a": INTEGER}}
    opened = made(method="post", requestBody={"content": {"application/json": {"schema": schema}}})
    assert opened.validate({"body": {"a": 1, "more": [1, {}]}})
    schema = {**schema, "additionalProperties": False}
    closed = made(method="post", requestBody={"content": {"application/json": {"schema": schema}}})
    assert not closed.validate({"body": {"a": 1, "more": 2}})


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ({"queries": {}}, "$input.queries"),
        ({"query": {"other": 1}}, "$input.query.other"),
        ({"headers": {"h": "1", "Host": "evil"}}, "$input.headers.Host"),
        ({"cookies": {}}, "$input.cookies"),
        ({"body": {}}, "$input.body"),
    ],
)
def test_what_is_not_declared_is_refused(arguments: dict[str, Any], path: str) -> None:
    """R5, V2: a key that the root or a group does not have is expected to be ``undefined``."""
    function = made(parameter("q", "query"), parameter("h", "header"))
    (problem,) = function.validate(arguments).errors
    assert (problem.path, problem.expected) == (path, "undefined")


def test_examples_beside_the_schema_reach_the_model() -> None:
    """R5: an example of the Parameter Object is the schema's, where the schema has none of its own."""
    function = made(parameter("q", "query", example="red"), version="3.0.3")
    assert "red" in str(function.parameters)


# -- R6: exploded form objects are spread ------------------------------------------------------------

PLAIN: dict[str, Any] = {
    "type": "object",
    "properties": {"limit": INTEGER, "order": {"enum": ["asc", "desc"]}},
}


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"style": "form"},
        {"style": "form", "explode": True},
        {"schema": {**PLAIN, "additionalProperties": False}},
        {"schema": {"$ref": "#/components/schemas/Page"}},
        {"schema": {"allOf": [PLAIN]}},
        {"schema": {**PLAIN, "required": ["limit"]}, "required": True},
    ],
)
def test_plain_objects_are_spread(changed: dict[str, Any]) -> None:
    """R6: a plain object in exploded form style is its members, as it is on the wire."""
    function = made(
        {**parameter("page", "query", PLAIN), **changed}, components={"schemas": {"Page": PLAIN}}
    )
    assert members(function) == ["limit", "order"]
    assert function.validate({"query": {"limit": 1, "order": "asc"}})
    assert not function.validate({"query": {"limit": "1"}})
    assert not function.validate({"query": {"page": {"limit": 1}}})


@pytest.mark.parametrize(
    "changed",
    [
        {"style": "deepObject", "explode": True},
        {"style": "form", "explode": False},
        {"explode": False},
        {"style": "spaceDelimited"},
        {"style": "pipeDelimited", "explode": True},
        {"schema": {**PLAIN, "additionalProperties": True}},
        {"schema": {**PLAIN, "additionalProperties": STRING}},
        {"schema": {**PLAIN, "type": ["object", "null"]}},
        {"schema": {**PLAIN, "minProperties": 1}},
        {"schema": {**PLAIN, "maxProperties": 1}},
        {"schema": {**PLAIN, "patternProperties": {"^x": STRING}}},
        {"schema": {**PLAIN, "propertyNames": {"maxLength": 3}}},
        {"schema": {**PLAIN, "dependentRequired": {"order": ["limit"]}}},
        {"schema": {**PLAIN, "not": {"required": ["order"]}}},
        {"schema": {**PLAIN, "if": {"required": ["order"]}, "then": {"required": ["limit"]}}},
        {"schema": {**PLAIN, "unevaluatedProperties": False}},
        {"schema": {"anyOf": [PLAIN, {"type": "object", "properties": {"b": STRING}}]}},
        {"schema": {"oneOf": [PLAIN, {"type": "object", "properties": {"b": STRING}}]}},
        {"schema": {"type": "object"}},
        {"schema": {"type": "object", "properties": {}}},
        {"schema": {"type": "object", "additionalProperties": STRING}},
        {"schema": {"type": "array", "items": PLAIN}},
        {"schema": {**PLAIN, "required": ["limit"]}},  # optional, but something in it is required
        {"schema": PLAIN, "content": {"application/json": {"schema": PLAIN}}},
    ],
)
def test_everything_else_stays_under_its_own_name(changed: dict[str, Any]) -> None:
    """R6: maps, unions, nullables, counted objects, other styles and ``content`` are not spread."""
    declared = {**parameter("page", "query", PLAIN), **changed}
    if "content" in declared:
        del declared["schema"]
    assert members(made(declared)) == ["page"]


def test_nullable_objects_of_30_are_not_spread() -> None:
    """R6: ``nullable: true`` is a null that no spread object could say."""
    function = made(parameter("page", "query", {**PLAIN, "nullable": True}), version="3.0.3")
    assert members(function) == ["page"]


@pytest.mark.parametrize("where", ["header", "cookie"])
def test_only_query_objects_are_spread(where: str) -> None:
    """R6: it is a rule about query parameters."""
    assert members(made(parameter("page", where, PLAIN)), f"{where}s") == ["page"]


def test_colliding_objects_all_stay() -> None:
    """R6: where a member meets a parameter or another's member, all that collide keep their own names."""
    other = {"type": "object", "properties": {"order": STRING, "more": STRING}}
    third = {"type": "object", "properties": {"free": STRING}}
    function = made(
        parameter("page", "query", PLAIN),
        parameter("other", "query", other),
        parameter("third", "query", third),
    )
    assert members(function) == ["page", "other", "free"]
    function = made(parameter("limit", "query"), parameter("page", "query", PLAIN))
    assert members(function) == ["limit", "page"]


def test_what_stays_may_collide_in_turn() -> None:
    """R6: an object that stays under its own name counts with that name for the others."""
    function = made(
        parameter("a", "query", {"type": "object", "properties": {"x": STRING}}),
        parameter("b", "query", {"type": "object", "properties": {"x": STRING}}),
        parameter("c", "query", {"type": "object", "properties": {"a": INTEGER, "d": STRING}}),
    )
    assert members(function) == ["a", "b", "c"]


def test_an_object_with_a_member_of_its_own_name_is_spread() -> None:
    """R6: an object does not collide with itself."""
    function = made(parameter("page", "query", {"type": "object", "properties": {"page": INTEGER}}))
    assert members(function) == ["page"]
    assert function.validate({"query": {"page": 1}})


def test_a_required_object_without_required_members_leaves_the_group_optional() -> None:
    """R5, R6: a group whose members are all optional is itself optional."""
    function = made(parameter("page", "query", PLAIN, required=True))
    assert members(function) == ["limit", "order"]
    assert function.validate({})


def test_read_only_members_are_not_asked_for() -> None:
    """R6, F11: a readOnly property of a spread object is no member of the group."""
    schema = {
        "type": "object",
        "properties": {"id": {**INTEGER, "readOnly": True}, "name": STRING},
        "required": ["id"],
    }
    function = made(parameter("filter", "query", schema, required=True))
    assert members(function) == ["name"]
    assert not function.validate({"query": {"id": 1}})


# -- R7: what a model must not give ------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Accept", "accept", "Content-Type", "AUTHORIZATION"])
def test_headers_of_http_are_ignored(name: str) -> None:
    """R7: Accept, Content-Type and Authorization are not parameters, in any case; a note says so."""
    function = made(parameter(name, "header"), parameter("X-Y", "header"))
    assert members(function, "headers") == ["X-Y"]
    assert notes(function, repr(name))


def test_a_required_authorization_names_its_remedy() -> None:
    """R7: a required Authorization header leaves a note that names ``connection.headers``."""
    function = made(parameter("Authorization", "header", required=True))
    assert notes(function, "connection.headers")
    assert function.validate({})


@pytest.mark.parametrize("where", ["query", "cookie"])
def test_the_ignored_names_are_headers_only(where: str) -> None:
    """R7: a query parameter named ``Accept`` is a parameter."""
    group = {"query": "query", "cookie": "cookies"}[where]
    assert members(made(parameter("Accept", where)), group) == ["Accept"]


SCHEMES = {
    "securitySchemes": {
        "a": {"type": "apiKey", "in": "header", "name": "X-Tenant"},
        "b": {"type": "apiKey", "in": "query", "name": "sig"},
        "c": {"type": "apiKey", "in": "cookie", "name": "sid"},
        "d": {"type": "http", "scheme": "bearer", "name": "odd", "in": "query"},
    }
}


#: Names of headers in public documents that end like a credential: those that are one, and those that are not.
HEADERS_OF_CREDENTIALS = """X-Next-My-Api-Token X-Sds-Auth-Token x-access-token ev-access-token WM_SEC.ACCESS_TOKEN X-TM-ACCESS-TOKEN
    X-API-Token X-App-Token X-PROVIDER-API-AppToken X-Session-Token X-Security-Token X-Postmark-Account-Token
    X-Postmark-Server-Token Secret apiSecret ClearBlade-SystemSecret galaxy-ap-password xi-api-key trakt-api-key
    X-RapidAPI-Key X-Rapidapi-Key X-ListenAPI-Key myapikey X-User-JWT token Token X-Token x_token""".split()
OTHER_HEADERS = """X-Next-Api-Token x-amzn-client-token X-Amz-Client-Token x-next-token x-amz-bucket-object-lock-token x-amz-request-token
    Airflow-Connection-Test-Token X-Page-Token X-Continuation-Token X-CSRF-Token X-XSRF-Token X-Sds-Share-Password
    Upload-Secret X-Idempotency-API-Key Idempotency-Key X-Authentication-Provider x-fapi-auth-date X-Hub-Signature
    X-Token-Count secretary X-Passwords""".split()


@pytest.mark.parametrize(
    ("name", "where", "shown"),
    [
        ("X-Tenant", "header", False),
        ("x-tenant", "header", False),
        ("X-Tenant", "query", True),
        ("sig", "query", False),
        ("Sig", "query", False),
        ("x_tenant", "header", False),
        ("sig", "header", True),
        ("sid", "cookie", False),
        ("SID", "cookie", True),
        ("odd", "query", True),
        ("api_key", "query", False),
        ("X-Api-Key", "header", False),
        ("x_api_key", "query", False),
        ("ApiKey", "cookie", False),
        ("access_token", "query", False),
        ("auth-token", "header", False),
        ("X-Auth-Token", "header", False),
        ("client_secret", "query", False),
        ("Subscription-Key", "query", False),
        ("Ocp-Apim-Subscription-Key", "header", False),
        ("token", "query", True),
        ("page_token", "query", True),
        ("key", "query", True),
        ("password", "query", True),
        ("api_key_id", "query", True),
        *((name, "header", False) for name in HEADERS_OF_CREDENTIALS),
        *((name, "header", True) for name in OTHER_HEADERS),
        *(
            (name, "query", True)
            for name in ("X-Token", "app-secret", "user.jwt", "accessPassword")
        ),
    ],
)
def test_credentials_are_never_shown(name: str, where: str, shown: bool) -> None:  # noqa: FBT001
    """R7: what is an apiKey scheme's, or a credential by its name, is the connection's to fill."""
    function = made(parameter(name, where, required=True), components=SCHEMES)
    group = {"query": "query", "header": "headers", "cookie": "cookies"}[where]
    assert members(function, group) == ([name] if shown else None)
    assert bool(notes(function, repr(name))) is not shown
    assert bool(function.validate({})) is not shown


SIGNATURE = (
    "X-Amz-Algorithm X-Amz-Content-Sha256 X-Amz-Credential X-Amz-Date X-Amz-Expires X-Amz-Region-Set "
    "X-Amz-S3session-Token X-Amz-Security-Token X-Amz-Signature X-Amz-SignedHeaders X-Amz-Signed-Headers"
).split()


@pytest.mark.parametrize("where", ["header", "query"])
@pytest.mark.parametrize("name", SIGNATURE)
def test_a_request_signature_is_never_shown(name: str, where: str) -> None:
    """R7: every part of an AWS request signature is the connection's to fill, in any letter case."""
    for spelled in (name, name.lower(), name.upper(), name.replace("-", "_")):
        function = made(parameter(spelled, where, required=True))
        assert function.parameters["properties"] == {}
        assert "request signature" in notes(function, repr(spelled))[0]


@pytest.mark.parametrize(
    "name",
    "X-Amz-Target x-amz-acl x-amz-checksum-sha256 X-Amz-Client-Token x-amz-meta-date".split(),
)
def test_other_parameters_of_aws_are_shown(name: str) -> None:
    """R7: a parameter of the operation itself is the model's, whatever its prefix."""
    assert members(made(parameter(name, "header")), "headers") == [name]


@pytest.mark.parametrize(
    ("name", "where", "hidden", "shown"),
    [
        ("tenant", "query", {"tenant": True}, False),
        ("X-Tenant", "header", {"X-Tenant": True}, False),
        ("api_key", "query", {"api_key": False}, True),
        ("sig", "query", {"sig": False}, True),
        ("Authorization", "header", {"Authorization": False}, False),
    ],
)
def test_options_hidden_adds_and_removes(
    name: str,
    where: str,
    hidden: dict[str, bool],
    shown: bool,  # noqa: FBT001
) -> None:
    """R7: ``Options.hidden`` adds names and removes them; what OpenAPI ignores stays ignored."""
    function = made(parameter(name, where), components=SCHEMES, options={"hidden": hidden})
    group = {"query": "query", "header": "headers"}[where]
    assert members(function, group) == ([name] if shown else None)


@pytest.mark.parametrize("where", ["header", "cookie"])
@pytest.mark.parametrize(
    ("presence", "expected"),
    [("include", ["a", "b"]), ("required", ["b"]), ("omit", None)],
)
def test_options_for_headers_and_cookies(
    where: str, presence: str, expected: list[str] | None
) -> None:
    """R7: headers and cookies are shown, shown where required, or left out; a note names the option."""
    group = f"{where}s"
    function = made(
        parameter("a", where), parameter("b", where, required=True), options={group: presence}
    )
    assert members(function, group) == expected
    left_out = {"a", "b"} - set(expected or ())
    assert all(notes(function, repr(name), f"Options.{group}") for name in left_out)


def test_headers_that_differ_in_case_are_one() -> None:
    """N5, R7: header names ignore case, so two spellings are one member; the later declaration wins."""
    function = made(parameter("X-A", "header", INTEGER), parameter("x-a", "header", STRING))
    found = function.parameters["properties"]["headers"]["properties"]
    assert found == {"x-a": STRING}


@pytest.mark.parametrize(
    "broken",
    [
        {"in": "query"},
        {"name": "a"},
        {"name": True, "in": "query"},
        {"name": "a", "in": "nowhere"},
        {"name": "a", "in": "body"},
        {"name": ["a"], "in": "query"},
        {},
    ],
)
def test_what_has_no_name_or_place_is_dropped_with_a_note(broken: dict[str, Any]) -> None:
    """R1: a parameter that cannot be placed spoils nothing; a note points at it."""
    function = made(broken, parameter("q", "query"))
    assert members(function) == ["q"]
    (note,) = function.route.notes
    assert note.pointer.endswith("/parameters/0")


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("petId", "pet_id", True),
        ("pet-id", "PETID", True),
        ("a1", "a2", False),
    ],
)
def test_plain_names(left: str, right: str, same: bool) -> None:  # noqa: FBT001
    """R4, R7: names are compared without letter case and separators."""
    assert (plain(left) == plain(right)) is same


@pytest.mark.parametrize("order", [("query", "querystring"), ("querystring", "query")])
def test_what_another_takes_the_name_of_is_noted(order: tuple[str, str]) -> None:
    """R5: a whole query and a member of it have one key; the last one counts, and a note says what is lost."""
    json = {"application/json": {"schema": STRING}}
    declared = {
        "query": parameter("q", "query"),
        "querystring": {"name": "q", "in": "querystring", "content": json},
    }
    function = made(*(declared[where] for where in order), version="3.2.0")
    assert function.route.query is not None
    assert [each.location for each in function.route.query.parameters] == [order[1]]
    assert notes(function, order[0], "'q'", "dropped", order[1])


@pytest.mark.parametrize("name", ["_method", "x_method", "http_method_override", "_method\0x"])
def test_only_fields_and_headers_override(name: str) -> None:
    """X11: a field of the query or of a body can replace the method; a path parameter or a cookie of the name cannot."""
    for location in ("path", "cookie"):
        assert overrides(name, location) is None
    assert overrides(name, "query") == overrides(name, "body")


@pytest.mark.parametrize("name", ["_method\0", "_method\0 more"])
def test_a_name_ends_where_servers_end_it(name: str) -> None:
    """X11: what follows a NUL does not hide the name of an override."""
    assert overrides(name, "query") == overrides("_method", "query") == "method"


def test_arguments_may_set_accept() -> None:
    """X11: of the headers that a document does not declare as parameters, arguments may set ``Accept`` alone."""
    assert not is_reserved("Accept")
    assert not is_reserved("accept")
    for name in ("Content-Type", "Authorization", "Host"):
        assert is_reserved(name)
