"""Upgrades of a schema that concern several keywords (rule N7). Each changes the dict that it receives.

The sets name the keywords that an upgrade needs; without them it is skipped.
"""

import re
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.document.upgrade.keywords import DROP, Upgrade, is_true, number, positive, schema_map

#: The URIs of the metaschemas before 2019-09.
_OLDER: Final = re.compile(r"json-schema\.org/draft-0[3-7]/")

#: Identifiers of schemas. After the upgrade every reference names a component, so they are not needed.
IDENTITY = frozenset(("$id", "$schema", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "id"))

BOUNDS = frozenset(("exclusiveMinimum", "exclusiveMaximum", "divisibleBy"))
TUPLE = frozenset(("items", "additionalItems"))


def drop_identity(out: JsonObject) -> None:
    """Remove identifiers and anchors. An ``id`` that is not a string is not draft 4's identifier."""
    for key in IDENTITY:
        if key != "id" or isinstance(out.get("id"), str):
            out.pop(key, None)


def upgrade_tuple(upgrade: Upgrade, out: JsonObject, depth: int) -> None:
    """Upgrade ``items`` as a list and ``additionalItems`` to ``prefixItems`` and ``items``."""
    items = out.get("items")
    rest = out.pop("additionalItems", None)
    if isinstance(items, list):
        del out["items"]
        if items:
            out.setdefault("prefixItems", [upgrade.schema(item, depth + 1) for item in items])
        if rest is not None:
            out["items"] = upgrade.schema(rest, depth + 1)


def upgrade_bounds(out: JsonObject) -> None:
    """Upgrade boolean exclusive bounds (draft 4, OpenAPI 3.0) to numbers, ``divisibleBy`` to ``multipleOf``."""
    for exclusive, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        value = out.get(exclusive)
        if isinstance(value, bool | str):
            del out[exclusive]
            if is_true(value) and bound in out:
                out[exclusive] = out.pop(bound)
        elif exclusive in out and number(None, value, 0) is DROP:
            del out[exclusive]
    divisor = out.pop("divisibleBy", None)
    if divisor is not None and positive(None, divisor, 0) is not DROP:
        out.setdefault("multipleOf", divisor)


def is_before_2019(dialect: Any) -> bool:
    """Return whether a dialect has ``dependencies``, which 2019-09 replaced by two keywords."""
    return isinstance(dialect, str) and _OLDER.search(dialect) is not None


def upgrade_dependencies(upgrade: Upgrade, out: JsonObject, depth: int) -> None:
    """Upgrade ``dependencies`` (drafts 3 to 7) to ``dependentRequired`` and ``dependentSchemas``."""
    value = out.pop("dependencies")
    members = value.items() if isinstance(value, dict) else ()
    required = {name: each for name, each in members if isinstance(each, list)}
    for name, names in required.items():
        known = out.get("dependentRequired", {})
        asked = [*known.get(name, ()), *(each for each in names if isinstance(each, str))]
        out["dependentRequired"] = {**known, name: list(dict.fromkeys(asked))}
    schemas = schema_map(upgrade, {k: v for k, v in members if isinstance(v, dict | bool)}, depth)
    for name, schema in schemas.items():
        known = out.get("dependentSchemas", {})
        whole = {"allOf": [known[name], schema]} if name in known else schema
        out["dependentSchemas"] = {**known, name: whole}


def upgrade_example(out: JsonObject) -> None:
    """Upgrade ``example`` to ``examples``."""
    example = out.pop("example")
    out.setdefault("examples", [example])
