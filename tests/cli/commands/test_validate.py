import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from specfn import load

Command = Callable[..., Any]

ORDERS = "GET /orders"


@pytest.mark.parametrize("where", ["file", "stdin", "dash"])
def test_what_a_model_would_read(
    specfn: Command, products: Path, tmp_path: Path, where: str
) -> None:
    """Arguments that are not valid come back as the feedback that a model would get; exit code 1."""
    text = '{"query": {"limit": "many"}}'
    file = tmp_path / "arguments.txt"
    file.write_text(text)
    more = {"file": (file,), "stdin": (), "dash": ("-",)}[where]
    ended = specfn("validate", products, ORDERS, *more, stdin=text.encode())
    outcome = load(products)[ORDERS].check(text)
    assert not outcome
    assert ended.out == f"{outcome.feedback()}\n"
    assert (ended.code, ended.err) == (1, "")


@pytest.mark.parametrize("key", ["orders_get", "orders.get", "listOrders", "GET /orders"])
def test_valid_arguments(specfn: Command, products: Path, key: str) -> None:
    """Valid arguments are said to be; exit code 0, whichever name the function is called by."""
    ended = specfn("validate", products, key, stdin=b'{"query": {"limit": 3}}')
    assert (ended.code, ended.out, ended.err) == (0, "The arguments are valid.\n", "")


def test_what_was_read_otherwise_is_said(specfn: Command, products: Path) -> None:
    """Repairs are listed, and that a text was cut."""
    out = specfn("validate", products, ORDERS, stdin=b'```\n{"query": {"limit": "3"}').out
    assert '  $input.query.limit: "3" became 3 (number)' in out.splitlines()
    assert "The text was truncated and is completed" in out


def test_json_is_the_outcome(specfn: Command, products: Path) -> None:
    """Contract: ``--json`` has valid, data, repairs and errors; a value that is absent is left out."""
    sent = b'{"query": {"limit": "3", "colour": "red"}}'
    ended = specfn("validate", products, ORDERS, "--json", stdin=sent)
    assert ended.code == 1
    assert ended.data["valid"] is False
    assert ended.data["data"] == {"query": {"limit": 3, "colour": "red"}}
    assert ended.data["repairs"] == [
        {"path": "$input.query.limit", "kind": "number", "before": "3", "after": 3}
    ]
    (error,) = ended.data["errors"]
    assert (error["path"], error["expected"], error["value"]) == (
        "$input.query.colour",
        "undefined",
        "red",
    )
    assert error["description"].startswith("There is no such property")
    missing = specfn("validate", products, "orders_getByOrderId", "--json", stdin=b"{}").data
    assert missing["errors"][0]["path"] == "$input.orderId"
    assert "value" not in missing["errors"][0]


def test_json_of_valid_arguments(specfn: Command, products: Path) -> None:
    """Contract: valid arguments have no errors, and the exit code is 0."""
    ended = specfn("validate", products, ORDERS, "--json", stdin=b"{}")
    assert ended.code == 0
    assert ended.data == {
        "valid": True,
        "data": {},
        "repairs": [],
        "incomplete": False,
        "errors": [],
    }


@pytest.mark.parametrize(
    "sent",
    [
        *(b"", b"\xff\xfe{", b"nothing here", b"NaN", b'{"query": NaN}', b'{"a": "\\ud800"}'),
        *(b"[" * 100_000, b'{"query": 1' + b"0" * 5_000 + b"}", b"\x1b[31m", b'{"a": 1e999}'),
    ],
    ids=range(10),
)
@pytest.mark.parametrize("form", [(), ("--json",)], ids=["text", "json"])
def test_whatever_was_sent(
    specfn: Command, products: Path, sent: bytes, form: tuple[str, ...]
) -> None:
    """No text of a model's is a fault of the command: it is told, and what is printed is printable."""
    ended = specfn("validate", products, "orders_getByOrderId", *form, stdin=sent)
    assert (ended.code, ended.err) == (1, "")
    assert ended.out
    assert "\x1b" not in ended.out
    if form:
        assert json.loads(ended.out)["valid"] is False


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("no_such_function",), "there is no function"),
        ((), "missing argument"),
    ],
    ids=range(2),
)
def test_wrong_use(specfn: Command, products: Path, arguments: tuple[str, ...], words: str) -> None:
    """A function that is not there is invalid use: exit code 2, and one line."""
    ended = specfn("validate", products, *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err
    assert ended.err.count("\n") == 1


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("no such file", "there is no file 'no such file'"),
        (".", "is a directory"),
        ("a\0b", "there is no file"),
        ("x" * 5_000, "there is no file"),
        ("", "the path is empty"),
    ],
    ids=range(5),
)
def test_a_file_that_cannot_be_read(specfn: Command, products: Path, file: str, words: str) -> None:
    """A file that cannot be read is one line, and exit code 1."""
    ended = specfn("validate", products, ORDERS, file)
    assert (ended.code, ended.out) == (1, "")
    assert words in ended.err
    assert ended.err.count("\n") == 1


def test_stdin_is_one_thing(specfn: Command, products: Path) -> None:
    """Document and arguments cannot both come from stdin; either alone can."""
    both = specfn("validate", "-", ORDERS, stdin=products.read_bytes())
    assert both.code == 2
    assert "stdin cannot be both" in both.err


def test_the_document_from_stdin(specfn: Command, products: Path, tmp_path: Path) -> None:
    """The document may come from stdin where the arguments are in a file."""
    file = tmp_path / "arguments.json"
    file.write_text("{}")
    assert specfn("validate", "-", ORDERS, file, stdin=products.read_bytes()).code == 0
