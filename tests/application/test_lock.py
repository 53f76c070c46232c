import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.application.test_fingerprint import DOCUMENT, put, schema
from tests.effort import lines

from specfn import Application, Options, load
from specfn.errors import DocumentError, UsageError

Change_ = Callable[[dict[str, Any]], object]

BEFORE = load(DOCUMENT)
PUT = BEFORE.functions[0].name


def changes(application: Application, lock: Any) -> tuple[tuple[Any, ...], ...]:
    return tuple(
        (change.kind, change.name, change.before, change.parts)
        for change in application.changes(lock)
    )


def changed(change: Change_) -> dict[str, Any]:
    document = copy.deepcopy(DOCUMENT)
    change(document)
    return document


def test_a_lock_is_json_in_lines() -> None:
    """T14: a line for each part, the same text for the same document, and the fingerprint of all."""
    text = BEFORE.lock()
    assert text == load(json.dumps(DOCUMENT).encode()).lock()
    read = json.loads(text)
    assert read["specfn-lock"] == 1
    assert read["fingerprint"] == BEFORE.fingerprint
    assert {
        name: entry["fingerprint"] for name, entry in read["functions"].items()
    } == BEFORE.fingerprints
    assert list(read["functions"][PUT]) == [
        "fingerprint",
        "description",
        "parameters",
        "output",
        "wire",
    ]
    assert text.endswith("}\n")


@pytest.mark.parametrize(
    "expect", [BEFORE.lock(), json.loads(BEFORE.lock()), BEFORE.fingerprints, BEFORE.fingerprint], ids=["text", "read", "by name", "of all"]
)  # fmt: skip
def test_what_did_not_change_is_loaded(expect: Any) -> None:
    """T14: in every form, what was reviewed is accepted as long as nothing changed."""
    assert load(DOCUMENT, expect=expect).fingerprint == BEFORE.fingerprint


PARTS: dict[str, tuple[Change_, tuple[str, ...]]] = {
    "summary": (lambda d: put(d).update(summary="Changes"), ("description",)),
    "property": (lambda d: schema(d)["properties"].update(c={}), ("parameters",)),
    "output": (lambda d: put(d).update(responses={}), ("output", "wire")),
    "server": (lambda d: d.update(servers=[{"url": "https://api.evil"}]), ("wire",)),
    "parameter": (lambda d: put(d)["parameters"][1].update(name="r"), ("parameters", "wire")),
}


@pytest.mark.parametrize("case", PARTS)
def test_what_changed_is_told(case: str) -> None:
    """T14: with a lock it is told which part of which function; with fingerprints, which function."""
    change, parts = PARTS[case]
    document = changed(change)
    assert changes(load(document), BEFORE.lock())[0] == ("changed", PUT, None, parts)
    with pytest.raises(DocumentError, match=rf"{PUT} changed \({', '.join(parts)}\)"):
        load(document, expect=BEFORE.lock())
    assert changes(load(document), BEFORE.fingerprints)[0] == ("changed", PUT, None, ())
    with pytest.raises(
        DocumentError,
        match=f"the document changed, or it is loaded with other options: {PUT} changed",
    ):
        load(document, expect=BEFORE.fingerprints)
    with pytest.raises(DocumentError, match=r"its fingerprint is .* to see the changes"):
        load(document, expect=BEFORE.fingerprint)


def test_functions_come_go_and_are_renamed() -> None:
    """T14: a function under another name is not a new one, if nothing else changed."""

    def change(document: dict[str, Any]) -> None:
        document["paths"]["/fresh"] = {"get": {}}
        document["paths"].pop("/other")

    after = load(changed(change), options=Options(names={f"PUT {'/pets/{id}'}": "put_pet"}))
    assert changes(after, BEFORE.lock()) == (
        ("renamed", "put_pet", PUT, ()),
        ("added", "fresh_get", None, ()),
        ("removed", "other_get", None, ()),
    )
    told = [str(each) for each in after.changes(BEFORE.lock())]
    assert told == [f"{PUT} is now called put_pet", "fresh_get is new", "other_get is gone"]
    assert [each.kind for each in after.changes(BEFORE.fingerprints)] == [
        "added",
        "added",
        "removed",
        "removed",
    ]


def test_many_changes_are_told_in_part() -> None:
    """T14: ten of them, and how many more there are."""
    many = {f"/p{index}": {"get": {}} for index in range(15)}
    with pytest.raises(DocumentError, match=r"p9_get is new; and 7 more"):
        load(
            {**DOCUMENT, "paths": many},
            expect=load({**DOCUMENT, "paths": {}}).lock() and BEFORE.lock(),
        )


def test_what_a_person_fills_in_is_a_part_of_it() -> None:
    """T14, S2: that the model may fill in more than was reviewed is a change of its part."""
    document = changed(lambda d: schema(d)["properties"].update(password={"type": "string"}))

    def loaded(**options: Any) -> Application:
        return load(document, options=Options(**options))

    apart, whole = loaded(separate="secrets"), loaded()
    assert changes(whole, apart.lock()) == (("changed", PUT, None, ("llm",)),)
    assert load(document, options=Options(separate="secrets"), expect=apart.lock())


@pytest.mark.parametrize(
    ("expect", "told"),
    [
        ("{", "`expect` is not valid JSON"),
        (
            '{"specfn-lock": 2, "functions": {}}',
            "the lock has the version 2; expected version 1",
        ),
        ('{"specfn-lock": 1}', "`expect` has another form; expected the text of"),
        ({"a": 1}, "`expect` has another form; expected the text of"),
        ({"a": {"description": "x"}}, "`expect` has another form"),
        ([], "`expect` is a JSON list; expected"),
    ],
)
def test_what_is_no_lock_is_the_callers_fault(expect: Any, told: str) -> None:
    """T14: a broken lock accepts nothing."""
    with pytest.raises(UsageError, match=told):
        load(DOCUMENT, expect=expect)


WIRE: dict[str, Change_] = {
    "description of a server": lambda d: d["servers"][0].update(description="x"),
    "description of a scheme": lambda d: d["components"]["securitySchemes"]["key"].update(
        description="x"
    ),
}


@pytest.mark.parametrize("change", WIRE.values(), ids=WIRE)
def test_what_is_only_said_of_the_wire_does_not_count(change: Change_) -> None:
    """T14: what a server or a scheme is described as is neither shown nor sent."""
    assert load(changed(change)).fingerprint == BEFORE.fingerprint


def test_how_a_form_is_written_counts() -> None:
    """T14: the Encoding Object of a multipart or urlencoded body says what is sent."""
    found = set()
    for media_type in ("multipart/form-data", "application/x-www-form-urlencoded"):
        for encoding in ({}, {"a": {"contentType": "text/csv"}}, {"a": {"style": "deepObject"}}):
            content = {
                media_type: {"schema": schema(copy.deepcopy(DOCUMENT)), "encoding": encoding}
            }
            document = changed(lambda d, c=content: put(d)["requestBody"].update(content=c))  # type: ignore[misc]
            found.add(load(document).fingerprint)
    assert len(found) == 6


def test_a_parameter_that_the_connection_fills_counts() -> None:
    """T14, R7: it says where a credential goes."""
    declared = {"name": "X-Key", "in": "header", "schema": {"type": "string"}}
    document = changed(lambda d: put(d)["parameters"].append(declared))
    assert changes(load(document), BEFORE.lock()) == (("changed", PUT, None, ("wire",)),)


def test_telling_renames_takes_time_in_proportion() -> None:
    """T14: of twice as many functions that all come and go, the telling is twice the work."""

    def work(count: int) -> int:
        before, after = (
            load({**DOCUMENT, "paths": {f"/{name}{index}": {"get": {}} for index in range(count)}})
            for name in "ab"
        )
        known = before.lock()
        assert len(after.changes(known)) == 2 * count
        return lines(lambda: after.changes(known))

    assert work(80) < 3 * work(40)


@pytest.mark.parametrize("text", ["l.lock", "", "0" * 63, "locks/api.json"])
def test_a_path_is_no_lock(text: str) -> None:
    """A text that is neither a lock nor a fingerprint is refused, and the error says how to read a file."""
    with pytest.raises(DocumentError, match=r"Path\(\.\.\.\)\.read_text\(\)"):
        load({"openapi": "3.1.0", "paths": {}}, expect=text)
