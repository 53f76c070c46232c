"""Checks of rows in one process."""

import copy
import gc
import itertools
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from orjson import loads
from tests.bulk.conftest import ARGUMENTS, NAMES

import specfn
from specfn import bulk
from specfn.bulk.json_lines import MAX_LINE_BYTES, check_lines
from specfn.bulk.rows import ADDED, RowChecker

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
ROWS = st.fixed_dictionaries(
    {}, optional={"name": st.sampled_from(NAMES) | VALUES, "arguments": VALUES, "id": VALUES}
)


@pytest.mark.parametrize(("name", "sent"), [*itertools.product(NAMES, ARGUMENTS)])
def test_a_row_has_the_verdict_of_its_function(
    app: specfn.Application, name: str, sent: Any
) -> None:
    """A row is checked by the function that its name means in a conversation, and by that function alone."""
    (row,) = bulk.check_calls(app, [{"name": name, "arguments": sent}])
    found = app.resolve(name)
    assert row["function"] == found.name
    if found.name is None:
        assert (row["valid"], row["data"], len(row["errors"])) == (False, None, 1)
        assert row["errors"][0]["path"] == "$row.name"
        return
    outcome = app[found.name].check(sent)
    assert (row["valid"], row["data"]) == (bool(outcome), outcome.data)
    assert [each["path"] for each in row["repairs"]] == [each.path for each in outcome.repairs]
    if isinstance(outcome, specfn.Failure):
        assert [each["path"] for each in row["errors"]] == [each.path for each in outcome.errors]
        assert row["feedback"] == outcome.feedback()
    else:
        assert (row["errors"], row["feedback"]) == ([], None)


@given(st.lists(ROWS | VALUES, max_size=5))
def test_no_row_raises_or_is_lost(app: specfn.Application, rows: list[Any]) -> None:
    """Each row of any content gives one row, in order, with its own columns and those that are added."""
    before = copy.deepcopy(rows)
    checked = list(bulk.check_calls(app, rows))
    assert repr(rows) == repr(before)
    assert len(checked) == len(rows)
    for row, result in zip(rows, checked, strict=True):
        own = row if isinstance(row, dict) else {"row": row}
        assert set(result) == {*own, *ADDED}
        assert all(result[key] is value for key, value in own.items() if key not in ADDED)
        assert result["valid"] == (not result["errors"]) == (result["feedback"] is None)


def test_the_stream_is_read_row_by_row(app: specfn.Application) -> None:
    """Rows are read when their results are read: an endless stream has results."""
    endless = ({"name": "items_get", "arguments": "{}", "id": each} for each in itertools.count())
    found = bulk.check_calls(app, endless)
    assert [next(found)["id"] for _ in range(3)] == [0, 1, 2]
    assert next(endless)["id"] == 3


def test_the_human_part_is_left_out() -> None:
    """With ``Options.separate``, the part of the model alone is checked."""
    document = {
        "openapi": "3.1.0",
        "info": {"title": "", "version": ""},
        "paths": {
            "/login": {
                "post": {
                    "requestBody": {
                        "required": True,
                        "content": {
                            "application/json": {
                                "schema": {
                                    "type": "object",
                                    "properties": {
                                        "user": {"type": "string"},
                                        "key": {"type": "string", "format": "password"},
                                    },
                                    "required": ["user", "key"],
                                }
                            }
                        },
                    },
                    "responses": {},
                }
            }
        },
    }
    app = specfn.load(document, options=specfn.Options(separate="secrets"))
    rows = [{"name": "login_post", "arguments": '{"body": {"user": "me"}}'}]
    assert [row["valid"] for row in bulk.check_calls(app, rows)] == [True]


def test_an_application_is_needed() -> None:
    """Anything but an application is a mistake of the caller."""
    with pytest.raises(specfn.UsageError, match=r"app must be a specfn\.Application, not dict"):
        bulk.check_calls({}, [])  # type: ignore[arg-type]


@pytest.mark.usefixtures("frozen_heap")
def test_memory_does_not_grow(app: specfn.Application) -> None:
    """The number of objects is the same after many more calls, half of them with names that are always new."""

    def some(start: int) -> Iterator[dict[str, Any]]:
        for index in range(start, start + 5000):
            sent = ARGUMENTS[index % len(ARGUMENTS)]
            name = f"new {index}" if index % 2 else NAMES[index % len(NAMES)]
            yield {"name": name, "arguments": sent}

    rows = RowChecker(app)
    sizes = []
    for start in range(0, 20_000, 5000):
        for row in some(start):
            rows.check(row)
        gc.collect()
        sizes.append(len(gc.get_objects()))
    assert sizes[-1] - sizes[-2] < 100


# -- lines ----------------------------------------------------------------------------------------


@given(st.binary(max_size=40).filter(lambda line: b"\n" not in line and line.strip()))
@example(b'{"name":"items_get","arguments":' + b"[" * 5000 + b"]" * 5000 + b"}")
@example(b'{"name":"items_get","arguments":{},"id":' + b"[" * 300 + b"]" * 300 + b"}")
@example(b'{"name":"items_get","arguments":{},"id":' + b"9" * 5000 + b"}")
@example(b'{"name":"items_get","arguments":"{\\"query\\":{\\"limit\\":1e999}}"}')
@example(b'{"name":"items_get","arguments":"NaN","id":NaN}')
@example(b'{"name":"\\ud800","arguments":"\\ud800"}')
@example(b'{"name":"items_get","arguments":"' + b"[" * 3000 + b'"}')
def test_each_line_is_a_row(app: specfn.Application, line: bytes) -> None:
    """Any line gives one line of JSON with a verdict."""
    piece = check_lines(RowChecker(app), [line])
    assert piece.content.count(b"\n") == 1
    row = loads(piece.content)
    assert set(ADDED) <= set(row)
    assert piece.counts == bulk.Counts(
        1, row["valid"], row["valid"] and bool(row["repairs"]), row["function"] is None
    )


@pytest.mark.parametrize("line", [b"no", b"[1]", b"\xff", b'{"a":' * 400 + b"1" + b"}" * 400])
def test_a_line_that_is_not_a_row_keeps_its_text(app: specfn.Application, line: bytes) -> None:
    """A line that is not a JSON object is a row with its text and an error."""
    row = json.loads(check_lines(RowChecker(app), [line]).content)
    assert row["row"] == line.decode(errors="replace")
    assert (row["valid"], row["errors"][0]["path"]) == (False, "$row")


def test_a_long_line_is_a_row_with_an_error(app: specfn.Application) -> None:
    """A line over the limit is not read as JSON."""
    line = b'{"name":"items_get","arguments":"' + b" " * MAX_LINE_BYTES + b'"}'
    row = json.loads(check_lines(RowChecker(app), [line]).content)
    assert row["errors"][0]["description"] == f"The line is longer than {MAX_LINE_BYTES:,} bytes."
