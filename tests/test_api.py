import gc
import json
import threading
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from specfn import Options, load, loads, normalize
from specfn.answers import Drop, Keep
from specfn.document.read.load import uri_of
from specfn.errors import DocumentError, SpecfnError, UsageError
from specfn.settings import DEFAULT, Settings

DOCUMENT: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Grüße", "version": "1"},
    "paths": {
        "/pets/{id}": {
            "get": {
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
                ],
                "responses": {"200": {"description": "ok"}},
            }
        }
    },
}
JSON = json.dumps(DOCUMENT, ensure_ascii=False)
YAML = """\
openapi: 3.0.3
info: {title: Grüße, version: '1'}
paths:
  /pets/{id}:
    get:
      parameters:
        - {name: id, in: path, required: true, schema: {type: integer}}
      responses:
        200: {description: ok}
"""


@pytest.mark.parametrize("text", [JSON, YAML], ids=["json", "yaml"])
def test_every_source_gives_the_same(tmp_path: Path, text: str) -> None:
    """N1: a path, its text, text as bytes and a dict are one document."""
    path = tmp_path / "api.txt"
    path.write_text(text, encoding="utf-8")
    found = [
        load(path),
        load(str(path)),
        load(text.encode()),
        loads(text),
        loads(text.encode()),
        load(DOCUMENT),
    ]
    assert {application.fingerprint for application in found} == {found[0].fingerprint}
    assert [application.source for application in found] == [uri_of(path)] * 2 + [None] * 4
    for application in found:
        assert application["pets_getById"].validate({"id": 1})
        assert not application["pets_getById"].validate({"id": "x"})
        assert application.document["info"]["title"] == "Grüße"


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ({}, "empty"),
        ({"openapi": "4.0.0"}, "4.0.0"),
        ({"swagger": "1.2"}, "1.2"),
        ({"swaggerVersion": "1.2"}, "1.2"),
        ({"asyncapi": "3.0.0"}, "asyncapi"),
        ({"type": "object"}, "'type'"),
        (b"[]", ""),
        (b"", ""),
        (b"plain text", ""),
        (b"\xff\xfe\xff", ""),
        ("/nowhere/at/all.json", "/nowhere/at/all.json"),
        ("", ""),
        ("ftp://example.com/a", "ftp"),
        (JSON, "specfn.loads"),
    ],
)
def test_what_is_no_document_is_told(source: Any, told: str) -> None:
    """N1: a ``DocumentError`` says what was found instead."""
    with pytest.raises(DocumentError) as refused:
        load(source)
    assert told in str(refused.value)


@pytest.mark.parametrize("source", [None, 5, [], ["a"], object()])
def test_what_is_no_source_is_the_callers_fault(source: Any) -> None:
    """Errors are by whose fault it is."""
    with pytest.raises(UsageError):
        load(source)


@pytest.mark.parametrize(
    ("version", "accepted"),
    [
        ({"openapi": "3.0.0"}, True),
        ({"openapi": "3.1.0"}, True),
        ({"openapi": "3.2.0"}, True),
        ({"openapi": "3.0"}, True),
        ({"openapi": 3.1}, True),
        ({"swagger": "2.0"}, True),
        ({"swagger": 2.0}, True),
        ({"swagger": 2}, True),
        ({"openapi": "3.3.0"}, False),
        ({"openapi": "3.10.0"}, False),
        ({"openapi": "2.0"}, False),
        ({"openapi": True}, False),
        ({"openapi": None}, False),
        ({"openapi": ["3.0.0"]}, False),
        ({"swagger": "3.0"}, False),
    ],
)
def test_versions_are_read_by_their_text(version: dict[str, Any], accepted: bool) -> None:  # noqa: FBT001
    """N1: Swagger 2.0 and OpenAPI 3.0 to 3.2, however the version is quoted."""
    document = {**version, "info": {"title": "t", "version": "1"}, "paths": {"/a": {"get": {}}}}
    if accepted:
        assert len(load(document)) == 1
    else:
        with pytest.raises(DocumentError):
            load(document)


# -- check and expect ---------------------------------------------------------------------------------

FAULTY: dict[str, Any] = {
    **DOCUMENT,
    "paths": {"/a": {"get": {"responses": {"200": {"description": 5}}}}},
}


def test_faults_are_diagnostics() -> None:
    """N1: what the metaschema refuses is told, and converted nevertheless."""
    application = load(FAULTY)
    assert len(application) == 1
    assert application.diagnostics
    assert load(DOCUMENT).diagnostics == ()


def test_strict_refuses_a_faulty_document() -> None:
    """Contract: ``check="strict"`` raises what the validator of the specification says, with its place."""
    with pytest.raises(DocumentError) as refused:
        load(FAULTY, check="strict")
    assert refused.value.pointer.startswith("/paths/~1a")
    assert len(load(DOCUMENT, check="strict")) == 1


def test_expect_pins_what_was_reviewed() -> None:
    """T14: a document that is not the one that was reviewed is refused, with both fingerprints."""
    known = load(DOCUMENT).fingerprint
    assert load(DOCUMENT, expect=known).fingerprint == known
    assert loads(JSON, expect=known).fingerprint == known
    changed = json.loads(JSON)
    changed["paths"]["/pets/{id}"]["get"]["summary"] = "x"
    with pytest.raises(DocumentError) as refused:
        load(changed, expect=known)
    assert known in str(refused.value)
    with pytest.raises(DocumentError):
        load(DOCUMENT, expect="")


# -- the collector ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", [DOCUMENT, {}])
@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_left_as_it_was(source: Any, enabled: bool) -> None:  # noqa: FBT001
    """Performance: pausing the garbage collector is undone, also after an error."""
    before = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        try:
            load(source)
        except DocumentError:
            assert not source
        assert gc.isenabled() is enabled
    finally:
        (gc.enable if before else gc.disable)()


def test_threads_may_load_and_use_at_once() -> None:
    """Architecture: threads may race for one function and for one document; all see the same."""
    application = load(DOCUMENT)
    found: list[Any] = []

    def work() -> None:
        for _ in range(20):
            function = application.functions[0]
            found.append(
                (
                    json.dumps(function.parameters),
                    bool(function.validate({"id": 1})),
                    load(DOCUMENT).fingerprint,
                )
            )

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 80
    assert len(set(found)) == 1
    assert gc.isenabled()


# -- normalize ------------------------------------------------------------------------------------------------


def test_normalize_is_the_documents_normal_form() -> None:
    """N8: twice is once, the source is not changed, and an application works on the same document."""
    before = json.dumps(DOCUMENT)
    document = normalize(DOCUMENT)
    assert json.dumps(DOCUMENT) == before
    assert normalize(document) == document
    assert document["openapi"].startswith("3.1")
    assert load(DOCUMENT).document == document
    assert load(document).fingerprint == load(DOCUMENT).fingerprint
    with pytest.raises(SpecfnError):
        normalize({})


# -- options ----------------------------------------------------------------------------------------------------

EVERYTHING: dict[str, Any] = {
    "naming": "operationId",
    "keyword": False,
    "dialect": "3.1",
    "max_length": 16,
    "description_limit": 16,
    "constraint": False,
    "recursive": False,
    "schema_budget": None,
    "methods": ["options", "trace"],
    "headers": "omit",
    "cookies": "required",
    "hidden": {"a": True, "b": False},
    "path_parameters": {"export": False, "*": True},
    "media_types": {"*": "text/plain"},
    "references": ["https://example.com"],
    "max_document_bytes": 1_000,
    "max_documents": 3,
    "safety": {"a.*": "read"},
    "equals": True,
    "formats": "hint",
    "one_of": "exactly",
    "coerce_arrays": True,
    "extensions": True,
    "standard": "include",
    "select": {"methods": ["get"], "without": {"tags": ["x"]}},
    "names": {"a.get": "b"},
    "descriptions": {"a.get": "B"},
    "fixed": {"tenant": [1, {"a": None}]},
    "separate": ["files", "secrets"],
    "answers": {"a.*": Keep("id"), "b.get": Drop("secret", "items.key")},
    "answer_limit": 500,
    "paging": {"a.*": {"kind": "page", "parameter": "p", "start": 1}, "b.get": None},
}


def test_defaults_are_written_once() -> None:
    """Options and the plain record have the same fields and the same defaults."""
    assert Options().settings() == DEFAULT
    assert set(Options.model_fields) == set(Settings._fields)
    assert load(DOCUMENT, options=Options()).fingerprint == load(DOCUMENT).fingerprint


def test_options_travel_as_json() -> None:
    """Architecture: what a caller writes makes the round trip through JSON and the plain record."""
    options = Options(**EVERYTHING)
    assert Options.model_validate_json(options.model_dump_json()) == options
    assert Options.of(options.settings()) == options
    assert set(EVERYTHING) == set(Options.model_fields)


@pytest.mark.parametrize("recursive", [False, 0, 1, 32])
def test_false_is_not_zero(recursive: Any) -> None:
    """F8: ``recursive=False`` and ``recursive=0`` are two things, also after a round trip."""
    options = Options(recursive=recursive)
    again = Options.model_validate_json(options.model_dump_json())
    for found in (options.recursive, options.settings().recursive, again.recursive):
        assert found == recursive
        assert type(found) is type(recursive)


@pytest.mark.parametrize(
    "wrong",
    [
        {"keywords": True},
        {"dialect": "2.0"},
        {"max_length": 15},
        {"max_length": "long"},
        {"description_limit": 0},
        {"recursive": -1},
        {"recursive": 33},
        {"schema_budget": 1023},
        {"methods": ["get"]},
        {"headers": "some"},
        {"safety": {"*": "dangerous"}},
        {"hidden": {"a": "perhaps"}},
        {"formats": "off"},
        {"select": "x"},
    ],
)
def test_wrong_options_are_refused(wrong: dict[str, Any]) -> None:
    """Architecture: options are checked, and unknown ones are errors."""
    with pytest.raises(UsageError):
        Options(**wrong)


def test_options_are_frozen() -> None:
    """Architecture: what a caller wrote does not change under an application."""
    options = Options()
    with pytest.raises(ValidationError):
        options.keyword = False  # type: ignore[misc]
