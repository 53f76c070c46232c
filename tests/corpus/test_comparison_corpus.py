import json
from pathlib import Path

import pytest
from tests.conftest import documents

from specfn import compare, load

pytestmark = pytest.mark.corpus


@pytest.mark.parametrize("path", documents(), ids=lambda path: path.stem)
def test_a_document_has_no_differences_from_itself(path: Path) -> None:
    """A document, and the same document in another text, are the same."""
    text = path.read_bytes()
    old = load(text)
    again = json.dumps(json.loads(text), sort_keys=True).encode()
    assert compare(old, old) == ()
    if len(text) < 1_000_000:
        differences = compare(old, load(again))
        assert [each for each in differences if each.breaking != "no"] == []
