"""The page on conversations: what it shows runs."""

import re
from pathlib import Path
from typing import Any

from tests.calling.models import said, wished

LAMP = {"body": {"name": "Lamp", "price": 49.9, "stock": 3}}


def _model(**request: Any) -> Any:
    """Return the reply of a model that adds a lamp as soon as it may, and then writes text."""
    if request["messages"][-1]["role"] == "tool":
        return said("Done.")
    return wished(("c1", "products_post", LAMP))


def test_the_examples_run(root: Path, app: Any, connection: Any) -> None:
    """Every example of docs/conversations.md with one application runs, one after the other, with a model that is none."""
    page = (root / "docs" / "conversations.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    shown = [example for example in examples if "Catalog" not in example]
    assert len(shown) == 5
    names: dict[str, Any] = {
        "app": app,
        "connection": connection,
        "send": lambda request: _model(**request),
        "input": lambda _: "y",
        "print": lambda *_: None,
    }
    ended = []
    for example in shown:
        exec(example, names)  # the page is ours
        ended.append((names["outcome"].stopped, [call.status for call in names["outcome"].calls]))
    assert ended == [
        ("denied", [None]),
        ("model_text", [201]),
        ("model_text", [201]),
        ("model_text", [201]),
        ("denied", [None]),
    ]
    assert names["stored"]["pending"] is not None
