"""OpenAI's Responses API: the same rules as the Chat Completions API's, in a flat form."""

from dataclasses import replace
from typing import Final

from specfn.connectors.openai_chat import PROFILE as CHAT
from specfn.connectors.openai_chat import STRICT as CHAT_STRICT
from specfn.schema.profile import DESCRIPTION, NAME, SCHEMA
from specfn.schema.profile import STRICT as IS_STRICT

#: ``strict`` is always said: this API takes a tool that does not say it for a strict one.
_SHAPE: Final = {
    "type": "function",
    "name": NAME,
    "description": DESCRIPTION,
    "parameters": SCHEMA,
    "strict": IS_STRICT,
}

_SOURCES: Final = ("platform.openai.com/docs/api-reference/responses/create",)

PROFILE: Final = replace(
    CHAT, name="openai-responses", sources=(*_SOURCES, *CHAT.sources), shape=_SHAPE
)

STRICT: Final = replace(
    CHAT_STRICT,
    name="openai-responses-strict",
    sources=(*_SOURCES, *CHAT_STRICT.sources),
    shape=_SHAPE,
    fallback=PROFILE,
)
