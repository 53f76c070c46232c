"""``--overlay`` changes a document before a subcommand reads it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

OK = {"responses": {"200": {"description": "OK"}}}
API = {
    "openapi": "3.0.3",
    "info": {"title": "Pets", "version": "1"},
    "paths": {"/pets": {"get": OK}, "/cats": {"get": OK}},
}


def overlay(*actions: Any) -> str:
    return json.dumps({"overlay": "1.1.0", "info": {"title": "o", "version": "1"}, "actions": actions})  # fmt: skip


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "api.json"
    path.write_text(json.dumps(API))
    return path


@pytest.fixture
def fix(tmp_path: Path) -> Path:
    """An overlay that moves a path."""
    path = tmp_path / "fix.yaml"
    path.write_text(
        overlay(
            {"target": "$.paths", "update": {"/dogs": {}}},
            {"target": "$.paths['/dogs']", "copy": "$.paths['/cats']"},
            {"target": "$.paths['/cats']", "remove": True},
        )
    )
    return path


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["inspect"], []),
        (["check"], []),
        (["tools"], []),
        (["tools", "--profile", "anthropic"], []),
        (["search"], ["dogs"]),
        (["convert", "--to", "3.0"], []),
        (["convert", "--to", "3.1"], []),
        (["show"], ["dogs_get"]),
        (["validate"], ["dogs_get", "-"]),
        (["call", "--dry-run", "--base-url", "https://pets.example"], ["dogs_get"]),
        (["serve", "--base-url", "https://pets.example", "--print-config", "claude"], []),
    ],
)
def test_each_subcommand_reads_the_changed_document(
    specfn: Callable[..., Any], spec: Path, fix: Path, before: list[str], after: list[str]
) -> None:
    """Each subcommand that reads a document has the option, and nothing of the removed path is left."""
    ended = specfn(*before, "--overlay", fix, spec, *after, stdin=b"{}")
    assert ended.code in (0, 1 if before == ["check"] else 0), ended.err
    assert "cats" not in ended.out + ended.err


def test_a_comparison_applies_the_overlay_to_both_and_names_it(
    specfn: Callable[..., Any], spec: Path, fix: Path, tmp_path: Path
) -> None:
    """``diff`` compares the changed documents; where an action no longer matches, the error names all three."""
    ended = specfn("diff", spec, spec, "--overlay", fix)
    assert (ended.code, ended.out) == (0, "no differences; with fix.yaml\n")
    ended = specfn("diff", spec, spec, "--overlay", fix, "--json")
    assert (ended.data["overlays"], ended.data["differences"]) == (["fix.yaml"], [])
    new = tmp_path / "new.json"
    new.write_text(json.dumps({**API, "paths": {"/pets": {"get": OK}}}))
    ended = specfn("diff", spec, new, "--overlay", fix)
    assert ended.code == 1
    assert "NEW: the overlay fix.yaml: actions[1] copies 0 parts" in ended.err


def test_the_report_names_the_overlays(specfn: Callable[..., Any], spec: Path, fix: Path) -> None:
    """``inspect`` lists them as text and as JSON."""
    assert "Overlays (1)\n  fix.yaml" in specfn("inspect", spec, "--overlay", fix).out
    assert specfn("inspect", spec, "--overlay", fix, "--json").data["overlays"] == ["fix.yaml"]
    assert "overlays" not in specfn("inspect", spec, "--json").data


def test_recorded_calls_and_directories_are_changed_too(
    specfn: Callable[..., Any], spec: Path, fix: Path, tmp_path: Path
) -> None:
    """Processes of ``check-calls`` and ``tools DIRECTORY`` get the option."""
    call = {"name": "dogs_get", "arguments": {}}
    ended = specfn("check-calls", spec, "--overlay", fix, stdin=json.dumps(call).encode())
    assert json.loads(ended.out.splitlines()[0])["valid"] is True
    folder, out = tmp_path / "documents", tmp_path / "out"
    folder.mkdir()
    for name in ("a.json", "b.json"):
        (folder / name).write_text(spec.read_text())
    ended = specfn("tools", folder, "-o", out, "-j", "2", "--overlay", fix)
    assert ended.code == 0, ended.err
    for path in out.iterdir():
        assert [tool["name"] for tool in json.loads(path.read_text())] == ["pets_get", "dogs_get"]


def test_an_action_that_matches_nothing_ends_the_command(
    specfn: Callable[..., Any], spec: Path, tmp_path: Path
) -> None:
    """The exit code is 1, and the error names the overlay, the action and the target."""
    path = tmp_path / "stale.yaml"
    path.write_text(overlay({"target": "$.paths['/birds']", "remove": True}))
    ended = specfn("tools", spec, "--overlay", path)
    assert ended.code == 1
    assert "the overlay stale.yaml: actions[0] matches nothing" in ended.err
    assert "/birds" in ended.err


def test_a_server_reads_the_overlays_of_its_configuration(
    specfn: Callable[..., Any], spec: Path, fix: Path, tmp_path: Path
) -> None:
    """``overlays`` is relative to the file, and ``--overlay`` is for a single document without a file."""
    config = tmp_path / "servers.yaml"
    config.write_text(
        "documents: {pets: {spec: api.json, overlays: fix.yaml, select: [dogs_get], base_url: 'https://pets.example'}}"
    )
    ended = specfn("serve", "--config", config, "--print-config", "claude")
    assert ended.code == 0, ended.err
    ended = specfn("serve", "--config", config, "--overlay", fix)
    assert "--overlay and --config cannot be combined" in ended.err
    ended = specfn("serve", f"a={spec}", f"b={spec}", "--overlay", fix)
    assert "--overlay names no document" in ended.err
    options = ("--base-url", "https://pets.example", "--print-config", "claude")
    assert str(fix) in specfn("serve", spec, "--overlay", fix, *options).out
