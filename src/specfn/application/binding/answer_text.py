"""The text of a successful call, with the arguments of its next page."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from specfn._internal.json import JsonObject
from specfn.application.paging.change import by_key, shown_names, styled
from specfn.application.paging.page_text import PageText, page_text
from specfn.calling.response_fields import ResponseFields
from specfn.catalog.tools.tools import Tool, offered
from specfn.function.function import Function

if TYPE_CHECKING:
    from collections.abc import Sequence

    from specfn.http.connection import Connection
    from specfn.http.response.response import Result


@dataclass(frozen=True, slots=True)
class AnswerText:
    """The text of an answer, with its fields ``next`` and ``dropped``."""

    text: str
    next: Any
    dropped: JsonObject | None


def answer_text(  # noqa: PLR0913  # the parts of one text
    function: Function,
    arguments: Any,
    result: "Result",
    connection: "Connection",
    *,
    limit: int,
    sent_without: "Sequence[str]",
    tool: Tool | None,
    fields: ResponseFields,
    can_filter: bool = False,
) -> AnswerText:
    """Return the text of a response for a model, and the arguments of the next page.

    Args:
        function: the function.
        arguments: the model's part of the valid arguments.
        result: the response.
        connection: the connection of the call.
        limit: the most characters of the text.
        sent_without: the arguments that were removed.
        tool: the function as the model reads it; ``None`` if it is shown as it is.
        fields: the fields that the model reads.
        can_filter: true if the model can ask for fields.
    """
    view = fields.view(function, result)
    model = offered(function)
    found: PageText = page_text(
        model,
        by_key(model, arguments),
        result,
        connection,
        view=view,
        render=lambda room: view.result.for_model(
            room, sent_without=sent_without, shows_bytes=False
        ),
        limit=limit,
        shown=lambda named: shown_names(named, tool),
        can_filter=can_filter,
        hides_next=fields.hides_next(model.paging),
    )
    dropped = None
    if view.filtered.count or found.hidden:
        dropped = {"fields": list(view.filtered.dropped), "items": found.hidden}
    following: Any = found.next
    if following is not None:
        following = styled(model, following) if tool is None else shown_names(following, tool)
    return AnswerText(found.text, following, dropped)
