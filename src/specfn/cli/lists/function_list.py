"""A list of functions that is independent of a provider: JSON, or typed signatures."""

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from specfn._internal.json import dumps
from specfn.cli import output
from specfn.cli.progress import Progress
from specfn.function.description import within
from specfn.function.signatures.signatures import Language
from specfn.tools.token_estimate import beyond_budget, estimate
from specfn.tools.tool_description import listed_description

if TYPE_CHECKING:
    from specfn.function.function import Function


def written(
    functions: Sequence["Function"], form: Literal["json"] | Language, progress: Progress
) -> Generator[bytes]:
    """Yield the functions in a format."""
    if form == "json":
        yield from _listed(functions, progress)
    else:
        from specfn.function.signatures.signatures import signatures  # noqa: PLC0415  # for this format

        yield signatures(functions, form).encode()


def fitting(
    functions: Sequence["Function"], budget: int, progress: Progress
) -> "tuple[Function, ...]":
    """Return the functions whose JSON fits a budget of tokens; the last ones are left out first."""
    tokens = []
    for count, function in enumerate(functions):
        tokens.append(estimate(len(_json(function))))
        progress.composed(count, len(functions))
    dropped = beyond_budget(tokens, [each.deprecated for each in functions], budget)
    return tuple(each for place, each in enumerate(functions) if place not in dropped)


def _listed(functions: Sequence["Function"], progress: Progress) -> Generator[bytes]:
    """Yield a JSON list with one function per line."""
    if functions:
        yield b"["
        for count, function in enumerate(functions, start=1):
            yield (b"\n" if count == 1 else b",\n") + _json(function)
            progress.composed(count, len(functions))
        yield b"\n]\n"
    else:
        yield b"[]\n"


def _json(function: "Function") -> bytes:
    """Return a function as one line of printable JSON."""
    schemas = function.schemas
    parameters, result = schemas.compose(), schemas.output_json()
    head = {"name": function.name, "description": _description(function, parameters)}
    pieces = [dumps(head)[:-1], b',"parameters":', dumps(parameters)]
    if result is not None:
        pieces += (b',"output":', result)
    pieces += (b",", dumps({"method": function.method, "path": function.path})[1:])
    return b"".join(map(output.json_printable, pieces))


def _description(function: "Function", parameters: Any) -> str:
    """Return the description without facts that the parameters contain (rule F3)."""
    schemas = function.schemas
    if not schemas.settings.keyword:
        names = (key for key, _ in schemas.keys)
        parameters = {"properties": dict(zip(names, parameters, strict=True))}
    text = listed_description(function.full_description, parameters)
    return within(text, schemas.settings.description_limit)
