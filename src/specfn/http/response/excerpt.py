"""The beginning of a response for an error, without secrets of the connection."""

import base64
from collections.abc import Iterator
from typing import Final
from urllib.parse import quote, quote_plus

from specfn._internal.json import dumps
from specfn.http.connection import MASK, Connection, reveal
from specfn.http.response.non_finite import nulled
from specfn.http.response.response import Result

#: The most characters of an excerpt.
_MOST: Final = 300

#: The least characters of a secret that is masked. Shorter texts occur in any response.
_LEAST: Final = 4


def excerpt(result: Result, connection: Connection) -> str:
    """Return the beginning of a response as one line.

    A server may repeat secrets of the request. They are masked. The excerpt is empty if they are not known.
    """
    if not _are_known(connection):
        return ""
    text = _text(result)
    secrets = {form for secret in _secrets(connection) for form in _forms(secret)}
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _LEAST:
            text = text.replace(secret, MASK)
    text = " ".join(text.split())
    return text if len(text) <= _MOST else f"{text[:_MOST]}..."


def _text(result: Result) -> str:
    """Return the data as text; an empty text for bytes and without data."""
    if isinstance(result.data, str):
        return result.data
    if not isinstance(result.data, dict | list):
        return ""
    try:
        return dumps(nulled(result.data)).decode()  # complete, so that no secret is cut in two
    except (TypeError, ValueError, RecursionError):  # too deep, or a value of a hook
        return ""


def _are_known(connection: Connection) -> bool:
    """Return true if all secrets of a request are values of the connection."""
    is_plain = not any(map(callable, connection.credentials.values()))
    hooks = (connection.before, connection.client, connection.async_client)
    return is_plain and all(each is None for each in hooks)


def _forms(secret: str) -> Iterator[str]:
    """Yield a secret as plain text, in JSON and in a URL."""
    yield from (secret, dumps(secret).decode()[1:-1], quote(secret, safe=""), quote_plus(secret))


def _secrets(connection: Connection) -> Iterator[str]:
    """Yield the secrets of the connection, and the forms in which they are sent."""
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
