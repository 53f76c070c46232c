"""Completion of arguments in a shell: files, values and names of functions."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem

#: The maximum number of names that completion returns to a shell.
_MOST: Final = 500


def files(_: "click.Context", __: "click.Parameter", incomplete: str) -> "list[CompletionItem]":
    """Let the shell complete the path of a file."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415  # for completion only

    return [CompletionItem(incomplete, type="file")]


def functions(
    context: "click.Context", _: "click.Parameter", incomplete: str
) -> "list[CompletionItem]":
    """Return the functions of the document of the command line. A URL is not fetched, and stdin is not read."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415  # for completion only

    spec = _spec(context)
    if spec is None:
        return []
    try:
        names = _names(spec, incomplete)
    except Exception:  # noqa: BLE001  # an invalid document has no functions; a shell shows no errors
        return []
    return [CompletionItem(name) for name in names]


def _spec(context: "click.Context") -> str | None:
    """Return the first file of the command line; ``None`` if there is no file.

    Arguments before an option without its value are not parsed yet.
    """
    parsed = (context.params.get("spec"), *(context.params.get("specs") or ()))
    words = [word for word in (*parsed, *context.args) if isinstance(word, str)]
    return next((word for word in words if Path(word).is_file()), None)


def _names(spec: str, incomplete: str) -> list[str]:
    """Return the names that begin with a text; or the other names without invisible characters that do."""
    from specfn.api import convert  # noqa: PLC0415  # for completion only
    from specfn.function.function_names import handles  # noqa: PLC0415  # likewise
    from specfn.settings import DEFAULT  # noqa: PLC0415  # likewise

    found = convert(spec, DEFAULT).functions
    names = [each.name for each in found if each.name.startswith(incomplete)]
    others = (name for each in found for name in handles(each) if name.startswith(incomplete))
    return (names or [name for name in others if name.isprintable()])[:_MOST]
