"""Which function a model meant by the name that it used (rule C4).

Names are keys of a table; they are never split to find a function. What differs from an advertised name
only in separators, letter case or wrapping is repaired; what differs in a letter is only suggested, because
the nearest name is often another function.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from specfn.calling.nearest import Neighbors, key_of
from specfn.function.handles import Named, aliases

Status: TypeAlias = Literal["exact", "repaired", "ambiguous", "unknown", "not_advertised"]
How: TypeAlias = Literal["exact", "hook", "cleaned", "alias", "separator"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """What became of a name.

    Attributes:
        called: the name that the model used.
        status: ``exact`` or ``repaired`` where a function was found; else why there is none.
        name: the advertised name of the function that was meant; ``None`` unless found.
        how: what repaired it; ``exact`` where nothing had to; ``None`` unless found.
        candidates: advertised names that were perhaps meant; at most three of an unknown name.
    """

    called: str
    status: Status
    name: str | None = None
    how: How | None = None
    candidates: tuple[str, ...] = ()


#: A caller's own reading of a name: an advertised name, or ``None`` to leave it to the others.
Hook: TypeAlias = Callable[[str], "str | Named | None"]

#: What models put around names.
_QUOTES: Final = " \t\r\n`'\"“”‘’«»"
_CALL: Final = re.compile(r"\s*\(.*\)\s*;?\s*\Z", re.DOTALL)
_PREFIX: Final = re.compile(
    r"(?:functions?|tools?|default_api|multi_tool_use|call)\s*(?:[.:/]|::)\s*", re.IGNORECASE
)

#: No name is longer than this; a text that is, is not searched.
_LONGEST: Final = 512


class Directory:
    """The names of functions, and everything else that they may be called by."""

    def __init__(self, functions: Iterable[tuple[str, Named]]) -> None:
        """Take pairs of an advertised name and its function; the names are unique."""
        self._names: dict[str, Named] = {}
        self._aliases: dict[str, set[str]] = {}
        self._keys: dict[str, set[str]] = {}
        self._neighbors: Neighbors | None = None
        for name, function in functions:
            self._names[name] = function
            for alias in aliases(function):
                self._aliases.setdefault(alias, set()).add(name)
            self._keys.setdefault(key_of(name), set()).add(name)

    def resolve(
        self,
        called: str,
        *,
        advertised: Collection[str] | None = None,
        hooks: Sequence[Hook] = (),
    ) -> Resolution:
        """Find the function that a model meant.

        Args:
            called: the name that the model used.
            advertised: the names that it was offered; all where ``None``. No other is ever found or named.
            hooks: asked in turn after the exact look-up and before any repair.
        """
        offered = self._names if advertised is None else advertised
        for how, found in self._readings(called, hooks):
            if len(found) > 1:
                candidates = tuple(sorted(name for name in found if name in offered))
                return Resolution(called=called, status="ambiguous", candidates=candidates)
            for name in found:
                if name not in offered:
                    near = self._suggest(called, offered)
                    return Resolution(called=called, status="not_advertised", candidates=near)
                status: Status = "exact" if how == "exact" else "repaired"
                return Resolution(called=called, status=status, name=name, how=how)
        candidates = self._suggest(called, offered)
        return Resolution(called=called, status="unknown", candidates=candidates)

    def _readings(self, called: str, hooks: Sequence[Hook]) -> Iterable[tuple[How, set[str]]]:
        """The names that each way of reading finds, in the order in which they count."""
        if called in self._names:
            yield "exact", {called}
        for hook in hooks:
            yield "hook", self._hooked(hook, called)
        if len(called) > _LONGEST:
            return
        clean = cleaned(called)
        if clean in self._names:
            yield "cleaned", {clean}
        key = key_of(clean)
        by_alias = self._aliases.get(clean, set()) | self._aliases.get(_spaced(clean), set())
        by_key = self._keys.get(key, set()) if key else set()
        yield ("separator" if by_key else "alias"), by_alias | by_key

    def _hooked(self, hook: Hook, called: str) -> set[str]:
        meant = hook(called)
        if meant is None:
            return set()
        if isinstance(meant, str):
            return {meant} & self._names.keys()
        return {name for name, function in self._names.items() if function is meant}

    def _suggest(self, called: str, offered: Collection[str]) -> tuple[str, ...]:
        """At most three advertised names that look like a name, best first."""
        if self._neighbors is None:
            self._neighbors = Neighbors(self._names)
        return self._neighbors.nearest(cleaned(called[:_LONGEST]), offered)


def cleaned(called: str) -> str:
    """A name without what models put around it: quotes, ``functions.``, a trailing ``()``."""
    text = unicodedata.normalize("NFKC", called).strip(_QUOTES)
    text = _CALL.sub("", text).strip(_QUOTES)
    while found := _PREFIX.match(text):
        text = text[found.end() :].strip(_QUOTES)
    return text


def _spaced(text: str) -> str:
    """``get   /pets`` as ``GET /pets``: how ``METHOD /path`` is written in the table."""
    method, _, path = text.partition(" ")
    return f"{method.upper()} {path.strip()}" if path else text
