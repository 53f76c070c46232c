"""Objects as HTML for a notebook (``_repr_html_``): every text is escaped, and the size is limited.

A document, a model or a server wrote most of the texts. The HTML contains no attributes, scripts or styles.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from specfn._internal.characters import escape_invisible
from specfn._internal.json import dumps_indented

#: Limits: the rows of a table, the characters of a cell, and those of a longer text or a JSON value.
_ROWS: Final = 50
_CELL: Final = 200
_TEXT: Final = 4_000

_ENTITIES: Final = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"}
)


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        title: the text above it.
        columns: the heads of its columns.
        rows: the cells of each row; only the first rows are read.
        total: the number of all rows.
    """

    title: str
    columns: Sequence[str]
    rows: Iterable[Sequence[object]]
    total: int


def html(
    title: str,
    *,
    text: str = "",
    tables: Iterable[Table] = (),
    values: Mapping[str, Any] | None = None,
) -> str:
    """Return HTML with a title, a text, tables, and JSON values that a click opens. Tables without rows are omitted.

    Args:
        title: the name of the object.
        text: a text with its line ends.
        tables: the tables.
        values: JSON values or longer texts by title.
    """
    parts = [f"<p><b>{_escaped(title, _CELL)}</b></p>"]
    if text:
        parts.append(_preformatted(text))
    for table in tables:
        parts += _table(table) if table.total else ()
    for name, value in (values or {}).items():
        shown = value if isinstance(value, str) else dumps_indented(value).decode()
        summary = f"<summary>{_escaped(name, _CELL)}</summary>"
        parts.append(f"<details>{summary}{_preformatted(shown)}</details>")
    return f"<div>{''.join(parts)}</div>"


def _table(table: Table) -> Iterator[str]:
    yield f"<p>{_escaped(table.title, _CELL)}</p><table><thead><tr>"
    yield from (f"<th>{_escaped(column, _CELL)}</th>" for column in table.columns)
    yield "</tr></thead><tbody>"
    for row in islice(table.rows, _ROWS):
        cells = (f"<td>{_escaped(str(cell), _CELL)}</td>" for cell in row)
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody></table>"
    if table.total > _ROWS:
        yield f"<p>and {table.total - _ROWS:,} more</p>"


def _preformatted(text: str) -> str:
    return f"<pre>{_escaped(text, _TEXT)}</pre>"


def _escaped(text: str, most: int) -> str:
    """Return the beginning of a text without characters that have a meaning in HTML or are invisible."""
    shown = escape_invisible(text[:most]) + ("…" if len(text) > most else "")
    return shown.translate(_ENTITIES)
