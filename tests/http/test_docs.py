"""The page on calls: what it shows runs."""

import re
from pathlib import Path

import specfn
from specfn.demo.server import serve


def test_the_examples_run(root: Path) -> None:
    """Every example of docs/execution.md runs against a real API, one after the other."""
    page = (root / "docs" / "execution.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(examples) == 4
    with serve() as shop:
        names = {
            "specfn": specfn,
            "app": specfn.load(shop.document_url),
            "base_url": shop.base_url,
            "token": shop.token,
        }
        for example in examples:
            exec(example, names)  # the page is ours
    assert names["created"].status == 201
    assert names["uploaded"].data["id"]
    assert names["page"].next_request is None
