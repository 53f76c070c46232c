"""The portable profile: the intersection of all providers, for code that does not know its provider yet."""

from typing import Final

from specfn.schema.dialect import ANNOTATIONS, GRAMMAR_BOUNDS, STRUCTURE
from specfn.schema.profiles.profile import BACKTRACKING, DESCRIPTION, NAME, SCHEMA, Profile

PROFILE: Final = Profile(
    name="portable",
    verified="2026-11",
    sources=("the other profiles of this package, of which it is the intersection",),
    shape={"name": NAME, "description": DESCRIPTION, "parameters": SCHEMA},
    tool_name=r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}",
    tools=128,
    description_limit=1024,
    root_key=r"[A-Za-z_][A-Za-z0-9_]{0,63}",
    # Believed: no provider documents a rule for names below the root, and some check the root alone. Names of these
    # characters are accepted everywhere, as far as known.
    nested_key=r"[a-zA-Z0-9_.-]{1,64}",
    keywords=ANNOTATIONS | STRUCTURE | GRAMMAR_BOUNDS | {"default", "format"},
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
    # A function without parameters has an object without properties. Five providers require a schema, one of them with
    # its properties (reports of 2025-05 and 2025-10). No provider refuses it today. One provider refused it until
    # 2025-03 and accepts it by reports of 2026-03 and 2026-08; its own profile leaves the schema out.
    empty_root=True,
    # Believed: providers that compile schemas have a limit, but do not document it.
    nesting=12,
)
