"""Profiles of providers as data: names, keys, schema keywords, limits, and the form of a tool on the wire.

A profile is defined beside the codecs of its provider. No code may assume anything that the profile does not contain.
Comments in a profile mark facts that are believed but not documented.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from specfn._internal.json import JsonObject

#: The expression of null in a schema: a list of types, a branch of its own, or ``nullable`` beside the type.
Null = Literal["type", "branch", "nullable"]

#: Placeholders in ``Profile.shape`` for the parts of a tool.
NAME: Final = "$name"
DESCRIPTION: Final = "$description"
SCHEMA: Final = "$schema"
STRICT: Final = "$strict"
DEFERRED: Final = "$deferred"
OUTPUT: Final = "$output"

#: The same in ``Profile.namespace``, for its functions.
TOOLS: Final = "$tools"

#: Annotations, and keywords of structure.
SAID: Final = frozenset({"description", "title"})
BUILT: Final = frozenset({"anyOf", "enum", "items", "properties", "required", "type"})
BOUNDS: Final = frozenset(
    "maxItems maxLength maxProperties maximum minItems minLength minProperties minimum pattern".split()
)

#: Constructs of patterns that engines without backtracking refuse: looking around, back references, word
#: boundaries, atomic groups and possessive repetition.
BACKTRACKING: Final = r"\(\?(?:[=!>]|<[=!]|P[=<])|\\[1-9bBAzZGK]|\\k<|[*+?}]\+"


@dataclass(frozen=True, slots=True, kw_only=True)
class Strict:
    """The requirements for a schema that the provider enforces while the model generates.

    Attributes:
        properties: the maximum number of properties in all.
        nesting: the deepest nesting of objects.
        enum_values: the maximum number of values of all enums together.
        text: the maximum number of characters of all names, enum values and constants together.
        long_enum: the number of values above which the characters of one enum are limited, and their maximum number.
        required: every property must be required; an optional one is shown as required and nullable.
        recursive: a schema may refer to itself.
        tools: the maximum number of enforced tools of one request; ``None`` if no limit is known.
        optional: the maximum number of optional properties of all enforced tools of one request.
        unions: the maximum number of unions of all enforced tools of one request.
    """

    properties: int
    nesting: int
    enum_values: int
    text: int
    long_enum: tuple[int, int]
    required: bool = True
    recursive: bool = True
    tools: int | None = None
    optional: int | None = None
    unions: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The capabilities of one provider for a list of tools.

    Attributes:
        name: the name for callers.
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
        keywords: the schema keywords that are used.
        tolerated: further keywords that the provider does not refuse.
        formats: the formats that may be used, by type; ``None`` for any.
        patterns: a regular expression that must not match in a ``pattern``.
        enums: the types whose values may be listed.
        empty_text: true if an enum may contain the empty string.
        null: the way in which a schema admits null.
        union_alone: true if no keyword is allowed beside ``anyOf``.
        closed: true if the root and the groups have ``additionalProperties: false``. Grammars that are derived from
            schemas need it; models do not.
        refs: true if ``$defs`` may be used; otherwise schemas are nested, recursive ones to a limited depth.
        ref_alone: true if no keyword is allowed beside ``$ref``.
        empty_root: true if a function without parameters has a schema.
        nesting: the deepest nesting of objects and arrays.
        strict: the requirements for enforced schemas; ``None`` if the provider enforces no schemas.
        fallback: the profile of a function that cannot be strict.
        form: the profile of the same provider whose codec also sends tools of this shape.
        search: the provider's own search tool, which a request with deferred functions needs; ``None`` if such a
            request needs no search tool.
        namespace: a group of functions on the wire, with ``NAME``, ``DESCRIPTION`` and ``TOOLS`` in the places of its
            parts; ``None`` if functions cannot be grouped.
        validated: true if a request can ask the provider to hold its model to all schemas.
    """

    name: str
    verified: str
    sources: tuple[str, ...]
    shape: JsonObject
    group: str | None = None
    tool_name: str
    tools: int | None = None
    description_limit: int | None = None
    root_key: str | None = None
    nested_key: str | None = None
    keywords: frozenset[str]
    tolerated: frozenset[str] = frozenset()
    formats: Mapping[str, frozenset[str]] | None = None
    patterns: str | None = None
    enums: frozenset[str] = field(
        default=frozenset({"boolean", "integer", "null", "number", "string"})
    )
    empty_text: bool = True
    null: Null = "type"
    union_alone: bool = False
    closed: bool = True
    refs: bool = False
    ref_alone: bool = False
    empty_root: bool = True
    nesting: int | None = None
    strict: Strict | None = None
    fallback: "Profile | None" = None
    form: str | None = None
    validated: bool = False
    search: JsonObject | None = None
    namespace: JsonObject | None = None

    def __hash__(self) -> int:
        return hash(self.name)
