r"""Exceptions of specfn, by the party at fault.

::

    SpecfnError
    ├── DocumentError          the author of the document
    ├── ArgumentError          the model
    ├── UnknownFunctionError   the model, or the caller who named a function
    ├── UsageError             the caller
    ├── LimitError             no party: a limit of the caller was reached
    ├── HTTPStatusError        the server responded with an error status
    ├── ResponseError          the server responded with something that the document does not declare
    └── TransportError         the server did not respond

Errors have fields and compose their text from them. The text never contains a credential. Invisible characters of a
document, a model or a server are written as ``\uXXXX`` in the text. The fields contain them unchanged.
"""

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from specfn.records import ArgumentProblem


class SpecfnError(Exception):
    """The base of every error that specfn raises on purpose.

    Attributes:
        next: the arguments of the page that failed, if an iteration over pages raised the error; else ``None``.
    """

    next: Any = None

    def __str__(self) -> str:
        from specfn._internal.characters import escape_invisible  # noqa: PLC0415  # only for errors that are shown

        return escape_invisible(self._text())

    def _text(self) -> str:
        """Return the text of the fields, with their characters unchanged."""
        return super().__str__()


class DocumentError(SpecfnError):
    """A document that cannot be read as OpenAPI or Swagger.

    Attributes:
        reason: a sentence with the fault and the correction.
        pointer: JSON Pointer of the fault in the document; empty for the document as a whole.
    """

    def __init__(self, reason: str, *, pointer: str = "") -> None:
        super().__init__(reason)  # the argument for pickling; the pointer is pickled as state
        self.reason = reason
        self.pointer = pointer

    def _text(self) -> str:
        return f"{self.reason} (at #{self.pointer})" if self.pointer else self.reason


class ArgumentError(SpecfnError):
    """Arguments that are not valid for a function. Nothing was sent.

    Attributes:
        function: the function's name.
        problems: every place that is wrong.
    """

    def __init__(self, function: str, problems: "Sequence[ArgumentProblem]") -> None:
        super().__init__(function, tuple(problems))
        self.function = function
        self.problems = tuple(problems)

    def _text(self) -> str:
        shown = "; ".join(str(problem) for problem in self.problems[:5])
        more = f"; and {len(self.problems) - 5} more" if len(self.problems) > 5 else ""
        return f"the arguments of {self.function} are not valid: {shown}{more}"


class UnknownFunctionError(SpecfnError, KeyError):
    """A name that no function has.

    Attributes:
        called: the name that was used.
        suggestions: at most three similar names.
    """

    def __init__(self, called: str, suggestions: "Sequence[str]" = ()) -> None:
        super().__init__(called, tuple(suggestions))
        self.called = called
        self.suggestions = tuple(suggestions)

    def _text(self) -> str:
        meant = f"; did you mean {' or '.join(self.suggestions)}?" if self.suggestions else ""
        return f"there is no function {self.called!r}{meant}"


class UsageError(SpecfnError):
    """specfn was asked for something that it cannot do as it was asked.

    Attributes:
        sent: a request was sent before the mistake appeared, as that of a hook that is called with the result.
    """

    def __init__(self, reason: str, *, sent: bool = False) -> None:
        super().__init__(
            reason
        )  # the argument of a pickled error; its attributes are pickled as state
        self.sent = sent


def wrong_result(name: str, found: object, expected: str, *, sent: bool = False) -> UsageError:
    """Return the error for a hook of the caller that returned something else.

    Args:
        name: the hook as callers write it.
        found: the value that it returned.
        expected: a description of the value that it must return.
        sent: a request was sent before.
    """
    kind = "None" if found is None else type(found).__name__
    return UsageError(f"{name} returned {kind}; return {expected}", sent=sent)


class LimitError(SpecfnError):
    """A limit of the caller that was reached."""


class ServerResponse(Protocol):
    """The parts of a server's response that an error reports; a ``specfn.Result``."""

    @property
    def status(self) -> int:
        """Return the HTTP status."""

    @property
    def headers(self) -> "Mapping[str, str]":
        """Return the headers by lower-case name."""

    @property
    def media_type(self) -> str | None:
        """Return the media type without parameters."""

    @property
    def data(self) -> Any:
        """Return a JSON value, a text or bytes; ``None`` for an empty response."""

    @property
    def truncated(self) -> bool:
        """Return whether the response was longer than the part that was kept."""

    def for_model(self, limit: int = ...) -> str:
        """Return the response as text for a model."""

    def without_secrets(self) -> "ServerResponse":
        """Return the response as texts show it."""


class HTTPStatusError(SpecfnError):
    """A response with a status outside 2xx.

    Attributes:
        result: the whole answer, as ``propagate`` would have returned it.
        call: the operation, e.g. ``GET /notes/{id} (notes_getById)``; empty if it is not known.
        status: the HTTP status.
        excerpt: the beginning of the response as one line, with masked secrets of the connection. It is empty for an
            empty or binary response, and if the secrets are not known (hooks, own clients, and credentials that a
            function returns).
        advice: which credentials were not sent, after a 401 or 403, or where a redirect leads that was not followed; else
            empty.
    """

    def __init__(
        self, result: ServerResponse, call: str = "", *, excerpt: str = "", advice: str = ""
    ) -> None:
        super().__init__(
            result, call
        )  # the arguments for pickling; the excerpt is pickled as state
        self.result = result
        self.call = call
        self.excerpt = excerpt
        self.advice = advice

    @property
    def status(self) -> int:
        """Return the HTTP status."""
        return self.result.status

    def _text(self) -> str:
        text = f"{self.call or 'the call'}: the server responded with {self.result.status}"
        text = f"{text}: {self.excerpt}" if self.excerpt else text
        return f"{text} ({self.advice})" if self.advice else text


class ResponseError(SpecfnError):
    """A successful response that differs from the document.

    Attributes:
        result: the whole answer.
        problems: every place that differs from the document; paths begin with ``$output``.
        call: the operation.
    """

    def __init__(
        self, result: ServerResponse, problems: "Sequence[ArgumentProblem]", call: str = ""
    ) -> None:
        super().__init__(result, tuple(problems), call)
        self.result = result
        self.problems = tuple(problems)
        self.call = call

    def _text(self) -> str:
        return f"{self.call or 'the call'}: {describe_response_problems(self.problems)}"


class ResponseWarning(UserWarning):
    """The warning for a response that differs from the document."""


def describe_response_problems(problems: "Sequence[ArgumentProblem]") -> str:
    """Return the differences of a response from the document in one line, without values."""
    shown = "; ".join(str(problem) for problem in problems[:5])
    more = f"; and {len(problems) - 5} more" if len(problems) > 5 else ""
    return f"the response does not match the document: {shown}{more}"


class TransportError(SpecfnError):
    """No complete response was received.

    The server could not be reached, broke off, or responded in a content encoding that was not requested; or a callable
    for a credential raised, and nothing was sent.

    Attributes:
        sent: the request may have reached the server; ``False`` if no byte of it was sent.
        scheme: the security scheme whose callable raised; ``None`` for any other failure.
        has_begun: the headers of a response arrived.
        encoding: the content encoding of the response, if it is one that is not read.
    """

    def __init__(
        self,
        reason: str,
        *,
        sent: bool = True,
        scheme: str | None = None,
        has_begun: bool = False,
        encoding: str | None = None,
    ) -> None:
        super().__init__(
            reason
        )  # the argument of a pickled error; its attributes are pickled as state
        self.sent = sent
        self.scheme = scheme
        self.has_begun = has_begun
        self.encoding = encoding
