import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import pytest
from tests.effort import part

from specfn import Application, Function, Options, load

pytestmark = pytest.mark.corpus

ROOT = Path(__file__).parents[2]
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
CODES = {"reference", "external", "recursive", "path", "method", "human", "malformed", "chain"}
GROUPS = {"query": "query", "header": "headers", "cookie": "cookies"}
#: Documents that between them have references everywhere, 2.0, 3.1, recursion, unions and large schemas.
SAMPLE = (
    "asana.com.json",
    "codat.io__sync-for-expenses.json",
    "extra__langgraph__openapi.json",
    "extra__oas-examples__2.0__petstore.json",
    "extra__oas-examples__3.0__circular.json",
    "extra__oas-examples__3.1__train-travel.json",
    "extra__samchon__v3.1__shopping.json",
    "ix-api.net.json",
    "openai.com.json",
    "slmonitor.com.json",
)


class Operation(NamedTuple):
    method: str
    path: str
    raw: Any
    item: dict[str, Any]


class Document(NamedTuple):
    name: str
    raw: dict[str, Any]
    application: Application


@pytest.fixture(scope="module")
def documents(loaded: dict[Path, Application]) -> list[Document]:
    return [
        Document(path.name, json.loads(path.read_bytes()), application)
        for path, application in loaded.items()
    ]


@pytest.fixture(scope="module")
def sample(documents: list[Document]) -> list[Document]:
    return [document for document in documents if document.name in SAMPLE]


# -- the document, read once more ----------------------------------------------------------------------


def target(document: Any, node: Any) -> Any:
    """What a node refers to, through any number of references; the node itself where it is none."""
    for _ in range(20):
        if not isinstance(node, dict) or not isinstance(node.get("$ref"), str):
            break
        found = document
        for token in node["$ref"].removeprefix("#").split("/")[1:]:
            key = unquote(token).replace("~1", "/").replace("~0", "~")
            found = found[int(key)] if isinstance(found, list) else found[key]
        node = found
    return node


def operations(document: dict[str, Any]) -> Iterator[Operation]:
    """Every operation of ``paths``, read without the code under test."""
    for path, declared in document.get("paths", {}).items():
        if path.startswith("x-"):
            continue
        item = target(document, declared)
        for key, raw in item.items():
            if key in METHODS:
                yield Operation(key, path, raw, item)
            elif key == "additionalOperations":
                yield from (Operation(method, path, inner, item) for method, inner in raw.items())


def parameters(document: dict[str, Any], operation: Operation) -> list[tuple[str, str]]:
    """Place and name of each parameter of an operation, path-level ones included, each once."""
    declared = [*operation.item.get("parameters", ()), *operation.raw.get("parameters", ())]
    resolved = [target(document, node) for node in declared]
    return list(dict.fromkeys((node["in"], node["name"]) for node in resolved))


def fingerprints(application: Application) -> dict[str, list[str]]:
    """Names, and hashes of the bytes that a model reads, by operation."""
    return {
        f"{function.method} {function.path}": [
            function.name,
            function.description,
            *(
                hashlib.sha256(part).hexdigest()
                for part in function.schemas.as_json
                if part is not None
            ),
        ]
        for function in application
    }


# -- laws ----------------------------------------------------------------------------------------------------


def test_every_operation_is_a_function_or_an_error(documents: list[Document]) -> None:
    """R1: every document loads, and its functions and errors are its operations in its own order."""
    for document in documents:
        expected = [(one.method, one.path) for one in operations(document.raw)]
        functions = [(one.method, one.path) for one in document.application]
        errors = [(one.method, one.path) for one in document.application.errors]
        assert sorted(functions + errors) == sorted(expected), document.name
        place = {key: index for index, key in enumerate(expected)}
        for found in (functions, errors):
            assert found == sorted(found, key=place.__getitem__), document.name


def test_a_report_counts_every_operation(documents: list[Document]) -> None:
    """The operations of a report are its functions and errors; by default for a part of the documents."""
    for document in part(documents, 4):
        report = document.application.report()
        expected = len([*operations(document.raw)])
        assert report["operations"] == expected == report["functions"] + report["errors"]


def test_nearly_every_callable_operation_is_a_function(documents: list[Document]) -> None:
    """R1, R2: of what may be called 99.9 % are functions, and every error has a known code and a reason."""
    total = functions = 0
    for document in documents:
        called = [one for one in operations(document.raw) if one.method not in ("options", "trace")]
        total += len(called)
        functions += len(document.application)
        for error in document.application.errors:
            assert error.code in CODES
            assert error.reason
            assert error.pointer.startswith("/paths/")
    assert total > 0
    assert functions >= 0.999 * total, f"{functions} of {total}"


class Places(NamedTuple):
    """Where the parameters of a function can be: its notes, and the members that are shown and enforced."""

    notes: list[str]
    shown: dict[str, Any]
    enforced: dict[str, Any]


def places_of(function: Function) -> Places:
    return Places(
        [note.text for note in function.notes],
        json.loads(function.schemas.full_json)["properties"],
        function.validator["properties"],
    )


def is_placed(function: Function, places: Places, where: str, name: str) -> bool:
    """Whether a declared parameter has a place in what a model may give (F13), or a note that names it."""
    if any(repr(name) in text for text in places.notes):
        return True
    _, shown, enforced = places
    if where == "path":
        keys = [one.key for one in function.route.parameters if one.name == name]
        return bool(keys) and keys[0] in shown and keys[0] in enforced
    group = GROUPS[where]
    if group not in shown:
        # a placeholder in the query of a path key is given at the root
        return any(one.name == name and one.key in shown for one in function.route.parameters)
    found = [shown[group]["properties"], enforced[group]["properties"]]
    declared = {one.name: one for one in getattr(function.route, group).parameters}
    if name not in declared:
        return any(key.lower() == name.lower() and where == "header" for key in found[0])
    keys = list(declared[name].members or (declared[name].key,))
    return all(key in properties for key in keys for properties in found)


def test_every_declared_parameter_has_a_place(documents: list[Document]) -> None:
    """R4 to R7, R14: a parameter is a key at the root, a member of its group, its members, or in a note."""
    lost = []
    for document in documents:
        functions = {(one.method, one.path): one for one in document.application}
        for operation in operations(document.raw):
            function = functions.get((operation.method, operation.path))
            if function is None:
                continue
            declared = [*parameters(document.raw, operation)]
            places = places_of(function) if declared else Places([], {}, {})
            for where, name in declared:
                if where in ("path", *GROUPS) and not is_placed(function, places, where, name):
                    lost.append((document.name, str(function), where, name))
    assert not lost


def test_nothing_is_asked_for_that_was_not_declared(documents: list[Document]) -> None:
    """R5: every key at the root and every member of a group is a declared parameter, or a member of one."""
    for document in documents:
        functions = {(one.method, one.path): one for one in document.application}
        for operation in operations(document.raw):
            function = functions.get((operation.method, operation.path))
            if function is None:
                continue
            names = {name for _, name in parameters(document.raw, operation)}
            groups = list(function.route.groups)
            for group in groups:
                assert {one.name for one in group.parameters} <= names
                root = function.parameters["properties"]
                shown = root.get(group.key, {}).get("properties", {})
                keys = [key for one in group.parameters for key in one.members or (one.key,)]
                assert set(shown) <= set(keys)
            body = {"body"} if function.route.body else set()
            roots = {one.key for one in function.route.parameters} | {one.key for one in groups}
            assert set(function.parameters["properties"]) <= roots | body


def test_names_are_legal_and_unique(documents: list[Document]) -> None:
    """F1: identifiers of at most 64 characters, unique ignoring letter case, as are accessors joined."""
    for document in documents:
        names = [function.name for function in document.application]
        assert all(re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_]{0,63}", name) for name in names)
        assert len({name.lower() for name in names}) == len(names), document.name
        accessors = {"_".join(function.accessor).lower() for function in document.application}
        assert len(accessors) == len(names), document.name


def test_every_function_is_found_by_its_names(documents: list[Document]) -> None:
    """Contract: name, accessor, and method and path find the function; an operationId too where it is unique."""
    for document in documents:
        ids = [function.operation_id for function in document.application]
        names = {function.name for function in document.application}
        for function in document.application:
            keys = [
                function.name,
                ".".join(function.accessor),
                f"{function.method.upper()} {function.path}",
            ]
            own = function.operation_id
            if own is not None and ids.count(own) == 1 and own not in names:
                keys.append(own)
            for key in keys:
                assert document.application.find(key) is function, (document.name, key)


def schemas(function: Function) -> Iterator[tuple[str, Any]]:
    yield "parameters", function.parameters
    if function.output is not None:
        yield "output", function.output


def has_reference(node: Any) -> bool:
    """Whether a schema refers to another, data left aside."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            if isinstance(one.get("$ref"), str):
                return True
            waiting += [value for key, value in one.items() if key not in DATA]
        elif isinstance(one, list):
            waiting += one
    return False


DATA = {"enum", "const", "default", "example", "examples"}


SCRIPT = """
import hashlib, json, random, sys
from pathlib import Path
from specfn.api import load
for path in map(Path, sys.argv[1:]):
    document = json.loads(path.read_bytes())
    paths = [*document.get("paths", {}).items()]
    random.Random(7).shuffle(paths)
    found = {}
    for function in reversed(load({**document, "paths": dict(paths)}).functions):
        parts = [part for part in function.schemas.to_json() if part is not None]
        digests = [hashlib.sha256(part).hexdigest() for part in parts]
        place = f"{function.method} {function.path}"
        found[place] = [function.name, function.description, *digests]
    print(json.dumps(found))
"""


def test_everything_is_the_same_in_another_process_and_order(
    documents: list[Document], folder: Path
) -> None:
    """R12, F2, F9: names, descriptions and the bytes of schemas survive a shuffle of the paths and other hashes.

    Another process, with another seed of hashes, reads the paths in another order and is asked in a third one.
    """
    chosen = part(documents, 3)
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, *(str(folder / document.name) for document in chosen)],
        env={"PYTHONPATH": str(ROOT / "src"), "PYTHONHASHSEED": seed, "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    for line, document in zip(run.stdout.splitlines(), chosen, strict=True):
        assert json.loads(line) == fingerprints(document.application), document.name


@pytest.mark.parametrize("keyword", [True, False])
@pytest.mark.parametrize("dialect", ["3.0", "3.1"])
def test_other_options_give_the_same_functions(
    sample: list[Document],
    keyword: bool,  # noqa: FBT001
    dialect: Any,
) -> None:
    """F4, F7: dialect and form change neither names nor keys; schemas stay within the budget."""
    assert len(sample) >= 8
    for document in sample:
        other = load(document.raw, options=Options(keyword=keyword, dialect=dialect))
        for function, plain in zip(other, document.application, strict=True):
            assert (function.name, function.route.keys) == (plain.name, plain.route.keys)
            assert all(len(part) <= 32 * 1024 for part in function.schemas.as_json if part)
            found = function.parameters
            keys = [key for key, _ in function.route.keys]
            if keyword:
                assert list(found["properties"]) == [
                    key for key in keys if key in found["properties"]
                ]
                needed = [key for key, required in function.route.keys if required]
                assert found.get("required", []) == needed
            else:
                assert len(found) == len(keys)
            if dialect == "3.0":
                assert not has_reference(found)
            else:
                assert_no_dangling(found)
                assert_no_dangling(function.output)


def assert_no_dangling(schema: Any) -> None:
    """Every reference of a schema, or of each in a list, names one of its definitions, and all are used."""
    for root in schema if isinstance(schema, list) else [schema]:
        defined = set(root.get("$defs", {})) if isinstance(root, dict) else set()
        used = set()
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if isinstance(node, dict):
                if isinstance(node.get("$ref"), str):
                    token = node["$ref"].removeprefix("#/$defs/")
                    used.add(unquote(token).replace("~1", "/").replace("~0", "~"))
                waiting += [value for key, value in node.items() if key not in DATA]
            elif isinstance(node, list):
                waiting += node
        assert used == defined


def test_sampled_functions_judge_arguments(sample: list[Document]) -> None:
    """V1, F4: every validator compiles; nothing passes as arguments that is no object, or has a key too many."""
    for document in sample:
        positional = load(document.raw, options=Options(keyword=False))
        for function, other in zip(document.application, positional, strict=True):
            assert not function.validate([])
            (problem,) = [
                each
                for each in function.validate({"no such key": 1}).errors
                if each.expected == "undefined"
            ]
            assert problem.path == '$input["no such key"]'
            needed = [key for key, required in function.route.keys if required]
            outcome = function.validate({})
            assert bool(outcome) is not bool(needed)
            assert [each.path for each in getattr(outcome, "errors", ())] == [
                f"$input.{key}" for key in needed
            ]
            positions = [
                index for index, (_, required) in enumerate(function.route.keys) if required
            ]
            missing = other.validate([None] * len(other.route.keys))
            found = {each.path for each in getattr(missing, "errors", ())}
            assert found <= {f"$input[{index}]" for index in positions}
