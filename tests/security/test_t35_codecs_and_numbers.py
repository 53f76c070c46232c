"""T35: no charset, content encoding or number of a response blocks the process or exhausts its memory."""

import asyncio
import copy
import gzip
import json
import math
import pickle
import subprocess
import sys
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.http.response.arrived import result_of
from tests.security.hostile_responses import ALIASES, CODECS, JSON, TEXTS, VALUES, cases

import specfn
from specfn import Connection, Result
from specfn.errors import TransportError

#: The most CPU time of one case, in seconds: most take a hundredth of it, quadratic work takes several times as long.
SECONDS = 1


def awaited(function: Any, given: Any, connection: Connection) -> Result:
    return asyncio.run(specfn.aexecute(function, given, connection))


@pytest.fixture(params=[specfn.execute, awaited], ids=["sync", "async"])
def call(request: Any) -> Callable[..., Result]:
    return request.param


@pytest.fixture(scope="module")
def seen(root: Path) -> Mapping[str, Any]:
    """What became of each hostile response, in a process of its own that may not take long."""
    command = [sys.executable, "-m", "tests.security.hostile_responses"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-300:] + done.stderr[-2_000:]
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {line["name"]: line for line in lines}


def test_every_hostile_response_is_read(seen: Mapping[str, Any]) -> None:
    """T35: each codec of Python as a charset, and each hostile JSON text, takes a bounded CPU time."""
    assert {name for name, _, _ in cases()} == seen.keys()
    assert [name for name, line in seen.items() if line["seconds"] > SECONDS] == []


@pytest.mark.parametrize("kind", ["JSON", *TEXTS])
def test_no_charset_changes_what_json_is(seen: Mapping[str, Any], kind: str) -> None:
    """T35: JSON is its value under every charset without a note; text is a text, or bytes with a note."""
    for codec in (*CODECS, *(ALIASES if kind == "JSON" else ())):
        line = seen[f"{kind} in {codec}"]
        if kind == "JSON":
            assert (line["type"], line["notes"]) == ("dict", 0)
        else:
            assert (line["type"], line["notes"]) in {("str", 0), ("str", 1), ("bytes", 1)}


def test_a_codec_that_is_no_charset_decodes_nothing() -> None:
    """T35: what Python calls a codec and no browser calls a charset is not used: the text is UTF-8."""
    for codec in ("punycode", "idna", "rot13", "unicode_escape", "raw_unicode_escape", "utf_7",
                  "undefined", "hex", "base64", "zlib", "bz2", "quopri", "uu", "charmap", "cp037"):  # fmt: skip
        result = result_of(200, f"text/plain; charset={codec}", b"+AGE- 61 \\x61 a-")
        assert result.data == "+AGE- 61 \\x61 a-"
        assert codec in result.notes[0].text


NUMBERS = {kind: value for kind, value in VALUES.items() if b"9" * 1_000 in value}


@pytest.mark.parametrize("kind", NUMBERS)
def test_numbers_of_a_million_digits(
    call: Callable[..., Result], make: Any, loopback: Any, http: Any, kind: str
) -> None:
    """T35: a number of a million digits is a float and null for a model; of a few thousand, exact."""
    loopback.respond = lambda _: http(NUMBERS[kind])
    result = call(make(), {}, Connection(base_url=loopback.url))
    numbers = result.data if isinstance(result.data, list) else [result.data]
    shown = json.loads(result.for_model(10**7))["data"]
    if kind == "integers":
        assert numbers == [int("9" * 4_000)] * 250 == shown
    else:
        assert [abs(number) for number in numbers] == [math.inf]
        assert shown in (None, [None])
        assert "infinite" in result.notes[0].text


@pytest.mark.parametrize("depth", [200, 255, 900])
def test_no_data_is_too_deep_to_copy(
    call: Callable[..., Result], make: Any, loopback: Any, http: Any, depth: int
) -> None:
    """T35: whatever the levels of a JSON response, its data can be copied, written and shown."""
    loopback.respond = lambda _: http(b'{"a":[' * depth + b"1" + b"]}" * depth)
    result = call(make(), {}, Connection(base_url=loopback.url))
    copied = copy.deepcopy(result.data)
    assert json.dumps(copied, indent=2)
    assert repr(result)
    assert pickle.loads(pickle.dumps(result)) == result


def raw_deflate(content: bytes) -> bytes:
    compressor = zlib.compressobj(wbits=-15)
    return compressor.compress(content) + compressor.flush()


#: Content encodings that requests ask for, with what encodes in them.
REQUESTED: Mapping[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "GZip": gzip.compress,
    "identity, gzip": gzip.compress,
    "deflate": zlib.compress,
    " deflate": raw_deflate,
    "identity": bytes,
    "utf-8": bytes,
}

#: Others, of content that decodes to more than was asked for, or that nothing here decodes.
UNREQUESTED = ["br", "zstd", "compress", "gzip, gzip", "gzip, deflate", "gzip, br", "aes128gcm", "dcz"]  # fmt: skip


@pytest.mark.parametrize("encoding", REQUESTED)
def test_requested_encodings(
    call: Callable[..., Result], make: Any, loopback: Any, http: Any, encoding: str
) -> None:
    """T35: content in an encoding that was requested is read."""
    content = REQUESTED[encoding](JSON)
    loopback.respond = lambda _: http(content, Content_Encoding=encoding)
    assert call(make(), {}, Connection(base_url=loopback.url)).data == json.loads(JSON)


@pytest.mark.parametrize("status", ["200 OK", "500 Oops"])
@pytest.mark.parametrize("encoding", UNREQUESTED)
def test_unrequested_encodings(
    call: Callable[..., Result], make: Any, loopback: Any, http: Any, encoding: str, status: str
) -> None:
    """T35: content in an encoding that was not requested, or in two, is an error that names it, never a success."""
    content = gzip.compress(gzip.compress(bytes(10_000_000)))
    loopback.respond = lambda _: http(content, status, Content_Encoding=encoding)
    with pytest.raises(TransportError, match=rf"not requested.*\({encoding}\)"):
        call(make(), {}, Connection(base_url=loopback.url))
    loopback.respond = lambda _: http(b"", "204 No Content", Content_Encoding=encoding)
    assert call(make(), {}, Connection(base_url=loopback.url)).data is None


def test_two_headers_are_two_encodings(
    call: Callable[..., Result], make: Any, loopback: Any
) -> None:
    """T35: encodings in several headers count together."""
    content = gzip.compress(gzip.compress(b"{}"))
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Encoding: gzip\r\n"
    loopback.respond = lambda _: head + b"Content-Length: %d\r\n\r\n" % len(content) + content
    with pytest.raises(TransportError, match="gzip, gzip"):
        call(make(), {}, Connection(base_url=loopback.url))
