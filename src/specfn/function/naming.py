"""Names of functions: those that every provider accepts, made from accessors (rules F1 and F2), and all others.

An option or a look-up may call a function by its name, dotted accessor, operationId or ``METHOD /path``.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from specfn._internal.digest import digest
from specfn._internal.values import brief
from specfn.errors import UsageError
from specfn.migrate.accessor import identifier
from specfn.records import method_and_path

if TYPE_CHECKING:
    from specfn.function.function_schemas import FunctionInterface

_SHORTEST: Final = 16
_WORD: Final = re.compile(r"(?<=[a-z0-9_])[A-Z]|(?<=[A-Za-z0-9])_")
_PARAMETER: Final = re.compile(r"And[A-Z]")
_HASH_DIGITS: Final = 6
_MISSING: Final = "the operation has no operationId; the function is named by its path"


def names(
    accessors: Sequence[Sequence[str]],
    identities: Sequence[str],
    max_length: int = 64,
) -> list[str]:
    """Join accessors by ``_`` and shorten those that are longer than a provider accepts.

    A name that fits is never changed. Of one that does not, leading namespace segments go; where that
    meets another name, or nothing fits, the name keeps its head and its tail around a hash of the operation.
    The hash depends on nothing but the operation, so the same operation has the same name in every run.

    Args:
        accessors: unique as ``migrate.accessor.assign`` makes them: also when joined, ignoring letter case.
        identities: ``METHOD path`` of each, as the document writes the path.
        max_length: the maximum number of characters of a name, at least 16.

    Returns:
        The names, aligned with the accessors, unique ignoring letter case.

    Raises:
        UsageError: ``max_length`` leaves no room for a head, a hash and a tail.
    """
    if max_length < _SHORTEST:
        raise UsageError(f"max_length must be at least {_SHORTEST}, not {max_length}")
    names = ["_".join(accessor) for accessor in accessors]
    long = [index for index, name in enumerate(names) if len(name) > max_length]
    if not long:
        return names
    taken = {name.lower() for name in names if len(name) <= max_length}
    for index, name in _unique_names(
        {index: _shorten(accessors[index], max_length) for index in long}
    ):
        if name.lower() not in taken:
            names[index] = name
    crowded = [index for index in long if len(names[index]) > max_length]
    taken.update(names[index].lower() for index in long)
    for index in sorted(crowded, key=identities.__getitem__):
        names[index] = _name_with_hash(accessors[index], identities[index], max_length, taken)
        taken.add(names[index].lower())
    return names


def by_operation_id(
    accessors: Sequence[tuple[str, ...]],
    operation_ids: Sequence[Any],
    identities: Sequence[str],
) -> list[tuple[tuple[str, ...], str | None]]:
    """Return the parts of each name where operationIds are the names, and why one is not.

    An operationId that is missing, or that equals another name, gives way to the accessor. An accessor
    that is used instead may equal the operationId of another operation, which then gives way, too.

    Args:
        accessors: as in ``names``.
        operation_ids: those of the document. A value that is not a text, or an empty text, counts as missing.
        identities: as in ``names``.

    Returns:
        Aligned with the accessors: parts to give to ``names``, and one sentence, or ``None``.
    """
    ids = [
        identifier(given) if isinstance(given, str) and given else None for given in operation_ids
    ]
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for index, name in enumerate(ids):
        if name is not None:
            holders[name.lower()].append(index)
    reasons = {index: _MISSING for index, name in enumerate(ids) if name is None}
    for same in holders.values():
        for index, other in zip(same, [*same[1:], same[0]], strict=True) if same[1:] else ():
            reasons[index] = _equal(operation_ids[index], identities[other])
    waiting = list(reasons)
    while waiting:
        other = waiting.pop()
        for index in holders.get("_".join(accessors[other]).lower(), ()):
            if index not in reasons:
                reasons[index] = _equal(operation_ids[index], identities[other])
                waiting.append(index)
    return [
        (accessor if name is None or index in reasons else (name,), reasons.get(index))
        for index, (accessor, name) in enumerate(zip(accessors, ids, strict=True))
    ]


def _equal(operation_id: str, other: str) -> str:
    return (
        f"operationId {brief(operation_id)} is not unique: {other} has the same one; "
        "the function is named by its path"
    )


def _unique_names(shortened: dict[int, str | None]) -> Iterator[tuple[int, str]]:
    """Yield the shortened names that are unique among each other."""
    met = Counter(name.lower() for name in shortened.values() if name)
    return ((index, name) for index, name in shortened.items() if name and met[name.lower()] == 1)


def _shorten(accessor: Sequence[str], max_length: int) -> str | None:
    """Return the longest run of last elements that fits; ``None`` if not even the last one does."""
    kept: str | None = None
    for element in reversed(accessor):
        longer = element if kept is None else f"{element}_{kept}"
        if len(longer) > max_length:
            break
        kept = longer
    return kept


def _name_with_hash(
    accessor: Sequence[str], identity: str, max_length: int, taken: Collection[str]
) -> str:
    """Return the first free name with a hash."""
    candidates = (
        _wrap_hash(accessor, digest, max_length) for digest in _digests(identity, max_length)
    )
    return next(name for name in candidates if name.lower() not in taken)


def _digests(identity: str, max_length: int) -> Iterator[str]:
    """Yield hashes to try: six hexadecimal digits of SHA-256, then more, then those of the hash itself."""
    longest = min(64, max_length - 4)
    hashed = digest(identity)
    while True:
        for digits in range(_HASH_DIGITS, longest + 1):
            yield hashed[:digits]
        hashed = digest(bytes.fromhex(hashed))


def _wrap_hash(accessor: Sequence[str], digest: str, max_length: int) -> str:
    """Return a name that consists of a beginning, a hash, and an end.

    The head is the most informative part: the nearest segments and the verb, then as many parameters as fit. The tail
    is the last parameter, or the whole last element if it is short.
    """
    *namespace, last = accessor
    room = max_length - len(digest) - 2
    if namespace and len(last) <= room // 2:
        return f"{_nearest(namespace, room - len(last))}_{digest}_{last}"
    ahead = room - max(1, room // 4)
    verb = min(_verb(last), max(1, ahead // 3))
    nearest = _nearest(namespace, ahead - verb - 1)
    start = f"{nearest}_" if nearest else ""
    kept = max(verb, _word_end(last, ahead - len(start)))
    if nearest and kept == len(last):
        return f"{nearest}_{digest}_{last}"
    head = start + last[:kept]
    tail = _tail(last, max(kept, len(last) - (room - len(head)))) or last[-1]
    return f"{head}_{digest}_{tail}"


def _verb(last: str) -> int:
    """Return the index at which the parameters of a last element begin, at most 8."""
    most = min(8, len(last))
    return next((index for index in range(1, most) if last[index].isupper()), most)


def _nearest(namespace: Sequence[str], room: int) -> str:
    """Return the last segments that fit, or the beginning of the last one."""
    if not namespace or room < 1:
        return ""
    return _shorten(namespace, room) or namespace[-1][: _word_end(namespace[-1], room) or room]


def _word_end(text: str, most: int) -> int:
    """Return the position after the last whole word within ``most`` characters, or 0."""
    if len(text) <= most:
        return len(text)
    return max((boundary.start() for boundary in _WORD.finditer(text, 1, most + 1)), default=0)


def _tail(last: str, start: int) -> str:
    """Return the end of a last element from the first parameter or word after a position."""
    rest = last[start:]
    boundary = _PARAMETER.search(rest) or _WORD.search(rest)
    return (boundary and rest[boundary.start() :].lstrip("_")) or rest


def handles(function: "FunctionInterface") -> tuple[str, ...]:
    """Return the name, the dotted accessor, the operationId and ``METHOD /path``."""
    return (function.name, *aliases(function))


def aliases(function: "FunctionInterface") -> tuple[str, ...]:
    """Return the handles besides the name: dotted accessor, operationId and ``METHOD /path``."""
    own = (function.operation_id,) if function.operation_id else ()
    return (".".join(function.accessor), *own, function.method_and_path)


def exact_handles(function: "FunctionInterface") -> tuple[str, ...]:
    """Return all keys of a function in ``Application`` except its name, with the joined accessor."""
    return (*aliases(function), "_".join(function.accessor))


def normalize_handle(text: str) -> str:
    """Return ``get   /pets`` as ``GET /pets``: the spelling of ``METHOD /path`` in a table of handles."""
    method, _, path = text.partition(" ")
    return method_and_path(method, path.strip()) if path else text


def operation_ids(function: "FunctionInterface") -> tuple[str, ...]:
    """Return the operationId, or nothing."""
    return () if function.operation_id is None else (function.operation_id,)
