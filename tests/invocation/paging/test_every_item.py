"""Every item is seen, by code and by a model that reads texts only, for each kind of paging."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.calling.models import Script, results, said, wished
from tests.invocation.paging.servers import KINDS, Paged, application

from specfn.calling import InvocationConfig, run

APPS = {kind: application(kind) for kind in KINDS}


def merged(arguments: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Apply a line of the text as a model would: group by group."""
    return {**arguments, "query": {**arguments.get("query", {}), **changes["query"]}}


def read(server: Paged, sent: dict[str, Any], limit: int) -> list[dict[str, str]]:
    """Follow the first line with arguments of each text, and return the complete items in the order of arrival."""
    bound = APPS[server.kind].bind(server.connection(), limit=limit)
    seen: list[dict[str, str]] = []
    whole = server.items()
    for _ in range(200):
        text, *lines = bound["items_get"].outcome(sent).text.split("\n")
        shown = json.loads(text)["data"]["items"]
        seen += [item for item in shown if item in whole]
        onward = [line.split(": ", 1) for line in lines if ': {"' in line]
        if not onward:
            return seen
        sent = merged(sent, json.loads(onward[0][1]))
    raise AssertionError("the pages do not end")


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_detected(kind: str) -> None:
    """X13: each kind of paging is found in its document."""
    paging = APPS[kind]["items_get"].paging
    assert paging is not None
    special = {"pageable": "url", "next_page_header": "cursor"}
    assert paging.kind == special.get(kind, kind.removesuffix("_total"))
    assert paging.items == ("items",)


@given(
    kind=st.sampled_from([*KINDS]),
    total=st.integers(0, 25),
    cap=st.integers(1, 9),
    size=st.none() | st.integers(1, 12),
)
def test_code_sees_every_item_once(kind: str, total: int, cap: int, size: int | None) -> None:
    """X13: the pages have every item exactly once, also if the server sends smaller pages than requested."""
    if kind.startswith("page") and size is None:
        size = cap
    server = Paged(kind, total, cap)
    sent = {} if size is None else {"query": {"limit": size}}
    pages = [*APPS[kind].pages("items_get", sent, server.connection())]
    assert [item for page in pages for item in page.items or ()] == server.items()
    is_untold = kind == "next_page_header" and 0 < total <= len(pages[0].items or ())
    assert pages[-1].stopped == ("unknown" if is_untold else "end")
    assert pages[-1].next is None


@given(
    kind=st.sampled_from([*KINDS]),
    total=st.integers(0, 25),
    cap=st.integers(1, 9),
    size=st.none() | st.integers(1, 12),
    length=st.integers(0, 150),
)
def test_a_model_sees_every_item(
    kind: str, total: int, cap: int, size: int | None, length: int
) -> None:
    """X13: a model that follows the texts sees every item completely, also if the texts are truncated."""
    server = Paged(kind, total, cap, text="x" * length)
    sent = {} if size is None else {"query": {"limit": size}}
    seen = read(server, sent, 900)
    assert {item["id"] for item in seen} == {item["id"] for item in server.items()}
    if length == 0:
        assert seen == server.items()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("length", [0, 200])
def test_a_conversation_reaches_every_page(kind: str, length: int) -> None:
    """X13: a model in a conversation follows the texts of its results, also if they are truncated."""
    server = Paged(kind, 7, 3, text="x" * length)
    seen: list[dict[str, str]] = []
    sent: dict[str, Any] = {"query": {"limit": 3}}

    def model(request: dict[str, Any]) -> Any:
        nonlocal sent
        found = results(request)
        if found:
            text, *lines = found[-1][1].split("\n")
            seen.extend(x for x in json.loads(text)["data"]["items"] if x in server.items())
            onward = [line.split(": ", 1)[1] for line in lines if ': {"' in line]
            if not onward:
                return said("Done.")
            sent = merged(sent, json.loads(onward[0]))
        return wished((f"c{len(found)}", "items_get", sent))

    config = InvocationConfig(max_rounds=30, result_limit=20_000 if not length else 700)
    connection = server.connection()
    options: dict[str, Any] = {"connector": "openai", "messages": "Read.", "config": config}
    outcome = run(APPS[kind], model, connection=connection, **options)
    assert outcome.text == "Done."
    assert {item["id"] for item in seen} == {item["id"] for item in server.items()}
    assert length or seen == server.items()


def test_a_result_with_a_schema_is_json_alone() -> None:
    """X13: if the schema of results is sent, a result has no lines beside the JSON that it describes."""
    server = Paged("cursor", 7, 3)
    script = Script([wished(("c1", "items_get", {}), connector="gemini"), said("Done.", "gemini")])
    choice = {"type": "auto", "options": {"output_schema": True}}
    outcome = run(
        APPS["cursor"],
        script,
        connector="gemini",
        messages="Read.",
        choice=choice,
        connection=server.connection(),
    )
    assert json.loads(outcome.calls[0].result)["data"]["next_cursor"] == "c3"


def test_pages_are_awaited() -> None:
    """X13: asynchronous iteration gives the same pages."""

    async def collected() -> list[Any]:
        server = Paged("cursor", 7, 3)
        found = APPS["cursor"].apages("items_get", {}, server.aconnection())
        return [item async for page in found for item in page.items or ()]

    assert asyncio.run(collected()) == Paged("cursor", 7, 3).items()
