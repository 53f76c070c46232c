"""The text of a successful call, with the arguments of its next page, or the function that reads its status."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from specfn._internal.json import JsonObject
from specfn.function.function import Function
from specfn.invocation.paging.change import by_key, shown_names, styled
from specfn.invocation.paging.page_text import PageText, page_text
from specfn.invocation.response_fields import ResponseFields
from specfn.invocation.status_text import status_text
from specfn.tools.tool import Tool
from specfn.tools.tool_set import ToolSet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from specfn.http.connection import Connection
    from specfn.http.response.response import Result


#: The status of a call that the server accepted and may not have finished (RFC 9110, section 15.3.3).
_ACCEPTED: Final = 202


@dataclass(frozen=True, slots=True)
class AnswerText:
    """The text of an answer, with its fields ``next`` and ``dropped``.

    Attributes:
        text: the text.
        next: the arguments of the next page.
        dropped: the fields and items that were left out of the text.
        is_accepted: the server accepted the call and may not have finished it.
    """

    text: str
    next: Any
    dropped: JsonObject | None
    is_accepted: bool


def answer_text(
    function: Function,
    arguments: Any,
    result: "Result",
    connection: "Connection",
    *,
    limit: int,
    sent_without: "Sequence[str]",
    tool: Tool | None,
    fields: ResponseFields,
    offered: ToolSet,
    can_filter: bool = False,
    shows_bytes: bool = False,
) -> AnswerText:
    """Return the text of a successful response for a model, and the arguments of the next page.

    Args:
        function: the function.
        arguments: the model's part of the valid arguments.
        result: the response.
        connection: the connection of the call.
        limit: the maximum number of characters of the text.
        sent_without: the arguments that were removed.
        tool: the function as the model reads it; ``None`` if it is shown as it is.
        fields: the fields that the model reads.
        offered: the functions that the model can call.
        can_filter: true if the model can ask for fields.
        shows_bytes: true if short binary data is base64; otherwise only its media type and size are shown.
    """
    sentences = ""
    if result.status == _ACCEPTED:
        sentences = status_text(function, result, connection, offered)
        sentences = sentences if result.masking is None else result.masking.apply(sentences)
    view = fields.view(function, result.without_secrets())
    model = function.model_function
    found: PageText = page_text(
        model,
        by_key(model, arguments),
        result,
        connection,
        view=view,
        render=lambda room: view.result.for_model(
            room, sent_without=sent_without, shows_bytes=shows_bytes
        ),
        limit=max(limit - len(sentences), limit // 2, 200),
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
    text = "\n".join(filter(None, (found.text, sentences)))
    return AnswerText(text, following, dropped, bool(sentences))
