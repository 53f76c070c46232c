"""The profile of Azure OpenAI: the Chat Completions API with its earlier limits."""

from dataclasses import replace
from typing import Final

from specfn.connectors.openai_chat import PROFILE as CHAT

PROFILE: Final = replace(
    CHAT,
    name="azure-openai",
    sources=(
        "learn.microsoft.com/azure/ai-services/openai/how-to/function-calling",
        "reports of users: descriptions of over 1,024 characters are refused still",
    ),
    # Believed: 128 is documented for assistants and for the Chat Completions API of OpenAI.
    tools=128,
    description_limit=1024,
)
