"""Parameters on the wire: the style table of OpenAPI 3.1.1, and what is beside it."""

from urllib.parse import parse_qsl, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn.http.request import style
from specfn.http.unserializable import Unserializable

STRING = "blue"
ARRAY = ["blue", "black", "brown"]
OBJECT = {"R": 100, "G": 200, "B": 150}

# OpenAPI 3.1.1, section "Style Examples", the rows of paths and headers; "color" is the name.
TEXTS = [
    ("matrix", False, "", ";color"),
    ("matrix", False, STRING, ";color=blue"),
    ("matrix", False, ARRAY, ";color=blue,black,brown"),
    ("matrix", False, OBJECT, ";color=R,100,G,200,B,150"),
    ("matrix", True, "", ";color"),
    ("matrix", True, STRING, ";color=blue"),
    ("matrix", True, ARRAY, ";color=blue;color=black;color=brown"),
    ("matrix", True, OBJECT, ";R=100;G=200;B=150"),
    ("label", False, "", "."),
    ("label", False, STRING, ".blue"),
    ("label", False, ARRAY, ".blue,black,brown"),
    ("label", False, OBJECT, ".R,100,G,200,B,150"),
    ("label", True, "", "."),
    ("label", True, STRING, ".blue"),
    ("label", True, ARRAY, ".blue.black.brown"),
    ("label", True, OBJECT, ".R=100.G=200.B=150"),
    ("label", True, [1.5, "a.b"], ".1%2E5.a%2Eb"),
    ("label", False, [1.5, "a.b"], ".1.5,a.b"),
    ("simple", False, "", ""),
    ("simple", False, STRING, "blue"),
    ("simple", False, ARRAY, "blue,black,brown"),
    ("simple", False, OBJECT, "R,100,G,200,B,150"),
    ("simple", True, "", ""),
    ("simple", True, STRING, "blue"),
    ("simple", True, ARRAY, "blue,black,brown"),
    ("simple", True, OBJECT, "R=100,G=200,B=150"),
    # Swagger 2.0's collectionFormat in a path: csv is simple, the others have their own delimiters.
    ("spaceDelimited", False, ARRAY, "blue%20black%20brown"),
    ("pipeDelimited", False, ARRAY, "blue%7Cblack%7Cbrown"),
    ("tabDelimited", False, ARRAY, "blue%09black%09brown"),
    # null, and what holds nothing, is RFC 6570's undefined
    ("simple", False, None, ""),
    ("simple", False, [], ""),
    ("matrix", True, {}, ""),
    ("label", True, [None], ""),
    ("simple", False, ["a", None, "b"], "a,b"),
    ("simple", True, {"a": None, "b": 1}, "b=1"),
    ("matrix", True, ["", "a"], ";color;color=a"),
    # a style that belongs elsewhere is read as simple
    ("form", False, ARRAY, "blue,black,brown"),
]

# The rows of queries and cookies. What the table calls "n/a" is written as its closest neighbor.
QUERIES = [
    ("form", False, "", "color="),
    ("form", False, STRING, "color=blue"),
    ("form", False, ARRAY, "color=blue,black,brown"),
    ("form", False, OBJECT, "color=R,100,G,200,B,150"),
    ("form", True, "", "color="),
    ("form", True, STRING, "color=blue"),
    ("form", True, ARRAY, "color=blue&color=black&color=brown"),
    ("form", True, OBJECT, "R=100&G=200&B=150"),
    ("spaceDelimited", False, ARRAY, "color=blue%20black%20brown"),
    ("spaceDelimited", False, OBJECT, "color=R%20100%20G%20200%20B%20150"),
    ("pipeDelimited", False, ARRAY, "color=blue%7Cblack%7Cbrown"),
    ("pipeDelimited", False, OBJECT, "color=R%7C100%7CG%7C200%7CB%7C150"),
    ("tabDelimited", False, ARRAY, "color=blue%09black%09brown"),
    ("deepObject", True, OBJECT, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"),
    # n/a in the table
    ("spaceDelimited", False, STRING, "color=blue"),
    ("spaceDelimited", True, ARRAY, "color=blue&color=black&color=brown"),
    ("pipeDelimited", True, OBJECT, "R=100&G=200&B=150"),
    ("deepObject", True, STRING, "color=blue"),
    ("deepObject", False, OBJECT, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"),
    ("deepObject", True, ARRAY, "color%5B0%5D=blue&color%5B1%5D=black&color%5B2%5D=brown"),
    ("simple", False, ARRAY, "color=blue,black,brown"),
    # deeper than the table goes
    (
        "deepObject",
        True,
        {"a": {"b": [1, {"c": True}]}},
        "color%5Ba%5D%5Bb%5D%5B0%5D=1&color%5Ba%5D%5Bb%5D%5B1%5D%5Bc%5D=true",
    ),
    ("deepObject", True, {"a": None, "b": [], "c": ""}, "color%5Bc%5D="),
    ("form", True, {"tags": ["a", "b"], "x": {"y": 1}}, "tags=a&tags=b&x=%7B%22y%22%3A1%7D"),
    ("form", False, [[1, 2], {"a": "b"}], "color=%5B1%2C2%5D,%7B%22a%22%3A%22b%22%7D"),
    ("form", True, None, ""),
    ("form", True, [], ""),
    ("form", False, [], ""),
    ("form", False, {}, ""),
    ("form", False, ["a", None], "color=a"),
    ("form", True, [None, "a"], "color=a"),
    # numbers and booleans as JSON writes them, without a fraction that is none
    (
        "form",
        True,
        [True, 12.0, 0.1, 1e-07, -3, 2**70],
        "color=true&color=12&color=0.1&color=1e-7&color=-3&color=1180591620717411303424",
    ),
]


@pytest.mark.parametrize(("name", "explode", "value", "text"), TEXTS)
def test_text_styles(name: str, value: object, text: str, *, explode: bool) -> None:
    """A path or header value is written as the style table says."""
    assert style.expand("color", value, name, style.in_path, explode=explode) == text


@pytest.mark.parametrize(("name", "explode", "value", "query"), QUERIES)
def test_pair_styles(name: str, value: object, query: str, *, explode: bool) -> None:
    """A query value is written as the style table says."""
    written = style.pairs("color", value, name, style.in_query, explode=explode)
    assert "&".join(f"{key}={item}" for key, item in written) == query


# Swagger 2.0, "collectionFormat", as the styles that it becomes.
COLLECTIONS = [
    ("csv", "form", False, "ids=1,2,3"),
    ("ssv", "spaceDelimited", False, "ids=1%202%203"),
    ("tsv", "tabDelimited", False, "ids=1%092%093"),
    ("pipes", "pipeDelimited", False, "ids=1%7C2%7C3"),
    ("multi", "form", True, "ids=1&ids=2&ids=3"),
]


@pytest.mark.parametrize(("collection", "name", "explode", "query"), COLLECTIONS)
def test_collection_formats(collection: str, name: str, query: str, *, explode: bool) -> None:
    """Each collectionFormat of Swagger 2.0 has a style that writes the same query."""
    assert collection
    written = style.pairs("ids", [1, 2, 3], name, style.in_query, explode=explode)
    assert "&".join(f"{key}={item}" for key, item in written) == query


ATOMS = [
    ("a/b%c?d#e;f g&h=i+j", "a%2Fb%25c%3Fd%23e%3Bf%20g%26h%3Di%2Bj"),
    ("Ü—日本", "%C3%9C%E2%80%94%E6%97%A5%E6%9C%AC"),
    ("%2e%2e%2f", "%252e%252e%252f"),
    ("A-Z._~", "A-Z._~"),
]


@pytest.mark.parametrize(("value", "encoded"), ATOMS)
def test_everything_but_unreserved_is_encoded(value: str, encoded: str) -> None:
    """Without allowReserved, only RFC 3986's unreserved characters stay as they are."""
    assert style.in_query(value, "") == style.in_path(value, "") == encoded


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
