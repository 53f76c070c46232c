"""Hooks of the documentation site: diagrams without a content delivery network, no external requests, and llms.txt.

``SPECFN_MERMAID`` is the path of ``mermaid.min.js`` of the npm package ``mermaid``. The site serves this file itself.
Without it, diagrams are shown as text, because the theme would load the script from another host.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

SCRIPT = "assets/mermaid.min.js"

#: The pages for people who change specfn.
INTERNALS = ("rules/", "decisions/", "benchmarks")

#: The weights of pages in the search of the site: a guide comes before the reference.
BOOSTS = {
    "mcp.md": 3,
    "paging.md": 6,
    "how-to/many-functions": 6,
    "files.md": 3,
    "events.md": 3,
    "diff.md": 2,
    "tutorial.md": 2,
    "frameworks.md": 2,
    "command.md": 0.1,
    "reference/errors": 4,
    "how-to/": 3,
    "concepts/choice": 6,
    "concepts/": 2,
    "reference/": 0.01,
    "options.md": 0.5,
    "records.md": 0.5,
}

#: The first paragraphs of the other pages, by path.
PARAGRAPHS: dict[str, str] = {}

#: Places that a browser loads without a click.
EXTERNAL = re.compile(
    r"""<(?:script|img|iframe|source|video|audio)\b[^>]*\bsrc=["']?(?:https?:)?//"""
    r"""|<link\b(?=[^>]*\brel=["']?(?:stylesheet|preconnect|preload|icon|modulepreload))"""
    r"""[^>]*\bhref=["']?(?:https?:)?//"""
    r"""|@import\s+["'](?:https?:)?//|url\(["']?(?:https?:)?//"""
)

#: Colors that the theme does not set in this version of mermaid; without them, a dark page has black texts and arrows.
STYLE = (
    "marker path, marker circle { fill: var(--md-default-fg-color--light) !important; stroke: none; }"
    ".sectionTitle, .sectionTitle > tspan { fill: var(--md-default-fg-color); stroke: none; }"
)

#: Adds the colors to the settings that the theme passes.
COLORS = f"""
;(() => {{
  const initialize = mermaid.initialize;
  mermaid.initialize = (settings) =>
    initialize({{ ...settings, themeCSS: (settings.themeCSS ?? "") + {STYLE!r} }});
}})();
"""


def _mermaid() -> Path | None:
    given = os.environ.get("SPECFN_MERMAID")
    return Path(given) if given else None


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the script of the diagrams if there is one."""
    if _mermaid():
        config.extra_javascript.append(SCRIPT)
    return config


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the file of that script."""
    found = _mermaid()
    if found:
        script = found.read_text("utf-8") + COLORS
        files.append(File.generated(config, SCRIPT, content=script))
    return files


def on_page_markdown(markdown: str, *, page: Page, **_: object) -> str:
    """Show diagrams as text without their script, set the weight of the page in the search, and keep its first paragraph."""
    if page.file.src_uri.startswith(INTERNALS):
        page.meta["search"] = {"exclude": True}
    else:
        text = re.sub(r"<!--.*?-->", "", markdown, flags=re.DOTALL).partition("\n\n")[2]
        first = " ".join(text.strip().partition("\n\n")[0].split())
        boosts = [BOOSTS[each] for each in BOOSTS if page.file.src_uri.startswith(each)]
        page.meta["search"] = {"boost": boosts[0] if boosts else 1}
        PARAGRAPHS[page.file.src_uri] = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", first)
    return markdown if _mermaid() else re.sub(r"(?m)^```mermaid$", "```text", markdown)


def on_post_build(config: MkDocsConfig) -> None:
    """Write ``llms.txt``: each page for readers with its first paragraph."""
    lines = [f"# {config.site_name}", "", f"> {config.site_description}"]
    for section in config.nav or ():
        [(title, entries)] = section.items()
        pages = [each for each in _pages(title, entries) if each[1] in PARAGRAPHS]
        lines += ["", f"## {title}", ""] if pages else []
        lines += [
            f"- [{name}]({uri.removesuffix('index.md').removesuffix('.md') or '.'}/): {PARAGRAPHS[uri]}"
            for name, uri in pages
        ]
    Path(config.site_dir, "llms.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")


def _pages(title: str, entries: Any) -> Iterator[tuple[str, str]]:
    """Yield the titles and paths of the pages of a section."""
    if isinstance(entries, str):
        yield title, entries
        return
    for entry in entries:
        [(name, below)] = entry.items()
        yield from _pages(name, below)


def on_post_page(output: str, *, page: Page, config: MkDocsConfig) -> str:
    """Refuse a page that loads anything from another host; write ``::`` of docstrings as a colon.

    Raises:
        PluginError: the page loads something from another host.
    """
    found = EXTERNAL.search(output)
    if found and config.strict:
        raise PluginError(f"{page.file.src_uri} loads from another host: {found[0]}")
    return output.replace("::</p>", ":</p>")
