import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import part_of_corpus

from specfn._internal import json as _json
from specfn.function.naming import names
from specfn.migrate.accessor import AccessorInput, assign
from specfn.migrate.template import parse

METHODS = frozenset({"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"})
LEGAL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*\Z")

Accessors = dict[tuple[str, str], tuple[str, ...]]

pytestmark = pytest.mark.corpus


@pytest.fixture(scope="module")
def operations(corpus: Path) -> dict[str, list[AccessorInput]]:
    return {
        path.name: list(read(_json.loads(path.read_bytes())))
        for path in sorted((corpus / "dev").glob("*.json"))
    }


@pytest.fixture(scope="module")
def reference(corpus: Path) -> dict[str, Accessors]:
    found: defaultdict[str, Accessors] = defaultdict(dict)
    for line in part_of_corpus(corpus, "reference-accessors.jsonl").read_text().splitlines():
        entry = _json.loads(line)
        found[entry["document"]][entry["method"], entry["path"]] = tuple(entry["accessor"])
    return found


def read(document: Mapping[str, Any]) -> Iterator[AccessorInput]:
    """All operations of a document, without resolving anything: the paths are enough."""
    for path, item in document.get("paths", {}).items():
        for method in METHODS & item.keys():
            declared = [*item.get("parameters", ()), *item[method].get("parameters", ())]
            names_in_path = [one["name"] for one in declared if one.get("in") == "path"]
            yield AccessorInput(
                method=method,
                path=path,
                template=parse(path, names_in_path),
                override=item[method].get("x-samchon-accessor"),
            )


def lowered(accessor: tuple[str, ...]) -> list[str]:
    return [element.lower() for element in accessor]


def kind(operation: tuple[str, str], ours: tuple[str, ...] | None, theirs: tuple[str, ...]) -> str:
    """The name that docs/decisions/accessors.md gives to a difference."""
    placeholders = re.findall(r"\{(.*?)\}", operation[1])
    if ours is None:
        return "unknown" if operation[1].startswith("/") else "webhook"
    if ours == theirs:
        return "equal"
    if lowered(ours) == lowered(theirs):
        return "letter case"
    last = [accessor[-1].lstrip("_").lower() for accessor in (ours, theirs)]
    if ours[:-1] == theirs[:-1] and last[0] == last[1] and "id" in placeholders:
        return "who yields"
    return "unknown"


def test_reference(
    operations: dict[str, list[AccessorInput]], reference: dict[str, Accessors]
) -> None:
    """R10-R13: 99.5 % of the reference's accessors are ours but for letter case, and the rest has names."""
    kinds: Counter[str] = Counter()
    for document, theirs in reference.items():
        ours = {
            (operation.method, operation.path): naming.accessor
            for operation, naming in zip(
                operations[document], assign(operations[document]), strict=True
            )
        }
        kinds.update(kind(key, ours.get(key), accessor) for key, accessor in theirs.items())
    assert (kinds["equal"] + kinds["letter case"]) / kinds.total() >= 0.995, kinds
    assert set(kinds) <= {"equal", "letter case", "webhook", "who yields"}, kinds


def test_laws(operations: dict[str, list[AccessorInput]]) -> None:
    """R11-R13: in every document accessors are legal, unique and free of prefixes; overrides count."""
    for document in operations.values():
        namings = assign(document)
        found = [tuple(lowered(naming.accessor)) for naming in namings]
        namespaces = {accessor[:end] for accessor in found for end in range(len(accessor))}
        assert all(LEGAL.match(element) for accessor in found for element in accessor)
        assert len({"_".join(accessor) for accessor in found}) == len(document)
        assert namespaces.isdisjoint(found)
        assert not any(naming.ignored for naming in namings)


@pytest.mark.parametrize("max_length", [64, 48, 32, 16])
def test_names(operations: dict[str, list[AccessorInput]], max_length: int) -> None:
    """F1, F2: in every document names are legal, within the length and unique, in either order."""
    for document in operations.values():
        accessors = [naming.accessor for naming in assign(document)]
        identities = [str(operation) for operation in document]
        found = names(accessors, identities, max_length)
        assert all(LEGAL.match(name) and len(name) <= max_length for name in found)
        assert len({name.lower() for name in found}) == len(document)
        assert names(accessors[::-1], identities[::-1], max_length) == found[::-1]


def test_lengths_are_rarely_a_problem(operations: dict[str, list[AccessorInput]]) -> None:
    """F2: at 64 characters fewer than one name in fifty needs a hash."""
    hashed = total = 0
    for document in operations.values():
        accessors = [naming.accessor for naming in assign(document)]
        found = names(accessors, [str(operation) for operation in document])
        total += len(found)
        hashed += sum(
            not "_".join(accessor).endswith(name)
            for accessor, name in zip(accessors, found, strict=True)
        )
    assert hashed * 50 < total
