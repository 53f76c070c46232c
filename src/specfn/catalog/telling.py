"""What a tool's description says: nothing that its schema says as well, nothing that only a caller can use."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from specfn._json import JsonObject
from specfn.schema.annotations import words
from specfn.schema.fit import Fit

_PARAMETER: Final = "@param "

#: Who calls, and with which rights, is the connection's business: a model has no place to write it.
_CALLERS: Final = "@security "


def told(text: str, fit: Fit) -> str:
    """A function's description without ``@security`` lines, and the ``@param`` lines that the schema repeats (rules F3, R14).

    A line stays where the schema does not say it: what is said of parameters may have been cut there.

    Args:
        text: the description.
        fit: the schema that is sent beside it.
    """
    if _PARAMETER not in text and _CALLERS not in text:
        return text
    named = [(fit.names.get(name, name), name, node) for name, node in _named(fit.schema)]
    lines = (_line(line, named) for line in text.split("\n"))
    return "\n".join(line for line in lines if line is not None).strip()


def _line(line: str, named: list[tuple[str, str, Any]]) -> str | None:
    """A line as it is shown; ``None`` for one that is not."""
    if line.startswith(_CALLERS):
        return None
    if not line.startswith(_PARAMETER):
        return line
    found = line
    for own, shown, node in named:
        start = f"{_PARAMETER}{own} "
        if line.startswith(start):
            said = line.removeprefix(start)
            if _says(node, said) or not words({"description": said}, own):
                return None
            found = f"{_PARAMETER}{shown} {said}"
    return found


def _says(node: Any, said: str) -> bool:
    """Whether a schema, or the first branch of a union, begins with a text."""
    if not isinstance(node, dict):
        return False
    if " ".join(node.get("description", "").split()).startswith(said):
        return True
    return any(_says(branch, said) for branch in node.get("anyOf", ())[:1])


def _named(schema: JsonObject) -> Iterator[tuple[str, Any]]:
    """The parameters: properties of the root, and those of its groups; not the body's."""
    for name, node in schema.get("properties", {}).items():
        yield name, node
        if name != "body" and isinstance(node, Mapping):
            for branch in (node, *node.get("anyOf", ())):
                yield from branch.get("properties", {}).items()
