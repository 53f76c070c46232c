"""Advice for a model: rename or move a property, send another alternative or another constant."""

import json
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.effort import examples

from specfn import Failure, load
from specfn._internal.pointer import input_path
from specfn.records import ABSENT, ArgumentProblem
from specfn.validation.feedback.feedback import feedback
from specfn.validation.plain_types import MAX_PROBLEMS
from specfn.validation.validate import Validator

WORDS = [
    *("amount", "billing", "currency", "delivery", "express", "figure", "gateway", "holder"),
    *("invoice", "journal", "kitchen", "ledger", "mailbox", "number", "order", "period"),
]
INTEGER = {"type": "integer"}


def closed(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }


def tree(words: list[str], depth: int, wide: int) -> dict[str, Any]:
    """Return a closed object with integers and objects, every name in it another one."""
    members: dict[str, Any] = {}
    for _ in range(wide):
        if words:
            members[f"{words.pop()}_id"] = INTEGER
    for _ in range(2 if depth else 0):
        if len(words) > 1:
            name = f"{words.pop()}_data"
            members[name] = tree(words, depth - 1, wide)
    return closed(**members)


def valid(schema: Any) -> Any:
    return {
        name: valid(inner) if "properties" in inner else 5
        for name, inner in schema["properties"].items()
    }


def leaves(value: Any, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found = []
    for name, item in value.items():
        found += leaves(item, (*path, name)) if isinstance(item, dict) else [(*path, name)]
    return found


def objects(value: Any, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    inner = [
        each
        for name, item in value.items()
        if isinstance(item, dict)
        for each in objects(item, (*path, name))
    ]
    return [path, *inner]


def at(value: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        value = value[name]
    return value


def moved(value: Any, source: tuple[str, ...], target: tuple[str, ...]) -> None:
    at(value, target[:-1])[target[-1]] = at(value, source[:-1]).pop(source[-1])


@settings(max_examples=examples(80), deadline=None)
@given(st.permutations(WORDS), st.integers(1, 2), st.integers(1, 2), st.booleans(), st.data())
def test_a_property_in_a_wrong_object_is_told_where_it_belongs(
    words: list[str],
    depth: int,
    wide: int,
    referenced: bool,  # noqa: FBT001 - Hypothesis
    data: st.DataObject,
) -> None:
    """V8: of a property moved one level up, or into an object beside or around, the target is where it was."""
    schema = tree(list(words), depth, wide)
    if referenced:
        schema = {"$ref": "#/$defs/Root", "$defs": {"Root": schema}}
    value = valid(schema.get("$defs", {}).get("Root", schema))
    home = data.draw(st.sampled_from(leaves(value)))
    parent = home[:-1]
    above = [parent[:end] for end in range(max(len(parent) - 1, 0), len(parent))]
    below = [each for each in objects(value) if each[: len(parent)] == parent and each != parent]
    assume(above or below)
    wrong = (*data.draw(st.sampled_from(above + below)), home[-1])
    moved(value, home, wrong)
    problems = Validator(schema).problems(value)
    targets = {problem.path: problem.target for problem in problems}
    assert targets == {input_path(wrong): input_path(home), input_path(home): None}
    name = ".".join(parent) or "the top level"
    assert f"move it into {name}" in feedback(value, problems)
    moved(value, wrong, home)
    assert Validator(schema).is_valid(value)


def respelled(name: str, way: str) -> str:
    first, *others = name.split("_")
    return {
        "camel": first + "".join(each.title() for each in others),
        "dash": name.replace("_", "-"),
        "upper": name.upper(),
        "typo": name[:2] + name[3:],
        "swapped": name[:1] + name[2] + name[1] + name[3:],
    }[way]


@settings(max_examples=examples(60), deadline=None)
@given(
    st.permutations(WORDS),
    st.integers(0, 2),
    st.sampled_from(["camel", "dash", "upper", "typo", "swapped"]),
    st.data(),
)
def test_a_misspelled_property_is_told_its_name(
    words: list[str], depth: int, way: str, data: st.DataObject
) -> None:
    """V8: of a property in another spelling the target is its own name, and the missing one is not asked for."""
    schema = tree(list(words), depth, 2)
    value = valid(schema)
    home = data.draw(st.sampled_from(leaves(value)))
    wrong = (*home[:-1], respelled(home[-1], way))
    assume(wrong != home)
    moved(value, home, wrong)
    problems = Validator(schema).problems(value)
    assert {each.path: each.target for each in problems} == {
        input_path(home): None,
        input_path(wrong): input_path(home),
    }
    text = feedback(value, problems)
    assert text.count("❌") == 1
    assert f"not a property here: rename it to {home[-1]}\n" in text
    assert "ask the user" not in text


@pytest.mark.parametrize(
    ("sent", "value", "meant"),
    [
        ("user", 5, "user_id"),
        ("the_user_id", 5, "user_id"),
        ("user", "x", None),
        ("account", 5, None),
        ("product", {"name": "x"}, None),
    ],
)
def test_words_in_common(sent: str, value: Any, meant: str | None) -> None:
    """V8: a required property is meant by one with its words, if it takes the value."""
    schema = closed(user_id=INTEGER, title={"type": "string"})
    problems = Validator(schema).problems({sent: value})
    [found] = [each for each in problems if each.expected == "undefined"]
    assert found.target == (f"$input.{meant}" if meant else None)


def test_an_object_under_another_name() -> None:
    """V8: the one required object that is missing is meant by an object that it takes."""
    schema = closed(input=closed(name={"type": "string"}, age=INTEGER))
    [missing, found] = Validator(schema).problems({"data": {"name": "x", "age": 5}})
    assert (missing.value, found.target) == (ABSENT, "$input.input")
    assert Validator(schema).problems({"data": {"name": 5}})[1].target is None


@pytest.mark.parametrize("home", [(), ("body",)])
@pytest.mark.parametrize("faulty", [False, True])
def test_properties_in_an_object_too_many(home: tuple[str, ...], faulty: bool) -> None:  # noqa: FBT001
    """V8: an undeclared object around declared properties is to be unwrapped."""
    inner = closed(name={"type": "string"}, age=INTEGER)
    schema = closed(body=inner) if home else inner
    data = {"name": "x", "age": "y" if faulty else 5}
    value = {"body": {"data": data}} if home else {"data": data}
    problems = Validator(schema).problems(value)
    [found] = [each for each in problems if each.expected == "undefined"]
    assert (found.target, len(problems)) == (input_path(home), 3)
    [line] = [each for each in feedback(value, problems).splitlines() if "❌" in each]
    assert line.endswith(f"move its properties up to {'body' if home else 'the top level'}")
    given = {"data": {**data, "more": 1}}
    assert [each.target for each in Validator(inner).problems(given)] == [None] * 3


CIRCLE = closed(type={"const": "circle"}, radius=INTEGER)
SQUARE = closed(type={"const": "square"}, side=INTEGER)
OPEN = {
    "type": "object",
    "properties": {"text": {"type": "string", "format": "date"}},
    "additionalProperties": False,
}
LIST = {"type": "object", "properties": {"list": {"type": "array"}}, "additionalProperties": False}


@pytest.mark.parametrize(
    ("union", "value", "said"),
    [
        ([CIRCLE, SQUARE], {"type": "circle", "radius": 1, "side": 2}, 'with type "square"'),
        ([CIRCLE, SQUARE], {"type": "square", "side": 1, "radius": 2}, 'with type "circle"'),
        ([OPEN, LIST], {"text": 5, "list": []}, "{ text?: string (date) }"),
        ([CIRCLE, {"type": "null"}], {"type": "circle", "radius": 1, "side": 2}, None),
    ],
)
@pytest.mark.parametrize("keyword", ["oneOf", "anyOf"])
def test_a_property_of_another_alternative(
    keyword: str, union: list[Any], value: Any, said: str | None
) -> None:
    """V8: a property that another alternative declares is told with that alternative."""
    problems = Validator({"properties": {"shape": {keyword: union}}}).problems({"shape": value})
    texts = [each.description or "" for each in problems]
    belongs = [text for text in texts if text.startswith("It belongs to the alternative")]
    assert belongs == ([f"It belongs to the alternative {said}."] if said else [])
    text = feedback({"shape": value}, problems)
    assert ("To use it, send that alternative" in text) is (said is not None)


def body(required: bool) -> Any:  # noqa: FBT001
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {
            "/items/{id}": {
                "put": {
                    "parameters": [
                        {"name": "id", "in": "path", "required": True, "schema": INTEGER},
                        {"name": "limit", "in": "query", "schema": INTEGER},
                    ],
                    "requestBody": {
                        "required": required,
                        "content": {
                            "application/json": {
                                "schema": closed(name={"type": "string"}, age=INTEGER, etc=INTEGER)
                            }
                        },
                    },
                    "responses": {"200": {"description": "ok"}},
                }
            }
        },
    }
    [function] = load(document).functions
    return function


def test_fields_without_their_body_are_one_line() -> None:
    """V8: fields beside the body are one line that says where they belong; the others need none."""
    sent = {"id": 1, "name": "x", "age": 5, "etc": 7}
    outcome = body(required=True).validate(sent)
    assert len(outcome.errors) == 4
    [line] = [line for line in outcome.feedback().splitlines() if "❌" in line]
    assert line == (
        '  "body": (missing) // ❌ move name, age and etc into it. Expected { name: string; age: integer; etc: integer }'
    )
    [line] = [
        line for line in body(required=False).validate(sent).feedback().splitlines() if "❌" in line
    ]
    assert line == "  // ❌ name, age and etc: not properties here: move them into body"


def test_a_property_that_is_moved_and_renamed_has_its_new_name() -> None:
    """V8: a property that belongs into a missing object under another name is named with both names."""
    body = {
        "type": "object",
        "properties": {"notification_urls": {"type": "array", "items": {"type": "string"}}},
        "required": ["notification_urls"],
    }
    operation = {
        "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
        "responses": {"200": {"description": "ok"}},
    }
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/watches": {"post": operation}},
    }
    checked = load(document)["watches_post"].check({"urls": ["a"]})
    assert isinstance(checked, Failure)
    assert "❌ move urls, as notification_urls, into it." in checked.feedback()


def test_properties_that_do_not_belong_are_one_line() -> None:
    """V8: properties of one object that have no place are one line."""
    sent = {"id": 1, "body": {"name": "x", "age": 5, "etc": 7, "foo": 1, "bar": 2}, "qux": 3}
    text = body(required=True).check(sent).feedback()
    lines = [line.strip() for line in text.splitlines() if "❌" in line]
    assert lines == [
        "// ❌ foo and bar: not properties here; the properties are name, age and etc",
        '"qux": 3 // ❌ not a property here; the properties are id, query and body. query has limit. body has name, age and etc',
    ]
    assert '"foo"' not in text


@pytest.mark.parametrize("text", ["", " \n", b""])
def test_empty_text(text: Any) -> None:
    """V8: of an empty text, what is missing is told; no empty object is suggested where that is no call."""
    outcome = body(required=True).check(text)
    assert [each.path for each in outcome.errors] == ["$input.id", "$input.body"]
    said = outcome.feedback()
    assert said.startswith("The arguments are invalid.\nThe text was empty.\n")
    assert "{}" not in said
    assert [repair.kind for repair in outcome.repairs] == ["empty"]


@pytest.mark.parametrize("text", ["I need the id first.", "f(id=1)", "id: 1"])
def test_text_without_an_object(text: str) -> None:
    """V8: of a text without a JSON object, the missing arguments are told; if none is missing, what the text is."""
    outcome = body(required=True).check(text)
    assert [error.path for error in outcome.errors] == ["$input.id", "$input.body"]
    assert "\nNo JSON object was found in the text.\n" in outcome.feedback()
    assert [repair.kind for repair in outcome.repairs] == ["no_object"]
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/items": {"get": {"responses": {"200": {"description": "ok"}}}}},
    }
    [function] = load(document).functions
    assert (
        "No JSON object was found. Write the arguments in { }." in function.check(text).feedback()
    )


@pytest.mark.parametrize("key", ["tool", "function", "action"])
def test_the_name_of_the_function_beside_its_arguments(key: str) -> None:
    """V8: beside a wrapper, the name of the function is to be left out, and the arguments are to be moved up."""
    sent = {key: "put it", "args": {"id": 1, "body": {"name": "x", "age": 5, "etc": 7}}}
    text = body(required=True).check(sent).feedback()
    lines = [line.strip() for line in text.splitlines() if "❌" in line]
    assert (
        lines[0] == f'"{key}": "put it", // ❌ It names the function, not an argument: leave it out'
    )
    assert lines[1].endswith("not a property here: move its properties up to the top level")
    assert "did not ask" not in text


@pytest.mark.parametrize("count", [3, 60, 1_500])
def test_the_closest_constant(count: int) -> None:
    """V8: for a long enum, the most similar member is named."""
    members = [f"value {index} of many" for index in range(count)]
    schema = {"enum": [*members, "consumer electronics", 7, None]}
    for sent in ("Consumer Electronic", "electronics", "consumer_electronics"):
        [found] = Validator(schema).problems(sent)
        assert (found.description == 'The closest is "consumer electronics".') is (count > 3)
    assert Validator(schema).problems("zzzz")[0].description is None
    assert Validator(schema).problems(8)[0].description is None


def test_names_that_are_listed() -> None:
    """V8: if only some names are allowed, the most similar one is the target."""
    schema = {"propertyNames": {"enum": ["summer_sale", "winter_sale"]}}
    [found] = Validator(schema).problems({"Summer sale": 1})
    assert found.target == "$input.summer_sale"
    assert "rename it to summer_sale" in feedback({"Summer sale": 1}, [found])


def test_only_what_is_shown_is_described() -> None:
    """V8: a sentence with names is composed for the problems that a model reads, a constant one for the others."""
    schema = {"properties": {"a": {}}, "additionalProperties": False}
    found = Validator(schema).problems({f"x{index}": 1 for index in range(100)})
    descriptions = [problem.description for problem in found]
    assert (
        descriptions[:MAX_PROBLEMS]
        == ["There is no such property; the only property is a."] * MAX_PROBLEMS
    )
    assert set(descriptions[MAX_PROBLEMS:]) == {"There is no such property."}


def test_paths_of_targets_follow_their_problems() -> None:
    """F4: where arguments are a list, targets are positions as paths are."""
    found = ArgumentProblem(path="$input.a", expected="undefined", target="$input.b.a")
    assert (
        found.rewritten(lambda path: path.replace("$input.b", "$input[1]")).target == "$input[1].a"
    )
    assert str(found) == "$input.a: not allowed here; did you mean $input.b.a?"


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"Year": 1}, "expected integer. You sent Year: rename it"),
        ({"yaer": 1}, "expected integer. You sent yaer: rename it"),
        ({"yaer": 1, "title": "x"}, "expected integer. You sent yaer: rename it"),
        ({"month": 1}, "expected integer"),
        ({"years": 1}, "expected integer"),
        ({}, "expected integer"),
    ],
)
def test_a_misspelled_property_of_an_open_object_is_named(sent: Any, said: str) -> None:
    """V8: a missing property names the undeclared one that is probably meant, although its object allows any; a declared one is never meant."""
    properties = {
        "year": {"type": "integer"},
        "title": {"type": "string"},
        "years": {"type": "integer"},
    }
    schema = {"type": "object", "properties": properties, "required": ["year"]}
    operation = {
        "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}},
        "responses": {"200": {"description": "ok"}},
    }
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/books": {"post": operation}},
    }
    for text in (json.dumps({"body": sent}), {"body": sent}):
        checked = load(document)["books_post"].check(text)
        assert isinstance(checked, Failure)
        assert f'"year": (missing) // ❌ {said}\n' in checked.feedback()
