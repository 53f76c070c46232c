"""A conversation in which a model calls functions, for any model.

>>> from specfn import calling
>>> outcome = calling.run(app, send, connector=connector, messages="List the pets", connection=to_shop)

The names of this module are imported when they are first used.
"""

TYPE_CHECKING = False

if TYPE_CHECKING:
    from specfn.calling.approval import (
        ApprovalRequest,
        Approve,
        Approver,
        AsyncApprover,
        Decision,
        Defer,
        Deny,
    )
    from specfn.calling.catalog import Catalog, NamePolicy
    from specfn.calling.choice import (
        Auto,
        Choice,
        ChoiceOptions,
        Filters,
        NoCall,
        Plan,
        Required,
        Round,
        parse_choice,
        register_choice,
    )
    from specfn.calling.config import InvocationConfig
    from specfn.calling.drive import Sender, arun, run
    from specfn.calling.effects import Ask, Done, Effect, Invoke, Invoked, Send
    from specfn.calling.events import (
        Checked,
        Decided,
        Ended,
        Event,
        Executed,
        Listener,
        Replied,
        Requested,
        Resolved,
    )
    from specfn.calling.history import Messages
    from specfn.calling.invoke import CallContext, Filter, Next
    from specfn.calling.outcome import CallRecord, Outcome, Stopped
    from specfn.calling.prompt_files import PromptSettings, Settings
    from specfn.calling.resolve import Resolution
    from specfn.calling.session import Session
else:
    _HOMES = {
        "ApprovalRequest": "approval",
        "Approve": "approval",
        "Approver": "approval",
        "Ask": "effects",
        "AsyncApprover": "approval",
        "Auto": "choice",
        "CallContext": "invoke",
        "CallRecord": "outcome",
        "Catalog": "catalog",
        "Checked": "events",
        "Choice": "choice",
        "ChoiceOptions": "choice",
        "Decided": "events",
        "Decision": "approval",
        "Defer": "approval",
        "Deny": "approval",
        "Done": "effects",
        "Effect": "effects",
        "Ended": "events",
        "Event": "events",
        "Executed": "events",
        "Filter": "invoke",
        "Filters": "choice",
        "InvocationConfig": "config",
        "Invoke": "effects",
        "Invoked": "effects",
        "Listener": "events",
        "Messages": "history",
        "NamePolicy": "catalog",
        "Next": "invoke",
        "NoCall": "choice",
        "Outcome": "outcome",
        "Plan": "choice",
        "PromptSettings": "prompt_files",
        "Replied": "events",
        "Requested": "events",
        "Required": "choice",
        "Resolution": "resolve",
        "Resolved": "events",
        "Round": "choice",
        "Send": "effects",
        "Sender": "drive",
        "Session": "session",
        "Settings": "prompt_files",
        "Stopped": "outcome",
        "arun": "drive",
        "parse_choice": "choice",
        "register_choice": "choice",
        "run": "drive",
    }

    def __getattr__(name: str) -> object:
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
        from importlib import import_module  # noqa: PLC0415  # not before a name is used

        value = getattr(import_module(f"{__name__}.{home}"), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})


__all__ = [
    "ApprovalRequest",
    "Approve",
    "Approver",
    "Ask",
    "AsyncApprover",
    "Auto",
    "CallContext",
    "CallRecord",
    "Catalog",
    "Checked",
    "Choice",
    "ChoiceOptions",
    "Decided",
    "Decision",
    "Defer",
    "Deny",
    "Done",
    "Effect",
    "Ended",
    "Event",
    "Executed",
    "Filter",
    "Filters",
    "InvocationConfig",
    "Invoke",
    "Invoked",
    "Listener",
    "Messages",
    "NamePolicy",
    "Next",
    "NoCall",
    "Outcome",
    "Plan",
    "PromptSettings",
    "Replied",
    "Requested",
    "Required",
    "Resolution",
    "Resolved",
    "Round",
    "Send",
    "Sender",
    "Session",
    "Settings",
    "Stopped",
    "arun",
    "parse_choice",
    "register_choice",
    "run",
]
