"""Logins of the command: an OAuth 2 client with its tokens, for one API and one security scheme."""

import hashlib
import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from specfn._internal.io import SyncIO, run_without_waiting
from specfn.errors import UsageError

if TYPE_CHECKING:
    from pydantic import SecretStr

    from specfn.http.transport.oauth2 import OAuth2
    from specfn.http.transport.oauth2_grants import FlowName
    from specfn.http.transport.token_store import TokenStore

#: The key of a login among those of its tokens.
_LOGIN: Final = "login"

_LOCK_SECONDS: Final = 30.0


@dataclass(frozen=True, kw_only=True)
class Login:
    """What later calls need besides the tokens: the arguments of ``OAuth2``."""

    base_url: str
    scheme: str
    client_id: str
    client_secret: str | None = field(default=None, repr=False)
    flow: "FlowName | None" = None
    scopes: tuple[str, ...] | None = None
    token_origins: tuple[str, ...] = ()
    user: str | None = None

    def oauth(self, password: "SecretStr | str | None" = None) -> "OAuth2":
        """Return the credential, whose tokens are stored with the login."""
        from specfn.http.transport.oauth2 import OAuth2  # noqa: PLC0415  # httpx is imported on first use

        return OAuth2(
            self.client_id,
            self.client_secret,
            scopes=self.scopes,
            store=_path(self.base_url, self.scheme),
            flow=self.flow,
            token_origin=self.token_origins,
            user=self.user if self.user is None or password is None else (self.user, password),
        )


def _folder() -> Path:
    """Return the directory of logins among the user's data."""
    if sys.platform in {"win32", "darwin"}:
        return Path(click.get_app_dir("specfn"), "logins")
    data = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(os.path.expanduser(data), "specfn", "logins")  # noqa: PTH111  # without a home, it stays as it is


def _path(base_url: str, scheme: str) -> Path:
    from specfn.network.origins import parse  # noqa: PLC0415  # httpx is imported on first use

    try:
        base = parse(base_url)
    except ValueError as error:
        raise UsageError(f"--base-url: {error}") from None
    name = json.dumps([base.origin, base.path, scheme])
    return _folder() / f"{hashlib.sha256(name.encode()).hexdigest()[:32]}.json"


def _store(path: Path) -> "TokenStore":
    from specfn.http.transport.token_store import TokenStore  # noqa: PLC0415  # httpx is imported on first use

    return TokenStore(path)


def prepare(login: Login) -> str:
    """Prepare the place of a login, and return what it is: the keyring if there is one, or else a private file.

    Raises:
        UsageError: the file cannot be written.
    """
    from specfn.http.transport.token_store import has_keyring  # noqa: PLC0415  # for a login only

    path = _path(login.base_url, login.scheme)
    store = _store(path)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"the directory {path.parent} cannot be created for logins: {error.strerror}; set XDG_DATA_HOME to another"
        ) from None
    try:
        content = store.content()
    except UsageError:  # the new login replaces it
        content = {}
    if not content:
        store.replace(content, in_keyring=has_keyring())
    return "the keyring" if has_keyring() else str(path)


def keep(login: Login) -> None:
    """Store a login next to its tokens; if there is a keyring now, they move there.

    Raises:
        UsageError: its place cannot be written.
    """
    from specfn.http.transport.token_store import has_keyring  # noqa: PLC0415  # for a login only

    async def write() -> None:
        store = _store(_path(login.base_url, login.scheme))
        async with store.locked(SyncIO(), time.monotonic() + _LOCK_SECONDS):
            store.replace({**store.content(), _LOGIN: asdict(login)}, in_keyring=has_keyring())

    run_without_waiting(write())


def find_login(base_url: str | None, scheme: str) -> Login | None:
    """Return the login for an API and a security scheme; ``None`` if the user did not log in.

    Raises:
        UsageError: its file or the keyring cannot be read.
    """
    if not base_url or not _folder().is_dir():
        return None
    try:
        path = _path(base_url, scheme)
    except UsageError:  # the connection reports it
        return None
    return _read(path) if path.exists() else None


def _read(path: Path) -> Login | None:
    content: Any = _store(path).content().get(_LOGIN)
    try:
        return None if content is None else Login(**content)
    except TypeError:
        raise UsageError(f"{path} is not a login of this version: log in again") from None


#: Why a login stays that may be the wanted one.
_UNREADABLE: Final = "it cannot be read, so it may be for any API: pass both --base-url and --scheme, or neither to delete all logins"


def remove_logins(base_url: str | None, scheme: str | None) -> Iterator[tuple[str, str]]:
    """Delete the logins of one API, or all; yield what each was for, and why its tokens stay, if they do.

    Raises:
        UsageError: the URL is invalid.
    """
    named = _path(base_url, scheme or "") if base_url else None
    for path in sorted(_folder().glob("*.json")):
        name = str(path)
        is_named = path == named or (base_url is None and scheme is None)
        try:
            login = _read(path)
            if login is not None and path == _path(login.base_url, login.scheme):
                name = f"{login.scheme} of {login.base_url}"
                is_named = scheme in {None, login.scheme} and path == _path(
                    base_url or login.base_url, login.scheme
                )
        except UsageError:
            # its path is made of both the API and the scheme; one alone does not tell whose login it is
            if not is_named and (base_url is None or scheme is None):
                yield name, _UNREADABLE
                continue
        if not is_named:
            continue
        try:
            _store(path).delete()
        except UsageError as error:
            yield name, str(error)
        else:
            yield name, ""
