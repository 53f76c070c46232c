"""What a caller writes about a connection: checked, and never shown."""

from functools import partial
from typing import Any

import httpx
import pytest
from pydantic import SecretStr, ValidationError

from specfn.http.connection import Connection, Timeout

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
    with pytest.raises(ValidationError) as caught:
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
    with pytest.raises(ValidationError):
        Connection(timeout=given)
