"""The script of ``specfn demo``: an invalid call, feedback, a corrected call and a stored product.

The model is a recording, so the demo needs no network and no key. The server, the document, the
conversion, the validation, the request and the product are real.
"""

from collections.abc import Callable, Iterator
from itertools import count
from time import perf_counter
from typing import TYPE_CHECKING, Any
from uuid import UUID

from rich.console import Console, RenderableType
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from specfn._internal.json import dumps, dumps_indented, loads
from specfn.api import load
from specfn.application.application import Application
from specfn.demo.server import Server, serve
from specfn.function.function import Function
from specfn.http.connection import Connection

if TYPE_CHECKING:
    import httpx

_OPERATION = "createProduct"

#: The calls of the model. The first has a price in words and no stock.
_REPLIES = (
    '{"body": {"name": "Desk lamp", "price": "forty-nine ninety", "tags": ["light", "oak"]}}',
    '{"body": {"name": "Desk lamp", "price": 49.9, "stock": 12, "tags": ["light", "oak"]}}',
)


class _Screen:
    """A console that numbers the steps of the demo."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._numbers = count(1)

    def step(self, title: str, explanation: str) -> None:
        """Begin a step: a rule with its number and title, and one line that explains it."""
        self._console.print()
        self._console.print(Rule(Text(f"{next(self._numbers)}  {title}", "bold"), align="left"))
        self._console.print(Text(explanation, "dim"))

    def show(self, renderable: RenderableType) -> None:
        """Print a renderable object."""
        self._console.print(renderable)

    def panel(self, title: str, content: str, style: str) -> None:
        """Show a text in a frame."""
        self._console.print(
            Panel(Text(content), title=title, title_align="left", border_style=style)
        )


def run(out: Console | Callable[[str], object]) -> int:
    """Run the demo.

    Args:
        out: a console of rich, or a function that receives the text in parts.

    Returns:
        0 if the corrected call was stored, else 1.
    """
    screen = _Screen(out if isinstance(out, Console) else _console(out))
    with serve() as shop:
        application = _convert(screen, shop)
        function = application[_OPERATION]
        _show_function(screen, function)
        connection = Connection(shop.base_url, credentials={"bearer": shop.token})
        screen.step("The model calls it", "The arguments as the model wrote them.")
        screen.panel("model", _REPLIES[0], "blue")
        _send_as_written(
            screen, application.request(function, loads(_REPLIES[0]), connection, validate=False)
        )
        arguments = _validate_replies(screen, function)
        if arguments is None:
            return 1
        key = _execute(screen, connection, application, function, arguments)
        return _show_product(screen, shop, key)


def _convert(screen: _Screen, shop: Server) -> Application:
    """Run steps 1 and 2: start a server and convert its document."""
    screen.step("A shop opens", "A real HTTP server on this machine: a FastAPI application.")
    screen.show(Text(shop.document_url))
    document = shop.app.openapi()
    started = perf_counter()
    application = load(document)
    took = (perf_counter() - started) * 1000
    screen.step(
        "Its OpenAPI document becomes functions", "Every operation is a function or an error."
    )
    counts = f"{len(application.functions)} functions, {len(application.errors)} errors"
    screen.show(Text(f"{counts}, {took:.0f} ms"))
    return application


def _show_function(screen: _Screen, function: Function) -> None:
    """Run step 3: show a function as a model reads it."""
    screen.step("A model reads one of them", "Name, description and the schema of its arguments.")
    screen.show(Text(function.name, "bold"))
    screen.show(Text(function.description))
    table = Table("argument", "type", "required", box=None, padding=(0, 2, 0, 0))
    for row in _property_rows(function.parameters, ""):
        table.add_row(*row)
    screen.show(table)


def _property_rows(schema: Any, place: str) -> Iterator[tuple[str, str, str]]:
    """Yield the properties of an object schema, each followed by its nested properties."""
    required = schema.get("required", ())
    for name, member in schema.get("properties", {}).items():
        path = f"{place}.{name}" if place else name
        yield (
            path,
            str(member.get("format") or member.get("type", "union")),
            "yes" if name in required else "",
        )
        yield from _property_rows(member, path)


def _send_as_written(screen: _Screen, request: "httpx.Request") -> None:
    """Run step 5: send the arguments unchecked, and show what the server responds."""
    screen.step("Before: they are sent as they are", "A plain HTTP client, without specfn.")
    import httpx  # noqa: PLC0415  # imported on first use

    with httpx.Client(trust_env=False) as client:
        response = client.send(request)
    screen.panel(f"response {response.status_code}", response.text, "yellow")


def _validate_replies(screen: _Screen, function: Function) -> Any:
    """Run steps 6 and 7: validate replies until one is valid, and show feedback for the others."""
    for index, reply in enumerate(_REPLIES):
        if index:
            screen.step("The model calls it again", "The arguments as the model wrote them.")
            screen.panel("model", reply, "blue")
        outcome = function.validate(loads(reply))
        if outcome:
            screen.show(Text("valid", "bold green"))
            return outcome.data
        screen.step("After: specfn checks them", "Nothing is sent; this is what the model reads.")
        screen.panel("specfn", outcome.feedback(), "red")
    return None


def _execute(
    screen: _Screen,
    connection: Connection,
    application: Application,
    function: Function,
    arguments: Any,
) -> str:
    """Run step 8: execute the call and return the id of the created product."""
    screen.step("specfn makes the call", "The request to the server, and its response.")
    request = application.request(function, arguments, connection)
    line = f"{request.method} {request.url.raw_path.decode()}"
    screen.panel("request", f"{line}\n{request.content.decode()}", "cyan")
    result = application.execute(function, arguments, connection)
    screen.panel(f"response {result.status}", dumps_indented(result.data).decode(), "green")
    return str(result.data["id"])


def _show_product(screen: _Screen, shop: Server, key: str) -> int:
    """Run step 9: show the product in the data of the shop."""
    screen.step("The product is in the shop", "Read from the data of the shop, without specfn.")
    product = shop.app.state.store.products.get(UUID(key))
    if product is None:
        screen.show(Text("there is no such product", "bold red"))
        return 1
    table = Table("field", "value", box=None, padding=(0, 2, 0, 0))
    for name, value in product.model_dump(mode="json").items():
        table.add_row(name, Text(value if isinstance(value, str) else dumps(value).decode()))
    screen.show(table)
    return 0


class _FunctionStream:
    """A file object that passes text to a function."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self.write = write

    def flush(self) -> None:
        """Do nothing; the text is not buffered."""


def _console(write: Callable[[str], object]) -> Console:
    return Console(file=_FunctionStream(write), width=80)  # type: ignore[arg-type]  # rich uses only these methods of a file
