import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from tests.live.environments import (
    CHROMA,
    KINTO,
    POWERDNS,
    debian_environment,
    python_environment,
)
from tests.live.processes import free_port, running

from specfn import Application, Connection, Result

#: What PowerDNS takes as its key; it guards a server on loopback that lives for seconds.
API_KEY = "key-of-the-tests"


@dataclass(frozen=True)
class Caller:
    """A function's call, blocking or awaited in one event loop.

    Attributes:
        execute: raises for what is no success.
        propagate: returns any answer.
    """

    execute: Callable[..., Result]
    propagate: Callable[..., Result]


@pytest.fixture(params=["sync", "async"])
def caller(request: pytest.FixtureRequest) -> Iterator[Callable[[Application], Caller]]:
    """Both ways of calling an application."""
    if request.param == "sync":
        yield lambda app: Caller(app.execute, app.propagate)
        return
    with asyncio.Runner() as runner:

        def awaited(method: Callable[..., Any]) -> Callable[..., Result]:
            return lambda *given: runner.run(method(*given))

        yield lambda app: Caller(awaited(app.aexecute), awaited(app.apropagate))


KINTO_SETTINGS = """
[server:main]
use = egg:waitress#main
host = 127.0.0.1
port = %(http_port)s

[app:main]
use = egg:kinto
kinto.storage_backend = kinto.core.storage.memory
kinto.permission_backend = kinto.core.permission.memory
kinto.cache_backend = kinto.core.cache.memory
kinto.userid_hmac_secret = tests
kinto.includes = kinto.plugins.default_bucket
multiauth.policies = basicauth
"""


@pytest.fixture(scope="session")
def kinto(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The origin of a kinto that keeps everything in memory and takes any user."""
    environment = python_environment(KINTO)
    folder = tmp_path_factory.mktemp("kinto")
    port = free_port()
    (folder / "kinto.ini").write_text(KINTO_SETTINGS, encoding="utf-8")
    command = (environment / "bin" / "kinto", "start", "--ini", "kinto.ini", "--port", str(port))
    origin = f"http://127.0.0.1:{port}"
    with running(command, f"{origin}/v1/__lbheartbeat__", folder):
        yield origin


@pytest.fixture(scope="session")
def powerdns(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The origin of a PowerDNS with an empty SQLite database."""
    root = debian_environment(POWERDNS)
    folder = tmp_path_factory.mktemp("powerdns")
    [schema] = root.glob("usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql")
    [libraries] = {found.parent for found in root.glob("usr/lib/*/pdns")}
    with sqlite3.connect(folder / "zones.db") as database:
        database.executescript(schema.read_text(encoding="utf-8"))
    database.close()
    port = free_port()
    settings = {
        "config-dir": folder,
        "socket-dir": folder,
        "module-dir": libraries / "pdns",
        "launch": "gsqlite3",
        "gsqlite3-database": folder / "zones.db",
        "local-address": "127.0.0.1",
        "local-port": free_port(),
        "security-poll-suffix": "",
        "webserver": "yes",
        "webserver-address": "127.0.0.1",
        "webserver-port": port,
        "api": "yes",
        "api-key": API_KEY,
        "daemon": "no",
        "guardian": "no",
    }
    command = [str(root / "usr/sbin/pdns_server"), *(f"--{k}={v}" for k, v in settings.items())]
    origin = f"http://127.0.0.1:{port}"
    with running(command, origin, folder, {"LD_LIBRARY_PATH": str(libraries)}):
        yield origin


@pytest.fixture(scope="session")
def chroma(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The origin of a chroma with an empty database."""
    environment = python_environment(CHROMA)
    folder = tmp_path_factory.mktemp("chroma")
    port = free_port()
    options = ("--path", str(folder), "--host", "127.0.0.1", "--port", str(port))
    origin = f"http://127.0.0.1:{port}"
    with running(
        (environment / "bin" / "chroma", "run", *options),
        f"{origin}/api/v2/heartbeat",
        folder,
        {"ANONYMIZED_TELEMETRY": "FALSE"},
    ):
        yield origin


@pytest.fixture
def connect() -> Callable[..., Connection]:
    """A connection with short timeouts: everything is on this machine."""

    def made(base_url: str, **more: Any) -> Connection:
        timeout = {"connect": 5, "read": 30, "total": 60}
        return Connection(base_url=base_url, timeout=timeout, **more)

    return made


@pytest.fixture
def api_key() -> str:
    return API_KEY
