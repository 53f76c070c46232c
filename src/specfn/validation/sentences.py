"""The fixed sentences of problems, and lists of names."""

from typing import Final

#: The most problems of one failure that a model reads; only these are described at length.
SHOWN: Final = 20

#: The most names in a sentence, and the longest.
_NAMES: Final = 12
_LENGTH: Final = 60

#: Describes a property that its object does not declare.
UNKNOWN: Final = "There is no such property."

#: Describe what a schema declares as not allowed.
NOT_GIVEN: Final = "This must not be given."
NO_ITEM: Final = "The array has no such item."

#: Begins the sentence on the alternative of a union that declares a property.
BELONGS: Final = "It belongs to the alternative"

#: Begins the sentence on a schema that the type text of its place does not show.
MUST: Final = "It must be "


def listed(names: list[str]) -> str:
    """List names in a sentence."""
    shown = [name if len(name) <= _LENGTH else "..." for name in names[:_NAMES]]
    if len(names) > _NAMES:
        shown.append(f"{len(names) - _NAMES} more")
    return " and ".join((", ".join(shown[:-1]), shown[-1])) if len(shown) > 1 else shown[0]
