"""The tools of search mode: find functions, read their schemas, and call them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from specfn._internal.json import JsonObject, dumps
from specfn.connectors.mcp import SAFETY_HINTS
from specfn.invocation.fields_argument import DESCRIPTION, response_fields
from specfn.invocation.resolve import resolve
from specfn.mcp.results import log
from specfn.mcp.served_functions import ServedFunctions
from specfn.schema.outline import UnknownPartError, outline, part_of, with_definitions
from specfn.tools.fit_cache import FitCache
from specfn.tools.search.result_text import (
    arguments_of_first,
    found_lines,
    nothing_found,
    search_description,
)
from specfn.tools.tool import Tool

SEARCH: Final = "search_functions"
DESCRIBE: Final = "describe_functions"
READ: Final = "read_function"
CHANGE: Final = "change_function"

#: The argument for fields of responses, and the argument for standard parameters (rule F13).
_FIELDS: Final = "fields"
_FIELDS_SCHEMA: Final = {
    "type": "array",
    "items": {"type": "string"},
    "description": DESCRIPTION,
}
_ALL: Final = "all"
_ALL_SCHEMA: Final = {
    "type": "boolean",
    "description": "Also show the standard parameters that most calls do not need, such as pretty or alt.",
}

#: The maximum number of results of a search, and their number without ``limit``; of functions of a description; of
#: characters of a schema that is written in full, and of a name whose words are searched.
_MAX_FOUND: Final = 50
_FOUND: Final = 10
_MAX_DESCRIBED: Final = 5
_MAX_SCHEMA_CHARACTERS: Final = 8_000
_MAX_WORDS_CHARACTERS: Final = 200

_NOTHING: Final = "Nothing was executed."

_ONLY_READS: Final = "changes data, and this server only reads"


@dataclass(frozen=True, slots=True)
class NamedCall:
    """A call of a function through a tool of search mode.

    Attributes:
        name: the function, as the model named it.
        arguments: the arguments, as an object or a text.
        reads: the tool may only call functions that read.
        fields: the fields of the response that the model asks for; ``None`` for all.
    """

    name: str
    arguments: Any
    reads: bool
    fields: Any = None


class InvalidCallError(Exception):
    """Invalid arguments of a tool, with a text for the model."""


def _object(properties: JsonObject, *required: str) -> JsonObject:
    return {"type": "object", "properties": properties, "required": list(required)}


def tool(
    name: str, title: str, description: str, schema: JsonObject, annotations: JsonObject
) -> JsonObject:
    """Return a tool as it is listed."""
    return {
        "name": name,
        "title": title,
        "description": description,
        "inputSchema": schema,
        "annotations": annotations,
    }


def search_schema(most: int, default: int) -> JsonObject:
    """Return the schema of the arguments of a search."""
    limit = {"type": "integer", "minimum": 1, "maximum": most, "default": default}
    words = {"type": "string", "description": "Words of the task."}
    return _object({"words": words, "limit": limit}, "words")


_NAMES: Final = {
    "type": "array",
    "items": {"type": "string"},
    "minItems": 1,
    "maxItems": _MAX_DESCRIBED,
}
_PART: Final = {
    "type": "string",
    "description": "Only this part of the arguments, a path of names such as body.customer.address.",
}
_NAME: Final = {"type": "string", "description": f"The name of the function, from {SEARCH}."}
_ARGUMENTS: Final = {
    "type": "object",
    "description": f"The arguments of the function, as {DESCRIBE} shows them.",
}
_CALL: Final = _object({"name": _NAME, "arguments": _ARGUMENTS}, "name")

#: The annotations of a tool that calls no API.
LOCAL: Final = {**SAFETY_HINTS["read"], "openWorldHint": False}

_DESCRIBE_TOOL: Final = tool(
    DESCRIBE,
    "Describe functions",
    "Return the descriptions and the schemas of the arguments of 1 to 5 functions. Of a large schema, it returns an "
    "outline; ask for its parts.",
    _object({"names": _NAMES, "part": _PART}, "names"),
    LOCAL,
)
_READ_TOOL: Final = tool(
    READ,
    "Call a function that reads",
    f"Call a function that only reads data. Read its schema with {DESCRIBE} first.",
    _CALL,
    {**SAFETY_HINTS["read"], "openWorldHint": True},
)
_CHANGE_TOOL: Final = tool(
    CHANGE,
    "Call a function that changes data",
    f"Call a function that writes or deletes data. Read its schema with {DESCRIBE} first.",
    _CALL,
    {**SAFETY_HINTS["destructive"], "openWorldHint": True},
)


def tools(
    titles: str, *, count: int, read_only: bool, fields: bool = False, standard: bool = False
) -> list[JsonObject]:
    """Return the tools of search mode.

    Args:
        titles: the titles of the APIs.
        count: the number of functions.
        read_only: leave out the tool that changes data.
        fields: functions are called with fields of their responses.
        standard: some functions have standard parameters, which are described on request.
    """
    search = tool(
        SEARCH,
        "Search functions",
        search_description(count, titles),
        search_schema(_MAX_FOUND, _FOUND),
        LOCAL,
    )
    calls = (_READ_TOOL,) if read_only else (_READ_TOOL, _CHANGE_TOOL)
    describe = _with_argument(_DESCRIBE_TOOL, _ALL, _ALL_SCHEMA) if standard else _DESCRIBE_TOOL
    return [
        search,
        describe,
        *(_with_argument(call, _FIELDS, _FIELDS_SCHEMA) if fields else call for call in calls),
    ]


def _with_argument(tool: JsonObject, name: str, argument: JsonObject) -> JsonObject:
    schema = tool["inputSchema"]
    properties = {**schema["properties"], name: argument}
    return {**tool, "inputSchema": {**schema, "properties": properties}}


def search(served: ServedFunctions, sent: Mapping[str, Any]) -> str:
    """Return the functions that fit a query, one line each.

    Raises:
        InvalidCallError: the arguments of the tool are invalid.
    """
    found = served.search(*search_arguments(sent, _MAX_FOUND, _FOUND))
    if not found:
        return nothing_found(served.catalog.finder.topics(frozenset(served.offered)))
    first = served.tools.compose(found[0].name)
    return found_lines(
        found, arguments_of_first(first.fit.schema) if isinstance(first, Tool) else ""
    )


def search_arguments(sent: Mapping[str, Any], most: int, default: int) -> tuple[str, int]:
    """Return the words and the limit of a search. Models also call the words a query.

    Raises:
        InvalidCallError: they are invalid.
    """
    words = sent.get("words", sent.get("query"))
    if not isinstance(words, str):
        raise InvalidCallError(expected(SEARCH, "words", "a text", sent))
    limit = read_whole_number(sent.get("limit", default))
    if limit is None or limit < 1:
        raise InvalidCallError(expected(SEARCH, "limit", f"a number from 1 to {most}", sent))
    return words, min(limit, most)


def describe(served: ServedFunctions, sent: Mapping[str, Any]) -> str:
    """Return the descriptions and schemas of functions as JSON.

    Raises:
        InvalidCallError: the arguments of the tool are invalid.
    """
    names = sent.get("names", sent.get("name"))
    names = [names] if isinstance(names, str) else names
    if not isinstance(names, list) or not names or not all(isinstance(n, str) for n in names):
        raise InvalidCallError(expected(DESCRIBE, "names", "a list of 1 to 5 names", sent))
    if len(names) > _MAX_DESCRIBED:
        raise InvalidCallError(
            f"Error: {DESCRIBE} accepts 1 to 5 names, not {len(names)}. Ask for fewer at once."
        )
    part = sent.get("part")
    if part is not None and not isinstance(part, str):
        raise InvalidCallError(
            expected(DESCRIBE, "part", "a path of names such as body.name", sent)
        )
    full = sent.get(_ALL) is True
    described = [_description_of(served, name, part or "", full=full) for name in names]
    return dumps(described).decode()


def extract_call(tool: str, sent: Mapping[str, Any], *, fields: bool) -> NamedCall:
    """Return the call that a model makes through ``read_function`` or ``change_function``.

    Raises:
        InvalidCallError: the arguments are invalid.
    """
    name = sent.get("name")
    if not isinstance(name, str):
        raise InvalidCallError(expected(tool, "name", "the name of a function", sent))
    own = {"name", "arguments", *([_FIELDS] if fields else ())}
    rest = {key: value for key, value in sent.items() if key not in own}
    arguments = sent.get("arguments", rest)
    return NamedCall(name, arguments, tool == READ, sent.get(_FIELDS) if fields else None)


def refusal(name: str) -> str:
    """Return the text for a function that changes data and was called with ``read_function``."""
    return f"Error: {name} changes data, and {READ} only calls functions that read. Call it with {CHANGE}. {_NOTHING}"


def only_reads(name: str) -> str:
    """Return the text for a function that changes data, and that a server that only reads does not offer."""
    return f"Error: {name} {_ONLY_READS}. {_NOTHING}"


def _description_of(served: ServedFunctions, called: str, part: str, *, full: bool) -> JsonObject:
    """Return the description of a function under any name that a call may have."""
    own = resolve(called, served.catalog, served.tools).name or served.resolve(called).name
    if own is None:
        return {
            "name": called[:200],
            "error": f"there is no such function{_similar(served, called)}",
        }
    if own not in served.tools:
        return {"name": own, "error": f"it {_ONLY_READS}"}
    tool = served.tools.compose(own)
    if not isinstance(tool, Tool):
        log.warning("%s cannot be called: %s", own, tool and tool.reason)
        return {"name": own, "error": "it cannot be called, because its declaration is invalid"}
    if part:
        return {"name": tool.name} | _part(tool, part, full=full)
    schema = _full_schema(tool) if full else tool.fit.schema
    fields = response_fields(tool.function)
    return {
        "name": tool.name,
        "call_with": READ if tool.function.safety == "read" else CHANGE,
        "safety": tool.function.safety,
        "description": tool.description,
        **_schema_or_outline("arguments", schema, schema),
    } | ({"response_fields": fields} if fields else {})


def _full_schema(tool: Tool) -> JsonObject:
    """Return the schema of a tool with the standard parameters."""
    function = tool.function.model_function
    budget = function.schemas.settings.schema_budget
    return FitCache().fit(function, tool.fit.profile, budget, full=True).schema


def _similar(served: ServedFunctions, called: str) -> str:
    """Return a hint to names like that of a function that does not exist, else to functions with its words."""
    candidates = served.resolve(called).candidates
    similar = [name for name in candidates if name in served.tools] or [
        found.name for found in served.search(called[:_MAX_WORDS_CHARACTERS], 3)
    ]
    return f"; similar names are {', '.join(similar)}" if similar else ""


def _part(tool: Tool, path: str, *, full: bool) -> JsonObject:
    """Return a part of the arguments, from the schema that is not shortened for a provider.

    What was cut to stay within a budget is read from the complete schema, so each part that a text names can be read.
    """
    function = tool.function.model_function
    schema = function.parameters
    root = _full_schema(tool) if full or not isinstance(schema, dict) else schema
    if any(edit.kind == "cut" for edit in function.edits):
        root = function.validator
    try:
        node = part_of(root, path)
    except UnknownPartError as error:
        return {"error": str(error)}
    return {"part": path, **_schema_or_outline("schema", with_definitions(node, root), root, path)}


def _schema_or_outline(
    key: str, schema: JsonObject, root: JsonObject, path: str = ""
) -> JsonObject:
    """Return a schema, or its outline if it is large and has members."""
    size = len(dumps(schema))
    level = outline(schema, root) if size > _MAX_SCHEMA_CHARACTERS else {}
    if not level:
        return {key: schema}
    members = {
        (group, name): text
        for group, inner in level.items()
        for name, text in (inner.items() if isinstance(inner, dict) else [("", inner)])
    }
    nested = (keys for keys, text in members.items() if text.startswith(("{", "Array<")))
    names = (path, *next(nested, next(iter(members))))
    example = ".".join(name.removesuffix("?") for name in names if name)
    hint = f"The schema has {size:,} characters. Read parts of it with {DESCRIBE}, for example part={example!r}."
    return {"outline": level, "note": hint}


def read_whole_number(value: Any) -> int | None:
    """Read a whole number that a model sent as a number or a text; ``None`` for anything else."""
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 10:
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def expected(tool_name: str, name: str, form: str, sent: Mapping[str, Any]) -> str:
    """Return the text for an argument of a tool that is missing or invalid."""
    given = "is invalid" if name in sent else "is missing"
    return f"Error: the argument {name!r} of {tool_name} {given}; expected {form}. {_NOTHING}"
