"""The operations of a document (rule R1)."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from specfn._internal.json import JsonObject
from specfn._internal.pointer import join
from specfn.document.upgrade.openapi3 import METHODS, is_name


class Operation(NamedTuple):
    """One operation of the document. ``raw`` may be any JSON value."""

    method: str
    path: str
    raw: Any
    item: JsonObject
    pointer: str
    additional: bool = False


def operations(document: JsonObject) -> Iterator[Operation]:
    """Yield every operation of ``paths``, in document order."""
    paths = document.get("paths")
    for path, item in paths.items() if isinstance(paths, dict) else ():
        if not is_name(path) or not isinstance(item, dict):
            continue
        for key, raw in item.items():
            if key in METHODS:
                pointer = join(("paths", path, key))
                yield Operation(method=key, path=path, raw=raw, item=item, pointer=pointer)
            elif key == "additionalOperations" and isinstance(raw, dict):
                for method, inner in raw.items():
                    pointer = join(("paths", path, key, method))
                    yield Operation(
                        method=method,
                        path=path,
                        raw=inner,
                        item=item,
                        pointer=pointer,
                        additional=True,
                    )
