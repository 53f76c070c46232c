import json
from collections import Counter
from typing import Any

import pytest

from specfn import load
from specfn.document.normalize import Normalized, normalize
from specfn.document.read.text import parse
from specfn.document.upgrade.openapi3 import OpenApi3
from specfn.document.upgrade.schemas import MAX_DEPTH, SchemaUpgrade

HEAD = "openapi: 3.0.3\ninfo: {title: T, version: '1'}\n"
LEAF = "{type: object, properties: {x: {type: integer, minimum: 1, nullable: true}}}"


def doubled(levels: int, form: str = "properties: {{l: {0}, r: {0}}}") -> str:
    """Components of which each has the one before it twice: the last one stands for two to the n."""
    lines = [f"    A0: &a0 {LEAF}"]
    lines += [
        f"    A{level}: &a{level} {{{form.format(f'*a{level - 1}')}}}"
        for level in range(1, levels + 1)
    ]
    return f"{HEAD}paths: {{}}\ncomponents:\n  schemas:\n" + "\n".join(lines)


def alike(count: int) -> str:
    """Path items that have everything in common by aliases."""
    content = f"{{application/json: {{schema: {LEAF}}}}}"
    first = (
        "  /p0:\n    parameters: &shared [{name: q, in: query, schema: {type: integer, minimum: 1}}]\n"
        f"    post: &op\n      requestBody: &body {{content: {content}}}\n"
        f"      responses: {{'200': &ok {{description: OK, content: {content}}}}}\n"
    )
    others = (
        f"  /p{n}:\n    parameters: *shared\n    post: *op\n    put: {{requestBody: *body, responses: {{'200': *ok}}}}\n"
        for n in range(1, count)
    )
    return f"{HEAD}paths:\n{first}{''.join(others)}"


def read(text: str) -> Normalized:
    parsed = parse(text)
    return normalize(parsed.document, shared=parsed.shared)


def written_out(text: str) -> Normalized:
    """The same with every alias written out."""
    return normalize(json.loads(json.dumps(parse(text).document)))


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often schemas are upgraded, and operations and their parts are read."""
    found: Counter[str] = Counter()

    def count(owner: type, name: str) -> None:
        original = getattr(owner, name)

        def counting(*args: Any, **options: Any) -> Any:
            found[name] += 1
            return original(*args, **options)

        monkeypatch.setattr(owner, name, counting)

    count(SchemaUpgrade, "_upgrade")
    for name in ("operation", "parameter", "response", "_normalize_media_type"):
        count(OpenApi3, name)
    return found


FORMS = [
    "properties: {{l: {0}, r: {0}}}",
    "allOf: [{0}, {0}]",
    "anyOf: [{0}, {{not: {0}}}]",
    "items: {0}, additionalProperties: {0}",
    "$defs: {{d: {0}}}, properties: {{l: {0}}}",
    "definitions: {{d: {0}}}, properties: {{l: {{$ref: '#/definitions/d'}}, r: {0}}}",
]


@pytest.mark.parametrize("form", FORMS)
def test_a_schema_is_upgraded_once(form: str, counts: Counter[str]) -> None:
    """N2: normalizing costs what a document's lines do, not what its aliases stand for."""
    levels = 14
    normalized = read(doubled(levels, form))
    assert normalized.nodes > 2**levels
    assert counts["_upgrade"] <= 8 * levels


@pytest.mark.parametrize("form", FORMS)
def test_aliases_mean_what_they_stand_for(form: str) -> None:
    """N2: a document with aliases is normalized to the same as the document without them."""
    text = doubled(5, form)
    found, expected = read(text), written_out(text)
    assert found == expected
    assert json.dumps(found.document) == json.dumps(expected.document)


def test_operations_in_common_are_read_once(counts: Counter[str]) -> None:
    """N2: operations, parameters, bodies and responses that aliases share are read once."""
    text = alike(50)
    normalized = read(text)
    assert counts == {
        "operation": 1 + 49,  # each `put` is its own
        "parameter": 1,
        "response": 1,
        "_normalize_media_type": 2,
        "_upgrade": 2 * 2 + 1,
    }
    assert normalized == written_out(text)


def test_the_same_operation_below_other_parameters_is_another() -> None:
    """N5: an operation that two path items share has the parameters of each."""
    text = (
        f"{HEAD}paths:\n  /a:\n    parameters: [{{name: a, in: query}}]\n    get: &op {{responses: {{}}}}\n"
        "  /b:\n    parameters: [{name: b, in: query}]\n    get: *op\n  /c:\n    get: *op\n"
    )
    paths = read(text).document["paths"]
    named = [[p["name"] for p in paths[key]["get"].get("parameters", ())] for key in paths]
    assert named == [["a"], ["b"], []]


def test_a_shared_schema_is_cut_only_where_it_is_too_deep() -> None:
    """N2: one schema near the limit of depth and near the root is cut in the one place alone."""
    half = MAX_DEPTH // 2 + 5
    chain = "{items: " * half + "{type: integer, minimum: 1}" + "}" * half
    below = "{not: " * half + "*a" + "}" * half
    for first, second in ((f"&a {chain}", below), (f"&b {{items: &a {chain}}}", below)):
        text = f"{HEAD}components:\n  schemas:\n    A: {first}\n    B: {second}\n    C: *a\n"
        assert read(text) == written_out(text)


@pytest.mark.parametrize(
    "inner", ["$recursiveRef: '#'", "$id: 'https://x.example/a', items: {$ref: '#'}"]
)
def test_a_shared_schema_means_its_own_component(inner: str) -> None:
    """N3: what means the component that it stands in means another in each."""
    text = (
        "openapi: 3.1.0\ncomponents:\n  schemas:\n"
        f"    A: {{properties: {{x: &x {{{inner}}}, y: {{items: *x}}}}}}\n    B: {{properties: {{x: *x}}}}\n    C: *x\n"
    )
    assert read(text) == written_out(text)


def test_a_dict_may_share_its_parts(counts: Counter[str]) -> None:
    """N8: a caller's dict whose parts are shared, a normalized document above all, costs what its parts do."""
    schema: dict[str, Any] = {"type": "object", "properties": {"x": {"minimum": 1}}}
    for _ in range(14):
        schema = {"properties": {"l": schema, "r": schema}}
    document = {"openapi": "3.1.0", "paths": {}, "components": {"schemas": {"A": schema}}}
    load(document)
    assert counts["_upgrade"] <= 20
