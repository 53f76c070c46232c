"""Paths of arguments under the names that a model reads."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final

from specfn._internal.pointer import input_path

#: The steps of a path: a name, an index, or a quoted name.
_STEP: Final = re.compile(r'\.([A-Za-z_$][A-Za-z0-9_$]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]')


class ShownPaths:
    """A mapping from paths of a function's arguments to paths that a model reads."""

    def __init__(self, names: Mapping[str, str], keys: Sequence[str] | None) -> None:
        """Create the mapping from the replaced names and the keys of positions.

        Args:
            names: the function's own names by the names that the model reads.
            keys: the keys that replace positions; ``None`` for arguments by key.
        """
        self._shown = {own: shown for shown, own in names.items()}
        self._keys = keys

    def shown(self, path: str) -> str:
        """Return a path of a function's arguments as the model reads it."""
        steps: list[str | int] = []
        for name, position, quoted in _STEP.findall(path):
            own: str | int = int(position) if position else name or json.loads(quoted)
            steps.append(self._shown.get(own, own) if isinstance(own, str) else own)
        if self._keys is not None and steps and isinstance(steps[0], int):
            steps[0] = self._keys[steps[0]] if steps[0] < len(self._keys) else steps[0]
        return input_path(steps)
