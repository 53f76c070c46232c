"""Where a response ends, as h11 reads it: the same bytes are left over, in whatever pieces they arrive."""

from collections.abc import Iterable

import h11
from hypothesis import given
from hypothesis import strategies as st

from specfn.network.response_body import after_head, framing

METHODS = ("GET", "HEAD", "POST", "DELETE")

chunk = st.one_of(
    st.binary(min_size=1, max_size=40).map(lambda data: b"%x\r\n%s\r\n" % (len(data), data)),
    st.binary(min_size=1, max_size=40).map(lambda data: b"%04X;a=b\r\n%s\r\n" % (len(data), data)),
)
last_chunk = st.sampled_from(
    [b"0\r\n\r\n", b"00\r\n\r\n", b"0;x\r\n\r\n", b"0\r\nA: b\r\nC: d\r\n\r\n"]
)
chunked = st.builds(
    lambda chunks, last: (b"Transfer-Encoding: chunked\r\n", b"".join(chunks) + last),
    st.lists(chunk, max_size=4),
    last_chunk,
)
measured = st.binary(max_size=60).map(lambda data: (b"Content-Length: %d\r\n" % len(data), data))
unmeasured = st.binary(max_size=20).map(lambda data: (b"", data))
interim = st.sampled_from(
    [b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 Hints\r\nLink: <a>\r\n\r\n"]
)
status = st.sampled_from(
    [b"200 OK", b"201", b"204 No Content", b"304 Not Modified", b"404 Not Found"]
)
line_end = st.sampled_from([b"\r\n", b"\n"])
rest = st.one_of(
    st.just(b""),
    st.binary(max_size=30),
    st.sampled_from([b"\r\n", b"0\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"]),
)


@st.composite
def messages(draw: st.DrawFn) -> tuple[bytes, int]:
    """Whole responses with interim ones before them and anything behind, and where they are cut."""
    before = b"".join(draw(st.lists(interim, max_size=2)))
    header, content = draw(st.one_of(chunked, measured, unmeasured))
    end = draw(line_end)
    head = b"HTTP/1.1 " + draw(status) + end + header.replace(b"\r\n", end) + b"X: y" + end + end
    return before + head + content + draw(rest), draw(st.integers(1, 40))


def pieces(content: bytes, size: int) -> Iterable[bytes]:
    return (content[at : at + size] for at in range(0, len(content), size))


def read_by_h11(
    method: str, content: bytes, size: int
) -> tuple[h11.Response | None, int, bool, bool]:
    """What h11 makes of it: the response, at which byte its head was complete, and whether all ended cleanly."""
    connection = h11.Connection(h11.CLIENT)
    connection.send(h11.Request(method=method, target="/", headers=[("Host", "h")]))
    connection.send(h11.EndOfMessage())
    response, headed, arrived = None, 0, 0
    waiting = iter(pieces(content, size))
    try:
        while True:
            event = connection.next_event()
            if event is h11.NEED_DATA:
                piece = next(waiting, None)
                if piece is None:
                    return response, headed, False, False
                arrived += len(piece)
                connection.receive_data(piece)
            elif isinstance(event, h11.Response):
                response, headed = event, arrived
            elif isinstance(event, h11.EndOfMessage):
                is_kept = connection.their_state is h11.DONE
                return response, headed, is_kept, bool(connection.trailing_data[0])
    except h11.RemoteProtocolError:
        return response, headed, False, True


@given(message=messages(), method=st.sampled_from(METHODS))
def test_what_is_left_over_is_what_h11_has_left(message: tuple[bytes, int], method: str) -> None:
    """A response is complete exactly where h11 is done and holds no byte beyond it."""
    content, size = message
    response, headed, is_kept, has_rest = read_by_h11(method, content, size)
    if response is None:
        return
    found = framing(method, response.status_code, response.headers.raw_items())
    found.feed(after_head(content[:headed]) or b"")
    told = found.is_complete
    for piece in pieces(content[headed:], size):
        if told:  # h11 reads no further, and neither does a client
            break
        found.feed(piece)
        told = found.is_complete
    assert told == (is_kept and not has_rest)


@given(st.binary(max_size=80), st.integers(1, 10))
def test_no_bytes_break_it(content: bytes, size: int) -> None:
    """Whatever arrives instead of chunks is read to its end, and what ends nowhere is not complete."""
    found = framing("GET", 200, [(b"Transfer-Encoding", b"chunked")])
    for piece in pieces(content, size):
        found.feed(piece)
    assert found.is_complete in {True, False}
    found.feed(b"x")
    assert not found.is_complete
