"""T29: nothing of a client reaches the API behind a server, except the arguments of its calls."""

import pytest
from tests.mcp.http_support import CANARY, message, post, versions
from tests.mcp.server_support import ERAS, Api, application, served

from specfn import mcp

AMBIENT = {
    "Authorization": f"Bearer {CANARY}",
    "Cookie": f"session={CANARY}",
    "Proxy-Authorization": f"Basic {CANARY}",
    "X-Api-Key": CANARY,
    "X-Forwarded-For": CANARY,
    "traceparent": f"00-{CANARY}",
}


@pytest.mark.parametrize("era", ERAS)
def test_nothing_of_a_client_reaches_the_api(era: str) -> None:
    """Headers, cookies, tokens and metadata of a client are not in the request of the API; its own credential is."""
    api = Api()
    with served(mcp.asgi(application(), api.connection())) as origin:
        response = post(origin, message(era), **AMBIENT, **versions(era))
    assert response.status_code == 200, response.text
    assert "Rex" in response.text
    (request,) = api.requests
    assert CANARY not in f"{request.url} {request.headers.raw} {request.content!r}"
    assert request.headers["authorization"] == "Bearer own-token"
