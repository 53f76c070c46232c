"""Which branch of a union a value was meant to be (rule V4).

First by type and constants at the root, then by tag (the discriminator's, else any property that takes only
constants), then by wrong constants, by what is missing and by how much is wrong one level down, then by order.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from specfn._json import JsonObject
from specfn.records import ABSENT
from specfn.validation.levels import Found, breadth
from specfn.validation.parts import Part
from specfn.validation.shapes import Shapes, contains, type_of

#: The most branches whose faults are counted.
_LOOKED: Final = 16

#: What is wrong with a value one level down in a node.
Look: TypeAlias = Callable[[JsonObject, Any], list[Found]]


class Branch(NamedTuple):
    """The branch that was meant, and what is wrong with the value one level down in it.

    Attributes:
        node: the branch.
        found: what is wrong; empty where the value fits it: then it fits more branches than it may.
        sure: whether type, constants or a tag decided, not a count of errors.
    """

    node: JsonObject
    found: list[Found]
    sure: bool


class Tag(NamedTuple):
    """A tag that names no branch, or that is missing.

    Attributes:
        name: the property.
        values: the tags that there are.
        found: what was given; ``ABSENT`` if nothing was.
    """

    name: str
    values: tuple[Any, ...]
    found: Any


def meant(
    part: Part, value: Any, shapes: Shapes, look: Look, discriminator: str | None
) -> Branch | Tag | None:
    """Find the branch that was meant.

    Args:
        part: the union, which does not accept the value.
        value: the value.
        shapes: the facts of the schema.
        look: how a branch is looked at.
        discriminator: the property that the document names for telling the branches apart.

    Returns:
        The branch; or the tag that is at fault; or ``None`` where no branch comes near.
    """
    branches = shapes.branches(part.holder, part.keyword)
    near = _by_constant(_by_type(branches, value, shapes), value, shapes)
    if not near:
        return None
    if type(value) is dict:
        if discriminator is not None:
            tag = _by_tag(discriminator, near, value, shapes, required=True)
            if isinstance(tag, Tag):
                return tag
            near = tag
        narrowed = _by_any_tag(near, value, shapes)
        if isinstance(narrowed, Tag):
            return narrowed
        near = narrowed
    return _by_findings(near, value, shapes, look)


def _by_type(branches: Iterable[JsonObject], value: Any, shapes: Shapes) -> list[JsonObject]:
    kind = type_of(value)
    typed = ((branch, shapes.types(branch)) for branch in branches)
    return [branch for branch, types in typed if types is None or kind in types]


def _by_constant(near: list[JsonObject], value: Any, shapes: Shapes) -> list[JsonObject]:
    """Leave out branches that are constants, and others than the value."""
    said = [(branch, shapes.values(branch)) for branch in near]
    return [branch for branch, values in said if values is None or contains(values, value)]


def _by_any_tag(
    near: list[JsonObject], value: JsonObject, shapes: Shapes
) -> list[JsonObject] | Tag:
    """Narrow by every property that takes only constants in all branches."""
    unknown: Tag | None = None
    for name in _shared(near, shapes):
        if len(near) < 2:
            break
        if name in value:
            tag = _by_tag(name, near, value, shapes, required=False)
            if isinstance(tag, Tag):
                unknown = unknown or tag
            else:
                near = tag
    return unknown if unknown is not None and len(near) > 1 else near


def _shared(near: Sequence[JsonObject], shapes: Shapes) -> list[str]:
    if len(near) < 2:
        return []
    others = [shapes.constants(branch) for branch in near[1:]]
    return [
        name for name in shapes.constants(near[0]) if all(name in constants for constants in others)
    ]


def _by_tag(
    name: str, near: list[JsonObject], value: JsonObject, shapes: Shapes, *, required: bool
) -> list[JsonObject] | Tag:
    tags = [shapes.constants(branch).get(name) for branch in near]
    pairs = list(zip(near, tags, strict=True))
    is_open = [branch for branch, values in pairs if values is None]
    given = value.get(name, ABSENT)
    if given is not ABSENT:
        fitting = [branch for branch, values in pairs if values and contains(values, given)]
        if fitting or is_open:
            return fitting or is_open
    elif is_open or not required:
        return near
    return Tag(name, tuple(item for values in tags for item in values or ()), given)


def _by_findings(near: list[JsonObject], value: Any, shapes: Shapes, look: Look) -> Branch:
    """The branch with the fewest wrong constants, then missing properties, then faults one level down."""
    sure = len(near) == 1
    if not sure and type(value) is dict:
        faults = [_faults(branch, value, shapes) for branch in near]
        least = min(faults)
        near = [branch for branch, count in zip(near, faults, strict=True) if count == least]
    looked = [(branch, look(branch, value)) for branch in near[:_LOOKED]]
    node, found = min(looked, key=lambda pair: breadth(pair[1]))
    return Branch(node, found, sure)


def _faults(branch: JsonObject, value: JsonObject, shapes: Shapes) -> tuple[int, int]:
    """How many constants are wrong, and how many properties are missing."""
    constants = shapes.constants(branch)
    wrong = sum(
        name in value and not contains(values, value[name]) for name, values in constants.items()
    )
    return wrong, len(shapes.required(branch) - value.keys())
