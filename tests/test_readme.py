import re
import shlex
import tomllib
from pathlib import Path

import pytest

LINK = re.compile(r"\]\(([^)#]+)\)")
OPTION = re.compile(r"^\| `(\w+)` \|", re.MULTILINE)


@pytest.fixture(scope="module")
def readme(root: Path) -> str:
    return (root / "README.md").read_text(encoding="utf-8")


def _blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_first_example_prints_what_is_shown(
    root: Path, page: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first example runs as it is, and the text below it is what it prints."""
    text = (root / page).read_text(encoding="utf-8")
    example, shown = _blocks(text, "python")[0], text.partition("```python\n")[2]
    exec(example, {})  # the page is ours
    assert capsys.readouterr().out == _blocks(shown, "text")[0]


def test_the_examples_are_short(readme: str) -> None:
    """There are two examples of about ten lines."""
    lengths = [len(block.splitlines()) for block in _blocks(readme, "python")]
    assert len(lengths) == 2
    assert max(lengths) <= 11


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
    """The first screen has the command of the demo, and the end the one of the tests; each is one line."""
    blocks = _blocks(readme, "sh")
    assert len(blocks) == 2
    assert readme.index(blocks[0]) < readme.index("\n## ")
    assert readme.rstrip().endswith(f"{blocks[1]}```")
    demo, tests = (shlex.split(block) for block in blocks)
    assert all(block.count("\n") == 1 for block in blocks)
    assert demo[-2:] == [".venv/bin/specfn", "demo"]
    assert demo[:4] == ["python3", "-m", "venv", ".venv"]
    assert ".[demo]" in demo
    assert ".[test]" in tests
    assert tests[-5:] == ["pytest", "-n", "auto", "--dist", "loadfile"]


def test_the_project_has_one_address(root: Path, readme: str) -> None:
    """The project's URLs, the site and the line that installs it name one repository."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    urls = project["project"]["urls"]
    source = urls["Source"]
    installs = {
        page.name: re.findall(r"pip install git\+(\S+)", page.read_text(encoding="utf-8"))
        for page in (root / "README.md", *(root / "docs").rglob("*.md"))
    }
    assert all(url.startswith(source) for url in urls.values())
    assert f"repo_url: {source}\n" in (root / "mkdocs.yml").read_text(encoding="utf-8")
    assert {name: lines for name, lines in installs.items() if lines} == {
        "README.md": [source],
        "installation.md": [source],
    }
    assert re.search(r"pip install (-\S+ )*'?specfn", readme) is None


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


def test_every_subcommand_is_documented(root: Path) -> None:
    """docs/command.md shows every subcommand and every exit code."""
    from specfn.cli.group import group  # noqa: PLC0415  # click, for this test only

    page = (root / "docs" / "command.md").read_text(encoding="utf-8")
    for name in group.list_commands(None):  # type: ignore[arg-type]  # it does not look at it
        assert f"\n## `specfn {name}`\n" in page
    for code in (0, 1, 2, 3, 130):
        assert f"| {code} |" in page
