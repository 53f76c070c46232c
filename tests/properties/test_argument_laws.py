"""Laws of arguments: what a model wrote never reaches the server as another value (rules V6, V7)."""

import copy
import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from specfn import ArgumentError, Connection, Function, Options, load, request


def function(properties: dict[str, Any], **operation: Any) -> Function:
    """Return a function with a body of some properties."""
    schema = {"type": "object", "properties": properties}
    post = {
        "operationId": "send",
        "requestBody": {"content": {"application/json": {"schema": schema}}},
        "responses": {"200": {"description": "ok"}},
        **operation,
    }
    info = {"title": "t", "version": "1"}
    document = {"openapi": "3.1.0", "info": info, "paths": {"/things": {"post": post}}}
    return load(document).functions[0]


TEXT: dict[str, Any] = {"type": "string"}
TEXTS = function(
    {
        "text": TEXT,
        "texts": {"type": "array", "items": TEXT},
        "filter": {"type": "object", "properties": {"text": TEXT}},
    }
)

#: Numbers that are not written in plain digits, such as hashes.
NOTATIONS = st.one_of(
    st.builds(
        "{}{}e{}".format, st.sampled_from(["", "-"]), st.integers(0, 99_999), st.integers(0, 99)
    ),
    st.builds("{}E+{}".format, st.integers(0, 99_999), st.integers(0, 99)),
    st.builds("{}.{}".format, st.integers(0, 10**20), st.sampled_from(["0", "00", "5"])),
    st.just("-0"),
)

#: The places and the notations of a text in which a model writes a number.
WAYS = [
    lambda number: f'{{"body": {{"text": {number}}}}}',
    lambda number: f'{{"body": {{"texts": ["a", {number}]}}}}',
    lambda number: f"{{'body': {{'text': {number},}}}}",
    lambda number: f"```json\n{{body: {{text: {number}}}}}\n```",
    lambda number: json.dumps(f'{{"body": {{"text": {number}}}}}'),
    lambda number: json.dumps({"body": f'{{"text": {number}}}'}),
    lambda number: json.dumps({"body": {"filter": f'{{"text": {number}}}'}}),
    lambda number: f'{{"name": "send", "arguments": {{"body": {{"text": {number}}}}}}}',
    lambda number: json.dumps({"name": "send", "arguments": f'{{"body": {{"text": {number}}}}}'}),
]


@given(NOTATIONS, st.sampled_from(WAYS))
@example("12e34", WAYS[0])
@example("9007199254740993.0", WAYS[1])
def test_only_plain_digits_become_a_text(number: str, way: Any) -> None:
    """V7: a number with a fraction, an exponent or a negative zero never becomes a text."""
    text = way(number)
    assert not TEXTS.check(text)
    assert not TEXTS.check(text.encode())


@given(st.integers(-(10**40), 10**40), st.sampled_from(WAYS))
def test_plain_digits_become_the_same_text(number: int, way: Any) -> None:
    """V7: an integer in plain digits becomes the text of these digits, and this is recorded."""
    outcome = TEXTS.check(way(str(number)))
    assert outcome
    assert f'"{number}"' in json.dumps(outcome.data)
    assert "string" in {repair.kind for repair in outcome.repairs}


NUMBERS = function({"n": {"type": ["integer", "string", "boolean"]}, "m": TEXT})

#: Texts that a comment may hide: what stands before the mark is read as a scalar.
HIDDEN = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["2024", "12", "true", "-1.5", '"a"', "12,"]),
    st.sampled_from(["", " ", "  "]),
    st.sampled_from(["#", "//"]),
    st.text("abc xyz 019:/.-", max_size=12),
)


@given(HIDDEN, st.sampled_from(['"', "'", "”"]), st.sampled_from(["", ",", ', "m": "x"', "}"]))
@example("2024 #tag", '"', "}")
@example("12 // 5", '"', "")
def test_a_comment_never_hides_the_end_of_a_text(hidden: str, mark: str, rest: str) -> None:
    """V6: what may be a text without its opening mark is a problem, and not a number with a comment."""
    assert not NUMBERS.check(f'{{"body": {{"n": {hidden}{mark}{rest}\n}}}}')


@given(
    st.sampled_from(["5", "true", '"a"', '"it\'s // no comment"']),
    st.sampled_from(["don't ask", 'said "twice"', "five", "“so called”", "a 'small' one", "it's"]),
    st.sampled_from(["// {}\n", "# {}\n", "/* {} */", ", // {}\n", "\n// {}\n"]),
)
def test_an_ordinary_comment_is_left_out(scalar: str, comment: str, way: str) -> None:
    """V6: a comment with pairs of quotation marks or an apostrophe in a word changes nothing."""
    outcome = NUMBERS.check(f'{{"body": {{"n": {scalar}{way.format(comment)}}}}}')
    assert outcome
    assert outcome.data == {"body": {"n": json.loads(scalar)}}
    assert "comment" in {repair.kind for repair in outcome.repairs}


def test_an_integer_beyond_a_float_stays_a_number() -> None:
    """V6: where a number is expected, every notation of it is read exactly."""
    numbers = function({"n": {"type": "integer"}})
    for text in ("12e34", "9007199254740993.0", "-0"):
        assert numbers.check(f'{{"body": {{"n": {text}}}}}').data == {
            "body": {"n": int(Decimal(text))}
        }


def url_function(schema: dict[str, Any]) -> Function:
    """Return a function with one number in the path, in the query and in a header."""
    places = [("path", "p", True), ("query", "q", False), ("header", "X-N", False)]
    post = {
        "operationId": "send",
        "parameters": [
            {"in": place, "name": name, "required": required, "schema": schema}
            for place, name, required in places
        ],
        "responses": {"200": {"description": "ok"}},
    }
    info = {"title": "t", "version": "1"}
    document = {
        "openapi": "3.1.0",
        "info": info,
        "paths": {"/things/{p}": {"post": post}},
        "components": {"schemas": {"Count": {"type": "integer"}, "Counts": {"items": COUNT}}},
    }
    return load(document).functions[0]


COUNT = {"$ref": "#/components/schemas/Count"}
#: Spellings of an integer, and of a list of one.
INTEGERS = [
    url_function(schema)
    for schema in (
        {"type": "integer"},
        COUNT,
        {"allOf": [COUNT, {"minimum": -1e40}]},
        {"anyOf": [COUNT, {"type": "null"}]},
        {"oneOf": [{"type": "integer", "maximum": 5}, {"type": "integer", "minimum": 4}]},
        {"type": ["integer", "string"]},
    )
]
ITEMS = [
    url_function(schema)
    for schema in (
        {"type": "array", "items": {"type": "integer"}},
        {"type": "array", "items": COUNT},
        {"allOf": [{"$ref": "#/components/schemas/Counts"}, {"type": "array"}]},
    )
]
NUMBER = url_function({"anyOf": [COUNT, {"type": "number"}]})
CONNECTION = Connection(base_url="https://api.example.com")


@given(
    st.one_of(st.integers(-(10**24), 10**24).map(float), st.integers(-(10**17), 10**17).map(float))
)
@example(123456789012345680.0)
@example(1e23)
def test_a_whole_float_is_sent_in_digits_or_not_at_all(value: float) -> None:
    """X1: a server reads exactly the integer whose digits the float shows, else the arguments are refused."""
    functions = [
        *((function, lambda item: item) for function in INTEGERS),
        *((function, lambda item: [item]) for function in ITEMS),
    ]
    arguments = {"p": value, "query": {"q": value}, "headers": {"X-N": value}}
    assert request(NUMBER, arguments, CONNECTION)
    for function, wrap in functions:
        arguments = {
            "p": wrap(value),
            "query": {"q": wrap(value)},
            "headers": {"X-N": wrap(value)},
        }
        digits = str(int(value))
        if Decimal(repr(value)) != int(value):
            with pytest.raises(ArgumentError):
                request(function, arguments, CONNECTION)
        else:
            sent = request(function, arguments, CONNECTION)
            assert sent.url.path == f"/things/{digits}"
            assert sent.url.params["q"] == digits
            assert sent.headers["X-N"] == digits


UPDATING = st.sampled_from("update edit modify change replace set patch merge".split())
NOUN = st.sampled_from("Config Settings Dataset Role Stream Account Offset".split())


def named(place: str, name: str) -> Function:
    """Return a function of a POST with a name at one place."""
    path = f"/{name}" if place == "path" else "/things"
    post = {
        "requestBody": {
            "content": {
                "application/json": {
                    "schema": {
                        "type": "object",
                        "properties": {
                            "note": TEXT,
                            "labels": {"type": "object", "additionalProperties": TEXT},
                        },
                    }
                }
            }
        },
        "responses": {"200": {"description": "ok"}},
        **({} if place == "path" else {place: name}),
    }
    info = {"title": "t", "version": "1"}
    document = {"openapi": "3.1.0", "info": info, "paths": {path: {"post": post}}}
    return load(document).functions[0]


def keeps_null(function: Function) -> bool:
    """Return whether null for an optional property of the body is a problem, and not left out."""
    return not function.check({"body": {"note": None}})


@given(UPDATING, NOUN, st.sampled_from(["path", "operationId", "summary"]), st.integers(0, 5))
def test_a_post_whose_name_says_that_it_updates_keeps_null(
    verb: str, noun: str, place: str, way: int
) -> None:
    """V7: null may mean "clear", so it is reported and never left out."""
    low = noun.lower()
    spellings = [
        f"{verb}{noun}", f"{low}.{verb}", f"{verb}-{low}", f"{low}_{verb}", f"{verb.title()}{noun}",
        f"{low}{verb.title()}",
    ]  # fmt: skip
    name = spellings[way] if place != "summary" else f"{verb.title()} the {low}"
    assert keeps_null(named(place, name))


@given(
    UPDATING,
    NOUN,
    st.sampled_from(["create", "add", "new"]),
    st.sampled_from(["operationId", "summary"]),
)
def test_a_post_that_creates_leaves_null_out(
    verb: str, noun: str, creating: str, place: str
) -> None:
    """V7: createImageEdit creates; settings and datasets are other words than set."""
    separator = " " if place == "summary" else "_"
    assert not keeps_null(named(place, separator.join([creating, noun.lower(), verb])))
    assert not keeps_null(named(place, separator.join(["setup", noun.lower()])))
    assert not keeps_null(named(place, f"{noun}s"))


@given(st.text(min_size=1, max_size=8))
def test_a_key_of_a_map_is_never_removed(key: str) -> None:
    """V7: the model chose the key, so null there is a problem."""
    function = named("operationId", "createThing")
    outcome = function.check({"body": {"labels": {key: None}}})
    assert not outcome
    assert outcome.data == {"body": {"labels": {key: None}}}
    assert function.check({"body": {"note": None, "labels": {key: "x"}}})


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=5,
)
DATA = function({"data": {"type": ["object", "array"]}})
ENCODINGS = [
    json.dumps,
    lambda value: json.dumps(json.dumps(value)),
    lambda value: f"```json\n{json.dumps(value, indent=2)}\n```",
    lambda value: json.dumps(f"```\n{json.dumps(value)}\n```"),
]


@given(
    st.lists(VALUES, max_size=3) | st.dictionaries(st.text(max_size=3), VALUES, max_size=3),
    st.sampled_from(ENCODINGS),
)
def test_an_encoded_member_is_the_member(value: Any, encode: Any) -> None:
    """V7: JSON in a string, encoded twice or fenced, is read where no string is accepted."""
    outcome = DATA.check({"body": {"data": encode(value)}})
    assert outcome
    assert outcome.data == {"body": {"data": value}}
    assert [repair.kind for repair in outcome.repairs] == ["json"]


TAGS = function({"tags": {"type": "array", "items": TEXT}})


@given(st.text(max_size=12))
@example("a,b")
@example("None")
def test_a_text_for_an_array_is_one_item_or_a_problem(text: str) -> None:
    """V7: a text becomes the only item, the array that it is in JSON, or a problem, and never several items."""
    outcome = TAGS.check({"body": {"tags": text}})
    if outcome:
        tags = outcome.data["body"]["tags"]
        assert tags == [text] or tags == json.loads(text)
        assert "," not in text or tags != [text]


SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=5)


@given(SCALARS, SCALARS)
def test_a_key_twice_is_read_only_with_the_same_scalar(first: Any, second: Any) -> None:
    """V6: with two values, neither is chosen."""
    outcome = TEXTS.parse(f'{{"a": {json.dumps(first)}, "a": {json.dumps(second)}}}')
    is_same = type(first) is type(second) and first == second
    assert bool(outcome) is is_same
    if is_same:
        assert outcome.data == {"a": first}
        assert [repair.kind for repair in outcome.repairs] == ["repeated"]


PLACES = ("path", "query", "headers", "body")
NAMES = ("a", "b", "c", "d")


def grouped_function(places: dict[str, set[str]], *, is_open: bool, human: str = "") -> Function:
    """Return a function whose names are declared at some places, with a body that is open or closed."""
    number = {"type": "integer"}
    parameters = [
        {"name": name, "in": {"headers": "header"}.get(place, place), "required": place == "path"}
        for name, here in places.items()
        for place in here - {"body"}
    ]
    body = {name: number for name, here in places.items() if "body" in here}
    if human:
        body[human] = {**number, "x-samchon-human": True}
    schema = {"type": "object", "properties": body, "additionalProperties": is_open}
    operation = {
        "parameters": [{**parameter, "schema": number} for parameter in parameters],
        "requestBody": {"content": {"application/json": {"schema": schema}}},
        "responses": {"200": {"description": "ok"}},
    }
    path = "/x" + "".join(f"/{{{name}}}" for name, here in places.items() if "path" in here)
    info = {"title": "t", "version": "1"}
    document = {"openapi": "3.1.0", "info": info, "paths": {path: {"post": operation}}}
    options = Options(separate=lambda node: node.get("x-samchon-human") is True)
    return load(document, options=options if human else None).functions[0]


def written_at(arguments: dict[str, Any], place: str) -> dict[str, Any]:
    """Return the object of arguments that holds the keys of a place."""
    return arguments if place == "path" else arguments.setdefault(place, {})


@given(
    st.fixed_dictionaries({name: st.sets(st.sampled_from(PLACES), min_size=1) for name in NAMES}),
    st.sampled_from(NAMES),
    st.sampled_from(PLACES),
    st.booleans(),
    st.data(),
)
def test_a_key_moves_to_the_only_group_that_declares_it(
    places: dict[str, set[str]],
    name: str,
    wrong: str,
    is_open: bool,  # noqa: FBT001
    data: st.DataObject,
) -> None:
    """V7: a misplaced key moves only if one group declares it and lacks it, and never out of an open body."""
    function = grouped_function(places, is_open=is_open)
    right: dict[str, Any] = {"body": {}}
    for index, (other, here) in enumerate(places.items()):
        for place in here:
            written_at(right, place)[other] = index
    owner = data.draw(st.sampled_from(sorted(places[name])))
    sent = copy.deepcopy(right)
    value = written_at(sent, owner)[name]
    is_taken = data.draw(st.booleans())
    if not is_taken:
        del written_at(sent, owner)[name]
    if wrong in places[name]:
        return
    written_at(sent, wrong)[name] = value
    before = copy.deepcopy(sent)
    outcome = function.check(sent)
    if wrong == "body" and is_open:
        assert outcome.data == before  # whether or not something else is missing
    elif len(places[name]) == 1 and not is_taken:
        expected = {key: item for key, item in right.items() if item != {} or key in before}
        left = {key: item for key, item in outcome.data.items() if item != {}}
        assert left == {key: item for key, item in expected.items() if item != {}}
        assert {repair.kind for repair in outcome.repairs} == {"moved"}
        assert bool(outcome)
    else:
        assert not outcome
        assert outcome.data == before
    assert sent == before


@pytest.mark.parametrize("place", ["query", "path"])
def test_no_key_moves_to_the_human_part(place: str) -> None:
    """V7: a key that only the human part declares is a problem."""
    function = grouped_function({"a": {"path"}, "b": {"query"}}, is_open=False, human="c")
    sent: dict[str, Any] = {"a": 1, "query": {"b": 2}}
    written_at(sent, place)["c"] = 3
    for checked in (function, function.model_function):
        assert not checked.check(sent)
