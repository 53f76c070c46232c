"""The engine where jsonschema-rs is not: jsonschema, with its keywords made to agree (rules V1, V5).

It is hundreds of times slower, and is told apart from the other in one more way: it knows no properties of Unicode but
general categories and a few more, so a pattern that names a script is not enforced.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import SchemaError, ValidationError
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from specfn._json import JsonObject
from specfn._pointer import join
from specfn.errors import DocumentError
from specfn.validation.ecma import PatternError
from specfn.validation.machine import (
    Automaton,
    OutOfStepsError,
    Searcher,
    machine,
    purse,
)
from specfn.validation.patterns import HEAVY, REFUSED, Judgement, texts_of, weigh
from specfn.validation.prepare import HOME, Prepared
from specfn.validation.room import with_room
from specfn.validation.rules import Agreeing

#: The most work, in states times characters, that the patterns of one validation may need.
_WORK: Final = 20_000_000


class Python:
    """jsonschema: a tenth of a millisecond for ordinary arguments."""

    name = "python"

    def judge(self, pattern: str) -> Judgement:
        """Judge one pattern, once per process."""
        return _judge(pattern)

    def spell(self, pattern: str) -> str:
        """A pattern as it is."""
        return pattern

    def matches(self, spelled: str, text: str) -> bool:
        """Whether a pattern is found in a text."""
        try:
            return machine(spelled).search(text)
        except (PatternError, OutOfStepsError):
            return False

    def price(self, patterns: Iterable[str]) -> "_Price | None":
        """What patterns need; ``None`` where there are none."""
        kept = tuple(pattern for pattern in patterns if self.judge(pattern).kind != "refused")
        return _Price(kept) if kept else None

    def whole(self, prepared: Prepared) -> Callable[[Any], bool]:
        """Compile a whole schema to a verdict.

        Raises:
            DocumentError: it is not a schema.
        """
        try:
            Draft202012Validator.check_schema(prepared.schema, FormatChecker(formats=()))
        except SchemaError as error:
            pointer = _pointer(prepared, list(error.absolute_path))
            reason = f"not a JSON Schema: {error.message.partition(chr(10))[0][:300]}"
            raise DocumentError(reason, pointer=pointer) from None
        return _Compiled(prepared.schema, _registry(prepared)).is_valid

    def parts(self, prepared: Prepared) -> "Callable[[JsonObject], _Compiled]":
        """What compiles schemas that may refer to the definitions of a prepared one."""
        registry = _registry(prepared)
        return lambda schema: _Compiled(schema, registry)


class _Kind(NamedTuple):
    """What an error is about: the property that is missing, or those that are not declared."""

    property: str | None
    unexpected: list[str] | None


class _Complaint(NamedTuple):
    """An error in the form in which the other engine has it."""

    schema_path: list[str | int]
    instance_path: list[str | int]
    kind: _Kind


class _Compiled:
    """A schema as jsonschema runs it."""

    def __init__(self, schema: JsonObject, registry: "Registry[Any]") -> None:
        self._validator = Agreeing(schema, registry=registry)

    def is_valid(self, instance: Any) -> bool:
        """The verdict."""
        return with_room(purse.shared(lambda: bool(self._validator.is_valid(instance))))

    def iter_errors(self, instance: Any) -> Iterator[_Complaint]:
        """Every error."""
        for error in with_room(purse.shared(lambda: [*self._validator.iter_errors(instance)])):
            yield _Complaint(list(error.schema_path), list(error.path), _kind(error))


def _kind(error: ValidationError) -> _Kind:
    names = getattr(error, "names", None)
    if error.validator == "required":
        return _Kind(names[0] if names else None, None)
    return _Kind(None, names)


class _Price(NamedTuple):
    """What the patterns of one schema need.

    Attributes:
        patterns: all of them: none is as fast as in the other engine.
    """

    patterns: tuple[str, ...]

    def affordable(self, value: Any) -> bool:
        """Whether the patterns can be run over every text of a value within the measure of one validation."""
        purse.begin(explains=False)
        characters = sum(len(text) + 1 for text in texts_of(value))
        weights = sum(
            max(_judge(pattern).weight, 1)
            for pattern in self.patterns
            if isinstance(machine(pattern), Automaton)
        )
        return characters * weights <= _WORK

    def exhausted(self, value: Any) -> tuple[str, ...]:  # noqa: ARG002 - it was just seen
        """The patterns that ran out of steps on the value that was just refused."""
        spent = purse.spent
        purse.begin(explains=True)
        return tuple(pattern for pattern in self.patterns if pattern in spent)


@lru_cache(maxsize=4096)
def _judge(pattern: str) -> Judgement:
    weight = weigh(pattern)
    if weight > REFUSED:
        return Judgement("refused", weight)
    try:
        runs = machine(pattern)
    except PatternError:
        return Judgement("refused", weight)
    if isinstance(runs, Searcher):
        return Judgement("backtracking", weight)
    return Judgement("heavy" if weight > HEAVY else "plain", weight)


def _registry(prepared: Prepared) -> "Registry[Any]":
    """The definitions by their name, and nothing that would be fetched."""
    registry: Registry[Any] = Registry()
    registry = registry.with_resource(HOME, DRAFT202012.create_resource(prepared.schema))
    return registry


def _pointer(prepared: Prepared, place: list[str | int]) -> str:
    """A place in the prepared schema as one in the given schema."""
    if len(place) < 2:
        return ""
    return prepared.keys[int(place[1])] + join(place[2:])
