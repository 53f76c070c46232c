import json
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from specfn import Function, Options, load
from specfn.migrate.safety import is_idempotent, safety_of

TREE = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "its name"},
        "id": {"type": "integer", "readOnly": True},
        "secret": {"type": "string", "writeOnly": True},
        "children": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}},
    },
    "required": ["name", "id"],
}
LARGE = {
    "type": "object",
    "properties": {
        f"p{index}": {"type": "string", "description": "words " * 20} for index in range(400)
    },
}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "t", "version": "1"},
    "security": [{"key": []}],
    "paths": {
        "/trees/{id}": {
            "parameters": [
                {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
            ],
            "get": {
                "operationId": "readTree",
                "summary": "Read",
                "tags": ["trees", 5, "more"],
                "deprecated": True,
                "parameters": [
                    {"name": "limit", "in": "query", "schema": {"type": "integer", "maximum": 9}},
                    {"name": "ghost", "in": "path", "schema": {}},
                ],
                "responses": {
                    "200": {
                        "description": "ok",
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Tree"}}
                        },
                    }
                },
            },
            "put": {
                "security": [],
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/Tree"}}
                    },
                },
            },
            "delete": {"responses": {"204": {"description": "gone"}}},
        },
        "/large": {
            "post": {"requestBody": {"content": {"application/json": {"schema": LARGE}}}},
        },
        "/upload": {
            "post": {
                "requestBody": {
                    "content": {
                        "multipart/form-data": {
                            "schema": {
                                "type": "object",
                                "properties": {"file": {"type": "string", "format": "binary"}},
                            }
                        }
                    }
                }
            }
        },
        "/empty": {"get": {}},
    },
    "components": {
        "schemas": {"Tree": TREE},
        "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}},
    },
}
KINDS = [
    {},
    {"keyword": False},
    {"dialect": "3.1"},
    {"keyword": False, "dialect": "3.1"},
    {"constraint": False},
    {"schema_budget": 1024},
    {"recursive": 0},
    {"equals": True},
    {"formats": "hint"},
    {"description_limit": 20},
]
PROBES: list[Any] = [
    {},
    {"id": 1},
    {"id": "1"},
    {"id": 1, "query": {"limit": 10}},
    {"id": 1, "body": {"name": "a", "children": [{"name": "b"}]}},
    {"id": 1, "body": {"name": "a", "id": 1}},
    {"body": {"p0": 1}},
    {"body": {"more": 1}},
    [],
    [1],
    [1, None],
    [1, {"limit": 10}],
    [{"p0": "x"}],
    None,
]


def functions(options: dict[str, Any]) -> Iterator[Function]:
    application = load(DOCUMENT, options=Options(**options))
    assert len(application) == 6
    return iter(application)


@pytest.fixture(scope="module")
def plain() -> dict[str, Function]:
    return {f"{each.method} {each.path}": each for each in functions({})}


def face(function: Function) -> dict[str, Any]:
    """Everything that a caller can see of a function, as plain values."""
    verdicts = [function.validate(probe) for probe in PROBES]
    return {
        "name": function.name,
        "accessor": function.accessor,
        "method": function.method,
        "path": function.path,
        "operation_id": function.operation_id,
        "description": function.description,
        "parameters": json.dumps(function.parameters),
        "output": json.dumps(function.output),
        "validator": function.validator,
        "tags": function.tags,
        "deprecated": function.deprecated,
        "security": function.security,
        "safety": function.safety,
        "idempotent": function.idempotent,
        "edits": function.edits,
        "notes": function.notes,
        "fingerprint": function.fingerprint,
        "keys": function.route.keys,
        "keyword": function.keyword,
        "verdicts": [
            [bool(verdict), [(each.path, each.expected) for each in getattr(verdict, "errors", ())]]
            for verdict in verdicts
        ],
    }


# -- what a function says of itself (F5, F6) ----------------------------------------------------------


def test_a_function_tells_its_operation(plain: dict[str, Function]) -> None:
    """F6: method, path, accessor, operationId, tags, deprecation and security are the operation's."""
    function = plain["get /trees/{id}"]
    assert (function.method, function.path) == ("get", "/trees/{id}")
    assert (function.accessor, function.name) == (("trees", "getById"), "trees_getById")
    assert function.operation_id == "readTree"
    assert function.tags == ("trees", "more")
    assert function.deprecated is True
    assert function.security == ((("key", ()),),)
    assert function.operation["summary"] == "Read"
    assert [note.text for note in function.notes if "ghost" in note.text]


def test_a_function_says_nothing_that_the_operation_does_not(plain: dict[str, Function]) -> None:
    """F6: what is absent is absent: no operationId, no tags, not deprecated, no security, no output."""
    function = plain["put /trees/{id}"]
    assert function.operation_id is None
    assert function.tags == ()
    assert function.deprecated is False
    assert function.security == ()
    assert function.notes == ()
    assert function.output is None


def test_deprecated_is_read_as_other_flags() -> None:
    """F3, F6: what ``required: "true"`` means is what ``deprecated: "true"`` means."""
    operation = {
        "deprecated": "true",
        "parameters": [{"name": "a", "in": "query", "required": "true"}],
    }
    document = {**DOCUMENT, "paths": {"/x": {"get": operation}}}
    function = load(document).functions[0]
    assert function.route.keys == (("query", True),)
    assert function.deprecated is True


@pytest.mark.parametrize(
    ("method", "safety"),
    [
        ("get", "read"),
        ("head", "read"),
        ("query", "read"),
        ("options", "read"),
        ("post", "write"),
        ("put", "write"),
        ("patch", "write"),
        ("delete", "destructive"),
        ("COPY", "destructive"),
        ("purge", "destructive"),
    ],
)
def test_safety_of_methods(method: str, safety: str) -> None:
    """F6: reading methods read, writing ones write, and what deletes or is not known may destroy."""
    assert safety_of(method) == safety


@pytest.mark.parametrize(
    ("method", "idempotent"),
    [("get", True), ("put", True), ("delete", True), ("head", True), ("query", True),
     ("post", False), ("patch", False), ("COPY", False)],
)  # fmt: skip
def test_idempotent_methods(method: str, idempotent: bool) -> None:  # noqa: FBT001
    """F6: a method is idempotent where RFC 9110 says so, and nothing else is."""
    assert is_idempotent(method) is idempotent


@pytest.mark.parametrize(
    ("table", "safety"),
    [
        ({"large.post": "read"}, "read"),
        ({"large.*": "destructive"}, "destructive"),
        ({"*": "read"}, "read"),
        ({"trees.*": "read"}, "write"),
        ({"large.*": "destructive", "*": "read"}, "destructive"),
    ],
)
def test_options_safety_overrides_by_pattern(table: dict[str, str], safety: str) -> None:
    """F6: the first pattern that the accessor matches decides."""
    found = {each.path: each for each in functions({"safety": table})}
    assert found["/large"].safety == safety


def test_output_is_the_success_response(plain: dict[str, Function]) -> None:
    """F5, F11: the success schema without what only goes in; ``None`` where there is none."""
    output = plain["get /trees/{id}"].output
    assert output is not None
    assert set(output["properties"]) == {"name", "id", "children"}
    assert plain["delete /trees/{id}"].output is None
    assert plain["get /empty"].output is None


# -- what it checks -------------------------------------------------------------------------------------


def test_validate_hands_back_the_very_arguments(plain: dict[str, Function]) -> None:
    """V1: nothing is changed on the way: ``data`` is the object that was given, valid or not."""
    function = plain["get /trees/{id}"]
    for arguments in ({"id": 1}, {"id": "x"}):
        assert function.validate(arguments).data is arguments


@pytest.mark.parametrize(
    "value", [None, 5, "x", [], [1], {1: 2}, float("nan"), object(), {"id": {}}]
)
def test_validate_never_raises(plain: dict[str, Function], value: Any) -> None:
    """V1: any value gets a verdict, and one that is no object of JSON is refused."""
    for function in plain.values():
        outcome = function.validate(value)
        assert not outcome
        assert outcome.errors
        assert isinstance(outcome.feedback(), str)


def test_read_only_is_refused_and_recursion_is_enforced(plain: dict[str, Function]) -> None:
    """F11: readOnly is ``undefined`` at every depth; write-only goes in."""
    function = plain["put /trees/{id}"]
    assert function.validate({"id": 1, "body": {"name": "a", "secret": "s"}})
    deep = {"name": "a", "children": [{"name": "b", "children": [{"name": "c", "id": 1}]}]}
    (problem,) = function.validate({"id": 1, "body": deep}).errors
    assert (problem.path, problem.expected) == (
        "$input.body.children[0].children[0].id",
        "undefined",
    )


def test_what_the_budget_cut_is_still_enforced() -> None:
    """F9: the validator is the document's, however little of it a model is shown."""
    found = {each.path: each for each in functions({"schema_budget": 1024})}
    function = found["/large"]
    assert len(json.dumps(function.parameters, separators=(",", ":"))) <= 1024
    assert function.edits
    assert not function.validate({"body": {"p399": 1}})


def test_edits_name_places_that_are_there() -> None:
    """F9: an edit's pointer leads into what a model is shown."""
    for options in ({"schema_budget": 2048}, {"recursive": 0}, {"constraint": False}):
        for function in functions(options):
            shown = {"parameters": function.parameters, "output": function.output}
            for edit in function.edits:
                node: Any = shown
                for token in edit.pointer.split("/")[1:]:
                    token = token.replace("~1", "/").replace("~0", "~")  # noqa: PLW2901
                    node = node[int(token)] if isinstance(node, list) else node[token]


def test_schemas_are_the_functions_own() -> None:
    """What a caller changes in one function's schema does not change another's."""
    first, second = list(functions({}))[:2]
    first.parameters["properties"]["id"]["type"] = "changed"
    assert second.parameters["properties"]["id"] == {"type": "integer"}
    assert first.validate({"id": 1})


def test_a_repr_is_one_line(plain: dict[str, Function]) -> None:
    """A function shows its name and its operation."""
    assert repr(plain["get /empty"]) == "<Function empty_get: GET /empty>"


# -- pickling ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", KINDS, ids=str)
@pytest.mark.parametrize("warm", [True, False])
def test_a_pickled_function_is_the_same(options: dict[str, Any], warm: bool) -> None:  # noqa: FBT001
    """Every kind of function comes back with the same face, used before or not."""
    for function, twin in zip(functions(options), functions(options), strict=True):
        if warm:
            face(function)
        copy = pickle.loads(pickle.dumps(function))
        assert face(copy) == face(twin)
        again = pickle.loads(pickle.dumps(copy))
        assert face(again) == face(twin)


def test_a_function_travels_without_its_predicate() -> None:
    """A predicate has done its work when a function is there: one that cannot be pickled does not matter."""
    function = next(functions({"select": lambda _: True}))
    assert face(pickle.loads(pickle.dumps(function))) == face(function)


SCRIPT = """
import pickle, sys
functions = pickle.loads(sys.stdin.buffer.read())
for function in functions:
    verdicts = [bool(function.validate(probe)) for probe in pickle.loads(bytes.fromhex(sys.argv[1]))]
    print(repr((function.name, function.parameters, function.output, function.fingerprint, verdicts)))
"""


def test_a_fresh_process_sees_the_same() -> None:
    """A function carries all it needs: another process shows and checks what this one does."""
    sent = [function for options in KINDS[:4] for function in functions(options)]
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, pickle.dumps(PROBES).hex()],
        input=pickle.dumps(sent),
        env={
            "PYTHONPATH": str(Path(__file__).parents[2] / "src"),
            "PYTHONHASHSEED": "7",
            "PATH": "",
        },
        capture_output=True,
        check=True,
    )
    expected = [
        repr(
            (
                function.name,
                function.parameters,
                function.output,
                function.fingerprint,
                [bool(function.validate(probe)) for probe in PROBES],
            )
        )
        for function in sent
    ]
    assert run.stdout.decode().splitlines() == expected
