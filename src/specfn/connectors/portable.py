"""What all providers accept: for code that does not know yet which of them it will talk to."""

from typing import Final

from specfn.schema.profiles.profile import (
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
    name="portable",
    verified="2026-11",
    sources=("the other profiles of this package, of which it is the intersection",),
    shape={"name": NAME, "description": DESCRIPTION, "parameters": SCHEMA},
    tool_name=r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}",
    tools=128,
    description_limit=1024,
    root_key=r"[A-Za-z_][A-Za-z0-9_]{0,63}",
    # Believed: no provider documents a rule for names below the root, and some check the root alone. Names of
    # these characters have been seen to pass everywhere.
    nested_key=r"[a-zA-Z0-9_.-]{1,64}",
    keywords=SAID | BUILT | BOUNDS | {"default", "format"},
    formats={
        "string": frozenset({"date-time"}),
        "integer": frozenset({"int32", "int64"}),
        "number": frozenset({"double", "float"}),
    },
    patterns=BACKTRACKING,
    enums=frozenset({"string"}),
    empty_text=False,
    null="branch",
    union_alone=True,
    # A function without parameters has an object without properties: five of the others require a schema, one of them
    # with its properties (reports of 2025-05 and 2025-10), and none refuses it today. The profile of the one that
    # refused it until 2025-03, and was reported to take it in 2026-03 and 2026-08, leaves the schema out.
    empty_root=True,
    # Believed: a limit exists where schemas are compiled, and nobody writes it down.
    nesting=12,
)
