"""Secrets of a connection, in the forms in which a response may repeat them."""

import base64
from collections.abc import Iterator
from typing import Final
from urllib.parse import quote, quote_plus

from specfn._internal.json import dumps
from specfn.http.connection import Connection, reveal

#: The minimum number of characters of a secret that is masked. Shorter texts occur in any response.
_LEAST: Final = 4


def secret_forms(connection: Connection) -> list[str]:
    """Return the secrets of a connection as plain text, in JSON and in a URL; the longest first.

    Secrets that a credential callable returns are not among them.
    """
    forms = {form for secret in _secrets(connection) for form in _forms(secret)}
    return sorted((form for form in forms if len(form) >= _LEAST), key=len, reverse=True)


def _forms(secret: str) -> Iterator[str]:
    yield from (secret, dumps(secret).decode()[1:-1], quote(secret, safe=""), quote_plus(secret))


def _secrets(connection: Connection) -> Iterator[str]:
    """Yield the values of the connection, and the parts and encodings in which they are sent."""
    for values in (connection.headers, connection.cookies, connection.query):
        for value in values.values():
            secret = reveal(value)
            yield from (secret, *secret.split())
    for credential in connection.credentials.values():
        if isinstance(credential, tuple):
            user, password = map(reveal, credential)
            yield from (password, base64.b64encode(f"{user}:{password}".encode()).decode())
        elif not callable(credential):
            yield reveal(credential)
