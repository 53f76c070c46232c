"""Each habit of paging is read completely: by code, and by a reader that takes arguments only from texts."""

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.invocation.paging.list_apis import APIS, ListServer

from specfn import Application
from specfn.answers import Drop

LOADED = {name: api.load() for name, api in APIS.items()}

_FIRST = re.compile(r"(?:The first|Only) (\d+) of \d+ items are complete")
_ARGUMENTS = re.compile(r"^([^{\"]*): (\{.*\})$")


def read(
    app: Application, server: Any, sent: Mapping[str, Any], limit: int, name: str = "list"
) -> list[Any]:
    """Return the items that a reader receives who does what the texts say, and nothing else."""
    bound = app.bind(server.connection(), limit=limit)[name]
    seen: list[Any] = []
    page: list[Any] | None = None
    again: Any = None
    for _ in range(300):
        answer = bound.outcome(sent)
        if answer.kind != "answered":
            return seen
        text, *lines = answer.text.split("\n")
        before, page = page, json.loads(text)["data"]
        for part in filter(None, server.api.items.split(".")):
            page = page[part]  # type: ignore[call-overload]
        if again is not None and page == before:
            sent, again = again, None
            continue
        calls = {m[1]: json.loads(m[2]) for line in lines if (m := _ARGUMENTS.match(line))}
        repeated = calls.get("to read all items, ignore this page and call with")
        if repeated is not None:
            assert repeated != sent, "the reader would turn in circles"
            sent, page = repeated, before
            continue
        counts = [int(m[1]) for line in lines if (m := _FIRST.match(line))]
        seen += page[: counts[0]] if counts else page
        again = calls.get("if that page repeats these items, next page")
        onward = calls.get("next page") or calls.get("next page, if there is one")
        if onward is None or (page == before and "next page" not in calls):
            return seen[: -len(page)] if page and page == before else seen
        sent = onward
    raise AssertionError("the pages do not end")


NAMES = st.sampled_from([*APIS])
TOTALS, CAPS = st.integers(0, 25), st.integers(1, 9)
SIZES = st.none() | st.integers(1, 12)


def sent_by(server: ListServer, size: int | None) -> dict[str, Any]:
    return server.sent() if size is None else server.sent(**{server.api.size or "": size})


@given(name=NAMES, total=TOTALS, cap=CAPS, size=SIZES)
def test_code_reads_every_item_once(name: str, total: int, cap: int, size: int | None) -> None:
    """X13: the pages have every item exactly once, whatever the habit and whichever sizes the server caps."""
    server = ListServer(APIS[name], total, cap)
    pages = [*LOADED[name].pages("list", sent_by(server, size), server.connection())]
    assert [item for page in pages for item in page.items or ()] == server.whole()
    assert [page.stopped for page in pages[:-1]] == [None] * (len(pages) - 1)
    if server.api.evident or total == 0:
        assert pages[-1].stopped == "end"
    else:
        assert pages[-1].stopped in {"unknown", "repeated"}


@given(name=NAMES, total=TOTALS, cap=CAPS, size=SIZES, length=st.sampled_from([0, 0, 40, 150]))
def test_a_reader_of_texts_reads_every_item_once(
    name: str, total: int, cap: int, size: int | None, length: int
) -> None:
    """X13: what the texts say leads to every item exactly once, also if they are truncated."""
    server = ListServer(APIS[name], total, cap, "x" * length)
    assert read(LOADED[name], server, sent_by(server, size), 900) == server.whole()


@given(name=NAMES, total=TOTALS, cap=CAPS)
def test_only_evidence_announces_a_page(name: str, total: int, cap: int) -> None:
    """X13: a text announces a next page without a doubt only if there is one."""
    server = ListServer(APIS[name], total, cap)
    text = LOADED[name].bind(server.connection())["list"].outcome(server.sent()).text
    if "\nnext page: {" in text or "There is a next page" in text:
        assert total > cap


@pytest.mark.parametrize("name", ["cursor in meta", "cursor in paging", "cursor"])
def test_a_dropped_cursor_is_in_no_text(name: str) -> None:
    """X12, X13: a cursor that is never shown is not in the arguments of the next page, documented or not."""
    server = ListServer(APIS[name], 9, 2)
    dropped = APIS[name].load(answers={"*": Drop("meta", "paging", "next_cursor")})
    answer = dropped.bind(server.connection())["list"].outcome(server.sent())
    assert "opaque" not in answer.text
    assert answer.next is None
