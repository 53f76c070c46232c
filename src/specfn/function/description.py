"""What a model is told that a function is for (rule F3)."""

from collections.abc import Collection, Iterator

from specfn.document.keywords import is_true
from specfn.migrate.route import Route
from specfn.schema.text import clean, shorten


def describe(
    route: Route, limit: int | None = None, *, without: Collection[tuple[str, ...]] = ()
) -> tuple[str, bool]:
    """The description of a function, and whether it was cut.

    The operation's summary and description come first, then a line for everything that has a name:
    ``@param``, ``@security``, ``@tag``, ``@deprecated``.

    Args:
        route: the operation.
        limit: the most characters; the text is cut at a sentence and the tags are the last to go.
        without: the keys from the root of what is not the model's to fill in, and not spoken of.
    """
    text = "\n\n".join(_prose(route))
    tags = list(_tags(route, without))
    whole = _joined(text, tags)
    if limit is None or len(whole) <= limit:
        return whole, False
    while tags and len("\n".join(tags)) > limit:
        del tags[0]
    room = limit - len("\n".join(tags)) - 2 if tags else limit
    text = shorten(text, room) if room > 0 else ""
    return _joined(text, tags)[:limit], True


def _joined(text: str, tags: list[str]) -> str:
    lines = "\n".join(tags)
    return f"{text}\n\n{lines}" if text and lines else text or lines


def _prose(route: Route) -> Iterator[str]:
    """The summary, then the description without repeating it."""
    summary = _text(route.operation.get("summary"))
    description = _text(route.operation.get("description"))
    if summary and not _begins_with(description, summary.rstrip(".")):
        yield summary
    if description:
        yield description


def _begins_with(description: str, summary: str) -> bool:
    """Whether a description says the summary first, as a sentence or paragraph of its own."""
    rest = description[len(summary) :]
    return description.startswith(summary) and (not rest or rest[0] in ".\n:;!?")


def _text(value: object) -> str:
    return clean(value).strip() if isinstance(value, str) else ""


def _tags(route: Route, without: Collection[tuple[str, ...]]) -> Iterator[str]:
    """The lines about what has a name; the least telling first, for they go first where room is short."""
    for name, text in _described(route, without):
        line = _one_line(text or "")
        if line:
            yield f"@param {name} {line}"
    seen: dict[str, None] = {}
    for requirement in route.security:
        for name, scopes in requirement:
            seen[" ".join([name, *scopes])] = None
    yield from (f"@security {_one_line(text)}" for text in seen)
    for tag in (
        route.operation.get("tags", ()) if isinstance(route.operation.get("tags"), list) else ()
    ):
        if isinstance(tag, str):
            yield f"@tag {_one_line(tag)}"
    if is_true(route.operation.get("deprecated")):
        yield "@deprecated"


def _described(
    route: Route, without: Collection[tuple[str, ...]]
) -> Iterator[tuple[str, str | None]]:
    """What has a name before a model, with what the document says of it."""
    for parameter in route.parameters:
        if (parameter.key,) not in without:
            yield parameter.key, parameter.description
    for group in route.groups:
        for parameter in group.parameters if (group.key,) not in without else ():
            keys = parameter.members or (parameter.key,)
            if not all((group.key, key) in without for key in keys):
                yield group.key if parameter.members else parameter.key, parameter.description
    if route.body is not None and ("body",) not in without:
        yield "body", route.body.description


def _one_line(text: str) -> str:
    return " ".join(clean(text).split())
