"""Preparation of a model's call: resolve the name, parse, repair and validate the arguments (rules C4, C11)."""

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from specfn._internal.json import copied
from specfn.answers import FieldNames
from specfn.calling.call_answer import AnswerKind
from specfn.calling.calls import prompts
from specfn.calling.calls.sendable import checked
from specfn.calling.names.catalog import Catalog, Entry
from specfn.calling.names.resolve import Resolution
from specfn.calling.offered_tools import OfferedFunctions
from specfn.catalog.tools.tools import offered as to_offer
from specfn.connectors.turn import Call
from specfn.function.arguments.wrapper import WrapperNames, unwrapped
from specfn.function.separation.join import is_shared
from specfn.records import Repair
from specfn.validation.outcome import Failure, Success


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A call with its resolved name and validated arguments.

    Attributes:
        call: the call as the model sent it.
        resolution: the resolution of its name.
        entry: the resolved function; ``None`` if the name was not resolved.
        arguments: the parsed arguments, under the document's own keys.
        repairs: the repairs of the arguments.
        removed: the values removed from the arguments, as the model reads them with the result.
        errors: the errors, a sentence each.
        problems: the paths of the invalid arguments.
        answer: the error text for the model; ``None`` if the call can be made.
        kind: the kind of ``answer``.
        fields: the fields of the response that the call asks for; ``None`` for all.
    """

    call: Call
    resolution: Resolution
    entry: Entry | None = None
    arguments: Any = field(default=None, repr=False)
    repairs: tuple[Repair, ...] = ()
    removed: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    answer: str | None = None
    kind: AnswerKind | None = None
    fields: tuple[FieldNames, ...] | None = None

    @property
    def name(self) -> str:
        """The advertised name of the function; empty if the name was not resolved."""
        return "" if self.entry is None else self.entry.name


def prepare(call: Call, catalog: Catalog, offered: OfferedFunctions) -> Prepared:
    """Resolve the function of a call and validate its arguments.

    Args:
        call: the model's call.
        catalog: the functions of the conversation.
        offered: the tools of this request.
    """
    resolution = resolve(call["name"], catalog, offered)
    if resolution.name is None:
        return unknown(call, resolution, offered)
    return prepare_known(call, resolution, catalog, offered)


def resolve(called: str, catalog: Catalog, offered: OfferedFunctions) -> Resolution:
    """Resolve the name that a model sent to an offered function, under its advertised name.

    Args:
        called: the name that the model sent.
        catalog: the functions.
        offered: the functions that the model can call.
    """
    return replace(_resolved(offered.advertised(called), catalog, offered), called=called)


def unknown(call: Call, resolution: Resolution, offered: OfferedFunctions) -> Prepared:
    """Return a call whose name was not resolved."""
    text = unresolved(resolution, offered)
    return Prepared(
        call=call, resolution=resolution, errors=(text,), answer=text, kind="unknown_function"
    )


def prepare_known(
    call: Call, resolution: Resolution, catalog: Catalog, offered: OfferedFunctions
) -> Prepared:
    """Validate the arguments of a call whose name was resolved.

    Args:
        call: the model's call.
        resolution: the resolution of its name.
        catalog: the functions.
        offered: the functions that the model can call.
    """
    entry = catalog.by_name[resolution.name or ""]
    return _checked(call, resolution, entry, offered, _names(entry, catalog, offered))


def _resolved(called: str, catalog: Catalog, offered: OfferedFunctions) -> Resolution:
    """Resolve a name to an offered function.

    The name of a function that is not offered is never repaired to the name of another function.
    """
    found = catalog.resolve(called, advertised=offered.names)
    if found.status != "repaired" or found.how == "hook":
        return found
    meant = catalog.directory.meant(called)
    if not meant or found.name in meant:
        return found
    assert found.name is not None
    return Resolution(called=called, status="not_advertised", candidates=(found.name,))


def _names(entry: Entry, catalog: Catalog, offered: OfferedFunctions) -> WrapperNames:
    """Return the resolver of names in wrappers: such a name is resolved like that of a call."""

    def resolve(text: str) -> str | None:
        found = _resolved(offered.advertised(text), catalog, offered)
        return None if found.name is None else offered.wire[found.name]

    return WrapperNames(offered.wire[entry.name], resolve)


def unresolved(resolution: Resolution, offered: OfferedFunctions) -> str:
    """Return the error text for a name that was not resolved."""
    candidates = offered.tool_names(resolution.candidates)
    if resolution.status == "ambiguous":
        return prompts.ambiguous(resolution.called, candidates)
    return prompts.unknown(
        resolution.called,
        candidates,
        sorted(offered.wire.values()),
        arguments_in_name=resolution.arguments_in_name,
    )


def _checked(
    call: Call, resolution: Resolution, entry: Entry, offered: OfferedFunctions, names: WrapperNames
) -> Prepared:
    outcome = check(entry, call["arguments"], offered, names)
    answer = None
    errors: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    if isinstance(outcome, Failure):
        errors = tuple(str(problem) for problem in outcome.errors)
        problems = tuple(problem.path for problem in outcome.errors)
        answer = outcome.feedback()
    elif outcome.incomplete and entry.function.safety != "read":
        answer = prompts.incomplete(entry.name)
        errors = (answer,)
    return Prepared(
        call=call,
        resolution=resolution,
        entry=entry,
        arguments=copied(
            outcome.data
        ),  # the caller may change its objects while an approver thinks
        repairs=outcome.repairs,
        removed=prompts.removed(
            outcome.repairs, partial(offered.path, entry.name), shared=is_shared(entry.function)
        ),
        errors=errors,
        problems=problems,
        answer=answer,
        kind=None if answer is None else "invalid",
    )


def check(
    entry: Entry, arguments: Any, offered: OfferedFunctions, names: WrapperNames | None
) -> Success | Failure:
    """Parse, restore, repair and validate the arguments that a model sent for a function.

    If the function has a human part, only the model's part is checked.

    Args:
        entry: the function.
        arguments: the arguments as the model sent them.
        offered: the tools of this request.
        names: resolves the name in a wrapper; ``None`` to keep wrappers.
    """
    parsed = _parsed(entry, arguments)
    if isinstance(parsed, Failure):
        return parsed
    outcome = checked(to_offer(entry.function), offered.restore(entry.name, parsed.data), None)
    if isinstance(outcome, Failure):
        outcome = offered.shown(entry.name, outcome, parsed.data)
    if not outcome and names is not None:
        outcome = unwrapped(
            parsed.data, outcome, lambda inner: check(entry, inner, offered, None), names
        )
    return replace(
        outcome,
        repairs=(*parsed.repairs, *outcome.repairs),
        incomplete=parsed.incomplete or outcome.incomplete,
    )


def _parsed(entry: Entry, arguments: Any) -> Success | Failure:
    """Return the arguments as a value; an empty text means that there are no arguments."""
    if not isinstance(arguments, str | bytes | bytearray):
        return Success(data={} if arguments is None else arguments)
    text = bytes(arguments) if isinstance(arguments, bytearray) else arguments
    return entry.function.parse(text) if text.strip() else Success(data={})
