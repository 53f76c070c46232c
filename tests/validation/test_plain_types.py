"""Type texts in plain words."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples

from specfn.schema.describe import describe
from specfn.validation.plain_types import plain, split, tags

#: What only a reader of type texts knows.
JARGON = re.compile(
    r"\| undefined|UniqueItems|Contains<|Type<|Format<|Pattern<|Min(Length|Items|imum|Properties)<|"
    r"Max(Length|Items|imum|Properties)<|Exclusive|MultipleOf<|Not<"
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("string", "string"),
        ("string | undefined", "string, optional"),
        ("undefined", "undefined"),
        ("any", "any value"),
        ("never", "nothing"),
        ('number & Type<"int32">', "integer (int32)"),
        ('number & Type<"uint8"> & Minimum<0>', "integer (uint8) of at least 0"),
        ('number & Type<"double">', "number"),
        ("integer & Minimum<1> & Maximum<100>", "integer of 1 to 100"),
        ("number & ExclusiveMinimum<0> & ExclusiveMaximum<1.5>", "number above 0, below 1.5"),
        ("number & Maximum<-1> & MultipleOf<0.01>", "number of at most -1, that is a multiple of 0.01"),
        ('string & Format<"uuid"> | null', "string (uuid) | null"),
        ("string & MinLength<1> & MaxLength<1>", "string of 1 character"),
        ('string & MinLength<3> & Pattern<"^\\\\w \\"a\\" & <b> | c$">', 'string of at least 3 characters, matching ^\\w "a" & <b> | c$'),
        ("string & Pattern<...>", "string matching ..."),
        ('"asc" | "a & b | undefined"', '"asc" | "a & b | undefined"'),
        ("Array<string & MaxLength<5>> & MinItems<1> & UniqueItems", "Array<string of at most 5 characters> with at least 1 item, without duplicates"),
        ("Array<any> & Contains<string | integer & Minimum<3>>", "Array<any value> with at least one item that is string | integer of at least 3"),
        ("Array<(string | integer) & MinLength<2>>", "Array<(string | integer) of at least 2 characters>"),
        ("[string & MaxLength<2>, ...Array<any>]", "[string of at most 2 characters, ...Array<any>]"),
        ("Record<string, integer & Minimum<0>>", "Record<string, integer of at least 0>"),
        ('{ a: string & Format<"date">; "b: c"?: Array<integer & Minimum<1>>; [key: string]: any }', '{ a: string (date); "b: c"?: Array<integer of at least 1>; [key: string]: any value }'),
        ("object & MinProperties<1> & MaxProperties<1>", "object with 1 property"),
        ("Not<string & MinLength<1>>", "not string of at least 1 character"),
        ("Pet & MinItems<2> | undefined", "Pet with at least 2 items, optional"),
        ("List<a8f32f> | null", "List<a8f32f> | null"),
        ("Odd > Name | undefined", "Odd > Name, optional"),
    ],
)  # fmt: skip
def test_words(text: str, words: str) -> None:
    """V8: a type text is written in plain English; unknown parts stay unchanged."""
    assert plain(text) == words


schemas = st.recursive(
    st.sampled_from(
        [
            {},
            {"type": "string", "minLength": 2, "format": "uuid"},
            {"type": "integer", "format": "int32", "minimum": 1},
            {"type": "number", "exclusiveMaximum": 5, "multipleOf": 0.5},
            {"enum": ["a | b", "c & d", "{", '"', 5]},
            {"type": "string", "pattern": '^[<>"{}|&]+$'},
            {"$ref": "#/$defs/Odd<Name"},
        ]
    ),
    lambda inner: st.one_of(
        st.builds(
            lambda items, contains: {
                "type": "array",
                "items": items,
                "contains": contains,
                "uniqueItems": True,
                "minItems": 1,
            },
            inner,
            inner,
        ),
        st.builds(lambda one, two: {"anyOf": [one, two]}, inner, inner),
        st.builds(lambda one: {"not": one}, inner),
        st.builds(lambda one: {"type": "array", "items": one}, inner),
        st.builds(
            lambda one, two: {
                "type": "object",
                "properties": {"a b": one, "c": two},
                "required": ["c"],
                "minProperties": 1,
            },
            inner,
            inner,
        ),
        st.builds(lambda one: {"type": "object", "additionalProperties": one}, inner),
    ),
    max_leaves=6,
)


@settings(max_examples=examples(120))
@given(schemas, st.booleans())
def test_no_jargon(schema: Any, optional: bool) -> None:  # noqa: FBT001 - Hypothesis
    """V8: whatever a schema says, its words hold no tag of a type text outside of the document's own texts."""
    text = describe(schema, {"Odd<Name": {"type": "string"}}, optional=optional)
    if "Odd<Name" not in text:
        words = re.sub(r'"(?:[^"\\]|\\.)*"', '""', re.sub(r"matching \S+", "", plain(text)))
        assert not JARGON.search(words), (text, words)
        assert plain(text).endswith(", optional") is optional
    else:
        assert not plain(text).endswith("| undefined")


@given(st.text(max_size=60) | st.text('&|<>{}()[]"\\; :,Nab', max_size=60))
def test_any_text(text: str) -> None:
    """V8: no text is too odd to be written in words, and its parts are all of it."""
    assert isinstance(plain(text), str)
    assert isinstance(tags(text), dict)
    assert " & ".join(split(text, " & ")) == text


@given(
    st.lists(
        st.sampled_from([*'"\\<>{}[]() |;,:&a', " | ", " & ", "; ", ", ", ": ", '"a | b"', "\n"])
    ).map("".join),
    st.sampled_from([" | ", " & ", "; ", ", ", ": "]),
)
def test_split_counts_brackets_outside_of_strings(text: str, separator: str) -> None:
    """A text is split at each separator that no bracket surrounds and no JSON string contains."""
    expected, part, depth, quoted, position = [], "", 0, False, 0
    while position < len(text):
        char, length = text[position], 1
        if quoted:
            length = 2 if char == "\\" else 1
            quoted = char != '"'
        elif char == '"':
            quoted = True
        elif depth == 0 and text.startswith(separator, position):
            expected.append(part)
            part, position = "", position + len(separator)
            continue
        else:
            depth += (char in "<{[(") - (char in ">}])")
        part += text[position : position + length]
        position += length
    assert split(text, separator) == [*expected, part]
