"""T4: the next page of a page that a redirect led elsewhere carries no credential either."""

from contextlib import suppress
from typing import Any

import httpx
import pytest

import specfn
from specfn.errors import SpecfnError

CANARY = "canary-4b77"
SCHEMES = {
    "bearer": {"type": "http", "scheme": "bearer"},
    "key": {"type": "apiKey", "in": "query", "name": "key"},
    "sid": {"type": "apiKey", "in": "cookie", "name": "sid"},
}
SUCCESS = {
    "description": "",
    "headers": {"Link": {"schema": {"type": "string"}}},
    "content": {"application/json": {"schema": {"type": "array", "items": {}}}},
}
APP = specfn.load(
    {
        "openapi": "3.1.0",
        "info": {"title": "", "version": ""},
        "components": {"securitySchemes": SCHEMES},
        "security": [{name: [] for name in SCHEMES}],
        "paths": {"/x": {"get": {"responses": {"200": SUCCESS}}}},
    }
)

#: Where a redirect leads, and what the page there names as the next one.
PLACES = ["https://evil.example/x", "/other/x", "https://api.example:444/v1/x", "/v1/y"]
NEXT = [
    "?at=2",
    "?at=2&key=stolen",
    "https://evil.example/x?at=2",
    "//evil.example/v1/x?at=2",
    "https://api.example@evil.example/v1/x?at=2",
    "/../admin?at=2",
    "http://api.example/v1/x?at=2",
]


@pytest.mark.parametrize("redirects", ["never", "same-origin", "whole-origin", "any"])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("onward", NEXT)
def test_a_page_elsewhere_gets_nothing(redirects: Any, place: str, onward: str) -> None:
    """Credentials stay where the redirect policy sends them, whatever URL the server names for the next page."""
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        if len(seen) == 1:
            return httpx.Response(302, headers={"Location": place})
        link = {"Link": f'<{onward}>; rel="next"'} if len(seen) == 2 else {}
        return httpx.Response(200, json=[len(seen)], headers=link)

    connection = specfn.Connection(
        "https://api.example/v1",
        credentials={"bearer": CANARY, "key": lambda: CANARY, "sid": CANARY},
        headers={"X-Own": CANARY},
        redirects=redirects,
        allow_private=True,
        client=httpx.Client(transport=httpx.MockTransport(answer)),
    )
    with suppress(SpecfnError):
        list(APP.pages("GET /x", {}, connection))
    for request in seen:
        url = request.url
        below = url.path.startswith("/v1/") or redirects == "whole-origin"
        if (url.scheme, url.host, url.port) != ("https", "api.example", None) or not below:
            assert CANARY not in f"{url}{request.headers.raw}"
        assert "stolen" not in str(url)
