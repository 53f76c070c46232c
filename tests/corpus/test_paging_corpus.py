"""The paging of real documents, against a count that shares no code with the detection."""

import json
import runpy
import statistics
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest
from tests.invocation.paging.test_list_apis import read

from specfn import Application

pytestmark = pytest.mark.corpus

COUNTED = runpy.run_path(str(Path(__file__).parents[2] / "bench" / "count_paging.py"))["counted"]


def test_most_declared_paging_is_found(loaded: dict[Path, Application]) -> None:
    """X13: at least 85 % of the operations with a declared next value, and 80 % of those with a counter only."""
    total: Counter[str] = Counter()
    for path, application in loaded.items():
        total += COUNTED(path, application.functions)[0]
    assert total["next"] > 400
    assert total["counter"] > 400
    assert total["next detected"] >= 0.85 * total["next"]
    assert total["counter detected"] >= 0.8 * total["counter"]


def test_parameters_of_paging_are_declared(loaded: dict[Path, Application]) -> None:
    """X13: each parameter that a record names is in the query or the body of its function, and no option fixes it."""
    for application in loaded.values():
        for function in application.functions:
            paging = function.paging
            group = function.route.query
            names = {each.key for each in group.parameters} if group is not None else set()
            for place in (paging.parameter, paging.counter, paging.size) if paging else ():
                assert place is None or place[0] == "body" or place[1] in names


LISTS = runpy.run_path(str(Path(__file__).parents[2] / "bench" / "read_lists.py"))


def test_lists_are_read_completely(loaded: dict[Path, Application]) -> None:
    """X13: lists of real documents are read completely without duplicates, by code and by a reader of texts."""
    outcomes = Counter(
        LISTS["outcome_of"](app, function, server, sent, read)
        for path in loaded
        for app, function, server, sent in islice(LISTS["lists"](path), 8)
    )
    del outcomes["not called", "not called"]  # arguments that the generator cannot write
    assert outcomes.total() >= 40
    assert [*outcomes] == [("complete", "complete")]


FIELDS = runpy.run_path(str(Path(__file__).parents[2] / "bench" / "count_fields.py"))["counted"]


def test_six_fields_are_a_small_part_of_pages(loaded: dict[Path, Application]) -> None:
    """X12: of 30 documented items, six fields are at most 10 % of all bytes, and 5 % of half of the large pages."""
    [path] = [each for each in loaded if "api.github.com" in each.name]
    rows = [*FIELDS(json.loads(path.read_text()), loaded[path])]
    assert len(rows) > 200
    assert sum(row.six for row in rows) <= 0.1 * sum(row.whole for row in rows)
    large = [row.six / row.whole for row in rows if row.whole > 50_000]
    assert statistics.median(large) <= 0.05
