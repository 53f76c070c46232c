"""Count the bytes of six fields of pages of documented example items, compared with the whole pages.

Each array of objects in an example of a documented response is repeated to a page of 30 items. The six fields are the
first scalar ones whose names do not end with ``url``. Usage: ``python bench/count_fields.py DOCUMENT``.
"""

import json
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import specfn
from specfn.http.response.response import Result
from specfn.invocation.response_fields import ResponseFields

_ITEMS = 30
_FIELDS = 6
_NO_LIMIT = 10_000_000


class Counted(NamedTuple):
    """The bytes of one page, with all fields, with six, and of the JSON of six fields without any other text."""

    path: str
    whole: int
    six: int
    alone: int


def counted(document: Any, functions: Any) -> Iterator[Counted]:
    """Yield the pages of the GET operations that have paging.

    Args:
        document: the document as JSON.
        functions: the functions by ``GET /path``.
    """
    for path, item in document["paths"].items():
        for value in _examples(document, item.get("get") or {}):
            found = _page(value)
            function = functions[f"GET {path}"] if found else None
            if found is None or function.paging is None:
                continue
            data, names = found
            result = Result(status=200, headers={}, media_type="application/json", data=data)
            view = ResponseFields(keep=names, is_asked=True).view(function, result)
            text = "\n".join([view.result.for_model(_NO_LIMIT), *view.lines()])
            alone = json.dumps(view.result.data, separators=(",", ":"), ensure_ascii=False)
            whole = result.for_model(_NO_LIMIT)
            yield Counted(path, *(len(each.encode()) for each in (whole, text, alone)))


def _examples(document: Any, operation: Any) -> Iterator[Any]:
    response = _resolved(document, operation.get("responses", {}).get("200") or {})
    media = (response.get("content") or {}).get("application/json") or {}
    if "example" in media:
        yield media["example"]
    for example in (media.get("examples") or {}).values():
        yield _resolved(document, example).get("value")


def _resolved(document: Any, node: Any) -> Any:
    while "$ref" in node:
        reference, node = node["$ref"], document
        for name in reference[2:].split("/"):
            node = node[name.replace("~1", "/").replace("~0", "~")]
    return node


def _page(value: Any) -> tuple[Any, tuple[tuple[str, ...], ...]] | None:
    """Return a page of 30 items and the names of six fields; ``None`` if the example has no objects in an array."""
    members = value.items() if isinstance(value, dict) else [(None, value)]
    for key, items in members:
        if isinstance(items, list) and items and isinstance(items[0], dict):
            page = (items * _ITEMS)[:_ITEMS]
            above = () if key is None else (key,)
            scalars = [n for n, each in items[0].items() if not isinstance(each, dict | list)]
            plain = [name for name in scalars if not name.endswith("url")][:_FIELDS]
            return page if key is None else {**value, key: page}, tuple((*above, n) for n in plain)
    return None


def main() -> None:
    """Print the shares."""
    document = json.loads(Path(sys.argv[1]).read_text())
    rows = [*counted(document, specfn.load(document))]
    large = [row for row in rows if row.whole > 50_000]
    for title, pages in (("all pages", rows), ("pages above 50 KB", large)):
        median = statistics.median(row.six / row.whole for row in pages)
        share = sum(row.six for row in pages) / sum(row.whole for row in pages)
        alone = statistics.median(row.alone / row.whole for row in pages)
        print(
            f"{title}: {len(pages)}, median {median:.1%}, of all bytes {share:.1%}, "
            f"median without other text {alone:.1%}"
        )


if __name__ == "__main__":
    main()
