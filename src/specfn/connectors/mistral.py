"""The profiles of Mistral's chat API: the tool format of OpenAI with a smaller set of keywords."""

from dataclasses import replace
from typing import Final

from specfn.schema.dialect import ANNOTATIONS, BOUNDS, STRUCTURE, Strict
from specfn.schema.profiles.profile import BACKTRACKING, DESCRIPTION, NAME, SCHEMA, Profile
from specfn.schema.profiles.profile import STRICT as IS_STRICT

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
    tools=128,  # believed: the limit of OpenAI, whose tool format it uses
    # Believed: plain JSON Schema without references.
    keywords=ANNOTATIONS | STRUCTURE | BOUNDS | {"additionalProperties", "default", "format"},
    formats={
        "string": frozenset({"date", "date-time", "email", "uri", "uuid"}),
        "integer": frozenset({"int32", "int64"}),
        "number": frozenset({"double", "float"}),
    },
    patterns=BACKTRACKING,
    # A function without parameters is refused ("Field required", reported in 2025-05); one with an empty object is
    # accepted.
    empty_root=True,
    null="branch",
)

_FUNCTION: Final = {**PROFILE.shape["function"], "strict": IS_STRICT}
_SHAPE: Final = {**PROFILE.shape, "function": _FUNCTION}

STRICT: Final = replace(
    PROFILE,
    name="mistral-strict",
    sources=(
        "mistralai 3.7.0, models/function.py: strict",
        "mistralai 3.7.0, extra/utils/_pydantic_helper.py: objects are closed, properties may stay optional",
    ),
    shape=_SHAPE,
    # Believed: no limits are documented; those of OpenAI are used.
    strict=Strict(
        properties=5_000,
        nesting=10,
        enum_values=1_000,
        text=120_000,
        long_enum=(250, 15_000),
        required=False,
    ),
    fallback=replace(PROFILE, shape=_SHAPE),
)
