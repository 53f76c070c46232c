"""Errors for operations that cannot be routes; each becomes an ``OperationError``."""

from specfn.records import OperationCode


class Refused(Exception):  # noqa: N818  # it never leaves the package
    """An operation that cannot be a route.

    Attributes:
        code: a short stable code.
        reason: the fault and the advice.
        pointer: the location of the fault in the document.
    """

    def __init__(self, code: OperationCode, reason: str, pointer: str) -> None:
        super().__init__(code, reason, pointer)
        self.code = code
        self.reason = reason
        self.pointer = pointer


def lost_reference(reference: str, pointer: str) -> Refused:
    """Return the error for an operation whose request needs a dangling reference, or one into a document that was not read (rule N3)."""
    if reference.startswith("#"):
        reason = f"the reference {reference!r} has no target; correct it in the document"
        return Refused("reference", reason, pointer)
    reason = (
        f"the reference {reference!r} names another document, which was not read; allow it with "
        "Options.references, or see application.diagnostics for the reason"
    )
    return Refused("external", reason, pointer)
