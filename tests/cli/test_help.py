import re
import shlex
from collections.abc import Callable
from typing import Any

import click
import pytest

from specfn.cli.group import COMMANDS, group
from specfn.cli.shared_options import Command as Subcommand
from specfn.cli.shared_options import Values

Command = Callable[..., Any]
NAMES = group.list_commands(click.Context(group))


def subcommand(name: str) -> Subcommand:
    found = group.get_command(click.Context(group), name)
    assert isinstance(found, Subcommand)
    return found


def test_the_bare_command_prints_help(specfn: Command) -> None:
    """``specfn`` is ``specfn --help``: each subcommand with its first sentence, which is not cut."""
    ended = specfn()
    assert ended.code == 0
    assert ended.out == specfn("--help").out
    assert all(f"\n  {name} " in ended.out for name in NAMES)
    assert "..." not in ended.out.partition("Commands:")[2]


@pytest.mark.parametrize("name", NAMES)
def test_the_list_has_the_first_sentence_of_each_help(name: str) -> None:
    """The command lists its subcommands without importing them, with the sentences of their helps."""
    assert subcommand(name).get_short_help_str(limit=200) == COMMANDS[name]


@pytest.mark.parametrize("name", NAMES)
def test_help_has_two_examples_that_parse(specfn: Command, name: str) -> None:
    """Each help ends with two examples, and each example is a command line without an error."""
    ended = specfn(name, "--help")
    text = ended.out.partition("Examples:\n")[2].replace("\\\n", "")
    examples = [line.strip() for line in text.splitlines()]
    assert len(examples) == 2
    for example in examples:
        line = re.search(r"specfn (.*?)\"?\)?\"?( [<>|] ?.*)?$", example)
        assert line is not None
        words = shlex.split(line[1].removesuffix('"'))
        assert words[0] == name
        subcommand(name).make_context(name, words[1:])


@pytest.mark.parametrize("name", NAMES)
def test_help_lists_the_values_of_options(specfn: Command, name: str) -> None:
    """The help of an option with a list of values contains each of them, unbroken."""
    for parameter in subcommand(name).params:
        if isinstance(parameter.type, Values):
            words = re.split(r"[\s|\[\],]+", specfn(name, "--help").out)
            assert {value.rstrip(".") for value in parameter.type.values()} <= {
                word.rstrip(".") for word in words
            } | {*words}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["tols"], "there is no subcommand 'tols'; did you mean 'tools'? See specfn --help"),
        (["validat"], "did you mean 'validate'?"),
        (
            ["tools", "x", "--selct", "y"],
            "there is no option '--selct'; did you mean '--select'? See",
        ),
        (
            ["tools", "x", "--format", "pyton"],
            "is not one of json, python, typescript; did you mean 'python'?",
        ),
        (["check", "x", "--profile", "gemeni"], "did you mean 'gemini'"),
        (
            ["chat", "x", "--connector", "antropic", "--model", "m", "--model-url", "u"],
            "did you mean 'anthropic'",
        ),
        (["completion", "bsh"], "did you mean 'bash'"),
        (["serve", "x", "--mode", "al"], "did you mean 'all'"),
    ],
)
def test_a_mistyped_word_gets_the_closest(
    specfn: Command, arguments: list[str], words: str
) -> None:
    """A subcommand, an option and a value that does not exist is one line with the closest ones."""
    ended = specfn(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err
    assert ended.err.count("\n") == 1


def test_one_thing_has_one_name() -> None:
    """An option has the same meaning in each subcommand that has it, and no other name for it."""
    for name in NAMES:
        options = {option for each in subcommand(name).params for option in each.opts}
        assert not options & {
            "--api-url",
            "--function",
            "--functions",
            "--url",
            "--api",
            "--server",
        }
        assert ("--yes" in options) == ("-y" in options)
        assert ("--output" in options) == ("-o" in options)


@pytest.mark.parametrize("name", ["", *NAMES])
@pytest.mark.parametrize("width", [60, 80, 140])
def test_help_fits_into_the_terminal(
    specfn: Command, monkeypatch: pytest.MonkeyPatch, name: str, width: int
) -> None:
    """No line of a help is longer than the terminal, but for an argument of an example."""
    monkeypatch.setenv("COLUMNS", str(width))
    help_text = specfn(*filter(None, [name, "--help"])).out
    long = [line for line in help_text.splitlines() if len(line) > width]
    assert [line for line in long if "specfn" not in line and "--" not in line] == []


MISSING = [
    ["inspect", "MISSING"],
    ["tools", "MISSING"],
    ["tools", "MISSING", "--profile", "mcp"],
    ["show", "MISSING", "a"],
    ["search", "MISSING", "a"],
    ["convert", "MISSING", "--to", "3.1"],
    ["check", "MISSING"],
    ["diff", "MISSING", "SPEC"],
    ["diff", "SPEC", "MISSING"],
    ["validate", "MISSING", "a"],
    ["validate", "SPEC", "orders_get", "MISSING"],
    ["check-calls", "MISSING", "-"],
    ["check-calls", "SPEC", "MISSING"],
    ["check-calls", "SPEC", "MISSING", "-o", "OUT"],
    ["call", "MISSING", "a"],
    ["call", "SPEC", "orders_post", "--file", "body=MISSING", "--base-url", "http://localhost:9"],
    ["chat", "MISSING", "Hi", "--model", "m", "--model-url", "http://localhost:9"],
    ["serve", "MISSING", "--base-url", "http://localhost:9"],
    ["serve", "--config", "MISSING"],
]


@pytest.mark.parametrize("arguments", MISSING, ids=" ".join)
def test_a_missing_file_has_one_exit_code(
    specfn: Command, products: Any, tmp_path: Any, arguments: list[str]
) -> None:
    """Whatever a file is for, if it is missing the exit code is 1, and the text is the same."""
    given = {
        "SPEC": str(products),
        "MISSING": "no/such.json",
        "body=MISSING": "body=no/such.json",
    }
    given["OUT"] = str(tmp_path / "out.jsonl")
    ended = specfn(*(given.get(each, each) for each in arguments))
    assert (ended.code, ended.out) == (1, "")
    assert "there is no file 'no/such.json'; check the path\n" in ended.err
    assert ended.err.count("\n") == 1


@pytest.mark.parametrize("name", ["call", "chat", "serve"])
def test_a_missing_base_url_lists_the_servers(
    specfn: Command, document: Command, name: str
) -> None:
    """Without --base-url, the error lists the servers of the document; the option is still needed."""
    servers = [{"url": f"https://{letter}.example/v1"} for letter in "abcdefg"]
    path = document({"/a": {"get": {}}}, servers=servers)
    more = {"call": ["a_get"], "chat": ["Hi", "--model", "m", "--model-url", "http://localhost:9"]}
    ended = specfn(name, path, *more.get(name, []))
    assert ended.code == 2
    assert (
        "missing option --base-url: the document declares https://a.example/v1, https" in ended.err
    )
    assert "and 2 more; pass the URL of the API" in ended.err
