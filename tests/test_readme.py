import re
import shlex
import tomllib
from pathlib import Path

import pytest

import specfn
from specfn.demo.server import serve

LINK = re.compile(r"\]\(([^)#]+)\)")
OPTION = re.compile(r"^\| `(\w+)` \|", re.MULTILINE)


@pytest.fixture(scope="module")
def readme(root: Path) -> str:
    return (root / "README.md").read_text(encoding="utf-8")


def _blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_examples_run(
    readme: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The examples without a vendor's package run one after the other against the demo shop."""
    tools, calls, _ = _blocks(readme, "python")
    with serve() as shop:
        app = specfn.load(shop.document_url)
        connection = specfn.Connection(base_url=shop.base_url, credentials={"bearer": shop.token})
        monkeypatch.setattr(specfn, "load", lambda _: app)
        monkeypatch.setattr(specfn, "Connection", lambda **_: connection)
        with connection:
            exec(tools + calls, {})  # the page is ours
    shown = capsys.readouterr().out
    assert shown.startswith("12 tools, 0 operations with errors\ninvalid The arguments")
    assert '"price": "cheap", // ❌ expected number' in shown
    assert "answered " in shown
    assert '"price":49.9' in shown


def test_the_examples_are_three_and_short(readme: str) -> None:
    """There are three examples of at most ten lines each."""
    lengths = [len(block.splitlines()) for block in _blocks(readme, "python")]
    assert len(lengths) == 3
    assert max(lengths) <= 10


def test_the_comparison_is_measured(readme: str, root: Path) -> None:
    """Every figure of the comparison is on the page of benchmarks."""
    table = readme.partition("## Comparison\n")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("|")][2:]
    figures = {figure for row in rows for figure in re.findall(r"\d[\d,.]*\d|\d", row)}
    measured = (root / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert len(figures) > 20
    assert [figure for figure in sorted(figures) if figure not in measured] == []


def test_links_work_on_a_package_index(root: Path, readme: str) -> None:
    """The substitutions of the build turn each relative link and image into an absolute one."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    hook = project["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    text = readme
    for each in hook["substitutions"]:
        text = re.sub(each["pattern"], each["replacement"], text)
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert len(links) == len(re.findall(r"\]\(", readme))
    assert [link for link in links if not link.startswith("https://")] == []
    assert "![" in text
    assert "/main/docs/demo.svg)" in text


def test_two_commands_are_all_it_takes(readme: str) -> None:
    """The first screen has two blocks of one line each: see it work, and run the tests."""
    blocks = _blocks(readme, "sh")
    assert len(blocks) == 2
    assert readme.index(blocks[-1]) < readme.index("\n## ")
    demo, tests = (shlex.split(block) for block in blocks)
    assert all(block.count("\n") == 1 for block in blocks)
    assert demo[-2:] == [".venv/bin/specfn", "demo"]
    assert demo[:4] == ["python3", "-m", "venv", ".venv"]
    assert ".[demo]" in demo
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
