"""Count the GET operations with declared paging in OpenAPI documents, and those that specfn detects.

It reads the documents as text and shares no code with the detection. Usage: ``python bench/count_paging.py DIR``.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import specfn

#: A member of a response that holds the next value or URL.
NEXT = re.compile(
    r"^(@?odata\.)?(next([-_ ]?(page|marker|token|cursor|link|url|uri|href|offset|start|key|id|continuation)){0,3}"
    r"|continuation[-_ ]?token|end[-_]?cursor|last_?id|scroll_?id)$",
    re.IGNORECASE,
)
PAGES = re.compile(
    r"^(page([-_]?(number|num|no|index))?|page\[number\]|current_?page)$", re.IGNORECASE
)
OFFSETS = re.compile(r"^(offset|skip|start[-_]?(index|at)|page\[offset\])$", re.IGNORECASE)
DATE = re.compile(r"\b(date|timestamp|iso ?8601)\b", re.IGNORECASE)


class Document:
    """A raw document."""

    def __init__(self, text: bytes) -> None:
        self.root: Any = json.loads(text)
        self.is_2 = "swagger" in self.root

    def at(self, node: Any) -> Any:
        """Follow references."""
        for _ in range(50):
            if not (isinstance(node, dict) and isinstance(node.get("$ref"), str)):
                return node
            target: Any = self.root
            for part in node["$ref"].removeprefix("#/").split("/"):
                key = part.replace("~1", "/").replace("~0", "~").replace("%20", " ")
                target = target[int(key)] if isinstance(target, list) else target.get(key, {})
            node = target
        return {}

    def gets(self) -> list[tuple[str, Any, list[Any]]]:
        """Return the path, the operation and the parameters of each GET."""
        found = []
        for path, raw in (self.root.get("paths") or {}).items():
            item = self.at(raw)
            if isinstance(item, dict) and isinstance(item.get("get"), dict):
                own = [*item.get("parameters", ()), *item["get"].get("parameters", ())]
                found.append((path, item["get"], [self.at(each) for each in own]))
        return found

    def answer(self, operation: Any) -> tuple[str, Any]:
        """Return the media type and the schema of the success response."""
        for status in ("200", "206", "2XX", "default"):
            response = self.at(operation.get("responses", {}).get(status))
            if not isinstance(response, dict):
                continue
            if self.is_2 and "schema" in response:
                return "application/json", response["schema"]
            for kind, media in response.get("content", {}).items():
                return kind, media.get("schema")
        return "", None

    def leaves(
        self, schema: Any, depth: int = 0, budget: list[int] | None = None
    ) -> list[tuple[str, Any]]:
        """Return the members of a schema outside of arrays, to a depth of three."""
        budget = [3000] if budget is None else budget
        budget[0] -= 1
        node = self.at(schema)
        if not isinstance(node, dict) or depth > 5 or budget[0] < 0:
            return []
        found = []
        for name, inner in node.get("properties", {}).items():
            found.append((name, self.at(inner)))
            found += self.leaves(inner, depth + 2, budget)
        for key in ("allOf", "anyOf", "oneOf"):
            for part in node.get(key, ()):
                found += self.leaves(part, depth, budget)
        return found

    def has_array(self, schema: Any) -> bool:
        """Return whether a response contains an array, at its root or in a member."""
        node = self.at(schema)
        members = [(None, node), *self.leaves(schema)]
        return any(isinstance(each, dict) and each.get("type") == "array" for _, each in members)


def kind_of(document: Document, operation: Any, parameters: list[Any]) -> str | None:
    """Return ``next`` or ``counter``, or ``None`` for an operation without paging."""
    query = [each for each in parameters if isinstance(each, dict) and each.get("in") == "query"]
    media, schema = document.answer(operation)
    members = document.leaves(schema)
    is_next = any(
        NEXT.match(name)
        and (
            node.get("type") not in ("boolean", "array", "object")
            or "href" in node.get("properties", {})
        )
        for name, node in members
        if isinstance(node, dict)
    )
    headers = document.at(operation.get("responses", {}).get("200", {})).get("headers", {})
    has_link = any(name.lower() == "link" for name in headers)
    if query and (is_next or has_link) and (document.has_array(schema) or not members or has_link):
        return "next"
    for each in query:
        shape = document.at(each.get("schema", each))
        is_number = shape.get("type") in ("integer", "number")
        is_counter = PAGES.match(each["name"]) or OFFSETS.match(each["name"])
        is_date = DATE.search(each.get("description", "")) or "date" in str(shape.get("format"))
        if is_number and is_counter and not is_date:
            return "counter" if "json" in media or not media else None
    return None


def counted(file: Path, functions: Iterable[Any]) -> tuple[Counter[str], list[str]]:
    """Return the counts of one document by kind, and the operations that were missed."""
    document = Document(file.read_bytes())
    paths = {each.path: each for each in functions if each.method == "get"}
    counts: Counter[str] = Counter()
    missed: list[str] = []
    for path, operation, parameters in document.gets():
        kind = kind_of(document, operation, parameters)
        if kind is None:
            continue
        counts[kind] += 1
        if path in paths and paths[path].paging is not None:
            counts[f"{kind} detected"] += 1
        else:
            media = document.answer(operation)[0] or "no content"
            missed.append(f"{file.stem}: {path} ({kind}, {media})")
    return counts, missed


def main(folder: str) -> None:
    """Print the counts by document, and the operations that were missed."""
    total: Counter[str] = Counter()
    missed: list[str] = []
    for file in sorted(Path(folder).glob("*.json")):
        counts, others = counted(file, specfn.load(file).functions)
        total += counts
        missed += others
        if counts:
            print(f"{file.stem:60} {dict(counts)}")
    for kind in ("next", "counter"):
        found, count = total[f"{kind} detected"], total[kind]
        print(f"{kind}: {found} of {count}, {100 * found / max(count, 1):.1f} %")
    print(*missed, sep="\n")


if __name__ == "__main__":
    main(sys.argv[1])
