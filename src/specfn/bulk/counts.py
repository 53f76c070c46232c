"""Counts of checked rows."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class Counts(NamedTuple):
    """The counts of checked rows.

    Attributes:
        rows: all rows.
        valid: the rows with valid arguments, also after repairs.
        repaired: the valid rows whose arguments were repaired.
        unresolved: the invalid rows without a function: an unknown name, or a row that cannot be read.
    """

    rows: int = 0
    valid: int = 0
    repaired: int = 0
    unresolved: int = 0

    @property
    def invalid(self) -> int:
        """Return the number of rows that are not valid."""
        return self.rows - self.valid

    def counting(self, row: Mapping[str, Any]) -> "Counts":
        """Return the counts with another checked row."""
        is_valid = row["valid"]
        return Counts(
            self.rows + 1,
            self.valid + is_valid,
            self.repaired + (is_valid and bool(row["repairs"])),
            self.unresolved + (row["function"] is None),
        )

    def plus(self, other: "Counts") -> "Counts":
        """Return the sum of two counts."""
        return Counts(*(one + two for one, two in zip(self, other, strict=True)))
