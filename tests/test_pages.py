"""The pages of the documentation."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

import specfn
from specfn import bulk, calling, connectors, mcp

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
ENTRY = re.compile(r"^ +- (?P<title>[^:\n]+): (?P<page>\S+\.md)$", re.MULTILINE)
LINK = re.compile(r"\]\((?!\w+://)([^)#]*)#([^)]+)\)")
CODE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
WIDTH = 120


def prose(page: Path) -> str:
    """Return the text of a page without code blocks."""
    return CODE.sub("", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as mkdocs and GitHub write them, and of its public names."""
    titles = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    names = re.findall(r"^::: (\S+)$", prose(page), re.MULTILINE)
    found = {re.sub(r"[^\w\- ]", "", title).strip().lower().replace(" ", "-") for title in titles}
    return found | set(names)


def name(page: Path) -> str:
    """Return the path of a page below the root."""
    return page.relative_to(ROOT).as_posix()


def test_every_page_is_in_the_navigation_once() -> None:
    """The navigation lists each page exactly once, and no other page."""
    entries = ENTRY.findall((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    assert sorted(f"docs/{page}" for _, page in entries) == sorted(map(name, PAGES))


def test_titles_agree_with_the_navigation() -> None:
    """A page's heading is its title in the navigation, except for the home page and the rules."""
    entries = ENTRY.findall((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    for title, page in entries:
        if page != "index.md" and not page.startswith("rules/"):
            text = (ROOT / "docs" / page).read_text(encoding="utf-8")
            assert text.startswith(f"# {title}\n"), page


def test_pages_begin_with_prose_in_words_of_their_own() -> None:
    """A page begins with a paragraph, and no two pages begin with the same four words."""
    beginnings: dict[str, list[str]] = {}
    for page in PAGES:
        text = re.sub(r"<!--.*?-->", "", prose(page), flags=re.DOTALL)
        first = text.partition("\n")[2].strip()
        assert re.match(r"[\w`*\[‘“\"]", first), name(page)
        beginnings.setdefault(" ".join(first.split()[:4]), []).append(name(page))
    assert [pages for pages in beginnings.values() if len(pages) > 1] == []


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=name)
def test_lines_are_short_and_tables_have_headers(page: Path) -> None:
    """Lines of prose have at most 120 characters, and each column of a table has a header."""
    lines = prose(page).splitlines()
    long = [line for line in lines if len(line) > WIDTH and not line.startswith(("|", "<!--"))]
    headers = [before for before, line in pairwise(lines) if re.fullmatch(r"\|[-:| ]+\|", line)]
    empty = [header for header in headers if not all(map(str.strip, header.split("|")[1:-1]))]
    assert (long, empty) == ([], [])


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=name)
def test_anchors_exist(page: Path) -> None:
    """A link to a heading names a heading of its target."""
    for target, anchor in LINK.findall(prose(page)):
        linked = (page.parent / target).resolve() if target else page
        assert anchor in anchors(linked), f"{target}#{anchor}"


def test_every_public_name_is_in_the_reference() -> None:
    """The pages of the reference show each public name, and no name twice."""
    texts = [prose(page) for page in sorted((ROOT / "docs" / "reference").glob("*.md"))]
    shown = re.findall(r"(?m)^::: (\S+)$", "\n".join(texts))
    modules = {"specfn.calling", "specfn.choice", "specfn.connectors", "specfn.errors"}
    public = {
        f"{module.__name__}.{each}"
        for module in (specfn, calling, connectors, mcp, bulk)
        for each in module.__all__
        if module is specfn or each not in specfn.__all__
    }
    assert public - modules - set(shown) == set()
    assert len(shown) == len(set(shown))


def test_names_of_examples_are_introduced() -> None:
    """A name that an example uses without defining it is explained before the first example of its page."""
    for page in PAGES:
        text = page.read_text("utf-8")
        given = re.search(r"^<!-- given: (.*?) -->$", text, re.MULTILINE | re.DOTALL)
        names = re.findall(r"(?:^|, )(\w+): ", given[1]) if given else []
        before = re.sub(r"<!--.*?-->", "", text.partition("```")[0], flags=re.DOTALL)
        assert [name for name in names if f"`{name}`" not in before] == [], page


def test_diagrams_keep_their_lines() -> None:
    """The first line of a diagram is its kind alone: a diagram that was wrapped like prose draws nothing."""
    texts = [page.read_text("utf-8") for page in PAGES]
    kinds = re.findall(r"^```mermaid\n(.*)$", "\n".join(texts), re.MULTILINE)
    assert [kind for kind in kinds if not re.fullmatch(r"\w+( [A-Z]{2})?", kind)] == []
