import copy
import datetime as dt
import json
from collections import OrderedDict
from decimal import Decimal
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn.document.read import limits as plain
from specfn.document.read.limits import MAX_DEPTH, check_document, too_deep
from specfn.errors import DocumentError

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(-1e9, 1e9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
DOCUMENTS = st.dictionaries(st.text(), VALUES, max_size=4)


@given(DOCUMENTS)
def test_a_plain_document_is_handed_on(document: dict[str, Any]) -> None:
    """A dict of plain JSON is the document itself, not a copy."""
    assert check_document(document) is document


def test_integer_keys_become_text_without_touching_the_original() -> None:
    """Integer keys are text in the document; what holds none of them is shared with the original."""
    schema = {"type": "object"}
    document = {
        "paths": {
            "/a": {"get": {"responses": {200: {"schema": schema}, "default": {}}}},
            "/b": [{"x": {404: {3: [{}]}}}, schema],
        },
        1: {2: 3},
        "components": {"schemas": {"A": schema}},
    }
    before = copy.deepcopy(document)
    found = check_document(document)
    assert document == before
    assert found == {
        "paths": {
            "/a": {"get": {"responses": {"200": {"schema": schema}, "default": {}}}},
            "/b": [{"x": {"404": {"3": [{}]}}}, schema],
        },
        "1": {"2": 3},
        "components": {"schemas": {"A": schema}},
    }
    assert found["components"] is document["components"]
    assert found["paths"]["/b"][1] is schema


_KEYS = st.text("abc", min_size=1) | st.integers()


@given(
    st.recursive(
        st.none() | st.text("xy"),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
        max_leaves=15,
    )
)
def test_integer_keys_become_what_json_makes_of_them(value: Any) -> None:
    """A document with integer keys is what Python's own JSON makes of it, wherever they are."""
    document = {"a": value}
    before = copy.deepcopy(document)
    assert check_document(document) == json.loads(json.dumps(document))
    assert document == before


class Subclass(dict[str, Any]):
    pass


FOREIGN = [
    (Subclass(), "the type Subclass", ""),
    (OrderedDict(), "the type OrderedDict", ""),
    ([], "the type list", ""),
    ({"a": Subclass()}, "the type Subclass", "/a"),
    ({"a": (1, 2)}, "the type tuple", "/a"),
    ({"a": {1, 2}}, "the type set", "/a"),
    ({"a": b"x"}, "the type bytes", "/a"),
    (
        {"a/b": [dt.date(2024, 1, 1)]},
        "the type date; .* pass the text of the document to specfn.loads",
        "/a~1b/0",
    ),
    ({"a": Decimal(1)}, "the type Decimal", "/a"),
    ({"a": object()}, "the type object", "/a"),
    ({"a": float("nan")}, "found nan", "/a"),
    ({"a": [float("inf")]}, "found inf", "/a/0"),
    ({"a": 10**1001}, "more than 1,000 digits", "/a"),
    ({"a": "x\ud800"}, "surrogate", "/a"),
    ({"a": {"\udfff": 1}}, "surrogate", "/a/?"),
    ({"a": {None: 1}}, "key of the type NoneType", "/a"),
    ({"a": {True: 1}}, "key of the type bool", "/a"),
    ({"a": {1.5: 1}}, "key of the type float", "/a"),
    ({"a": {(1,): 1}}, "key of the type tuple", "/a"),
    ({"a": {200: 1, "200": 2}}, "occurs twice", "/a/200"),
]


@pytest.mark.parametrize(("document", "reason", "pointer"), FOREIGN)
def test_what_json_cannot_write_is_refused_with_its_place(
    document: Any, reason: str, pointer: str
) -> None:
    """A dict may hold plain JSON only, and the error names the place of anything else."""
    with pytest.raises(DocumentError, match=reason) as caught:
        check_document(document)
    assert caught.value.pointer == pointer


def test_a_document_that_holds_itself_is_refused() -> None:
    """A cycle is an error, not an endless walk."""
    document: dict[str, Any] = {}
    document["a"] = [document, document]
    with pytest.raises(DocumentError, match="contains itself"):
        check_document(document)


def test_shared_parts_count_wherever_they_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few objects that stand for many values are refused by what they stand for."""
    monkeypatch.setattr(plain, "MAX_NODES", 10_000)
    shared: list[Any] = [0]
    for _ in range(60):
        shared = [shared, shared]
    with pytest.raises(DocumentError, match="more than"):
        check_document({"a": shared})


def _nested(levels: int, *, lists: bool) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value] if lists else {"a": value}
    return value


@pytest.mark.parametrize("lists", [True, False])
def test_the_limit_on_depth_is_exact(*, lists: bool) -> None:
    """200 levels are not too deep, 201 are, for whichever way of measuring is taken."""
    for leaf in (1, 2**70):  # the second is one that orjson refuses for another reason
        fits, exceeds = _nested(MAX_DEPTH, lists=lists), _nested(MAX_DEPTH + 1, lists=lists)
        for value, expected in ((fits, False), (exceeds, True)):
            assert too_deep(value) is expected
            beside = {"x": leaf, **value} if isinstance(value, dict) else [leaf, *value]
            assert too_deep(beside) is expected


def test_measuring_needs_no_recursion() -> None:
    """Values far deeper than Python's own stack are measured, cycles too."""
    assert too_deep(_nested(100_000, lists=True))
    cycle: list[Any] = []
    cycle.append(cycle)
    assert too_deep(cycle)


def test_orjson_writes_as_deep_as_is_counted_on() -> None:
    """The fast way of measuring stands on orjson's limit of 254 levels."""
    orjson.dumps(_nested(plain._ORJSON_DEPTH - 1, lists=True))
    with pytest.raises(TypeError):
        orjson.dumps(_nested(plain._ORJSON_DEPTH + 1, lists=True))
