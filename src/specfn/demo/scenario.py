"""The script of ``specfn demo``: a model errs, reads why, corrects itself, and a row is stored.

The model is a recording, so the demo needs no network and no key. All else is real: the server, the
document, the conversion, the verdicts, the request and the row.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from time import perf_counter
from typing import Any

from rich.console import Console, RenderableType
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from specfn._json import dumps_indented, loads
from specfn.api import load
from specfn.application.application import Application
from specfn.demo.document import operations, text
from specfn.demo.server import Server, serve
from specfn.function.function import Function
from specfn.http.connection import Connection

_OPERATION = "createProduct"

#: What the model says, call by call. The first time it writes a price in words and forgets the stock.
_REPLIES = (
    '{"body": {"name": "Desk lamp", "price": "forty-nine ninety", "tags": ["light", "oak"]}}',
    '{"body": {"name": "Desk lamp", "price": 49.9, "stock": 12, "tags": ["light", "oak"]}}',
)


class _Screen:
    """Where the steps are shown, each under its number."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._numbers = count(1)

    def step(self, title: str, explanation: str) -> None:
        """Begin a step: a rule with its number and title, and one line that explains it."""
        self._console.print()
        self._console.print(Rule(Text(f"{next(self._numbers)}  {title}", "bold"), align="left"))
        self._console.print(Text(explanation, "dim"))

    def show(self, thing: RenderableType) -> None:
        """Show something as it is."""
        self._console.print(thing)

    def panel(self, title: str, content: str, style: str) -> None:
        """Show a text in a frame."""
        self._console.print(
            Panel(Text(content), title=title, title_align="left", border_style=style)
        )


def run(out: Console | Callable[[str], object]) -> int:
    """Play the demo.

    Args:
        out: a console of rich, or anything that takes the text piece by piece.

    Returns:
        0 if the corrected call was stored, else 1.
    """
    screen = _Screen(out if isinstance(out, Console) else _console(out))
    with serve() as shop:
        application = _convert(screen, shop)
        function = application[_OPERATION]
        _advertise(screen, function)
        arguments = _converse(screen, function)
        if arguments is None:
            return 1
        key = _execute(screen, shop, application, function, arguments)
        return _prove(screen, shop, key)


def _convert(screen: _Screen, shop: Server) -> Application:
    """Steps 1 and 2: a server starts, and its document becomes functions."""
    screen.step("A shop opens", "A real HTTP server on this machine, with an empty SQLite file.")
    screen.show(Text(f"{shop.base_url}   {len(operations())} operations"))
    started = perf_counter()
    application = load(text())
    took = (perf_counter() - started) * 1000
    screen.step(
        "Its OpenAPI document becomes functions", "Every operation is a function or an error."
    )
    counts = f"{len(application.functions)} functions, {len(application.errors)} errors"
    screen.show(Text(f"{counts}, {took:.0f} ms"))
    return application


def _advertise(screen: _Screen, function: Function) -> None:
    """Step 3: what a model is shown of one function."""
    screen.step("A model reads one of them", "Name, description and the schema of its arguments.")
    screen.show(Text(function.name, "bold"))
    screen.show(Text(function.description))
    table = Table("argument", "type", "required", box=None, padding=(0, 2, 0, 0))
    for row in _rows(function.parameters, ""):
        table.add_row(*row)
    screen.show(table)


def _rows(schema: Any, place: str) -> Iterator[tuple[str, str, str]]:
    """The properties of an object schema, nested ones below their own."""
    required = schema.get("required", ())
    for name, member in schema.get("properties", {}).items():
        path = f"{place}.{name}" if place else name
        yield (
            path,
            str(member.get("format") or member.get("type", "union")),
            "yes" if name in required else "",
        )
        yield from _rows(member, path)


def _converse(screen: _Screen, function: Function) -> Any:
    """Steps 4 to 6: replies are checked until one is valid; the faults of the others are told."""
    for reply in _REPLIES:
        screen.step("The model calls it", "The arguments as the model wrote them.")
        screen.panel("model", reply, "blue")
        outcome = function.validate(loads(reply))
        if outcome:
            screen.show(Text("valid", "bold green"))
            return outcome.data
        screen.step("specfn checks them", "Nothing was sent; this is what the model reads.")
        screen.panel("specfn", outcome.feedback(), "red")
    return None


def _execute(
    screen: _Screen, shop: Server, application: Application, function: Function, arguments: Any
) -> str:
    """Step 7: the call is made; the id of what was created comes back."""
    screen.step("specfn makes the call", "The request that reached the server, and its answer.")
    connection = Connection(base_url=shop.base_url, credentials={"bearer": shop.token})
    result = application.execute(function, arguments, connection)
    received = shop.received[-1]
    screen.panel(
        "request", f"{received.method} {received.target}\n{received.body.decode()}", "cyan"
    )
    screen.panel(f"answer {result.status}", dumps_indented(result.data).decode(), "green")
    return str(result.data["id"])


def _prove(screen: _Screen, shop: Server, key: str) -> int:
    """Step 8: the row as SQLite has it."""
    screen.step("The row is there", "Read from the database file by a connection of our own.")
    with closing(sqlite3.connect(f"{shop.database.as_uri()}?mode=ro", uri=True)) as connection:
        cursor = connection.execute("SELECT * FROM products WHERE id = ?", (key,))
        row = cursor.fetchone()
    if row is None:
        screen.show(Text("there is no such row", "bold red"))
        return 1
    table = Table("column", "value", box=None, padding=(0, 2, 0, 0))
    for (column, *_), value in zip(cursor.description, row, strict=True):
        table.add_row(column, Text("NULL" if value is None else str(value)))
    screen.show(table)
    return 0


class _Writer:
    """A file of the kind that rich writes to, around a callable."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self.write = write

    def flush(self) -> None:
        """Nothing is held back."""


def _console(write: Callable[[str], object]) -> Console:
    return Console(file=_Writer(write), width=80)  # type: ignore[arg-type]  # all that rich uses of a file
