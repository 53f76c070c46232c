"""The differences between two documents, each with its declarations side by side."""

from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.application.application import Application
from specfn.comparison.compare import compare
from specfn.comparison.difference import Difference
from specfn.inspector.document_places import declarations, steps_of_path, value_at

#: The place of the declarations of security schemes.
_SCHEMES: Final = "/components/securitySchemes"


def changes(old: Application, new: Application) -> JsonObject:
    """Return the differences, and the values at the places that they name.

    Returns:
        ``differences``, each with ``old_pointer`` and ``new_pointer`` of the nearest common declaration; and ``old``
        and ``new``, the values by pointer.
    """
    sides: dict[str, JsonObject] = {"old": {}, "new": {}}
    differences = []
    for each in compare(old, new):
        pointers = _pointers(old.document, new.document, each)
        for side, application, pointer in zip(sides, (old, new), pointers, strict=True):
            if pointer is not None and pointer not in sides[side]:
                sides[side][pointer] = value_at(application.document, pointer)
        differences.append(
            {**each.as_json(), "old_pointer": pointers[0], "new_pointer": pointers[1]}
        )
    title: Any = old.document.get("info")
    return {
        "version": str(title.get("version", "")) if isinstance(title, dict) else "",
        "differences": differences,
        **sides,
    }


def _pointers(old: JsonObject, new: JsonObject, each: Difference) -> tuple[str | None, str | None]:
    """Return the deepest declarations that both documents have; those of the difference for no schema."""
    before, after = each.old_pointer, each.new_pointer
    if each.kind == "security" and each.before == each.after:
        return _SCHEMES, _SCHEMES  # the requirement is the same, but one of its schemes is not
    root, steps = steps_of_path(each.place)
    if not root or before is None or after is None:
        return before, after
    old_trail, new_trail = declarations(old, before, steps), declarations(new, after, steps)
    depth = min(len(old_trail), len(new_trail)) - 1
    return old_trail[depth], new_trail[depth]
