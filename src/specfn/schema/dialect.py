"""Dialects as data: the schema keywords that a reader supports, and how a schema is written with them.

The dialects of ``Options.dialect`` are here. The profile of a provider is a dialect, too; it is defined next to the codec
of its provider.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from specfn.schema.vocabulary import CONSTRAINTS

#: The expression of null in a schema: a list of types, a branch of its own, or ``nullable`` next to the type.
Null: TypeAlias = Literal["type", "branch", "nullable"]

#: Keywords by what they do: describe a value, build it from others, or limit it.
ANNOTATIONS: Final = frozenset({"description", "title"})
STRUCTURE: Final = frozenset({"anyOf", "enum", "items", "properties", "required", "type"})
BOUNDS: Final = frozenset(
    "maxItems maxLength maxProperties maximum minItems minLength minProperties minimum pattern".split()
)

#: The bounds that grammar engines support. Some refuse a schema with a bound on the number of properties.
GRAMMAR_BOUNDS: Final = BOUNDS - {"maxProperties", "minProperties"}

_EVERY_TYPE: Final = frozenset(
    {"array", "boolean", "integer", "null", "number", "object", "string"}
)


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
class Dialect:
    """The way in which schemas are written for one kind of reader.

    A keyword that the reader does not support is described, and validation enforces it.

    Attributes:
        name: the name for callers.
        keywords: the schema keywords that are used.
        whole: true if every keyword of JSON Schema is used, in the order of the document.
        literal: true if keywords are kept as the document has them: also next to a union, and also where they have no
            effect.
        formats: the formats that may be used, by type; ``None`` for any.
        patterns: a regular expression that must not match in a ``pattern``.
        enums: the types whose values may be listed.
        empty_text: true if an enum may contain the empty string.
        null: the way in which a schema accepts null.
        null_constant: true if ``nullable`` counts only if the constants contain null, too (OpenAPI 3.0.4).
        refs: true if ``$defs`` may be used; otherwise schemas are nested, recursive ones to a limited depth.
        ref_alone: true if no keyword is allowed next to ``$ref``.
        strict: the requirements for enforced schemas; ``None`` if the reader enforces no schemas.
    """

    name: str
    keywords: frozenset[str]
    whole: bool = False
    literal: bool = False
    formats: Mapping[str, frozenset[str]] | None = None
    patterns: str | None = None
    enums: frozenset[str] = field(default=_EVERY_TYPE - {"array", "object"})
    empty_text: bool = True
    null: Null = "type"
    null_constant: bool = False
    refs: bool = False
    ref_alone: bool = False
    strict: Strict | None = None


#: OpenAPI 3.0 without references, and JSON Schema 2020-12 with ``$defs``.
DIALECTS: Final[Mapping[str, Dialect]] = {
    "3.0": Dialect(
        name="3.0",
        keywords=ANNOTATIONS
        | STRUCTURE
        | CONSTRAINTS
        | {"additionalProperties", "default", "deprecated", "example", "not", "nullable"},
        literal=True,
        enums=_EVERY_TYPE,
        null="nullable",
        null_constant=True,
    ),
    "3.1": Dialect(
        name="3.1",
        keywords=ANNOTATIONS | {"default", "deprecated", "examples", "not"},
        whole=True,
        literal=True,
        refs=True,
    ),
}
