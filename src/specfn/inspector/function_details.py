"""The details of one function: its operation, the schemas of specfn, and what a model reads for each profile."""

from collections.abc import Iterable
from typing import Any

from specfn._internal.json import JsonObject
from specfn.application.application import Application
from specfn.errors import DocumentError
from specfn.function.function import Function
from specfn.inspector.document_places import place_of_edit
from specfn.inspector.example_arguments import example_arguments
from specfn.records import Edit, members
from specfn.tools.tool import LeftOut
from specfn.tools.tool_set import ToolSet


def function_details(application: Application, function: Function) -> JsonObject:
    """Return the details of a function that do not depend on a profile.

    ``enforced`` is the schema that is validated, ``human`` the schema of the human part. ``edits`` has the place of
    each edit in the document.
    """
    fault = function.fault
    return {
        "operationId": function.operation_id,
        "tags": list(function.tags),
        "idempotent": function.idempotent,
        "security": [dict(each) for each in function.security],
        "fault": None if fault is None else str(fault),
        "enforced": None if fault else function.model_function.validator,
        "example": None if fault else example_arguments(function.model_function.validator),
        "output": function.output,
        "human": _human(function),
        "edits": edits_with_places(application, function, function.model_function.edits),
        "notes": [*map(members, function.notes)],
    }


def _human(function: Function) -> Any:
    separated = function.separated
    return None if separated is None else separated.human


def edits_with_places(
    application: Application, function: Function, edits: Iterable[Edit]
) -> list[JsonObject]:
    """Return edits as JSON, each with the pointer of its nearest declaration in the document as ``at``."""
    document = application.document
    return [
        {**members(edit), "at": place_of_edit(document, function, edit.pointer)} for edit in edits
    ]


def model_view(application: Application, function: Function, tools: ToolSet) -> JsonObject:
    """Return the name, description, schema and edits of a function as a model sees them with a profile.

    If the profile has no such tool, the result has only ``refused``, the reason.
    """
    if function.name not in tools:
        return {"refused": str(function.fault or DocumentError("the function has no tool"))}
    tool = tools.compose(function.name)
    if isinstance(tool, LeftOut):
        return {"refused": tool.reason}
    assert tool is not None
    return {
        "name": tool.name,
        "description": tool.description,
        "schema": tool.fit.schema,
        "strict": tool.fit.strict,
        "tokens": tool.tokens,
        "edits": edits_with_places(application, function, tool.edits),
    }
