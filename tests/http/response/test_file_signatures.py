"""Types of binary content by its first bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn.http.response.file_signatures import UNCONFIRMED, file_type

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)
JPEG = b"\xff\xd8\xff\xe0" + bytes(8)
WAV = b"RIFF\x00\x00\x00\x00WAVEfmt "
MP3 = b"ID3\x04" + bytes(8)
PDF = b"%PDF-1.7\n%%EOF"
ZIP = b"PK\x03\x04" + bytes(8)
HTML = b"<!doctype html><script>alert(1)</script>"


@pytest.mark.parametrize(
    ("declared", "content", "media_type", "extension", "shown"),
    [
        ("image/png", PNG, "image/png", ".png", "image"),
        ("image/jpg", JPEG, "image/jpeg", ".jpg", "image"),
        ("image/png", JPEG, "image/jpeg", ".jpg", "image"),
        ("image/gif", b"GIF89a", "image/gif", ".gif", "image"),
        ("image/webp", b"RIFF\n\n\n\nWEBPVP8 ", "image/webp", ".webp", "image"),
        ("audio/x-wav", WAV, "audio/wav", ".wav", "audio"),
        ("audio/mpeg", MP3, "audio/mpeg", ".mp3", "audio"),
        ("audio/mpeg", b"\xff\xfb\x90", "audio/mpeg", ".mp3", "audio"),
        ("audio/ogg", b"OggS\x00", "audio/ogg", ".ogg", "audio"),
        ("image/tiff", b"II*\x00", "image/tiff", ".tif", None),
        ("application/pdf", PDF, "application/pdf", ".pdf", None),
        ("application/x-zip-compressed", ZIP, "application/zip", ".zip", None),
    ],
)
def test_confirmed_types(
    declared: str, content: bytes, media_type: str, extension: str, shown: str | None
) -> None:
    """T37: a declared type is used if the first bytes are those of this type, or of a similar one."""
    found = file_type(declared, content)
    assert (found.media_type, found.extension, found.shown) == (media_type, extension, shown)


@pytest.mark.parametrize(
    ("declared", "content"),
    [
        ("image/png", HTML),
        ("image/png", PDF),
        ("image/png", WAV),
        ("image/png", b" " + PNG),
        ("image/png", PNG[:7]),
        ("audio/mpeg", PNG),
        ("application/pdf", HTML),
        ("application/pdf", PNG),
        ("image/svg+xml", b"<svg/>"),
        ("application/x-msdownload", b"MZ\x90"),
        ("application/octet-stream", PNG),
        ("image/png/../../x", PNG),
        ("", PNG),
        (None, PNG),
        ("image/png", b""),
    ],
)
def test_unconfirmed_types(declared: str | None, content: bytes) -> None:
    """T37: content that its first bytes do not confirm has no type, and is not shown."""
    assert file_type(declared, content) is UNCONFIRMED


@given(st.one_of(st.none(), st.text()), st.binary())
def test_no_extension_is_from_the_server(declared: str | None, content: bytes) -> None:
    """T37: an extension is a dot with lower-case letters and digits, for any declared type and content."""
    extension = file_type(declared, content).extension
    assert extension[0] == "."
    assert extension[1:].isalnum()
    assert extension == extension.lower()
    assert extension not in {".html", ".htm", ".svg", ".js", ".exe", ".sh", ".py", ".bat"}
