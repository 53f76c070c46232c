"""Downloads of documents through the transport of calls (rule N1; threat T7).

A URL that the caller passes is trusted, with any host. A redirect is trusted only if it stays within the same origin,
or leads to a listed one. Error texts contain a URL without its user, password and query.
"""

import re
import ssl
import time
from collections.abc import Collection, Mapping
from contextlib import ExitStack, closing
from typing import Final, NamedTuple
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from specfn.document.read.document_credentials import DocumentCredentials
from specfn.document.read.limits import MAX_BYTES
from specfn.document.read.text import Progress
from specfn.errors import DocumentError, SpecfnError, TransportError
from specfn.network.origins import origin_of, origin_with_port
from specfn.network.response_body import BrokenEncodingError, Inflater, UnknownEncodingError
from specfn.network.sockets import Transport, limit_sockets

_MAX_REDIRECTS: Final = 5
_CONNECT_SECONDS: Final = 10.0
_READ_SECONDS: Final = 30.0
_TOTAL_SECONDS: Final = 120.0

_HEADERS: Final = {
    "Accept": "application/json, application/yaml, text/yaml, */*;q=0.5",
    "Accept-Encoding": "gzip, deflate",
    "Connection": "keep-alive",
    "User-Agent": "specfn",
}

_TIMEOUTS: Final = {
    "connect": _CONNECT_SECONDS,
    "pool": _TOTAL_SECONDS,
    "read": _READ_SECONDS,
    "write": _READ_SECONDS,
}

#: The error for a failed request, by the class of its cause. The first class that matches counts.
_FAULTS: Final[Mapping[type[Exception], tuple[type[SpecfnError], str]]] = {
    httpx.InvalidURL: (DocumentError, "{url} is not a complete URL; expected https://HOST/PATH"),
    UnknownEncodingError: (
        DocumentError,
        "the server of {url} compressed it in another format than gzip and deflate; download it and pass the file",
    ),
    BrokenEncodingError: (
        DocumentError,
        "{url} is not compressed as its Content-Encoding declares",
    ),
    httpx.TimeoutException: (TransportError, "the server of {url} did not respond in time"),
    httpx.ConnectError: (TransportError, "the server of {url} could not be reached: {error}"),
    httpx.HTTPError: (TransportError, "the server of {url} closed the connection"),
}

#: The advice for a status, unless the URL is wrong.
_ADVICE: Final = dict.fromkeys(
    (401, 403), "the document is behind a login: pass headers or auth to specfn.load"
)

#: The beginning of a URL, which may lack a slash.
_NEARLY: Final = re.compile(r"https?:", re.IGNORECASE)


class Fetched(NamedTuple):
    """The decompressed bytes of a URL, and the final URL after redirects."""

    content: bytes
    uri: str


def _url_without_secrets(url: str) -> str:
    """Return a URL for error texts: without user, password, query and fragment."""
    try:
        parts = urlsplit(url)
        host, _ = parts.netloc.rpartition("@")[2], parts.port  # a password with a slash is no port
    except ValueError:
        return "the URL"
    if not host and _NEARLY.match(url):  # the host is part of the path, perhaps with a password
        return "the URL"
    return f"{parts.scheme}://{host}{parts.path}"


def fetch(
    url: str,
    *,
    limit: int = MAX_BYTES,
    origins: Collection[str] = (),
    credentials: DocumentCredentials | None = None,
    progress: Progress | None = None,
) -> Fetched:
    """Fetch the bytes of a URL.

    Redirects are followed within the origin, and to the listed origins.

    Args:
        url: an ``http(s)`` URL; its user and password are sent to its own origin only.
        limit: the maximum number of bytes to read, decompressed.
        origins: other origins that redirects may lead to.
        credentials: headers and authentication for one origin. They are sent to no other.
        progress: called with every chunk.

    Raises:
        DocumentError: the URL is malformed, redirects to another origin, or the server refuses.
        TransportError: the server did not respond in time, or the connection failed.
    """
    trusted = frozenset(map(origin_of, origins))
    download = _Download(url, limit, trusted, credentials or DocumentCredentials(), progress)
    try:
        with ExitStack() as opened, limit_sockets(download.until, is_guarded=False):
            return download.follow(opened)
    except (httpx.HTTPError, httpx.InvalidURL, BrokenEncodingError) as error:
        fault = download.fault(error)
    # Not raised above: the context would keep the client's error, which contains the whole URL.
    raise fault


class _Download:
    """A download with its redirects."""

    def __init__(
        self,
        url: str,
        limit: int,
        trusted: Collection[str | None],
        credentials: DocumentCredentials,
        progress: Progress | None,
    ) -> None:
        self.url, self.limit = url, limit
        self.trusted, self.credentials = trusted, credentials
        self.progress = progress
        self.until = time.monotonic() + _TOTAL_SECONDS
        self._cookies = httpx.Cookies()
        self._transports: dict[tuple[str | None, ssl.SSLContext | None], Transport] = {}

    def fault(self, error: Exception) -> SpecfnError:
        """Return the error to raise instead of one of httpx."""
        if self._is_over():
            return TransportError(
                f"{_url_without_secrets(self.url)} did not arrive within {_TOTAL_SECONDS:.0f} s"
            )
        kind, text = next(fault for cause, fault in _FAULTS.items() if isinstance(error, cause))
        return kind(text.format(url=_url_without_secrets(self.url), error=error))

    def _is_over(self) -> bool:
        return time.monotonic() >= self.until

    def follow(self, opened: ExitStack) -> Fetched:
        """Send the requests and read the last response; the transports are closed with ``opened``."""
        url = httpx.URL(self.url)
        if not url.host or "%" in url.host or (url.port or 0) >= 2**16:
            raise httpx.InvalidURL("no host, or no such port")
        origin = origin_with_port(url)
        user = (url.username, url.password) if url.userinfo else None
        for _ in range(_MAX_REDIRECTS + 1):
            target = url.copy_with(userinfo=b"", fragment=None)
            at = origin_with_port(target)
            credentials = self.credentials.for_origin(at, user if at == origin else None)
            with closing(self._send(target, credentials, opened)) as response:
                if not response.has_redirect_location:
                    return Fetched(self._read_content(response), str(target.copy_with(query=None)))
                url = self._follow_redirect(target, response.headers["location"], origin)
        raise DocumentError(
            f"{_url_without_secrets(self.url)} redirects more than {_MAX_REDIRECTS} times: pass the final URL"
        )

    def _send(
        self, url: httpx.URL, credentials: DocumentCredentials, opened: ExitStack
    ) -> httpx.Response:
        """Send a request, and further requests that the authentication needs. Only the last response is read."""
        headers = httpx.Headers(_HEADERS)
        headers.update(credentials.headers)
        requests = credentials.requests(httpx.Request("GET", url, headers=headers))
        request = next(requests)
        while True:
            self._cookies.set_cookie_header(request)
            request.extensions = {**request.extensions, "timeout": _TIMEOUTS}
            response = self._transport(request.url, credentials.tls, opened).handle_request(request)
            response.request = request
            self._cookies.extract_cookies(response)
            try:
                request = requests.send(response)
            except StopIteration:
                return response
            except BaseException:
                response.close()
                raise
            response.close()

    def _transport(
        self, url: httpx.URL, tls: ssl.SSLContext | None, opened: ExitStack
    ) -> Transport:
        """Return the transport for a URL, through the proxy that the environment names for it."""
        proxies = getproxies()
        proxy = proxies.get(url.scheme) or proxies.get("all")
        if proxy is not None and proxy_bypass(url.host):
            proxy = None
        if (proxy, tls) not in self._transports:
            transport = Transport(1, lambda _: True, proxy, tls)
            self._transports[proxy, tls] = opened.enter_context(transport)
        return self._transports[proxy, tls]

    def _follow_redirect(self, url: httpx.URL, location: str, origin: str) -> httpx.URL:
        target = url.join(location)
        if origin_with_port(target) not in {origin, *self.trusted}:
            raise DocumentError(
                f"{_url_without_secrets(self.url)} redirects to another origin, {_url_without_secrets(str(target))[:200]}; "
                "use that address if you trust it"
            )
        return target

    def _read_content(self, response: httpx.Response) -> bytes:
        where = _url_without_secrets(self.url)
        if not response.is_success:
            advice = _ADVICE.get(response.status_code, "check the address")
            raise DocumentError(
                f"the server responded {response.status_code} for {where}; {advice}"
            )
        length = response.headers.get("content-length", "")
        expected = int(length) if length.isdecimal() else None
        inflater = Inflater(response.headers.get("content-encoding", ""), self.limit)
        arrived = 0
        for chunk in response.iter_raw():
            arrived += len(chunk)
            if not inflater.feed(chunk):
                raise DocumentError(f"{where} is larger than the limit of {self.limit:,} bytes")
            if self._is_over():
                raise httpx.ReadTimeout("")
            if self.progress is not None:
                self.progress(arrived, expected)
        return inflater.content()
