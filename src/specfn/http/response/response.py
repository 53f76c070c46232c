"""Results: the responses of servers as records, with their content as JSON, text or bytes (rule X9)."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import unescape
from typing import TYPE_CHECKING, Any, Final

from specfn._internal import json as _json
from specfn._internal.caller_arguments import require, require_whole_numbers
from specfn._internal.characters import escape_invisible
from specfn._internal.values import brief
from specfn.answers import filter_data, parse_fields
from specfn.errors import UsageError
from specfn.http import charsets
from specfn.http.redirects_and_retries import next_request
from specfn.http.response import tolerant_json
from specfn.http.response.events import json_lines, paths_in_items
from specfn.http.response.truncate import truncate_json
from specfn.migrate.bodies.media_types import charset_of
from specfn.records import Note

if TYPE_CHECKING:
    import httpx

    from specfn.http.masking import Masking

# -- content, with notes on corrections --------------------------------------------------------------

#: The beginning of JSON text, including NaN and infinities.
_JSON_START: Final = re.compile(rb'[ \t\r\n]*[\[{"\-0-9tfnNI]')

#: Subtypes outside ``text/`` that are text.
_TEXTUAL: Final = (
    "xml",
    "yaml",
    "javascript",
    "ecmascript",
    "x-www-form-urlencoded",
    "graphql",
    "csv",
)

_UTF_8: Final = frozenset({"utf-8", "utf-8-sig"})


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a response.

    Attributes:
        data: a JSON value, a string or bytes.
        notes: the corrections that were made while reading.
    """

    data: Any
    notes: tuple[Note, ...] = ()


def read_content(
    body: bytes, media_type: str | None, charset: str | None, *, truncated: bool
) -> Content:
    """Read the content of a response.

    Args:
        body: the bytes, decompressed; at least one.
        media_type: the media type in lower case, without parameters; ``None`` if the response declares no media type.
        charset: the ``charset`` parameter; ``None`` if there is no such parameter.
        truncated: whether the response was longer than these bytes.
    """
    is_json = media_type is None or "json" in media_type
    if is_json and not truncated:  # a cut 123 is not a 12
        content = _json_content(body, charset)
        if content is not None:
            return content
    is_read = is_json or media_type == "text/plain"
    items = json_lines(body, truncated=truncated) if is_read else None
    if items is not None:
        note = "each line of the response is a JSON value; the data is the list of them"
        return Content(items[0], tuple(map(_note, (note, *items[1]))))
    final = not truncated
    encoding = charsets.encoding_of(body)
    if media_type is None:
        return _decode_strictly(body, encoding or "utf-8", final=final) or Content(body)
    if not is_json and not _is_text(media_type):
        return Content(body)
    if encoding is not None:
        return _decode_text(body, encoding, final=final)
    wide = json.detect_encoding(body) if is_json else "utf-8"
    content = None if wide in _UTF_8 else _decode_strictly(body, wide, final=final)
    return content or _read_by_label(body, charset, final=final)


def _is_text(media_type: str) -> bool:
    return media_type.startswith("text/") or media_type.partition("/")[2].endswith(_TEXTUAL)


def _json_content(body: bytes, charset: str | None) -> Content | None:
    """Read JSON by its own bytes: UTF-8, UTF-16 or UTF-32 (RFC 8259, section 8.1); ``None`` if it is not JSON."""
    encoding = json.detect_encoding(body)
    if encoding in _UTF_8:
        plain = body.removeprefix(b"\xef\xbb\xbf")
        if _JSON_START.match(plain) is None:  # a failed attempt costs memory
            return None
        try:
            data = _json.loads(plain)
        except ValueError:
            pass
        else:
            if not _json.is_deep(data, plain):
                return Content(data)
    text, notes = _unicode(body, encoding, charset)
    try:
        data, more = tolerant_json.loads(text)
    except _json.TooDeepError as error:
        return Content(text, (*notes, _note(f"the JSON is {error.msg}; the data is its text")))
    except ValueError:
        return None
    return Content(data, notes + more)


def _unicode(body: bytes, encoding: str, charset: str | None) -> tuple[str, tuple[Note, ...]]:
    """Decode JSON text. The charset counts only for bytes that are not valid UTF-8."""
    text = charsets.decode_strict(body, encoding, final=True)
    if text is not None:
        return text, ()
    name = charsets.readable_codec(charset) if charset and encoding in _UTF_8 else None
    if name is None or name in _UTF_8:
        content = _decode_text(body, encoding, final=True)
        return content.data, content.notes
    note = _note(f"the JSON is not UTF-8; it was read as {name}, by its charset")
    return charsets.decode_replacing(body, name, final=True)[0], (note,)


def _decode_strictly(body: bytes, encoding: str, *, final: bool) -> Content | None:
    """Return the text of bytes; ``None`` if they are not valid."""
    text = charsets.decode_strict(body, encoding, final=final)
    return None if text is None else Content(text)


def _decode_text(body: bytes, encoding: str, *, final: bool) -> Content:
    """Return the text of bytes, with U+FFFD and a note for invalid bytes."""
    text, has_invalid = charsets.decode_replacing(body, encoding, final=final)
    note = _note(f"bytes that are not {encoding} were read as U+FFFD")
    return Content(text, (note,) if has_invalid else ())


def _read_by_label(body: bytes, charset: str | None, *, final: bool) -> Content:
    """Read text by its charset label. For an unknown label, read valid UTF-8, or return the bytes."""
    name = charsets.readable_codec(charset) if charset else "utf-8"
    if name is not None:
        return _decode_text(body, name, final=final)
    shown = escape_invisible(json.dumps((charset or "")[:60], ensure_ascii=False))
    unknown = f"the charset {shown} is not a label of the Encoding Standard"
    content = _decode_strictly(body, "utf-8", final=final)
    if content is None:
        note = _note(f"{unknown}, and the bytes are not UTF-8; the data are bytes")
        return Content(body, (note,))
    return Content(content.data, (_note(f"{unknown}; the bytes were read as UTF-8"),))


#: The beginning of an HTML page. Many servers label other texts as HTML.
_PAGE: Final = re.compile(r"<(?:!doctype html|html|head|body)[\s>]", re.IGNORECASE)

#: The parts of an HTML page that no reader sees, and its tags.
_UNSEEN: Final = re.compile(
    r"<(script|style|template)(?=[\s/>]).*?(?:</\1[^>]*+>?|\Z)|<!--.*?(?:-->|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_TAG: Final = re.compile(r"<[^<>]*+>")


def visible_text(page: str) -> str:
    """Return the text of an HTML page without tags, scripts and styles, and with single blanks; else the same text."""
    if _PAGE.search(page) is None:
        return page
    text = _TAG.sub(" ", _UNSEEN.sub(" ", page))
    return " ".join(unescape(text).split()) or page


def _note(text: str) -> Note:
    return Note(pointer="", text=text)


# -- results -----------------------------------------------------------------------------------------

#: The characters of a result in a notebook.
_MAX_NOTEBOOK_CHARACTERS: Final = 4_000


#: What a result has instead of the attributes of the responses of other clients.
_INSTEAD_OF: Final[Mapping[str, str]] = {
    "status_code": "status",
    **dict.fromkeys(("json", "text", "content", "body"), "data"),
    "raise_for_status": "ok, or execute, which raises HTTPStatusError for a status outside 2xx",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The response of a server.

    Attributes:
        status: the HTTP status.
        headers: the headers by lower-case name; several values of one name are joined by ``", "``.
        media_type: the media type in lower case, without parameters; ``None`` if the response declares no media type.
        data: a JSON value, a string or bytes, by the content; ``None`` for an empty response. The events of a stream
            are a list.
        truncated: whether the response was longer than a limit of the connection, in bytes, events or seconds.
        notes: the corrections that were made while reading, for example of an unknown charset or of NaN in JSON, and
            the reason why a stream of events was not read to its end. Their pointers refer to ``data``.

    ``data`` and ``headers`` are for Python code, and contain what arrived. ``for_model`` and the repr mask the secrets of
    the call that the server repeated.

    A result of a GET, with links, or with the status 202 keeps the URL and the headers of its request, for
    ``next_request`` and pages. They contain credentials, so the repr omits them, and a pickle does not contain them.
    """

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    media_type: str | None = None
    data: Any = None
    truncated: bool = False
    notes: tuple[Note, ...] = ()
    _request: "httpx.Request | None" = field(default=None, repr=False, compare=False)
    _masking: "Masking | None" = field(default=None, repr=False, compare=False)

    if not TYPE_CHECKING:  # with it, type checkers would accept any attribute

        def __getattr__(self, name: str) -> Any:
            instead = f"; use {_INSTEAD_OF[name]}" if name in _INSTEAD_OF else ""
            reason = f"{type(self).__name__!r} object has no attribute {name!r}{instead}"
            raise AttributeError(reason, name=name, obj=self)

    def __repr__(self) -> str:
        result = self.without_secrets()
        shown = f"media_type={result.media_type!r}, data={brief(result.data)}"
        more = ", truncated=True" if self.truncated else ""
        return f"Result(status={self.status}, {shown}{more})"

    def _repr_html_(self) -> str:
        from specfn.notebook import Table, html  # noqa: PLC0415  # for notebooks only

        result = self.without_secrets()
        rows = ((note.pointer, note.text) for note in result.notes)
        notes = Table("Notes", ("pointer", "note"), rows, len(self.notes))
        title = f"<Result {self.status} {result.media_type or ''}>"
        return html(title, text=result.for_model(_MAX_NOTEBOOK_CHARACTERS), tables=(notes,))

    def __reduce__(self) -> tuple[Any, ...]:
        values = [getattr(self, name) for name in _PICKLED]
        # only the secrets that the pickled data contains anyway, so that they stay masked
        kept = None if self._masking is None else self._masking.restrict_to(*values)
        return _rebuild, (*values, kept)

    @property
    def masking(self) -> "Masking | None":
        """Return the masking of the call; ``None`` if its secrets are not known."""
        return self._masking

    def for_writer_of(self, arguments: Any) -> "Result":
        """Return the response for a model that wrote a part of the arguments, which is then not a secret to it."""
        if self._masking is None:
            return self
        return self.with_masking(self._masking.without_written(arguments))

    def with_masking(self, masking: "Masking | None") -> "Result":
        """Return the same response with another masking. ``dataclasses.replace`` would take longer than the search."""
        copy = object.__new__(Result)
        for name in Result.__slots__:
            object.__setattr__(copy, name, getattr(self, name))
        object.__setattr__(copy, "_masking", masking)
        return copy

    def without_secrets(self) -> "Result":
        """Return the response as texts for a model, a log or a person show it: without secrets that the server repeated.

        The credentials of the connection and the human part of the arguments are masked. Without such a value,
        all fields are the same objects.
        """
        masking = self._masking
        if masking is None:
            return self
        is_binary = isinstance(self.data, bytes)
        notes = [[note.text, note.pointer] for note in self.notes]
        rest = [dict(self.headers), self.media_type, notes, None if is_binary else self.data]
        shown, data = masking.apply(rest), masking.apply(self.data) if is_binary else self.data
        if shown is rest and data is self.data:
            return self.with_masking(None)
        headers, media_type, notes, other = shown
        return replace(
            self,
            headers=headers,
            media_type=media_type,
            data=data if is_binary else other,
            notes=tuple(
                replace(note, text=text, pointer=pointer)
                for note, (text, pointer) in zip(self.notes, notes, strict=True)
            ),
            _masking=None,
        )

    @property
    def ok(self) -> bool:
        """Return whether the response is a success (2xx)."""
        return 200 <= self.status < 300

    @property
    def request(self) -> "httpx.Request | None":
        """Return the request, if links of the response are relative to it. It contains credentials."""
        return self._request

    @property
    def next_request(self) -> "httpx.Request | None":
        """Return the request of the next page (RFC 8288, ``rel="next"``), without sending it.

        The request has the same origin, headers and credentials as the request of this page. Send it with
        ``specfn.http.transport.send.forward``. The value is ``None`` if there is no such link, or if the link has
        another origin.
        """
        header = self.headers.get("link")
        if header is None or self._request is None:
            return None

        return next_request(self._request, header)

    def for_model(
        self,
        limit: int = 20_000,
        *,
        sent_without: Sequence[str] = (),
        fields: Sequence[str] | None = None,
        shows_bytes: bool = True,
    ) -> str:
        r"""Return the result as text for a model: valid JSON of at most ``limit`` characters.

        The text is ``{"status", "data"}``. If data is omitted, ``"truncated"`` is true, and each shortened value
        contains the number of omitted members or characters. Bytes are ``{"status", "media_type", "base64"}``, with
        ``"size"`` instead of ``"base64"`` if that is too long. ``"notes"`` contains the notes, if they leave half of
        the limit for the data. NaN and infinities are null. Invisible characters are escaped as ``\uXXXX``; emoji, and
        scripts that use joiners, are not escaped.

        Args:
            limit: the maximum number of characters.
            sent_without: the arguments of the model that were removed; they become ``"sent_without"``.
            fields: the paths of the fields that are shown, such as ``["items.name"]``; all if ``None``. They do not
                apply outside of 2xx. Those of server-sent events begin in the data of the events.
            shows_bytes: whether short binary data is base64; if false, only its media type and size are shown.

        Raises:
            UsageError: the limit is below 200 characters, or a path is invalid.
        """
        if not self.ok and self.media_type == "text/html" and isinstance(self.data, str):
            # The page may contain a secret as it is, and with entities, so it is masked before and after.
            page = self.data if self._masking is None else self._masking.apply(self.data)
            text = visible_text(page)
            note = () if text is page else (_note("the data is the visible text of an HTML page"),)
            result = replace(self, data=text, media_type=None, notes=(*self.notes, *note))
            return result.for_model(
                limit, sent_without=sent_without, fields=fields, shows_bytes=shows_bytes
            )
        if self._masking is not None:
            return self.without_secrets().for_model(
                limit, sent_without=sent_without, fields=fields, shows_bytes=shows_bytes
            )
        require_whole_numbers(limit=limit)
        require("sent_without", sent_without, Sequence, "a list of paths")
        data = self.data
        if fields is not None and isinstance(data, dict | list):
            names = parse_fields(fields)
            if isinstance(names, str):
                raise UsageError(names)
            paths = paths_in_items(names, self.media_type)
            data = filter_data(data, paths).data if self.ok else data
        return truncate_json(
            self.status,
            data,
            limit,
            media_type=self.media_type,
            truncated=self.truncated,
            sent_without=sent_without,
            notes=[note.text for note in self.notes],
            shows_bytes=shows_bytes,
        )


#: The fields that are pickled.
_PICKLED: Final = ("status", "headers", "media_type", "data", "truncated", "notes")


def _rebuild(*values: Any) -> Result:
    return Result(**dict(zip((*_PICKLED, "_masking"), values, strict=False)))


def decode(
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    *,
    truncated: bool,
    request: "httpx.Request | None" = None,
) -> Result:
    """Read a response by its own ``Content-Type``, not by the declared one.

    The headers have lower-case names, and the body is decompressed. ``next_request`` may need the request.
    """
    declared = headers.get("content-type", "")
    media_type = declared.partition(";")[0].strip().lower() or None
    content = Content(None)
    if body:
        content = read_content(body, media_type, charset_of(declared), truncated=truncated)
    return Result(
        status=status,
        headers=headers,
        media_type=media_type,
        data=content.data,
        truncated=truncated,
        notes=content.notes,
        _request=request,
    )
