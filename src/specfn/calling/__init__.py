"""Conversations in which a model calls functions, for any model.

>>> from specfn import calling
>>> outcome = calling.run(app, send, connector=connector, messages="List the pets", connection=to_shop)

Names of this module are imported on first use.
"""

TYPE_CHECKING = False

if TYPE_CHECKING:
    from specfn.calling.call_answer import Answer, AnswerKind, CallError, PendingCall
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
    from specfn._internal.lazy_names import lazy_names

    _HOMES = {
        "Answer": "specfn.calling.call_answer",
        "AnswerKind": "specfn.calling.call_answer",
        "ApprovalRequest": "specfn.calling.calls.approval",
        "Approve": "specfn.calling.calls.approval",
        "Approver": "specfn.calling.calls.approval",
        "Ask": "specfn.calling.calls.effects",
        "AsyncApprover": "specfn.calling.calls.approval",
        "Auto": "specfn.calling.choice.choice",
        "CallContext": "specfn.calling.calls.invoke",
        "CallError": "specfn.calling.call_answer",
        "CallRecord": "specfn.calling.outcome",
        "Catalog": "specfn.calling.names.catalog",
        "Checked": "specfn.calling.events",
        "Choice": "specfn.calling.choice.choice",
        "ChoiceOptions": "specfn.calling.choice.choice",
        "Decided": "specfn.calling.events",
        "Decision": "specfn.calling.calls.approval",
        "Defer": "specfn.calling.calls.approval",
        "Deny": "specfn.calling.calls.approval",
        "Done": "specfn.calling.calls.effects",
        "Effect": "specfn.calling.calls.effects",
        "Ended": "specfn.calling.events",
        "Event": "specfn.calling.events",
        "Executed": "specfn.calling.events",
        "Filter": "specfn.calling.calls.invoke",
        "Filters": "specfn.calling.choice.choice",
        "InvocationConfig": "specfn.calling.choice.config",
        "Invoke": "specfn.calling.calls.effects",
        "Invoked": "specfn.calling.calls.effects",
        "Listener": "specfn.calling.events",
        "Messages": "specfn.calling.calls.history",
        "NamePolicy": "specfn.calling.names.catalog",
        "Next": "specfn.calling.calls.invoke",
        "NoCall": "specfn.calling.choice.choice",
        "Outcome": "specfn.calling.outcome",
        "PendingCall": "specfn.calling.call_answer",
        "Plan": "specfn.calling.choice.choice",
        "PromptSettings": "specfn.calling.choice.prompt_files",
        "Replied": "specfn.calling.events",
        "Requested": "specfn.calling.events",
        "Required": "specfn.calling.choice.choice",
        "Resolution": "specfn.calling.names.resolve",
        "Resolved": "specfn.calling.events",
        "Round": "specfn.calling.choice.choice",
        "Send": "specfn.calling.calls.effects",
        "Sender": "specfn.calling.drive",
        "Session": "specfn.calling.session",
        "Settings": "specfn.calling.choice.prompt_files",
        "Stopped": "specfn.calling.outcome",
        "arun": "specfn.calling.drive",
        "parse_choice": "specfn.calling.choice.choice",
        "register_choice": "specfn.calling.choice.choice",
        "run": "specfn.calling.drive",
    }

    __getattr__, __dir__ = lazy_names(globals(), _HOMES)


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
    "CallError",
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
