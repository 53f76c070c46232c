"""Options of a conversion as a validated, frozen pydantic model."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias

from pydantic import ConfigDict, Field, field_serializer, field_validator

from specfn._internal.settings_model import Model, store_as
from specfn.answers import Drop, Keep
from specfn.settings import Naming, OneOf, Paging, Presence, Safety, Selection, Settings, Standard

Method: TypeAlias = Literal["options", "trace"]

#: A selection of human values: a ready predicate by name, or a predicate over schema nodes.
Predicate: TypeAlias = Literal["files", "secrets"] | Callable[[Any], bool]

Select: TypeAlias = Callable[[Any], bool] | Selection | None


_SELECT: Final = 'select={"tags": [...], "without": {"paths": [...]}}'

#: What options are called here instead of the words of other tools.
_INSTEAD_OF: Final[Mapping[str, str]] = {
    **dict.fromkeys(("route_maps", "route_map_fn", "include", "exclude", "tags"), _SELECT),
    **dict.fromkeys(("include_tags", "exclude_tags", "include_operations"), _SELECT),
    "mcp_names": 'names={"operationId": "name"}',
    "mcp_component_fn": 'descriptions={"operationId": "text"}',
}


class Options(Model):
    """The options of a conversion. Every field has a default that suits most documents.

    Attributes:
        keyword: one object schema per function (true), or a list of schemas (false).
        dialect: the dialect of the schemas for a model: ``"3.0"`` without ``$ref``, or ``"3.1"`` with ``$defs``.
        naming: the source of names: ``"path"`` (the accessor), or ``"operationId"`` where an operation
            has one that no other function's name equals.
        max_length: the longest function name; lower it where a host adds prefixes.
        description_limit: the longest function description, in characters; ``None`` for no limit.
        constraint: keep bounds, lengths and patterns as schema keywords (true), or put them into descriptions.
        recursive: how many more nestings of a recursive component are shown; ``0`` cuts at the first
            repetition, ``False`` makes recursive operations errors.
        schema_budget: the maximum number of bytes of one ``parameters`` or ``output`` as compact JSON; ``None`` for
            no limit.
        methods: methods to convert besides the callable ones: ``options``, ``trace``.
        headers: the header parameters that a model sees.
        cookies: the cookie parameters that a model sees.
        hidden: parameter names that a model must not see (``True``), or must see although they look
            like credentials or standard parameters (``False``).
        standard: show the standard parameters that most functions of an API share, such as ``prettyPrint``
            (``"include"``), or leave them out of the shown schemas; validation accepts them in any case.
        path_parameters: whether a whole segment ``:name`` of a path key is a parameter (``True``) or text (``False``), by
            name; ``"*"`` for all others that no operation declares.
        media_types: a documented media type to use for the body, by pattern of names (``"*"`` for all).
        references: ``"internal"``, the directory that references to other files may stay in, or the
            origins that they may be fetched from.
        max_document_bytes: the maximum number of bytes of a document from a file or a URL, decompressed. All documents
            that it refers to may together have as many bytes.
        max_documents: the maximum number of other documents that a document may refer to.
        safety: ``read``, ``write`` or ``destructive`` by pattern of names, e.g. for a search by POST. It overrides what the
            method and the verb of an operation say.
        equals: refuse properties that an object schema does not declare, even if the document accepts them.
        formats: assert the formats of strings and numbers, or only show them.
        one_of: accept a value that fits several alternatives of a ``oneOf`` (``"any"``), or refuse it
            (``"exactly"``, the meaning of JSON Schema).
        extensions: obey ``x-internal``, ``x-mcp`` and ``x-openai-isConsequential`` of the document. They hide functions
            and raise the safety of functions that read; they never lower it.
        coerce_arrays: let ``coerce`` and ``check`` turn a text that may be a list (``"a,b"``) into an array of one item.
        select: the functions to keep; the others are left out and are not errors. A predicate, or a ``Selection``
            (also as a dict): by method, path, tag, name, safety, deprecation.
        names: other names for functions, by name, dotted accessor, operationId or ``METHOD /path``.
        descriptions: descriptions of functions instead of the document's, by the same keys.
        fixed: values of parameters that neither a model nor the human sees (a tenant, a version of the
            API): by name, ``LOCATION.NAME`` or pattern. Credentials belong to the connection.
        answers: the fields of responses that a model reads, by pattern of names: ``Keep`` (a default) or ``Drop``
            (never shown) of ``specfn.answers``.
        answer_limit: the maximum number of characters of a response that a model reads.
        paging: the paging of functions whose documents do not declare it, by pattern of names: a ``specfn.settings.Paging``,
            or ``None`` for no paging.
        separate: the values that a human fills in, not a model: a predicate over schema nodes (``specfn.human``),
            a ready one by name (``files``, ``secrets``), or several, any of which may hold.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    instead_of: ClassVar[Mapping[str, str]] = _INSTEAD_OF

    keyword: bool = True
    dialect: Literal["3.0", "3.1"] = "3.0"
    naming: Naming = "path"
    max_length: Annotated[int, Field(ge=16)] = 64
    description_limit: Annotated[int, Field(ge=16)] | None = 8192
    constraint: bool = True
    recursive: Annotated[int, Field(ge=0, le=32)] | Literal[False] = 3
    schema_budget: Annotated[int, Field(ge=1024)] | None = 32 * 1024
    methods: Annotated[Sequence[Method], store_as(tuple[Method, ...])] = ()
    headers: Presence = "include"
    cookies: Presence = "include"
    hidden: Mapping[str, bool] = {}
    standard: Standard = "omit"
    path_parameters: Mapping[str, bool] = {}
    media_types: Mapping[str, str] = {}
    references: Annotated[str | Sequence[str], store_as(str | tuple[str, ...])] = "internal"
    max_document_bytes: Annotated[int, Field(ge=1)] = 256 * 1024 * 1024
    max_documents: Annotated[int, Field(ge=1)] = 5_000
    safety: Mapping[str, Safety] = {}
    equals: bool = False
    formats: Literal["assert", "hint"] = "assert"
    one_of: OneOf = "any"
    extensions: bool = False
    coerce_arrays: bool = False
    select: Annotated[Select | Mapping[str, Any], store_as(Select)] = None
    names: Mapping[str, str] = {}
    descriptions: Mapping[str, str] = {}
    fixed: Mapping[str, Any] = {}
    answers: Mapping[str, Keep | Drop] = {}
    answer_limit: Annotated[int, Field(ge=200)] = 20_000
    paging: Mapping[str, Paging | None] = {}
    separate: Annotated[
        Predicate | Sequence[Predicate] | None, store_as(tuple[Predicate, ...] | None)
    ] = None

    @field_validator("separate", mode="before")
    @classmethod
    def _several(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) or callable(value) else value

    @field_validator("answers", mode="plain")
    @classmethod
    def _fields(cls, value: Any) -> Mapping[str, Any]:
        if not isinstance(value, Mapping):
            reason = (
                "must be a mapping from patterns of names to a Keep or a Drop of specfn.answers"
            )
            raise ValueError(reason)  # noqa: TRY004  # pydantic reads this type
        return {pattern: _field_rule(pattern, each) for pattern, each in value.items()}

    @field_serializer("answers")
    def _field_paths(
        self, value: Mapping[str, Keep | Drop]
    ) -> dict[str, dict[str, tuple[str, ...]]]:
        return {
            pattern: {type(each).__name__.lower(): each.paths} for pattern, each in value.items()
        }

    def settings(self) -> Settings:
        """Return the same fields as the plain record that the packages read."""
        return Settings(**{name: getattr(self, name) for name in type(self).model_fields})

    @classmethod
    def of(cls, settings: Settings) -> "Options":
        """Return the options of a plain record."""
        return cls(**{name: getattr(settings, name) for name in cls.model_fields})


#: The rules for fields of responses, by the names that they have in JSON.
_FIELD_RULES: Final[Mapping[str, type[Keep | Drop]]] = {"keep": Keep, "drop": Drop}


def _field_rule(pattern: str, rule: Any) -> Keep | Drop:
    """Return a rule for the fields of responses; in JSON it is ``{"keep": [paths]}`` or ``{"drop": [paths]}``."""
    if isinstance(rule, Keep | Drop):
        return rule
    if isinstance(rule, dict) and len(rule) == 1:
        [(name, paths)] = rule.items()
        if name in _FIELD_RULES and isinstance(paths, list | tuple):
            return _FIELD_RULES[name](*paths)
    reason = f'{pattern!r} must have a Keep or a Drop of specfn.answers, in JSON {{"keep": [paths]}} or {{"drop": [paths]}}'
    raise ValueError(reason)
