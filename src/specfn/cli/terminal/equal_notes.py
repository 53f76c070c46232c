"""Equal notes as one line."""

from collections.abc import Iterable, Iterator
from typing import Final

#: The largest number of places for one note.
_PLACES: Final = 3


def note_lines(notes: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield each text once, with its count and the first places.

    Args:
        notes: the JSON Pointer and the text of each note.
    """
    pointers: dict[str, list[str]] = {}
    for pointer, text in notes:
        pointers.setdefault(text, []).append(pointer)
    for text, found in pointers.items():
        places = ", ".join(f"#{pointer}" for pointer in found[:_PLACES] if pointer)
        more = f" and {len(found) - _PLACES:,} more" if len(found) > _PLACES else ""
        times = f"{len(found):,} times" if len(found) > 1 else ""
        details = ", ".join(filter(None, (times, places and f"at {places}{more}")))
        yield f"{text} ({details})" if details else text
