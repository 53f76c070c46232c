"""Google's Gemini API: function declarations in its subset of OpenAPI 3.0 schemas (``parameters``)."""

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
    name="gemini",
    verified="2026-11",
    sources=(
        "cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/FunctionDeclaration: names of functions and parameters",
        "cloud.google.com/vertex-ai/docs/reference/rest/v1/Schema: the fields of a schema",
        "firebase.google.com/docs/reference/js/ai.schemashared: formats other than enum and date-time are refused",
        "errors that users report: 512 declarations, anyOf alone, unknown fields, empty properties",
    ),
    shape={"name": NAME, "description": DESCRIPTION, "parameters": SCHEMA},
    group="functionDeclarations",
    tool_name=r"[a-zA-Z_][a-zA-Z0-9_.-]{0,63}",
    tools=512,
    root_key=r"[A-Za-z_][A-Za-z0-9_]{0,63}",
    # Believed: the documentation speaks of the names of parameters, which are those at the root.
    nested_key=r"[a-zA-Z0-9_.-]{1,64}",
    keywords=SAID | BUILT | BOUNDS | {"default", "example", "format", "nullable"},
    formats={
        "string": frozenset({"date-time"}),
        "integer": frozenset({"int32", "int64"}),
        "number": frozenset({"double", "float"}),
    },
    # Believed: the documentation says RE2, which neither looks around nor back.
    patterns=BACKTRACKING,
    enums=frozenset({"string"}),
    empty_text=False,
    null="nullable",
    union_alone=True,
    # An object without properties is refused at the root; a function without parameters has no schema.
    empty_root=False,
    # Believed: "exceeds the maximum allowed nesting depth" is reported, the depth is not.
    nesting=12,
)
