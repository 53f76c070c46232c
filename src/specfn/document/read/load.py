"""Reading of documents from files and URLs; no other module does this (rules N1, N2; threat T7).

A URL that the caller passes is trusted. A redirect is trusted only if it stays within the same origin, or leads
to a listed one. Error texts contain a URL without its user, password and query.
"""

import importlib.util
import os
import re
import threading
from collections.abc import Collection
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import quote, urlsplit

from specfn._internal.json import JsonObject
from specfn._internal.url import HiddenQuery, hide_queries_in_log
from specfn.document.read.limits import checked
from specfn.document.read.login import Login
from specfn.document.read.text import Progress, parse
from specfn.errors import DocumentError, TransportError, UsageError
from specfn.records import Note

if TYPE_CHECKING:
    import httpx

#: The largest document in bytes, decompressed.
MAX_BYTES: Final = 256 * 1024 * 1024
_MAX_REDIRECTS: Final = 5
_CONNECT_SECONDS: Final = 10.0
_READ_SECONDS: Final = 30.0
_TOTAL_SECONDS: Final = 120.0

_HEADERS: Final = {
    "Accept": "application/json, application/yaml, text/yaml, */*;q=0.5",
    "Accept-Encoding": "gzip, deflate",
    "User-Agent": "specfn",
}

#: One content coding at a time: a chain could decompress a few bytes to any size in one read.
_CODINGS: Final = frozenset({"", "identity", "gzip", "deflate"})

_URL: Final = re.compile(r"https?://", re.IGNORECASE)
_NEARLY: Final = re.compile(r"https?:", re.IGNORECASE)
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


class Source(NamedTuple):
    """A raw document with its origin.

    Attributes:
        document: the document as plain JSON; it is never changed.
        uri: the absolute URL (without user, query and fragment) or file URI; ``None`` for text and dicts.
        shared: whether one object may occur at several locations of the document.
        notes: faults of its text that did not prevent reading.
    """

    document: JsonObject
    uri: str | None = None
    shared: bool = False
    notes: tuple[Note, ...] = ()


class Fetched(NamedTuple):
    """The decompressed bytes of a URL, and the final URL after redirects."""

    content: bytes
    uri: str


def read(
    source: str | Path | bytes | JsonObject,
    *,
    references: str | Collection[str] = "internal",
    limit: int = MAX_BYTES,
    login: Login | None = None,
    progress: Progress | None = None,
    thorough: bool = False,
) -> Source:
    """Read a document from any source.

    Args:
        source: a path or an ``http(s)`` URL (``str``, ``Path``), the text (``bytes``), or the document (``dict``).
        references: ``Options.references``. A URL may also redirect to the origins that it lists.
        limit: the maximum number of bytes of a file or of a response, decompressed.
        login: headers and authentication for the origin of the URL.
        progress: called with every chunk of a response, and while YAML is parsed.
        thorough: report duplicate keys in JSON.

    Raises:
        DocumentError: the source cannot be read, or is not a document.
        TransportError: the server of the URL did not respond.
        UsageError: the source has another type.
    """
    if isinstance(source, dict):
        return Source(document=checked(source), shared=True)
    content: Any = source
    uri = None
    if isinstance(source, str) and _URL.match(source):
        origins = () if isinstance(references, str) else references
        content, uri = fetch(source, limit=limit, origins=origins, login=login, progress=progress)
    elif isinstance(source, str | os.PathLike):
        _check_path(os.fspath(source))
        content, uri = read_file(source, limit=limit), uri_of(source)
    if isinstance(content, bytes):
        return read_text(content, uri=uri, thorough=thorough, progress=progress)
    raise UsageError(f"expected a path, a URL, bytes or a dict, found {type(source).__name__}")


def read_text(
    text: str | bytes,
    *,
    uri: str | None = None,
    thorough: bool = False,
    progress: Progress | None = None,
) -> Source:
    """Read a document from its text, JSON or YAML.

    Args:
        text: the text; bytes are UTF-8, UTF-16 or UTF-32.
        uri: the URI of the text, as the base of its relative references.
        thorough: as in ``read``.
        progress: called while YAML is parsed.

    Raises:
        DocumentError: the text is not a document.
    """
    parsed = parse(text, thorough=thorough, progress=progress)
    return Source(parsed.document, uri, shared=parsed.shared, notes=parsed.notes)


def uri_of(path: str | os.PathLike[str]) -> str:
    """Return the absolute file URI of a path. Symbolic links are not resolved."""
    absolute = os.path.abspath(path)  # noqa: PTH100  # Path.absolute keeps ".."
    # Path.as_uri imports urllib.request with an HTTP client from Python 3.14 on.
    return f"file://{quote(os.fsencode(absolute))}" if os.sep == "/" else Path(absolute).as_uri()


def _check_path(path: str) -> None:
    """Refuse a string that is not a path: the text of a document, or a URL with another scheme."""
    if "\n" in path or path.lstrip().startswith("{"):
        raise DocumentError("this is the text of a document, not a path; use specfn.loads for text")
    if _SCHEME.match(path):
        raise DocumentError(f"only http and https URLs are read, not {path.partition(':')[0]}")
    if _NEARLY.match(path):  # not quoted: it may contain a password
        raise DocumentError("this is neither a path nor a URL; a URL begins with https://host")


#: The error text by the class of the exception. The first class that matches counts.
_FILE_FAULTS: Final[tuple[tuple[type[Exception], str], ...]] = (
    (FileNotFoundError, "there is no file {path}; check the path"),
    (IsADirectoryError, "{path} is a directory; pass the path of a document in it"),
    (PermissionError, "{path} cannot be read; check its permissions"),
    (OSError, "{path} cannot be read"),
    (ValueError, "{path} is not a path"),
)


def read_file(path: str | os.PathLike[str], *, limit: int = MAX_BYTES) -> bytes:
    """Read the bytes of a file.

    Raises:
        DocumentError: the file does not exist, cannot be read, or is larger than the limit.
    """
    try:
        with Path(path).open("rb") as file:
            # A pipe has the size 0. The size of a file saves the allocation of the whole limit.
            size = os.fstat(file.fileno()).st_size or limit
            content = file.read(min(size, limit) + 1)
    except (OSError, ValueError) as error:
        reason = next(text for kind, text in _FILE_FAULTS if isinstance(error, kind))
        raise DocumentError(reason.format(path=_quoted(path))) from None
    if len(content) > limit:
        raise DocumentError(f"{_quoted(path)} is larger than the limit of {limit:,} bytes")
    return content


def _quoted(path: str | os.PathLike[str]) -> str:
    text = os.fspath(path)
    return repr(text if len(text) <= 200 else f"{text[:100]}…{text[-80:]}")


def read_resource(package: str, *names: str) -> bytes | None:
    """Read a file of an installed package without an import of it; ``None`` if it does not exist."""
    spec = importlib.util.find_spec(package)
    for location in (spec and spec.submodule_search_locations) or ():
        path = Path(location, *names)
        if path.is_file():
            return path.read_bytes()
    return None


def shown(url: str) -> str:
    """Return a URL for error texts: without user, password, query and fragment."""
    try:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        return "the URL"
    if not host and _NEARLY.match(url):  # the host is part of the path, perhaps with a password
        return "the URL"
    return f"{parts.scheme}://{host}{parts.path}"


def origin_of(url: str) -> str | None:
    """Return scheme, host and port of an ``http(s)`` URL, as httpx parses them.

    Return ``None`` for anything else. The default port is written out, so equal origins are equal texts.
    """
    import httpx  # noqa: PLC0415  # 150 ms that only a URL pays

    try:
        parsed = httpx.URL(url)
    except (httpx.InvalidURL, ValueError):
        return None
    return _origin(parsed) if parsed.scheme in {"http", "https"} and parsed.host else None


def _origin(url: "httpx.URL") -> str:
    port = url.port or (443 if url.scheme == "https" else 80)
    return f"{url.scheme}://{url.raw_host.decode()}:{port}"


def fetch(
    url: str,
    *,
    limit: int = MAX_BYTES,
    origins: Collection[str] = (),
    login: Login | None = None,
    progress: Progress | None = None,
) -> Fetched:
    """Fetch the bytes of a URL.

    Redirects are followed within the origin, and to the listed origins.

    Args:
        url: an ``http(s)`` URL; its user and password are sent to its own origin only.
        limit: the maximum number of bytes to read, decompressed.
        origins: other origins that redirects may lead to.
        login: headers and authentication for one origin. They are sent to no other.
        progress: called with every chunk.

    Raises:
        DocumentError: the URL is malformed, redirects to another origin, or the server refuses.
        TransportError: the server did not respond in time, or the connection failed.
    """
    from concurrent.futures import Future  # noqa: PLC0415  # imports logging, which a file does not need

    trusted = frozenset(map(origin_of, origins))
    download = _Download(url, limit, trusted, login or Login(), progress)
    future: Future[Fetched] = Future()

    def work() -> None:
        try:
            future.set_result(download.run())
        except BaseException as error:  # noqa: BLE001  # re-raised in the thread that waits
            future.set_exception(error)

    # httpx limits the time of each read but not the total, so the total is limited here.
    threading.Thread(target=work, daemon=True, name="specfn-fetch").start()
    try:
        return future.result(_TOTAL_SECONDS)
    except TimeoutError:
        raise TransportError(f"{shown(url)} did not arrive within {_TOTAL_SECONDS:.0f} s") from None
    finally:
        download.cancelled = True


def _quiet(url: "httpx.URL") -> "httpx.URL":
    """Return the URL for a client that writes it into its log. Its query is left out there."""
    if isinstance(url, HiddenQuery):
        return url
    hide_queries_in_log()
    kind = type("HiddenURL", (HiddenQuery, type(url)), {})  # httpx is imported lazily
    hidden: httpx.URL = kind(url)
    return hidden


#: The error for a failed request, by the client's exception class. The first class that matches counts.
_NETWORK_FAULTS: Final[dict[str, tuple[type[Exception], str]]] = {
    "InvalidURL": (DocumentError, "{url} is not a complete URL; expected https://HOST/PATH"),
    "DecodingError": (DocumentError, "{url} is not compressed as its Content-Encoding declares"),
    "TimeoutException": (TransportError, "the server of {url} did not respond in time"),
    "ConnectError": (TransportError, "the server of {url} could not be reached: {error}"),
    "HTTPError": (TransportError, "the server of {url} closed the connection"),
}


#: The advice for a status, unless the URL is wrong.
_ADVICE: Final = dict.fromkeys(
    (401, 403), "the document is behind a login: pass headers or auth to specfn.load"
)


class _Download:
    """A download with its redirects. Setting ``cancelled`` ends it at the next chunk."""

    def __init__(
        self,
        url: str,
        limit: int,
        trusted: Collection[str | None],
        login: Login,
        progress: Progress | None,
    ) -> None:
        self.url, self.limit = url, limit
        self.trusted, self.login = trusted, login
        self.progress = progress
        self.cancelled = False

    def run(self) -> Fetched:
        """Send the requests and read the last response."""
        import httpx  # noqa: PLC0415  # 150 ms that only a URL pays

        try:
            return self._follow(httpx)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            fault = self._fault(error)
        # Not raised above: the context would keep the client's error, which contains the whole URL.
        raise fault

    def _fault(self, error: Exception) -> Exception:
        names = {kind.__name__ for kind in type(error).__mro__}
        kind, text = next(value for name, value in _NETWORK_FAULTS.items() if name in names)
        return kind(text.format(url=shown(self.url), error=error))

    def _follow(self, client_library: Any) -> Fetched:
        timeout = client_library.Timeout(_READ_SECONDS, connect=_CONNECT_SECONDS)
        url = client_library.URL(self.url)
        if not url.host or "%" in url.host or (url.port or 0) >= 2**16:
            raise client_library.InvalidURL("no host, or no such port")
        origin = _origin(url)
        user = (url.username, url.password) if url.userinfo else None
        with client_library.Client(headers=_HEADERS, timeout=timeout) as client:
            for _ in range(_MAX_REDIRECTS + 1):
                target = url.copy_with(userinfo=b"", fragment=None)
                at = _origin(target)
                login = self.login.for_origin(at, user if at == origin else None)
                request = client.build_request("GET", target, headers=login.headers)
                response = self._send(client, request, login)
                with closing(response):
                    if not response.has_redirect_location:
                        return Fetched(self._content(response), _base(target))
                    url = self._redirected(target, response.headers["location"], origin)
        raise DocumentError(
            f"{shown(self.url)} redirects more than {_MAX_REDIRECTS} times: pass the final URL"
        )

    def _send(self, client: "httpx.Client", request: "httpx.Request", login: Login) -> Any:
        """Send a request, and further requests that the authentication needs. Only the last response is read."""
        requests = login.requests(request)
        following = next(requests)
        while True:
            following.url = _quiet(following.url)
            response = client.send(following, stream=True)
            try:
                following = requests.send(response)
            except StopIteration:
                return response
            except BaseException:
                response.close()
                raise
            response.close()

    def _redirected(self, url: "httpx.URL", location: str, origin: str) -> "httpx.URL":
        target = url.join(location)
        if _origin(target) not in {origin, *self.trusted}:
            raise DocumentError(
                f"{shown(self.url)} redirects to another origin, {shown(str(target))[:200]}; "
                "use that address if you trust it"
            )
        return target

    def _content(self, response: "httpx.Response") -> bytes:
        where = shown(self.url)
        if not response.is_success:
            advice = _ADVICE.get(response.status_code, "check the address")
            raise DocumentError(
                f"the server responded {response.status_code} for {where}; {advice}"
            )
        if response.headers.get("content-encoding", "").strip().lower() not in _CODINGS:
            raise DocumentError(f"{where} has a coding other than gzip and deflate: pass a file")
        length = response.headers.get("content-length", "")
        expected = int(length) if length.isdecimal() else None
        content = bytearray()
        for chunk in response.iter_bytes():
            content += chunk
            if len(content) > self.limit:
                raise DocumentError(f"{where} is larger than the limit of {self.limit:,} bytes")
            if self.cancelled:
                raise TransportError(f"the download of {where} was cancelled")
            if self.progress is not None:
                self.progress(response.num_bytes_downloaded, expected)
        return bytes(content)


def _base(url: "httpx.URL") -> str:
    """Return the URL as a base for references, without its query, which may be secret."""
    return str(url.copy_with(query=None))
