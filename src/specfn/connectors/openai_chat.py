"""OpenAI's Chat Completions API: what it accepts of tools, enforced (strict) or not."""

from dataclasses import replace
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
    Strict,
)
from specfn.schema.profile import (
    STRICT as IS_STRICT,
)

_FORMATS: Final = frozenset("date date-time duration email hostname ipv4 ipv6 time uuid".split())
_NUMBERS: Final = frozenset({"exclusiveMaximum", "exclusiveMinimum", "multipleOf"})

PROFILE: Final = Profile(
    name="openai",
    verified="2026-11",
    sources=(
        "platform.openai.com/docs/api-reference/chat/create: names of 64 characters, 128 functions",
        "platform.openai.com/docs/guides/function-calling",
    ),
    shape={
        "type": "function",
        "function": {"name": NAME, "description": DESCRIPTION, "parameters": SCHEMA},
    },
    tool_name=r"[a-zA-Z0-9_-]{1,64}",
    tools=128,
    # A limit of 1,024 characters was lifted in 2025, as users reported; a list of tools has none that is documented.
    description_limit=None,
    # Believed: what is not enforced is not compiled, so unknown keywords and formats pass. Tried by many are that
    # an array must have items and that the root must be a plain object.
    keywords=SAID
    | BUILT
    | BOUNDS
    | _NUMBERS
    | {"additionalProperties", "default", "deprecated", "examples", "format"},
    tolerated=frozenset(
        "$comment allOf const contains not oneOf patternProperties prefixItems uniqueItems".split()
    ),
    # Those that are enforced, where anything is; others say more to a reader in words.
    formats={
        "string": _FORMATS | {"uri"},
        "integer": frozenset({"int32", "int64"}),
        "number": frozenset({"double", "float"}),
    },
    patterns=BACKTRACKING,
    # Believed: references into $defs are followed where nothing is enforced, as they are where it is.
    refs=True,
)

STRICT: Final = replace(
    PROFILE,
    name="openai-strict",
    sources=(
        "platform.openai.com/docs/guides/structured-outputs, Supported schemas",
        "openai 3.54.0, lib/_pydantic.py: what the vendor's own transformer makes",
    ),
    shape={
        "type": "function",
        "function": {
            "name": NAME,
            "description": DESCRIPTION,
            "parameters": SCHEMA,
            "strict": IS_STRICT,
        },
    },
    keywords=BUILT
    | _NUMBERS
    | {"additionalProperties", "description", "format", "maximum", "minimum", "pattern"}
    | {"maxItems", "minItems"},
    tolerated=frozenset({"const"}),
    formats={"string": _FORMATS},
    ref_alone=True,
    # Documented: the numbers; believed: what exactly is counted, so that we count generously.
    strict=Strict(
        properties=5_000, nesting=10, enum_values=1_000, text=120_000, long_enum=(250, 15_000)
    ),
    fallback=PROFILE,
)
