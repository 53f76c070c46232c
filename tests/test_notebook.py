import re
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strict_shop.shop_document import text

from specfn import Application, Failure, Result, Success, load
from specfn.calling import Answer, CallRecord, Outcome
from specfn.invocation.pages import Page
from specfn.notebook import Table, html
from specfn.records import ArgumentProblem, Note, Repair

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\u202e\x1b[2J\"'&amp;" + "x" * 5_000
TAGS = set("div p b pre details summary table thead tbody tr th td".split())


class Checker(HTMLParser):
    """A parser that collects elements, attributes and texts, and checks that every element is closed."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: list[Any] = []
        self.opened: list[str] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert self.opened == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs
        self.opened.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.opened.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def checked(value: Any) -> Checker:
    """Return the parsed HTML of an object, which contains only known elements without attributes."""
    found = Checker(value if isinstance(value, str) else value._repr_html_())
    assert found.tags <= TAGS
    assert found.attributes == []
    assert not re.search("[\x00-\x08\x0b-\x1f\u202e]", "".join(found.texts))
    return found


@pytest.fixture(scope="module")
def application() -> Application:
    """An application with hostile texts, 60 functions and 60 operations that are not functions."""
    operation = {
        "summary": HOSTILE,
        "description": HOSTILE,
        "tags": [HOSTILE],
        "parameters": [
            {
                "name": HOSTILE[:60],
                "in": "query",
                "description": HOSTILE,
                "schema": {"enum": [HOSTILE]},
            }
        ],
    }
    good = {f"/{HOSTILE[:25]}{number}": {"get": operation} for number in range(60)}
    bad = {f"{HOSTILE[:25]}{number}": {"get": operation} for number in range(60)}
    return load({"openapi": "3.1.0", "paths": {**good, **bad}})


def test_objects_are_escaped_and_bounded(application: Application) -> None:
    """Whatever a document, a model or a server writes, the HTML is text in a known structure of a limited size."""
    function = application.functions[0]
    problem = ArgumentProblem(path=HOSTILE, expected=HOSTILE, value=HOSTILE, description=HOSTILE)
    call = CallRecord(id=HOSTILE, round=0, called=HOSTILE, errors=(HOSTILE,), result=HOSTILE)
    outcome = Outcome(text=HOSTILE, calls=(call,) * 200, stopped="model_text")
    failure = Failure(data={HOSTILE: HOSTILE}, errors=(problem,) * 200)
    note = Note(pointer=HOSTILE, text=HOSTILE)
    result = Result(status=200, media_type=HOSTILE, data={HOSTILE: HOSTILE}, notes=(note,) * 200)
    answer = Answer(text=HOSTILE, kind="answered", result=result, next={HOSTILE: HOSTILE})
    repair = Repair(path=HOSTILE, kind=HOSTILE, before=HOSTILE, after=[HOSTILE])
    success = Success(data={HOSTILE: HOSTILE}, repairs=(repair,) * 200)
    for each in (result, answer, success):
        checked(each)
        assert len(each._repr_html_()) < 120_000
    for each in (application, function, failure, outcome, application.tools("mcp")):
        text = each._repr_html_()  # type: ignore[attr-defined]
        checked(text)
        assert len(text) < 120_000
        assert len(repr(each)) < 1_500


def test_the_texts_are_those_of_the_object(products: Application) -> None:
    """Functions, problems, calls and tools are in the HTML of their owner."""
    tools = products.tools("openai")
    failure = products["orders_post"].validate({"body": {"lines": "many"}})
    assert not failure
    call = CallRecord(
        id="1", round=0, called="orders_get", function="orders_get", executed=True, status=200
    )
    outcome = Outcome(text="Done.", calls=(call,), stopped="model_text", rounds=2)
    for value, texts in (
        (products, ["orders_post", "POST /orders", "write", "Place an order"]),
        (products["orders_post"], [products["orders_post"].description[:100]]),
        (tools, ["orders_post", str(tools.tools[0].tokens)]),
        (failure, ["$input.body.lines"]),
        (outcome, ["Done.", "orders_get", "HTTP 200"]),
        (Answer(text="one\ntwo", kind="invalid"), ["invalid", "one\ntwo"]),
        (Result(status=404, data={"detail": "gone"}), ["404", '"detail":"gone"']),
        (products["orders_get"].check('{"query": {"limit": "5",}}'), ["$input.query.limit", "'5'"]),
    ):
        found = "\n".join(checked(value).texts)
        assert [text for text in texts if text not in found] == []


@pytest.fixture(scope="module")
def products() -> Application:
    """The application of the shop."""
    return load(text())


def test_reprs_are_short(products: Application) -> None:
    """The ``repr`` of each object is one line with its counts."""
    tools = products.tools("openai")
    assert repr(products) == "<Application of 21 functions, 0 errors>"
    assert repr(products["orders_get"]) == "<Function orders_get: GET /orders>"
    assert repr(tools) == f"<Tools of 21 functions for openai, about {tools.tokens:,} tokens>"
    assert repr(tools.tools[0]).startswith("<Tool products_get, about ")
    calls = (
        CallRecord(id="c1", round=0, called="a", function="a", executed=True, data="x" * 9_999),
    )
    assert repr(calls[0]) == "<CallRecord 'c1': a, sent>"
    outcome = Outcome(text="Done.", calls=calls, stopped="model_text", rounds=2)
    assert repr(outcome) == "<Outcome model_text: 1 call, 2 requests to the model, text 'Done.'>"


def test_a_function_with_a_fault_has_html() -> None:
    """A function that cannot be sent shows its fault."""
    content = {"text/plain; charset=nothing": {"schema": {"type": "string"}}}
    app = load(
        {"openapi": "3.1.0", "paths": {"/a": {"post": {"requestBody": {"content": content}}}}}
    )
    assert "Fault" in checked(app.functions[0]).texts


@given(st.text(), st.lists(st.lists(st.text(), min_size=2, max_size=2), max_size=9))
def test_html_is_text_in_known_elements(text: str, rows: list[list[str]]) -> None:
    """Any text is shown as text: parsed, it is the text without invisible characters."""
    found = checked(html(text, text=text, tables=[Table(text, (text, text), rows, len(rows))]))
    visible = re.sub(r"[ \t\n]", "", text)
    if visible.isprintable() and len(text) < 100:
        assert re.sub(r"[ \t\n]", "", "".join(found.texts)).startswith(visible)


#: JSON values with many members, long texts and deep nesting.
LARGE = st.recursive(
    st.text(min_size=50).map(lambda text: text * 20),
    lambda below: (
        st.lists(below, min_size=1).map(lambda items: items * 20)
        | st.dictionaries(st.text(max_size=5), below, min_size=1)
    ),
    max_leaves=8,
)


@given(data=LARGE)
def test_the_repr_of_a_record_with_data_is_short(data: Any) -> None:
    """Every record of a response or of arguments has a repr on one line that is bounded, whatever its data."""
    result = Result(status=200, media_type="application/json", data=data)
    answer = Answer(text=str(data), kind="answered", result=result, next={"query": data})
    page = Page(items=[data] * 50, result=result, next=data)
    for record in (result, answer, page, Success(data=data), Failure(errors=(), data=data)):
        shown = repr(record)
        assert shown.startswith(type(record).__name__)
        assert len(shown) < 2_500
        assert shown.isprintable()
