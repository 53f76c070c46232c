"""Failures that a vendor reports instead of a reply or within a stream (rule C10)."""

from collections.abc import Mapping
from typing import Any, Final

from specfn._internal.characters import shorten
from specfn._internal.json import JsonObject, dumps
from specfn.errors import TransportError

#: Members with the kind of an error, and members with its message, most specific first.
_KINDS: Final = ("type", "code", "status", "__type")
_MESSAGES: Final = ("message", "Message", "msg", "detail", "reason")

#: The maximum number of characters of a vendor's message in an error.
_MAX_MESSAGE_CHARACTERS: Final = 1_000

#: The states in which a reply has no output.
_FAILED: Final = frozenset({"failed", "cancelled"})


def is_failure(data: JsonObject) -> bool:
    """Return whether a reply or an event of a stream reports a failure."""
    return _failure(data) is not None


def refuse_failure(data: JsonObject, vendor: str) -> None:
    """Raise an error if a reply reports a failure.

    Raises:
        TransportError: the reply reports a failure; the message has the vendor's kind and message.
    """
    failure = _failure(data)
    if failure is not None:
        message = shorten(_description(failure), _MAX_MESSAGE_CHARACTERS)
        raise TransportError(f"{vendor} reported an error instead of a reply: {message}")


def refuse_other(data: JsonObject, vendor: str) -> None:
    """Raise an error if an object that is no reply has an error message.

    Raises:
        TransportError: the object has a message, like errors of some servers.
    """
    if any(data.get(key) for key in _MESSAGES):
        refuse_failure({"error": data}, vendor)


def missing_member(vendor: str, member: str) -> str:
    """Return the text of the error for a reply without a required member."""
    return (
        f'the reply has no "{member}", which replies of {vendor} have: check that connector= names the format of '
        "this reply"
    )


def _failure(data: JsonObject) -> Any:
    """Return the failure that a reply reports; ``None`` if it reports no failure."""
    if data.get("error"):
        return data["error"]
    if "error" in (data.get("type"), data.get("object")) or "__type" in data:
        return data
    if data.get("status") in _FAILED:
        return {"status": data["status"]}
    return _exception(data) or _choice_failure(data)


def _exception(data: JsonObject) -> JsonObject | None:
    """Return the exception of an event whose member is named after it."""
    for key, value in data.items():
        if key.endswith("Exception") and isinstance(value, Mapping):
            return {"type": key, **value}
    return None


def _choice_failure(data: JsonObject) -> Any:
    choices = data.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, Mapping):
        return None
    failed = choice.get("finish_reason") == "error"
    return choice.get("error") or ({"status": "finish_reason error"} if failed else None)


def _description(failure: Any) -> str:
    """Return the kind and the message of a failure as one text."""
    if isinstance(failure, str):
        return failure
    if not isinstance(failure, Mapping):
        return dumps(failure).decode()
    kinds = (str(failure[key]) for key in _KINDS if failure.get(key))
    kind = next((kind for kind in kinds if kind != "error"), "")
    message = next((failure[key] for key in _MESSAGES if failure.get(key)), "")
    text = message if isinstance(message, str) else dumps(message).decode()
    return ": ".join(filter(None, (kind, text))) or dumps(failure).decode()
