"""T42: the URL of a 202 response that is compared with the paths of a document does not keep the process busy."""

import json
import re
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import ends_here, examples

import specfn
from specfn import Connection

NAMES = "abcdefghi"

#: What stands between the parameters of a segment, and what the server repeats.
BETWEEN = ["-", "", ".", "--", "%2d", "ab"]


def document(segment: str) -> Any:
    """A document with a function that is accepted, and one that reads a status at a path with this segment."""
    names = re.findall(r"\{(\w)\}", segment)
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in dict.fromkeys(names)
    ]
    done = {"description": "done"}
    return {
        "openapi": "3.1.0",
        "info": {"title": "a", "version": "1"},
        "paths": {
            "/jobs": {"post": {"responses": {"202": done}}},
            f"/jobs/{segment}": {"get": {"parameters": parameters, "responses": {"200": done}}},
        },
    }


def status_arguments(segment: str, location: str) -> Any:
    """The arguments of the call that a text names after a 202 response with a URL, or ``None``."""

    def handle(_: httpx.Request) -> httpx.Response:
        return httpx.Response(202, headers={"location": f"/jobs/{location}"})

    client = httpx.Client(transport=httpx.MockTransport(handle))
    connection = Connection(base_url="https://api.example", client=client)
    bound = specfn.load(document(segment)).bind(connection, allow={"read", "write"})
    answer = bound["jobs_post"].outcome({})
    assert answer.kind == "accepted"
    named = re.search(r"To read its status, call \w+ with (\{.*\})\. ", f"{answer.text} ")
    return None if named is None else json.loads(named[1])


@pytest.mark.parametrize("between", BETWEEN)
@pytest.mark.parametrize("length", [900, 7_000])
def test_a_status_url_is_compared_in_linear_time(between: str, length: int) -> None:
    """T42: nine parameters in one segment are found, or not, in a URL that repeats what stands between them."""
    segment = between.join(f"{{{name}}}" for name in NAMES) + "!"
    repeated = between or "a"
    location = (repeated * length)[:length]
    assert ends_here(lambda: status_arguments(segment, location))


LITERALS = st.sampled_from(["", "-", "--", "a", "ab", "-a"])
TEXTS = st.text("ab-", min_size=1, max_size=12)


@settings(deadline=None, max_examples=examples(100))
@given(st.lists(LITERALS, min_size=2, max_size=5), TEXTS)
def test_a_status_url_has_the_shortest_values(literals: list[str], location: str) -> None:
    """T42: the first values are as short as the literals behind them allow, as in a lazy regular expression."""
    names = NAMES[: len(literals) - 1]
    segment = "".join(
        f"{literal}{{{name}}}" for literal, name in zip(literals, names, strict=False)
    )
    lazy = "".join(
        f"{re.escape(literal)}(?P<{name}>.+?)"
        for literal, name in zip(literals, names, strict=False)
    )
    expected = re.fullmatch(lazy + re.escape(literals[-1]), location)
    found = status_arguments(segment + literals[-1], location)
    assert found == (None if expected is None else expected.groupdict())
