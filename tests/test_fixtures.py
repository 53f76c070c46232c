import json
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from orjson import dumps

from specfn import Options, load, normalize
from specfn.document.read.load import read

FOLDER = Path(__file__).parent.parent / "fixtures"
DOCUMENTS = sorted(
    path
    for path in FOLDER.iterdir()
    if path.suffix in {".json", ".yaml"} and not path.name.endswith(".expected.json")
)
RULES = {f"N{number}" for number in range(1, 10)} | {f"R{number}" for number in range(1, 15)}


@cache
def _expected(path: Path) -> dict[str, Any]:
    return json.loads(path.with_suffix(".expected.json").read_text(encoding="utf-8"))


def _cases() -> Iterator[Any]:
    """Every document under the default options, and under those of its variants."""
    for path in DOCUMENTS:
        expected = _expected(path)
        yield pytest.param(path, {}, expected, id=path.name)
        for variant in expected.get("variants", ()):
            options = variant["options"]
            yield pytest.param(path, options, variant, id=f"{path.name}-{'-'.join(options)}")


def _routes() -> Iterator[Any]:
    for case in _cases():
        path, options, expected = case.values
        for key, route in expected.get("routes", {}).items():
            yield pytest.param(path, options, key, route, id=f"{case.id} {key}")


@cache
def _load(path: Path, options: str) -> Any:
    return load(path, options=Options(**json.loads(options)))


def _application(path: Path, options: dict[str, Any]) -> Any:
    return _load(path, json.dumps(options))


def _same(expected: Any, found: Any) -> bool:
    """Equal, order included; an asterisk in an expected text stands for what no hand can derive."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return _same(list(expected.items()), list(found.items()))
    if isinstance(expected, (list, tuple)) and isinstance(found, (list, tuple)):
        return len(expected) == len(found) and all(map(_same, expected, found))
    if isinstance(expected, str) and isinstance(found, str):
        return expected == found or ("*" in expected and fnmatchcase(found, expected))
    return bool(expected == found)


def _members(group: Any) -> list[str]:
    """The names that a group has for a model; a spread object stands for its members."""
    if group is None:
        return []
    return [
        name for parameter in group.parameters for name in parameter.members or (parameter.key,)
    ]


def _facts(function: Any) -> dict[str, Any]:
    """What an expected route may name, as the function has it."""
    route = function.route
    groups = [group for group in (route.query, route.headers, route.cookies) if group]
    parameters = [*route.parameters, *(each for group in groups for each in group.parameters)]
    success = route.success
    return {
        "name": function.name,
        "description": function.description,
        "keys": dict(route.keys),
        "query": _members(route.query),
        "headers": _members(route.headers),
        "cookies": _members(route.cookies),
        "styles": {
            parameter.name: [parameter.style, parameter.explode] for parameter in parameters
        },
        "body": route.body.media_type if route.body else None,
        "success": f"{success.status} {success.media_type or ''}".strip() if success else None,
        "exceptions": list(route.exceptions),
    }


@pytest.mark.parametrize(("path", "options", "expected"), [*_cases()])
def test_accessors_and_errors_are_those_derived_by_hand(
    path: Path, options: dict[str, Any], expected: dict[str, Any]
) -> None:
    """Every operation is the function or the error that the rules say, in the document's order."""
    application = _application(path, options)
    functions = {
        f"{function.method.upper()} {function.path}": ".".join(function.accessor)
        for function in application.functions
    }
    errors = {
        f"{error.method.upper()} {error.path}".lstrip(): error.code for error in application.errors
    }
    either = expected.get("either", {})
    assert either.keys() <= functions.keys() ^ errors.keys()
    told = {key: code for key, code in errors.items() if either.get(key) != code}
    assert told == expected["errors"]
    assert [key for key in functions if key not in either] == list(expected["functions"])
    wrong = {
        key: (accessor, functions[key])
        for key, accessor in expected["functions"].items()
        if not _same(accessor, functions[key])
    }
    assert not wrong


@pytest.mark.parametrize(("path", "options", "key", "expected"), [*_routes()])
def test_routes_are_those_derived_by_hand(
    path: Path, options: dict[str, Any], key: str, expected: dict[str, Any]
) -> None:
    """Keys, groups, styles, media types and texts are what the rules say."""
    facts = _facts(_application(path, options)[key])
    for name, value in expected.items():
        if name in facts:
            assert _same(value, facts[name]), f"{name}: {value} expected, {facts[name]} found"
    places = [facts["description"].find(text) for text in expected.get("says", ())]
    assert places == sorted(places)
    assert -1 not in places


@pytest.mark.parametrize(("path", "options", "key", "expected"), [*_routes()])
def test_arguments_are_accepted_and_refused_as_derived_by_hand(
    path: Path, options: dict[str, Any], key: str, expected: dict[str, Any]
) -> None:
    """What is listed as valid validates, and what is listed as invalid does not."""
    function = _application(path, options)[key]
    refused = [each for each in expected.get("valid", ()) if not function.validate(each)]
    assert refused == []
    accepted = [each for each in expected.get("invalid", ()) if function.validate(each)]
    assert accepted == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_normalizing_twice_is_normalizing_once(path: Path) -> None:
    """N8: a normalized document is its own normal form, and its source is not changed."""
    source = read(path).document
    before = dumps(source)
    document = normalize(source)
    assert dumps(source) == before
    assert normalize(document) == document


def test_every_rule_has_a_fixture() -> None:
    """N1 to N9 and R1 to R14 are each named in the first line of a document."""
    named = {rule for path in DOCUMENTS for rule in _rules(path)}
    assert RULES - named == set()


def test_every_fixture_says_what_it_is_for() -> None:
    """A document's first line names rules and a purpose, and the table has both."""
    table = (FOLDER / "README.md").read_text(encoding="utf-8")
    for path in DOCUMENTS:
        row = next(line for line in table.splitlines() if line.startswith(f"| `{path.name}` |"))
        purpose, rules = (cell.strip() for cell in row.split("|")[2:4])
        first = path.read_text(encoding="utf-8").partition("\n")[0]
        assert f"{rules}: {purpose}" in first, path.name


def _rules(path: Path) -> list[str]:
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    return re.findall(
        r"\b[FNRV][0-9]+\b",
        first.partition(":" if path.suffix == ".yaml" else '": "')[0] + first[:60],
    )


def test_every_expectation_belongs_to_a_document() -> None:
    """There is no expected file without its document, and no operation without an expectation."""
    expected = {path.name.removesuffix(".expected.json") for path in FOLDER.glob("*.expected.json")}
    assert expected == {path.stem for path in DOCUMENTS}
