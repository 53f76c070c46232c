"""Search of a conversation that has more functions than one request can offer (rule C13).

The search is a function like any other, so its name and arguments are resolved, repaired and explained by the same
code. The functions that it finds are offered from the next request on.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from specfn._internal.characters import clean, shorten
from specfn._internal.json import JsonObject
from specfn.connectors.turn import Message
from specfn.document.normalize import normalize
from specfn.function.composer import Composer
from specfn.function.function import Function
from specfn.migrate.broken_references import References
from specfn.migrate.migrate import migrate
from specfn.migrate.route import Api
from specfn.settings import DEFAULT
from specfn.tools.function_set import Catalog
from specfn.tools.search.result_text import found_lines, nothing_found, search_description
from specfn.tools.search.search import Found

#: The name of the search, and of its argument.
_NAME: Final = "search_functions"
_WORDS: Final = "words"

#: The maximum number of results of one search.
_RESULTS: Final = 10

_OFFERED: Final = "These functions can be called now:"


class FunctionSearch:
    """The search over the functions of a catalog.

    Attributes:
        catalog: the functions of the conversation, and the search.
        entry: the search.
    """

    def __init__(self, functions: Catalog, count: int) -> None:
        """Add a search to the functions of a conversation.

        Args:
            functions: the functions.
            count: the number of those that may be found.
        """
        self._functions: Final = functions
        name = _NAME
        while name in functions.by_name:
            name += "_"
        function = _search_function(name, search_description(count, titles(functions)))
        self.catalog: Final = functions.add(_Own((function,), {}), namespace="")
        self.entry: Final = next(e for e in self.catalog.entries if e.function is function)

    def find(self, arguments: Mapping[str, Any], among: Collection[str]) -> list[Found]:
        """Return the functions of advertised names that fit the words of a call of the search, best first."""
        return self._functions.finder.find(arguments[_WORDS], _RESULTS, among=frozenset(among))

    def nothing_found(self, among: Collection[str]) -> str:
        """Return the result of a search that found no function."""
        return nothing_found(self._functions.finder.topics(frozenset(among)))

    def names(self, found: Iterable[Found], among: Collection[str]) -> list[str]:
        """Return the advertised names of the functions to offer, the best last: results, and the suppliers of their arguments."""
        functions = [*found]
        suppliers = (name for function in functions for name in function.needs.values())
        names = dict.fromkeys([*(function.name for function in functions), *suppliers])
        return [name for name in names if name in among][::-1]


def result(found: Sequence[Found], wire: Mapping[str, str]) -> str:
    """Return the result of a search for the model; functions without a tool name are left out."""
    offered = [
        replace(
            item,
            name=wire[item.name],
            needs={key: wire[name] for key, name in item.needs.items() if name in wire},
        )
        for item in found
        if item.name in wire
    ]
    return f"{_OFFERED}\n{found_lines(offered)}"


def called_before(messages: Iterable[Message], functions: Catalog) -> list[str]:
    """Return the advertised names of the functions that were called in a history, the last ones at the end."""
    called = [call["name"] for message in messages for call in message.get("calls", ())]
    names = (functions.resolve(name).name for name in dict.fromkeys(reversed(called)))
    return [*filter(None, names)][::-1]


def titles(functions: Catalog) -> str:
    """Return the titles of the documents of a catalog, without invisible characters."""
    texts = []
    for namespace, part, _ in functions.parts:
        title = part[0].api.title if part else ""
        texts.append(" ".join(clean(title).split()) or namespace or "an API")
    return shorten(", ".join(texts), 300)


@dataclass(frozen=True, slots=True)
class _Own:
    """The functions of the conversation itself, for a catalog."""

    functions: tuple[Function, ...]
    document: JsonObject


def _search_function(name: str, description: str) -> Function:
    """Return the search as a function. It is never sent: its path is the only place of its argument."""
    words = {
        "name": _WORDS,
        "in": "path",
        "required": True,
        "description": "Words of the task.",
        "schema": {"type": "string"},
    }
    operation = {
        "summary": "Search functions",
        "description": f"{description} The functions found can be called afterwards.",
        "parameters": [words],
        "responses": {"200": {"description": "The functions."}},
    }
    paths = {f"/{name}/{{{_WORDS}}}": {"get": operation}}
    info = {"title": "Functions", "version": "1"}
    normalized = normalize({"openapi": "3.1.0", "info": info, "paths": paths})
    schemas = normalized.document["components"]["schemas"]
    composer = Composer(schemas, DEFAULT, has_directions=False)
    references = References(schemas, normalized.dangling)
    [route] = migrate(
        normalized.document, normalized.version, DEFAULT, composer.resolve_schema, references
    ).routes
    return Function(
        name=name,
        accessor=route.accessor,
        tags=(),
        deprecated=False,
        safety="read",
        idempotent=True,
        route=route,
        api=Api(servers=(), security_schemes={}, source=None, title=""),
        schemas=composer.schemas(route),
        undescribed_keys=(),
        shortened=False,
    )
