"""The pages on calls and on event streams: what they show runs."""

import asyncio
import re
from pathlib import Path
from typing import Any

from tests.strict_shop.server import serve

import specfn


def test_the_examples_run(root: Path) -> None:
    """Every example of docs/execution.md runs against a real API, one after the other."""
    page = (root / "docs" / "execution.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(examples) == 3
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
    assert names["page"].next_request is None


def test_the_examples_of_event_streams_run(root: Path, loopback: Any) -> None:
    """Every example of docs/events.md runs against a server that sends ticks without an end."""
    page = (root / "docs" / "events.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(examples) == 3
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    ticks = [b'event: tick\ndata: {"price": %d}\n\n' % price for price in (7, 3) * 1_000]
    loopback.respond = lambda _: iter([head, *ticks])
    content = {"text/event-stream": {"schema": {"type": "object"}}}
    operation = {"responses": {"200": {"description": "", "content": content}}}
    info = {"title": "t", "version": "1"}
    document = {"openapi": "3.1.0", "info": info, "paths": {"/ticks": {"get": operation}}}
    names: dict[str, Any] = {"app": specfn.load(document)}
    names["base_url"] = loopback.url
    for example in examples:
        exec(example, names)  # the page is ours
    assert names["result"].data[0] == {"event": "tick", "data": {"price": 7}}
    assert len(names["result"].data) == 100
    assert names["event"].data == {"price": 7}
    loopback.respond = lambda _: iter([head, b'data: {"price": 7}\n\n'])
    assert asyncio.run(names["first_price"]()) == 7
