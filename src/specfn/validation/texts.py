"""The words of a problem: what belongs in a place, and what more must be said (rules V2, V3)."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from specfn._pointer import input_path
from specfn.schema.describe import Schema, describe
from specfn.validation.prepare import Prepared

#: How many names a sentence lists, and how long each may be.
_NAMES: Final = 12
_LENGTH: Final = 60

_ROOT: Final = len(input_path(()))


@lru_cache(maxsize=4096)
def step(token: str | int) -> str:
    """One token of an ``$input`` path: ``.limit``, ``[3]`` or ``["a-b"]``."""
    return input_path((token,))[_ROOT:]


def listed(names: list[str]) -> str:
    """Names as a sentence lists them."""
    shown = [name if len(name) <= _LENGTH else "..." for name in names[:_NAMES]]
    if len(names) > _NAMES:
        shown.append(f"{len(names) - _NAMES} more")
    return " and ".join((", ".join(shown[:-1]), shown[-1])) if len(shown) > 1 else shown[0]


class Texts:
    """The type texts of one prepared schema, each written once."""

    def __init__(self, prepared: Prepared, definitions: Mapping[str, Schema]) -> None:
        """Take a schema and the definitions that its texts may name."""
        self._prepared = prepared
        self._definitions = definitions
        self._texts: dict[tuple[int, bool], str] = {}
        self._pairs: dict[tuple[int, int, bool], tuple[str, str | None]] = {}

    def of(self, node: Any, *, optional: bool = False) -> str:
        """The type text of a prepared node, as the given schema has it."""
        key = (id(node), optional)
        text = self._texts.get(key)
        if text is None:
            origin = self._prepared.origins.get(id(node), node is not False)
            text = self._texts[key] = describe(origin, self._definitions, optional=optional)
        return text

    def both(self, node: Any, holder: Any, *, optional: bool) -> tuple[str, str | None]:
        """The text of a place, and a sentence on the schema that failed there if the text does not show it."""
        key = (id(node), id(holder), optional)
        pair = self._pairs.get(key)
        if pair is None:
            expected = self.of(node, optional=optional)
            part = expected if holder is None else self.of(holder)
            more = None if part in expected else f"It must be {part}."
            pair = self._pairs[key] = (expected, more)
        return pair
