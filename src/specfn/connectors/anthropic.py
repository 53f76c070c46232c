"""Anthropic's Messages API: what it accepts of tools."""

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
    name="anthropic",
    verified="2026-11",
    sources=(
        "platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools",
        "platform.claude.com/docs/en/build-with-claude/structured-outputs, JSON Schema limitations: formats",
        "errors that users report: the patterns of names and of property names at the root",
    ),
    shape={"name": NAME, "description": DESCRIPTION, "input_schema": SCHEMA},
    # 128 characters are accepted in tools, 64 still where a result refers to a tool by its name.
    tool_name=r"[a-zA-Z0-9_-]{1,64}",
    # No limit is documented; catalogues of over 600 tools are being sent.
    tools=None,
    root_key=r"[a-zA-Z0-9_.-]{1,64}",  # measured by users: checked at the root alone
    keywords=SAID
    | BUILT
    | BOUNDS
    | {"additionalProperties", "default", "examples", "exclusiveMaximum", "exclusiveMinimum"}
    | {"format", "multipleOf"},
    tolerated=frozenset(
        "$comment allOf const deprecated not oneOf prefixItems uniqueItems".split()
    ),
    # Documented for schemas that are enforced; what is not enforced is not compiled.
    formats={
        "string": frozenset(
            "date date-time duration email hostname ipv4 ipv6 time uri uuid".split()
        ),
        "integer": frozenset({"int32", "int64"}),
        "number": frozenset({"double", "float"}),
    },
    patterns=BACKTRACKING,
    refs=True,
)
