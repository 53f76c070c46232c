from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn.migrate.route import Placeholder, Template
from specfn.migrate.template import ColonSegments, parse, placeholders

P = Placeholder

PATHS: list[tuple[str, tuple[str, ...], tuple[Any, ...]]] = [
    ("/", (), ((),)),
    ("/pets", (), (("pets",),)),
    ("/pets/", (), (("pets",), ())),
    ("/a//b", (), (("a",), (), ("b",))),
    ("/pets/{id}", (), (("pets",), (P("id"),))),
    ("/{name}.json", (), ((P("name"), ".json"),)),
    ("/{base}...{head}", (), ((P("base"), "...", P("head")),)),
    ("/{a}{b}", (), ((P("a"), P("b")),)),
    ("/{a}.{b}/x:verb", (), ((P("a"), ".", P("b")), ("x:verb",))),
    ("/{id}:cancel", (), ((P("id"), ":cancel"),)),
    ("/{id}/x/{id}", (), ((P("id"),), ("x",), (P("id"),))),
    ("/caf%C3%A9/na\u00efve x", (), (("caf%C3%A9",), ("na\u00efve x",))),
    # operators are not part of the name
    ("/{+name}", (), ((P("name"),),)),
    ("/{name*}", (), ((P("name"),),)),
    ("/{*name}", (), ((P("name"),),)),
    ("/{proxy+}", (), ((P("proxy"),),)),
    ("/{id?}", (), ((P("id"),),)),
    ("/{path...}", (), ((P("path"),),)),
    ("/{;x}", (), ((P("x"),),)),
    ("/{.format}", (), ((P("format"),),)),
    ("/{id:3}", (), ((P("id"),),)),
    ("/{path:.*}", (), ((P("path"),),)),
    ("/{id:[0-9]{3}}", (), ((P("id"),),)),
    ("/{{id}}", (), ((P("id"),),)),
    ("/{ id }", (), ((P("id"),),)),
    ("/{a,b}", (), ((P("a"), ",", P("b")),)),
    ("/users{/id}", (), (("users",), (P("id"),))),
    ("/x{#part}", (), (("x",),)),
    ("/{proxy+}", ("proxy+",), ((P("proxy+"),),)),
    ("/{a,b}", ("a,b",), ((P("a,b"),),)),
    # a whole segment that begins with a colon is a parameter
    ("/:a/x", ("a",), ((P("a"),), ("x",))),
    ("/:user-id/:_b", ("user-id", "_b"), ((P("user-id"),), (P("_b"),))),
    ("/:é", ("é",), ((P("é"),),)),
    ("/:pet_name", ("petName",), ((P("pet_name"),),)),
    ("/{a}/:b", ("a", "c"), ((P("a"),), (P("b"),))),
    ("/{project}/:export", ("projectName",), ((P("project"),), (":export",))),
    ("/:2a", ("2a",), ((P("2a"),),)),
    ("/:a.b", ("a.b",), ((P("a.b"),),)),
    ("/:a.json", ("a",), ((":a.json",),)),
    ("/:2a/:/::a/a:b", (), ((":2a",), (":",), ("::a",), ("a:b",))),
    # braces that do not match are text
    ("/{id", (), (("{id",),)),
    ("/a}", (), (("a}",),)),
    ("/{a/b}", (), (("{a",), ("b}",))),
    ("/{a{b}", (), (("{a", P("b")),)),
    ("/}{", (), (("}{",),)),
    # not a place above another
    ("/...", (), (("...",),)),
    ("/.well-known/x", (), ((".well-known",), ("x",))),
    ("/@{user}", (), (("@", P("user")),)),
    ("/@connections/{id}", (), (("@connections",), (P("id"),))),
    ("/@", (), (("@",),)),
    ("/a/@b", (), (("a",), ("@b",))),
]

QUERIES: list[tuple[str, tuple[str, ...], Template]] = [
    ("/x?a", (), Template(segments=(("x",),), query=(("a", None),))),
    ("/x?a=", (), Template(segments=(("x",),), query=(("a", ()),))),
    ("/x?a=1&b", (), Template(segments=(("x",),), query=(("a", ("1",)), ("b", None)))),
    ("/x?a=b=c&&", (), Template(segments=(("x",),), query=(("a", ("b=c",)),))),
    ("/x?", (), Template(segments=(("x",),))),
    ("/x?q={q}", (), Template(segments=(("x",),), query=(("q", (P("q"),)),))),
    (
        "/x?q=a-{q}.{r}",
        (),
        Template(segments=(("x",),), query=(("q", ("a-", P("q"), ".", P("r"))),)),
    ),
    ("/x?{q}", (), Template(segments=(("x",),), query=(("q", (P("q"),)),))),
    ("/x?u=/a?b", (), Template(segments=(("x",),), query=(("u", ("/a?b",)),))),
    ("/?a={b", (), Template(segments=((),), query=(("a", ("{b",)),))),
    ("/x{?a,b}", (), Template(segments=(("x",),))),
    ("/x{?a,b*}", ("b",), Template(segments=(("x",),), query=(("b", (P("b"),)),))),
    ("/x?k=1{&a}", ("a",), Template(segments=(("x",),), query=(("k", ("1",)), ("a", (P("a"),))))),
    ("/x#top", (), Template(segments=(("x",),), fragment="top")),
    ("/x#{a}?b#c", (), Template(segments=(("x",),), fragment="{a}?b#c")),
    ("/x?a#b", (), Template(segments=(("x",),), query=(("a", None),), fragment="b")),
    (
        "/{A}/#Action=AddPermission",
        (),
        Template(segments=((P("A"),), ()), fragment="Action=AddPermission"),
    ),
]

REFUSED: list[tuple[str, str]] = [
    ("", "does not begin with '/'"),
    ("pets", "does not begin with '/'"),
    ("https://evil/x", "does not begin with '/'"),
    ("//evil/x", "two slashes"),
    ("///x", "two slashes"),
    ("//openapi", "two slashes"),
    ("//@evil", "two slashes"),
    ("/{/evil}", "two slashes"),
    ("/\\evil", "U+005C"),
    ("/a\\b", "U+005C"),
    ("/a\nb", "U+000A"),
    ("/a\x00", "U+0000"),
    ("/a\x7f", "U+007F"),
    ("/a\ud800", "U+D800"),
    ("/..", "dot segment"),
    ("/.", "dot segment"),
    ("/a/../b", "dot segment"),
    ("/%2e%2E/b", "dot segment"),
    ("/.%2e", "dot segment"),
    ("/%252e%252e", "dot segment"),
    ("/%25%32e.", "dot segment"),
    ("/%%32e", "dot segment"),
    ("/..;/x", "dot segment"),
    ("/..%2fadmin", "dot segment"),
    ("/a%5c..%5cb", "dot segment"),
    ("/{}", "no name"),
    ("/{+}", "no name"),
    ("/{ }", "no name"),
    ("/x{?}", "no name"),
    ("/x?{a}=1", "placeholder in its name"),
    ("/x?a{b}", "placeholder in its name"),
]

characters = st.sampled_from([*"/{}?#&=:.%;,+*@\\ab2e", "\u65e5", "\n"])


@pytest.mark.parametrize(("key", "declared", "segments"), PATHS)
def test_path(key: str, declared: tuple[str, ...], segments: tuple[Any, ...]) -> None:
    """R3: segments are literal text and placeholders, and operators are not part of a name."""
    assert parse(key, declared) == Template(segments=segments)


@pytest.mark.parametrize(("key", "declared", "template"), QUERIES)
def test_query_and_fragment(key: str, declared: tuple[str, ...], template: Template) -> None:
    """R3: a query is a fixed beginning with placeholders as values; a fragment is kept apart."""
    assert parse(key, declared) == template


@pytest.mark.parametrize(("key", "reason"), REFUSED)
def test_refused(key: str, reason: str) -> None:
    """R3, T2: a key that cannot be sent as written, or might leave the server, is an error that says why."""
    with pytest.raises(ValueError, match="the ") as caught:
        parse(key)
    assert reason in str(caught.value)


def test_reason_is_short() -> None:
    """A key of any length leaves a readable sentence."""
    with pytest.raises(ValueError, match=r"\.\.\."):
        parse("x" * 10_000)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("/a", ()),
        ("/{a}/{b}/{a}", ("a", "b")),
        ("/{b}.{a}?x={c}&y={a}&z", ("b", "a", "c")),
        ("/{a}#{b}", ("a",)),
    ],
)
def test_placeholders(key: str, expected: tuple[str, ...]) -> None:
    """R3: each placeholder is named once, in order of first appearance, path before query."""
    assert placeholders(parse(key)) == expected


@given(st.text(characters, max_size=30).map(lambda text: f"/{text}"))
def test_any_key_is_read_or_refused(key: str) -> None:
    """Whatever a key holds, it becomes a template that leads nowhere else, or a ValueError."""
    try:
        template = parse(key)
    except ValueError:
        return
    texts = [piece for pieces in template.segments for piece in pieces if isinstance(piece, str)]
    assert all(texts)
    assert not any("/" in text or "?" in text or "#" in text for text in texts if "{" not in text)
    assert (".",) not in template.segments
    assert ("..",) not in template.segments
    assert all(placeholders(template))


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b-c", ".x", "v1.0"]), st.sampled_from(["id", "a_b", "x-y"])
        ),
        min_size=1,
        max_size=5,
    )
)
def test_plain_keys_come_back(parts: list[tuple[str, str]]) -> None:
    """A key without operators is written back from its template unchanged."""
    key = "".join(f"/{literal}/{{{name}}}{literal}" for literal, name in parts)
    written = "".join(
        "/" + "".join(piece if isinstance(piece, str) else f"{{{piece.name}}}" for piece in pieces)
        for pieces in parse(key).segments
    )
    assert written == key


#: Whole segments that begin with a colon and that nothing declares, and whether they are parameters.
COLONS: list[tuple[str, bool]] = [
    *(
        (name, True)
        for name in "id ID userId user_id user-id userID idOrUrl drainIdOrUrl orderId listId".split()
    ),
    *((name, True) for name in "token name slug key uuid username userName".split()),
    *(
        (name, False)
        for name in "a export getById listByUserId resolveUserId getByIds grid paid valid".split()
    ),
    *((name, False) for name in "nameAvailability keys cancel é _b".split()),
]


@pytest.mark.parametrize(("name", "expected"), COLONS)
def test_undeclared_colon_segments(name: str, *, expected: bool) -> None:
    """R3: an undeclared ``:a`` is text, unless its name is that of an identifier."""
    last = parse(f"/x/{{y}}/:{name}").segments[-1]
    assert last == ((P(name),) if expected else (f":{name}",))
    assert parse(f"/:{name}", (name,)).segments == ((P(name),),)
    assert parse(f"/:{name}", (), ColonSegments(is_only_form=True)).segments == ((P(name),),)


names = st.sampled_from([name for name, _ in COLONS])


@given(names, st.booleans(), st.booleans(), st.booleans())
def test_choices_for_colon_segments(
    name: str,
    choice: bool,  # noqa: FBT001  # drawn
    is_declared: bool,  # noqa: FBT001
    is_only_form: bool,  # noqa: FBT001
) -> None:
    """R3: a choice by name decides about every segment; that for all others, about undeclared ones."""
    declared = (name,) if is_declared else ()

    def is_parameter(choices: dict[str, bool]) -> bool:
        colons = ColonSegments(choices, is_only_form)
        return parse(f"/x/:{name}", declared, colons).segments[-1] == (P(name),)

    assert is_parameter({name: choice, "*": not choice}) is choice
    assert is_parameter({"other": not choice, "*": choice}) is (is_declared or choice)


pieces = st.sampled_from(["a", "id", "user-id", "_x", "é", "v1", "@c", "x:verb", ""])


@given(st.lists(st.tuples(pieces, st.booleans()), max_size=6))
def test_a_colon_segment_is_the_same_as_a_braced_one(parts: list[tuple[str, bool]]) -> None:
    """R3: a key with whole segments ``:a`` means what it means with ``{a}`` in their places."""
    named = [
        (text, is_name and text[:1] not in {"", "@"} and ":" not in text) for text, is_name in parts
    ]
    braced, colons = (
        "/x/" + "/".join(form.format(text) if is_name else text for text, is_name in named)
        for form in ("{{{}}}", ":{}")
    )
    declared = [text for text, is_name in named if is_name]
    assert parse(colons, declared) == parse(braced, declared)


@pytest.mark.parametrize("unit", ["{", "}", "{a", "{a}{", "%25", "/{x}", "{?a}", "{{", "a,"])
def test_long_keys_are_read_at_once(unit: str) -> None:
    """A key of 100,000 characters of any habit is read or refused in one pass."""
    key = "/" + unit * (100_000 // len(unit))
    try:
        parse(key)
    except ValueError as error:
        assert len(str(error)) < 400  # noqa: PT017 - either outcome is right; only the time counts
