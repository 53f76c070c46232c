import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.connectors.names import PROFILES

from specfn import load
from specfn.connectors import profile

Command = Callable[..., Any]


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A document of 200 functions."""
    path = tmp_path_factory.mktemp("many") / "openapi.json"
    paths = {f"/items{index}": {"get": {"summary": f"Item {index}"}} for index in range(200)}
    path.write_text(json.dumps({"openapi": "3.1.0", "paths": paths}))
    return path


@pytest.mark.parametrize("name", PROFILES)
def test_the_list_is_that_of_the_library(specfn: Command, products: Path, name: str) -> None:
    """Every profile writes what ``Application.tools`` returns, one tool per line."""
    ended = specfn("tools", products, "--profile", name)
    expected = load(products).tools(name)
    assert (ended.code, ended.err) == (0, "")
    assert ended.data == list(expected)
    frame = 2 if profile(name).group is None else 4
    assert len(ended.out.splitlines()) == len(expected.entries) + frame


def test_a_file_holds_the_list(specfn: Command, products: Path, tmp_path: Path) -> None:
    """``-o`` writes the same bytes as stdout."""
    target = tmp_path / "tools.json"
    arguments = ("tools", products, "--profile", "openai")
    assert specfn(*arguments, "-o", target).out == ""
    assert target.read_text("utf-8") == specfn(*arguments).out


@pytest.mark.parametrize(
    "options",
    [[], ["--select", "/items1*", "--select", "/items2*"], ["--search", "item", "--limit", "150"]],
)
def test_too_many_functions_are_an_error(
    specfn: Command, many: Path, tmp_path: Path, options: list[str]
) -> None:
    """A list beyond the provider's limit writes nothing; one line has the count and the ways to shorten it."""
    most = profile("openai").tools
    assert most is not None
    target = tmp_path / "tools.json"
    if options[:1] == ["--select"]:
        options = ["--select", "/items*"]
    for where in ([], ["-o", target]):
        ended = specfn("tools", many, "--profile", "openai", *options, *where)
        assert (ended.code, ended.out) == (1, "")
        assert ended.err.count("\n") == 1
        assert f"the {most} tools that openai accepts" in ended.err
        assert "--select, --search or --max-tokens" in ended.err
    assert not target.exists()


def test_a_limit_counts_only_what_is_sent(specfn: Command, many: Path) -> None:
    """A profile without a limit takes all functions."""
    assert len(specfn("tools", many, "--profile", "mcp").data) == 200


def test_a_search_is_best_first(specfn: Command, products: Path) -> None:
    """``--search`` writes the functions of ``Application.search`` in their order, and reports the others."""
    query = ("--search", "cancel an order", "--limit", "3")
    found = [each.name for each in load(products).search("cancel an order", 3)]
    for options in ((), ("--profile", "mcp")):
        ended = specfn("tools", products, *query, *options)
        assert ended.code == 0
        assert [each["name"] for each in ended.data] == found
        assert ended.err.startswith(
            "specfn: 3 of 21 functions are written; left out: 18 by --search ("
        )


@pytest.mark.parametrize("query", ["", "zeppelin"])
@pytest.mark.parametrize("options", [[], ["--profile", "mcp"], ["--select", "DELETE *"]])
def test_a_search_that_finds_nothing_writes_nothing(
    specfn: Command, products: Path, tmp_path: Path, query: str, options: list[str]
) -> None:
    """A query without a function is invalid use, as a glob is: no empty list replaces a good one."""
    target = tmp_path / "tools.json"
    target.write_text("old")
    ended = specfn("tools", products, "--search", query, *options, "-o", target)
    assert (ended.code, ended.out, target.read_text()) == (2, "", "old")
    assert ended.err.startswith(f"specfn: --search {query!r} matches no function")


def test_a_search_looks_among_the_selected(specfn: Command, products: Path) -> None:
    """``--search`` finds only functions that ``--select`` leaves."""
    ended = specfn(
        *("tools", products, "--select", "DELETE *", "--profile", "mcp"),
        *("--search", "product", "--limit", "1"),
    )
    assert [each["name"] for each in ended.data] == ["products_eraseByProductId"]
    assert "19 by --select" in ended.err
    assert "1 by --search (categories_eraseBySlug)" in ended.err


@pytest.mark.parametrize("budget", [1_000, 2_500])
@pytest.mark.parametrize("options", [(), ("--profile", "openai")])
def test_a_budget_is_kept(
    specfn: Command, products: Path, budget: int, options: tuple[str, ...]
) -> None:
    """``--max-tokens`` shortens the list without an error, and reports what was left out."""
    ended = specfn("tools", products, "--max-tokens", str(budget), *options)
    assert ended.code == 0
    assert (
        sum(-(-len(line.rstrip(",")) // 4) for line in ended.out.splitlines()[1:-1]) <= budget * 1.2
    )
    left = 21 - len(ended.data)
    assert f"{left} by --max-tokens" in ended.err


def test_a_budget_makes_a_list_fit(specfn: Command, many: Path) -> None:
    """A budget may shorten a list to what the provider accepts; a list that is still too long is an error."""
    fits = specfn("tools", many, "--profile", "openai", "--max-tokens", "2000")
    assert fits.code == 0
    assert 0 < len(fits.data) <= 128
    assert specfn("tools", many, "--profile", "openai", "--max-tokens", "20000").code == 1


def test_deprecated_functions_go_first(specfn: Command, document: Command) -> None:
    """The deprecated functions are left out before all others."""
    path = document({"/a": {"get": {"deprecated": True}}, "/b": {"get": {}}, "/c": {"get": {}}})
    ended = specfn("tools", path, "--max-tokens", "75")
    assert [each["path"] for each in ended.data] == ["/b", "/c"]


@pytest.mark.parametrize("options", [(), ("--profile", "openai")])
def test_a_budget_for_no_function_is_an_error(
    specfn: Command, products: Path, options: tuple[str, ...]
) -> None:
    """A budget that leaves no function is one line and the exit code 1; nothing is written."""
    ended = specfn("tools", products, "--max-tokens", "1", *options)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == (
        "specfn: --max-tokens 1 is too small for any of 21 functions: pass a larger number\n"
    )


def test_a_profile_in_another_case_is_suggested(specfn: Command, products: Path) -> None:
    """A name that differs in case alone is an error with the name that was meant."""
    ended = specfn("tools", products, "--profile", "OpenAI")
    assert ended.code == 2
    assert "did you mean 'openai'?" in ended.err


def test_a_refused_function_is_reported(specfn: Command, document: Command) -> None:
    """A function that cannot be sent is left out with its reason, and the exit code is 1."""
    content = {"text/plain; charset=nothing": {"schema": {"type": "string"}}}
    path = document({"/a": {"get": {}}, "/b": {"post": {"requestBody": {"content": content}}}})
    ended = specfn("tools", path, "--profile", "portable")
    assert ended.code == 1
    assert [each["name"] for each in ended.data] == ["a_get"]
    assert "portable refuses 1 functions (b_post): " in ended.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--profile", "openai", "--dialect", "3.1"), "--dialect and --profile cannot be combined"),
        (("--profile", "openai", "--positional"), "--positional and --profile cannot be combined"),
        (("--profile", "openai", "--format", "json"), "--format and --profile cannot be combined"),
        (("--limit", "3"), "--limit needs --search"),
        (
            ("--max-tokens", "9", "--format", "python"),
            "--max-tokens cannot be combined with --format",
        ),
        (("--max-tokens", "0"), "--max-tokens"),
        (("--profile", "opnai"), "did you mean 'openai'"),
    ],
)
def test_contradictions_are_wrong_use(
    specfn: Command, products: Path, options: tuple[str, ...], words: str
) -> None:
    """Options that contradict each other, or have no effect, are refused in one line."""
    ended = specfn("tools", products, *options)
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err
    assert ended.err.count("\n") == 1


def test_a_directory_has_a_list_for_each_document(specfn: Command, tmp_path: Path) -> None:
    """Each document of a directory is written for the provider, and one that has too many functions is reported."""
    source, target = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    for name, count in (("few", 2), ("many", 200)):
        paths = {f"/items{index}": {"get": {}} for index in range(count)}
        (source / f"{name}.json").write_text(json.dumps({"openapi": "3.1.0", "paths": paths}))
    ended = specfn("tools", source, "--profile", "openai", "-o", target, "-j", "1")
    assert ended.code == 1
    assert [path.name for path in target.iterdir()] == ["few.json"]
    assert "many.json: 200 functions are more than the 128 tools" in ended.err
