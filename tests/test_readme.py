import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

LINK = re.compile(r"\]\(([^)#]+)\)")
OPTION = re.compile(r"^\| `(\w+)` \|", re.MULTILINE)


@pytest.fixture(scope="module")
def readme(root: Path) -> str:
    return (root / "README.md").read_text(encoding="utf-8")


def _blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_example_runs(readme: str, tmp_path: Path) -> None:
    """The first example runs as it stands, has twelve lines, and shows all three steps."""
    example = _blocks(readme, "python")[0]
    assert len([line for line in example.splitlines() if line]) == 12
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", example],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    shown = ended.stdout
    assert shown.startswith("21 functions, 0 errors\nproducts_post {'type': 'object'")
    assert '"price": "cheap", // ❌ expected number' in shown
    assert "'name': 'Lamp', 'price': 49.9, 'stock': 3" in shown


def test_two_commands_are_all_it_takes(readme: str) -> None:
    """The first screen has two blocks of one line each: see it work, and run the tests."""
    blocks = _blocks(readme, "sh")
    assert len(blocks) == 2
    assert readme.index(blocks[-1]) < readme.index("\n## ")
    demo, tests = (shlex.split(block) for block in blocks)
    assert all(block.count("\n") == 1 for block in blocks)
    assert demo[-2:] == [".venv/bin/specfn", "demo"]
    assert demo[:4] == ["python3", "-m", "venv", ".venv"]
    assert ".[test]" in tests
    assert tests[-5:] == ["pytest", "-n", "auto", "--dist", "loadfile"]


def test_links_lead_somewhere(root: Path) -> None:
    """Every relative link of the documentation names a file of the project."""
    missing = [
        (page.name, target)
        for page in (*root.glob("*.md"), *(root / "docs").rglob("*.md"))
        for target in LINK.findall(page.read_text(encoding="utf-8"))
        if "://" not in target and not (page.parent / target).exists()
    ]
    assert missing == []


def test_every_option_is_documented(root: Path) -> None:
    """docs/options.md has a row for every field of Options and Connection, and for nothing else."""
    from specfn import Connection, Options  # noqa: PLC0415  # pydantic, for this test only

    text = (root / "docs" / "options.md").read_text(encoding="utf-8")
    documented = OPTION.findall(text)
    assert sorted(documented) == sorted([*Options.model_fields, *Connection.model_fields])


def test_every_subcommand_is_documented(root: Path, readme: str) -> None:
    """The README and docs/command.md show every subcommand and every exit code."""
    from specfn.cli.group import group  # noqa: PLC0415  # click, for this test only

    page = (root / "docs" / "command.md").read_text(encoding="utf-8")
    for name in group.list_commands(None):  # type: ignore[arg-type]  # it does not look at it
        assert f"`specfn {name}" in readme
        assert f"## `specfn {name}" in page
    for code in (0, 1, 2, 3, 130):
        assert f"| {code} |" in page
