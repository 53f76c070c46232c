"""Tokens that resume a call after its approval (threat T32).

A token is a message authentication code over everything that the approval was about. Its own content is its expiry and
the fields of the response that the call asks for, so it reveals nothing else about the call.
"""

import hashlib
import hmac
import secrets
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from threading import Lock
from typing import Any, Final

from specfn._internal.json import dumps, dumps_sorted, loads
from specfn.answers import FieldNames, field_path, parse_fields
from specfn.errors import UsageError
from specfn.http.files import File, file_of

#: The seconds until a token expires.
LIFETIME: Final = 600

#: The parts of a token in bytes; the fields follow. The sum is a multiple of three, as are the bytes of the fields, so
#: that each token has one spelling in base64.
_KEY_ID: Final = 9
_EXPIRY: Final = 8
_NONCE: Final = 17
_MAC: Final = 32
_SIZE: Final = _KEY_ID + _EXPIRY + _NONCE + _MAC

_MIN_KEY: Final = 16


@dataclass(frozen=True, slots=True)
class ApprovedCall:
    """Everything that an approval is about.

    Attributes:
        function: the name of the function.
        fingerprint: the fingerprint of the function.
        arguments: the arguments of the model, after all repairs.
        human: the human part; ``None`` if there is none, or if it is added after the approval.
        target: the origin and base path that the request is sent to.
        audience: the caller that was asked, if several callers share the tokens.
    """

    function: str
    fingerprint: str
    arguments: Any
    human: Any = field(repr=False)
    target: str
    audience: str = ""


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A new token.

    Attributes:
        token: the text of the token.
        expires: the time at which it expires, in seconds since the epoch.
    """

    token: str
    expires: float


class ApprovalTokens:
    """The issuer of tokens for pending calls. It accepts each token once."""

    def __init__(
        self, key: bytes | str | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        """Take the key.

        Args:
            key: at least 16 bytes that several workers share; random if ``None``.
            clock: returns the time in seconds since the epoch.

        Raises:
            UsageError: the key is too short, or neither text nor bytes.
        """
        secret = _secret(key)
        self._key = hmac.digest(secret, b"specfn approval key", "sha256")
        self._key_id = hmac.digest(secret, b"specfn approval key id", "sha256")[:_KEY_ID]
        self._clock = clock
        self._lock = Lock()
        #: The accepted nonces that have not expired: as a set, and by expiry.
        self._used: set[bytes] = set()
        self._expiries: list[tuple[int, bytes]] = []

    def issue(
        self, call: ApprovedCall, fields: tuple[FieldNames, ...] | None = None
    ) -> IssuedToken:
        """Return a token that resumes a call within ten minutes.

        Args:
            call: the call.
            fields: the fields of the response that it asks for; ``None`` for all.
        """
        expires = int(self._clock()) + LIFETIME
        head = self._key_id + expires.to_bytes(_EXPIRY, "big") + secrets.token_bytes(_NONCE)
        asked = b"" if fields is None else _pad(dumps([field_path(each) for each in fields]))
        mac = self._mac(head + asked, call)
        token = urlsafe_b64encode(head + mac + asked).decode("ascii")
        return IssuedToken(token, float(expires))

    def refusal(self, token: str, call: ApprovedCall) -> str | None:
        """Return the reason to refuse a token; ``None`` accepts it, and it is not accepted again."""
        content = _decode(token)
        if content is None:
            return "it is not a token of this kind, or was altered"
        head, mac, asked = content[: _SIZE - _MAC], content[_SIZE - _MAC : _SIZE], content[_SIZE:]
        if not hmac.compare_digest(head[:_KEY_ID], self._key_id):
            return "it was issued with another key"
        if not hmac.compare_digest(mac, self._mac(head + asked, call)):
            return "the token or the call was altered after the approval was requested"
        expires = int.from_bytes(head[_KEY_ID : _KEY_ID + _EXPIRY], "big")
        if self._clock() >= expires:
            return "it has expired"
        return None if self._accept(head[-_NONCE:], expires) else "it was used before"

    @staticmethod
    def fields(token: str) -> tuple[FieldNames, ...] | None:
        """Return the fields in a token; ``None`` for all. ``refusal`` reports an altered token."""
        content = _decode(token) or b""
        try:
            found = parse_fields(loads(content[_SIZE:])) if content[_SIZE:] else None
        except ValueError:
            return None
        return None if isinstance(found, str) else found

    def _mac(self, head: bytes, call: ApprovedCall) -> bytes:
        content = [call.function, call.fingerprint, call.target, call.audience]
        parts = [head, dumps_sorted([*content, *map(_canonical, (call.arguments, call.human))])]
        return hmac.digest(self._key, b"".join(parts), "sha256")

    def _accept(self, nonce: bytes, expires: int) -> bool:
        """Remember a nonce until it expires; return whether it is new."""
        with self._lock:
            while self._expiries and self._expiries[0][0] <= self._clock():
                self._used.discard(heappop(self._expiries)[1])
            if nonce in self._used:
                return False
            self._used.add(nonce)
            heappush(self._expiries, (expires, nonce))
            return True


def _secret(key: bytes | str | None) -> bytes:
    if key is None:
        return secrets.token_bytes(32)
    if not isinstance(key, bytes | str):
        raise UsageError(f"key must be bytes or a text, not {type(key).__name__}")
    secret = key.encode() if isinstance(key, str) else key
    if len(secret) < _MIN_KEY:
        raise UsageError(
            f"key must have at least {_MIN_KEY} bytes, not {len(secret)}; make one with secrets.token_bytes(32)"
        )
    return secret


def _pad(content: bytes) -> bytes:
    """Return JSON with spaces up to a multiple of three bytes."""
    return content + b" " * (-len(content) % 3)


def _decode(token: Any) -> bytes | None:
    """Return the bytes of a token; ``None`` if its form is wrong."""
    try:
        content = urlsafe_b64decode(token)
        is_exact = len(content) >= _SIZE and len(content) % 3 == 0
        is_exact = is_exact and urlsafe_b64encode(content).decode("ascii") == token
    except (TypeError, ValueError):
        return None
    return content if is_exact else None


def _canonical(value: Any) -> Any:
    """Return arguments as JSON that is equal only for equal arguments; a file counts with its content.

    ``1`` and ``1.0`` are the same number in JSON, and may change into each other on the way of a client.
    """
    if isinstance(value, dict):
        return {"members": {key: _canonical(item) for key, item in value.items()}}
    if isinstance(value, list | tuple):
        return [_canonical(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    file = file_of(value)
    if file is None:
        return value
    return {"file": _file_parts(file)}


def _file_parts(file: File) -> list[str | None]:
    """Return everything of a file that is sent: the digest of its content, its name and its media type."""
    return [hashlib.sha256(file.content).hexdigest(), file.name, file.media_type]
