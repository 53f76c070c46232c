"""Why a text is not read, and where in it: what every step of reading raises (rule V6)."""


class UnreadableError(Exception):
    """Reading stopped. It never leaves the room: ``parse`` makes a ``Failure`` of it.

    Attributes:
        text: the text that was read; of a doubly encoded one, the inner text.
        offset: the place in it, in characters from the beginning.
        reason: a sentence that says what is wrong there and what to write instead.
    """

    def __init__(self, text: str, offset: int, reason: str) -> None:
        """Stop reading a text at a place."""
        super().__init__(reason)
        self.text = text
        self.offset = offset
        self.reason = reason
