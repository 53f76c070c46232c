"""T10: the token of a client opens the server, and never the API behind it."""

import pytest
from tests.mcp.http_support import CANARY, message, post, versions
from tests.mcp.server_support import ERAS, Api, application, served

from specfn import mcp

TOKEN = CANARY * 2


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("credentials", [{"bearer": "own-token"}, {}])
def test_a_client_token_ends_at_the_server(era: str, credentials: dict[str, str]) -> None:
    """The server accepts the token; the API receives the credential of the connection, or no request."""
    api = Api()
    connection = api.connection(credentials=credentials)
    with served(mcp.asgi(application(), connection, client_token=TOKEN)) as origin:
        response = post(origin, message(era), Authorization=f"Bearer {TOKEN}", **versions(era))
    assert response.status_code == 200, response.text
    sent = [each.headers.get("authorization") for each in api.requests]
    assert sent == [f"Bearer {each}" for each in credentials.values()]
