import json
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.strict_shop.server import Server
from tests.strict_shop.shop_document import PATH, text

from specfn import Options, load
from specfn.cli.save import save
from specfn.function.signatures.signatures import signatures

Command = Callable[..., Any]


def _expected(application: Any) -> list[dict[str, Any]]:
    tools = [
        {
            "name": function.name,
            "description": _shorter(function.description, function.parameters),
            "parameters": function.parameters,
            "output": function.output,
            "method": function.method,
            "path": function.path,
        }
        for function in application.functions
    ]
    for tool in tools:
        if tool["output"] is None:
            del tool["output"]
    return tools


def _shorter(text: str, parameters: Any) -> str:
    """A description without the ``@param`` lines whose texts are in the schema."""
    said = json.dumps(parameters, ensure_ascii=False)
    lines = (line.split(" ", 2) for line in text.split("\n"))
    kept = (line for line in lines if line[0] != "@param" or f'"{line[2]}' not in said)
    return "\n".join(map(" ".join, kept)).strip()


def test_the_list_says_nothing_twice(specfn: Command, document: Command) -> None:
    """F3: a ``@param`` line is left out where the schema repeats it, and stays where the schema has lost it."""
    text, wide = "What it is.", {f"p{i}": {"type": "string"} for i in range(3_000)}
    body = {"application/json": {"schema": {"type": "object", "properties": wide}}}
    query = {"type": "object", "properties": {"limit": {"type": "integer"}}}
    parameters = [
        {"name": "q", "in": "query", "description": text, "schema": {"type": "string"}},
        {"name": "page", "in": "query", "description": "Which page.", "schema": query},
    ]
    operation = {
        "summary": "Find.",
        "parameters": parameters,
        "requestBody": {"description": "Many things.", "content": body},
        "security": [{"key": ["read"]}],
        "tags": ["things"],
    }
    [tool] = specfn("tools", document({"/a": {"post": operation}})).data
    assert tool["description"].split("\n\n")[0] == "Find."
    lines = tool["description"].split("\n")[2:]
    assert lines[0] == "@param query Which page."
    assert "@param q What it is." not in lines
    assert lines[-2:] == ["@security key read", "@tag things"]
    shown = json.dumps(tool["parameters"])
    assert ("@param body Many things." in lines) is ("Many things." not in shown)


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ([], {}),
        (["--positional"], {"keyword": False}),
        (["--dialect", "3.1"], {"dialect": "3.1"}),
        (["--naming", "operationId"], {"naming": "operationId"}),
    ],
)
def test_the_list_is_what_the_library_gives(
    specfn: Command, products: Path, arguments: list[str], options: dict[str, Any]
) -> None:
    """Every function is written with its members in the order of the contract, in document order."""
    ended = specfn("tools", products, *arguments)
    expected = _expected(load(products, options=Options(**options)))
    assert ended.code == 0
    assert ended.data == expected
    assert [list(tool) for tool in ended.data] == [list(tool) for tool in expected]
    assert any("output" not in tool for tool in ended.data)


def test_a_document_without_operations_is_an_empty_list(specfn: Command, document: Command) -> None:
    """No functions are a list of none, not a fault; stderr says so."""
    ended = specfn("tools", document({}))
    assert (ended.code, ended.out) == (0, "[]\n")
    assert ended.err == "specfn: the document has no operations\n"


def test_operations_with_faults_are_counted_on_stderr(specfn: Command, document: Command) -> None:
    """One line counts the functions whose operations the metaschema refuses, and names the command that lists them."""
    faulty = {"tags": "a", "responses": {"200": {"description": "ok"}}}
    ended = specfn(
        "tools", document({"/a": {"get": faulty}, "/b": {"get": {**faulty, "tags": []}}})
    )
    assert (ended.code, len(ended.data)) == (0, 2)
    assert ended.err == "specfn: 1 of 2 operations have faults; see specfn check\n"


def test_what_is_no_function_is_counted_on_stderr(specfn: Command, document: Command) -> None:
    """A list that leaves operations out says how many, without spoiling stdout."""
    ended = specfn("tools", document({"/a": {"get": {}}, "b": {"get": {}}}))
    assert [tool["path"] for tool in ended.data] == ["/a"]
    assert ended.code == 0
    assert (
        ended.err
        == "specfn: 1 of 2 operations is not a function; specfn inspect lists the reasons\n"
    )


@pytest.mark.parametrize("arguments", [[], ["--profile", "openai"], ["--format", "python"]])
def test_a_document_with_errors_only_fails(
    specfn: Command, document: Command, arguments: list[str]
) -> None:
    """If no operation is a function, the exit code is 1: a script must not go on with an empty list."""
    ended = specfn("tools", document({"/a": {"$ref": "other.json"}}), *arguments)
    assert ended.code == 1
    assert "1 of 1 operations is not a function" in ended.err


@pytest.mark.parametrize(
    ("globs", "names"),
    [
        (["customers_*By*"], ["customers_getByCustomerId"]),
        (["orders.cancel.*"], ["orders_cancel_postByOrderId"]),
        (["DELETE /*"], ["products_eraseByProductId", "categories_eraseBySlug"]),
        (["/orders/*/receipt.???"], ["orders_receipt_txt_getByOrderId"]),
        (["GET /orders/{orderId}"], ["orders_getByOrderId"]),
        (["customers"], ["customers_get", "customers_post", "customers_getByCustomerId"]),
        (["*receipt*", "/categories"], ["categories_get", "categories_post", "orders_receipt_txt_getByOrderId"]),
        (["messages_post", "/messages"], ["messages_post"]),
    ],
)  # fmt: skip
def test_select_goes_by_every_name(
    specfn: Command, products: Path, globs: list[str], names: list[str]
) -> None:
    """A glob matches name, accessor, place, path or tag; several add up, in the document's order."""
    ended = specfn("tools", products, *(part for glob in globs for part in ("--select", glob)))
    assert ended.code == 0
    assert [tool["name"] for tool in ended.data] == names


@pytest.mark.parametrize("glob", ["ORDERS_*", "GET /Orders", "order", "[", ""])
def test_a_glob_that_matches_nothing_is_wrong_use(
    specfn: Command, products: Path, glob: str
) -> None:
    """Nothing is written rather than less than was asked for; letter case counts in names and paths."""
    ended = specfn("tools", products, "--select", "*", "--select", glob)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"specfn: --select {glob!r} matches no function")
    assert ended.err.count("\n") == 1
    assert ("case-sensitive; there is " in ended.err) == (glob in ("ORDERS_*", "GET /Orders"))


def test_a_glob_that_nearly_matches_gets_suggestions(specfn: Command, products: Path) -> None:
    """Up to three names that are near are suggested."""
    ended = specfn("tools", products, "--select", "orders_pots")
    suggestions = ended.err.partition("did you mean ")[2].rstrip("?\n").split(" or ")
    assert "'orders_post'" in suggestions
    assert len(suggestions) <= 3


def test_a_glob_for_an_operation_that_is_no_function_gets_the_reason(
    specfn: Command, document: Command
) -> None:
    """Whoever asks for such an operation reads why it is not there."""
    ended = specfn("tools", document({"b": {"get": {}}}), "--select", "GET b")
    assert ended.code == 2
    assert "does not begin with '/'" in ended.err


@pytest.mark.parametrize("source", ["path", "stdin", "url"])
def test_a_document_comes_from_anywhere(specfn: Command, shop: Server, source: str) -> None:
    """A path, ``-`` and a URL of the same document give the same list."""
    spec = {"path": str(PATH), "stdin": "-", "url": shop.document_url}[source]
    ended = specfn("tools", spec, stdin=text())
    assert ended.code == 0
    assert ended.data == _expected(load(text()))


# -- files ----------------------------------------------------------------------------------------


def test_a_file_holds_what_stdout_would(specfn: Command, products: Path, tmp_path: Path) -> None:
    """``-o`` writes the same bytes, says nothing, and leaves nothing else behind."""
    target = tmp_path / "tools.json"
    ended = specfn("tools", products, "-o", target)
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    assert target.read_text(encoding="utf-8") == specfn("tools", products).out
    assert [path.name for path in tmp_path.iterdir()] == ["tools.json"]


def test_a_dash_is_stdout(specfn: Command, products: Path) -> None:
    """``-o -`` is as good as no ``-o``."""
    assert specfn("tools", products, "-o", "-").out == specfn("tools", products).out


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    """The umask says who may read a file, not the way in which it was made."""
    save(str(tmp_path / "tools.json"), [b"[]"])
    (tmp_path / "other").touch()
    modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert len(modes) == 1


def test_a_replaced_file_keeps_permissions_and_links(tmp_path: Path) -> None:
    """What stands in the file changes, nothing else; a link to it stays a link."""
    target, link = tmp_path / "tools.json", tmp_path / "link.json"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    save(str(link), [b"new"])
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_pipe_is_written_to_as_it_is(tmp_path: Path) -> None:
    """A target that is no regular file is not replaced by one."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    save(str(pipe), [b"[", b"]"])
    assert os.read(reader, 9) == b"[]"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize(
    "arguments",
    [
        ["tools", "{}", "-o", "{}"],
        ["inspect", "{}", "--html", "{}"],
        ["call", "{}", "a_get", "{{}}", "--base-url", "http://127.0.0.1:1", "-o", "{}"],
    ],
)
def test_the_document_is_not_replaced(
    specfn: Command, document: Command, arguments: list[str]
) -> None:
    """A list, a page or a response does not destroy the document that it is made of."""
    spec = document({"/a": {"get": {}}})
    before = spec.read_bytes()
    ended = specfn(*(each.format(spec) for each in arguments))
    assert (ended.code, ended.out, spec.read_bytes()) == (2, "", before)
    assert "is the document; pass another path to" in ended.err


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no names of descriptors")
def test_a_descriptor_is_written_by_its_name() -> None:
    """``/dev/stdout`` and ``>(gzip > tools.json.gz)`` are links that lead to no path."""
    receiver, sender = os.pipe()
    save(f"/dev/fd/{sender}", [b"[", b"]"])
    assert os.read(receiver, 9) == b"[]"
    os.close(receiver)
    os.close(sender)


@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_file_is_whole_or_untouched(tmp_path: Path, fault: BaseException) -> None:
    """What breaks off half-way leaves what was there, and no temporary file."""

    def pieces() -> Iterator[bytes]:
        yield b"[" * 100_000
        raise fault

    target = tmp_path / "tools.json"
    target.write_text("old")
    with pytest.raises(type(fault)):
        save(str(target), pieces())
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["tools.json"]


@pytest.mark.parametrize("name", ["missing/tools.json", "", "openapi.json/x", "a\0b"])
def test_a_place_that_takes_no_file_is_wrong_use(
    specfn: Command, document: Command, tmp_path: Path, name: str
) -> None:
    """Where nothing can be written, the caller is told the place that was asked for."""
    ended = specfn("tools", document({}), "-o", f"{tmp_path}/{name}")
    assert ended.code == 2
    assert "cannot be written" in ended.err
    assert ".tmp" not in ended.err


def test_a_fault_of_the_document_leaves_the_file(specfn: Command, tmp_path: Path) -> None:
    """A document that cannot be read changes nothing on disk."""
    target = tmp_path / "tools.json"
    target.write_text("old")
    assert specfn("tools", "-", "-o", target, stdin=b"{}").code == 1
    assert target.read_text() == "old"


def test_every_fixture_is_valid_json(specfn: Command, root: Path) -> None:
    """Whatever the document, stdout is one JSON list."""
    for path in (root / "fixtures").iterdir():
        if path.suffix in {".json", ".yaml"} and "expected" not in path.name:
            ended = specfn("tools", path)
            assert ended.code == 0, path.name
            assert isinstance(json.loads(ended.out), list)


@pytest.mark.parametrize("language", ["python", "typescript"])
@pytest.mark.parametrize("arguments", [[], ["--positional"], ["--select", "*.get*"]])
def test_typed_signatures(
    specfn: Command, products: Path, tmp_path: Path, language: Any, arguments: list[str]
) -> None:
    """``--format`` writes a module with the selected functions, the same to stdout and to a file."""
    target = tmp_path / "api"
    ended = specfn("tools", products, "--format", language, *arguments)
    specfn("tools", products, "--format", language, *arguments, "-o", target)
    functions = load(products, options=Options(keyword="--positional" not in arguments)).functions
    if "--select" in arguments:
        functions = tuple(each for each in functions if each.accessor[-1].startswith("get"))
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == target.read_text("utf-8") == signatures(functions, language)
