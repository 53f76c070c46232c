"""Declared responses: the choice of the success response, and of each response's media type (rule R9)."""

from collections.abc import Iterator, Mapping
from typing import Any

from specfn._internal.json import JsonObject
from specfn.migrate.bodies import media_types
from specfn.migrate.bodies.event_schemas import events_schema
from specfn.migrate.bodies.media_types import Look
from specfn.migrate.route import DeclaredResponse


class DeclaredResponses(Mapping[str, DeclaredResponse]):
    """Declared responses by status. Each is read on demand: most calls need only the success response."""

    def __init__(self, responses: Mapping[str, JsonObject], look: Look | None = None) -> None:
        self._responses = responses
        self._look = look or media_types.plain_look

    def __getitem__(self, status: str) -> DeclaredResponse:
        return answer(status, self._responses[status], self._look)

    def __iter__(self) -> Iterator[str]:
        return iter(self._responses)

    def __len__(self) -> int:
        return len(self._responses)

    def __repr__(self) -> str:
        return f"DeclaredResponses({dict(self)!r})"

    def without(self, status: str | None) -> "DeclaredResponses":
        """Return all responses but one, without the look-up of schemas, which cannot be pickled."""
        rest = {key: node for key, node in self._responses.items() if key != status}
        return DeclaredResponses(rest)


def answer(status: str, response: JsonObject, look: Look) -> DeclaredResponse:
    """Return a Response Object as a record.

    Args:
        status: its status.
        response: the Response Object.
        look: returns the composed schema of a normalized one.
    """
    content = response.get("content")
    content = content if isinstance(content, dict) else {}
    chosen = media_types.choose(content)
    declared = content[chosen] if chosen is not None and isinstance(content[chosen], dict) else {}
    kind = media_types.kind_of(chosen) if chosen is not None else None
    description = response.get("description")
    schema = None
    if chosen is not None and kind is not None:
        schema = events_schema(chosen, declared, look)
        schema = media_types.schema_of(declared, kind) if schema is None else schema
    return DeclaredResponse(
        status=status,
        media_type=chosen,
        kind=kind,
        schema=schema,
        description=description if isinstance(description, str) else None,
        media_types=tuple(content),
    )


def success_of(answers: Mapping[str, DeclaredResponse]) -> DeclaredResponse | None:
    """Return the success response: 200, 201, other 2xx ascending, ``2XX``; the first with content (rule R9)."""
    good = [status for status in answers if len(status) == 3 and status.startswith("2")]
    good.sort(key=lambda status: (status.upper() == "2XX", status not in {"200", "201"}, status))
    chosen = [answers[status] for status in good]
    if not chosen and "default" in answers:
        chosen = [answers["default"]]
    with_content = [answer for answer in chosen if answer.media_type is not None]
    return next(iter(with_content or chosen), None)


def chosen_media(answer: DeclaredResponse, raw: Any) -> Any:
    """Return the Media Type Object that a response uses."""
    content = raw[answer.status].get("content") if answer.media_type is not None else None
    return content[answer.media_type] if isinstance(content, dict) else None
