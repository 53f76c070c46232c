"""T41: a number that nothing represents costs only the operations that use it, and says where it is."""

import json
import re
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import specfn
from specfn._internal.json import JSONDecodeError, loads
from specfn.cli.group import group

Json = dict[str, Any]

#: Numbers that are valid JSON, and that neither Python nor other readers of JSON represent.
NUMBERS = {
    "digits": "9" * 5000,
    "negative digits": "-" + "1" * 4301,
    "exponent": "1e999",
    "negative exponent": "-1E+400",
    "digits and a fraction": "9" * 5000 + ".5",
}

#: Parts of a schema in which a number counts. ``@`` is its place.
PARTS: dict[str, Json] = {
    "/maximum": {"type": "integer", "maximum": "@"},
    "/enum/1": {"enum": [1, "@"]},
    "/const": {"const": "@"},
    "/default": {"type": "number", "default": "@"},
    "/properties/a/items/minimum": {"properties": {"a": {"items": {"minimum": "@"}}}},
    "/examples/0/deep/0": {"examples": [{"deep": ["@"]}]},
    "/maxLength": {"type": "string", "maxLength": "@"},
}


def text_of(document: Json, number: str) -> str:
    return json.dumps(document).replace('"@"', number)


def document(**operations: Any) -> Json:
    """A document with an operation for each name."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {f"/{name}": {"post": operation} for name, operation in operations.items()},
    }


def takes(schema: Any) -> Json:
    content = {"application/json": {"schema": schema}}
    return {"requestBody": {"content": content}, "responses": {"200": {"description": "ok"}}}


def gives(schema: Any) -> Json:
    content = {"application/json": {"schema": schema}}
    return {"responses": {"200": {"description": "ok", "content": content}}}


@pytest.mark.parametrize("number", NUMBERS.values(), ids=NUMBERS)
@pytest.mark.parametrize("place", PARTS)
def test_only_the_operation_with_the_number_is_an_error(place: str, number: str) -> None:
    """The operation that contains the number is an error with the pointer of the number; the other is a function."""
    text = text_of(document(bad=takes(PARTS[place]), good=takes({"type": "integer"})), number)
    app = specfn.loads(text)
    [error] = app.errors
    at = "/paths/~1bad/post/requestBody/content/application~1json/schema" + place
    assert (error.path, error.code, error.pointer) == ("/bad", "malformed", at)
    assert [function.path for function in app] == ["/good"]
    assert [note.pointer for note in app.notes] == [at]
    assert len(str(error)) < 400
    assert bool(app["good_post"].check('{"body": 5}'))


def ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


#: Ways to a component with the number, and a way to another component.
USES: dict[str, Json] = {
    "body": takes(ref("Bad")),
    "response": gives(ref("Bad")),
    "chain": takes(ref("Chain")),
    "cycle": takes(ref("Cycle")),
    "subtype of a base": takes(ref("Base")),
    "mapping": takes(
        {"discriminator": {"propertyName": "kind", "mapping": {"x": "#/components/schemas/Bad"}}}
    ),
    "parameter": {"parameters": [{"$ref": "#/components/parameters/P"}], "responses": {}},
}

COMPONENTS: Json = {
    "schemas": {
        "Bad": {"maximum": "@"},
        "Good": {"type": "object", "properties": {"again": ref("Good")}},
        "Chain": {"properties": {"next": ref("Cycle")}},
        "Cycle": {"properties": {"back": ref("Chain"), "bad": ref("Bad")}},
        "Base": {
            "type": "object",
            "properties": {"kind": {}},
            "discriminator": {"propertyName": "kind"},
        },
        "Subtype": {"allOf": [ref("Base"), ref("Bad")]},
    },
    "parameters": {"P": {"name": "q", "in": "query", "schema": ref("Bad")}},
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_an_operation_that_refers_to_the_number_is_an_error(use: Json) -> None:
    """References, cycles, mappings and subtypes lead from an operation to the number; nothing else does."""
    built = {**document(bad=use, good=takes(ref("Good"))), "components": COMPONENTS}
    app = specfn.loads(text_of(built, "9" * 5000))
    assert [function.path for function in app] == ["/good"]
    [error] = app.errors
    assert error.pointer == "/components/schemas/Bad/maximum"


@pytest.mark.parametrize(
    "document",
    [
        {**document(good=takes({"type": "integer", "x-rate": "@"}))},
        {**document(good=takes({"type": "integer"})), "x-any": ["@"]},
        {
            **document(good=takes({"type": "integer"})),
            "components": {"schemas": {"Unused": {"maximum": "@"}}},
        },
        {**document(good=takes({"type": "integer"})), "tags": [{"name": "@"}]},
    ],
    ids=["extension of a schema", "extension of the document", "component without users", "tag"],
)
def test_a_number_that_no_operation_uses_is_a_note(document: Json) -> None:
    """A number in a part that no operation uses spoils nothing."""
    app = specfn.loads(text_of(document, "9" * 5000))
    assert (len(app), app.errors) == (1, ())
    assert len(app.notes) == 1


def test_a_path_item_behind_a_reference_is_an_error() -> None:
    """The parameters of a path item are used by each of its operations, also behind a reference."""
    item = {
        "parameters": [{"name": "q", "in": "query", "schema": {"maximum": "@"}}],
        "get": {"responses": {}},
    }
    built = document(good=takes({}))
    built["paths"]["/bad"] = {"$ref": "#/components/pathItems/Item"}
    app = specfn.loads(text_of({**built, "components": {"pathItems": {"Item": item}}}, "1e999"))
    assert [(error.path, error.method) for error in app.errors] == [("/bad", "get")]
    assert [function.path for function in app] == ["/good"]


def test_what_writes_the_whole_document_refuses_it_with_the_place() -> None:
    """The strict check, ``normalize``, ``downgrade`` and ``specfn convert`` raise a DocumentError with the pointer."""
    text = text_of(document(bad=takes({"maximum": "@"})), "9" * 5000)
    raw = specfn.loads(text).raw
    at = "/paths/~1bad/post/requestBody/content/application~1json/schema/maximum"
    for work in (
        lambda: specfn.loads(text, check="strict"),
        lambda: specfn.load(raw),
        lambda: specfn.normalize(raw),
        lambda: specfn.downgrade(raw, "3.0"),
    ):
        with pytest.raises(specfn.DocumentError) as caught:
            work()
        assert caught.value.pointer == at
    for version in ("3.0", "3.1"):
        ran = CliRunner().invoke(group, ["convert", "-", "--to", version], input=text)
        assert isinstance(ran.exception, specfn.DocumentError)
        assert at in str(ran.exception)


def test_a_number_in_another_document_is_an_error_of_its_users(tmp_path: Any) -> None:
    """Of a document in several files, only the operations that refer to the file with the number are errors."""
    (tmp_path / "other.json").write_text('{"A": {"maximum": %s}}' % ("9" * 5000))
    (tmp_path / "root.json").write_text(
        json.dumps(document(bad=takes({"$ref": "other.json#/A"}), good=takes({})))
    )
    app = specfn.load(tmp_path / "root.json", options=specfn.Options(references=str(tmp_path)))
    assert [error.path for error in app.errors] == ["/bad"]
    assert "number" in app.notes[0].text


TEXTS = st.recursive(
    st.one_of(st.text(alphabet='9"\\ e-', max_size=5), st.integers(), st.none()),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(before=TEXTS, after=TEXTS, number=st.sampled_from([*NUMBERS.values()]))
def test_the_reader_says_where_the_number_is(before: Any, after: Any, number: str) -> None:
    """Reading JSON raises nothing but ``JSONDecodeError``; its position is that of the number, not of equal digits in a string."""
    text = json.dumps([number, before, "@", after]).replace('"@"', number)
    with pytest.raises(JSONDecodeError) as caught:
        loads(text)
    assert caught.value.pos in {0, *(each.start() for each in re.finditer(re.escape(number), text))}
    if not number.strip("-0123456789"):
        assert caught.value.pos == text.rindex(number)


@given(digits=st.integers(1, 5000), sign=st.sampled_from(["", "-"]))
def test_integers_are_exact_up_to_the_limit(digits: int, sign: str) -> None:
    """An integer of at most 4,300 digits is read exactly; a longer one is an error of the text."""
    text = f"[{sign}{'7' * digits}]"
    if digits <= 4300:
        assert loads(text) == json.loads(text)
    else:
        with pytest.raises(JSONDecodeError, match="4,300"):
            loads(text)


def test_texts_beside_the_document_are_refused_in_words() -> None:
    """A lock, arguments of a model and a line of calls with such a number are errors of their texts."""
    app = specfn.load(document(good=takes({})))
    number = "9" * 5000
    with pytest.raises(specfn.UsageError, match="4,300 digits"):
        app.changes('{"version": 1, "functions": %s}' % number)  # noqa: UP031
    outcome = app["good_post"].check('{"body": %s}' % number)  # noqa: UP031
    assert isinstance(outcome, specfn.Failure)
    assert "5,000 digits" in outcome.feedback()
