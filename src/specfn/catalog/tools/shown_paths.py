"""Paths of arguments in the names that a model was shown."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final

from specfn._internal.pointer import input_path

#: The steps of a path: a name, a position, or a name in quotes.
_STEP: Final = re.compile(r'\.([A-Za-z_$][A-Za-z0-9_$]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]')


class Places:
    """Where a model finds the places of its arguments."""

    def __init__(self, names: Mapping[str, str], keys: Sequence[str] | None) -> None:
        """Know the names that were shown for others, and the keys of positions.

        Args:
            names: the function's own name by the name that was shown.
            keys: what was shown in the place of positions; ``None`` for arguments by key.
        """
        self._shown = {own: shown for shown, own in names.items()}
        self._keys = keys

    def shown(self, path: str) -> str:
        """A path of the function's as one of the model's."""
        steps: list[str | int] = []
        for name, position, quoted in _STEP.findall(path):
            own: str | int = int(position) if position else name or json.loads(quoted)
            steps.append(self._shown.get(own, own) if isinstance(own, str) else own)
        if self._keys is not None and steps and isinstance(steps[0], int):
            steps[0] = self._keys[steps[0]] if steps[0] < len(self._keys) else steps[0]
        return input_path(steps)
