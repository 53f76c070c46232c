"""Function choice of a prompt: ``Auto``, ``Required`` and ``NoCall``.

The author of a prompt sets a choice: the offered functions, and whether the model may, must or must not call. The
operator sets ``InvocationConfig``. A choice can only narrow it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from specfn._internal.settings_model import Model, Texts, store_as
from specfn.connectors.turn import Mode
from specfn.errors import UsageError
from specfn.function.function import Function


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """The state of a conversation before a request, as a choice sees it.

    Attributes:
        index: the number of earlier requests.
        executed: the number of valid calls executed so far.
        denied: whether a call was declined and no call was executed since.
    """

    index: int
    executed: int
    denied: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The choice for one request.

    Attributes:
        mode: whether the model may (``auto``), must (``required``) or must not (``none``) call.
        functions: the offered functions, by any of their names; all if ``None``, no function if empty.
    """

    mode: Mode
    functions: Sequence[str] | None


class ChoiceOptions(Model):
    """Further settings of a prompt for its calls.

    Attributes:
        allow_parallel_calls: whether the model may send several calls at once; the provider's default if ``None``.
        allow_concurrent_invocation: whether calls of one turn run concurrently: always, never, or only
            those whose ``safety`` is ``read`` (``"safe"``).
        allow_strict_schema_adherence: let the provider enforce the schemas, if it can.
        defer_loading: let the provider load definitions when the model searches for them: of all functions, or of
            those with these keys, as in ``Choice.functions``.
        namespaces: group the functions by application, or by the first element of their accessors.
        output_schema: send the schemas of results: ``status``, and the documented response as ``data``.
        provider: members of the request's body, by connector; sent unchanged.
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
    """Filters of functions in the format of Semantic Kernel for Python.

    A plugin is a namespace. A function is written ``plugin-function``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    included_plugins: Texts = ()
    excluded_plugins: Texts = ()
    included_functions: Texts = ()
    excluded_functions: Texts = ()

    def keys(self) -> tuple[str, ...] | None:
        """Return the filters as keys for ``Choice.functions``; ``None`` if there is no filter."""
        included = (
            *map(_plugin, self.included_plugins),
            *map(_dotted_key, self.included_functions),
        )
        excluded = (
            *map(_plugin, self.excluded_plugins),
            *map(_dotted_key, self.excluded_functions),
        )
        if excluded and not included:
            included = ("*",)
        return (*included, *(f"!{key}" for key in excluded)) or None


def _plugin(name: str) -> str:
    return f"{name}.*"


def _dotted_key(name: str) -> str:
    return name.replace("-", ".", 1)


def _replace_functions(value: Any) -> Any:
    """Replace functions by their keys."""
    if isinstance(value, (str, Mapping)) or not isinstance(value, Iterable):
        return value
    return tuple(key.method_and_path if isinstance(key, Function) else key for key in value)


class Choice(Model, ABC):
    """The base class of choices; a custom choice is a subclass with a ``type`` and a ``plan``.

    Attributes:
        functions: the offered functions: ``Function`` objects, names, accessors, operationIds, ``GET /path`` or
            patterns (``pets.*``). A leading ``!`` excludes from the others of the list: ``["*", "!pets.delete"]``. All
            functions are offered if absent, no function if empty.
        options: further settings of the prompt.
        filters: the same as ``functions``, in the format of Semantic Kernel for Python; pass at most one of both.
        maximum_auto_invoke_attempts: the maximum number of requests with functions; it can only lower the operator's
            ``InvocationConfig.max_rounds``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    functions: Annotated[
        Sequence[str | Function] | None,
        store_as(Annotated[tuple[str, ...] | None, BeforeValidator(_replace_functions)]),
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
    def _refuse_functions_with_filters(self) -> "Choice":
        if self.filters is not None and self.functions is not None:
            raise ValueError("pass functions or filters, not both")
        return self

    @abstractmethod
    def plan(self, round_: Round) -> Plan:
        """Return the plan of the next request."""

    def as_set(self) -> dict[str, Any]:
        """Return the choice as JSON: its type and the values that were set."""
        return {"type": kind_of(type(self)), **self.model_dump(exclude_unset=True)}


class Auto(Choice):
    """A choice that lets the model decide whether to call."""

    type: Literal["auto"] = "auto"

    def plan(self, round_: Round) -> Plan:  # noqa: ARG002  # the same in every round
        """Return the plan of the next request: the model may call."""
        return Plan(mode="auto", functions=self.keys)


class Required(Choice):
    """A choice that makes the model call until a valid call was executed.

    Attributes:
        until: the condition that satisfies it: an ``executed`` call, or the ``first_response``.
        after: the mode afterwards: forbid calls and keep the definitions (``none``), let the model decide (``auto``),
            or offer nothing from the second request on, as Semantic Kernel does (``stop_advertising``).
    """

    type: Literal["required"] = "required"
    until: Literal["executed", "first_response"] = "executed"
    after: Literal["none", "auto", "stop_advertising"] = "none"

    def plan(self, round_: Round) -> Plan:
        """Return the plan of the next request: the model must call, or the mode of ``after``."""
        if self.after == "stop_advertising":
            first = round_.index == 0
            return Plan(mode="required" if first else "none", functions=self.keys if first else ())
        asked = round_.executed if self.until == "executed" else round_.index
        if round_.denied:  # a declined call must not be demanded again
            return Plan(mode="auto", functions=self.keys)
        return Plan(mode=self.after if asked else "required", functions=self.keys)


class NoCall(Choice):
    """A dry run: the model reads the functions; its calls are reported and not executed."""

    type: Literal["none"] = "none"

    def plan(self, round_: Round) -> Plan:  # noqa: ARG002  # the same in every round
        """Return the plan of the next request: the model must not call."""
        return Plan(mode="none", functions=self.keys)


_KINDS: dict[str, type[Choice]] = {"auto": Auto, "required": Required, "none": NoCall}

_Kind = TypeVar("_Kind", bound=type[Choice])


def kind_of(kind: type[Choice]) -> str | None:
    """Return the ``type`` of a class of choices; ``None`` if it has no type."""
    fields = kind.model_fields
    tag = fields["type"].default if "type" in fields else None
    return tag if isinstance(tag, str) else None


def register_choice(kind: _Kind) -> _Kind:
    """Register a class of choices for prompt files by its ``type``; usable as a decorator.

    Raises:
        UsageError: it has no ``type`` with a default, or another class has the same type.

    Examples:
        >>> from typing import Literal
        >>> from specfn import calling
        >>> @calling.register_choice
        ... class Patient(calling.Auto):
        ...     type: Literal["patient"] = "patient"
        >>> calling.parse_choice("patient").type
        'patient'
    """
    tag = kind_of(kind)
    if tag is None:
        raise UsageError(f"{kind.__name__} has no field 'type' with a default text; add one")
    known = _KINDS.get(tag)
    if known is not None and known.__qualname__ != kind.__qualname__:
        raise UsageError(f"the type {tag!r} already belongs to {known.__name__}; choose another")
    _KINDS[tag] = kind
    return kind


def parse_choice(value: Any) -> Choice:
    """Convert a value to a choice: a ``Choice``, the text of its type, or a mapping from JSON or YAML.

    Raises:
        UsageError: the value is no choice; the message lists the known types.

    Examples:
        >>> from specfn import calling
        >>> choice = calling.parse_choice({"type": "required", "functions": ["listProducts"]})
        >>> choice.type, choice.functions
        ('required', ('listProducts',))
    """
    if isinstance(value, Choice):
        return value
    fields = {"type": value} if isinstance(value, str) else value
    tag = fields.get("type") if isinstance(fields, Mapping) else None
    kind = _KINDS.get(tag) if isinstance(tag, str) else None
    if kind is None:
        known = ", ".join(sorted(_KINDS))
        raise UsageError(f"invalid choice {value!r:.200}: its type must be one of {known}")
    return kind.model_validate(fields)
