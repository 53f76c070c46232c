"""Lock files: fingerprints of reviewed functions, and the changes since the review (threat T14)."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from specfn._internal.json import JSONDecodeError, JsonObject, dumps_indented, loads
from specfn.errors import UsageError
from specfn.function.fingerprint import combine_fingerprints, parts
from specfn.function.function import Function

_Kind: TypeAlias = Literal["added", "removed", "changed", "renamed"]
_Parts: TypeAlias = frozenset[tuple[str, str]]

#: The member of a lock that contains its version.
_VERSION: Final = "specfn-lock"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change of one function since its review.

    Attributes:
        name: the function's name.
        kind: ``added``, ``removed``, ``changed`` or ``renamed``.
        parts: the changed parts, if they are known: ``description``, ``parameters``, ``output``, ``wire`` (how it is
            sent) or ``llm`` (the model's part of the parameters).
        before: the former name of a renamed function.
    """

    name: str
    kind: _Kind
    parts: tuple[str, ...] = ()
    before: str | None = None

    def __str__(self) -> str:
        if self.kind == "renamed":
            return f"{self.before} is now called {self.name}"
        if self.kind == "changed":
            named = ["the model's part" if part == "llm" else part for part in self.parts]
            where = f" ({', '.join(named)})" if named else ""
            return f"{self.name} changed{where}"
        return f"{self.name} is {'new' if self.kind == 'added' else 'gone'}"


def lock(functions: Sequence[Function], overlays: Sequence[str] = ()) -> str:
    """Return the fingerprints of functions and of their parts as JSON text in lines, for a file and for diffs.

    The names of overlays are for readers; what the overlays change is in the fingerprints.
    """
    entries = {
        function.name: {"fingerprint": function.fingerprint, **parts(function)}
        for function in functions
    }
    whole = combine_fingerprints(function["fingerprint"] for function in entries.values())
    named = {"overlays": [*overlays]} if overlays else {}
    content = {_VERSION: 1, **named, "fingerprint": whole, "functions": entries}
    return dumps_indented(content).decode() + "\n"


def changes(functions: Sequence[Function], expected: str | Mapping[str, Any]) -> tuple[Change, ...]:
    """Return the changes since a lock was written, or since fingerprints were stored.

    Args:
        functions: of the application, as it is now.
        expected: a lock, as text or read; or fingerprints by function name.

    Raises:
        UsageError: it is neither.
    """
    known = _read(expected)
    now = {function.name: function for function in functions}
    gone = _MissingFunctions((name, entry) for name, entry in known.items() if name not in now)
    differences: list[Change] = []
    for name, function in now.items():
        if name not in known:
            before = gone.find_renamed(parts(function))
            kind: _Kind = "added" if before is None else "renamed"
            differences.append(Change(name=name, kind=kind, before=before))
        elif known[name]["fingerprint"] != function.fingerprint:
            changed = tuple(_changes_of_parts(known[name], parts(function)))
            differences.append(Change(name=name, kind="changed", parts=changed))
    return (*differences, *(Change(name=name, kind="removed") for name in gone.names))


def _changes_of_parts(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    """Yield the parts that differ, if fingerprints of the parts are known."""
    if len(before) > 1:
        yield from (key for key in after if before.get(key) != after[key])
        yield from (key for key in before if key not in after and key != "fingerprint")


class _MissingFunctions:
    """The reviewed functions that no longer exist, to recognize a renamed one by the fingerprints of its parts.

    Attributes:
        names: the names of the functions for which no renamed one was found so far, in their order.
    """

    def __init__(self, entries: Iterable[tuple[str, Mapping[str, str]]]) -> None:
        self.names: dict[str, None] = {}
        self._alike: defaultdict[_Parts, deque[str]] = defaultdict(deque)
        for name, entry in entries:
            self.names[name] = None
            made_of = {key: value for key, value in entry.items() if key != "fingerprint"}
            self._alike[_key(made_of)].append(name)

    def find_renamed(self, made_of: Mapping[str, str]) -> str | None:
        """Return the first missing function with the same parts and mark it as found, or ``None``."""
        alike = self._alike.get(_key(made_of))
        if not alike:
            return None
        name = alike.popleft()
        del self.names[name]
        return name


def _key(made_of: Mapping[str, str]) -> _Parts:
    return frozenset(made_of.items())


def _read(expected: str | Mapping[str, Any]) -> Mapping[str, Mapping[str, str]]:
    """Return the fingerprint of each function, and those of its parts if they are known."""
    if isinstance(expected, str):
        try:
            expected = loads(expected)
        except JSONDecodeError as error:
            raise UsageError(
                f"`expect` is not valid JSON: {error}; expected the text of application.lock()"
            ) from error
    if not isinstance(expected, Mapping):
        raise UsageError(
            f"`expect` is a JSON {type(expected).__name__}; expected the text of application.lock()"
        )
    entries: Any = expected
    if _VERSION in expected:
        if expected[_VERSION] != 1:
            raise UsageError(
                f"the lock has the version {expected[_VERSION]!r}; expected version 1; "
                "write it again with application.lock()"
            )
        entries = expected.get("functions")
    read = {name: _entry(entry) for name, entry in _dict(entries).items()}
    if not isinstance(entries, Mapping) or None in read.values():
        raise UsageError(
            "`expect` has another form; expected the text of application.lock(), "
            "or application.fingerprints"
        )
    return {name: entry for name, entry in read.items() if entry is not None}


def _entry(entry: Any) -> Mapping[str, str] | None:
    if isinstance(entry, str):
        return {"fingerprint": entry}
    if not isinstance(entry, Mapping) or "fingerprint" not in entry:
        return None
    return entry if all(isinstance(value, str) for value in entry.values()) else None


def _dict(value: Any) -> JsonObject:
    return dict(value) if isinstance(value, Mapping) else {}
