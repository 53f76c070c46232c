"""Arguments with what was written wrongly but plainly read as it was meant: ``coerce`` (rule V7).

Only places that are wrong are looked at, and a reading is taken only if it alone makes its place right. The
judge is always the whole schema on the whole value: all places are tried at once, and what still fails, or makes
something around it fail, is put back.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from specfn._pointer import input_path
from specfn.records import ABSENT, Repair
from specfn.validation.drawing import tokens_of
from specfn.validation.edits import Place, at, changed
from specfn.validation.explain import Fault
from specfn.validation.facts import Facts
from specfn.validation.outcome import Failure, Success, success
from specfn.validation.readings import PLAIN, Policy, Reading, readings
from specfn.validation.validate import Validator

#: The most rounds, and the most faults that all of them may look at.
_ROUNDS: Final = 64
_FAULTS: Final = 50_000


def coerce(
    value: Any, validator: Validator, policy: Policy = PLAIN, *, opens: bool = False
) -> Success | Failure:
    """Read arguments as they were meant, where that is plain. The value itself is never changed.

    Args:
        value: the arguments.
        validator: what they must be.
        policy: what may be read into them.
        opens: whether an object or array that was sent as a string stays opened although something in it is
            wrong. That place is still wrong, but the faults are those inside.

    Returns:
        ``Success`` with the repairs, or ``Failure`` with those that were made and what is still wrong.

    Raises:
        DocumentError: on first use, if the schema is not one that can be enforced.
    """
    if validator.is_valid(value):
        return success(value)
    faults, facts = validator.faults(value)
    if facts is not None:
        coercion = _Coercion(validator, facts, policy, value, faults)
        if coercion.run():
            coercion.shut(opens=opens)
        else:
            coercion.taken.clear()
        if coercion.taken:
            return coercion.outcome()
    return Failure(data=value, errors=tuple(fault.problem for fault in faults))


class _Change(NamedTuple):
    """A reading that was taken."""

    place: Place
    kind: str
    before: Any
    after: Any
    open: bool = False


class _Case(NamedTuple):
    """A place that is wrong, with what may be read there."""

    place: Place
    before: Any
    readings: list[Reading]


class _Blame:
    """The places that some faults are about, and those around them."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.places: set[Place] = set()
        self.around: set[Place] = set()
        for fault in faults:
            place = tokens_of(fault.problem.path)
            if place is not None:
                self.places.add(place)
                self.around.update(place[:end] for end in range(len(place)))

    def inside(self, place: Place) -> bool:
        """Whether something within a place is wrong."""
        return place in self.around

    def reaches(self, place: Place, known: "_Blame") -> bool:
        """Whether a place, or something around it that was not wrong before, is wrong."""
        above = (place[:end] for end in range(len(place)))
        return place in self.places or any(
            outer in self.places and outer not in known.places for outer in above
        )


@dataclass(slots=True)
class _Coercion:
    """The state of one coercion: the value as it is so far, and what is wrong with it."""

    validator: Validator
    facts: Facts
    policy: Policy
    value: Any
    faults: tuple[Fault, ...]
    taken: dict[Place, _Change] = field(default_factory=dict)
    barred: set[Place] = field(default_factory=set)
    spent: int = 0

    def run(self) -> bool:
        """Go on until nothing changes; false if that takes too long, and then nothing may be used."""
        for _ in range(_ROUNDS):
            cases = self._cases()
            chosen = self._chosen(cases) if cases else []
            if not chosen:
                return self.spent <= _FAULTS
            self._take(chosen)
            self._put_back()
        return False

    def shut(self, *, opens: bool) -> None:
        """Put back the strings in which something is still wrong, unless they are to stay open."""
        if not opens:
            blame = _Blame(self.faults)
            opened = [change for change in self.taken.values() if change.open]
            self._undo([change for change in opened if blame.inside(change.place)])

    def outcome(self) -> Success | Failure:
        """What it came to."""
        repairs = tuple(
            Repair(
                path=input_path(change.place),
                kind=change.kind,
                before=change.before,
                after=change.after,
            )
            for change in self.taken.values()
        )
        if not self.faults:
            return Success(data=self.value, repairs=repairs)
        errors = tuple(fault.problem for fault in self.faults)
        return Failure(data=self.value, errors=errors, repairs=repairs)

    def _cases(self) -> list[_Case]:
        found: list[_Case] = []
        for fault in self.faults:
            place = tokens_of(fault.problem.path)
            if place is None or place in self.taken or place in self.barred:
                continue
            before = at(self.value, place)
            if before is not ABSENT:
                ways = readings(before, fault, place, self.facts, self.policy)
                found.extend([_Case(place, before, ways)] if ways else [])
        return found

    def _chosen(self, cases: list[_Case]) -> list[_Change]:
        """The readings that are the only ones to make their places right."""
        known = _Blame(self.faults)
        right: dict[Place, list[_Change]] = {case.place: [] for case in cases}
        opened: dict[Place, _Change] = {}
        for index in range(max(len(case.readings) for case in cases)):
            tried = [case for case in cases if index < len(case.readings)]
            blame = self._try({case.place: case.readings[index].value for case in tried})
            if blame is None:
                return []
            for case in tried:
                reading = case.readings[index]
                change = _Change(case.place, reading.kind, case.before, reading.value)
                if not blame.reaches(case.place, known):
                    if not blame.inside(case.place):
                        right[case.place].append(change)
                    elif reading.kind == "json":
                        opened[case.place] = change._replace(open=True)
        chosen = [changes[0] for changes in right.values() if len(changes) == 1]
        return chosen + [change for place, change in opened.items() if not right[place]]

    def _try(self, changes: Mapping[Place, Any]) -> _Blame | None:
        """What is wrong with some places changed; ``None`` if it has taken too long."""
        if self.spent > _FAULTS:
            return None
        faults, _ = self.validator.faults(changed(self.value, _apart(changes)))
        self.spent += len(faults) + 1
        return _Blame(faults)

    def _take(self, chosen: list[_Change]) -> None:
        changes = _apart({change.place: change.after for change in chosen})
        self.value = changed(self.value, changes)
        self.taken.update((change.place, change) for change in chosen if change.place in changes)
        self._look()

    def _put_back(self) -> None:
        """Put back what turned out wrong together with the rest."""
        blame = _Blame(self.faults)
        wrong = [
            change
            for place, change in self.taken.items()
            if place in blame.places or (blame.inside(place) and not change.open)
        ]
        if wrong:
            self.barred.update(change.place for change in wrong)
            self._undo(wrong)

    def _undo(self, changes: list[_Change]) -> None:
        if not changes:
            return
        back = _apart({change.place: change.before for change in changes})
        self.value = changed(self.value, back)
        for place in [*self.taken]:
            if any(place[: len(outer)] == outer for outer in back):
                del self.taken[place]
        self._look()

    def _look(self) -> None:
        self.faults, _ = self.validator.faults(self.value)
        self.spent += len(self.faults) + 1


def _apart(changes: Mapping[Place, Any]) -> dict[Place, Any]:
    """The changes that are in no place that is changed itself."""
    return {
        place: new
        for place, new in changes.items()
        if not any(place[:end] in changes for end in range(len(place)))
    }
