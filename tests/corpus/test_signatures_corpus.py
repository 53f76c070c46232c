"""Signatures of real documents. `.ci/live` checks the TypeScript with its compiler."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.effort import part
from tests.function.signatures.documents import ALL

from specfn import Application, load
from specfn.function.signatures.signatures import signatures
from specfn.tools.token_estimate import estimate

#: Documents with many functions and large responses.
LARGE = ("octokit__api.github.com.json", "stripe.com.json")


@pytest.fixture(scope="module")
def by_size(loaded: dict[Path, Application]) -> list[Path]:
    """Return the documents, the smallest first."""
    return sorted(loaded, key=lambda path: path.stat().st_size)


def test_python_passes_a_strict_type_checker(
    loaded: dict[Path, Application], by_size: list[Path], tmp_path: Path
) -> None:
    """The Python modules of real and of hard documents have no error in mypy's strict mode."""
    for number, path in enumerate(part(by_size, 6)):
        functions = [each for each in loaded[path].functions if each.fault is None]
        (tmp_path / f"real_{number}.py").write_text(signatures(functions, "python"), "utf-8")
    for name, raw in ALL.items():
        (tmp_path / f"hard_{name}.py").write_text(
            signatures(load(raw).functions, "python"), "utf-8"
        )
    (tmp_path / "wrong.py").write_text("from real_0 import api\napi.no_such_namespace\n", "utf-8")
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--config-file",
            "",
            "--cache-dir",
            ".cache",
            ".",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    errors = [line for line in ran.stdout.splitlines() if ": error:" in line]
    assert [line.partition(":")[0] for line in errors] == ["wrong.py"], ran.stdout[-3_000:]


def test_every_type_and_function_is_written_once(loaded: dict[Path, Application]) -> None:
    """Each document has a Python module that compiles, and the same text in a second run."""
    for path, application in part([*loaded.items()], 4):
        functions = [each for each in application.functions if each.fault is None]
        text = signatures(functions, "python")
        compile(text, path.name, "exec")
        assert text.count("    def ") >= len(functions)
        assert text == signatures(functions, "python")


@pytest.mark.parametrize("name", LARGE)
def test_signatures_have_few_tokens(folder: Path, tmp_path: Path, name: str) -> None:
    """Signatures of large documents have at most half the tokens of the functions as JSON."""
    tokens = {}
    for form in ("json", "python", "typescript"):
        target = tmp_path / form
        command = ["tools", folder / name, "--format", form, "-o", target]
        subprocess.run([sys.executable, "-m", "specfn", *map(str, command)], check=True)
        tokens[form] = estimate(target.stat().st_size)
    assert max(tokens["python"], tokens["typescript"]) <= tokens["json"] // 2
