"""Connectors by their names; each is imported when it is first asked for."""

from importlib import import_module
from typing import Final

from specfn.connectors.codec import Codec
from specfn.errors import UsageError

#: Where the codec of each name stands.
HOMES: Final = {
    "anthropic": ("anthropic", "CODEC"),
    "bedrock": ("bedrock", "CODEC"),
    "gemini": ("gemini", "CODEC"),
    "openai": ("openai_chat", "CODEC"),
    "openai-functions": ("openai_chat", "LEGACY"),
    "openai-responses": ("openai_responses", "CODEC"),
}

#: The one that most servers speak.
DEFAULT: Final = "openai"


def codec(name: str) -> Codec:
    """The codec of a vendor's wire format.

    Raises:
        UsageError: there is none of that name; with those that there are.
    """
    home = HOMES.get(name)
    if home is None:
        raise UsageError(f"there is no connector {name!r}; there are {', '.join(sorted(HOMES))}")
    module, attribute = home
    found: Codec = getattr(import_module(f"specfn.connectors.{module}"), attribute)
    return found
