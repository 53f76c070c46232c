"""Profiles and codecs by their names; each vendor's module is imported when one of its names is asked for."""

from functools import cache
from importlib import import_module
from typing import Any, Final

from specfn._internal.keyword_arguments import known_keywords
from specfn.connectors.wire_format import Codec
from specfn.errors import UsageError
from specfn.schema.profiles.profile import Profile

#: The module of this package in which a profile is, and its name there.
_PROFILES: Final = {
    "anthropic": ("anthropic", "PROFILE"),
    "anthropic-strict": ("anthropic", "STRICT"),
    "azure-openai": ("azure_openai", "PROFILE"),
    "bedrock": ("bedrock", "PROFILE"),
    "bedrock-strict": ("bedrock", "STRICT"),
    "gemini": ("gemini", "PROFILE"),
    "gemini-json-schema": ("gemini", "JSON_SCHEMA"),
    "mcp": ("mcp", "PROFILE"),
    "mistral": ("mistral", "PROFILE"),
    "mistral-strict": ("mistral", "STRICT"),
    "openai": ("openai_chat", "PROFILE"),
    "openai-functions": ("openai_chat", "FUNCTIONS"),
    "openai-responses": ("openai_responses", "PROFILE"),
    "openai-responses-strict": ("openai_responses", "STRICT"),
    "openai-strict": ("openai_chat", "STRICT"),
    "portable": ("portable", "PROFILE"),
}

#: The same for wire formats.
_CODECS: Final = {
    "anthropic": ("anthropic", "CODEC"),
    "bedrock": ("bedrock", "CODEC"),
    "gemini": ("gemini", "CODEC"),
    "openai": ("openai_chat", "CODEC"),
    "openai-functions": ("openai_chat", "LEGACY"),
    "openai-responses": ("openai_responses", "CODEC"),
}

#: The names of all profiles.
NAMES: Final = tuple(_PROFILES)

#: The names of all wire formats.
CODECS: Final = tuple(_CODECS)

#: The wire format that most servers speak.
DEFAULT: Final = "openai"


@known_keywords
def profile(name: str | Profile) -> Profile:
    """The profile of a name; a profile is its own.

    Raises:
        UsageError: there is none of that name; with the names that exist.
    """
    if isinstance(name, Profile):
        return name
    found: Profile = _load("profile", _PROFILES, name)
    return found


@known_keywords
def codec(name: str) -> Codec:
    """The codec of a vendor's wire format.

    Raises:
        UsageError: there is none of that name; with those that there are.
    """
    found: Codec = _load("connector", _CODECS, name)
    return found


def _load(what: str, homes: dict[str, tuple[str, str]], name: str) -> Any:
    if name not in homes:
        raise UsageError(f"there is no {what} {name!r}; there are {', '.join(homes)}")
    return _attribute(*homes[name])


@cache
def _attribute(module: str, name: str) -> Any:
    return getattr(import_module(f"specfn.connectors.{module}"), name)
