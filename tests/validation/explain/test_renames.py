"""Advice never leads to a wrong call: renames have evidence, and no value that a user may want is to be removed."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn import Function, load
from specfn.validation.feedback.feedback import feedback
from specfn.validation.validate import Validator

TEXT = {"type": "string"}
DATE = {"type": "string", "format": "date"}
STATE = {"enum": ["open", "closed"]}


def advised(properties: dict[str, Any], sent: dict[str, Any], *required: str) -> str | None:
    """Return the name that the only undeclared property is to have."""
    schema = {"properties": properties, "required": [*required], "additionalProperties": False}
    problems = Validator(schema).problems(sent)
    [unknown] = [problem for problem in problems if problem.expected == "undefined"]
    return None if unknown.target is None else unknown.target.removeprefix("$input.")


@pytest.mark.parametrize(
    ("sent", "declared"),
    [
        ("priority", "prio"),
        ("due_date", "due"),
        ("status", "state"),
        ("title", "ttl"),
        ("assignee", "asgn"),
        ("project", "proj_key"),
        ("identifier", "id"),
        ("name", "sku_name"),
        ("qty", "quantity"),
        ("perPage", "limit"),
        ("organization_id", "company_id"),
        ("lt_views", "views_lt"),
    ],
)
def test_a_rename_that_a_person_sees_at_once(sent: str, declared: str) -> None:
    """V8: an abbreviation, a synonym and a part of a name are advised as a question, if the value is valid there."""
    assert advised({declared: TEXT, "zone": TEXT}, {sent: "x"}) == declared
    assert advised({declared: {"type": "integer"}, "zone": TEXT}, {sent: "x"}) is None
    schema = {"properties": {declared: TEXT}, "additionalProperties": False}
    text = feedback({sent: "x"}, Validator(schema).problems({sent: "x"}))
    assert f"not a property here: did you mean {declared}?\n" in text


@pytest.mark.parametrize(
    ("sent", "declared"),
    [
        ("lt_views", "gt_views"),
        ("min_price", "max_price"),
        ("start_date", "end_date"),
        ("line1", "line2"),
        ("pos_x", "pos_y"),
        ("description", "name"),
        ("count", "country"),
        ("form", "format"),
        ("billing_address", "shipping_address"),
        ("start_time", "skip"),
        ("limit", "file_size"),
        ("room", "room_participant_id"),
        ("user_group", "user"),
    ],
)
def test_names_that_only_look_alike(sent: str, declared: str) -> None:
    """V8: neither opposites nor words of other meanings are advised."""
    assert advised({declared: TEXT}, {sent: "x"}) is None
    assert advised({declared: TEXT}, {sent: "x"}, declared) is None


def test_a_name_that_says_more_means_a_required_property() -> None:
    """V8: `company_name` may be another thing than `name`, unless `name` is missing and required."""
    assert advised({"name": TEXT}, {"company_name": "x"}) is None
    assert advised({"name": TEXT}, {"company_name": "x"}, "name") == "name"


def test_two_candidates_are_none() -> None:
    """V8: of several properties that a name may mean none is advised, also if the others are given."""
    both = {"first_name": TEXT, "last_name": TEXT}
    assert advised(both, {"name": "x"}) is None
    assert advised(both, {"name": "x", "first_name": "y"}) is None
    assert advised(both, {"firstname": "x", "first_name": "y"}) is None


@pytest.mark.parametrize(
    ("properties", "value", "meant"),
    [
        ({"phase": STATE, "note": TEXT}, "open", "phase"),
        ({"phase": STATE, "note": TEXT}, "OPEN", "phase"),
        ({"phase": STATE, "other": STATE}, "open", None),
        ({"phase": STATE}, "broken", None),
        ({"note": TEXT}, "open", None),
        ({"day": DATE}, "2024-01-31", None),
    ],
)
def test_a_value_that_only_one_property_lists(
    properties: dict[str, Any], value: str, meant: str | None
) -> None:
    """V8: a constant of one free property identifies it; a free text or a date identifies nothing."""
    assert advised(properties, {"foo": value}) == meant


def test_an_argument_beside_a_missing_one_stays_there() -> None:
    """V8: what may be a missing required argument is not to be moved into another object."""
    inner = {"properties": {"id": TEXT}}
    schema = {"file_id": TEXT, "body": inner}
    assert advised(schema, {"id": "x"}, "file_id") == "file_id"
    assert advised({**schema, "team_id": TEXT}, {"id": "x"}, "file_id", "team_id") is None
    assert advised(schema, {"id": "x", "file_id": "y"}, "file_id") == "body.id"


WORDS = ["amount", "billing", "currency", "delivery", "express", "figure", "gateway", "holder"]


@given(st.permutations(WORDS), st.integers(0, 7), st.randoms(use_true_random=False))
def test_advice_points_at_the_property_that_was_meant(
    words: list[str], given_count: int, chance: random.Random
) -> None:
    """V8: of a damaged name the advice is the name itself or none, never another property or a given one."""
    names = [f"{word}_{chance.choice(['id', 'name', 'count'])}" for word in words]
    meant = names[-1]
    at = chance.randrange(len(meant))
    damaged = chance.choice(
        [
            meant[:at] + meant[at + 1 :],
            meant[:at] + chance.choice("aeinrst") + meant[at:],
            meant[: chance.randint(3, 6)],
            "".join(letter for letter in meant if letter not in "aeiou"),
            meant.split("_")[0],
        ]
    )
    sent = dict.fromkeys([*names[:given_count], damaged], "x")
    if damaged not in names and len(sent) == given_count + 1:
        assert advised(dict.fromkeys(names, TEXT), sent) in (None, meant)


def test_a_rename_in_a_group_of_arguments() -> None:
    """V8: at the root, the groups of arguments are searched, too; a group that has the name already is not meant."""
    schema = {
        "id": TEXT,
        "query": {"properties": {"state": STATE, "since": DATE}},
        "body": {"properties": {"note": TEXT}},
    }
    sent = {"id": "x", "status": "open"}
    assert advised(schema, sent) == "query.state"
    assert advised(schema, {**sent, "query": {"state": "closed"}}) is None
    assert advised(schema, {"id": "x", "status": "broken"}) is None


def function(method: str, *, body: bool = False) -> Function:
    content = {"application/json": {"schema": {"properties": {"state": STATE, "at": DATE}}}}
    content["application/json"]["schema"]["additionalProperties"] = False
    content["application/json"]["schema"]["properties"]["made"] = {**DATE, "readOnly": True}
    operation = {
        "parameters": [{"name": "gt_views", "in": "query", "schema": {"type": "integer"}}],
        "responses": {"200": {"description": "ok"}},
        **({"requestBody": {"content": content}} if body else {}),
    }
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/records": {method: operation}},
    }
    [only] = load(document).functions
    return only


@pytest.mark.parametrize(
    ("method", "has_body", "arguments", "warns"),
    [
        ("delete", False, {"query": {"lt_views": 2}}, True),
        ("delete", False, {"lt_views": 2}, True),
        ("put", True, {"query": {"lt_views": 2}}, True),
        ("patch", True, {"body": {"lt_views": 2}}, False),
        ("get", False, {"query": {"lt_views": 2}}, False),
    ],
)
@pytest.mark.parametrize("check", ["check", "coerce", "validate"])
def test_a_filter_is_never_to_be_left_out(
    method: str,
    has_body: bool,  # noqa: FBT001
    arguments: dict[str, Any],
    warns: bool,  # noqa: FBT001
    check: str,
) -> None:
    """V8: an undeclared filter of a function that changes data ends in the user's hands, not in a call without it."""
    text = getattr(function(method, body=has_body), check)(arguments).feedback()
    assert ("Without it, the call may affect more" in text) is warns
    assert "Leave a property out only if the user did not ask for it" in text
    assert "emove" not in text


def test_only_what_the_server_sets_is_to_be_removed() -> None:
    """V8: removal is asked only of a read-only property."""
    sent = {"body": {"made": "2024-01-31", "closed": True}}
    text = function("patch", body=True).validate(sent).feedback()
    assert '"made": "2024-01-31", // ❌ The server sets this property. Remove it\n' in text
    assert text.count("emove") == 1


OPPOSITES = [("min", "max"), ("start", "end"), ("before", "after"), ("include", "exclude")]


@given(
    st.sampled_from([*OPPOSITES, *(pair[::-1] for pair in OPPOSITES)]),
    st.sampled_from(WORDS),
    st.sampled_from(["{side}_{word}", "{word}_{side}", "{word}_{side}_id", "{side}{Word}"]),
    st.booleans(),
)
def test_opposites_are_never_advised(
    pair: tuple[str, str],
    word: str,
    shape: str,
    required: bool,  # noqa: FBT001 - Hypothesis
) -> None:
    """V8: a name is never advised for its opposite, wherever the words stand, even if it is missing and required."""
    sent, declared = (shape.format(side=side, word=word, Word=word.title()) for side in pair)
    assert advised({declared: TEXT}, {sent: "x"}, *([declared] if required else [])) is None
