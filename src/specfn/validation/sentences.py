"""Fixed sentences of problems, and enumerations of names."""

from typing import Final

#: The maximum number of problems of one failure that a model reads. Only these have a description.
SHOWN: Final = 20

#: The maximum number of names in a sentence, and the maximum number of characters of a name.
_NAMES: Final = 12
_LENGTH: Final = 60

#: The description of a property that its object does not declare.
UNKNOWN: Final = "There is no such property."

#: The descriptions of a property and an item that the schema forbids.
NOT_GIVEN: Final = "This must not be given."
NO_ITEM: Final = "The array has no such item."

#: The beginning of the sentence that names the alternative of a union that declares a property.
BELONGS: Final = "It belongs to the alternative"

#: The beginning of the sentence that describes a schema that the type text of its place does not contain.
MUST: Final = "It must be "


def listed(names: list[str]) -> str:
    """Join names in a sentence."""
    shown = [name if len(name) <= _LENGTH else "..." for name in names[:_NAMES]]
    if len(names) > _NAMES:
        shown.append(f"{len(names) - _NAMES} more")
    return " and ".join((", ".join(shown[:-1]), shown[-1])) if len(shown) > 1 else shown[0]
