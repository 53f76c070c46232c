"""What a model reads when a bound call was not answered: what happened, whether it was executed, what to do next."""

from typing import Final

from specfn.errors import SpecfnError
from specfn.function.function import Function

_UNKNOWN: Final = "Whether it was executed is not known."

_AGAIN: Final = "You may call it once more; if that fails, too, tell the user."

_ASK: Final = "Do not call it again before you have made sure, or asked the user."


def refusal(function: Function, *, asked: bool) -> str:
    """A call that nobody allowed."""
    who = "the user did not agree to it" if asked else "such calls are not allowed here"
    what = "may change data" if function.safety == "write" else "may destroy data"
    if function.safety == "read":
        what = "reads data"
    return (
        f"The call of {function.name} was refused: it {what}, and {who}. Nothing was executed."
        " Do not try to reach the same by other calls; tell the user what you wanted to do."
    )


def unfilled(function: Function, *, asked: bool) -> str:
    """A call whose other part is a person's; what is wrong with that is none of the model's business."""
    why = "the user did not fill in their part of it" if asked else "the user cannot be asked here"
    return (
        f"The call of {function.name} needs values that only the user fills in, and {why}."
        " Nothing was executed. Your arguments are right; do not ask for those values, and do not make them up:"
        " tell the user what you wanted to do."
    )


def unfinished() -> str:
    """Arguments whose text ended too early, for a call that is not only a look."""
    return (
        "The text of the arguments ended before they were complete. Nothing was executed."
        " Call the function again with all of its arguments."
    )


def silence(function: Function, error: SpecfnError) -> str:
    """A server that did not answer."""
    following = _AGAIN if function.safety == "read" else f"{_UNKNOWN} {_ASK}"
    return f"The call of {function.name} was not answered: {error}. {following}"
