import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV30SpecValidator, OpenAPIV31SpecValidator

from specfn import downgrade, normalize
from specfn.document.read.load import read

Command = Callable[..., Any]

VALIDATORS = {"3.0": OpenAPIV30SpecValidator, "3.1": OpenAPIV31SpecValidator}
DOCUMENTS = sorted(
    path
    for path in (Path(__file__).parents[3] / "fixtures").iterdir()
    if path.suffix in {".json", ".yaml"} and "expected" not in path.name
)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_the_document_is_that_of_the_library(specfn: Command, path: Path) -> None:
    """``--to 3.1`` is ``normalize``, and ``--to 3.0`` is ``downgrade``; the losses are on stderr."""
    document = read(path).document
    assert specfn("convert", path, "--to", "3.1").data == normalize(document)
    ended = specfn("convert", path, "--to", "3.0")
    expected, losses = downgrade(document)
    assert (ended.code, ended.data) == (0, expected)
    assert bool(ended.err) == bool(losses)
    assert all(line.startswith("specfn: lost: ") for line in ended.err.splitlines())


@pytest.mark.parametrize("version", ["3.0", "3.1"])
def test_the_result_is_valid(specfn: Command, products: Path, version: str) -> None:
    """The document is valid for the validator of its version, and converts to itself."""
    ended = specfn("convert", products, "--to", version)
    assert ended.data["openapi"].startswith(version)
    assert list(VALIDATORS[version](ended.data).iter_errors()) == []
    again = specfn("convert", "-", "--to", version, stdin=ended.out.encode())
    assert again.data == ended.data


@pytest.mark.parametrize(("location", "style"), [("query", "tsv"), ("header", "ssv")])
@pytest.mark.parametrize("version", ["3.0", "3.1"])
def test_a_part_that_the_version_does_not_allow_is_reported(
    specfn: Command, tmp_path: Path, location: str, style: str, version: str
) -> None:
    """A style that the version does not have is one line on stderr with its place."""
    parameter = {"name": "x", "in": location, "type": "array", "items": {"type": "string"}}
    operation = {
        "parameters": [{**parameter, "collectionFormat": style}],
        "responses": {"200": {"description": ""}},
    }
    document = {
        "swagger": "2.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/a": {"get": operation}},
    }
    path = tmp_path / "swagger.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    ended = specfn("convert", path, "--to", version)
    assert ended.err.count("\n") == 1
    assert "(at #/paths/~1a/get/parameters/0/style)" in ended.err


def test_equal_losses_are_one_line(specfn: Command, document: Command) -> None:
    """A loss that occurs several times is one line with its count and first places."""
    unused = {
        "components": {"parameters": {name: {"name": name, "in": "query"} for name in "abcde"}}
    }
    ended = specfn("convert", document({"/a": {"get": {}}}, **unused), "--to", "3.1")
    assert ended.err.count("\n") == 1
    assert (
        "no operation uses this component: it is left out (5 times, at #/components/" in ended.err
    )
    assert ended.err.endswith(" and 2 more)\n")


def test_a_file_is_written(specfn: Command, products: Path, tmp_path: Path) -> None:
    """``-o`` writes the same bytes, and the losses are still on stderr."""
    target = tmp_path / "openapi.json"
    ended = specfn("convert", products, "--to", "3.0", "-o", target)
    assert ended.out == ""
    assert json.loads(target.read_bytes()) == specfn("convert", products, "--to", "3.0").data


def test_the_version_is_required(specfn: Command, products: Path) -> None:
    """Without ``--to``, or with another version, nothing is written."""
    for options in ((), ("--to", "2.0")):
        ended = specfn("convert", products, *options)
        assert (ended.code, ended.out) == (2, "")
        assert "--to" in ended.err
