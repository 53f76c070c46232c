"""Line breaks for a terminal: at spaces and between the words of a name, never within a word."""

import re
from collections.abc import Iterator
from typing import Final

#: The places between the parts of a name, after separators; and between the words of a part, before capitals.
_PARTS: Final = r"(?<=[/_.,:;|~#=-])(?![/_.,:;|~#=-])"
_WORDS: Final = r"(?<=[a-z0-9])(?=[A-Z])"

#: The indent of a continued line, beyond that of the line.
_HANGING: Final = 2


def terminal_width() -> int:
    """Return the columns of the terminal, or of ``COLUMNS``."""
    import shutil  # noqa: PLC0415  # 3 ms, for terminals only

    return shutil.get_terminal_size().columns


def cells(text: str) -> int:
    """Return the number of columns that a text needs."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # noqa: PLC0415  # most texts are ASCII; 35 ms

    return cell_len(text)


def wrap(text: str, width: int, *, hanging: int = _HANGING) -> list[str]:
    """Return a line of text as lines of a width.

    A line ends at a space if possible. A longer name is broken after separators such as ``/`` and ``_``, and a longer
    part of a name before capitals. A word that is longer than the width is not broken.

    Args:
        text: the text, without line ends.
        width: the maximum number of columns of a line.
        hanging: the indent of continued lines, beyond that of the text.
    """
    if cells(text) <= width:
        return [text]
    indent = text[: len(text) - len(text.lstrip())]
    following = indent + " " * hanging
    lines, line, has_word = [], indent, False
    for word in text.split():
        if has_word and cells(f"{line} {word}") <= width:
            line = f"{line} {word}"
            continue
        if has_word:
            lines.append(line)
            line = following
        for piece in _pieces(word, width - len(following)):
            if line.strip() and cells(line + piece) > width:
                lines.append(line)
                line = following
            line += piece
        has_word = True
    return [*lines, line]


def _pieces(word: str, width: int) -> Iterator[str]:
    """Yield a word that fits into a line; of a longer name, its parts or their words."""
    for part in [word] if cells(word) <= width else re.split(_PARTS, word):
        yield from [part] if cells(part) <= width else re.split(_WORDS, part)
