"""The profile of the Model Context Protocol: tools as a server lists them."""

from collections.abc import Mapping
from typing import Any, Final

from specfn.schema.dialect import ANNOTATIONS, BOUNDS, STRUCTURE
from specfn.schema.profiles.profile import DESCRIPTION, NAME, SCHEMA, Profile

PROFILE: Final = Profile(
    name="mcp",
    verified="2026-11",
    sources=(
        "modelcontextprotocol.io/specification/2025-11-25/server/tools: names; JSON Schema 2020-12 by default",
    ),
    shape={"name": NAME, "description": DESCRIPTION, "inputSchema": SCHEMA},
    tool_name=r"[A-Za-z0-9_.-]{1,128}",
    # The protocol accepts all of JSON Schema. Clients pass tools on to models, so the keywords that providers refuse
    # most often are written into descriptions here, too.
    keywords=ANNOTATIONS
    | STRUCTURE
    | BOUNDS
    | {"additionalProperties", "default", "deprecated", "examples", "exclusiveMaximum"}
    | {"exclusiveMinimum", "format", "multipleOf", "uniqueItems"},
    tolerated=frozenset(
        "$comment $schema allOf const contains contentEncoding contentMediaType dependentRequired "
        "dependentSchemas else if maxContains minContains not oneOf patternProperties prefixItems "
        "propertyNames then unevaluatedItems unevaluatedProperties".split()
    ),
    # The schema is required; for a tool without parameters the specification recommends a closed object.
    empty_root=True,
    refs=True,
    closed=False,
)

#: The annotations of a tool about the effects of its function, by the safety of the function.
SAFETY_HINTS: Final[Mapping[str, dict[str, Any]]] = {
    "read": {"readOnlyHint": True},
    "write": {"readOnlyHint": False, "destructiveHint": False},
    "destructive": {"readOnlyHint": False, "destructiveHint": True},
}
