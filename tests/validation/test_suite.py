from collections import Counter
from typing import Any

import pytest
from tests.validation.suite import Group, needed

from specfn import Options, load
from specfn.errors import DocumentError
from specfn.validation.validate import Validator

OWN = "`$id` makes a schema a document of its own; in OpenAPI schemas are told apart by their place, and N4 says so"
REMOTE = "refers to another document, which is followed only where a caller allows it (N4)"
DYNAMIC = "`$dynamicRef` means what the referring schema says; only metaschemas need that, and it is not enforced"
DIALECT = "`$schema` names a metaschema without the keyword; OpenAPI documents name theirs for the whole document"

#: The groups of the suite that do not come out as it says when they are bodies of operations, and why.
OUTSIDE: dict[str, str] = {
    "defs.json: validate definition against metaschema": REMOTE,
    "dynamicRef.json: $ref and $dynamicAnchor are independent of order - $defs first": REMOTE,
    "dynamicRef.json: $ref and $dynamicAnchor are independent of order - $ref first": REMOTE,
    "dynamicRef.json: $ref to $dynamicRef finds detached $dynamicAnchor": REMOTE,
    "dynamicRef.json: after leaving a dynamic scope, it is not used by a $dynamicRef": OWN,
    "dynamicRef.json: strict-tree schema, guards against misspelled properties": REMOTE,
    "dynamicRef.json: tests for implementation dynamic anchor and reference link": REMOTE,
    "ref.json: URN ref with nested pointer ref": OWN,
    "ref.json: remote ref, containing refs itself": REMOTE,
    "refRemote.json: $ref to $ref finds detached $anchor": REMOTE,
    "refRemote.json: Location-independent identifier in remote ref": REMOTE,
    "refRemote.json: anchor within remote ref": REMOTE,
    "refRemote.json: base URI change": REMOTE,
    "refRemote.json: base URI change - change folder": REMOTE,
    "refRemote.json: base URI change - change folder in subschema": REMOTE,
    "refRemote.json: fragment within remote ref": REMOTE,
    "refRemote.json: ref within remote ref": REMOTE,
    "refRemote.json: remote HTTP ref with different $id": REMOTE,
    "refRemote.json: remote HTTP ref with different URN $id": REMOTE,
    "refRemote.json: remote HTTP ref with nested absolute ref": REMOTE,
    "refRemote.json: remote ref": REMOTE,
    "refRemote.json: remote ref with ref to defs": REMOTE,
    "refRemote.json: retrieved nested refs resolve relative to their URI not $id": REMOTE,
    "refRemote.json: root ref in remote ref": REMOTE,
    "vocabulary.json: schema that uses custom metaschema with with no validation vocabulary": DIALECT,
}

#: Texts that a format takes as servers write it, and the suite refuses.
WIDER: set[tuple[str, str]] = {
    ("optional/format/time.json", "no time offset"),
    ("optional/format/time.json", "no time offset with second fraction"),
}

#: In this file formats are annotations, as they are with ``Options.formats = "hint"``.
HINTS = "format.json"

NAME = "S"
EXACTLY = Options(one_of="exactly")


def is_valid(group: Group, test: dict[str, Any]) -> bool:
    """The verdict of the suite, but for what a format takes beyond it."""
    return bool(test["valid"]) or (group.file, test["description"]) in WIDER


def verdicts(group: Group, validator: Validator) -> list[tuple[str, bool]]:
    """The values of a group whose verdict is not the suite's."""
    return [
        (test["description"], test["valid"])
        for test in group.tests
        if validator.is_valid(test["data"]) is not is_valid(group, test)
        or bool(validator.problems(test["data"])) is is_valid(group, test)
    ]


def by_pointer(schema: Any) -> bool:
    """Return whether all references of a schema point into it, as in every validator schema."""
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting.extend(node)
        elif isinstance(node, dict):
            reference = node.get("$ref", "#")
            if isinstance(reference, str) and reference != "#" and not reference.startswith("#/"):
                return False
            if "$dynamicRef" in node:
                return False
            waiting.extend(value for key, value in node.items() if key not in {"const", "enum"})
    return True


def test_every_verdict_is_the_suites() -> None:
    """V5: on every schema whose references are pointers, each verdict is that of the JSON-Schema-Test-Suite."""
    wrong, asked = [], 0
    for group in needed():
        schema = group.schema if isinstance(group.schema, dict) else {"allOf": [group.schema]}
        if not by_pointer(schema) or group.key in OUTSIDE:
            continue
        formats = "hint" if group.file == HINTS else "assert"
        try:
            found = verdicts(group, Validator(schema, formats=formats, one_of="exactly"))
        except DocumentError as error:
            found = [(str(error), True)]
        asked += len(group.tests)
        wrong += [(group.key, *test) for test in found]
    assert wrong == []
    assert asked > 1_600


def placed(schema: Any) -> Any:
    """A schema as a component: its references to itself name it."""
    if isinstance(schema, list):
        return [placed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    out: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "$ref" and isinstance(value, str) and (value == "#" or value.startswith("#/")):
            out[key] = f"#/components/schemas/{NAME}{value[1:]}"
        else:
            out[key] = value if key in {"const", "enum"} else placed(value)
    return out


def document(schema: Any) -> dict[str, Any]:
    """A document with one operation whose body is a schema."""
    body = {"content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{NAME}"}}}}
    answer = {"200": {"description": "done"}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "suite", "version": "1"},
        "paths": {"/x": {"post": {"requestBody": {"required": True, **body}, "responses": answer}}},
        "components": {"schemas": {NAME: placed(schema)}},
    }


@pytest.fixture(scope="module")
def outcomes() -> Counter[str]:
    """Return the number of values per group with another verdict if the schema is the body of an operation."""
    wrong: Counter[str] = Counter()
    for group in needed():
        if group.file == HINTS:
            continue
        functions = load(document(group.schema), options=EXACTLY).functions
        for test in group.tests:
            valid = bool(functions) and bool(functions[0].validate({"body": test["data"]}))
            wrong[group.key] += valid is not is_valid(group, test) or not functions
    return wrong


def test_through_a_document(outcomes: Counter[str]) -> None:
    """V5, N7: as bodies of operations, all schemas of the suite mean the same, but for those that are listed."""
    wrong = {key for key, count in outcomes.items() if count}
    assert wrong - OUTSIDE.keys() == set()


def test_what_is_listed_is_needed(outcomes: Counter[str]) -> None:
    """Nothing is listed as an exception that is none."""
    assert [key for key in OUTSIDE if not outcomes[key]] == []
