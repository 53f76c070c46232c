"""What a model reads of a search: a line for each function, and once at the end where values come from."""

import json
import re
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Any, Final

from specfn._internal.characters import clean, shorten
from specfn.function.description import headline
from specfn.schema.describe import ELLIPSIS, describe
from specfn.tools.search.search import Found

#: The maximum numbers of characters of a summary in a line, of the suppliers, of arguments, and of topics.
_MAX_SUMMARY_CHARACTERS: Final = 100
_MAX_SUPPLIER_CHARACTERS: Final = 300
_MAX_ARGUMENTS_CHARACTERS: Final = 500
_MAX_TOPIC_CHARACTERS: Final = 140

#: The type of a file, and the sentence of a schema that says how to write it.
_BINARY: Final = 'Format<"binary">'
_FILE: Final = re.compile(r"Write a file [^\n\"\\]{1,100}\.")

#: What a first call does not need: an optional object without members, and limits that no value comes near to.
_NOISE: Final = re.compile(
    r"""("(?:[^"\\]|\\.)*+")|; \w+\?: \{ ?\}|\b\w+\?: \{ ?\}; | & Max(?:Length|Items)<\d{4,}>"""
)

_NOTHING_FOUND: Final = "No function fits."


def search_description(count: int, titles: str) -> str:
    """Return the description of a search tool.

    Args:
        count: the number of functions.
        titles: the titles of the APIs.
    """
    return (
        f"Search the {count} functions of {titles}. Returns one line per function: its name, whether it reads or changes "
        "data, and its summary; then the functions whose results supply arguments."
    )


def found_lines(found: Sequence[Found], arguments: str = "") -> str:
    """Return found functions, one line each; below the first its arguments; at the end where values come from."""
    lines = [_line(result) for result in found]
    if arguments:
        lines.insert(1, f"  arguments: {arguments}")
    suppliers = _suppliers(found)
    return "\n".join([*lines, suppliers] if suppliers else lines)


def nothing_found(topics: Iterable[tuple[str, int]]) -> str:
    """Return the text of a search that found nothing: what the API is about."""
    cleaned = ((" ".join(clean(topic).split())[:40], count) for topic, count in topics)
    names = [f"{topic} ({count})" if count > 1 else topic for topic, count in cleaned]
    text = _joined(names, ", ", _MAX_TOPIC_CHARACTERS)
    about = f" This API is about: {text}." if text else ""
    return f"{_NOTHING_FOUND}{about} Search again with such words."


def arguments_of_first(schema: Any) -> str:
    """Return the type of the arguments of the first result; an empty text if it is too long to be complete."""
    definitions = schema.get("$defs", {}) if isinstance(schema, dict) else {}
    text = describe(schema, definitions, expand=True, limit=2 * _MAX_ARGUMENTS_CHARACTERS)
    text = _NOISE.sub(lambda match: match[1] or "", text)  # values in quotes stay
    if ELLIPSIS in text or len(text) > _MAX_ARGUMENTS_CHARACTERS:
        return ""
    forms = _FILE.search(json.dumps(schema)) if _BINARY in text else None
    return text if forms is None else f"{text}. {forms[0]}"


def _line(found: Found) -> str:
    """Return a function as one line: its name, its safety, its summary, and what it replaces that is not given."""
    function = found.function
    summary = shorten(headline(function.route), _MAX_SUMMARY_CHARACTERS)
    body = function.route.body
    if found.update:
        summary += f" (replaces all; {found.update} changes only what is given)"
    elif body is not None and "merge-patch" in body.media_type.lower():
        summary += " (a list that is given replaces the whole list)"
    return f"{found.name} [{function.safety}] {summary}"


def _suppliers(found: Sequence[Found]) -> str:
    """Return the functions that supply arguments, each once.

    A name that is not the same in all functions, or has several suppliers, is written with its functions.
    """
    users: dict[str, dict[str, list[str]]] = {}
    for result in found:
        for parameter, supplier in result.needs.items():
            users.setdefault(parameter, {}).setdefault(supplier, []).append(result.name)
    by_supplier: dict[str, list[str]] = {}
    for parameter, suppliers in users.items():
        for supplier, names in suppliers.items():
            holders = sum(f"{{{parameter}}}" in one.function.path for one in found)
            of = f" of {' and '.join(names)}" if len(suppliers) > 1 or len(names) < holders else ""
            by_supplier.setdefault(supplier, []).append(f"{parameter}{of}")
    texts = [f"{', '.join(names)} from {supplier}" for supplier, names in by_supplier.items()]
    text = _joined(texts, "; ", _MAX_SUPPLIER_CHARACTERS)
    return f"Values: {text}." if text else ""


def _joined(texts: Sequence[str], separator: str, limit: int) -> str:
    """Return the first texts that fit a number of characters."""
    size = 0

    def fits(text: str) -> bool:
        nonlocal size
        size += len(text) + len(separator)
        return size <= limit

    fitting = [*takewhile(fits, texts)]
    return separator.join(fitting + [ELLIPSIS] * (bool(fitting) and len(fitting) < len(texts)))
