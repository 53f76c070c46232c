"""Compressed answers, up to a limit."""

import gzip
import tracemalloc
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn.network.response_body import BrokenEncodingError, Inflater, UnknownEncodingError

TEXT = b"some text, " * 1_000


def raw_deflate(content: bytes) -> bytes:
    compressor = zlib.compressobj(wbits=-15)
    return compressor.compress(content) + compressor.flush()


def read(encoding: str, wire: bytes, limit: int = 10**6, step: int = 7) -> tuple[bytes, bool]:
    inflater = Inflater(encoding, limit)
    for start in range(0, len(wire), step):
        if not inflater.feed(wire[start : start + step]):
            break
    return inflater.content(), inflater.truncated


ENCODINGS: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("", bytes),
    ("identity", bytes),
    ("none, UTF-8", bytes),  # written by mistake: nothing is encoded
    ("gzip", gzip.compress),
    ("identity, gzip", gzip.compress),
    (" X-GZip ", gzip.compress),
    ("deflate", zlib.compress),
    ("deflate", raw_deflate),
]


@pytest.mark.parametrize(("encoding", "compress"), ENCODINGS)
def test_encodings(encoding: str, compress: Callable[[bytes], bytes]) -> None:
    """What was compressed comes out as it went in, however it is cut on the way."""
    for step in (1, 7, 4096):
        assert read(encoding, compress(TEXT), step=step) == (TEXT, False)
        assert read(encoding, b"", step=step) == (b"", False)


@pytest.mark.parametrize("step", [1, 2, 3, 100_000])
def test_several_members(step: int) -> None:
    """A gzip stream may be several members, with zeros between and after them; what follows anything else is not read."""
    one, two = gzip.compress(b"one ", mtime=0), gzip.compress(b"two", mtime=0)
    for padding in (b"", b"\0", b"\0" * 20):
        assert read("gzip", one + padding + two + padding, step=step) == (b"one two", False)
    assert read("gzip", one + b"." * 6 + two, step=step) == (b"one ", False)


@pytest.mark.parametrize(
    "encoding",
    ["br", "zstd", "compress", "gzip, gzip", "deflate, gzip", "gzip,br", "x", "gzip\x00"],
)
def test_encodings_that_were_not_requested(encoding: str) -> None:
    """Content in any other encoding, or in two, is an error; without content there is nothing to decode."""
    with pytest.raises(UnknownEncodingError, match=f"^{encoding}$"):
        read(encoding, gzip.compress(gzip.compress(TEXT)))
    assert read(encoding, b"") == (b"", False)


BROKEN = [
    ("gzip", b"this is not gzip"),
    ("gzip", gzip.compress(TEXT, mtime=0)[:-10]),
    ("gzip", gzip.compress(TEXT, mtime=0)[:30] + b"\xff" * 50),
    ("deflate", b"\xff" * 50),
    ("deflate", zlib.compress(TEXT)[:-6]),
]


@pytest.mark.parametrize(("encoding", "wire"), BROKEN)
def test_broken_encodings(encoding: str, wire: bytes) -> None:
    """Bytes that are not what the encoding says are an error, never half an answer."""
    with pytest.raises(BrokenEncodingError):
        read(encoding, wire, step=4096)


@given(
    st.binary(max_size=300),
    st.sampled_from(ENCODINGS[3:]),
    st.integers(0, 320),
    st.integers(0, 255),
)
def test_broken_content_is_read_up_to_the_error(
    content: bytes, coding: tuple[str, Callable[[bytes], bytes]], position: int, byte: int
) -> None:
    """Law: what is read before the error does not depend on how the content is cut on the way."""
    encoding, compress = coding
    wire = compress(content)
    wire = wire[:position] + bytes([byte]) + wire[position + 1 :]

    def taken(step: int) -> tuple[bytes, bool]:
        inflater, is_broken = Inflater(encoding, 10**6), False
        try:
            for start in range(0, len(wire), step):
                inflater.feed(wire[start : start + step])
        except BrokenEncodingError:
            is_broken = True
        return inflater.take(), is_broken

    assert taken(1) == taken(7) == taken(len(wire))


@given(content=st.binary(max_size=200), limit=st.integers(0, 220), step=st.integers(1, 50))
def test_never_more_than_the_limit(content: bytes, limit: int, step: int) -> None:
    """The content is the beginning of what was sent, and truncation is said exactly when it happened."""
    for encoding, compress in ENCODINGS:
        kept, truncated = read(encoding, compress(content), limit, step)
        assert kept == content[:limit]
        assert truncated is (len(content) > limit)


def test_a_bomb_stays_small() -> None:
    """Ten gigabytes in ten megabytes cost no more memory than the limit allows."""
    compressor = zlib.compressobj(9, wbits=31)
    block = b"\0" * 10**7
    wire = b"".join(compressor.compress(block) for _ in range(20)) + compressor.flush()
    tracemalloc.start()
    kept, truncated = read("gzip", wire, limit=10**6, step=65_536)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (len(kept), truncated) == (10**6, True)
    assert peak < 5 * 10**6
