"""Headers and authentication for downloading a document (rule N1, T28)."""

from collections.abc import Mapping
from typing import Any

import httpx

from specfn.document.read.load import origin_of
from specfn.document.read.login import Login
from specfn.errors import UsageError
from specfn.http.connection import check_header
from specfn.http.origin import Base, is_loopback


def checked(source: Any, headers: Mapping[str, str], auth: Any) -> Login:
    """Return the checked headers and authentication for the origin of a URL.

    Args:
        source: the source that the caller loads.
        headers: headers to send.
        auth: an ``httpx.Auth``, user and password, or ``None``.

    Raises:
        UsageError: the source is not a URL, the URL is plain http to another machine, or a header or ``auth`` is
            invalid.
    """
    origin = origin_of(source) if isinstance(source, str) else None
    if origin is None:
        raise UsageError("headers and auth need an http or https URL as the source")
    url = httpx.URL(source)
    base = Base(origin=origin, scheme=url.scheme, host=url.host, path="")
    if base.scheme == "http" and not is_loopback(base):
        raise UsageError(
            "headers and auth are not sent over plain http, except to this machine: use the https URL of the "
            "document, or download it and pass its text to specfn.loads"
        )
    _check_headers(headers)
    if auth is not None and not isinstance(auth, httpx.Auth) and not _is_pair(auth):
        raise UsageError("auth must be an httpx.Auth, or a tuple of user and password")
    return Login(origin, dict(headers), auth)


def _check_headers(headers: Any) -> None:
    if not isinstance(headers, Mapping):
        raise UsageError(
            f"headers must be a mapping of names to strings, not {type(headers).__name__}"
        )
    for name, value in headers.items():
        if not isinstance(name, str) or not isinstance(value, str):
            raise UsageError("headers must be a mapping of names to strings")
        try:
            check_header(name, value)
        except ValueError as error:
            raise UsageError(str(error)) from None


def _is_pair(auth: Any) -> bool:
    return (
        isinstance(auth, tuple) and len(auth) == 2 and all(isinstance(each, str) for each in auth)
    )
