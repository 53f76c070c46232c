"""Conversations in which a model calls functions, for any model.

Names of this module are imported on first use.
"""

TYPE_CHECKING = False

if TYPE_CHECKING:
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
    from specfn.calling.drive import AsyncSender, Sender, arun, run
    from specfn.calling.effects import Ask, CallResult, Done, Effect, Invoke, Send
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
        TextCall,
    )
    from specfn.calling.filters import CallContext, Filter, Next
    from specfn.calling.history import Messages
    from specfn.calling.outcome import CallRecord, Outcome, Stopped
    from specfn.calling.prompt_files import PromptSettings, Settings
    from specfn.calling.session import Session
    from specfn.invocation.answer import Answer, AnswerKind, CallError, PendingCall
    from specfn.invocation.approval import (
        ApprovalRequest,
        Approve,
        Approver,
        AsyncApprover,
        Decision,
        Defer,
        Deny,
    )
    from specfn.tools.function_set import Catalog, NamePolicy
    from specfn.tools.resolve import Resolution
else:
    from specfn._internal.lazy_names import lazy_names

    _HOMES = {
        "Answer": "specfn.invocation.answer",
        "AnswerKind": "specfn.invocation.answer",
        "ApprovalRequest": "specfn.invocation.approval",
        "Approve": "specfn.invocation.approval",
        "Approver": "specfn.invocation.approval",
        "Ask": "specfn.calling.effects",
        "AsyncApprover": "specfn.invocation.approval",
        "AsyncSender": "specfn.calling.drive",
        "Auto": "specfn.calling.choice",
        "CallContext": "specfn.calling.filters",
        "CallError": "specfn.invocation.answer",
        "CallRecord": "specfn.calling.outcome",
        "Catalog": "specfn.tools.function_set",
        "Checked": "specfn.calling.events",
        "Choice": "specfn.calling.choice",
        "ChoiceOptions": "specfn.calling.choice",
        "Decided": "specfn.calling.events",
        "Decision": "specfn.invocation.approval",
        "Defer": "specfn.invocation.approval",
        "Deny": "specfn.invocation.approval",
        "Done": "specfn.calling.effects",
        "Effect": "specfn.calling.effects",
        "Ended": "specfn.calling.events",
        "Event": "specfn.calling.events",
        "Executed": "specfn.calling.events",
        "Filter": "specfn.calling.filters",
        "Filters": "specfn.calling.choice",
        "InvocationConfig": "specfn.calling.config",
        "Invoke": "specfn.calling.effects",
        "CallResult": "specfn.calling.effects",
        "Listener": "specfn.calling.events",
        "Messages": "specfn.calling.history",
        "NamePolicy": "specfn.tools.function_set",
        "Next": "specfn.calling.filters",
        "NoCall": "specfn.calling.choice",
        "Outcome": "specfn.calling.outcome",
        "PendingCall": "specfn.invocation.answer",
        "Plan": "specfn.calling.choice",
        "PromptSettings": "specfn.calling.prompt_files",
        "Replied": "specfn.calling.events",
        "Requested": "specfn.calling.events",
        "Required": "specfn.calling.choice",
        "Resolution": "specfn.tools.resolve",
        "Resolved": "specfn.calling.events",
        "Round": "specfn.calling.choice",
        "Send": "specfn.calling.effects",
        "Sender": "specfn.calling.drive",
        "Session": "specfn.calling.session",
        "Settings": "specfn.calling.prompt_files",
        "Stopped": "specfn.calling.outcome",
        "TextCall": "specfn.calling.events",
        "arun": "specfn.calling.drive",
        "parse_choice": "specfn.calling.choice",
        "register_choice": "specfn.calling.choice",
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
    "AsyncSender",
    "Auto",
    "CallContext",
    "CallError",
    "CallRecord",
    "CallResult",
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
    "TextCall",
    "arun",
    "parse_choice",
    "register_choice",
    "run",
]
