"""Document faults that are reported when a function is first used: a charset that cannot be encoded (rule X5).

``Function.parameters`` and calls raise the fault, and lists of tools leave the function out. Names, descriptions,
fingerprints and reports include it.
"""

from typing import Any, Final

from specfn.errors import DocumentError
from specfn.migrate.route import Route
from specfn.records import ArgumentProblem

#: Bodies whose texts are encoded in a charset that the document names.
_IN_CHARSETS: Final = frozenset({"multipart", "text", "xml"})


def fault_of(route: Route) -> DocumentError | None:
    """Return the fault for which no request of a route can be written, or ``None``."""
    body = route.body
    if body is None or body.kind not in _IN_CHARSETS:
        return None
    from specfn.http.charsets import unsendable_charset  # noqa: PLC0415  # few bodies are texts

    return unsendable_charset(body)


def need_sendable(route: Route) -> None:
    """Raise the fault of a route for which no request can be written.

    Raises:
        DocumentError: the fault.
    """
    fault = fault_of(route)
    if fault is not None:
        raise fault


def uncallable(arguments: Any, error: DocumentError) -> tuple[ArgumentProblem, ...]:
    """Return the problem of all arguments for a schema that cannot be enforced and so admits nothing."""
    text = f"The function cannot be called: {error.reason}."
    return (ArgumentProblem(path="$input", expected="never", value=arguments, description=text),)
