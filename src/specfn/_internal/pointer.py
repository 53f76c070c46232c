"""JSON Pointers (RFC 6901) for documents, and ``$input`` paths for arguments."""

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, TypeAlias
from urllib.parse import unquote

from specfn._internal.json import JSONDecodeError, loads

_IDENTIFIER: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*\Z")
_STEP: Final = re.compile(
    r'\.(?P<name>[A-Za-z_$][A-Za-z0-9_$]*)|\[(?P<index>\d{1,9})\]|\[(?P<key>"(?:[^"\\]|\\.)*")\]'
)

#: The root of all paths in arguments.
_ROOT: Final = "$input"

#: A place in a value, as keys and indexes from the root.
Tokens: TypeAlias = tuple[str | int, ...]


def escape(token: str) -> str:
    """Write one reference token, with ``~0`` for ``~`` and ``~1`` for ``/`` (RFC 6901, section 3)."""
    return token.replace("~", "~0").replace("/", "~1") if "~" in token or "/" in token else token


def unescape(token: str) -> str:
    """Read one reference token: ``~1`` before ``~0`` (RFC 6901, section 4)."""
    return token.replace("~1", "/").replace("~0", "~") if "~" in token else token


def join(tokens: Iterable[str | int]) -> str:
    """Write tokens as a JSON Pointer. Without tokens it is empty and refers to the whole document."""
    return "".join(f"/{escape(str(token))}" for token in tokens)


def split(pointer: str) -> list[str]:
    """Return the tokens of a JSON Pointer.

    Raises:
        ValueError: the pointer is not empty and does not begin with ``/``.
    """
    if not pointer:
        return []
    if not pointer.startswith("/"):
        raise ValueError(f"not a JSON Pointer: {pointer!r}")
    tokens = pointer[1:].split("/")
    return [*map(unescape, tokens)] if "~" in pointer else tokens


def from_fragment(fragment: str) -> list[str]:
    """Return the tokens of a ``$ref`` fragment, percent-decoded first (RFC 6901, section 6).

    Raises:
        ValueError: the fragment is a plain name (an anchor), not a pointer.
    """
    return split(unquote(fragment) if "%" in fragment else fragment)


def input_path(tokens: Iterable[str | int]) -> str:
    """Write a path in arguments as ``$input.query.limit``, ``$input.items[3]`` or ``$input["a-b"]``."""
    return "".join((_ROOT, *map(step, tokens)))


def step(token: str | int) -> str:
    """Write one token of an ``$input`` path: ``.limit``, ``[3]`` or ``["a-b"]``."""
    if isinstance(token, int):
        return f"[{token}]"
    if _IDENTIFIER.match(token):
        return f".{token}"
    return f"[{json.dumps(token, ensure_ascii=False)}]"


def input_tokens(path: str) -> Tokens | None:
    """Read a path such as ``$input.items[3]["a-b"]`` as keys and indexes; ``None`` for any other text."""
    return (
        _read_tokens(path) if len(path) <= _MAX_KEPT_CHARACTERS else _read_tokens.__wrapped__(path)
    )


#: The maximum number of characters of a path whose tokens are kept: models repeat their mistakes.
_MAX_KEPT_CHARACTERS: Final = 200


@lru_cache(maxsize=1024)
def _read_tokens(path: str) -> Tokens | None:
    if not path.startswith(_ROOT):
        return None
    tokens: list[str | int] = []
    position = len(_ROOT)
    while position < len(path):
        match = _STEP.match(path, position)
        if match is None:
            return None
        position = match.end()
        if match.lastgroup == "name":
            tokens.append(match["name"])
            continue
        try:
            tokens.append(_token(match))
        except JSONDecodeError:
            return None
    return tuple(tokens)


def _token(match: re.Match[str]) -> str | int:
    if match["index"] is not None:
        return int(match["index"])
    return str(loads(match["key"]))
