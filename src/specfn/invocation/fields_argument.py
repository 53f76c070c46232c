"""The reserved argument by which a model asks for fields of a response (rule X12)."""

import json
from dataclasses import dataclass, replace
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.answers import FieldNames, parse_fields
from specfn.function.arguments import integers_not_in_digits, source_texts
from specfn.function.function import Function
from specfn.invocation.response_fields import DocumentedFields, ResponseFields
from specfn.records import Repair

#: The description of the reserved argument.
DESCRIPTION: Final = 'Paths of the fields of the response to return, such as ["items.name"]; leave it out for all of them.'


@dataclass(frozen=True, slots=True)
class SentArguments:
    """The arguments of a model, without the reserved argument.

    Attributes:
        arguments: the arguments.
        fields: the fields that it asks for; ``None`` for all.
        problem: the reason why they are invalid.
        repairs: the repairs of the text of the arguments.
    """

    arguments: Any
    fields: tuple[FieldNames, ...] | None = None
    problem: str | None = None
    repairs: tuple[Repair, ...] = ()


def with_fields(sent: SentArguments, fields: Any) -> SentArguments:
    """Return arguments with the fields that a model asks for, or with the reason why they are invalid."""
    names = parse_fields(fields)
    if isinstance(names, str):
        return replace(sent, fields=None, problem=names)
    return replace(sent, fields=names, problem=None)


def response_fields(function: Function) -> str:
    """Return the top-level fields of a response in one line of at most 300 characters, without those of ``Drop``."""
    return DocumentedFields(function, ResponseFields.of(function).drop).line()


class FieldsArgument:
    """The reserved argument of one function.

    Attributes:
        name: ``fields``, with a trailing ``_`` while the function has an argument or the API a parameter of this name.
    """

    def __init__(self, function: Function, parameters: JsonObject, *, strict: bool) -> None:
        """Choose the name.

        Args:
            function: the function.
            parameters: the schema of the arguments that the model reads.
            strict: true if the provider enforces the schema, so that each argument is required.
        """
        self._function, self._parameters, self._strict = function, parameters, strict
        self.name = "fields"
        groups = function.route.groups
        declared = {parameter.name for group in groups for parameter in group.parameters}
        while self.name in parameters.get("properties", {}) or self.name in declared:
            self.name += "_"

    def parameters(self) -> JsonObject:
        """Return the schema of the arguments with the reserved one."""
        schema: JsonObject = {
            "type": ["array", "null"] if self._strict else "array",
            "items": {"type": "string"},
            "description": DESCRIPTION,
        }
        properties = {**self._parameters.get("properties", {}), self.name: schema}
        parameters = {**self._parameters, "properties": properties}
        if self._strict:
            parameters["required"] = [*properties]
        return parameters

    def line(self) -> str:
        """Return the line of the description with the top-level fields of the response; empty if there are no such fields."""
        names = response_fields(self._function)
        return f"\nResponse fields: {names}" if names else ""

    def extract(self, sent: Any) -> SentArguments:
        """Return the arguments that a model sent, without the reserved one, and the fields in it."""
        value, repairs = self._read(sent)
        if not isinstance(value, dict) or self.name not in value:
            return SentArguments(sent)
        rest: Any = {name: item for name, item in value.items() if name != self.name}
        if isinstance(sent, str | bytes):
            integers = integers_not_in_digits(source_texts(sent, repairs))
            rest = _keep_notation(rest, integers) if integers else rest
        received = SentArguments(rest, repairs=repairs)
        fields = value[self.name]
        return received if fields is None else with_fields(received, fields)

    def _read(self, sent: Any) -> tuple[Any, tuple[Repair, ...]]:
        """Parse a text that contains the name. An incomplete text stays as it is, because a write must not use it."""
        is_text = isinstance(sent, str | bytes)
        if not is_text or (self.name if isinstance(sent, str) else self.name.encode()) not in sent:
            return sent, ()
        outcome = self._function.parse(sent)
        if not outcome or outcome.incomplete:
            return sent, ()
        return outcome.data, outcome.repairs


def _keep_notation(value: Any, integers: frozenset[int]) -> str:
    """Return arguments as a text in which some integers have a fraction, because the model wrote no plain digits.

    The value is plain JSON, so its depth is limited.
    """
    if type(value) is dict:
        members = (
            f"{json.dumps(key)}: {_keep_notation(item, integers)}" for key, item in value.items()
        )
        return f"{{{', '.join(members)}}}"
    if type(value) is list:
        return f"[{', '.join(_keep_notation(item, integers) for item in value)}]"
    text = json.dumps(value)
    return f"{text}.0" if type(value) is int and value in integers else text
