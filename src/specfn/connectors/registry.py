"""Registry of profiles and codecs by name; each vendor's module is imported on first use."""

import re
from collections.abc import Collection
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Any, Final, Literal, TypeAlias

from specfn._internal.did_you_mean import ask_if_meant
from specfn.connectors.wire_format import Codec
from specfn.errors import UsageError
from specfn.schema.profiles.profile import Profile

#: The module of this package that defines a profile, and the name of the profile in it.
_PROFILES: Final = {
    "anthropic": ("anthropic", "PROFILE"),
    "anthropic-strict": ("anthropic", "STRICT"),
    "azure-openai": ("openai_chat", "AZURE"),
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

#: The module that defines a codec, and the name of the codec in it.
_CODECS: Final = {
    "anthropic": ("anthropic", "CODEC"),
    "bedrock": ("bedrock", "CODEC"),
    "gemini": ("gemini", "CODEC"),
    "openai": ("openai_chat", "CODEC"),
    "openai-functions": ("openai_chat", "LEGACY"),
    "openai-responses": ("openai_responses", "CODEC"),
}

_Profiles: TypeAlias = Literal[
    "anthropic",
    "anthropic-strict",
    "azure-openai",
    "bedrock",
    "bedrock-strict",
    "gemini",
    "gemini-json-schema",
    "mcp",
    "mistral",
    "mistral-strict",
    "openai",
    "openai-functions",
    "openai-responses",
    "openai-responses-strict",
    "openai-strict",
    "portable",
]
_Connectors: TypeAlias = Literal[
    "anthropic", "bedrock", "gemini", "openai", "openai-functions", "openai-responses"
]

#: The name of a profile, and of a wire format. A text is accepted, too: editors complete the literals.
ProfileName: TypeAlias = _Profiles | str
ConnectorName: TypeAlias = _Connectors | str

#: The names of all profiles.
NAMES: Final = tuple(_PROFILES)

#: The names of all wire formats.
CODECS: Final = tuple(_CODECS)

#: The wire format that most servers use.
DEFAULT: Final = "openai"


def profile(name: ProfileName | Profile) -> Profile:
    """Return the profile with a name; return a profile unchanged.

    Raises:
        UsageError: the name is unknown; the message lists the known names.

    Examples:
        >>> from specfn import connectors
        >>> connectors.profile("openai").tools
        128
    """
    if isinstance(name, Profile):
        return name
    loaded: Profile = _load("profile", _PROFILES, name)
    return loaded


def codec(name: ConnectorName | Codec) -> Codec:
    """Return the codec of a wire format; a codec is returned as it is.

    Raises:
        UsageError: the name is unknown; the message lists the known names.

    Examples:
        >>> from specfn import connectors
        >>> connectors.codec("anthropic").profile
        'anthropic'
    """
    if not isinstance(name, str) and hasattr(name, "name"):
        return name
    loaded: Codec = _load("connector", _CODECS, name)
    return loaded


#: Words that people write for a vendor: companies, models and platforms, with a profile or a connector of the vendor.
_VENDORS: Final = {
    **dict.fromkeys(("claude", "sonnet", "opus", "haiku"), "anthropic"),
    **dict.fromkeys(("gpt", "chatgpt", "chat", "ollama", "vllm", "groq", "deepseek"), "openai"),
    **dict.fromkeys(("google", "vertex", "genai"), "gemini"),
    **dict.fromkeys(("aws", "amazon", "nova", "converse"), "bedrock"),
    **dict.fromkeys(("codestral", "mixtral"), "mistral"),
    **dict.fromkeys(("azure", "foundry"), "azure-openai"),
    "responses": "openai-responses",
}


def ask_for_vendor(word: str, homes: Collection[str]) -> str:
    """Return ``; did you mean 'x'?`` for a word that names a known vendor in another way; else the closest name."""
    parts = re.findall(r"[a-z]+", word.lower())
    names = (_VENDORS.get(part, part) for part in parts)
    name = next((name for name in names if name in homes), None)
    return f"; did you mean {name!r}?" if name else ask_if_meant(word, homes)


def _load(what: str, homes: dict[str, tuple[str, str]], name: object) -> Any:
    if not isinstance(name, str) or name not in homes:
        known = ", ".join(homes)
        raise UsageError(
            f"unknown {what} {name!r}: it must be one of {known}{ask_for_vendor(str(name), homes)}"
        )
    return _attribute(*homes[name])


@cache
def _attribute(module: str, name: str) -> Any:
    return getattr(import_module(f"specfn.connectors.{module}"), name)


#: The members of a profile that define the format of tools.
_FORM: Final = ("shape", "group", "search", "namespace")


def conversation_profile(
    codec: Codec, chosen: ProfileName | Profile | None, *, strict: bool
) -> Profile:
    """Return the profile of a conversation's tools, in the format of the codec.

    Args:
        codec: the vendor's wire format.
        chosen: the profile whose names, keywords and limits are used; the codec's own if ``None``.
        strict: whether to use the strict variant of the profile, if there is one.

    Raises:
        UsageError: the profile is unknown; the message lists the known names.
    """
    own = profile(codec.profile)
    named = own if chosen is None else profile(chosen)
    if strict and f"{named.name}-strict" in NAMES:
        named = profile(f"{named.name}-strict")
    if named.form == own.name or named.shape.keys() == own.shape.keys():
        return named
    form: dict[str, Any] = {key: getattr(own, key) for key in _FORM}
    fallback = named.fallback and replace(named.fallback, **form)
    return replace(named, **form, fallback=fallback)
