"""Mistral's chat API: functions in the form that others have, with plainer schemas."""

from typing import Final

from specfn.schema.profile import (
    BACKTRACKING,
    BOUNDS,
    BUILT,
    DESCRIPTION,
    NAME,
    SAID,
    SCHEMA,
    Profile,
)

PROFILE: Final = Profile(
    name="mistral",
    verified="2026-11",
    sources=(
        "docs.mistral.ai/api: names of letters, digits, underscores and dashes, at most 64",
        "adapters of others: references are taken out before tools are sent",
    ),
    shape={
        "type": "function",
        "function": {"name": NAME, "description": DESCRIPTION, "parameters": SCHEMA},
    },
    tool_name=r"[a-zA-Z0-9_-]{1,64}",
    tools=128,  # believed: the limit of those whose form it shares
    # Believed: plain JSON Schema without references.
    keywords=SAID | BUILT | BOUNDS | {"additionalProperties", "default", "format"},
    formats={
        "string": frozenset({"date", "date-time", "email", "uri", "uuid"}),
        "integer": frozenset({"int32", "int64"}),
        "number": frozenset({"double", "float"}),
    },
    patterns=BACKTRACKING,
    # A function without its parameters is refused ("Field required", reported in 2025-05), one with an empty object
    # is taken.
    empty_root=True,
    null="branch",
)
