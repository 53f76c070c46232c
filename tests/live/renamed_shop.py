"""The shop with other paths: every word of a path is random, and differs by seed."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from threading import Thread
from typing import Any

import httpx
from tests.strict_shop import shop_document
from tests.strict_shop.server import Server, serve

_WORD = re.compile(r"[A-Za-z]+")
_HOP_BY_HOP = {"connection", "host", "date", "server", "content-length"}


@dataclass(frozen=True)
class RenamedShop:
    """A running shop with random paths.

    Attributes:
        document: its OpenAPI document, without operationIds.
        base_url: the origin and base path of its operations.
        token: the bearer token that it accepts.
        shop: the shop behind it; its ``received`` has the paths of the shop.
    """

    document: dict[str, Any]
    base_url: str
    token: str
    shop: Server


@contextmanager
def renamed_shop(seed: int) -> Iterator[RenamedShop]:
    """Run a shop whose paths, path parameters and base path have random words."""
    words = random_words(seed)
    paths = {path: renamed(path, words) for path in shop_document.document()["paths"]}
    base = renamed(shop_document.BASE_PATH, words)
    with serve() as shop, httpx.Client(trust_env=False) as client:
        proxy = _Proxy(shop, client, _Routes(paths, shop_document.BASE_PATH, base))
        thread = Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield RenamedShop(
                document=renamed_document(words),
                base_url=f"http://127.0.0.1:{proxy.server_port}{base}",
                token=shop.token,
                shop=shop,
            )
        finally:
            proxy.shutdown()
            proxy.server_close()
            thread.join()


def random_words(seed: int) -> Mapping[str, str]:
    """Return a random word for each word of a path."""
    random = Random(seed)
    found = sorted({word for path in _templates() for word in _WORD.findall(path)})
    made: dict[str, None] = {}
    while len(made) < len(found):
        made["".join(random.choice("bdfgklmnprstvz") + random.choice("aeiou") for _ in "1234")] = (
            None
        )
    return dict(zip(found, made, strict=True))


def renamed(path: str, words: Mapping[str, str]) -> str:
    """Return a path with other words."""
    return _WORD.sub(lambda found: words[found[0]], path)


def renamed_document(words: Mapping[str, str]) -> dict[str, Any]:
    """Return the document of the shop with other words in paths and path parameters, without operationIds."""
    found = deepcopy(shop_document.document())
    found["paths"] = {renamed(path, words): item for path, item in found["paths"].items()}
    found["servers"] = [{"url": renamed(shop_document.BASE_PATH, words)}]
    declared = [*found["components"]["parameters"].values()]
    for item in found["paths"].values():
        declared += item.get("parameters", ())
        for method in item.keys() - {"parameters"}:
            item[method].pop("operationId")
            declared += item[method].get("parameters", ())
    for parameter in declared:
        if parameter.get("in") == "path":
            parameter["name"] = words[parameter["name"]]
    return found


def _templates() -> Sequence[str]:
    return [shop_document.BASE_PATH, *shop_document.document()["paths"]]


class _Routes:
    """Both directions between the paths of the shop and the random ones."""

    def __init__(self, paths: Mapping[str, str], base: str, renamed_base: str) -> None:
        own = {base + path: renamed_base + other for path, other in paths.items()}
        self._to_random = _patterns(own)
        self._to_shop = _patterns({value: key for key, value in own.items()})
        self._links = re.compile(rb'%s(?:/[^\s"<>?]*)' % re.escape(base).encode())

    def to_shop(self, target: str) -> str | None:
        """Return the target of a request for the shop; ``None`` if no path matches."""
        path, mark, query = target.partition("?")
        found = _other(self._to_shop, path)
        return None if found is None else found + mark + query

    def to_random(self, text: bytes) -> bytes:
        """Return a text with random paths in its links."""

        def link(found: re.Match[bytes]) -> bytes:
            return (_other(self._to_random, found[0].decode()) or found[0].decode()).encode()

        return self._links.sub(link, text)


_Patterns = Sequence[tuple[re.Pattern[str], str]]


def _patterns(paths: Mapping[str, str]) -> _Patterns:
    """Return a pattern for each path, the most specific first, with the template of the other path."""
    found = []
    for path in sorted(paths, key=lambda each: -len(re.sub(r"\{\w+\}", "", each))):
        literals = re.split(r"\{\w+\}", path)
        pattern = re.compile("([^/]+)".join(map(re.escape, literals)))
        found.append((pattern, re.sub(r"\{\w+\}", "{}", paths[path])))
    return found


def _other(patterns: _Patterns, path: str) -> str | None:
    for pattern, template in patterns:
        if match := pattern.fullmatch(path):
            return template.format(*match.groups())
    return None


class _Proxy(ThreadingHTTPServer):
    """An HTTP server that sends requests to the shop under its paths."""

    daemon_threads = True

    def __init__(self, shop: Server, client: httpx.Client, routes: _Routes) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.origin = shop.base_url.removesuffix(shop_document.BASE_PATH)
        self.client = client
        self.routes = routes


class _Handler(BaseHTTPRequestHandler):
    """The handler of one connection, with one request."""

    server: _Proxy

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- the base class names it
        """Discard log messages."""

    def _forward(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        target = self.server.routes.to_shop(self.path)
        if target is None:
            self._send(404, {}, b"")
            return
        headers = [pair for pair in self.headers.items() if pair[0].lower() not in _HOP_BY_HOP]
        url = self.server.origin + target
        response = self.server.client.request(self.command, url, headers=headers, content=body)
        is_text = not response.headers.get("content-type", "").startswith("image/")
        content = self.server.routes.to_random(response.content) if is_text else response.content
        self._send(response.status_code, response.headers, content)

    def _send(self, status: int, headers: Mapping[str, str], content: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            if name not in _HOP_BY_HOP:
                self.send_header(name, self.server.routes.to_random(value.encode()).decode())
        if status != 204:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_DELETE = do_GET = do_PATCH = do_POST = do_PUT = _forward  # noqa: N815 -- the base class looks for these
