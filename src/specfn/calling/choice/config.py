"""What the operator allows a conversation to do: ``InvocationConfig`` (rule C2)."""

from collections.abc import Callable
from typing import Annotated, Any, Final, Literal

from pydantic import AliasChoices, ConfigDict, Field

from specfn._internal.settings_model import Model, Texts

#: The names of ``max_rounds`` in other frameworks.
_ROUNDS: Final = ("max_auto_invoke_attempts", "maximum_auto_invoke_attempts")


class InvocationConfig(Model):
    """How far a conversation may go. It is the operator's: no prompt can widen it.

    Attributes:
        auto_invoke: execute valid calls; otherwise the first ones are reported and the loop ends.
        max_rounds: the most requests with functions; also read as ``max_auto_invoke_attempts``. With 0
            nothing is executed.
        max_repair_rounds: the most rounds in a row in which calls failed and none was executed.
        max_identical_failures: how often the same failing call is answered before the loop ends.
        max_calls_per_round: the most calls of one turn; those beyond are answered, not executed.
        deadline: the most seconds for the whole conversation; ``None`` for no limit.
        approval: which calls somebody must agree to: those that are not ``read`` (``unsafe``), ``always``,
            ``never``, or a callable that says so of a function.
        allow: the functions that may be offered at all, by any of their names or by pattern; all where
            ``None``.
        on_limit: at ``max_rounds``, ask once more for a ``final_answer`` without calls, or ``stop``.
        after_result: hand results to the ``model``, or end and ``return`` them.
        return_direct: functions whose results end the conversation, by any of their names or by pattern.
        recovery_hint: add a sentence to the system text that tells the model to correct failed calls.
        result_limit: the most characters of a result that the model is shown.
        repeat_writes: a non-idempotent call that succeeded before in this conversation, or was sent and got no response,
            with the same function and arguments: ``ask`` for approval even if ``approval`` does not, or ``allow`` it.
            In one turn, the second of two such calls waits for the first.
        forced_choice: whether the model can be made to call; the connector's knowledge where ``None``.
        history_names: the names of calls in the history: ``resolved`` to the functions that were called, or ``called``,
            as the model wrote them.
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
    approval: Literal["unsafe", "always", "never"] | Callable[[Any], bool] = "unsafe"
    allow: Texts | None = None
    on_limit: Literal["final_answer", "stop"] = "final_answer"
    after_result: Literal["model", "return"] = "model"
    return_direct: Texts = ()
    recovery_hint: bool = True
    result_limit: Annotated[int, Field(ge=200)] = 20_000
    repeat_writes: Literal["ask", "allow"] = "ask"
    forced_choice: bool | None = None
    history_names: Literal["called", "resolved"] = "resolved"

    def with_at_most(self, rounds: int | None) -> "InvocationConfig":
        """Return the same with at most so many rounds."""
        if rounds is None or rounds >= self.max_rounds:
            return self
        return self.model_copy(update={"max_rounds": rounds})
