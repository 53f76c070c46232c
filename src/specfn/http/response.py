"""What a server answered, as a record: JSON, text or bytes, by what arrived (rule X9)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from specfn import _json
from specfn.http.excerpt import excerpt
from specfn.http.media import charset_of

if TYPE_CHECKING:
    import httpx

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_JSON_START = re.compile(rb'[ \t\r\n]*[\[{"\-0-9tfn]')

#: Types outside ``text/`` that are text all the same.
_TEXTUAL = ("xml", "yaml", "javascript", "ecmascript", "x-www-form-urlencoded", "graphql", "csv")


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A server's answer.

    Attributes:
        status: the HTTP status.
        headers: by lower-case name; several values of one name are joined by ``", "``.
        media_type: the media type, lower case and without parameters; ``None`` if not said.
        data: a JSON value, a text or bytes, by what arrived; ``None`` for an empty answer.
        truncated: whether the answer was longer than ``connection.max_bytes``.

    An answer with links remembers where the request went and with which headers, for ``next_request``;
    its repr does not show that, and pickling leaves it behind: credentials do not travel with answers.
    """

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    media_type: str | None = None
    data: Any = None
    truncated: bool = False
    _request: "httpx.Request | None" = field(default=None, repr=False, compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.status, self.headers, self.media_type, self.data, self.truncated)

    @property
    def ok(self) -> bool:
        """Whether the server says that it did what it was asked (2xx)."""
        return 200 <= self.status < 300

    @property
    def next_request(self) -> "httpx.Request | None":
        """The request of the next page, if the answer links to one (RFC 8288, ``rel="next"``). Pure.

        It goes to the origin that answered, with the headers and credentials of the request before, and
        is sent with ``specfn.http.send.forward``. ``None`` where there is no such link, or it leads
        to another origin.
        """
        header = self.headers.get("link")
        if header is None or self._request is None:
            return None
        from specfn.http.links import next_request  # noqa: PLC0415  # few answers have pages

        return next_request(self._request, header)

    def for_model(self, limit: int = 20_000, *, sent_without: Sequence[str] = ()) -> str:
        """The answer as text for a model: valid JSON of at most ``limit`` characters.

        Args:
            limit: the most characters.
            sent_without: what was taken out of the model's arguments; it becomes ``"sent_without"``.

        It is ``{"status", "data"}``; where something was left out, the places say how much, and
        ``"truncated"`` is true. Bytes are ``{"status", "media_type", "base64"}``, or ``"size"``
        instead of ``"base64"`` where that is too long.

        Raises:
            UsageError: the limit is below 200 characters.
        """
        return excerpt(
            self.status,
            self.data,
            limit,
            media_type=self.media_type,
            truncated=self.truncated,
            sent_without=sent_without,
        )


def _rebuild(*values: Any) -> Result:
    names = ("status", "headers", "media_type", "data", "truncated")
    return Result(**dict(zip(names, values, strict=True)))


def decode(
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    *,
    truncated: bool,
    request: "httpx.Request | None" = None,
) -> Result:
    """Read an answer by its own ``Content-Type``, not by what the document promised.

    Args:
        status: the HTTP status.
        headers: by lower-case name.
        body: the bytes, decompressed.
        truncated: whether there were more.
        request: what is answered, where ``next_request`` may need it.
    """
    declared = headers.get("content-type", "")
    media_type = declared.partition(";")[0].strip().lower() or None
    return Result(
        status=status,
        headers=headers,
        media_type=media_type,
        data=_read(body, media_type, charset_of(declared), truncated=truncated) if body else None,
        truncated=truncated,
        _request=request,
    )


def _read(body: bytes, media_type: str | None, charset: str | None, *, truncated: bool) -> Any:
    if (media_type is None or "json" in media_type) and not truncated:  # a cut 123 is not a 12
        try:
            return _loads(_unicode(body, charset))
        except ValueError:  # several documents, or not JSON after all
            pass
    if media_type is None:
        try:
            return body.decode()
        except UnicodeDecodeError:
            return body
    subtype = media_type.partition("/")[2]
    if media_type.startswith("text/") or "json" in subtype or subtype.endswith(_TEXTUAL):
        return _unicode(body, charset).decode(errors="replace")
    return body


def _loads(body: bytes) -> Any:
    """Read JSON, unless the first character says that it is none: failing costs memory as well."""
    if _JSON_START.match(body) is None:
        raise ValueError("not JSON")
    return _json.loads(body)


def _unicode(body: bytes, charset: str | None) -> bytes:
    """The body in UTF-8, without a byte order mark."""
    if charset and charset.lower() not in {"utf-8", "utf8", "us-ascii", "ascii"}:
        try:
            return body.decode(charset, errors="replace").encode()
        except (LookupError, ValueError):
            return body
    return body.removeprefix(_BYTE_ORDER_MARK)
