"""The beginning of a response for an error, without secrets of the connection."""

from typing import Final

from specfn._internal.json import dumps
from specfn.http.connection import Connection
from specfn.http.masking import Masking
from specfn.http.response.response import Result
from specfn.http.response.tolerant_json import nulled

#: The maximum number of characters of an excerpt.
_MOST: Final = 300


def excerpt(result: Result, connection: Connection) -> str:
    """Return the beginning of a response as one line.

    A server may repeat secrets of the request. They are masked. The excerpt is empty if they are not known.
    """
    if not _are_known(connection):
        return ""
    if result.masking is None:
        result = result.with_masking(Masking(connection))
    text = _text(result.without_secrets())
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
