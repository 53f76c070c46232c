import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote

import jsonschema_rs
import pytest
from tests.samples import Sampler

from specfn import downgrade
from specfn._internal import json as _json
from specfn._internal.pointer import escape, split
from specfn.document.normalize import Normalized, normalize
from specfn.document.read.load import read_resource
from specfn.records import Note

pytestmark = pytest.mark.corpus

PREFIX = "#/components/schemas/"

#: What is done twice is done to documents of fewer bytes.
SMALL = 1_300_000

Documents: TypeAlias = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def documents(corpus: Path) -> Documents:
    return {
        path.name: _json.loads(path.read_bytes())
        for path in sorted((corpus / "dev").glob("*.json"))
    }


@pytest.fixture(scope="module")
def small(corpus: Path, documents: Documents) -> list[str]:
    return [name for name in documents if (corpus / "dev" / name).stat().st_size < SMALL]


@pytest.fixture(scope="module")
def normalized(documents: Documents) -> dict[str, Normalized]:
    return {name: normalize(document) for name, document in documents.items()}


@pytest.fixture(scope="module")
def downgraded(documents: Documents) -> dict[str, tuple[dict[str, Any], tuple[Note, ...]]]:
    return {name: downgrade(document) for name, document in documents.items()}


@pytest.fixture(scope="module")
def metaschema() -> Any:
    package = "openapi_spec_validator"
    content = read_resource(package, "resources", "schemas", "v3.0", "schema.json")
    assert content is not None
    return jsonschema_rs.Draft4Validator(json.loads(content), validate_formats=True)


def _references(node: Any) -> Iterator[str]:
    stack = [node]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            if isinstance(node.get("$ref"), str):
                yield node["$ref"]
            stack.extend(value for key, value in node.items() if key not in {"example", "examples"})
        elif isinstance(node, list):
            stack.extend(node)


def test_normalizing_is_idempotent_and_pure(documents: Documents, small: list[str]) -> None:
    """N8: for every real document, twice is once, and the document stays what it was."""
    for name in small:
        before = _json.dumps(documents[name])
        once = normalize(documents[name])
        twice = normalize(once.document)
        assert _json.dumps(documents[name]) == before, name
        assert twice.document == once.document, name
        assert twice.dangling == once.dangling, name


def test_every_reference_is_a_component_or_told(normalized: dict[str, Normalized]) -> None:
    """N3: in every real document a reference names a component that is there, or is told as dangling."""
    for name, made in normalized.items():
        schemas = made.document["components"]["schemas"]
        there = {PREFIX + escape(key) for key in schemas}
        assert set(_references(schemas)) - there - made.dangling == set(), name


def test_no_document_is_a_component(normalized: dict[str, Normalized]) -> None:
    """N3: no reference of a real document makes a component of the whole document."""
    for name, made in normalized.items():
        schemas = made.document["components"]["schemas"].values()
        assert not any("openapi" in node for node in schemas if isinstance(node, dict)), name


def test_every_document_downgrades(
    documents: Documents, downgraded: dict[str, Any], metaschema: Any
) -> None:
    """N9: every real document is valid OpenAPI 3.0 afterwards."""
    assert downgraded.keys() == documents.keys()
    for name, (made, _) in downgraded.items():
        assert metaschema.is_valid(made), name


def test_operations_and_components_are_all_there(
    normalized: dict[str, Normalized], downgraded: dict[str, Any]
) -> None:
    """N9: no operation and no component of a real document is missing in 3.0."""
    for name, (made, _) in downgraded.items():
        before = normalized[name].document
        assert len(made["components"]["schemas"]) == len(before["components"]["schemas"])
        for path, item in before.get("paths", {}).items():
            assert made["paths"][path].keys() == item.keys(), (name, path)


def test_losses_are_where_they_say(
    documents: Documents, normalized: dict[str, Normalized], downgraded: dict[str, Any]
) -> None:
    """N9: every loss of a real document points at something in it, or in what it was normalized to."""
    for name, (_, losses) in downgraded.items():
        for note in losses:
            assert any(
                _is_there(whole, note.pointer)
                for whole in (normalized[name].document, documents[name])
            ), (name, note)


def _is_there(node: Any, pointer: str) -> bool:
    for token in split(pointer):
        if isinstance(node, list):
            node = node[int(token)]
        elif token in node:
            node = node[token]
        else:
            return False
    return True


def test_losses_of_3_0_documents_are_few(
    normalized: dict[str, Normalized], downgraded: dict[str, Any]
) -> None:
    """N9: a document that was written in 3.0 loses only what nothing uses, and patterns that are none."""
    for name, (_, losses) in downgraded.items():
        if normalized[name].version == "3.0":
            other = [note for note in losses if "uses this component" not in note.text]
            assert all(note.pointer.endswith("/pattern") for note in other), name


#: How many components of a document are sampled, and how often.
COMPONENTS, SAMPLES = 60, 6


def test_what_is_downgraded_accepts_the_same(
    normalized: dict[str, Normalized], downgraded: dict[str, Any], small: list[str]
) -> None:
    """N9: samples of real components are accepted as before; more only where a loss is listed."""
    compared = wider = 0
    for name in small:
        before = normalized[name].document["components"]["schemas"]
        after = normalize(downgraded[name][0]).document["components"]["schemas"]
        if normalized[name].dangling or before.keys() != after.keys():
            continue
        lossy = _reaching_losses(before, downgraded[name][1])
        judges = [_judge(before), _judge(after)]
        for component in list(before)[:: max(1, len(before) // COMPONENTS)]:
            first, second = (judge(component) for judge in judges)
            for instance in _samples(before, component):
                accepted, still = first.is_valid(instance), second.is_valid(instance)
                assert still >= accepted, (name, component, instance)
                assert still == accepted or component in lossy, (name, component, instance)
                compared += 1
                wider += still != accepted
    assert compared > 1000 > wider


def _judge(schemas: dict[str, Any]) -> Any:
    """Gives the validator of a component."""
    root = {"components": {"schemas": schemas}}
    registry = jsonschema_rs.Registry([("urn:root", root)], draft=jsonschema_rs.Draft202012)

    def judge(component: str) -> Any:
        reference = {"$ref": f"urn:root{PREFIX}{quote(escape(component))}"}
        return jsonschema_rs.Draft202012Validator(reference, registry=registry, offline=True)

    return judge


def _samples(schemas: dict[str, Any], component: str) -> Iterator[Any]:
    """Instances that are likely to be valid, and the same with one member of another type."""
    text = _json.dumps({"$ref": PREFIX + escape(component), "$defs": schemas})
    schema = _json.loads(text.replace(PREFIX.encode(), b"#/$defs/"))
    for seed in range(SAMPLES):
        instance = Sampler(schema, seed).draw()
        yield instance
        if isinstance(instance, dict) and instance:
            key = sorted(instance)[seed % len(instance)]
            yield {**instance, key: [None, 1, "x", {}, [[]], True][seed % 6]}
            yield {other: value for other, value in instance.items() if other != key}


def _reaching_losses(schemas: dict[str, Any], losses: tuple[Note, ...]) -> set[str]:
    """The components of which something is lost, themselves or in what they refer to."""
    lossy = {split(note.pointer)[2] for note in losses if note.pointer.startswith(PREFIX[1:])}
    uses = {name: set(_references(schema)) for name, schema in schemas.items()}
    while True:
        texts = {PREFIX + escape(name) for name in lossy}
        more = {name for name, used in uses.items() if used & texts} - lossy
        if not more:
            return lossy
        lossy |= more


def test_downgrading_again_changes_nothing(downgraded: dict[str, Any], small: list[str]) -> None:
    """N9: what was downgraded is said in 3.0 already, and loses nothing more."""
    for name in small:
        made, _ = downgraded[name]
        again, losses = downgrade(made)
        assert again == made, name
        assert losses == (), name
