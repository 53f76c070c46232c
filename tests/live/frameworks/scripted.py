"""The calls of a scripted model."""

from typing import NamedTuple

#: The text with which a scripted model ends.
END = "That is all."


class Call(NamedTuple):
    """A call of a scripted model, which makes one call in each turn.

    Attributes:
        name: the name of the function.
        sent: the text of the arguments.
    """

    name: str
    sent: str
