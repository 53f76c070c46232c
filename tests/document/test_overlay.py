"""OpenAPI Overlays change a document before it is converted (rule N10)."""

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import specfn
from specfn.document.overlay import names
from specfn.errors import DocumentError, SpecfnError, UsageError

Json = dict[str, Any]

API: Json = {
    "openapi": "3.1.0",
    "info": {"title": "Pets", "version": "1"},
    "tags": [{"name": "pets"}],
    "paths": {
        "/pets": {
            "get": {
                "tags": ["a", "old"],
                "parameters": [
                    {"name": "limit", "in": "query", "schema": {"type": "integer"}},
                    {"name": "old", "in": "query", "schema": {"type": "string"}},
                ],
                "responses": {"200": {"description": "OK"}},
            }
        },
        "/cats": {"post": {"responses": {"200": {"description": "OK"}}}},
    },
}


def overlay(*actions: Json, version: str = "1.1.0", **more: Any) -> Json:
    return {"overlay": version, "info": {"title": "o", "version": "1"}, "actions": [*actions], **more}  # fmt: skip


def at(document: Any, *place: Any) -> Any:
    for key in place:
        document = document[key]
    return document


def changed(*actions: Json, version: str = "1.1.0") -> Json:
    return specfn.load(API, overlays=[overlay(*actions, version=version)]).raw


GET = ("paths", "/pets", "get")
NEW = {"name": "new", "in": "query"}

#: The target, what is done, and the place with its value afterwards.
CASES: list[tuple[str, Json, tuple[Any, ...], Any]] = [
    ("$.info", {"update": {"title": "Cats", "x-a": {"b": 1}}}, ("info",), {"title": "Cats", "version": "1", "x-a": {"b": 1}}),
    ("$", {"update": {"info": {"x-a": 1}}}, ("info",), {**API["info"], "x-a": 1}),
    ("$.tags", {"update": {"name": "cats"}}, ("tags",), [{"name": "pets"}, {"name": "cats"}]),
    ("$.tags", {"update": [{"name": "cats"}]}, ("tags",), [{"name": "pets"}, {"name": "cats"}]),
    ("$.paths.*.get", {"update": {"tags": ["b"]}}, (*GET, "tags"), ["a", "old", "b"]),
    ("$.paths.*.get.parameters[?@.name=='old']", {"remove": True}, (*GET, "parameters"), at(API, *GET, "parameters")[:1]),
    ("$.paths.*.get.parameters", {"update": NEW}, (*GET, "parameters", 2), NEW),
    ("$.paths.*.get.tags[?@ == 'old']", {"remove": True}, (*GET, "tags"), ["a"]),
    ("$.paths.*.get.tags[*]", {"remove": True}, (*GET, "tags"), []),
    ("$.info['title','title']", {"update": "Cats"}, ("info", "title"), "Cats"),
    ("$.paths['/cats']", {"copy": "$.paths['/pets']"}, ("paths", "/cats"), {**API["paths"]["/cats"], **API["paths"]["/pets"]}),
    ("$.tags['a',0,0]", {"update": {"x": 1}}, ("tags",), [{"name": "pets", "x": 1}]),
    ("$.paths['/cats']", {"remove": True, "update": {"x": 1}}, ("paths",), {"/pets": API["paths"]["/pets"]}),
    ("$.paths[?search(@.get.tags[0], '^[a-c]')]", {"update": {"x-a": 1}}, ("paths", "/pets", "x-a"), 1),
    ("$.paths[?match(@.get.tags[1], 'o.d')]", {"update": {"x-a": 1}}, ("paths", "/pets", "x-a"), 1),
]  # fmt: skip


@pytest.mark.parametrize(("target", "action", "place", "value"), CASES)
def test_an_action_changes_what_it_selects(
    target: str, action: Json, place: tuple[Any, ...], value: Any
) -> None:
    """Objects are merged, arrays concatenated, other values replaced; the caller's document stays as it is."""
    before = copy.deepcopy(API)
    assert at(changed({"target": target, **action}), *place) == value
    assert before == API


def test_actions_apply_to_the_result_of_the_one_before() -> None:
    """A path is renamed by an update, a copy and a removal; overlays follow each other in the same way."""
    actions = [
        {"target": "$.paths", "update": {"/animals": {}}},
        {"target": "$.paths['/animals']", "copy": "$.paths['/pets']"},
        {"target": "$.paths['/pets']", "remove": True},
    ]
    together = specfn.load(API, overlays=[overlay(*actions)])
    apart = specfn.load(API, overlays=[overlay(action) for action in actions])
    assert [function.path for function in together] == ["/cats", "/animals"]
    assert together.lock().splitlines()[5:] == apart.lock().splitlines()[7:]
    assert apart.overlays == ("overlays[0]", "overlays[1]", "overlays[2]")


def test_a_copied_part_changes_at_one_place_only() -> None:
    """What is changed at one of two places that share a part stays as it is at the other."""
    value = changed(
        {"target": "$.paths['/cats']", "copy": "$.paths['/pets']"},
        {"target": "$.paths['/cats'].get.tags", "update": "cats"},
    )
    assert at(value, *GET, "tags") == ["a", "old"]
    assert value["paths"]["/cats"]["get"]["tags"] == ["a", "old", "cats"]


EQUAL = [
    ({"a": [1, {}]}, {"a": [1, {}]}),
    ([], []),
    ("a", "a"),
    (1, 1.0),
    (None, None),
    (True, True),
]
UNEQUAL = [([1], [True]), ({"a": 0}, {"b": 0}), ([1], [1, 2]), ([], {}), ({"a": [1]}, {"a": [2]}),
           (0, False), ("a", "b"), (None, 0)]  # fmt: skip


@pytest.mark.parametrize(
    ("values", "is_equal"), [*((v, True) for v in EQUAL), *((v, False) for v in UNEQUAL)]
)
def test_a_filter_compares_json_values(values: tuple[Any, Any], *, is_equal: bool) -> None:
    """Values are equal as JSON (RFC 9535, 2.3.5.2.2): a number is no boolean, also within arrays."""
    item = {"a": values[0], "b": values[1]}
    for operator, expected in (("==", is_equal), ("!=", not is_equal)):
        change = {"target": f"$.x[?@.a {operator} @.b]", "update": {"hit": True}}
        document = {**API, "x": [item, {"a": 1, "b": 2}, {"a": 1, "b": 1}]}
        app = specfn.load(document, overlays=[overlay(change)])
        assert ("hit" in app.raw["x"][0]) is expected


#: What is wrong, and what the error says.
FAULTS: list[tuple[Json, str]] = [
    ({"target": "$.nothing", "update": {}}, r"actions\[0\] matches nothing.*\$\.nothing"),
    ({"target": "$.paths[?@.x]", "remove": True}, "matches nothing"),
    ({"target": "$.tags", "remove": True, "updates": {}}, "unknown field 'updates'"),
    ({"target": "$.tags"}, "expected one of update, copy or remove"),
    ({"target": "$.tags", "update": {}, "copy": "$.info"}, "expected one of update, copy or remove"),
    ({"target": "$.tags", "remove": "yes", "update": {}}, "expected one of update, copy or remove"),
    ({"target": "$.info", "update": "text"}, "'info': it is an object, and the new value is a single value"),
    ({"target": "$", "update": {"info": {"title": {}}}}, "'info/title'"),
    ({"target": "$.info.title", "update": []}, "the new value is an array"),
    ({"target": "$.info", "copy": "$.paths.*"}, "copies 2 parts"),
    ({"target": "$.info", "copy": 1}, "copies 0 parts"),
    ({"target": "$['info','tags']", "update": {}}, "expected one kind"),
    ({"target": "$", "remove": True}, "whole document"),
    ({"target": "info", "update": {}}, "JSONPath is invalid"),
    ({"target": "$[", "update": {}}, "JSONPath is invalid"),
    ({"target": f"${'.a' * 2_000}", "update": {}}, "longer than"),
    ({"target": f"$[?{'(' * 900}@.x{')' * 900}]", "update": {}}, "nested too deeply"),
    ({"update": {}}, "expected an object with a target"),
]  # fmt: skip


@pytest.mark.parametrize(("action", "text"), FAULTS)
def test_an_action_that_cannot_be_applied_is_an_error(action: Json, text: str) -> None:
    """The error names the overlay, the action and the fault; nothing is ignored."""
    with pytest.raises(DocumentError, match=text) as caught:
        changed(action)
    assert "overlays[0]: actions[0]" in str(caught.value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (API, "not an OpenAPI Overlay"),
        ({**overlay(), "overlay": "1.2.0"}, "not an OpenAPI Overlay 1.0 or 1.1"),
        (overlay(), "has no actions"),
        (b"[1]", "cannot be read"),
        (b"overlay: 1.1.0\nactions: [{target: $.info, update: {x: 1", "cannot be read"),
        ("missing.yaml", "missing.yaml: cannot be read: there is no file"),
        (overlay({"target": "$.info", "copy": "$.info"}, version="1.0.0"), "unknown field 'copy'"),
    ],
)
def test_an_invalid_overlay_is_an_error(value: Any, text: str) -> None:
    """Another document, another version and a text that cannot be read are refused."""
    with pytest.raises(DocumentError, match=text):
        specfn.load(API, overlays=[value])


def test_a_list_is_expected() -> None:
    """One overlay instead of a list of them is the caller's mistake."""
    with pytest.raises(UsageError, match="overlays must be a list, not dict"):
        specfn.load(API, overlays=overlay())  # type: ignore[arg-type]


@given(st.text(max_size=30), st.text("$@.[]*?'()abc0,:&|!<=", max_size=40))
def test_any_path_is_read_or_refused(name: str, rest: str) -> None:
    """No target leads to another exception."""
    try:
        changed({"target": f"$['{name}']{rest}", "update": {}})
    except DocumentError as error:
        assert "actions[0]" in str(error)  # noqa: PT017  # both outcomes are right


def test_a_file_in_yaml_is_named_by_its_last_part(tmp_path: Path) -> None:
    """The application and its lock have the name of the file, and the lock of the same overlay matches."""
    path = tmp_path / "fix.overlay.yaml"
    path.write_text(
        "overlay: 1.0.0\ninfo: {title: o, version: '1'}\nactions:\n"
        "- target: $.paths['/pets'].get\n  update: {summary: List pets.}\n"
    )
    app = specfn.load(API, overlays=[path])
    assert app.overlays == ("fix.overlay.yaml",)
    assert app["GET /pets"].summary == "List pets."
    assert json.loads(app.lock())["overlays"] == ["fix.overlay.yaml"]
    assert specfn.load(API, overlays=[str(path)], expect=app.lock()).fingerprint == app.fingerprint


URLS = [
    ("http://user:canary-1@127.0.0.1:9", "127.0.0.1"),
    ("http://user:canary-1@127.0.0.1:9/a/fix.yaml?key=canary-1#canary-1", "fix.yaml"),
    ("http://127.0.0.1:9?key=canary-1", "127.0.0.1"),
    ("http://user:se/canary-1@127.0.0.1", "the URL"),
    ("http:user:canary-1@127.0.0.1", "the URL"),
    ("ftp://user:canary-1@127.0.0.1", "127.0.0.1"),
]


@pytest.mark.parametrize(("url", "name"), URLS)
def test_the_name_of_a_url_has_no_secret(url: str, name: str) -> None:
    """The name is the last part of the path, else the host; no error shows the password or the query."""
    assert names([url]) == (name,)
    with pytest.raises(SpecfnError) as caught:
        specfn.load(API, overlays=[url])
    assert "canary" not in str(caught.value)


def test_without_the_package_the_error_names_the_extra() -> None:
    """The package for JSONPath is needed only for overlays."""
    code = (
        "import sys; sys.modules['jsonpath_rfc9535'] = None\nimport specfn\n"
        f"api = {API!r}\nspecfn.load(api)\n"
        "try: specfn.load(api, overlays=[{}])\nexcept specfn.errors.UsageError as error: print(error)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert "specfn[overlays]" in ended.stdout, ended.stderr
