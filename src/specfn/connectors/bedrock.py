"""Amazon Bedrock's Converse API: tool specifications, whatever model reads them."""

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
    name="bedrock",
    verified="2026-11",
    sources=(
        "docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html: names, description",
        "docs.aws.amazon.com/nova/latest/userguide/tool-use-definition.html: the root has type, properties, required",
        "errors that users report: the pattern of property names at the root",
    ),
    # A description must not be empty here; ours never is.
    shape={
        "toolSpec": {
            "name": NAME,
            "description": DESCRIPTION,
            "inputSchema": {"json": SCHEMA},
        }
    },
    tool_name=r"[a-zA-Z0-9_-]{1,64}",
    tools=None,
    root_key=r"[a-zA-Z0-9_.-]{1,64}",
    # Believed: models other than Anthropic's need schemas without references and unions by anyOf alone.
    keywords=SAID | BUILT | BOUNDS | {"default", "format"},
    formats={
        "string": frozenset({"date", "date-time", "email", "uri", "uuid"}),
        "integer": frozenset({"int32", "int64"}),
        "number": frozenset({"double", "float"}),
    },
    patterns=BACKTRACKING,
    null="branch",
)
