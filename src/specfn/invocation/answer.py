"""The answer to one call: its kind, the text for the model, and the result of the server."""

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from specfn._internal.json import JsonObject
from specfn._internal.values import brief
from specfn.errors import SpecfnError
from specfn.invocation.storage import encode, repair_as_json, summary_as_json
from specfn.records import Repair

if TYPE_CHECKING:
    from specfn.http.response.response import Result

#: The maximum number of characters of the text in the ``repr`` of an answer.
_SHOWN: Final = 300

#: The kinds of answers; ``docs/binding.md`` lists them.
AnswerKind: TypeAlias = Literal[
    "answered",
    "accepted",
    "http_error",
    "invalid",
    "unknown_function",
    "refused",
    "needs_approval",
    "needs_human",
    "unreachable",
    "timed_out",
    "unreadable",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingCall:
    """A call that waits for an approval.

    Attributes:
        token: resumes the call: pass it as ``granted``. It is a secret: it appears in no text, repr or JSON form.
        function: the name of the function.
        safety: ``read``, ``write`` or ``destructive``.
        arguments: a copy of the arguments that will be sent, after all repairs, with a masked human part.
        expires: the time at which the token expires, in seconds since the epoch.
    """

    token: str = field(repr=False)
    function: str
    safety: str
    arguments: Any
    expires: float

    def as_json(self) -> JsonObject:
        """Return the call as JSON, without the token."""
        return {
            "function": self.function,
            "safety": self.safety,
            "arguments": summary_as_json(self.arguments),
            "expires": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.expires)),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to one call.

    Attributes:
        text: the text for the model.
        kind: ``answered`` (2xx), ``accepted`` (202: the server may still work on it), ``http_error`` (any other status,
            or a response that ``validate_response="raise"`` refuses), ``invalid`` (arguments), ``unknown_function``,
            ``refused``, ``needs_approval``, ``needs_human``, ``unreachable`` (not sent), ``timed_out`` (sent, outcome
            unknown) or ``unreadable`` (the content encoding of the response).
        result: the response of the server, or ``None``.
        repairs: the repairs of the arguments.
        next: the model's complete arguments for the next page; ``None`` after the last page, or if they are not known.
        next_is_certain: the response says that there is a next page; false if only calling it will show.
        dropped: ``{"fields": [paths, at most 50], "items": number}`` that were left out of the text; ``None`` if
            nothing was. The operator's ``Drop`` is not in it.
        pending: the call that waits, if ``kind`` is ``needs_approval``; of a server, also if it is ``needs_human``.
    """

    text: str
    kind: AnswerKind
    result: "Result | None" = None
    repairs: tuple[Repair, ...] = ()
    next: Any = None
    next_is_certain: bool = False
    dropped: JsonObject | None = None
    pending: PendingCall | None = None

    def __repr__(self) -> str:
        text = self.text if len(self.text) <= _SHOWN else f"{self.text[:_SHOWN]}..."
        return f"Answer(kind={self.kind!r}, text={text!r}, next={brief(self.next)})"

    def _repr_html_(self) -> str:
        from specfn.notebook import html  # noqa: PLC0415  # for notebooks only

        following = {} if self.next is None else {"Arguments of the next page": self.next}
        return html(f"<Answer {self.kind}>", text=self.text, values=following)

    @property
    def ok(self) -> bool:
        """Return whether the server responded with success."""
        return self.kind in ("answered", "accepted")

    def data(self) -> Any:
        """Return the data of the response.

        Raises:
            CallError: the server did not respond with success.
        """
        if self.result is None or not self.ok:
            raise CallError(self)
        return self.result.data

    def as_json(self) -> JsonObject:
        """Return the answer as JSON. It contains neither headers of the response nor the token of a pending call."""
        return {
            "text": self.text,
            "kind": self.kind,
            "result": None if self.result is None else _result(self.result),
            "repairs": [repair_as_json(repair) for repair in self.repairs],
            "next": self.next,
            "dropped": self.dropped,
            "pending": None if self.pending is None else self.pending.as_json(),
        }


def _result(result: "Result") -> JsonObject:
    result = result.without_secrets()
    return {
        "status": result.status,
        "media_type": result.media_type,
        "data": encode(result.data),
        "truncated": result.truncated,
    }


class CallError(SpecfnError):
    """A call that was not answered with success. Its text is the text for the model.

    Attributes:
        answer: the answer to the call.
    """

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer)
        self.answer = answer

    def _text(self) -> str:
        return self.answer.text
