import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]

FINE = {
    "/a": {
        "get": {
            "parameters": [
                {"name": "id", "in": "query", "schema": {"type": "string", "format": "uuid"}}
            ],
            "responses": {"200": {"description": "ok"}},
        }
    }
}
FINE_RESPONSES = {"200": {"description": "ok"}}
BROKEN = {"/a": {"get": {"summary": 5}}, "b": {"put": {}}, "/c": {"trace": {}}}


def test_a_sound_document_passes(specfn: Command, document: Command) -> None:
    """A document without faults is one line; it counts what specfn adapts to a provider, and --all lists it."""
    ended = specfn("check", document(FINE), "--profile", "gemini")
    assert ended.code == 0
    assert ended.out == (
        "1 function can be sent (profile gemini); nothing to do; adapted: 3 places (--all lists them)\n"
    )
    assert ended.err == ""
    assert "; nothing to do" in specfn("check", document(FINE), "--strict").out
    listed = specfn("check", document(FINE), "--profile", "gemini", "--all").out.splitlines()
    assert listed[0] == ended.out.rstrip()
    assert all("(adapted in a_get" in line for line in listed[1:])
    assert len(listed) > 1
    findings = specfn("check", document(FINE), "--profile", "gemini", "--json").data["findings"]
    assert [finding["mended"] for finding in findings] == [True] * 3


def test_faults_of_a_document_are_told(specfn: Command, document: Command) -> None:
    """Diagnostics and operations that are no functions are listed with their places; the exit code is 1."""
    ended = specfn("check", document(BROKEN))
    assert ended.code == 1
    assert ended.out.splitlines()[0].startswith("1 function can be sent (profile portable); ")
    assert "to correct in the document" in ended.out
    assert "document: expected a text, found 5 (at #/paths/~1a/get/summary)" in ended.out
    assert "(path, at #/paths/b/put)" in ended.out or "(path, at #" in ended.out


def test_what_was_chosen_is_no_fault(specfn: Command, document: Command) -> None:
    """Methods that are left out by default do not make a document faulty."""
    ended = specfn("check", document({**FINE, "/c": {"trace": {"responses": {}}}}), "--json")
    codes = [error["code"] for error in ended.data["errors"]]
    assert codes == ["method"]
    assert ended.data["counts"]["faults"] == ended.data["counts"]["diagnostics"]


def test_json_is_that_of_the_contract(specfn: Command, document: Command) -> None:
    """One object: diagnostics, errors, findings with their fields, and counts that add up."""
    report = specfn("check", document(FINE), "--profile", "openai-strict", "--json").data
    assert list(report) == [*("diagnostics", "examples", "errors", "findings", "unions", "counts")]
    assert list(report["findings"][0]) == ["function", "code", "pointer", "reason", "mended"]
    counts = report["counts"]
    assert counts["findings"] == len(report["findings"])
    assert counts["mended"] == sum(finding["mended"] for finding in report["findings"])


def test_alternatives_that_may_overlap_are_listed(specfn: Command, document: Command) -> None:
    """F8: each ``oneOf`` of which a value may fit two alternatives is listed, and is no fault."""
    schema = {"oneOf": [{"type": "integer"}, {"type": "number"}]}
    apart = {"oneOf": [{"type": "integer"}, {"type": "string"}]}
    parameters = [
        {"name": "both", "in": "query", "schema": schema},
        {"name": "one", "in": "query", "schema": apart},
    ]
    given = document({"/a": {"get": {"parameters": parameters, "responses": FINE_RESPONSES}}})
    ended = specfn("check", given, "--all")
    assert ended.code == 0
    assert "union: shown as anyOf: more than one alternative may fit" in ended.out
    assert "(in a_get)" in ended.out
    assert "union" not in specfn("check", given).out
    report = specfn("check", given, "--json").data
    [union] = report["unions"]
    assert (union["function"], union["pointer"]) == (
        "a_get",
        "/parameters/properties/query/properties/both",
    )
    assert report["counts"]["unions"] == 1


def test_strict_asks_the_validator(specfn: Command, document: Command) -> None:
    """``--strict`` adds what openapi-spec-validator finds: here a default that its own schema refuses."""
    node = {"name": "n", "in": "query", "schema": {"type": "integer", "default": "many"}}
    paths = {"/a": {"get": {"parameters": [node], "responses": {"200": {"description": "ok"}}}}}
    ended = specfn("check", document(paths))
    assert ended.code == 0
    assert (
        'example: its schema refuses the default: expected integer, found "many" '
        "(at #/paths/~1a/get/parameters/0/schema/default)"
    ) in ended.out
    ended = specfn("check", document(paths), "--strict")
    assert ended.code == 1
    assert "many" in ended.out


def test_an_unknown_profile_is_wrong_use(specfn: Command, document: Command) -> None:
    """A profile that does not exist is told with those that do, and the exit code is 2."""
    ended = specfn("check", document(FINE), "--profile", "nobody")
    assert ended.code == 2
    assert ended.err.startswith(
        "specfn: invalid value for '--profile': 'nobody' is not one of anthropic, "
    )


def test_a_path_that_occurs_twice_in_json_is_a_fault(specfn: Command, tmp_path: Path) -> None:
    """N2: a repeated path in JSON is reported with both places; the exit code is 1."""
    item = '{"get": {"responses": {"200": {"description": "ok"}}}}'
    info = '"openapi": "3.1.0", "info": {"title": "t", "version": "1"}'
    path = tmp_path / "twice.json"
    path.write_text(f'{{{info}, "paths": {{"/a": {item}, "/a": {item}}}}}', encoding="utf-8")
    ended = specfn("check", path)
    assert ended.code == 1
    assert "document: the key '/a' occurs twice in one object, line 1, column 72 and" in ended.out
    assert "(at #/paths/~1a)" in ended.out


@pytest.mark.parametrize("is_allowed", [True, False])
def test_examples_of_azure_are_read_where_references_may_be(
    specfn: Command,
    tmp_path: Path,
    is_allowed: bool,  # noqa: FBT001
) -> None:
    """``x-ms-examples`` are examples of parameters and bodies, inline, and by a reference that may be followed."""
    example = {"parameters": {"n": "x", "b": {"size": 1}, "other": 1}}
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "e.json").write_text(json.dumps(example), encoding="utf-8")
    size = {"type": "object", "properties": {"size": {"type": "string"}}}
    operation = {
        "parameters": [{"$ref": "#/parameters/N"}, {"name": "b", "in": "body", "schema": size}],
        "x-ms-examples": {"inline": example, "file": {"$ref": "./examples/e.json"}},
        "responses": {"200": {"description": "ok"}},
    }
    azure: dict[str, Any] = {"swagger": "2.0", "info": {"title": "t", "version": "1"}}
    azure["parameters"] = {"N": {"name": "n", "in": "query", "type": "integer"}}
    azure["paths"] = {"/a": {"put": operation}}
    path = tmp_path / "azure.json"
    path.write_text(json.dumps(azure), encoding="utf-8")
    allowed = ("--references", tmp_path) if is_allowed else ()
    ended = specfn("check", path, *allowed, "--json")
    begin = "/paths/~1a/put/x-ms-examples"
    names = ["inline", "file"] if is_allowed else ["inline"]
    assert {note["pointer"] for note in ended.data["examples"]} == {
        f"{begin}/{name}/parameters/{key}" for name in names for key in ("n", "b")
    }
