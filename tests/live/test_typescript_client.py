"""The official TypeScript SDK, in both of its versions: sessions, approvals, cancelled calls, over HTTP and stdio."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from tests.live.environments import node_environment
from tests.live.inspector import _NODE
from tests.live.processes import free_port, running
from tests.mcp.server_support import DOCUMENT, served

SCRIPT = Path(__file__).with_name("typescript_client.mjs")
TOKEN = "a-token-of-the-client"

#: The packages by version of the SDK, and how each chooses the protocol. Version 2 uses an earlier one by default.
PACKAGES = {1: "@modelcontextprotocol/sdk@1.32.2", 2: "@modelcontextprotocol/client@2.4.0"}
WAYS = [(1, "legacy"), (2, "legacy"), (2, "auto")]


class PetApi:
    """An API whose pets are created at once, and found never: it waits until the caller is gone."""

    def __init__(self) -> None:
        self.created: list[str] = []
        self.begun, self.left = threading.Event(), threading.Event()
        self.app = Starlette(
            routes=[
                Route("/v1/pets", self.pets, methods=["GET", "POST"]),
                Route("/v1/pets/{id}", self.wait),
                Route("/begun", self.has_begun),
            ]
        )

    async def pets(self, request: Request) -> Response:
        if request.method == "GET":
            return JSONResponse([{"name": name} for name in self.created])
        self.created.append((await request.json())["name"])
        return JSONResponse({"name": self.created[-1]})

    async def wait(self, request: Request) -> Response:
        self.begun.set()
        while (await request.receive())["type"] != "http.disconnect":
            pass
        self.left.set()
        return Response()

    async def has_begun(self, _: Request) -> Response:
        return JSONResponse(self.begun.is_set())


@pytest.mark.parametrize("transport", ["http", "stdio"])
@pytest.mark.parametrize(("sdk", "mode"), WAYS)
def test_a_client_calls_approves_and_cancels(
    sdk: int, mode: str, transport: str, tmp_path: Path
) -> None:
    """A call is approved or declined by a form; a cancelled one ends at the API at once, and the client goes on."""
    api, file = PetApi(), tmp_path / "pets.json"
    file.write_text(json.dumps(DOCUMENT))
    place = f"127.0.0.1:{free_port()}"
    environment = {**os.environ, "SPECFN_AUTH_BEARER": "x", "TOKEN": TOKEN}
    with served(api.app) as origin:
        serve = ["-m", "specfn", "serve", str(file), "--base-url", f"{origin}/v1"]
        task: dict[str, Any] = {"sdk": sdk, "mode": mode, "api": origin}
        task["folder"] = str(node_environment(PACKAGES[sdk]))
        if transport == "stdio":
            task["server"] = {"command": sys.executable, "args": serve, "env": environment}
            output = run(task)
        else:
            http = ["--http", place, "--sessions", "--client-token-env", "TOKEN"]
            task |= {"url": f"http://{place}/mcp", "token": TOKEN}
            with running([sys.executable, *serve, *http], f"http://{place}", tmp_path, environment):
                output = run(task)
        assert api.left.wait(30)
    assert output["session"] == (transport == "http" and mode == "legacy")
    assert output["tools"] == ["pets_get", "pets_post", "pets_getById", "pets_eraseById"]
    assert not output["read"]["failed"]
    assert not output["accepted"]["failed"]
    assert output["declined"]["failed"]
    assert [
        name in asked for name, asked in zip(("Accepted", "Declined"), output["asked"], strict=True)
    ] == [True] * 2
    assert output["cancelled"] == "cancelled"
    assert "Accepted" in output["afterwards"]["text"]
    assert api.created == ["Accepted"]


def run(task: dict[str, Any]) -> Any:
    """Return what the client prints."""
    done = subprocess.run(
        [_NODE, SCRIPT, json.dumps(task)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)
