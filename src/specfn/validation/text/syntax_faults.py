"""Errors of reading a model's text, with the reason and the position (rule V6)."""


class UnreadableError(Exception):
    """A text that cannot be read. Only this package catches it: ``parse`` returns a ``Failure``.

    Attributes:
        text: the text; for JSON encoded as a string, the inner text.
        offset: the position in it, in characters.
        reason: a sentence with the mistake and its correction.
    """

    def __init__(self, text: str, offset: int, reason: str) -> None:
        """Accept a text, a position and a reason."""
        super().__init__(reason)
        self.text = text
        self.offset = offset
        self.reason = reason
