"""Servers of other people: how each is installed, started and logged into."""

import contextlib
import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from tests.live.environments import node_environment, python_environment
from tests.live.packaged_calls import (
    AIRFLOW_CALLS,
    CHANGEDETECTION_CALLS,
    DIRECTUS_CALLS,
    LABEL_STUDIO_CALLS,
    PHOENIX_CALLS,
    READ_ALL,
    Calls,
)
from tests.live.processes import free_port, running

from specfn import Options

#: The password of each server that asks for one. It listens on loopback for seconds.
PASSWORD = "password-of-the-tests"

#: A key of 40 characters, for servers that compare a key.
KEY = "0123456789abcdef0123456789abcdef01234567"


@dataclass(frozen=True, kw_only=True)
class Server:
    """A server. PORT and FOLDER are replaced in the texts.

    Attributes:
        requirements: its distribution, and those that it needs besides; for npm, its package.
        command: its program and arguments.
        before: commands that prepare its database.
        variables: its environment variables.
        files: the files that it reads, by their paths in its folder.
        document: the path of its document below its origin.
        base_path: the path that the paths of its document are below.
        options: how its document becomes functions.
        send_all: the document does not say that some functions need the credential.
        scheme: the security scheme of its document that the credential is for.
        header: the header of the credential.
        log_in: returns the value of the header, from the origin and the folder of the server.
        values: the values of parameters, by name, for functions that read.
        without: the paths of functions that are not called, because the server breaks off its response, encodes it as is not
            read, sends random bytes, or ends the session.
        calls: calls one after the other, as a user makes them.
        lists: functions with pages, their arguments, and the place of the items.
        changing: the members of responses whose values differ between two objects of the same content.
    """

    requirements: Sequence[str] | str
    command: str
    before: Sequence[str] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    document: str
    base_path: str = ""
    options: Options | None = None
    send_all: bool = False
    scheme: str = ""
    header: str = "Authorization"
    log_in: Callable[[str, Path], str] | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    without: Sequence[str] = ()
    calls: Calls = (READ_ALL,)
    changing: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Running:
    """A server that runs.

    Attributes:
        origin: where it listens.
        credentials: what specfn is told.
        headers: what curl sends.
    """

    server: Server
    origin: str
    credentials: Mapping[str, str]
    headers: Mapping[str, str]


def _airflow_token(origin: str, _: Path) -> str:
    given = {"username": "admin", "password": PASSWORD}
    response = httpx.post(f"{origin}/auth/token", json=given, trust_env=False, timeout=60)
    return "Bearer " + str(response.raise_for_status().json()["access_token"])


def _changedetection_key(_: str, folder: Path) -> str:
    """Return the key that the server makes at its first start; its page of settings shows it."""
    file = folder / "data" / "changedetection.json"
    settings = json.loads(file.read_text(encoding="utf-8"))["settings"]["application"]
    return str(settings["api_access_token"])


def _directus_token(origin: str, _: Path) -> str:
    """Log in, and create the collection whose functions the document then has."""
    with httpx.Client(base_url=origin, trust_env=False, timeout=60) as client:
        given = {"email": "admin@example.com", "password": PASSWORD}
        response = client.post("/auth/login", json=given).raise_for_status()
        client.headers["Authorization"] = f"Bearer {response.json()['data']['access_token']}"
        keys = {"is_primary_key": True, "has_auto_increment": True}
        types = {"title": "string", "pages": "integer", "price": "float", "tags": "json"}
        fields = [{"field": name, "type": kind, "schema": {}} for name, kind in types.items()]
        fields.append({"field": "id", "type": "integer", "schema": keys})
        given = {"collection": "books", "schema": {}, "meta": {}, "fields": fields}
        client.post("/collections", json=given).raise_for_status()
        return str(client.headers["Authorization"])


AIRFLOW_DAG = """
from airflow.sdk import dag, task

@dag(schedule=None, tags=["books"], params={"count": 3})
def books():
    @task
    def count():
        return 3
    count()

books()
"""

SERVERS = {
    "httpbin": Server(
        requirements=["httpbin==0.10.2", "gunicorn==27.0.1"],
        command="gunicorn httpbin:app --bind 127.0.0.1:PORT",
        document="/spec.json",
        values={"codes": "418", "n": 3, "numbytes": 9, "value": 7, "etag": "a", "url": "/get",
                "user": "u", "passwd": "p", "qop": "auth", "offset": 1, "delay": 0, "status_code": 302},
        without=["/brotli", "/bytes/{n}", "/stream-bytes/{n}"],
    ),
    "Glances": Server(
        requirements=["glances[web]==4.5.8"],
        command="glances -w --disable-webui -B 127.0.0.1 -p PORT",
        document="/openapi.json",
        values={"plugin": "cpu", "item": "total", "value": "1", "nb": 1, "key": "total"},
    ),
    "changedetection.io": Server(
        requirements=["changedetection.io==0.60.10"],
        command="changedetection.io -d FOLDER/data -C -h 127.0.0.1 -p PORT -l ERROR",
        variables={"DISABLE_VERSION_CHECK": "true", "FETCH_WORKERS": "1"},
        document="/api/v1/full-spec",
        base_path="/api/v1",
        scheme="ApiKeyAuth",
        header="x-api-key",
        log_in=_changedetection_key,
        calls=CHANGEDETECTION_CALLS,
        changing=["uuid", "date_created", "watch_uuid"],
    ),
    "Phoenix": Server(
        requirements=["arize-phoenix==20.26.1"],
        command="phoenix serve",
        variables={
            "PHOENIX_WORKING_DIR": "FOLDER", "PHOENIX_HOST": "127.0.0.1", "PHOENIX_PORT": "PORT", "PHOENIX_GRPC_PORT": "0",
            "PHOENIX_TELEMETRY_ENABLED": "false", "PHOENIX_ENABLE_AUTH": "true", "PHOENIX_SECRET": KEY,
            "PHOENIX_ADMIN_SECRET": KEY[::-1],
        },
        document="/openapi.json",
        scheme="Bearer",
        log_in=lambda *_: f"Bearer {KEY[::-1]}",
        send_all=True,
        options=Options(media_types={"POST /v1/datasets/upload": "multipart/form-data"}),
        calls=PHOENIX_CALLS,
        changing=["id", "created_at", "updated_at", "dataset_id", "version_id", "dataset_version_id", "project_name"],
    ),
    "Label Studio": Server(
        requirements=["label-studio==1.23.2"],
        command=f"label-studio start --no-browser --internal-host 127.0.0.1 --port PORT --username t@example.com "
        f"--password {PASSWORD} --user-token {KEY}",
        variables={
            "LABEL_STUDIO_BASE_DATA_DIR": "FOLDER/data", "LABEL_STUDIO_LATEST_VERSION_CHECK": "false", "COLLECT_ANALYTICS": "false",
            "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
        },
        document="/docs/api/schema/json/",
        scheme="Token",
        log_in=lambda *_: f"Token {KEY}",
        calls=LABEL_STUDIO_CALLS,
        changing=["id", "created_at", "updated_at", "project", "projects", "task", "task_ids", "duration"],
    ),
    "Airflow": Server(
        requirements=["apache-airflow==3.3.2"],
        before=["airflow db migrate", "airflow dags reserialize"],
        command="airflow api-server --host 127.0.0.1 --port PORT --workers 1",
        variables={
            "AIRFLOW_HOME": "FOLDER", "AIRFLOW__CORE__LOAD_EXAMPLES": "false",
            "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS": "admin:admin",
            "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": "FOLDER/passwords.json",
        },
        files={"passwords.json": json.dumps({"admin": PASSWORD}), "dags/books.py": AIRFLOW_DAG},
        document="/openapi.json",
        scheme="HTTPBearer",
        log_in=_airflow_token,
        calls=AIRFLOW_CALLS,
        without=["/api/v2/auth/logout"],  # the token ends
        values={"dag_id": "books", "task_id": "count", "version_number": 1, "section": "core", "option": "executor"},
        changing=["queued_at", "run_after", "start_date", "end_date", "duration", "dag_versions"],
    ),
    "Directus": Server(
        requirements="directus@11.3.5",
        before=["directus bootstrap"],
        command="directus start",
        variables={
            "DB_CLIENT": "sqlite3", "DB_FILENAME": "FOLDER/data.db", "SECRET": KEY, "ADMIN_EMAIL": "admin@example.com",
            "ADMIN_PASSWORD": PASSWORD, "HOST": "127.0.0.1", "PORT": "PORT", "PUBLIC_URL": "http://127.0.0.1:PORT",
            "TELEMETRY": "false", "STORAGE_LOCAL_ROOT": "FOLDER/uploads",
        },
        document="/server/specs/oas",
        scheme="Auth",
        send_all=True,
        log_in=_directus_token,
        calls=DIRECTUS_CALLS,
        changing=["id", "date_created", "folder", "user_created"],
        values={"collection": "books"},
    ),
}  # fmt: skip


@contextlib.contextmanager
def started(server: Server, folder: Path) -> Iterator[Running]:
    """Run a server with an empty folder while the block runs."""
    if isinstance(server.requirements, str):
        programs = node_environment(server.requirements) / "node_modules" / ".bin"
    else:
        programs = python_environment(*server.requirements) / "bin"
    port = str(free_port())

    def replaced(text: str) -> str:
        return text.replace("PORT", port).replace("FOLDER", str(folder))

    for name, text in server.files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    steps = [shlex.join(shlex.split(replaced(step))) for step in (*server.before, server.command)]
    steps = [str(programs / step) for step in steps]
    script = " && ".join([*steps[:-1], "exec " + steps[-1]])
    variables = {name: replaced(value) for name, value in server.variables.items()}
    origin = f"http://127.0.0.1:{port}"
    with running(("sh", "-c", script), origin + server.document, folder, variables):
        value = server.log_in(origin, folder) if server.log_in else ""
        told = value.removeprefix("Bearer ") if server.scheme == "HTTPBearer" else value
        yield Running(
            server=server,
            origin=origin,
            credentials={server.scheme: told} if value else {},
            headers={server.header: value} if value else {},
        )
