"""The examples of the documentation that need other programs than a model: engines of data frames, and a web framework."""

import importlib.util
import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.live.test_documented import NEEDS, VENDORS
from tests.typed.documented import Example, examples

from specfn.demo.server import serve

DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Pets", "version": "1"},
    "paths": {
        "/pets/{petId}": {
            "get": {
                "parameters": [
                    {
                        "name": "petId",
                        "in": "path",
                        "required": True,
                        "schema": {"type": "integer"},
                    },
                ],
                "responses": {"200": {"description": "A pet"}},
            }
        },
    },
}

#: The arguments of calls; the first ones are valid.
ARGUMENTS = ['{"petId": 1}', "{}"]

#: Reads the result of a page on bulk checks: one row is valid.
RESULT = {
    "bulk": "import pandas; print(sorted(pandas.read_parquet('checked').valid.tolist()))",
    "in-process": "",
}
EXPECTED = {"bulk": "[False, True]", "in-process": "{'id': 7}"}

COMING_FROM = next(page for page in NEEDS if page.stem == "coming-from")

EXAMPLES = [
    pytest.param(page.stem, each, id=f"{page.stem}-{each.needs}")
    for page, found in NEEDS.items()
    for each in found
    if page.stem in RESULT
]


def test_every_example_is_run() -> None:
    """Each page with an example that needs a package is run here, or by another test of this folder."""
    others = {
        "README",
        "coming-from",
        "frameworks",
        "tutorial",
        *(page.stem for page in VENDORS),
    }
    assert {page.stem for page, found in NEEDS.items() if found} == others | set(RESULT)


@pytest.mark.parametrize(("page", "example"), EXAMPLES)
def test_an_example_runs_in_a_process_of_its_own(
    page: str, example: Example, tmp_path: Path
) -> None:
    """An example is a complete program that has the result of its page."""
    if importlib.util.find_spec(example.needs or "") is None:
        pytest.skip(f"{example.needs} is not installed")
    rows = [{"name": "pets_getByPetId", "arguments": each} for each in ARGUMENTS]
    (tmp_path / "openapi.yaml").write_text(json.dumps(DOCUMENT), encoding="utf-8")
    (tmp_path / "calls.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (tmp_path / "example.py").write_text(f"{example.code}\n{RESULT[page]}\n", encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, "example.py"],
        cwd=tmp_path,
        env={**os.environ, "PYSPARK_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines()[-1] == EXPECTED[page]


def test_the_examples_for_users_of_other_tools_run(capsys: pytest.CaptureFixture[str]) -> None:
    """The tools of LangChain on docs/coming-from.md read the products of the demo shop."""
    pytest.importorskip("langchain")
    with serve() as shop:
        names = {"document": shop.document_url, "base_url": shop.base_url, "token": shop.token}
        for each in examples(COMING_FROM):
            exec(each.code, names)  # the page is ours
    assert '{"status":200,"data":{"items":[],"total":0}}' in capsys.readouterr().out


def test_the_features_of_fastmcp_exist() -> None:
    """Each argument in the table for users of FastMCP is one of its ``from_openapi``."""
    fastmcp = pytest.importorskip("fastmcp")
    table = COMING_FROM.read_text("utf-8").partition("## FastMCP\n")[2].partition("```")[0]
    named = re.findall(r"`(\w+)=", " ".join(re.findall(r"(?m)^\| ([^|]+) \|", table)))
    parameters = inspect.signature(fastmcp.FastMCP.from_openapi).parameters
    assert len(named) > 4
    assert [name for name in named if name not in parameters] == []
