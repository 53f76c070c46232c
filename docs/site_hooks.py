"""Hooks of the documentation site: diagrams without a content delivery network, and a check for external requests.

``SPECFN_MERMAID`` is the path of ``mermaid.min.js`` of the npm package ``mermaid``. The site serves this file itself.
Without it, diagrams are shown as text, because the theme would load the script from another host.
"""

import os
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

SCRIPT = "assets/mermaid.min.js"

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


def on_page_markdown(markdown: str, **_: object) -> str:
    """Show diagrams as text if there is no script for them."""
    return markdown if _mermaid() else re.sub(r"(?m)^```mermaid$", "```text", markdown)


def on_post_page(output: str, *, page: Page, config: MkDocsConfig) -> str:
    """Refuse a page that loads anything from another host; write ``::`` of docstrings as a colon.

    Raises:
        PluginError: the page loads something from another host.
    """
    found = EXTERNAL.search(output)
    if found and config.strict:
        raise PluginError(f"{page.file.src_uri} loads from another host: {found[0]}")
    return output.replace("::</p>", ":</p>")
