"""What a caller writes about a connection: checked, and never shown."""

import copy
import pickle
from functools import partial
from typing import Any

import httpx
import pytest
from pydantic import SecretStr, ValidationError

import specfn
from specfn import Connection
from specfn.errors import UsageError
from specfn.http.connection import Timeout, reveal

CANARY = "canary-5d1f"

COVERED: list[dict[str, Any]] = [
    {"headers": {"X-Key": CANARY}},
    {"cookies": {"sid": CANARY}},
    {"query": {"key": CANARY}},
    {"credentials": {"key": CANARY}},
    {"credentials": {"key": SecretStr(CANARY)}},
    {"credentials": {"key": ("user", CANARY)}},
    {"credentials": {"key": partial(str, CANARY)}},
    {"before": partial(print, CANARY)},
    {"after": partial(print, CANARY)},
]


@pytest.mark.parametrize("fields", COVERED)
def test_secrets_are_never_shown(fields: dict[str, Any]) -> None:
    """No repr and no dump of a connection holds a value that could be a secret."""
    connection = Connection(base_url="https://h", **fields)
    for shown in (repr(connection), str(connection), str(connection.model_dump()),
                  connection.model_dump_json(), repr(connection.model_copy())):  # fmt: skip
        assert CANARY not in shown


WRONG: list[dict[str, Any]] = [
    {"base_url": f"https://user:{CANARY}@h"},
    {"base_url": f"https://h/?key={CANARY}"},
    {"origins": (f"https://user:{CANARY}@h",)},
    {"origins": ("https://h/path",)},
    {"headers": {"X-Key": f"{CANARY}\r\nX: y"}},
    {"headers": {"X-Key": f" {CANARY}"}},
    {"headers": {"X Key": CANARY}},
    {"headers": {"Content-Length": CANARY}},
    {"headers": {"X-Key": CANARY.encode()}},
    {"cookies": {"sid": f"{CANARY}; x"}},
    {"cookies": {"s id": CANARY}},
    {"credentials": {"key": ("a", "b", CANARY)}},
    {"credentials": {"key": 5}},
    {"api_key": CANARY},
    {"timeout": {"total": 0}},
    {"timeout": {"total": float("inf")}},
    {"timeout": {"total": None}},
    {"retries": -1},
    {"max_bytes": -1},
    {"redirects": "always"},
    {"client": object()},
]


@pytest.mark.parametrize("fields", WRONG)
def test_mistakes_are_found_when_they_are_written(fields: dict[str, Any]) -> None:
    """A field that cannot work is refused at once, in a text that does not repeat it."""
    with pytest.raises(UsageError) as caught:
        Connection(**fields)
    assert CANARY not in str(caught.value)
    assert CANARY not in repr(caught.value)


def test_a_connection_is_frozen() -> None:
    """What was checked stays as it was checked."""
    connection = Connection(base_url="https://h")
    with pytest.raises(ValidationError):
        connection.base_url = "https://evil"


def test_defaults() -> None:
    """A connection without settings has limits all the same."""
    connection = Connection()
    assert connection.timeout == Timeout(connect=10, read=30, total=60)
    assert connection.max_bytes == 64 * 1024 * 1024
    assert (connection.redirects, connection.retries) == ("never", 0)


def test_origins_are_compared_as_they_are_sent() -> None:
    """An origin is kept in the form that URLs have."""
    connection = Connection(origins=("HTTPS://Files.Example:443/", "http://localhost:80"))
    assert connection.origins == ("https://files.example", "http://localhost")


def test_clients_are_the_callers() -> None:
    """A client is taken as it is, and left out of dumps."""
    with httpx.Client() as client:
        connection = Connection(client=client)
        assert connection.client is client
        assert "client" not in connection.model_dump()
        assert "httpx.Client" in repr(connection)


@pytest.mark.parametrize(
    ("given", "limits"),
    [
        (5, (5, 5, 5)),
        (20.5, (10, 20.5, 20.5)),
        (120, (10, 30, 120)),
        ({"read": 2}, (10, 2, 60)),
        (Timeout(total=7), (10, 30, 7)),
    ],
)
def test_a_number_is_the_whole_time(given: Any, limits: tuple[float, ...]) -> None:
    """Seconds are those of the whole call; no step of it gets more."""
    for connection in (
        Connection(timeout=given),
        Connection().model_copy(update={"timeout": given}),
    ):
        found = connection.limits
        assert (found.connect, found.read, found.total) == limits


@pytest.mark.parametrize("given", [0, -1, True, float("inf"), float("nan"), "soon", None])
def test_a_time_that_is_none(given: Any) -> None:
    """There is no call without an end."""
    with pytest.raises(UsageError):
        Connection(timeout=given)


@pytest.mark.parametrize("fields", COVERED)
def test_secrets_are_pickled_only_if_asked(fields: dict[str, Any]) -> None:
    """What may be secret is in no pickle, unless the caller says so; the error names the fields, and how to ask."""
    connection = Connection(base_url="https://h", **fields)
    with pytest.raises(UsageError, match=rf"{next(iter(fields))} .*pickle_secrets=True") as caught:
        pickle.dumps(connection)
    assert CANARY not in str(caught.value)
    stored = pickle.dumps(connection.model_copy(update={"pickle_secrets": True}))
    assert CANARY.encode() in stored
    again = pickle.loads(stored)
    name = next(iter(fields))
    if not any(isinstance(each, partial) for each in (fields[name], *_values(fields[name]))):
        assert getattr(again, name) == getattr(connection, name)
    assert CANARY not in repr(again)


def _values(value: Any) -> Any:
    return value.values() if isinstance(value, dict) else ()


def test_a_client_is_a_secret_to_pickle() -> None:
    """A client of the caller's may hold anything."""
    with httpx.Client(auth=("u", CANARY)) as client, pytest.raises(UsageError, match="client"):
        pickle.dumps(Connection(base_url="https://h", client=client))


def test_what_holds_no_secret_is_pickled() -> None:
    """A connection without credentials is an ordinary record."""
    connection = Connection(base_url="https://h", timeout=3, origins=("https://i",), retries=2)
    assert pickle.loads(pickle.dumps(connection)) == connection


def test_copies_need_no_permission() -> None:
    """A copy stays in the process, so it holds what the original holds."""
    connection = Connection(base_url="https://h", credentials={"key": CANARY})
    for copied in (copy.copy(connection), copy.deepcopy(connection), connection.model_copy()):
        assert copied == connection
        assert reveal(copied.credentials["key"]) == CANARY


FIRST_TRIES: list[tuple[dict[str, Any], str]] = [
    ({"auth": ("user", "password")}, 'such as httpx.BasicAuth("user", "password")'),
    ({"auth": "token"}, 'write credentials={"NAME OF THE SECURITY SCHEME": "..."}'),
    ({"credentials": "token"}, 'credentials={"NAME OF THE SECURITY SCHEME": "..."}'),
    ({"token": "t"}, 'write credentials={"NAME OF THE SECURITY SCHEME": "..."}'),
    ({"headers": "X-A: b"}, 'must be a mapping, such as {"name": "value"}'),
    ({"timeout": "5s"}, "must be a number of seconds or a Timeout"),
    ({"base_url": "api.example.com"}, "such as https://api.example.com/v1"),
]


@pytest.mark.parametrize(("fields", "text"), FIRST_TRIES)
def test_a_first_try_is_answered_by_the_right_form(fields: dict[str, Any], text: str) -> None:
    """X0: the error of a field that people write by the habit of another client shows what to write."""
    with pytest.raises(UsageError) as caught:
        Connection(**fields)
    assert text in str(caught.value)


def test_a_credential_without_a_scheme_is_answered_by_the_header() -> None:
    """X0: where a document declares no security scheme, the error names what to pass instead of a credential."""
    operation = {"responses": {"200": {"description": ""}}}
    info = {"title": "t", "version": "1"}
    app = specfn.load({"openapi": "3.1.0", "info": info, "paths": {"/a": {"get": operation}}})
    with pytest.raises(UsageError, match="declares none; pass the header itself"):
        app.request("GET /a", {}, Connection("http://127.0.0.1", credentials={"a": "b"}))
