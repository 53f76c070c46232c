"""Intersection of types. The result may admit more than both types together, never less."""

from specfn.function.signatures.type_nodes import (
    Literals,
    Member,
    Object,
    Scalar,
    Type,
    Types,
    Union,
    is_kind,
)


def intersect(types: Types, left: Type, right: Type) -> Type:
    """Return a type that admits every value of both types; the narrower one where they cannot be merged."""
    if left is right or is_kind(left, "any"):
        return right
    if is_kind(right, "any"):
        return left
    if isinstance(left, Object) and isinstance(right, Object):
        return _both(types, left, right)
    if isinstance(right, Union) and not isinstance(left, Union):
        return types.union([intersect(types, left, part) for part in right.parts])
    if isinstance(left, Literals) or (isinstance(right, Scalar) and isinstance(left, Object)):
        return left
    return right


def _both(types: Types, left: Object, right: Object) -> Object:
    """Return an object with the properties of both."""
    members = {member.key: member for member in left.members}
    for member in right.members:
        known = members.get(member.key)
        members[member.key] = member if known is None else _member(types, known, member)
    rest = left.rest if right.rest is None else right.rest
    if left.rest is not None and right.rest is not None:
        rest = intersect(types, left.rest, right.rest)
    found: Object = types.of(Object, tuple(members.values()), rest)
    return found


def _member(types: Types, left: Member, right: Member) -> Member:
    found: Member = types.of(
        Member,
        left.key,
        intersect(types, left.type, right.type),
        left.required or right.required,
        left.comment or right.comment,
    )
    return found
