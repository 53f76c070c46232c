"""Objects of a normalized document to those of OpenAPI 3.0, all but schemas (rule N9).

A table says which fields each object of 3.0 has and what they hold. What is not in it, or is something
else than the field holds, is left out and listed; an object that lacks what it needs is left out as a whole.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias
from urllib.parse import quote

from specfn._json import JsonObject, dumps
from specfn.document.downgrade_formats import is_format
from specfn.document.downgrade_losses import Loss, Losses
from specfn.document.keywords import is_true
from specfn.document.resolve import reference_of

#: What a field's rule gives for a value that it cannot hold.
DROP: Final = object()

#: How many losses of a shared part are listed again at its other places.
_MANY: Final = 100

#: What a URI reference may hold besides letters and digits.
URI: Final = "/?:@!$&'()*+,;=-._~%#[]"


class ObjectDowngrade:
    """Writes the objects of one document.

    Attributes:
        kinds: the table of objects.
        losses: what 3.0 cannot say, gathered here.
        schema: writes a schema; set before anything that holds one is written.
        lost_schemes: the security schemes that 3.0 does not have.
        is_native: whether the document was written in 3.0.
    """

    def __init__(self, kinds: "Mapping[str, Kind]", losses: Losses, *, is_native: bool) -> None:
        self.kinds = kinds
        self.losses = losses
        self.schema: Callable[[Any], Any] = dict
        self.lost_schemes: set[str] = set()
        self.is_native = is_native
        self._memo: dict[tuple[str, int], tuple[Any, tuple[Loss, ...]]] = {}

    def written(self, kind: str, value: Any) -> Any:
        """An object by its kind, ``None`` (and one loss) for one that 3.0 cannot have."""
        known = self._memo.get((kind, id(value)))
        if known is not None:
            self._repeat(known[1])
            return known[0]
        mark = len(self.losses)
        new, reason = self._object(self.kinds[kind], value)
        if reason:
            del self.losses[mark:]
            self.losses.add(reason)
        if self.kinds[kind].refers:  # what may be referred to is shared between its uses
            self._memo[kind, id(value)] = (new, self.losses.since(mark))
        return new

    def _repeat(self, losses: tuple[Loss, ...]) -> None:
        """What is lost in a shared part is lost at each of its places; where that is much, it is counted."""
        if len(losses) <= _MANY:
            self.losses.repeat(losses)
        else:
            self.losses.add(f"the same {len(losses)} losses as where this stands first")

    def _object(self, kind: "Kind", value: Any) -> tuple[Any, str]:
        """The object, or ``None`` with the reason."""
        if value.__class__ is not dict:
            return None, f"this is no {kind.label}"
        reference = reference_of(value)
        if reference is not None:
            if kind.refers:
                return {"$ref": quote(reference, safe=URI)}, ""
            return None, f"the reference {reference[:100]!r} leads nowhere"
        out = self._fields(kind, value)
        reason = kind.finish(self, out) if kind.finish else None
        if reason:
            return None, reason
        for name in kind.needs:
            if name not in out:
                return None, f"the {kind.label} has no `{name}`, which OpenAPI 3.0 wants"
        return out, ""

    def _fields(self, kind: "Kind", value: JsonObject) -> JsonObject:
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
        """What a rule makes of a member; ``DROP`` with a loss for what it cannot hold."""
        mark = len(self.losses)
        new = rule(self, item)
        if new is DROP and len(self.losses) == mark:
            self.losses.add("what stands here is not what OpenAPI 3.0 allows here")
        if len(self.losses) > mark:
            self.losses.within(mark, token)
        return new


Rule: TypeAlias = Callable[[ObjectDowngrade, Any], Any]

#: Puts an object in order that was written field by field; gives a reason to leave it out.
Finish: TypeAlias = Callable[[ObjectDowngrade, JsonObject], str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One object of the specification.

    Attributes:
        label: its name in texts.
        fields: what its fields hold.
        needs: the fields without which there is no such object.
        refers: whether a Reference Object may stand for it.
        finish: what its fields have to do with one another.
    """

    label: str
    fields: Mapping[str, Rule]
    needs: tuple[str, ...] = ()
    refers: bool = False
    finish: Finish | None = None


# -- rules ------------------------------------------------------------------------------------------


def anything(_: ObjectDowngrade, value: Any) -> Any:
    """Any JSON value."""
    return value


def text(_: ObjectDowngrade, value: Any) -> Any:
    """A text; a number that YAML made of one."""
    if value.__class__ in (int, float):
        return str(value)
    return value if isinstance(value, str) else DROP


def flag(_: ObjectDowngrade, value: Any) -> Any:
    """A boolean."""
    return value if isinstance(value, bool) else True if is_true(value) else DROP


def one_of(*words: str) -> Rule:
    """One of some words."""

    def rule(_: ObjectDowngrade, value: Any) -> Any:
        return value if isinstance(value, str) and value in words else DROP

    return rule


def formatted(name: str) -> Rule:
    """A text in a format."""

    def rule(_: ObjectDowngrade, value: Any) -> Any:
        return value if isinstance(value, str) and is_format(name, value) else DROP

    return rule


def of(kind: str) -> Rule:
    """An object by its kind."""

    def rule(walk: ObjectDowngrade, value: Any) -> Any:
        new = walk.written(kind, value)
        return DROP if new is None else new

    return rule


def list_of(inner: Rule) -> Rule:
    """A list; what cannot stand in it is left out."""

    def rule(walk: ObjectDowngrade, value: Any) -> Any:
        if not isinstance(value, list):
            return DROP
        new = [walk.member(inner, item, index) for index, item in enumerate(value)]
        return [item for item in new if item is not DROP]

    return rule


def set_of(inner: Rule) -> Rule:
    """A list of which every item is another."""

    def rule(walk: ObjectDowngrade, value: Any) -> Any:
        new = list_of(inner)(walk, value)
        return DROP if new is DROP else list({dumps(item): item for item in new}.values())

    return rule


def map_of(inner: Rule) -> Rule:
    """An object of any keys."""

    def rule(walk: ObjectDowngrade, value: Any) -> Any:
        if not isinstance(value, dict):
            return DROP
        new = {name: walk.member(inner, item, name) for name, item in value.items()}
        return {name: item for name, item in new.items() if item is not DROP}

    return rule


def schema(walk: ObjectDowngrade, value: Any) -> Any:
    """A schema."""
    return walk.schema(value)
