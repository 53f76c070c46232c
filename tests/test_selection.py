"""The selection of the fast tests."""

from pathlib import Path

from tests.conftest import LONG


def test_each_place_that_is_left_out_exists(root: Path) -> None:
    """A directory or file that the fast tests leave out exists, and is listed once."""
    assert [each for each in LONG if not (root / "tests" / each).exists()] == []
    assert len(set(LONG)) == len(LONG)
