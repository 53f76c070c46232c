"""Facts about all components that a downgrade needs before it writes one (rule N9)."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from specfn._internal.digest import digest
from specfn._internal.json import JsonObject
from specfn._internal.pointer import unescape
from specfn.document.references.components import PREFIX, reaching

#: Characters that a component's name must not contain (3.0, section Components Object).
_ILLEGAL: Final = re.compile(r"[^A-Za-z0-9._-]+")


def name_of(reference: Any) -> str | None:
    """Return the name of the component that a normalized reference names; ``None`` for other references."""
    if isinstance(reference, str) and reference.startswith(PREFIX):
        return unescape(reference[len(PREFIX) :])
    return None


def renamed(schemas: JsonObject) -> dict[str, str]:
    """Return a legal name for each component whose name 3.0 does not allow."""
    found: dict[str, str] = {}
    taken = set(schemas)
    for name in schemas:
        if _ILLEGAL.search(name) or not name:
            hashed = digest(name)
            base = _ILLEGAL.sub("_", name).strip("_") or "schema"
            new = base if base not in taken else f"{base}_{hashed[:6]}"
            found[name] = new if new not in taken else f"{base}_{hashed}"
            taken.add(found[name])
    return found


def using(seeds: Iterable[str], uses: Mapping[str, Iterable[str]]) -> set[str]:
    """Return the seeds, and every component that uses one of them directly or indirectly."""
    users: dict[str, list[str]] = {}
    for name, used in uses.items():
        for other in used:
            users.setdefault(other, []).append(name)
    return reaching(seeds, users)


def discriminated(schemas: JsonObject) -> frozenset[str]:
    """Return the components that have a discriminator, directly or through ``allOf`` and ``$ref``."""
    seeds: list[str] = []
    uses: dict[str, list[str]] = {}
    for name, schema in schemas.items():
        waiting, used = [schema], []
        while waiting:
            node = waiting.pop()
            if isinstance(node, dict):
                waiting.extend(node.get("allOf", ()))
                if "discriminator" in node:
                    seeds.append(name)
                other = name_of(node.get("$ref"))
                if other is not None:
                    used.append(other)
        uses[name] = used
    return frozenset(using(seeds, uses))
