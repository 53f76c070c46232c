"""The files of the page, and its two forms: served as files, or one text with an inline script and style."""

import gzip
import html
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Final

#: The ES modules of the page in the order in which they are joined: a module imports those before it.
MODULES: Final = (
    "dom.js",
    "source.js",
    "state.js",
    "tabs.js",
    "json_view.js",
    "virtual_list.js",
    "function_list.js",
    "model_tab.js",
    "edits_tab.js",
    "document_tab.js",
    "human_form.js",
    "try_tab.js",
    "line_diff.js",
    "changes.js",
    "function_detail.js",
    "bar_chart.js",
    "tree_map.js",
    "charts.js",
    "problems.js",
    "print_view.js",
    "main.js",
)

_IMPORT: Final = re.compile(r'^import[^;]*?from"\./\w+\.js";\n?', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=(?:const|let|async|function|class)\b)", re.MULTILINE)

#: Comments that begin a line, and indentation. No text of the page goes over several lines.
_LINES: Final = re.compile(
    r"^[ \t]*(?:/\*.*?\*/\n|//[^\n]*\n|\n)|^[ \t]+", re.MULTILINE | re.DOTALL
)

#: Texts, which stay; a comment at the end of a line; and spaces and ends of lines that separate nothing.
_SPACES: Final = re.compile(
    r"""
    "(?:\\.|[^"\\\n])*" | `(?:\\.|[^`\\\n])*`
    | [ ]+//[^\n]*
    | (?<![\w$+-])[ ]+ | [ ]+(?![\w$+-]) | (?<=[\w$])[ ]+(?=[+-]) | (?<=[+-])[ ]+(?=[\w$])
    | (?<=[{,(\[;?:&|=>])\n(?!export|import) | ;?\n(?=\}) | \n(?=[)\].?:&|])
    """,
    re.VERBOSE,
)

#: The content security policies. Trusted Types forbid assignments of markup.
_COMMON: Final = (
    "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
SERVED_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    f"frame-ancestors 'none'; {_COMMON}"
)

_SERVED_HEAD: Final = '<link rel="stylesheet" href="page/style.css">'
_SERVED_SCRIPT: Final = '<script src="page/script.js"></script>'


@cache
def page_file(name: str) -> bytes:
    """Return a file of the page without comments, indentation and spaces that mean nothing."""
    text = files("specfn.inspector").joinpath("page", name).read_text("utf-8")
    text = _LINES.sub("", text)
    if name in MODULES:
        text = _SPACES.sub(lambda match: match[0] if match[0][0] in '"`' else "", text)
    elif name.endswith(".css"):
        text = re.sub(r"\s*([{};,>])\s*|(?<=:)\s+", r"\1", text).replace(";}", "}")
    return text.encode()


@cache
def join_scripts() -> str:
    """Return all modules as one classic script, without imports and exports."""
    return f'(() => {{\n"use strict";\n{"".join(map(_without_imports, MODULES))}}})();\n'


def _without_imports(module: str) -> str:
    return _EXPORT.sub("", _IMPORT.sub("", page_file(module).decode()))


def read_page_file(name: str) -> tuple[bytes, str] | None:
    """Return a file that the served page loads, with its media type; ``None`` for any other name."""
    if name == "style.css":
        return page_file(name), "text/css; charset=utf-8"
    if name == "script.js":
        return join_scripts().encode(), "text/javascript; charset=utf-8"
    return None


def render_page(title: str) -> bytes:
    """Return the page that loads its script and its style from the same server."""
    return _fill(title, _SERVED_HEAD, (_SERVED_SCRIPT.encode(),))


def static_page(
    title: str, first: Mapping[str, bytes], rest: Iterable[tuple[str, bytes]]
) -> Iterator[bytes]:
    """Yield the page with its data, its style and its script inline.

    Args:
        title: the title of the page.
        first: JSON texts by identifier, before the script: the data of the first list.
        rest: JSON texts by identifier, after the script; the long ones are compressed.
    """
    style, script = page_file("style.css").decode(), join_scripts()
    policy = f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; {_COMMON}"
    head = (
        f'<meta http-equiv="Content-Security-Policy" content="{html.escape(policy)}">\n'
        f"<style>{style}</style>"
    )
    before, after = _around(title, head)
    yield before
    yield from (_data(identifier, text) for identifier, text in first.items())
    yield f"<script>{script}</script>\n".encode()
    yield from (_compressed_data(identifier, text) for identifier, text in rest)
    yield after


def _fill(title: str, head: str, body: Iterable[bytes]) -> bytes:
    before, after = _around(title, head)
    return b"".join((before, *body, after))


def _around(title: str, head: str) -> tuple[bytes, bytes]:
    """Return the page before and after its data and scripts."""
    page = page_file("index.html").decode()
    before, _, after = page.partition("<!-- scripts -->")
    before = before.replace("<!-- head -->", head).replace(
        "<title></title>", f"<title>{html.escape(title)}</title>"
    )
    return before.encode(errors="replace"), after.encode()


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


#: JSON texts with at least so many bytes are compressed.
_MIN_COMPRESSED_BYTES: Final = 1_000


def _compressed_data(identifier: str, text: bytes) -> bytes:
    """Return a block of JSON, which the page decompresses if it is long. The same text gives the same block."""
    if len(text) < _MIN_COMPRESSED_BYTES:
        return _data(identifier, text)
    encoded = b64encode(gzip.compress(text, mtime=0))
    return b'<script type="text/plain" id="%s">%s</script>\n' % (identifier.encode(), encoded)


def _data(identifier: str, text: bytes) -> bytes:
    """Return a block of JSON. No character of it can end the block: ``<`` is escaped."""
    escaped = text.replace(b"<", b"\\u003c")
    return b'<script type="application/json" id="%s">%s</script>\n' % (identifier.encode(), escaped)
