"""The examples of the tutorial, the how-to pages and the concepts run, in order, against the demo shop."""

import ast
import asyncio
import builtins
import inspect
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs

import pytest
from tests.typed.documented import examples, pages
from tests.typed.test_examples_run import compiled

import specfn
from specfn.demo.server import Server, serve

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [
    DOCS / f"{name}.md"
    for name in ("tutorial", "files", "fields", "paging", "notebooks", "coming-from")
]
PAGES += sorted((DOCS / "how-to").glob("*.md"))
PAGES += sorted((DOCS / "concepts").glob("*.md"))
RUN = [page for page in PAGES if any(each.needs is None for each in examples(page))]


@pytest.fixture
def shop() -> Iterator[Server]:
    with serve() as server:
        yield server


@contextmanager
def token_server(token: str, grants: list[str]) -> Iterator[str]:
    """Run a server of OAuth 2 that issues one token, and lists the grants that it receives."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            grants.append(form["grant_type"][0])
            issued = {"access_token": token, "expires_in": 1, "refresh_token": "r"}
            body = json.dumps(issued).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/token"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def scripted(request: dict[str, Any]) -> dict[str, Any]:
    """Play a model that reads the products once, then replies with a text."""
    message: dict[str, Any] = {"role": "assistant", "content": "There are no lamps."}
    if request["messages"][-1]["role"] != "tool":
        call = {"name": "products_get", "arguments": "{}"}
        calls = [{"id": "call_1", "type": "function", "function": call}]
        message = {"role": "assistant", "content": None, "tool_calls": calls}
    return {"choices": [{"message": message, "finish_reason": "stop"}]}


def given(shop: Server) -> dict[str, Any]:
    """Return the names that examples use and do not define."""
    return {
        "specfn": specfn,
        "document": shop.document_url,
        "base_url": shop.base_url,
        "token": shop.token,
        "app": specfn.load(shop.document_url),
        "connection": specfn.Connection(base_url=shop.base_url, credentials={"bearer": shop.token}),
        "send": scripted,
    }


async def run_all(page: Path, names: dict[str, Any]) -> None:
    """Run the examples of a page one after the other."""
    for each in examples(page):
        if each.needs is None:
            code: Callable[[dict[str, Any]], Any] = compiled(each.code)
            if inspect.iscoroutine(waiting := code(names)):
                await waiting


@pytest.mark.parametrize("page", RUN, ids=lambda page: page.stem)
def test_the_examples_of_a_guide_run(
    page: Path, shop: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every example of the page runs in order, with a real server for its calls."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("builtins.input", lambda _: "")
    names = given(shop)
    with token_server(shop.token, []) as names["token_url"], names["connection"]:
        asyncio.run(run_all(page, names))


def test_the_documented_token_is_renewed(shop: Server) -> None:
    """The class of the page on OAuth 2 uses the grant once, and the refresh token after that."""
    grants: list[str] = []
    names: dict[str, Any] = {}
    page = examples(DOCS / "how-to" / "oauth2.md")
    compiled(next(each.code for each in page if "class AccessToken" in each.code))(names)
    with token_server(shop.token, grants) as url:
        token = names["AccessToken"](url, client={}, grant={"grant_type": "password"})
        assert (token(), token()) == (shop.token, shop.token)
    assert grants == ["password", "refresh_token"]


def _names(tree: ast.AST, *kinds: type[ast.expr_context]) -> set[str]:
    return {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, kinds)
    }


def _defined(tree: ast.AST) -> set[str]:
    found = _names(tree, ast.Store)
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                found |= {(each.asname or each.name).partition(".")[0] for each in names}
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
                found.add(name)
            case ast.arg(arg=name) | ast.ExceptHandler(name=str(name)):
                found.add(name)
    return found


@pytest.mark.parametrize("page", pages(DOCS.parent), ids=lambda page: page.stem)
def test_a_page_defines_the_names_of_its_examples(page: Path) -> None:
    """An example uses names that its page imports, defines or introduces, so that a reader can copy it."""
    given = re.search(r"^<!-- given: (.*?) -->$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    known = set(re.findall(r"(?:^|, )(\w+): ", given[1])) if given else set()
    for example in examples(page):
        tree = ast.parse(example.code)
        known |= _defined(tree)
        assert _names(tree, ast.Load) - known - set(dir(builtins)) == set(), example.line
