"""Nothing raises, whatever Python value stands wherever: every public method of functions and of outcomes."""

import copy
import pickle
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.validation.foreign import VALUES

from specfn import Failure, Function, Options, Success, load
from specfn._internal.values import brief
from specfn.records import ArgumentProblem, Repair


def schema(**more: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"a": {"type": "string"}, "n": {"type": "integer"}},
        **more,
    }


def content(kind: str) -> dict[str, Any]:
    file = {"type": "string", "format": "binary"}
    encoded = {"type": "string", "format": "byte"}
    body = schema(
        properties={
            "a": {"type": "string"},
            "file": file,
            "files": {"type": "array", "items": file},
            "e": encoded,
        }
    )
    return {"requestBody": {"content": {kind: {"schema": body}}}}


DOCUMENT = {
    "openapi": "3.0.3",
    "info": {"title": "t", "version": "1"},
    "paths": {
        f"/p/{{id}}/{index}": {
            "post": {
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
                    {"name": "q", "in": "query", "schema": {"type": "integer"}},
                    {
                        "name": "list",
                        "in": "query",
                        "schema": {"type": "array", "items": {"type": "string"}},
                    },
                    {"name": "X-H", "in": "header", "schema": {"type": "string"}},
                    {"name": "c", "in": "cookie", "schema": {"type": "string"}},
                ],
                "responses": {"200": {"description": "ok"}},
                **content(kind),
            }
        }
        for index, kind in enumerate(
            ("application/json", "multipart/form-data", "application/octet-stream", "text/plain")
        )
    },
}

FUNCTIONS: list[Function] = [
    *load(DOCUMENT).functions,
    *load(DOCUMENT, options=Options(keyword=False)).functions,
]


def places(value: Any) -> Iterator[Any]:
    """Arguments with a value at every kind of place."""
    yield value
    yield {"id": value, "query": value, "headers": value, "cookies": value, "body": value}
    yield {"id": "x", "query": {"q": value, "list": [value, "a"], "more": value}}
    yield {"id": "x", "headers": {"X-H": value}, "cookies": {"c": value}}
    yield {"id": "x", "body": {"a": value, "n": value, "file": value, "files": [value], "e": value}}
    yield {"id": "x", "body": [[{"a": value}]], "more": {"a": {"b": value}}}
    yield ["x", {"q": value}, {"a": [value]}, value, {"c": value}, value]


def use(outcome: Any) -> None:
    """Ask an outcome for everything that it can say."""
    assert isinstance(outcome, Success | Failure)
    assert bool(outcome) is isinstance(outcome, Success)
    assert isinstance(repr(outcome), str)
    assert isinstance(str(outcome), str)
    assert isinstance(f"{outcome}", str)
    for repair in outcome.repairs:
        assert isinstance(repr(repair), str)
    if isinstance(outcome, Failure):
        assert outcome.errors
        for problem in outcome.errors:
            assert isinstance(repr(problem), str)
            assert isinstance(str(problem), str)
        text = outcome.feedback()
        assert len(text.encode()) < 8_192
        assert text.isprintable() or "\n" in text
    copy.copy(outcome)


def raised(action: Callable[[], Any]) -> str | None:
    """Return where an action raised, without showing a value: a hostile one must not be asked for its text."""
    try:
        action()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - some hostile values end the process
        last = traceback.extract_tb(error.__traceback__)[-3:]
        where = " > ".join(f"{Path(each.filename).name}:{each.lineno}" for each in last)
        return f"{type(error).__name__} at {where}"
    return None


def ways(function: Function) -> list[Callable[[Any], Any]]:
    return [function.validate, function.coerce, function.check, function.parse]


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize(
    "function", FUNCTIONS, ids=lambda each: f"{each.name}{'' if each.keyword else '()'}"
)
def test_every_value_at_every_place(function: Function, name: str) -> None:
    """V1, V9: no method of a function or of its outcome raises, whatever value stands at whichever place."""
    found = set()
    for index, _ in enumerate(places(None)):
        for way in ways(function):
            [*every] = places(VALUES[name]())
            found.add(raised(lambda w=way, v=every[index]: use(w(v))))
    assert found == {None}


def built(recipe: Any) -> Any:
    """Return a recipe with values in the place of their names: a hostile value must not be shown by Hypothesis."""
    if isinstance(recipe, list):
        return [built(each) for each in recipe]
    if isinstance(recipe, dict):
        return {name: built(each) for name, each in recipe.items()}
    return VALUES[recipe]() if recipe in VALUES else recipe


recipes = st.recursive(
    st.sampled_from([*VALUES]) | st.none() | st.text(max_size=3) | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["id", "query", "body", "a", "file", "q", "X-H"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)


@settings(max_examples=examples(100), deadline=None)
@given(recipes, st.sampled_from(FUNCTIONS), st.integers(0, 3))
def test_values_anywhere(recipe: Any, function: Function, way: int) -> None:
    """V1, V9: nor where such values are nested in each other."""
    assert raised(lambda: use(ways(function)[way](built(recipe)))) is None


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("profile", ["openai-strict", "anthropic"])
def test_every_value_restored(profile: str, name: str) -> None:
    """A provider's property names are put back without an exception, whatever value stands at whichever place."""
    tools = load(DOCUMENT).tools(profile)
    found = set()
    for tool in tools.tools:
        for index, _ in enumerate(places(None)):
            [*every] = places(VALUES[name]())
            found.add(raised(lambda t=tool, v=every[index]: tools.restore(t.name, v)))
    assert found == {None}


@pytest.mark.parametrize("name", VALUES)
def test_records_of_every_value(name: str) -> None:
    """The records that hold what was sent can be shown, whatever it is."""
    value = VALUES[name]()
    records = (
        ArgumentProblem(path="$input", expected="any", value=value),
        Repair(path="$input", kind="json", before=value, after=[value]),
        Success(data=value),
        Failure(data=value, errors=()),
    )
    assert {
        raised(lambda: brief(value)),
        *(raised(lambda r=each: repr(r)) for each in records),
    } == {None}


@settings(max_examples=examples(50), deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=40),
        lambda inner: st.lists(inner, max_size=9) | st.dictionaries(st.text(max_size=3), inner),
        max_leaves=60,
    )
)
def test_outcomes_are_pickled(value: Any) -> None:
    """An outcome on JSON is the same after pickling, absent values included."""
    for outcome in (FUNCTIONS[0].check(value), FUNCTIONS[0].check({"id": "x", "query": value})):
        again = pickle.loads(pickle.dumps(outcome))
        assert again == outcome
        assert [each.value for each in getattr(again, "errors", ())] == [
            each.value for each in getattr(outcome, "errors", ())
        ]


def test_a_lower_limit_of_digits() -> None:
    """A text of an integer is never asked for beyond the interpreter's own limit, whatever that is."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        for place in places(10**700):
            use(FUNCTIONS[0].check(place))
    finally:
        sys.set_int_max_str_digits(before)


def test_brief_is_short() -> None:
    """The text of a value is short for values of any size and depth, including endless ones."""
    knot: list[Any] = []
    knot.append(knot)
    deep: Any = 1
    for _ in range(10_000):
        deep = {"a": [deep]}
    for value in (
        knot,
        deep,
        list(range(10**6)),
        "x" * 10**6,
        {str(i): [i] * 99 for i in range(10**4)},
        10**4_000,
    ):
        assert len(brief(value)) < 1_000
    assert brief({"a": [1, None, True, 1.5, "x"]}) == "{'a': [1, None, True, 1.5, 'x']}"
