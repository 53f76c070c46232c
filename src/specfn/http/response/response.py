"""What a server answered, as a record: JSON, text or bytes, by what arrived (rule X9)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from specfn._internal.keyword_arguments import known_keywords_in
from specfn.http.media import charset_of
from specfn.http.response.content import Content, read
from specfn.http.response.truncate import excerpt
from specfn.records import Note

if TYPE_CHECKING:
    import httpx


@known_keywords_in
@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A server's answer.

    Attributes:
        status: the HTTP status.
        headers: by lower-case name; several values of one name are joined by ``", "``.
        media_type: the media type, lower case and without parameters; ``None`` if not said.
        data: a JSON value, a text or bytes, by what arrived; ``None`` for an empty answer.
        truncated: whether the answer was longer than ``connection.max_bytes``.
        notes: what was read differently from how it was sent, e.g. a charset that is not known, or NaN in JSON. Their
            pointers lead into ``data``.

    An answer with links remembers where the request went and with which headers, for ``next_request``;
    its repr does not show that, and pickling leaves it behind: credentials do not travel with answers.
    """

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    media_type: str | None = None
    data: Any = None
    truncated: bool = False
    notes: tuple[Note, ...] = ()
    _request: "httpx.Request | None" = field(default=None, repr=False, compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, tuple(getattr(self, name) for name in _PICKLED)

    @property
    def ok(self) -> bool:
        """Whether the server says that it did what it was asked (2xx)."""
        return 200 <= self.status < 300

    @property
    def next_request(self) -> "httpx.Request | None":
        """The request of the next page, if the answer links to one (RFC 8288, ``rel="next"``). Pure.

        It goes to the origin that answered, with the headers and credentials of the request before, and
        is sent with ``specfn.http.transport.send.forward``. ``None`` where there is no such link, or it leads
        to another origin.
        """
        header = self.headers.get("link")
        if header is None or self._request is None:
            return None
        from specfn.http.response.links import next_request  # noqa: PLC0415  # few answers have pages

        return next_request(self._request, header)

    def for_model(self, limit: int = 20_000, *, sent_without: Sequence[str] = ()) -> str:
        r"""The answer as text for a model: valid JSON of at most ``limit`` characters.

        Args:
            limit: the most characters.
            sent_without: what was taken out of the model's arguments; it becomes ``"sent_without"``.

        It is ``{"status", "data"}``; where something was left out, the places say how much, and
        ``"truncated"`` is true. Bytes are ``{"status", "media_type", "base64"}``, or ``"size"``
        instead of ``"base64"`` where that is too long. ``"notes"`` are the texts of the notes, if there are any and
        they leave half of the limit to the data. NaN and infinities are null. Characters that a reader cannot see
        are written as JSON's ``\uXXXX``; emoji, and scripts that use joiners, stay as they are.

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
            notes=[note.text for note in self.notes],
        )


#: The fields that are pickled.
_PICKLED: Final = ("status", "headers", "media_type", "data", "truncated", "notes")


def _rebuild(*values: Any) -> Result:
    return Result(**dict(zip(_PICKLED, values, strict=True)))


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
    content = Content(None)
    if body:
        content = read(body, media_type, charset_of(declared), truncated=truncated)
    return Result(
        status=status,
        headers=headers,
        media_type=media_type,
        data=content.data,
        truncated=truncated,
        notes=content.notes,
        _request=request,
    )
