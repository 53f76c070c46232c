"""The comparison of two applications."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from specfn._internal.pointer import input_path
from specfn.comparison.difference import (
    Difference,
    DifferenceKind,
    Verdict,
    brief,
    schema_differences,
)
from specfn.comparison.keyword_rules import types_of
from specfn.comparison.matching import (
    Matched,
    SentArgument,
    anonymous_path,
    arguments_of,
    match_arguments,
    match_functions,
    match_path_arguments,
)
from specfn.comparison.request_rules import (
    body_changes,
    request_changes,
    server_changes,
)
from specfn.comparison.response_rules import ResponseRules
from specfn.comparison.schema_pairs import SchemaPairs
from specfn.comparison.subschema_rules import properties_of
from specfn.errors import UsageError
from specfn.function.function import Function
from specfn.records import ABSENT, OperationError

if TYPE_CHECKING:
    from specfn.application.application import Application


def compare(
    old: "Application", new: "Application", *, responses: bool = False
) -> tuple[Difference, ...]:
    """Return the differences that a model or a server would notice between two versions of a document.

    Args:
        old: the version that callers use today.
        new: the new version.
        responses: also judge responses, for people who maintain clients: a response that the clients of the old version
            cannot read breaks them. By default a difference of a response breaks nobody, because a model reads it as it
            comes.

    Returns:
        The differences: those of the document, then by function in the order of the new document, then the removed
        functions. An application has no differences from itself.

    Raises:
        UsageError: one of them is not an application, but for example a path.

    Examples:
        >>> old = specfn.loads('{"openapi": "3.1.0", "paths": {"/pets": {"get": {}}}}')
        >>> new = specfn.loads('{"openapi": "3.1.0", "paths": {"/animals": {"get": {}}}}')
        >>> for difference in specfn.compare(old, new):
        ...     print(difference.breaking, difference.sentence)
        no the function is new (GET /animals)
        yes the function was removed (GET /pets)
    """
    for application in (old, new):
        if not hasattr(application, "settings"):
            raise UsageError(
                f"expected two applications, as specfn.load returns them, found {type(application).__name__}"
            )
    return tuple(_Comparison(old, new, judge_responses=responses).differences())


class _Comparison:
    """The comparison of two applications, with the compared definitions."""

    def __init__(self, old: "Application", new: "Application", *, judge_responses: bool) -> None:
        self._old, self._new = old, new
        self._is_exact = new.settings.one_of == "exactly"
        self._responses = ResponseRules(
            old.document, new.document, is_exact=self._is_exact, is_judged=judge_responses
        )
        self._pairs: dict[tuple[int, int], SchemaPairs] = {}

    def differences(self) -> Iterator[Difference]:
        """Yield the differences."""
        old, new = self._old.functions, self._new.functions
        matched = match_functions(old, new)
        before = {id(after): before for before, after in matched.pairs}
        if any(not (one.route.servers or other.route.servers) for one, other in matched.pairs):
            yield from server_changes(old[0].api.servers, new[0].api.servers)
        for function in new:
            if id(function) in before:
                yield from self._compare_function(before[id(function)], function)
            else:
                yield _function_added(function)
        errors = {(error.method, error.path): error for error in self._new.errors}
        for function in matched.removed:
            yield _function_removed(function, errors.get((function.method, function.path)))

    def _compare_function(self, old: Function, new: Function) -> Iterator[Difference]:
        for part in request_changes(old, new):
            yield replace(
                part,
                name=new.name,
                old_pointer=part.old_pointer or old.route.pointer,
                new_pointer=part.new_pointer or new.route.pointer,
            )
        yield from self._compare_arguments(old, new)
        yield from self._compare_body(old, new)
        yield from self._responses.differences(old, new)

    # -- arguments --------------------------------------------------------------------------------

    def _compare_arguments(self, old: Function, new: Function) -> Iterator[Difference]:
        pairs = self._inputs(old, new)
        for matched in _argument_pairs(old, new):
            for before, after in matched.pairs:
                is_single = all(
                    types_of(pairs.resolve(argument.schema, is_old=argument is before)) <= _SINGLE
                    for argument in (before, after)
                )
                parts = _compare_argument(before, after, is_single=is_single)
                yield from (replace(part, name=new.name) for part in parts)
                is_given = before.required or after.required
                changes = pairs.changes(before.schema, after.schema, is_given=is_given)
                pointers = before.pointer, after.pointer
                yield from schema_differences(new.name, changes, _place_of(after), pointers)
            for argument in matched.removed:
                text = f"the {argument.location} argument {argument.name} was removed"
                values = argument.schema, ABSENT
                part = _part("argument-removed", argument, *values, "yes", text)
                yield replace(part, name=new.name, new_pointer=None)
            for argument in matched.added:
                state = "is new and required" if argument.required else "is new"
                text = f"the {argument.location} argument {argument.name} {state}"
                verdict: Verdict = "yes" if argument.required else "no"
                part = _part("argument-added", argument, ABSENT, argument.schema, verdict, text)
                yield replace(part, name=new.name, old_pointer=None)

    def _compare_body(self, old: Function, new: Function) -> Iterator[Difference]:
        before, after = old.route.body, new.route.body
        pairs = self._inputs(old, new)
        schemas = [
            function.schemas.composed.arguments["properties"].get("body", {})
            for function in (old, new)
        ]
        properties = [
            properties_of(pairs.resolve(schema, is_old=is_old))
            for schema, is_old in zip(schemas, (True, False), strict=True)
        ]

        def in_both_or_none(name: str) -> bool:
            return (name in properties[0]) == (name in properties[1])

        yield from (
            replace(part, name=new.name) for part in body_changes(old, new, in_both_or_none)
        )
        if before is not None and after is not None:
            changes = pairs.changes(*schemas, is_given=before.required or after.required)
            pointers = before.pointer, after.pointer
            yield from schema_differences(new.name, changes, "$input.body", pointers)

    def _inputs(self, old: Function, new: Function) -> SchemaPairs:
        return self._lookup(old.schemas.composed.inputs, new.schemas.composed.inputs)

    def _lookup(self, old: Any, new: Any) -> SchemaPairs:
        """Return the pairs of two sets of definitions, which many functions share."""
        key = (id(old), id(new))
        if key not in self._pairs:
            self._pairs[key] = SchemaPairs(old, new, is_exact=self._is_exact)
        return self._pairs[key]


def _argument_pairs(old: Function, new: Function) -> Iterator[Matched]:
    """Yield the pairs of arguments. Those of an unchanged path are paired by position."""
    before, after = arguments_of(old), arguments_of(new)
    if anonymous_path(old) != anonymous_path(new):
        yield match_arguments(before, after)
        return
    old_path, new_path = (
        [argument for argument in arguments if not argument.group] for arguments in (before, after)
    )
    yield match_path_arguments(old_path, new_path)
    yield match_arguments(
        [argument for argument in before if argument.group],
        [argument for argument in after if argument.group],
    )


#: The types of values that ``explode`` does not change.
_SINGLE: Final = frozenset({"boolean", "integer", "null", "number", "string"})


def _compare_argument(
    old: SentArgument, new: SentArgument, *, is_single: bool
) -> Iterator[Difference]:
    """Yield the differences of two arguments, without those of their schemas."""
    pointers = old.pointer, new.pointer

    def part(
        kind: DifferenceKind, before: Any, after: Any, breaking: Verdict, text: str
    ) -> Difference:
        change = _part(kind, new, before, after, breaking, f"the argument {old.name} {text}")
        return replace(change, old_pointer=pointers[0], new_pointer=pointers[1])

    if old.location != new.location:
        text = f"moved from {old.location} to {new.location}"
        yield part("argument-moved", old.location, new.location, "yes", text)
    if (old.name, old.key) != (new.name, new.key):
        name = new.name if old.name != new.name else new.key
        yield part("argument-renamed", old.key, new.key, "yes", f"is now called {name}")
    if old.required != new.required:
        text = f"is now {'required' if new.required else 'optional'}"
        verdict: Verdict = "yes" if new.required else "no"
        yield part("required", old.required, new.required, verdict, text)
    if old.location == new.location and old.wire != new.wire:
        changed = {key for key in old.wire if old.wire[key] != new.wire[key]}
        before, after = (
            {key: argument.wire[key] for key in sorted(changed)} for argument in (old, new)
        )
        text = f"is serialized differently ({', '.join(sorted(changed))})"
        if not (is_single and changed == {"explode"}):
            yield part("serialization", before, after, "yes", text)


# -- records ---------------------------------------------------------------------------------------


def _part(
    kind: DifferenceKind,
    argument: SentArgument,
    before: Any,
    after: Any,
    breaking: Verdict,
    text: str,
) -> Difference:
    place, pointer = _place_of(argument), argument.pointer
    return Difference("", kind, place, before, after, breaking, text, pointer, pointer)


def _place_of(argument: SentArgument) -> str:
    return input_path(argument.tokens)


def _function_added(function: Function) -> Difference:
    return Difference(
        name=function.name,
        kind="function-added",
        place="function",
        before=ABSENT,
        after=function.method_and_path,
        breaking="no",
        sentence=f"the function is new ({function.method_and_path})",
        new_pointer=function.route.pointer,
    )


def _function_removed(function: Function, error: OperationError | None) -> Difference:
    reason = "" if error is None else f"; it cannot be a function: {brief(error.reason)}"
    return Difference(
        name=function.name,
        kind="function-removed",
        place="function",
        before=function.method_and_path,
        after=ABSENT,
        breaking="yes",
        sentence=f"the function was removed ({function.method_and_path}){reason}",
        old_pointer=function.route.pointer,
        new_pointer=None if error is None else error.pointer,
    )
