"""Parameters on the wire: the style table of OpenAPI 3.1.1, and what is beside it."""

from urllib.parse import parse_qsl, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn.http.request import style
from specfn.http.unserializable import Unserializable

# The rows of paths that no request shows, because a path has no empty value; "color" is the name.
TEXTS = [
    ("matrix", False, "", ";color"),
    ("matrix", True, "", ";color"),
    ("label", False, "", "."),
    ("label", True, "", "."),
    ("simple", False, "", ""),
    ("simple", True, "", ""),
    # null, and what holds nothing, is RFC 6570's undefined
    ("simple", False, None, ""),
    ("simple", False, [], ""),
    ("matrix", True, {}, ""),
    ("label", True, [None], ""),
]


@pytest.mark.parametrize(("name", "explode", "value", "text"), TEXTS)
def test_text_styles(name: str, value: object, text: str, *, explode: bool) -> None:
    """A path or header value is written as the style table says."""
    assert style.expand("color", value, name, style.in_path, explode=explode) == text


def test_reserved_characters_that_would_leave_their_place_are_encoded() -> None:
    """Even with allowReserved nothing can end the value, the pair or the component."""
    every = ":/?#[]@!$&'()*+,;=%"
    assert style.in_query_reserved(every, "") == ":/?%23%5B%5D@!$%26'()*%2B,;=%25"
    assert style.in_query_reserved(every, ",") == ":/?%23%5B%5D@!$%26'()*%2B%2C;=%25"
    assert style.in_path_reserved(every, "") == ":%2F%3F%23%5B%5D@!$&'()*+,;=%25"


@pytest.mark.parametrize("name", ["form", "deepObject"])
def test_a_key_never_becomes_a_value(name: str) -> None:
    """With allowReserved an equals sign stays in values, and is encoded in names and keys."""
    [(key, value)] = style.pairs("a=b", {"c=d": "e=f"}, name, style.in_query_reserved, explode=True)
    assert "=" not in key
    assert value == "e=f"
    assert style.pairs("a=b", "c", "form", style.in_query_reserved, explode=True) == [
        ("a%3Db", "c")
    ]


AMBIGUOUS = [
    ("spaceDelimited", style.in_query, ["a b"]),
    ("pipeDelimited", style.in_query, ["a|b"]),
    ("tabDelimited", style.in_query, ["a\tb"]),
    ("pipeDelimited", style.in_query, {"a|b": 1}),
    ("cookie", style.in_cookie, ["a,b"]),
    ("cookie", style.in_cookie, "a b"),
    ("cookie", style.in_cookie, 'a"b'),
    ("cookie", style.in_cookie, "a;b"),
]


@pytest.mark.parametrize(("name", "escape", "value"), AMBIGUOUS)
def test_a_value_that_would_be_read_as_several_is_refused(
    name: str, escape: style.Escape, value: object
) -> None:
    """Where a delimiter cannot be told from one in a value, nothing is sent."""
    with pytest.raises(Unserializable):
        style.pairs("color", value, name, escape, explode=False)


@pytest.mark.parametrize("value", [["b|c"], {"a": "b|c"}, {"b|c": 1}])
@pytest.mark.parametrize("explode", [False, True])
def test_a_member_in_a_path_holds_no_bar(value: object, *, explode: bool) -> None:
    """Where bars separate values in a path, exploded members are refused as all others are."""
    with pytest.raises(Unserializable):
        style.expand("x", value, "pipeDelimited", style.in_path, explode=explode)


@pytest.mark.parametrize("value", [["a,b"], {"a,b": 1}, {"a": "1,2"}])
@pytest.mark.parametrize("explode", [False, True])
def test_a_header_element_holds_no_comma(value: object, *, explode: bool) -> None:
    """Headers know no escapes, so an element with a comma is refused, and a lone value is not."""
    with pytest.raises(Unserializable):
        style.expand("h", value, "simple", style.in_header, explode=explode)
    assert style.expand("h", "a,b", "simple", style.in_header, explode=explode) == "a,b"


NOT_JSON = {
    "nan": float("nan"),
    "infinity": float("inf"),
    "object": object(),
    "key": {1: "a"},
    "set": [{1}],
    "surrogate": "\ud800",
    "surrogate key": {"\ud800": 1},
    "digits": 10**5000,
}


@pytest.mark.parametrize("value", NOT_JSON.values(), ids=NOT_JSON.keys())
def test_what_is_not_json_is_refused(value: object) -> None:
    """A value that JSON cannot say is refused, whatever the style."""
    with pytest.raises(Unserializable):
        style.pairs("a", value, "form", style.in_query, explode=True)
    with pytest.raises(Unserializable):
        style.expand("a", value, "simple", style.in_path, explode=True)


texts = st.text(st.characters(codec="utf-8"))
scalars = st.one_of(texts, st.integers(), st.booleans())


@given(value=st.lists(texts, min_size=1), name=st.text(st.characters(codec="utf-8"), min_size=1))
def test_exploded_forms_are_read_back(value: list[str], name: str) -> None:
    """What a server parses from an exploded query is the array that was given."""
    written = style.pairs(name, value, "form", style.in_query, explode=True)
    query = "&".join(f"{key}={item}" for key, item in written)
    assert parse_qsl(query, keep_blank_values=True) == [(name, item) for item in value]


@given(value=st.lists(texts, min_size=1))
def test_comma_lists_are_read_back(value: list[str]) -> None:
    """A comma in a value is encoded, so that a server which splits first gets the array back."""
    written = style.expand("a", value, "simple", style.in_path, explode=False)
    assert [unquote(part) for part in written.split(",")] == value


@given(value=st.dictionaries(texts, texts, min_size=1))
def test_forms_are_read_back(value: dict[str, str]) -> None:
    """What a server parses from form fields is the object that was given."""
    written = style.pairs("a", value, "form", style.in_form, explode=True)
    body = "&".join(f"{key}={item}" for key, item in written)
    assert dict(parse_qsl(body, keep_blank_values=True)) == value


values = st.recursive(
    st.one_of(st.none(), scalars, st.floats(allow_nan=False, allow_infinity=False)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=8,
)


@given(
    value=values,
    name=st.sampled_from(["form", "deepObject", "spaceDelimited"]),
    explode=st.booleans(),
)
def test_nothing_but_its_own_delimiters_reaches_a_query(
    value: object, name: str, *, explode: bool
) -> None:
    """No value brings a character that ends a pair, the query or the line."""
    try:
        written = style.pairs("a", value, name, style.in_query, explode=explode)
    except Unserializable:
        return
    for key, item in written:
        assert not set(key + item) & set("&=#?+/\\ \r\n\0")
        assert (key + item).isascii()
