"""Limits that the operator sets for a conversation: ``InvocationConfig`` (rule C2)."""

from collections.abc import Callable
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AliasChoices, ConfigDict, Field, model_validator

from specfn._internal.settings_model import Model, Texts

#: The names of ``max_rounds`` in other frameworks.
_ROUNDS: Final = ("max_auto_invoke_attempts", "maximum_auto_invoke_attempts")


class InvocationConfig(Model):
    """Limits of a conversation, set by the operator; a prompt cannot widen them.

    Attributes:
        auto_invoke: execute valid calls; otherwise report the calls of the first turn and end.
        max_rounds: the maximum number of requests with functions. With 0, no call is executed.
            ``max_auto_invoke_attempts`` is another name for this field.
        max_repair_rounds: the maximum number of rounds in a row in which calls failed and no call was executed.
        max_identical_failures: the maximum number of times that the same failing call gets feedback. After that, the
            loop ends.
        max_calls_per_round: the maximum number of calls of one turn that are executed; calls beyond it get an error.
        deadline: the maximum number of seconds for the whole conversation; ``None`` for no limit.
        select: the functions that may be offered, by any of their names or by pattern; all if ``None``.
        approval: the calls that need approval: those that are not ``read`` and not in ``allow`` (``unsafe``), ``always``,
            ``never``, or those for whose function a callable returns true.
        allow: what may be called without approval, besides functions that read: safeties (``write``,
            ``destructive``), and functions by any of their names or by pattern. Only with ``approval="unsafe"``.
        on_limit: at ``max_rounds``, request a ``final_answer`` without calls, or ``stop``.
        after_result: send results to the ``model``, or end and ``return`` them.
        return_direct: functions whose results end the conversation, by any of their names or by pattern.
        recovery_hint: add a sentence to the system text that asks the model to correct failed calls.
        result_limit: the maximum number of characters of a result that the model reads; ``None`` for
            ``Options.answer_limit``.
        repeat_writes: ``ask`` for approval of a repeated write even if ``approval`` does not, or ``allow`` it. A
            repeated write is a non-idempotent call that equals an earlier call of the conversation. The earlier call
            succeeded, or got no response. In one turn, the second of two such calls waits for the first.
        forced_choice: whether the vendor can force a call; the connector decides if ``None``.
        finished_reasons: further words of the model's server for a complete reply. With a word that is unknown, only
            functions that read are called.
        text_calls: ``read`` calls that the model writes into its text, for example ``<tool_call>{...}</tool_call>``, or
            only ``report`` them as events.
        history_names: the names of calls in the history: ``resolved`` for the names of the called functions, or
            ``called`` for the names that the model sent.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    auto_invoke: bool = True
    max_rounds: Annotated[
        int,
        Field(ge=0, validation_alias=AliasChoices("max_rounds", *_ROUNDS)),
    ] = 8
    max_repair_rounds: Annotated[int, Field(ge=0)] = 3
    max_identical_failures: Annotated[int, Field(ge=1)] = 2
    max_calls_per_round: Annotated[int, Field(ge=1)] = 16
    deadline: Annotated[float, Field(gt=0)] | None = None
    select: Texts | None = None
    approval: Literal["unsafe", "always", "never"] | Callable[[Any], bool] = "unsafe"
    allow: Texts = ()
    on_limit: Literal["final_answer", "stop"] = "final_answer"
    after_result: Literal["model", "return"] = "model"
    return_direct: Texts = ()
    recovery_hint: bool = True
    result_limit: Annotated[int, Field(ge=200)] | None = None
    repeat_writes: Literal["ask", "allow"] = "ask"
    forced_choice: bool | None = None
    finished_reasons: Texts = ()
    text_calls: Literal["read", "report"] = "report"
    history_names: Literal["called", "resolved"] = "resolved"

    @model_validator(mode="after")
    def _refuse_two_rules(self) -> Self:
        if self.allow and self.approval != "unsafe":
            raise ValueError(
                'allow lists the calls that need no approval, so it works only with approval="unsafe"; to limit the '
                "functions that are offered, use select"
            )
        return self

    def with_at_most(self, rounds: int | None) -> "InvocationConfig":
        """Return the configuration with at most this number of rounds."""
        if rounds is None or rounds >= self.max_rounds:
            return self
        return self.model_copy(update={"max_rounds": rounds})
