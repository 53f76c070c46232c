"""The next page of an answer: read from the link, bound to the origin, sent within the limits."""

import asyncio
import pickle
from typing import Any

import httpx
import pytest

import specfn
from specfn import Connection
from specfn.errors import UsageError
from specfn.http.redacted_request import redacted_request
from specfn.http.redirects_and_retries import links, next_request
from specfn.http.transport import send

HERE = "https://api.example.com/v1/items?page=1"

HEADERS = [
    ('</v1/items?page=2>; rel="next"', "https://api.example.com/v1/items?page=2"),
    ("<?page=2>; rel=next", "https://api.example.com/v1/items?page=2"),
    ("<https://api.example.com/x?page=2>; rel=NEXT", "https://api.example.com/v1/items?page=2"),
    ("<https://api.example.com:443/x?a>; rel=next", "https://api.example.com/v1/items?a"),
    ('<?a>; rel="prev", <?b>; rel="next"; title="x, y; <z>"', "https://api.example.com/v1/items?b"),
    (
        '<?a>; title="a, <?b>; rel=next", <?c>; rel="last next"',
        "https://api.example.com/v1/items?c",
    ),
    ('<?a>; title="\\"; rel=next"; rel=prev', None),
    ("<?a>; rel=prev; rel=next", None),
    ("<?a>; rel=nextish", None),
    ("<?a>; rel", None),
    ('<?a>; rel="next"; anchor="/other"', None),
    ('<?a>; rel="next"; anchor="?page=1"', "https://api.example.com/v1/items?a"),
    ("</admin/delete>; rel=next", None),
    ("</admin/delete?page=1>; rel=next", None),
    ("</v1/items>; rel=next", None),
    ("<../admin?page=2>; rel=next", "https://api.example.com/v1/items?page=2"),
    ("</v1/items/?page=2>; rel=next", "https://api.example.com/v1/items?page=2"),
    ("<#top>; rel=next", None),
    ("<http://api.example.com/x>; rel=next", None),
    ("<https://evil.example.com/x>; rel=next", None),
    ("<//evil.example.com/x>; rel=next", None),
    ("<https://api.example.com:8443/x>; rel=next", None),
    ("<https://me@api.example.com/x>; rel=next", None),
    (
        "<https://evil.example.com/x>; rel=next, <?ok>; rel=next",
        "https://api.example.com/v1/items?ok",
    ),
    ("<javascript:alert(1)>; rel=next", None),
    ("<https://[::1>; rel=next", None),
    ("</a", None),
    ("", None),
    (";;;,,,<<<>>>", None),
]


def answered(url: str = HERE, **more: Any) -> httpx.Request:
    headers = [(b"Host", b"api.example.com"), (b"X-Key", b"k"), (b"Content-Type", b"text/plain")]
    return redacted_request("POST", httpx.URL(url), headers, b"body", **more)


@pytest.mark.parametrize(("header", "url"), HEADERS)
def test_the_next_link(header: str, url: str | None) -> None:
    """X13: the first link whose relation is next, of this origin and of this page, gives the query, if it is another one; the path stays."""
    made = next_request(answered(), header)
    assert (str(made.url) if made else None) == url


def test_what_goes_along() -> None:
    """Headers go along; the body and what is said of it do not; what a connection always sends is there once."""
    always = ("key=s%20e",)
    request = answered(f"{HERE}&key=s%20e", always=always)
    made = next_request(request, "<?page=2>; rel=next")
    assert made is not None
    assert (made.method, made.content) == ("GET", b"")
    assert made.headers["x-key"] == "k"
    assert not {"content-type", "content-length"} & set(made.headers)
    assert str(made.url).endswith("/v1/items?page=2&key=s%20e")
    again = next_request(made, "<?key=theirs&page=3>; rel=next")
    assert again is not None
    assert str(again.url).endswith("/v1/items?page=3&key=s%20e")
    assert "s%20e" not in repr(made)


def test_a_hostile_header_ends() -> None:
    """However long or broken the header is, reading it ends, and no more links are read than anyone needs."""
    assert len(list(links("</a>; rel=x, " * 10_000))) == 100
    assert list(links('</a>; title="' + "\\a" * 50_000)) == [("/a", {"title": ""})]
    assert len(list(links("</a>" + ";a" * 50_000))) == 1


PAGES = {"1": b"[1]", "2": b"[2]", "3": b"[3]"}


def test_pages(make: Any, declare: Any, loopback: Any, http: Any) -> None:
    """Every page is fetched by following, blocking and awaiting alike, with the credentials of the first."""

    def respond(request: bytes) -> bytes:
        page = request.split(b"page=")[1][:1].decode()
        following = f'</items?page={int(page) + 1}>; rel="next"' if page != "3" else "</>; rel=x"
        return http(PAGES[page], Link=following)

    loopback.respond = respond
    function = make("/items", "get", declare("page", "query"))
    connection = Connection(base_url=loopback.url, headers={"X-Key": "k"}, query={"tenant": "t"})
    result = specfn.propagate(function, {"query": {"page": 1}}, connection)
    seen = []
    while result.next_request is not None:
        seen.append(result.data)
        result = send.forward(result.next_request, connection)
    assert [*seen, result.data] == [[1], [2], [3]]
    assert loopback.target == "/items?page=3&tenant=t"
    assert loopback.head["x-key"] == ["k"]

    async def all_of_them() -> Any:
        found = await specfn.apropagate(function, {"query": {"page": 2}}, connection)
        return (await send.aforward(found.next_request, connection)).data

    assert asyncio.run(all_of_them()) == [3]


def test_forwarding_stays_at_home(make: Any, loopback: Any, other: Any) -> None:
    """A request to no origin of the connection is not sent."""
    connection = Connection(base_url=loopback.url)
    foreign = httpx.Request("GET", other.url)
    with pytest.raises(UsageError, match=r"connection\.origins"):
        send.forward(foreign, connection)
    assert other.connections == 0
    assert send.forward(foreign, Connection(base_url=loopback.url, origins=(other.url,))).ok
    assert make().name


def test_a_result_leaves_its_request_behind(make: Any, loopback: Any, http: Any) -> None:
    """A result that is stored or sent away carries no credentials, and is equal to what it was."""
    loopback.respond = lambda _: http(b"[]", Link="</2>; rel=next")
    connection = Connection(base_url=loopback.url, headers={"X-Key": "canary"})
    result = specfn.propagate(make(), {}, connection)
    stored = pickle.dumps(result)
    assert b"canary" not in stored
    assert pickle.loads(stored) == result
    assert pickle.loads(stored).next_request is None
    assert "canary" not in repr(result)
