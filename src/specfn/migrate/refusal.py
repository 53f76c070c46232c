"""Why an operation cannot be a route; it becomes an ``OperationError``."""

from specfn.records import OperationCode


class Refused(Exception):  # noqa: N818  # it never leaves the room
    """An operation that cannot be a route.

    Attributes:
        code: a short stable word.
        reason: what is wrong and what to do.
        pointer: JSON Pointer of the fault in the document.
    """

    def __init__(self, code: OperationCode, reason: str, pointer: str) -> None:
        super().__init__(code, reason, pointer)
        self.code = code
        self.reason = reason
        self.pointer = pointer


def lost_reference(reference: str, pointer: str) -> Refused:
    """The refusal of an operation whose request needs a reference that leads nowhere (rule N3)."""
    if reference.startswith("#"):
        reason = f"the reference {reference!r} leads nowhere; correct it in the document"
        return Refused("reference", reason, pointer)
    reason = (
        f"the reference {reference!r} leads to another document, which was not read: "
        "Options.references says which may be, application.diagnostics what was tried"
    )
    return Refused("external", reason, pointer)
