"""May, must or must not the model call a function: ``Auto``, ``Required``, ``NoCall``.

A choice is the prompt author's: it says which functions are offered and how the model may choose. What may be
executed at all is the operator's, and stands in ``InvocationConfig``; a choice only narrows it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from specfn._internal.keyword_arguments import known_keywords, known_keywords_in
from specfn._internal.settings_model import Model, Texts, stored_as
from specfn.connectors.turn import Mode
from specfn.errors import UsageError
from specfn.function.function import Function
from specfn.function.lookup import place


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """What a choice may look at before a request is made.

    Attributes:
        index: how many requests were made before.
        executed: how many valid calls were executed before.
        denied: whether a person declined a call, and none was executed since.
    """

    index: int
    executed: int
    denied: bool = False


@known_keywords_in
@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a choice wants of one request.

    Attributes:
        mode: may, must or must not the model call.
        functions: which are offered, by any of their names; all where ``None``, none where empty.
    """

    mode: Mode
    functions: Sequence[str] | None


class ChoiceOptions(Model):
    """What else a prompt may say of its calls.

    Attributes:
        allow_parallel_calls: whether the model may ask for several calls at once; its default where ``None``.
        allow_concurrent_invocation: whether calls of one turn run at the same time: always, never, or only
            those whose ``safety`` is ``read`` (``"safe"``).
        allow_strict_schema_adherence: ask the provider to hold the model to the schema, where it can.
        defer_loading: let the provider load definitions when the model searches for them: of all functions, or of
            those with these keys, as in ``Choice.functions``.
        namespaces: group the functions by application, or by the first element of their accessors.
        output_schema: send the schemas of the answers to calls: ``status``, and the documented response as ``data``.
        provider: members for the request's body, by connector; sent as they are.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    allow_parallel_calls: bool | None = None
    allow_concurrent_invocation: bool | Literal["safe"] = False
    allow_strict_schema_adherence: bool = False
    defer_loading: bool | Texts = False
    namespaces: bool = False
    output_schema: bool = False
    provider: Mapping[str, Mapping[str, Any]] = {}


class Filters(Model):
    """The functions of a choice as prompts of Semantic Kernel for Python filter them.

    A plugin is a namespace. A function is written ``plugin-function``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    included_plugins: Texts = ()
    excluded_plugins: Texts = ()
    included_functions: Texts = ()
    excluded_functions: Texts = ()

    def keys(self) -> tuple[str, ...] | None:
        """Return the filters as keys of ``Choice.functions``; ``None`` without a filter."""
        included = (*map(_plugin, self.included_plugins), *map(_dotted, self.included_functions))
        excluded = (*map(_plugin, self.excluded_plugins), *map(_dotted, self.excluded_functions))
        return (*included, *(f"!{key}" for key in excluded)) or None


def _plugin(name: str) -> str:
    return f"{name}.*"


def _dotted(name: str) -> str:
    return name.replace("-", ".", 1)


def _named(value: Any) -> Any:
    """Return keys where functions are given themselves."""
    if isinstance(value, (str, Mapping)) or not isinstance(value, Iterable):
        return value
    return tuple(place(key) if isinstance(key, Function) else key for key in value)


class Choice(Model, ABC):
    """The base of all choices; a kind of your own is a subclass with a ``type`` and a ``plan``.

    Attributes:
        functions: the functions that are offered: functions themselves, names, accessors, operationIds,
            ``GET /path`` or patterns (``pets.*``). A leading ``!`` excludes; a list of exclusions alone means
            all others. All functions if absent, none if empty.
        options: further settings of the prompt.
        filters: the same as ``functions``, in the form of Semantic Kernel for Python; at most one of both.
        maximum_auto_invoke_attempts: the most requests with functions; it can only lower the operator's
            ``InvocationConfig.max_rounds``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    functions: Annotated[
        Sequence[str | Function] | None,
        stored_as(Annotated[tuple[str, ...] | None, BeforeValidator(_named)]),
    ] = None
    options: ChoiceOptions = ChoiceOptions()
    filters: Filters | None = None
    maximum_auto_invoke_attempts: Annotated[int, Field(ge=0)] | None = None

    @property
    def keys(self) -> tuple[str, ...] | None:
        """The keys of the offered functions, from ``functions`` or ``filters``; all if ``None``."""
        if self.functions is None:
            return self.filters.keys() if self.filters else None
        return tuple(map(str, self.functions))

    @model_validator(mode="after")
    def _refuse_both(self) -> "Choice":
        if self.filters is not None and self.functions is not None:
            raise ValueError("pass functions or filters, not both")
        return self

    @abstractmethod
    def plan(self, round_: Round) -> Plan:
        """What to ask of the next request."""

    def said(self) -> dict[str, Any]:
        """The choice as JSON would say it: its type, and what was said beyond the defaults."""
        return {"type": kind_of(type(self)), **self.model_dump(exclude_unset=True)}


class Auto(Choice):
    """The model decides whether to call."""

    type: Literal["auto"] = "auto"

    def plan(self, round_: Round) -> Plan:  # noqa: ARG002  # the same in every round
        """May call, in every round."""
        return Plan(mode="auto", functions=self.keys)


class Required(Choice):
    """The model must call, until a valid call was executed.

    Attributes:
        until: what satisfies it: an ``executed`` call, or the ``first_response`` whatever it is.
        after: what then holds: no calls with the definitions kept (``none``), the model's decision
            (``auto``), or the rule of Semantic Kernel: from the second request on nothing is offered
            (``stop_advertising``), whether anything was executed or not.
    """

    type: Literal["required"] = "required"
    until: Literal["executed", "first_response"] = "executed"
    after: Literal["none", "auto", "stop_advertising"] = "none"

    def plan(self, round_: Round) -> Plan:
        """Must call until satisfied, then as ``after`` says."""
        if self.after == "stop_advertising":
            first = round_.index == 0
            return Plan(mode="required" if first else "none", functions=self.keys if first else ())
        asked = round_.executed if self.until == "executed" else round_.index
        if round_.denied:  # nobody is to be asked again and again for what they declined
            return Plan(mode="auto", functions=self.keys)
        return Plan(mode=self.after if asked else "required", functions=self.keys)


class NoCall(Choice):
    """The dry run: the model sees the functions; calls that it plans are reported, and none is executed."""

    type: Literal["none"] = "none"

    def plan(self, round_: Round) -> Plan:  # noqa: ARG002  # the same in every round
        """Must not call, in every round."""
        return Plan(mode="none", functions=self.keys)


_KINDS: dict[str, type[Choice]] = {"auto": Auto, "required": Required, "none": NoCall}

_Kind = TypeVar("_Kind", bound=type[Choice])


def kind_of(kind: type[Choice]) -> str | None:
    """The ``type`` of a kind of choice; ``None`` where it has none."""
    fields: dict[str, Any] = kind.__pydantic_fields__
    tag = fields["type"].default if "type" in fields else None
    return tag if isinstance(tag, str) else None


@known_keywords
def register_choice(kind: _Kind) -> _Kind:
    """Make a kind of choice known to prompt files, by its ``type``; a decorator.

    Raises:
        UsageError: it has no ``type`` with a default, or the type is taken by another kind.
    """
    tag = kind_of(kind)
    if tag is None:
        raise UsageError(f"{kind.__name__} needs a field 'type' with a default text")
    known = _KINDS.get(tag)
    if known is not None and known.__qualname__ != kind.__qualname__:
        raise UsageError(f"the type {tag!r} is taken by {known.__name__}")
    _KINDS[tag] = kind
    return kind


@known_keywords
def parse_choice(value: Any) -> Choice:
    """Read a choice: one of its objects, its type as text, or a mapping as it stands in JSON or YAML.

    Raises:
        UsageError: it is none; with what is allowed.
    """
    if isinstance(value, Choice):
        return value
    found = {"type": value} if isinstance(value, str) else value
    tag = found.get("type") if isinstance(found, Mapping) else None
    kind = _KINDS.get(tag) if isinstance(tag, str) else None
    if kind is None:
        known = ", ".join(sorted(_KINDS))
        raise UsageError(f"a choice has one of the types {known}; found {value!r:.200}")
    return kind.model_validate(found)
