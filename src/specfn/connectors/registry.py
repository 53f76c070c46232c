"""Profiles by name: a table of modules, each imported when one of its profiles is asked for."""

from functools import cache
from importlib import import_module
from typing import Final

from specfn.errors import UsageError
from specfn.schema.profile import Profile

#: The module of this package in which a profile is, and its name there.
_HOMES: Final[dict[str, tuple[str, str]]] = {
    "anthropic": ("anthropic", "PROFILE"),
    "azure-openai": ("azure_openai", "PROFILE"),
    "bedrock": ("bedrock", "PROFILE"),
    "gemini": ("gemini", "PROFILE"),
    "mcp": ("mcp", "PROFILE"),
    "mistral": ("mistral", "PROFILE"),
    "openai": ("openai_chat", "PROFILE"),
    "openai-responses": ("openai_responses", "PROFILE"),
    "openai-responses-strict": ("openai_responses", "STRICT"),
    "openai-strict": ("openai_chat", "STRICT"),
    "portable": ("portable", "PROFILE"),
}

#: The names of all profiles.
NAMES: Final = tuple(_HOMES)


def profile(name: str | Profile) -> Profile:
    """The profile of a name; a profile is its own.

    Raises:
        UsageError: there is none of that name; with the names that exist.
    """
    if isinstance(name, Profile):
        return name
    if name not in _HOMES:
        raise UsageError(f"there is no profile {name!r}; there are {', '.join(NAMES)}")
    return _load(name)


@cache
def _load(name: str) -> Profile:
    module, attribute = _HOMES[name]
    found = getattr(import_module(f"specfn.connectors.{module}"), attribute)
    assert isinstance(found, Profile)
    return found
