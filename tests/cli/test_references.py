"""``--references`` allows the command to read a document in several files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from specfn.cli.source import parse_references

ROOT = {
    "openapi": "3.0.3",
    "info": {"title": "Pets", "version": "1"},
    "servers": [{"url": "https://pets.example"}],
    "paths": {
        "/pets": {"$ref": "parts/pets.json"},
        "/pets/{id}": {
            "get": {
                "parameters": [{"$ref": "parts/common.json#/id"}],
                "responses": {"200": {"description": "OK"}},
            }
        },
    },
}
PETS = {"get": {"summary": "List pets.", "responses": {"200": {"description": "OK"}}}}
COMMON = {"id": {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}}

NAMES = ["pets_get", "pets_getById"]


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """Write a document in three files, and return the path of the first."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "pets.json").write_text(json.dumps(PETS))
    (tmp_path / "parts" / "common.json").write_text(json.dumps(COMMON))
    path = tmp_path / "api.json"
    path.write_text(json.dumps(ROOT))
    return path


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["inspect"], []),
        (["check"], []),
        (["tools"], []),
        (["tools", "--profile", "anthropic"], []),
        (["search"], ["pets"]),
        (["convert", "--to", "3.0"], []),
        (["convert", "--to", "3.1"], []),
        (["show"], ["pets_getById"]),
        (["validate"], ["pets_getById", "-"]),
    ],
)
def test_each_subcommand_reads_a_document_in_several_files(
    specfn: Callable[..., Any], spec: Path, before: list[str], after: list[str]
) -> None:
    """Each subcommand with the argument SPEC has the option, and reads the other files with it."""
    ended = specfn(*before, "--references", spec.parent, spec, *after, stdin=b'{"id": 1}')
    assert ended.code == 0, ended.err
    assert "another document" not in ended.out + ended.err


def test_both_versions_of_a_comparison_may_have_several_files(
    specfn: Callable[..., Any], spec: Path
) -> None:
    """``diff`` reads the files of both documents."""
    ended = specfn("diff", spec, spec, "--references", spec.parent, "--json")
    assert (ended.code, ended.data["differences"]) == (0, [])


def test_recorded_calls_are_checked_against_a_document_in_several_files(
    specfn: Callable[..., Any], spec: Path
) -> None:
    """``check-calls`` reads the other files, too."""
    call = {"name": "pets_getById", "arguments": {"id": 1}}
    ended = specfn(
        "check-calls", spec, "--references", spec.parent, stdin=json.dumps(call).encode()
    )
    assert json.loads(ended.out.splitlines()[0])["valid"] is True


def test_several_documents_of_a_directory_are_read(
    specfn: Callable[..., Any], spec: Path, tmp_path: Path
) -> None:
    """``tools DIRECTORY`` passes the option to its processes."""
    folder = tmp_path / "documents"
    folder.mkdir()
    text = spec.read_text().replace("parts/", "../parts/")
    for name in ("a.json", "b.json"):
        (folder / name).write_text(text)
    out = tmp_path / "out"
    ended = specfn("tools", folder, "-o", out, "-j", "2", "--references", tmp_path)
    assert ended.code == 0, ended.err
    for path in out.iterdir():
        assert [tool["name"] for tool in json.loads(path.read_text())] == NAMES


def test_a_server_reads_the_directory_of_its_configuration(
    specfn: Callable[..., Any], spec: Path
) -> None:
    """``references`` in the file of ``serve --config`` is relative to the file."""
    config = spec.parent / "servers.yaml"
    config.write_text(
        f"documents: {{pets: {{spec: {spec.name}, references: '.', base_url: 'https://pets.example'}}}}"
    )
    ended = specfn("serve", "--config", config, "--print-config", "claude")
    assert ended.code == 0, ended.err
    config.write_text(config.read_text().replace(", references: '.'", ""))
    ended = specfn("serve", "--config", config, "--print-config", "claude")
    assert "has no functions" in ended.err


def test_the_configuration_of_a_host_has_the_option(specfn: Callable[..., Any], spec: Path) -> None:
    """``--print-config`` writes the directory as an absolute path."""
    options = ("--references", spec.parent, "--base-url", "https://pets.example")
    ended = specfn("serve", spec, *options, "--print-config", "claude")
    assert "--references" in ended.out
    assert str(spec.parent) in ended.out


def test_an_error_names_the_option(specfn: Callable[..., Any], spec: Path) -> None:
    """Without the option, the reason names it, not the option of the library."""
    ended = specfn("inspect", spec)
    assert "allow it with --references (" in ended.out
    assert "Options." not in ended.out


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (["nowhere"], "--references 'nowhere' is invalid: there is no such directory"),
        ([".", "https://a.example"], "pass one directory, or one or more URLs"),
        ([".", "."], "pass one directory, or one or more URLs"),
    ],
)
def test_invalid_values_are_refused(
    specfn: Callable[..., Any], spec: Path, values: list[str], reason: str
) -> None:
    """One directory or several URLs are valid; all else is an error of the command line."""
    options = [word for value in values for word in ("--references", value)]
    ended = specfn("inspect", spec, *options)
    assert ended.code == 2
    assert reason in ended.err


def test_a_url_allows_its_origin() -> None:
    """The path of a URL does not matter: its origin is allowed."""
    allowed = parse_references(["https://a.example:8443/specs/v1/api.json", "http://b.example"])
    assert allowed == ("https://a.example:8443", "http://b.example")
