import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.live.model_server import ANSWER, Faults, model_server
from tests.strict_shop.server import Server, serve

from specfn.cli.commands import chat as command
from specfn.errors import TransportError

Command = Callable[..., Any]
KEY = "canary-key-4711"


@pytest.fixture(scope="module")
def shop() -> Iterator[Server]:
    with serve() as server:
        yield server


@pytest.fixture
def model() -> Iterator[tuple[str, Faults]]:
    with model_server() as running:
        yield running


@pytest.fixture
def chat(
    specfn: Command, shop: Server, model: tuple[str, Faults], monkeypatch: pytest.MonkeyPatch
) -> Command:
    """Talk to the model, with a key in the environment and a credential for the shop."""
    monkeypatch.setenv("MODEL_KEY", KEY)
    monkeypatch.setenv("SPECFN_AUTH_BEARER", shop.token)

    def talk(*arguments: str | Path, url: str = f"{model[0]}/v1", stdin: bytes = b"") -> Any:
        fixed = ("--model-url", url, "--model", "m", "--key-env", "MODEL_KEY")
        return specfn("chat", shop.document_url, *fixed, *arguments, stdin=stdin)

    return talk


def test_a_question_is_answered(chat: Command, shop: Server, model: tuple[str, Faults]) -> None:
    """One question: calls are shown and repaired on stderr, executed, and the answer is on stdout."""
    before = len(shop.received)
    ended = chat("--base-url", shop.base_url, "--yes", "Put a lamp there.")
    assert (ended.code, ended.out) == (0, f"{ANSWER}\n")
    assert model[1] == []
    assert "repaired: separator" in ended.err
    assert "HTTP 201" in ended.err
    assert len(shop.received) - before == 3  # the document, the lamp, the list


def test_what_changes_data_is_not_sent_without_consent(chat: Command, shop: Server) -> None:
    """Without a terminal and without ``--yes`` what changes data is not sent, and that is said."""
    before = [str(each) for each in shop.received]
    ended = chat("--base-url", shop.base_url, "Put a lamp there.")
    sent = [str(each) for each in shop.received][len(before) :]
    assert not any("POST" in each for each in sent)
    assert "This request may change data. It is sent only if you approve it.\n" in ended.err
    assert "stdin is not a terminal" in ended.err


@pytest.mark.parametrize("connector", ["openai", "openai-responses", "anthropic", "gemini"])
def test_every_connector_talks(chat: Command, shop: Server, connector: str) -> None:
    """The command speaks every wire format that takes a key."""
    ended = chat("--base-url", shop.base_url, "--yes", "--connector", connector, "Go.")
    assert ended.out == f"{ANSWER}\n"


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("Go.",), 2, "missing option --base-url"),
        (
            ("--base-url", "http://localhost:1", "--connector", "nope", "Go."),
            2,
            "not one of ",
        ),
        (
            ("--base-url", "http://localhost:1", "--connector", "bedrock", "Go."),
            2,
            "not one of ",
        ),
        (("--base-url", "http://localhost:1", "--select", "nope", "Go."), 2, "nope"),
        (("--base-url", "http://localhost:1", "--key-env", "NOT_SET_4711", "Go."), 2, "not set"),
    ],
)
def test_wrong_use_is_one_line(
    chat: Command, arguments: tuple[str, ...], code: int, told: str
) -> None:
    """Wrong use is one line on stderr that says what to do."""
    ended = chat(*arguments)
    assert (ended.code, ended.out) == (code, "")
    assert told in ended.err.splitlines()[-1]


def test_a_model_that_is_not_there(chat: Command, shop: Server) -> None:
    """A model that cannot be reached has exit code 3, a response with a fault 1. The key is never shown."""
    missing = f"{shop.base_url}/nothing-{KEY}"
    for url, code, told in (
        ("http://127.0.0.1:9/v1", 3, "could not be reached"),
        (missing, 1, "/nothing-***/chat/completions responded 404"),
    ):
        ended = chat("--base-url", shop.base_url, "Go.", url=url)
        assert (ended.code, ended.out) == (code, "")
        assert told in ended.err
        assert "check --model-url" in ended.err
        assert "the model" in ended.err
        assert KEY not in ended.err


def test_functions_that_are_not_offered_are_reported(
    chat: Command, shop: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a credential, stderr has the functions that are not offered, and the names without a function."""
    monkeypatch.delenv("SPECFN_AUTH_BEARER")
    ended = chat("--base-url", shop.base_url, "--yes", "Put a lamp there.")
    assert "specfn: not available: function " in ended.err
    assert "--auth SCHEME=VALUE" in ended.err
    assert "connection." not in ended.err
    assert "specfn: no such function: '" in ended.err


@pytest.mark.parametrize(("line", "requests"), [("", 1), ("And now?", 2)])
def test_a_request_that_failed_is_sent_again(
    chat: Command,
    shop: Server,
    monkeypatch: pytest.MonkeyPatch,
    line: str,
    requests: int,
) -> None:
    """On a terminal, Return sends a failed request again, and nothing that was executed is lost or repeated."""
    monkeypatch.setattr("specfn.cli.commands.chat.is_terminal", lambda _: True)
    sent: list[dict[str, Any]] = []
    reply = command._reply  # the place where the network fails

    def fail_once(origin: str, url: str, headers: dict[str, str], content: bytes) -> Any:
        sent.append(json.loads(content))
        if len(sent) == 4:  # after the call that changes data
            raise TransportError("the connection was lost")
        return reply(origin, url, headers, content)

    monkeypatch.setattr(command, "_reply", fail_once)
    monkeypatch.setattr(command, "_line", lambda: line)
    before = len(shop.received)
    ended = chat("--base-url", shop.base_url, "--yes", "Put a lamp there.")
    assert (ended.code, ended.out) == (0, f"{ANSWER}\n")
    assert "the connection was lost" in ended.err
    assert "Return sends the request again" in ended.err
    if not line:
        assert sent[4] == sent[3]
    asked = [message for message in sent[4]["messages"] if message["role"] == "user"]
    assert len(asked) == requests
    assert len([each for each in shop.received[before:] if "POST" in str(each)]) == 1
