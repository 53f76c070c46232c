"""T22: what writes or destroys is sent only with consent, and once."""

import asyncio
import json
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.calling.models import CONNECTORS, Script, said, wished

import specfn
from specfn import Application, Connection, Options, calling, load
from specfn.cli.main import run
from specfn.errors import TransportError, UsageError
from specfn.mcp.served_functions import ServedFunctions

#: What the methods of a document may do (RFC 9110, section 9.2.1); any other method may do anything.
SAFETIES = {
    "get": "read",
    "head": "read",
    "query": "read",
    "post": "write",
    "put": "write",
    "patch": "write",
    "delete": "destructive",
    "purge": "destructive",
}


METHODS_OF_A_PATH: dict[str, Any] = {method: {} for method in SAFETIES if method != "purge"}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.2.0",
    "info": {"title": "t", "version": "1"},
    "paths": {"/things": {**METHODS_OF_A_PATH, "additionalOperations": {"purge": {}}}},
}


def application(**options: Any) -> Application:
    """One path with an operation for every method."""
    return load(DOCUMENT, options=Options(**options))


APPLICATION = application()
METHODS = [each.method for each in APPLICATION]
UNSAFE = [method for method in METHODS if SAFETIES[method] != "read"]


@pytest.mark.parametrize("method", METHODS)
def test_only_reads_are_sent_unasked(loopback: Any, method: str) -> None:
    """By default a bound function opens no socket for anything that may change data, and the model learns why."""
    function = APPLICATION[f"{method.upper()} /things"]
    assert function.safety == SAFETIES[method]
    bound = APPLICATION.bind(Connection(base_url=loopback.url, timeout=2))
    text = bound[function.name].answer({})
    assert loopback.connections == (SAFETIES[method] == "read")
    assert ("Nothing was executed" in text) is (SAFETIES[method] != "read")


@pytest.mark.parametrize("allowed", ["read", "write", "destructive"])
def test_a_safety_that_is_allowed_allows_no_other(loopback: Any, allowed: Any) -> None:
    """Functions that read may be called. To allow what destroys does not allow what writes, nor the other way round."""
    bound = APPLICATION.bind(Connection(base_url=loopback.url), allow={allowed})
    for function in APPLICATION:
        bound[function.name].answer({})
    sent = [request.split(b" ", 1)[0].decode().lower() for request in loopback.requests]
    assert sent == [method.lower() for method in METHODS if SAFETIES[method] in ("read", allowed)]


@pytest.mark.parametrize("answer", [True, False, None, "yes", 1])
@pytest.mark.parametrize("method", UNSAFE)
def test_a_bound_function_waits_for_a_yes(loopback: Any, method: str, answer: Any) -> None:
    """Whoever is asked is asked before a socket is opened; nothing but true is a yes."""
    asked: list[int] = []

    def approve(*_: Any) -> Any:
        asked.append(loopback.connections)
        return answer

    bound = APPLICATION.bind(Connection(base_url=loopback.url), approve=approve)
    bound[f"{method.upper()} /things"].answer({})
    assert asked == [0]
    assert loopback.connections == (answer is True)


def conversation(loopback: Any, connector: str, **settings: Any) -> Any:
    """A model that calls DELETE, whatever it reads."""
    name = APPLICATION["DELETE /things"].name
    lines = [wished(("c1", name, {}), connector=connector), said("Done.", connector)]
    connection = Connection(base_url=loopback.url)
    return calling.run(
        APPLICATION,
        Script(lines),
        connector=connector,
        messages="tidy up",
        connection=connection,
        **settings,
    )


@pytest.mark.parametrize("connector", CONNECTORS)
def test_a_conversation_waits_for_a_yes(loopback: Any, connector: str) -> None:
    """A model's DELETE opens no socket before a person said yes, and none if nobody can be asked."""
    asked: list[int] = []

    def approve(request: Any) -> bool:
        asked.append(loopback.connections)
        return request.function == APPLICATION["DELETE /things"].name

    for settings in ({}, {"approve": lambda _: False}, {"approve": lambda _: calling.Defer()}):
        conversation(loopback, connector, **settings)
    assert loopback.connections == 0
    conversation(loopback, connector, approve=approve)
    assert asked == [0]
    assert [request.split(b" ", 1)[0] for request in loopback.requests] == [b"DELETE"]


def test_what_the_operator_calls_unsafe_is(loopback: Any) -> None:
    """A GET that is known to write asks as a POST does."""
    guarded = application(safety={"GET /things": "destructive"})
    guarded.bind(Connection(base_url=loopback.url), allow={"read", "write"})["GET /things"].answer(
        {}
    )
    assert loopback.connections == 0


@pytest.mark.parametrize("call", [specfn.propagate, specfn.apropagate], ids=["sync", "async"])
@pytest.mark.parametrize("method", METHODS)
def test_what_may_not_be_repeated_is_sent_once(
    loopback: Any, http: Any, call: Any, method: str
) -> None:
    """A 503 that asks for another try is a result for POST and PATCH, with any number of retries."""
    loopback.respond = lambda _: http(b"", "503 Busy", Retry_After="0")
    connection = Connection(base_url=loopback.url, retries=2, timeout=5)
    answer = call(APPLICATION[f"{method.upper()} /things"], {}, connection)
    result = asyncio.run(answer) if asyncio.iscoroutine(answer) else answer
    assert result.status == 503
    assert len(loopback.requests) == (1 if method in {"post", "patch", "purge"} else 3)


def test_a_timeout_repeats_nothing(loopback: Any) -> None:
    """A call that ended without an answer may have been executed: it is not sent again."""
    loopback.respond = lambda _: iter(())  # the server closes, or would say nothing more
    connection = Connection(base_url=loopback.url, retries=5, timeout=1)
    with pytest.raises(TransportError):
        specfn.propagate(APPLICATION["POST /things"], {}, connection)
    assert len(loopback.requests) == 1


# -- exclusions ---------------------------------------------------------------------------------------------

NAMES = [each.name for each in APPLICATION]
URL = "http://127.0.0.1:9"
WORDS = ["read", "write", "destructive", *NAMES]


def read_by_bind(allow: Sequence[str], _: Path) -> set[str]:
    """Return the functions that bound functions call without an approval."""
    bound = APPLICATION.bind(Connection(base_url=URL), allow=allow)
    return {name for name in NAMES if not bound[name].needs_approval}


def read_by_a_server(allow: Sequence[str], _: Path) -> set[str]:
    """Return the functions that an MCP server calls without an approval."""
    catalog = calling.Catalog().add(APPLICATION)
    served = ServedFunctions(catalog, Connection(base_url=URL), allow=allow)
    entries = served.entries.items()
    return {name for name, entry in entries if asyncio.run(served._settings(entry)).permits(name)}


def read_by_the_command(allow: Sequence[str], folder: Path) -> set[str]:
    """Serve with options, and with a configuration file."""
    document = folder / "things.json"
    document.write_text(json.dumps(DOCUMENT), encoding="utf-8")
    config = folder / "c.yaml"
    config.write_text(
        json.dumps({"allow": allow, "documents": {"a": {"spec": "things.json", "base_url": URL}}}),
        encoding="utf-8",
    )
    lines = (
        [str(document), "--base-url", URL, *(part for word in allow for part in ("--allow", word))],
        ["--config", str(config)],
    )
    errors = []
    for line in lines:
        with redirect_stderr(StringIO()) as told, redirect_stdout(StringIO()):
            code = run(["serve", *line, "--print-config", "claude"])
        errors += [told.getvalue()] * bool(code)
    assert len(errors) in (0, 2)
    if errors:
        raise UsageError("\n".join(errors))
    return set()


def read_by_a_conversation(allow: Sequence[str], _: Path) -> set[str]:
    """Offer functions of a configuration, and of a choice."""
    for how in (
        {"config": calling.InvocationConfig(select=allow)},
        {"config": calling.InvocationConfig(allow=allow)},
        {"choice": calling.Auto(functions=allow)},
    ):
        calling.run(
            APPLICATION, Script([said("x")]), connector="openai", messages="x",
            connection=Connection(base_url=URL), **how,
        )  # fmt: skip
    return set()


READERS = [read_by_bind, read_by_a_server, read_by_the_command, read_by_a_conversation]


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("allow", [[f"!{NAMES[0]}"], [f"!{NAMES[0]}", f"!{NAMES[-1]}"]])
def test_exclusions_alone_are_a_mistake(read: Any, allow: list[str], tmp_path: Path) -> None:
    """A permission of exclusions only does not mean all others, wherever it is read."""
    with pytest.raises(UsageError, match="only exclusions"):
        read(allow, tmp_path)
    read([*allow, NAMES[1]], tmp_path)


@pytest.mark.parametrize("read", READERS[:2])
@given(
    words=st.lists(st.sampled_from(WORDS), min_size=1), excluded=st.lists(st.sampled_from(NAMES))
)
def test_an_exclusion_takes_away(read: Any, words: list[str], excluded: list[str]) -> None:
    """A permission with exclusions permits what it permits without them, less what they name."""
    found = read([*words, *(f"!{name}" for name in excluded)], Path())
    assert found == read(words, Path()).difference(excluded)


def pairs() -> Application:
    """Two functions that destroy."""
    number = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
    paths = {
        f"/{name}/{{id}}": {"parameters": [number], "delete": {}} for name in ("things", "days")
    }
    return load({"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": paths})


PAIRS = pairs()


def erasing(*numbers: int) -> list[tuple[str, str, Any]]:
    """Calls that are different, so that none repeats another."""
    name = PAIRS["DELETE /things/{id}"].name
    return [(f"c{number}", name, {"id": number}) for number in numbers]


@pytest.mark.parametrize("is_async", [False, True], ids=["run", "arun"])
@pytest.mark.parametrize(
    "turns", [[erasing(n) for n in range(6)], [erasing(*range(6))]], ids=["one by one", "together"]
)
def test_a_conversation_does_not_ask_without_end(
    loopback: Any, turns: list[Any], *, is_async: bool
) -> None:
    """After three refusals of a function in a row, its further calls are refused without a question, and the model reads why."""
    asked: list[str] = []

    def approve(request: Any) -> bool:
        asked.append(request.id)
        return False

    script = Script([*(wished(*turn) for turn in turns), said("Sorry.")])
    given: dict[str, Any] = {
        "connector": "openai",
        "messages": "tidy up",
        "connection": Connection(base_url=loopback.url),
        "approve": approve,
    }
    if is_async:
        outcome = asyncio.run(calling.arun(PAIRS, script, **given))
    else:
        outcome = calling.run(PAIRS, script, **given)
    assert asked == ["c0", "c1", "c2"]
    assert loopback.connections == 0
    texts = [call.result for call in outcome.calls]
    assert all(text.startswith("The user declined this call.") for text in texts[:3])
    assert all("3 times in a row, so this call was refused without asking" in t for t in texts[3:])
    assert len(texts) == 6


def test_an_approval_or_a_new_message_begins_again(loopback: Any, http: Any) -> None:
    """Refusals count in a row and for one function: an approval, another function and a new conversation are asked about."""
    loopback.respond = lambda _: http(b"", "204 No Content")
    days = PAIRS["DELETE /days/{id}"].name
    answers = [False, False, True, False, False, False]
    asked: list[str] = []

    def approve(request: Any) -> bool:
        asked.append(request.id)
        return request.function != days and answers[int(request.id[1:]) % 10]

    for _ in range(2):
        asked.clear()
        turns = [erasing(*range(6)), [("d", days, {"id": 1})], erasing(6)]
        script = Script([*(wished(*turn) for turn in turns), said("Done.")])
        calling.run(
            PAIRS,
            script,
            connector="openai",
            messages="tidy up",
            connection=Connection(base_url=loopback.url),
            approve=approve,
        )
        assert asked == ["c0", "c1", "c2", "c3", "c4", "c5", "d"]


def test_refusals_are_stored_with_the_conversation() -> None:
    """A stored conversation continues the count of refusals, and a denial without a person is not counted."""

    def begun() -> calling.Session:
        return calling.Session(PAIRS, connector="openai", messages="tidy up")

    session, decisions = begun(), [calling.Deny(), calling.Deny(asked=False), calling.Deny()]
    for number, made in enumerate([*decisions, calling.Deny()]):
        session.next()
        session.feed(wished(*erasing(number)))
        assert len(session.next().requests) == 1
        session.feed([made])
        stored, session = session.dump(), begun()
        session.load(stored)
    session.next()
    session.feed(wished(*erasing(9)))
    assert type(session.next()).__name__ == "Send"
    assert "3 times in a row" in str(session.messages)
