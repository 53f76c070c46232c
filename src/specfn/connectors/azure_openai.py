"""Azure OpenAI: the Chat Completions API with the limits that it had before."""

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
    # Believed: 128 is documented for assistants, and is the Chat Completions API's own limit.
    tools=128,
    description_limit=1024,
)
