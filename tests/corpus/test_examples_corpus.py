import json
from pathlib import Path
from typing import Any

import pytest
from tests.corpus.examples import Finder, Given, harness
from tests.effort import THOROUGH, part

from specfn import Application, load
from specfn._internal.pointer import input_path
from specfn.application.examples import example_faults

pytestmark = pytest.mark.corpus

Json = dict[str, Any]

#: How many examples the documents have at least, and how many of them are of arguments.
EXAMPLES, GIVEN = (35_000, 5_000) if THOROUGH else (20_000, 2_500)


@pytest.fixture(scope="module")
def documents(folder: Path) -> dict[str, Json]:
    """Return every third document by size as it is written; every document in the profile "thorough"."""
    largest, *others = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_size)[::-1]
    return {path.name: json.loads(path.read_bytes()) for path in part([*others, largest], 3)}


@pytest.fixture(scope="module")
def named(documents: dict[str, Json]) -> dict[str, set[str]]:
    """The places of the examples that ``specfn check`` names, by document."""
    return {
        name: {note.pointer for note in example_faults(document)}
        for name, document in documents.items()
    }


def test_the_named_examples_are_those_that_are_refused(
    documents: dict[str, Json], named: dict[str, set[str]]
) -> None:
    """V5: held against its schema as an argument, an example or default is refused if and only if it is named."""
    differing, asked = [], 0
    for name, document in documents.items():
        found = list(Finder(document).examples())
        function = load(harness(document, found))["POST /specfn-harness"]
        refused = {
            each.pointer
            for index, each in enumerate(found)
            if not function.validate({"body": {f"n{index}": each.value}})
        }
        asked += len(found)
        differing += [(name, pointer) for pointer in refused ^ named[name]]
    assert differing == []
    assert asked > EXAMPLES


def is_refused(application: Application, given: Given) -> bool:
    """Whether a function refuses a value that its document gives for an argument, after all repairs."""
    function = application.find(given.operation)
    keys = given.keys
    if function is None:
        return False
    if keys[0] == "body" and len(keys) == 2 and "/" in keys[1]:  # a media type
        body = function.route.body
        if body is None or body.media_type != keys[1]:
            return False
        keys = keys[:1]
    value: Any = given.value
    for key in reversed(keys):
        value = {key: value}
    outcome = function.check(value)
    place = input_path(keys)
    problems = [] if outcome else [each for each in outcome.errors if belongs(each.path, place)]
    if any(each.path == place and each.expected == "undefined" for each in problems):
        return False  # it is hidden, or stands under another name
    return bool(problems)


def belongs(path: str, place: str) -> bool:
    return path == place or path.startswith((f"{place}.", f"{place}["))


def test_functions_refuse_no_other_examples(
    documents: dict[str, Json], named: dict[str, set[str]]
) -> None:
    """V5: what a document gives as an example or default of an argument is accepted, unless it is named."""
    wrong, asked = [], 0
    for name, document in documents.items():
        application = load(document)
        for given in Finder(document).given():
            asked += 1
            if given.pointer not in named[name] and is_refused(application, given):
                wrong.append((name, given))
    assert wrong == []
    assert asked > GIVEN
