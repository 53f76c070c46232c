"""Examples of the pages that no other test runs: each page's examples run, one after the other."""

import ast
import asyncio
import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.typed.documented import examples

import specfn

#: The pages; ``docs/execution.md``, ``docs/conversations.md`` and the README have tests of their own.
PAGES = "arguments validation tools records separation options binding bulk".split()

_NAME = {"type": "string"}
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Pets", "version": "1"},
    "servers": [{"url": "https://api.example.com"}],
    "paths": {
        "/pets/{petId}": {
            "get": {
                "parameters": [
                    {
                        "name": "petId",
                        "in": "path",
                        "required": True,
                        "schema": {"type": "integer"},
                    },
                    {"name": "limit", "in": "query", "schema": {"type": "integer"}},
                ],
                "responses": {"200": {"description": "A pet"}},
            }
        },
        "/users": {
            "post": {
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "required": ["name", "password"],
                                "properties": {
                                    "name": _NAME,
                                    "password": {**_NAME, "format": "password"},
                                },
                            }
                        }
                    }
                },
                "responses": {"201": {"description": "A user"}},
            }
        },
    },
}


def _answer(request: httpx.Request) -> httpx.Response:
    return httpx.Response(200, json={"path": request.url.path})


def compiled(code: str) -> Callable[[dict[str, Any]], Any]:
    """Return an example as a function of its names; it may await at its top level."""
    made = compile(code, "example", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    return lambda names: eval(made, names)


async def _run(code: str, names: dict[str, Any]) -> None:
    """Run an example."""
    if inspect.iscoroutine(waiting := compiled(code)(names)):
        await waiting


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_page_run(
    page: str, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every example of the page runs with a document that has its functions, and a server that answers."""
    shown = [each for each in examples(root / "docs" / f"{page}.md") if each.needs is None]
    assert shown
    monkeypatch.chdir(tmp_path)
    Path("openapi.yaml").write_text(json.dumps(DOCUMENT), encoding="utf-8")
    load, connect = specfn.load, specfn.Connection

    def load_file(source: str, *, headers: object = None, **more: Any) -> specfn.Application:
        assert (headers is None) == (source == "openapi.yaml")
        return load("openapi.yaml", **more)

    transport = httpx.MockTransport(_answer)
    with httpx.Client(transport=transport) as client:
        waiting = httpx.AsyncClient(transport=transport)

        def connected(*url: str, **given: Any) -> specfn.Connection:
            return connect(*url, **given, client=client, async_client=waiting)

        monkeypatch.setattr(specfn, "load", load_file)
        monkeypatch.setattr(specfn, "Connection", connected)
        app = specfn.load("openapi.yaml")
        names: dict[str, Any] = {
            "specfn": specfn,
            "app": app,
            "fn": app["pets_getByPetId"],
            "connection": connected(base_url="https://api.example.com"),
            "ask": lambda *_: True,
            "rows": [{"name": "pets_getByPetId", "arguments": "{}"}],
        }

        async def whole() -> None:
            async with waiting:
                for each in shown:
                    await _run(each.code, names)

        asyncio.run(whole())
