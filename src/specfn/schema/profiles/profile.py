"""Profiles of providers as data: names, keys, schema keywords, limits, and the form of a tool on the wire.

A profile is defined next to the codecs of its provider. No code may assume anything that the profile does not contain.
Comments in a profile mark facts that are believed but not documented.
"""

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from specfn._internal.json import JsonObject
from specfn.schema.dialect import Dialect

#: Placeholders in ``Profile.shape`` for the parts of a tool.
NAME: Final = "$name"
DESCRIPTION: Final = "$description"
SCHEMA: Final = "$schema"
STRICT: Final = "$strict"
DEFERRED: Final = "$deferred"
OUTPUT: Final = "$output"

#: The same in ``Profile.namespace``, for its functions.
TOOLS: Final = "$tools"

#: Constructs of patterns that engines without backtracking refuse: looking around, back references, word
#: boundaries, atomic groups and possessive repetition.
BACKTRACKING: Final = r"\(\?(?:[=!>]|<[=!]|P[=<])|\\[1-9bBAzZGK]|\\k<|[*+?}]\+"


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile(Dialect):
    """The capabilities of one provider for a list of tools.

    Attributes:
        verified: the month in which these facts were last checked, ``YYYY-MM``.
        sources: the provider's pages that state these facts.
        shape: one tool on the wire, with ``NAME``, ``DESCRIPTION``, ``SCHEMA`` and ``STRICT`` in the places of
            its parts; ``OUTPUT`` where the schema of its result is accepted, ``DEFERRED`` where its loading can be
            deferred.
        group: the member of one object that contains all tools; ``None`` if the tools are a plain list.
        tool_name: pattern of a whole tool name.
        tools: the maximum number of tools of one request; ``None`` if no limit is known.
        description_limit: the maximum number of characters of a tool's description.
        root_key: pattern of the names of properties at the root; ``None`` for any.
        nested_key: the same below the root.
        tolerated: further keywords that the provider does not refuse.
        union_alone: true if no keyword is allowed next to ``anyOf``.
        closed: true if the root and the groups have ``additionalProperties: false``. Grammars that are derived from
            schemas need it; models do not.
        empty_root: true if a function without parameters has a schema.
        nesting: the deepest nesting of objects and arrays.
        fallback: the profile of a function that cannot be strict.
        form: the profile of the same provider whose codec also sends tools of this shape.
        search: the provider's own search tool, which a request with deferred functions needs; ``None`` if such a
            request needs no search tool.
        namespace: a group of functions on the wire, with ``NAME``, ``DESCRIPTION`` and ``TOOLS`` in the places of its
            parts; ``None`` if functions cannot be grouped.
        validated: true if a request can ask the provider to hold its model to all schemas.
    """

    verified: str
    sources: tuple[str, ...]
    shape: JsonObject
    group: str | None = None
    tool_name: str
    tools: int | None = None
    description_limit: int | None = None
    root_key: str | None = None
    nested_key: str | None = None
    tolerated: frozenset[str] = frozenset()
    union_alone: bool = False
    closed: bool = True
    empty_root: bool = True
    nesting: int | None = None
    fallback: "Profile | None" = None
    form: str | None = None
    validated: bool = False
    search: JsonObject | None = None
    namespace: JsonObject | None = None

    def __hash__(self) -> int:
        return hash(self.name)

    def schemas_only(self) -> "Profile":
        """Return a profile that is equal for all profiles that write schemas in the same way."""
        fallback = None if self.fallback is None else self.fallback.schemas_only()
        return replace(
            self,
            name="",
            verified="",
            sources=(),
            shape={},
            group=None,
            tool_name="",
            tools=None,
            description_limit=None,
            empty_root=True,
            fallback=fallback,
            form=None,
            validated=False,
            search=None,
            namespace=None,
        )


#: The maximum number of characters of a name that specfn makes, even if a provider accepts longer ones.
MAX_NAME: Final = 64


@cache
def longest_name(pattern: str) -> int:
    """Return the length of the longest name of letters that a pattern accepts, at most ``MAX_NAME``."""
    lengths = (length for length in range(MAX_NAME, 0, -1) if re.fullmatch(pattern, "a" * length))
    return next(lengths, MAX_NAME)
