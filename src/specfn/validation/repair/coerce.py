"""Coercion of arguments: repairs of unambiguous mistakes (rule V7).

Only invalid places are changed, and only if exactly one candidate makes the place valid. The whole schema always
validates the whole value: all places are tried at once, and a change is undone if the place or its surroundings
remain invalid. If several branches of a union are possible, and no tag selects one, the branch is a guess. Then a
candidate is used only if other candidates cannot lead to another branch.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from specfn._internal.pointer import Tokens, input_path
from specfn.records import ABSENT, ArgumentProblem, Repair
from specfn.validation.explain.explain import Explainer, Fault
from specfn.validation.explain.subschema_tasks import Guess
from specfn.validation.outcome import Failure, Success
from specfn.validation.plain_json import is_plain_json
from specfn.validation.repair.candidates import (
    DEFAULT_POLICY,
    CoercionPolicy,
    candidates,
    decode,
)
from specfn.validation.text.strict_json import integers_in_other_notation
from specfn.validation.validate import Diagnosis, Validator

#: The maximum number of rounds, of faults in all rounds, and of guesses that are compared.
_MAX_ROUNDS: Final = 64
_MAX_FAULTS: Final = 50_000
_MAX_GUESSES: Final = 100

#: The faults of a value that is beyond the limits.
_NOT_PLAIN_JSON: Final = (Fault(ArgumentProblem(path="$input", expected="any"), True),)

#: The key of a change: its place, its kind, and the identity of the schema of the place.
_Key: TypeAlias = tuple[Tokens, str, int]

#: Returns the faults of a value; ``is_plain`` if it is known to be plain JSON.
_FindFaults: TypeAlias = Callable[..., tuple[Fault, ...]]

#: The types of new values that may exceed the limits of plain JSON: depth, and number of values.
_CONTAINERS: Final = (dict, list)


def coerce(
    value: Any,
    validator: Validator,
    policy: CoercionPolicy = DEFAULT_POLICY,
    diagnosis: Diagnosis | None = None,
    *,
    opens: bool = False,
) -> Success | Failure:
    """Convert arguments where the intended value is unambiguous. The value itself is never changed.

    Args:
        value: the arguments.
        validator: their validator.
        policy: the permitted conversions.
        diagnosis: the validator's diagnosis of the arguments, if it is known.
        opens: whether an object or array that was sent as a string stays parsed although a value in it is invalid. The
            arguments stay invalid, but the errors are those inside.

    Returns:
        ``Success`` with the repairs, or ``Failure`` with the repairs that were made and the remaining errors.

    Raises:
        DocumentError: on first use, if the schema cannot be enforced.
    """
    diagnosis = validator.diagnose(value) if diagnosis is None else diagnosis
    faults, explainer, depth = diagnosis
    if explainer is not None:
        context = _Context(explainer, depth, policy)

        def find_faults(value: Any, *, is_plain: bool) -> tuple[Fault, ...]:
            return validator.diagnose(value, is_plain=is_plain).faults

        coercion = _Coercion(context, find_faults, value, faults, explainer.root)
        if coercion.run(opens=opens):
            return coercion.outcome()
    return diagnosis.outcome(value)


class _Change(NamedTuple):
    """A conversion that was made.

    Attributes:
        place: its place.
        kind: its name.
        before: the value before.
        after: the value after.
        node: the schema of the place.
        is_open: whether a value in it is still invalid and may be repaired later.
    """

    place: Tokens
    kind: str
    before: Any
    after: Any
    node: Any
    is_open: bool = False

    @property
    def key(self) -> _Key:
        """Return a key of the change. Schemas live as long as their explainer, so their identity is a key."""
        return self.place, self.kind, id(self.node)


class _RepairCase(NamedTuple):
    """A fault with the conversions that may repair it."""

    fault: Fault
    changes: list[_Change]


class _FaultPlaces:
    """The places of some faults, and the places around them."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.places: set[Tokens] = set()
        self._around: set[Tokens] = set()
        for fault in faults:
            place = fault.place
            self.places.add(place)
            self._around.update(place[:end] for end in range(len(place)))

    def inside(self, place: Tokens) -> bool:
        """Return whether a place contains a fault."""
        return place in self._around

    def reaches(self, place: Tokens, known: "_FaultPlaces") -> bool:
        """Return whether a place is invalid, or has an invalid ancestor that was valid before."""
        above = (place[:end] for end in range(len(place)))
        return place in self.places or any(
            outer in self.places and outer not in known.places for outer in above
        )


class _Context:
    """The shared state of one coercion, including the coercions of parts of the value.

    Attributes:
        facts: the types and texts that each place of the schema accepts.
        policy: the permitted conversions.
        fault_count: the number of faults so far.
        compared: the number of guesses that were compared with other branches.
    """

    def __init__(self, explainer: Explainer, depth: int, policy: CoercionPolicy) -> None:
        self._explainer = explainer
        self._depth = depth
        self.facts = explainer.facts
        self.policy = policy
        self.fault_count = 0
        self.compared = 0

    def note_notations(self, text: str) -> None:
        """Note the integers of a text of JSON that it does not write in plain digits."""
        decoded = decode(text, as_often=True)
        known = self.policy.not_digits
        integers = [*integers_in_other_notation(decoded.text if decoded else text, is_strict=True)]
        if integers:
            self.policy = self.policy._replace(not_digits=lambda: known().union(integers))

    def faults_in(self, node: Any, value: Any, *, is_plain: bool) -> tuple[Fault, ...]:
        """Return the faults of a part of the value in one node of the schema."""
        if is_plain or is_plain_json(value, self._depth):
            return self._explainer.faults_in(node, value)
        return _NOT_PLAIN_JSON


@dataclass(slots=True)
class _Coercion:
    """The state of one coercion: the value so far, and its faults.

    The value is plain JSON at first. It stays so as long as no change contains an array or object.
    """

    context: _Context
    find_faults: _FindFaults
    value: Any
    faults: tuple[Fault, ...]
    root: Any
    is_part: bool = False
    is_plain: bool = True
    taken: dict[Tokens, _Change] = field(default_factory=dict)
    excluded: set[Tokens] = field(default_factory=set)
    seen: dict[frozenset[_Key], tuple[Any, tuple[Fault, ...]]] = field(default_factory=dict)

    def run(self, *, opens: bool = False) -> bool:
        """Repeat until nothing changes. Return false if nothing was changed, or if the limit was reached."""
        for _ in range(_MAX_ROUNDS):
            cases = self._cases()
            chosen = self._choose(cases) if cases else []
            if not chosen:
                break
            changes = _outermost(chosen)
            self.value, self.faults = self._after(changes)
            self.is_plain = self.is_plain and not _holds_container(changes)
            self.taken.update(changes)
            self._undo_invalid()
        else:
            return False
        if not opens:
            self._undo_open()
        return bool(self.taken) and self.context.fault_count <= _MAX_FAULTS

    def outcome(self) -> Success | Failure:
        """Return the outcome with the repairs that were made."""
        repairs = tuple(
            Repair(
                path=input_path(place), kind=change.kind, before=change.before, after=change.after
            )
            for place, change in self.taken.items()
        )
        if not self.faults:
            return Success(data=self.value, repairs=repairs)
        errors = tuple(fault.problem for fault in self.faults)
        return Failure(data=self.value, errors=errors, repairs=repairs)

    def _cases(self) -> list[_RepairCase]:
        """Return the faults that may be repaired, with their candidates."""
        cases: list[_RepairCase] = []
        facts = self.context.facts
        for fault in self.faults:
            if fault.node is False and not fault.refused:
                continue  # no candidate exists there, and there may be very many such faults
            place = fault.place
            if place in self.taken or place in self.excluded:
                continue
            before = value_at(self.value, place)
            if before is not ABSENT:
                changes = [
                    _Change(place, kind, before, after, fault.node)
                    for kind, after in candidates(before, fault, place, facts, self.context.policy)
                    if kind != "omitted" or facts.declares(self.root, place)
                ]
                if changes:
                    cases.append(_RepairCase(fault, changes))
                if any(change.kind == "json" for change in changes):
                    self.context.note_notations(before)
        return cases

    def _choose(self, cases: list[_RepairCase]) -> list[_Change]:
        """Return the candidates that alone make their places valid."""
        known = _FaultPlaces(self.faults)
        right: dict[Tokens, list[_Change]] = {case.fault.place: [] for case in cases}
        opened: dict[Tokens, _Change] = {}
        for index in range(max(len(case.changes) for case in cases)):
            if self.context.fault_count > _MAX_FAULTS:
                return []
            changes = [case.changes[index] for case in cases if index < len(case.changes)]
            _, faults = self._after(_outermost(changes))
            fault_places = _FaultPlaces(faults)
            for change in changes:
                if not fault_places.reaches(change.place, known):
                    if not fault_places.inside(change.place):
                        right[change.place].append(change)
                    elif change.kind == "json":
                        opened[change.place] = change._replace(is_open=True)
        only = {
            place: changes[0]
            for place, candidates_of_place in right.items()
            if len(changes := _without_last_resort(candidates_of_place)) == 1
        }
        only.update((place, change) for place, change in opened.items() if not right[place])
        return self._without_rivals(cases, only)

    def _without_rivals(
        self, cases: list[_RepairCase], only: dict[Tokens, _Change]
    ) -> list[_Change]:
        """Return the candidates that do not depend on a guessed branch of a union, or whose branch is the only possible one."""
        compared: dict[Tokens, bool] = {}
        kept: list[_Change] = []
        for case in cases:
            guesses = case.fault.guesses
            if case.fault.place not in only or (self.is_part and guesses):
                continue
            for guess in guesses:
                if guess.place not in compared:
                    compared[guess.place] = self._has_rival(guess, only)
            if not any(compared[guess.place] for guess in guesses):
                kept.append(only[case.fault.place])
        return kept

    def _has_rival(self, guess: Guess, only: Mapping[Tokens, _Change]) -> bool:
        """Return whether other repairs would make another branch of the union valid, so that the guessed branch is uncertain."""
        self.context.compared += 1
        place, depth = guess.place, len(guess.place)
        if self.context.compared > _MAX_GUESSES:
            return True
        ours = {
            change.place[depth:]: change.after
            for change in only.values()
            if change.place[:depth] == place
        }
        part = value_at(self.value, place)
        for node in guess.others:
            find_faults = partial(self.context.faults_in, node)
            faults = find_faults(part, is_plain=False)
            other = _Coercion(
                self.context, find_faults, part, faults, node, is_part=True, is_plain=self.is_plain
            )
            if other.faults and other.run() and not other.faults:
                theirs = {place: change.after for place, change in other.taken.items()}
                if not all(_same(theirs.get(key, ABSENT), value) for key, value in ours.items()):
                    return True
        return False

    def _after(self, changes: Mapping[Tokens, _Change]) -> tuple[Any, tuple[Fault, ...]]:
        """Return the value after some changes, and its faults. The same set of changes is validated once.

        The limit of faults counts each search.
        """
        key = frozenset(change.key for change in (*self.taken.values(), *changes.values()))
        seen = self.seen.get(key)
        if seen is None:
            value = replace_places(
                self.value, {place: change.after for place, change in changes.items()}
            )
            is_plain = self.is_plain and not _holds_container(changes)
            seen = self.seen[key] = value, self.find_faults(value, is_plain=is_plain)
        self.context.fault_count += len(seen[1]) + 1
        return seen

    def _undo_invalid(self) -> None:
        """Undo changes that turn out invalid in combination with the others."""
        fault_places = _FaultPlaces(self.faults)
        wrong = [
            change
            for place, change in self.taken.items()
            if place in fault_places.places or (fault_places.inside(place) and not change.is_open)
        ]
        self.excluded.update(change.place for change in wrong)
        self._undo(wrong)

    def _undo_open(self) -> None:
        """Undo the parsing of strings that contain an invalid value."""
        fault_places = _FaultPlaces(self.faults)
        opened = [change for change in self.taken.values() if change.is_open]
        self._undo([change for change in opened if fault_places.inside(change.place)])

    def _undo(self, changes: list[_Change]) -> None:
        """Take changes back, with all changes inside of them, and validate again."""
        if not changes:
            return
        back = _outermost(changes)
        self.value = replace_places(
            self.value, {place: change.before for place, change in back.items()}
        )
        for place in [*self.taken]:
            if any(place[: len(outer)] == outer for outer in back):
                del self.taken[place]
        self.seen.clear()
        self.faults = self.find_faults(self.value, is_plain=self.is_plain)
        self.context.fault_count += len(self.faults) + 1


def _without_last_resort(changes: list[_Change]) -> list[_Change]:
    """Return the candidates without an array of one item, unless nothing else fits."""
    return [change for change in changes if change.kind != "array"] or changes


def _same(left: Any, right: Any) -> bool:
    return type(left) is type(right) and bool(left == right)


def _holds_container(changes: Mapping[Tokens, _Change]) -> bool:
    return any(type(change.after) in _CONTAINERS for change in changes.values())


def _outermost(changes: Iterable[_Change]) -> dict[Tokens, _Change]:
    """Return the changes whose place is not inside the place of another change."""
    by_place = {change.place: change for change in changes}
    return {
        place: change
        for place, change in by_place.items()
        if not any(place[:end] in by_place for end in range(len(place)))
    }


def replace_places(value: Any, changes: Mapping[Tokens, Any]) -> Any:
    """Return a value with some places replaced.

    Args:
        value: the value, which is not changed. The result shares all parts without a change.
        changes: the new value of each place; ``ABSENT`` removes a property. No place is inside another.
    """
    copies: dict[Tokens, Any] = {}
    root = value
    for place, new in changes.items():
        if not place:
            return new
        box = copies.get(())
        if box is None:
            box = root = copies[()] = value.copy()
        for depth in range(1, len(place)):
            above, inner = box, copies.get(place[:depth])
            if inner is None:
                inner = copies[place[:depth]] = above[place[depth - 1]].copy()
                above[place[depth - 1]] = inner
            box = inner
        if new is ABSENT:
            del box[place[-1]]
        else:
            box[place[-1]] = new
    return root


def value_at(value: Any, place: Tokens) -> Any:
    """Return the value at a place; ``ABSENT`` if the place does not exist."""
    for token in place:
        if type(value) is dict:
            value = value.get(token, ABSENT)
        elif type(value) is list and type(token) is int and token < len(value):
            value = value[token]
        else:
            return ABSENT
    return value
