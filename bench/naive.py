"""What goes wrong if operations become tools as they are written: ``python -m bench.naive FILE|ARCHIVE.tgz...``.

The faults are counted on the raw documents, without specfn. An operation may have several.
"""

import re
import sys
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

LEGAL = re.compile(r"[A-Za-z0-9_-]{1,64}")
CREDENTIAL = re.compile(
    r"authorization|(x-)?(api|access|auth|session|csrf|xsrf)[-_]?(key|token)|token|password|secret",
    re.IGNORECASE,
)
METHODS = ("get", "put", "post", "delete", "patch", "head")
FAULTS = {
    "name": "the operationId is missing, repeated, or not a legal name of a tool",
    "reference": "the schema of an argument has a $ref, which is undefined without the document",
    "credential": "a parameter is a credential, which the model would have to know",
    "body": "the body is not an object, so its properties cannot be arguments",
    "collision": "two arguments have the same name",
}


def resolve(document: Any, node: Any) -> dict[str, Any]:
    """Return the object that a node is, or refers to within the document; empty if there is none."""
    for _ in range(20):
        if not isinstance(node, dict) or not isinstance(node.get("$ref"), str):
            break
        target: Any = document
        for part in node["$ref"].removeprefix("#/").split("/"):
            key = part.replace("~1", "/").replace("~0", "~")
            target = target.get(key) if isinstance(target, dict) else None
        node = target
    return node if isinstance(node, dict) else {}


def has_reference(node: Any) -> bool:
    """Return whether a ``$ref`` is anywhere in a value."""
    if isinstance(node, dict):
        return isinstance(node.get("$ref"), str) or any(map(has_reference, node.values()))
    return isinstance(node, list) and any(map(has_reference, node))


def operations(document: Any) -> Iterator[tuple[dict[str, Any], list[Any]]]:
    """Yield the operations of a document with their parameters."""
    for path in resolve(document, document["paths"]).values():
        item = resolve(document, path)
        for method in METHODS:
            operation = item.get(method)
            if isinstance(operation, dict):
                own = [*(item.get("parameters") or ()), *(operation.get("parameters") or ())]
                yield operation, own


def faults(document: Any) -> Iterator[set[str]]:
    """Yield the faults of each operation."""
    ids = Counter(str(operation.get("operationId")) for operation, _ in operations(document))
    for operation, own in operations(document):
        parameters = [resolve(document, parameter) for parameter in own]
        content = resolve(document, operation.get("requestBody")).get("content") or {}
        schemas = [resolve(document, media).get("schema") for media in content.values()][:1]
        schemas += [each.get("schema") for each in parameters if each.get("in") == "body"]
        others = [each for each in parameters if each.get("in") != "body"]
        body = resolve(document, schemas[0]) if schemas else {"type": "object"}
        names = [name for name, _ in {(str(each.get("name")), each.get("in")) for each in others}]
        name = str(operation.get("operationId"))
        marked = {
            "name": "operationId" not in operation or not LEGAL.fullmatch(name) or ids[name] > 1,
            "reference": has_reference([schemas, [each.get("schema", each) for each in others]]),
            "credential": any(
                each.get("in") in ("header", "query", "cookie")
                and CREDENTIAL.fullmatch(str(each.get("name")))
                for each in others
            ),
            "body": body.get("type") != "object" and "properties" not in body,
            "collision": len({*names}) < len(names)
            or bool({*names} & {*(body.get("properties") or ())}),
        }
        yield {fault for fault, is_present in marked.items() if is_present}


def documents(paths: list[str]) -> Iterator[Any]:
    """Yield the JSON documents of files and of archives."""
    for path in paths:
        if not path.endswith(".tgz"):
            yield orjson.loads(Path(path).read_bytes())
            continue
        with tarfile.open(path) as archive:
            for member in archive:
                content = archive.extractfile(member)
                if content is not None and member.name.endswith(".json"):
                    yield orjson.loads(content.read())


def main(paths: list[str]) -> None:
    """Print the share of operations with each fault."""
    count, read, total = Counter[str](), 0, 0
    for document in documents(paths):
        if isinstance(document, dict) and isinstance(document.get("paths"), dict):
            read += 1
            for marked in faults(document):
                total += 1
                count.update(marked)
                count["any"] += bool(marked)
    print(f"{total:,} operations of {read:,} documents")
    for fault, number in count.most_common():
        print(f"{number / total:6.1%}  {FAULTS.get(fault, 'at least one of these')}")


if __name__ == "__main__":
    main(sys.argv[1:])
