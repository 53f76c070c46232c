import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.strict_shop.server import Server

from specfn.cli.errors import explain
from specfn.errors import ArgumentError, DocumentError, LimitError, TransportError, UsageError

Command = Callable[..., Any]

COMMANDS = (["inspect", "-"], ["inspect", "-", "--json"], ["tools", "-"], ["show", "-", "a_get"])


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], 0),
        (["nonsense"], 2),
        (["tools"], 2),
        (["tools", "-", "--nonsense"], 2),
        (["tools", "-", "--dialect", "2.0"], 2),
        (["show", "-"], 2),
        (["demo", "surplus"], 2),
        (["tools", "-"], 1),
        (["inspect", "missing.json"], 1),
        (["tools", "."], 2),
        (["tools", ""], 1),
        (["tools", "x" * 5_000], 1),
        (["tools", "https://"], 1),
        (["tools", "https://["], 1),
        (["tools", "https://127.0.0.1:70000"], 1),
        (["tools", "ftp://example.com/openapi.json"], 1),
        (["--help"], 0),
        (["-h"], 0),
        (["--version"], 0),
        (["tools", "--help"], 0),
    ],
)
def test_exit_codes_of_use(specfn: Command, arguments: list[str], code: int) -> None:
    """Wrong use is 2 and what is no document is 1, each said in one line; help is no fault."""
    ended = specfn(*arguments)
    assert ended.code == code
    if code:
        assert ended.out == ""
        assert ended.err.startswith("specfn: ")
        assert ended.err.count("\n") == 1
    else:
        assert ended.out
        assert ended.err == ""


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["search", "-", "x", "--limit", "0"], "0 is less than 1"),
        (["call", "-", "x", "--timeout", "0"], "0.0 is not greater than 0"),
        (["call", "-", "x", "--timeout", "nan"], "'nan' is not a number of seconds"),
        (["call", "-", "x", "--timeout"], "requires an argument; see specfn call --help"),
        (["search", "-", "x", "--limit", "b"], "'b' is not an integer"),
        (["call", "-", "x", "--timeout", "b"], "'b' is not a number"),
        (["validate", "-", "x", '{"body": {}}'], "FILE is the path of a file, not JSON"),
        (["show", "-", "POST", "/visits"], "write 'POST /visits' in quotes"),
        (["ui", "-", "--port", "70000"], "70000 is not between 0 and 65535"),
    ],
)
def test_numbers_out_of_range(specfn: Command, arguments: list[str], reason: str) -> None:
    """An error of a number has its limit in words."""
    ended = specfn(*arguments)
    assert ended.code == 2
    assert reason in ended.err


def test_a_cut_list_of_subcommands_ends_with_an_ellipsis(specfn: Command) -> None:
    """An unknown subcommand without a similar one is answered with some of the known ones."""
    assert "', ...; see specfn --help" in specfn("0").err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (DocumentError("bad"), 1),
        (ArgumentError("f", ()), 1),
        (LimitError("much"), 1),
        (MemoryError(), 1),
        (OSError(28, "No space left on device"), 1),
        (BrokenPipeError(32, "Broken pipe"), 0),
        (ValueError("unforeseen"), 1),
        (RecursionError(), 1),
        (UsageError("wrong"), 2),
        (TransportError("nobody there"), 3),
        (KeyboardInterrupt(), 130),
    ],
)
def test_exit_codes_of_errors(error: BaseException, code: int) -> None:
    """Every class of error has one exit code, whoever raises it."""
    assert explain(error)[1] == code


def test_the_help_lists_the_exit_codes(specfn: Command) -> None:
    """The codes stand in ``--help``."""
    out = specfn("--help").out
    assert all(f"\n    {code} " in out for code in (0, 1, 2, 3, 130))


def test_a_server_that_is_not_there_is_3(specfn: Command) -> None:
    """A URL that nobody answers is not the document's fault."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    ended = specfn("tools", f"http://user:hunter2@127.0.0.1:{port}/openapi.json?key=hunter2")
    assert ended.code == 3
    assert ended.err.count("\n") == 1
    assert "hunter2" not in ended.err


def test_a_server_without_the_document_is_1(specfn: Command, shop: Server) -> None:
    """A server that answers, but not with a document, was reached."""
    ended = specfn("tools", shop.document_url.replace("openapi", "nothing"))
    assert ended.code == 1
    assert "404" in ended.err


def test_a_pointer_says_where() -> None:
    """A fault within the document names its place."""
    text, code = explain(DocumentError("this is wrong; mend it", pointer="/paths/~1a"))
    assert (text, code) == ("this is wrong; mend it (at #/paths/~1a)", 1)


def test_a_fault_of_ours_says_what_to_report() -> None:
    """What nobody foresaw is one line with its place, and asks for a report."""
    with pytest.raises(ZeroDivisionError) as caught:
        1 / 0  # noqa: B018  # the fault that nobody foresaw
    text, _ = explain(caught.value)
    assert "please report it" in text
    assert "ZeroDivisionError in test_a_fault_of_ours" in text


#: JSON values as they may stand anywhere in a document.
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
OPERATIONS = st.fixed_dictionaries(
    {},
    optional={
        "summary": VALUES,
        "tags": VALUES,
        "operationId": VALUES,
        "parameters": VALUES,
        "requestBody": VALUES,
        "responses": VALUES,
        "security": VALUES,
    },
)
DOCUMENTS = st.fixed_dictionaries(
    {
        "openapi": st.sampled_from(["3.0.0", "3.1.0", "3.2.0"]),
        "paths": st.dictionaries(
            st.sampled_from(["/a", "/a/{b}", "b", "/\x1b[2J"]),
            st.dictionaries(
                st.sampled_from(["get", "post", "parameters", "x"]), OPERATIONS | VALUES
            ),
            max_size=3,
        )
        | VALUES,
    },
    optional={"components": VALUES, "servers": VALUES, "tags": VALUES, "info": VALUES},
)

quick = settings(
    max_examples=examples(40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@quick
@given(content=st.binary(max_size=200), arguments=st.sampled_from(COMMANDS))
def test_no_bytes_break_the_command(specfn: Command, content: bytes, arguments: list[str]) -> None:
    """Bytes that are no document are a fault of the document in one line."""
    _is_told(specfn(*arguments, stdin=content), {1})


@quick
@given(document=DOCUMENTS, arguments=st.sampled_from(COMMANDS))
def test_no_document_breaks_the_command(
    specfn: Command, document: Any, arguments: list[str]
) -> None:
    """Whatever stands in a document, the command ends with a result or one line, never a traceback."""
    _is_told(specfn(*arguments, stdin=json.dumps(document).encode()), {0, 1, 2})


def _is_told(ended: Any, codes: set[int]) -> None:
    assert ended.code in codes, ended.err
    assert "fault of specfn" not in ended.err, ended.err
    assert ended.err.count("\n") <= 1
    assert (ended.code == 0) or ended.err.startswith("specfn: ")
    for text in (ended.out, ended.err):
        assert all(
            character.isprintable() or character in "\n\t"
            for character in text
            if character < "\xa0"
        )


def test_every_level_of_nesting_is_survived(specfn: Command) -> None:
    """Documents that nest without end are refused, not crashed on."""
    for depth in (500, 5_000, 100_000):
        nested = b'{"openapi":"3.1.0","x":' + b"[" * depth + b"]" * depth + b"}"
        _is_told(specfn("tools", "-", stdin=nested), {0, 1})
        _is_told(specfn("tools", "-", stdin=b"[" * depth), {1})


def test_a_directory_of_files_is_not_a_document(specfn: Command, tmp_path: Path) -> None:
    """A directory is named as what it is."""
    ended = specfn("inspect", tmp_path)
    assert ended.code == 1
    assert "directory" in ended.err
