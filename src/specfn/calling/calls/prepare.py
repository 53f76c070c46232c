"""A model's call to a call that can be made, or to the text that says why not (rules C4, C11)."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from specfn.calling.calls import prompts
from specfn.calling.calls.sendable import checked
from specfn.calling.names.catalog import Catalog, Entry
from specfn.calling.names.resolve import Resolution
from specfn.calling.offered_tools import Offer
from specfn.catalog.tools.tools import offered as to_offer
from specfn.connectors.turn import Call
from specfn.function.arguments.wrapper import WrapperNames, unwrapped
from specfn.records import Repair
from specfn.validation.outcome import Failure, Success


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """One call, looked up and checked.

    Attributes:
        call: as the model wrote it.
        resolution: what became of its name.
        entry: the function that was meant; ``None`` where none was found.
        arguments: as they were understood, under the document's own keys.
        repairs: what was repaired in them.
        removed: what was taken out of them, as the model reads it with the result.
        errors: what is wrong, a sentence each.
        problems: the places in the arguments that are wrong.
        answer: what the model is told instead of a result; ``None`` where the call can be made.
    """

    call: Call
    resolution: Resolution
    entry: Entry | None = None
    arguments: Any = None
    repairs: tuple[Repair, ...] = ()
    removed: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    answer: str | None = None

    @property
    def name(self) -> str:
        """The function's advertised name; empty where none was found."""
        return "" if self.entry is None else self.entry.name


def prepare(call: Call, catalog: Catalog, offered: Offer) -> Prepared:
    """Look a call's function up and check its arguments.

    Args:
        call: the model's call.
        catalog: the functions.
        offered: what this request offered.
    """
    called = offered.advertised(call["name"])
    resolution = replace(_resolved(called, catalog, offered), called=call["name"])
    if resolution.name is None:
        text = unresolved(resolution, offered)
        return Prepared(call=call, resolution=resolution, errors=(text,), answer=text)
    entry = catalog.by_name[resolution.name]
    names = _names(entry, catalog, offered)
    return _checked(call, resolution, entry, offered, names)


def _resolved(called: str, catalog: Catalog, offered: Offer) -> Resolution:
    """Find the offered function of a name.

    A name of a function that exists and is not offered is never repaired to that of another function.
    """
    found = catalog.resolve(called, advertised=offered.names)
    if found.status != "repaired" or found.how == "hook":
        return found
    meant = catalog.directory.meant(called)
    if not meant or found.name in meant:
        return found
    assert found.name is not None
    return Resolution(called=called, status="not_advertised", candidates=(found.name,))


def _names(entry: Entry, catalog: Catalog, offered: Offer) -> WrapperNames:
    """How the name in a wrapper is read: like that of a call."""

    def resolve(text: str) -> str | None:
        found = _resolved(offered.advertised(text), catalog, offered)
        return None if found.name is None else offered.wire[found.name]

    return WrapperNames(offered.wire[entry.name], resolve)


def unresolved(resolution: Resolution, offered: Offer) -> str:
    """What a model is told of a name that means no function, or several."""
    candidates = offered.told(resolution.candidates)
    if resolution.status == "ambiguous":
        return prompts.ambiguous(resolution.called, candidates)
    return prompts.unknown(
        resolution.called,
        candidates,
        sorted(offered.wire.values()),
        arguments_in_name=resolution.arguments_in_name,
    )


def _checked(
    call: Call, resolution: Resolution, entry: Entry, offered: Offer, names: WrapperNames
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
        arguments=outcome.data,
        repairs=outcome.repairs,
        removed=prompts.removed(outcome.repairs, partial(offered.path, entry.name)),
        errors=errors,
        problems=problems,
        answer=answer,
    )


def check(
    entry: Entry, arguments: Any, offered: Offer, names: WrapperNames | None
) -> Success | Failure:
    """Parse, undo the profile's changes, repair and validate what a model wrote for a function.

    Where a person fills in a part, only the model's part is checked.

    Args:
        entry: the function.
        arguments: as the model wrote them.
        offered: what this request offered.
        names: how the name in a wrapper is read; ``None`` where no wrapper is removed.
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
    """What a model wrote as a value; no text at all is how some write no arguments."""
    if not isinstance(arguments, str):
        return Success(data={} if arguments is None else arguments)
    return entry.function.parse(arguments) if arguments.strip() else Success(data={})
