import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from orjson import dumps

from specfn.document.read.limits import MAX_DEPTH, MAX_NODES
from specfn.document.read.load import read, read_text
from specfn.errors import DocumentError

FIXTURES = Path(__file__).parents[2] / "fixtures" / "yaml"

HOSTILE = [
    ("alias-bomb.yaml", "more than 10,000,000 keys and values"),
    ("self-alias.yaml", "inside the value that it refers to"),
    ("deep-aliases.yaml", "deeper than 200 levels"),
    ("python-tag.yaml", "the tag"),
]


@pytest.mark.parametrize(("name", "reason"), HOSTILE)
def test_hostile_documents_are_refused(name: str, reason: str) -> None:
    """T18: a bomb, a quine, depth by aliases and foreign tags are errors with a place."""
    with pytest.raises(DocumentError, match=rf"{reason}.*\(line \d+, column \d+\)"):
        read(FIXTURES / name)


@pytest.mark.parametrize(("name", "reason"), HOSTILE)
def test_a_refusal_costs_little(name: str, reason: str) -> None:
    """T18: the memory that a refused document takes does not depend on what its aliases stand for."""
    tracemalloc.start()
    try:
        with pytest.raises(DocumentError, match=reason):
            read(FIXTURES / name)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_a_bomb_of_texts_is_weighed() -> None:
    """T18: an alias to a long text counts for its length, so few values cannot be many bytes."""
    bomb = (FIXTURES / "text-bomb.yaml").read_text(encoding="utf-8")
    one_level_less = bomb[: bomb.index("  d: &d")]
    assert len(dumps(read_text(one_level_less).document)) < 20_000_000
    with pytest.raises(DocumentError, match="more than 10,000,000 keys and values"):
        read_text(bomb)


def _is_plain(value: Any) -> bool:
    if type(value) is dict:
        return all(type(key) is str and _is_plain(member) for key, member in value.items())
    if type(value) is list:
        return all(map(_is_plain, value))
    return value is None or type(value) in {str, int, float, bool}


def test_a_document_with_ordinary_aliases_loads() -> None:
    """T18: aliases as such are no offense; the document is what it would be without them."""
    document = read(FIXTURES / "shared.yaml").document
    assert _is_plain(document)
    assert document["paths"]["/dogs"]["get"]["parameters"][0]["schema"]["minimum"] == 1
    assert list(document["paths"]["/cats"]["post"]["responses"]) == ["400", "404"]


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 5_000, 100_000])
@pytest.mark.parametrize("unit", ["[", "{a: ", '{"a":', '[{"a":', "- ", "? "])
def test_deep_nesting_is_an_error_of_ours(unit: str, depth: int) -> None:
    """T18: nesting beyond the limit is a DocumentError, closed or not, never a RecursionError."""
    with pytest.raises(DocumentError):
        read_text(unit * depth)


def test_deep_json_is_refused_however_it_is_closed() -> None:
    """T18: the limit on depth is the same for JSON, for YAML and for a dict."""
    for levels, fits in ((MAX_DEPTH, True), (MAX_DEPTH + 1, False)):
        inner: Any = "x"
        for _ in range(levels):
            inner = {"a": inner}
        for source in (dumps(inner), b"# YAML\n" + dumps(inner), inner):
            if fits:
                assert read(source).document == inner
            else:
                with pytest.raises(DocumentError, match="deeper than 200 levels"):
                    read(source)


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 20_000_000,
        b'{"a":' * 4_000_000,
        b"[" + b"1," * 10_000_001 + b"1]",
        b'{"a":[' + b'"",' * 10_000_000 + b'""]}',
        b'["\\' * 7_000_000,
    ],
    ids=["brackets", "objects", "numbers", "texts", "escapes"],
)
def test_large_hostile_json_fails_before_it_is_built(text: bytes) -> None:
    """T18: what is too deep or too large is refused from its text, before a value is made of it."""
    tracemalloc.start()
    try:
        with pytest.raises(DocumentError):
            read_text(text)
        # orjson sets aside twelve times the text, and touches little of it.
        assert tracemalloc.get_traced_memory()[1] < 13 * len(text)
    finally:
        tracemalloc.stop()


def test_nothing_here_runs_python() -> None:
    """T18: no constructor of PyYAML is used, so no tag can name code."""
    before = set(sys.modules)
    with pytest.raises(DocumentError):
        read_text("x: !!python/object/new:this.module {}\n")
    with pytest.raises(DocumentError):
        read_text("x: !!python/module:antigravity\n")
    assert not {"this", "antigravity"} & (set(sys.modules) - before)


def test_the_budget_is_the_documented_one() -> None:
    """T18: the limits are those that the documentation names."""
    assert (MAX_DEPTH, MAX_NODES) == (200, 10_000_000)
