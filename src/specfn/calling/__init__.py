"""Conversations in which a model calls functions, for any model.

>>> from specfn import calling
>>> outcome = calling.run(app, send, connector=connector, messages="List the pets", connection=to_shop)

Names of this module are imported on first use.
"""

TYPE_CHECKING = False

if TYPE_CHECKING:
    from specfn.calling.call_answer import Answer, AnswerKind, PendingCall
    from specfn.calling.calls.approval import (
        ApprovalRequest,
        Approve,
        Approver,
        AsyncApprover,
        Decision,
        Defer,
        Deny,
    )
    from specfn.calling.calls.effects import Ask, Done, Effect, Invoke, Invoked, Send
    from specfn.calling.calls.history import Messages
    from specfn.calling.calls.invoke import CallContext, Filter, Next
    from specfn.calling.choice.choice import (
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
    from specfn.calling.choice.config import InvocationConfig
    from specfn.calling.choice.prompt_files import PromptSettings, Settings
    from specfn.calling.drive import Sender, arun, run
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
    from specfn.calling.names.catalog import Catalog, NamePolicy
    from specfn.calling.names.resolve import Resolution
    from specfn.calling.outcome import CallRecord, Outcome, Stopped
    from specfn.calling.session import Session
else:
    _HOMES = {
        "Answer": "call_answer",
        "AnswerKind": "call_answer",
        "ApprovalRequest": "calls.approval",
        "Approve": "calls.approval",
        "Approver": "calls.approval",
        "Ask": "calls.effects",
        "AsyncApprover": "calls.approval",
        "Auto": "choice.choice",
        "CallContext": "calls.invoke",
        "CallRecord": "outcome",
        "Catalog": "names.catalog",
        "Checked": "events",
        "Choice": "choice.choice",
        "ChoiceOptions": "choice.choice",
        "Decided": "events",
        "Decision": "calls.approval",
        "Defer": "calls.approval",
        "Deny": "calls.approval",
        "Done": "calls.effects",
        "Effect": "calls.effects",
        "Ended": "events",
        "Event": "events",
        "Executed": "events",
        "Filter": "calls.invoke",
        "Filters": "choice.choice",
        "InvocationConfig": "choice.config",
        "Invoke": "calls.effects",
        "Invoked": "calls.effects",
        "Listener": "events",
        "Messages": "calls.history",
        "NamePolicy": "names.catalog",
        "Next": "calls.invoke",
        "NoCall": "choice.choice",
        "Outcome": "outcome",
        "PendingCall": "call_answer",
        "Plan": "choice.choice",
        "PromptSettings": "choice.prompt_files",
        "Replied": "events",
        "Requested": "events",
        "Required": "choice.choice",
        "Resolution": "names.resolve",
        "Resolved": "events",
        "Round": "choice.choice",
        "Send": "calls.effects",
        "Sender": "drive",
        "Session": "session",
        "Settings": "choice.prompt_files",
        "Stopped": "outcome",
        "arun": "drive",
        "parse_choice": "choice.choice",
        "register_choice": "choice.choice",
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
    "Answer",
    "AnswerKind",
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
    "PendingCall",
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
