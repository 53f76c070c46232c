"""T37: a response chooses neither the place nor the type of a saved file."""

import os
import re
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import types

from specfn import Result
from specfn.errors import UsageError
from specfn.http.response.file_signatures import file_type
from specfn.mcp.results import content_block
from specfn.mcp.saved_files import NotSavedError, SavedFiles

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)
KIND = file_type("image/png", PNG)
NAME = sha256(PNG).hexdigest() + ".png"


def names(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()}


def test_a_file_has_the_digest_of_its_content_as_name(tmp_path: Path) -> None:
    """T37: the name is the digest and the extension of the confirmed type; only the owner can read it."""
    path = SavedFiles(tmp_path).save(PNG, KIND)
    assert path == tmp_path / NAME
    assert path.read_bytes() == PNG
    if os.name == "posix":
        assert path.stat().st_mode & 0o077 == 0


def test_the_same_content_is_one_file(tmp_path: Path) -> None:
    """T37: the same content is saved once, and takes no further room."""
    files = SavedFiles(tmp_path, max_bytes=len(PNG), max_files=1)
    assert files.save(PNG, KIND) == files.save(PNG, KIND)
    assert names(tmp_path) == {NAME}


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    """T37: a link with the name of the file is neither followed nor replaced."""
    outside = tmp_path / "outside"
    inside = tmp_path / "files"
    inside.mkdir()
    (inside / NAME).symlink_to(outside)
    files = SavedFiles(inside)
    with pytest.raises(NotSavedError):
        files.save(PNG, KIND)
    outside.write_bytes(PNG)
    with pytest.raises(NotSavedError):
        files.save(PNG, KIND)
    outside.write_bytes(b"own")
    with pytest.raises(NotSavedError):
        files.save(PNG, KIND)
    assert outside.read_bytes() == b"own"
    assert (inside / NAME).is_symlink()


def test_another_file_is_not_replaced(tmp_path: Path) -> None:
    """T37: a file with the same name and other content stays, and so does a directory."""
    (tmp_path / NAME).write_bytes(b"own")
    with pytest.raises(NotSavedError, match="taken"):
        SavedFiles(tmp_path).save(PNG, KIND)
    assert (tmp_path / NAME).read_bytes() == b"own"
    (tmp_path / NAME).unlink()
    (tmp_path / NAME).mkdir()
    with pytest.raises(NotSavedError):
        SavedFiles(tmp_path).save(PNG, KIND)


def test_a_file_that_appears_meanwhile_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T37: a file that another program creates after the check of its name, and before the write, stays as it is."""
    scan = os.scandir

    def create_and_scan(path: int) -> Any:
        (tmp_path / NAME).write_bytes(b"own")
        return scan(path)

    monkeypatch.setattr(os, "scandir", create_and_scan)
    with pytest.raises(NotSavedError, match="File exists"):
        SavedFiles(tmp_path).save(PNG, KIND)
    assert (tmp_path / NAME).read_bytes() == b"own"


def test_a_directory_that_becomes_a_link_has_no_effect(tmp_path: Path) -> None:
    """T37: the directory is opened at the start; a link that replaces its name later is not followed."""
    inside, outside, moved = tmp_path / "files", tmp_path / "outside", tmp_path / "moved"
    inside.mkdir()
    outside.mkdir()
    files = SavedFiles(inside)
    inside.rename(moved)
    inside.symlink_to(outside)
    files.save(PNG, KIND)
    assert names(outside) == set()
    assert names(moved) == {NAME}


def test_all_files_together_are_bounded(tmp_path: Path) -> None:
    """T37: the entries of the directory count together, and nothing is written beyond the bounds."""
    (tmp_path / "other").write_bytes(bytes(10))
    files = SavedFiles(tmp_path, max_bytes=30)
    files.save(PNG, KIND)
    with pytest.raises(NotSavedError, match="full"):
        files.save(PNG + b"1", KIND)
    with pytest.raises(NotSavedError, match="full"):
        SavedFiles(tmp_path, max_files=2).save(PNG + b"1", KIND)
    assert names(tmp_path) == {"other", NAME}


def test_a_write_that_fails_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """T37: a file that could not be written completely is removed."""

    class Full:
        def __init__(self, number: int, _: str) -> None:
            self._number = number

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            os.close(self._number)

        def write(self, _: bytes) -> None:
            raise OSError(28, "No space left on device")

    files = SavedFiles(tmp_path)
    monkeypatch.setattr(os, "fdopen", Full)
    with pytest.raises(NotSavedError, match="No space left"):
        files.save(PNG, KIND)
    assert names(tmp_path) == set()


def test_a_missing_directory_is_one_line(tmp_path: Path) -> None:
    """T37: a directory that does not exist, or is a file, is an error at the start."""
    (tmp_path / "file").write_bytes(b"")
    for name, reason in (("no", "does not exist"), ("file", "is not a directory")):
        with pytest.raises(UsageError, match=reason) as error:
            SavedFiles(tmp_path / name)
        assert "\n" not in str(error.value)


@given(st.one_of(st.none(), st.text()), st.binary(max_size=50))
def test_nothing_is_written_elsewhere(declared: str | None, content: bytes) -> None:
    """T37: for any type and content, the directory has one more file, and its name is the digest."""
    with tempfile.TemporaryDirectory() as name:
        inside = Path(name, "files")
        inside.mkdir()
        path = SavedFiles(inside).save(content, file_type(declared, content))
        assert names(Path(name)) == {"files"}
        assert names(inside) == {path.name}
        assert re.fullmatch(r"[0-9a-f]{64}\.[a-z0-9]+", path.name)
        assert path.name.startswith(sha256(content).hexdigest())


def test_html_named_image_is_not_shown(tmp_path: Path) -> None:
    """T37: content that is not of its declared type is neither an image nor a file with its extension."""
    result = Result(status=200, media_type="image/png", data=b"<!doctype html><script>")
    block = content_block(result, None)
    assert isinstance(block, types.EmbeddedResource)
    assert block.resource.mime_type == "application/octet-stream"
    content_block(result, SavedFiles(tmp_path))
    (path,) = tmp_path.iterdir()
    assert path.suffix == ".bin"
