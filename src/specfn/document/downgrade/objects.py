"""Downgrade of the objects of a document, except schemas (rule N9), and the losses of a downgrade.

A table lists the fields of each object of 3.0 and the rule for their values. An unknown field or an invalid
value is left out and recorded. An object without a required field is left out as a whole.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias
from urllib.parse import quote

from specfn._internal.json import JsonObject, dumps
from specfn._internal.pointer import join
from specfn.document.references.resolve import reference_of
from specfn.document.upgrade.keywords import is_true
from specfn.records import Note

#: The result of a rule for a value that the field does not allow.
DROP: Final = object()

#: The maximum number of losses of a shared part that are listed again at its other locations.
_MANY: Final = 100

#: Characters that a URI reference may contain besides letters and digits.
URI: Final = "/?:@!$&'()*+,;=-._~%#[]"


class Loss(NamedTuple):
    """A part of a document that OpenAPI 3.0 cannot express.

    Attributes:
        tokens: its location, the innermost token first. The walk appends the outer tokens.
        text: one sentence that describes the loss.
    """

    tokens: list[str | int]
    text: str


class Losses(list[Loss]):
    """The losses so far.

    The walk remembers the number of losses before it visits a member. If there are more afterwards, it adds the
    member's name to their locations with ``within``. A member without losses costs nothing.
    """

    __slots__ = ()

    def add(self, text: str, *place: str | int) -> None:
        """Record a loss here, or at a location below."""
        self.append(Loss([*reversed(place)], text))

    def within(self, mark: int, token: str | int) -> None:
        """Prepend a member's name to the locations of the losses after the first ``mark``."""
        for loss in self[mark:]:
            loss.tokens.append(token)

    def since(self, mark: int) -> tuple[Loss, ...]:
        """Copy the losses after the first ``mark``, to ``repeat`` them where the same part occurs again."""
        return tuple(Loss([*loss.tokens], loss.text) for loss in self[mark:])

    def repeat(self, losses: Sequence[Loss]) -> None:
        """Add copies of losses at this location."""
        self.extend(Loss([*loss.tokens], loss.text) for loss in losses)

    def notes(self) -> tuple[Note, ...]:
        """Return the losses as notes in the order of discovery, without duplicates."""
        notes = (
            Note(pointer=join(str(token) for token in reversed(loss.tokens)), text=loss.text)
            for loss in self
        )
        return tuple(dict.fromkeys(notes))


class ObjectDowngrade:
    """Downgrade of the objects of one document.

    Attributes:
        kinds: the table of objects.
        losses: receives the losses.
        schema: downgrades a schema. It is set before the first object with a schema is written.
        lost_schemes: the names of the security schemes that 3.0 does not have.
        is_native: whether the document was written in 3.0.
    """

    def __init__(
        self, kinds: "Mapping[str, ObjectType]", losses: Losses, *, is_native: bool
    ) -> None:
        self.kinds = kinds
        self.losses = losses
        self.schema: Callable[[Any], Any] = dict
        self.lost_schemes: set[str] = set()
        self.is_native = is_native
        self._memo: dict[tuple[str, int], tuple[Any, tuple[Loss, ...]]] = {}

    def downgrade_object(self, kind: str, value: Any) -> Any:
        """Downgrade an object of a type; return ``None`` and record one loss if 3.0 cannot have it."""
        known = self._memo.get((kind, id(value)))
        if known is not None:
            self._repeat(known[1])
            return known[0]
        mark = len(self.losses)
        new, reason = self._object(self.kinds[kind], value)
        if reason:
            del self.losses[mark:]
            self.losses.add(reason)
        if self.kinds[kind].refers:  # objects that may be referenced are shared between their uses
            self._memo[kind, id(value)] = (new, self.losses.since(mark))
        return new

    def _repeat(self, losses: tuple[Loss, ...]) -> None:
        """Record the losses of a shared part at another location: each one, or their number if there are many."""
        if len(losses) <= _MANY:
            self.losses.repeat(losses)
        else:
            self.losses.add(f"the same {len(losses)} losses as at the first use of this part")

    def _object(self, kind: "ObjectType", value: Any) -> tuple[Any, str]:
        """Return the object, or ``None`` with the reason."""
        if value.__class__ is not dict:
            return None, f"expected a {kind.label}"
        reference = reference_of(value)
        if reference is not None:
            if kind.refers:
                return {"$ref": quote(reference, safe=URI)}, ""
            return None, f"the reference {reference[:100]!r} has no target"
        out = self._fields(kind, value)
        reason = kind.finish(self, out) if kind.finish else None
        if reason:
            return None, reason
        for name in kind.needs:
            if name not in out:
                return None, f"the {kind.label} has no `{name}`, which OpenAPI 3.0 requires"
        return out, ""

    def _fields(self, kind: "ObjectType", value: JsonObject) -> JsonObject:
        """Return the fields that 3.0 has, by their rules. All others are recorded as losses."""
        out: JsonObject = {}
        for key, item in value.items():
            rule = kind.fields.get(key)
            if rule is None:
                if key.startswith("x-"):
                    out[key] = item
                else:
                    self.losses.add(f"OpenAPI 3.0 has no `{key}` in the {kind.label}", key)
                continue
            new = self.member(rule, item, key)
            if new is not DROP:
                out[key] = new
        return out

    def member(self, rule: "Rule", item: Any, token: str | int) -> Any:
        """Apply a rule to a member. A result of ``DROP`` is recorded as a loss."""
        mark = len(self.losses)
        new = rule(self, item)
        if new is DROP and len(self.losses) == mark:
            self.losses.add("OpenAPI 3.0 does not allow this value here")
        if len(self.losses) > mark:
            self.losses.within(mark, token)
        return new


Rule: TypeAlias = Callable[[ObjectDowngrade, Any], Any]

#: Corrects an object after its fields were written, or returns the reason to leave it out.
Finish: TypeAlias = Callable[[ObjectDowngrade, JsonObject], str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectType:
    """An object type of the specification.

    Attributes:
        label: its name in texts.
        fields: the rule for each field.
        needs: the required fields.
        refers: whether a Reference Object may replace it.
        finish: corrects relations between its fields.
    """

    label: str
    fields: Mapping[str, Rule]
    needs: tuple[str, ...] = ()
    refers: bool = False
    finish: Finish | None = None


# -- rules ------------------------------------------------------------------------------------------


def anything(_: ObjectDowngrade, value: Any) -> Any:
    """Keep any JSON value."""
    return value


def text(_: ObjectDowngrade, value: Any) -> Any:
    """Keep a string; write a number, which YAML may have read, as a string."""
    if value.__class__ in (int, float):
        return str(value)
    return value if isinstance(value, str) else DROP


def flag(_: ObjectDowngrade, value: Any) -> Any:
    """Keep a boolean; read the texts that mean one."""
    return value if isinstance(value, bool) else True if is_true(value) else DROP


def one_of(*words: str) -> Rule:
    """Return a rule that keeps only these words."""

    def rule(_: ObjectDowngrade, value: Any) -> Any:
        return value if isinstance(value, str) and value in words else DROP

    return rule


def keep_format(name: str) -> Rule:
    """Return a rule that keeps a string of a format."""

    def rule(_: ObjectDowngrade, value: Any) -> Any:
        return value if isinstance(value, str) and is_format(name, value) else DROP

    return rule


def of(kind: str) -> Rule:
    """Return the rule for an object of a type."""

    def rule(walk: ObjectDowngrade, value: Any) -> Any:
        new = walk.downgrade_object(kind, value)
        return DROP if new is None else new

    return rule


def list_of(inner: Rule) -> Rule:
    """Return the rule for a list. Items that 3.0 does not allow are left out."""

    def rule(walk: ObjectDowngrade, value: Any) -> Any:
        if not isinstance(value, list):
            return DROP
        new = [walk.member(inner, item, index) for index, item in enumerate(value)]
        return [item for item in new if item is not DROP]

    return rule


def set_of(inner: Rule) -> Rule:
    """Return the rule for a list of distinct items."""

    def rule(walk: ObjectDowngrade, value: Any) -> Any:
        new = list_of(inner)(walk, value)
        return DROP if new is DROP else list({dumps(item): item for item in new}.values())

    return rule


def map_of(inner: Rule) -> Rule:
    """Return the rule for a map of objects."""

    def rule(walk: ObjectDowngrade, value: Any) -> Any:
        if not isinstance(value, dict):
            return DROP
        new = {name: walk.member(inner, item, name) for name, item in value.items()}
        return {name: item for name, item in new.items() if item is not DROP}

    return rule


def schema(walk: ObjectDowngrade, value: Any) -> Any:
    """Downgrade a schema."""
    return walk.schema(value)


@cache
def _format(name: str) -> Any:
    import jsonschema_rs  # noqa: PLC0415  # 24 ms, which only documents with such texts need

    return jsonschema_rs.Draft4Validator({"format": name}, offline=True, validate_formats=True)


def is_format(name: str, text: str) -> bool:
    """Return whether a text has the format ``regex`` (ECMA-262), ``email`` or ``uri``, as validators judge."""
    return bool(_format(name).is_valid(text))
