"""An application as HTML for a notebook."""

from collections.abc import Sequence

from specfn.function.function import Function
from specfn.notebook import Table, html
from specfn.records import OperationError


def application_html(
    title: str, functions: Sequence[Function], errors: Sequence[OperationError]
) -> str:
    """Return the functions and the operations that are not functions as tables."""
    functions_table = Table(
        "Functions",
        ("name", "operation", "safety", "summary"),
        ((each.name, _operation(each), each.safety, each.summary) for each in functions),
        len(functions),
    )
    errors_table = Table(
        "Not functions",
        ("operation", "reason", "pointer"),
        ((_operation(each), each.reason, each.pointer) for each in errors),
        len(errors),
    )
    return html(title, tables=(functions_table, errors_table))


def _operation(item: Function | OperationError) -> str:
    return f"{item.method.upper()} {item.path}"
