"""Stored conversations: plain JSON at every moment, and continued elsewhere as if nothing had been."""

import json
import math
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.calling import stored
from tests.calling.models import wished

from specfn import calling
from specfn.calling import Ask, Done, Invoke
from specfn.errors import UsageError
from specfn.invocation.storage import summary_as_json

ROOT = Path(__file__).parents[2]

Elsewhere = Callable[[Any, stored.Script, str], str]


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[Elsewhere]:
    """Return what continues a conversation in another process."""
    command = [sys.executable, "-m", "tests.calling.stored"]
    environment = {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        given_in, given_out = process.stdin, process.stdout

        def continued(dump: Any, script: stored.Script, connector: str) -> str:
            print(json.dumps([dump, script, connector], allow_nan=False), file=given_in, flush=True)
            found: str = json.loads(given_out.readline())
            return found

        yield continued
        given_in.close()


scripts = st.lists(st.lists(st.integers(0, 2000), min_size=1, max_size=7), max_size=9)


@given(scripts, st.integers(0, 9), st.sampled_from(stored.CONNECTORS))
def test_stored_and_continued_elsewhere(
    elsewhere: Elsewhere, script: list[list[int]], cut: int, connector: str
) -> None:
    """A dump is JSON after whatever came before, and another process continues it to the same transcript."""
    conversation = stored.follow(stored.session(connector), script[:cut], connector)
    try:
        dump = conversation.dump()
    except UsageError:  # only while a call waits that has a person's values
        effect = conversation.next()
        assert isinstance(effect, Invoke)
        assert "canary" in repr([call.arguments for call in effect.calls])
        return
    assert "canary" not in json.dumps(dump, allow_nan=False)
    if isinstance(conversation.next(), Done):
        return
    there = elsewhere(dump, script[cut:], connector)
    assert there == stored.transcript(conversation, script[cut:], connector)


anything = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False)
    )
    | st.text()
    | st.binary(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["$bytes", "$$bytes", "a"]), inner)
    ),
)


@given(anything)
def test_bytes_survive(value: Any) -> None:
    """Messages with bytes are stored as JSON and are the same when they are loaded."""
    content = [{"type": "text", "text": "Look.", "data": value}]
    first = calling.Session(
        stored.APP, connector="openai", messages=[{"role": "user", "content": content}]
    )
    second = calling.Session(stored.APP, connector="openai", messages="Another.")
    second.load(json.loads(json.dumps(first.dump(), allow_nan=False)))
    assert second.messages == first.messages
    assert "Look." in repr(second.messages)


@given(
    st.recursive(
        st.sampled_from([1, "x", None, math.nan, b"1", {1}, object(), math.inf]),
        lambda inner: st.lists(inner) | st.tuples(inner) | st.dictionaries(st.integers(), inner),
    )
)
def test_a_servers_data_is_json(value: Any) -> None:
    """Whatever a call came to can be stored, and storing it again changes nothing."""
    once = summary_as_json(value)
    assert json.loads(json.dumps(once, allow_nan=False)) == once == summary_as_json(once)


def test_what_cannot_be_stored_is_named() -> None:
    """A message with an object that is no data is refused with its class."""
    session = calling.Session(
        stored.APP,
        connector="openai",
        messages=[{"role": "user", "content": [{"type": "image", "data": object()}]}],
    )
    with pytest.raises(UsageError) as raised:
        session.dump()
    assert str(raised.value) == "a stored value must be a dict or an SDK's object, not object"


def test_a_persons_values_are_not_remembered() -> None:
    """A write with a secret or a file of the human part succeeds, and nothing of it is stored."""
    session = stored.session("openai")
    session.feed(wished(("c1", "users_post", {"body": {"name": "x"}})))
    session.feed([calling.Approve(human={"body": {"password": "canary"}})])
    with pytest.raises(UsageError) as raised:
        session.dump()
    assert str(raised.value) == (
        "the conversation holds values of the human part, which are never stored: store it before they are "
        "filled in, or after the calls were made"
    )
    session.feed([stored.INVOKED[0]])
    session.feed(wished(("c2", "users_post", {"body": {"name": "x"}})))
    effect = session.next()
    assert isinstance(effect, Ask)
    assert effect.requests[0].repeated
    assert "canary" not in json.dumps(session.dump())
