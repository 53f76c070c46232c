"""Whatever happens to a document on its way, what is left of it is functions, errors, or a DocumentError.

The profile "thorough" looks at 5,000 broken documents, other ones each time.
"""

import copy
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.effort import THOROUGH

from specfn import Application, downgrade, load
from specfn._internal.pointer import join
from specfn.application.examples import example_faults
from specfn.document.normalize import normalize
from specfn.document.read.load import read, read_resource
from specfn.errors import DocumentError

Json = Any
Place: TypeAlias = tuple[str | int, ...]

SETTINGS = settings(
    max_examples=5_000 if THOROUGH else 120,
    derandomize=not THOROUGH,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)

#: The most bytes of a real document that is broken over and over.
SMALL = 60_000

#: What stands where it should not.
JUNK: list[Json] = [
    *(
        None,
        True,
        False,
        0,
        -1,
        1.5,
        10**30,
        1e300,
        "",
        "x",
        "null",
        "true",
        "#",
        "object",
        "array",
    ),
    *([], {}, [None], [[]], [{}], {"": None}, {"a": 1}, ["string", "null"], ["string", None]),
    *({"$ref": text} for text in ("#", "", "#/components/schemas/X", "x.yaml#/a", "#x", None)),
    *({"type": kind} for kind in ("string", "null", "any", [], ["object", "array"])),
    *({"not": {}}, {"allOf": []}, {"oneOf": [{}]}, {"nullable": True}, {"enum": []}),
]

#: Under which a thing stands that it should not stand under.
KEYS = """
    $ref $id $anchor $defs $dynamicRef definitions id allOf anyOf oneOf not if then else items prefixItems
    contains minContains properties patternProperties additionalProperties propertyNames required
    dependentRequired dependentSchemas unevaluatedProperties unevaluatedItems type enum const nullable
    discriminator propertyName mapping format pattern minimum exclusiveMinimum multipleOf maxLength minItems
    uniqueItems default example examples readOnly writeOnly deprecated description contentEncoding name in
    schema content style explode collectionFormat parameters requestBody responses callbacks links headers
    encoding servers url variables security tags operationId get post delete query additionalOperations paths
    webhooks components schemas securitySchemes securityDefinitions consumes produces schemes host swagger
    openapi info x-samchon-accessor x-samchon-human 200 2XX default application/json multipart/form-data
    text/plain flows itemSchema formData body file
""".split()

#: What is broken: a holder, the key in it, another value of the document and its place, a key, and junk.
Breakage: TypeAlias = Callable[[Json, Any, Json, Place, str, Json], None]


def _delete(holder: Json, key: Any, *_: Json) -> None:
    del holder[key]


def _retype(holder: Json, key: Any, _: Json, __: Place, ___: str, junk: Json) -> None:
    holder[key] = junk


def _copy(holder: Json, key: Any, other: Json, *_: Json) -> None:
    holder[key] = other


def _rename(holder: Json, key: Any, _: Json, __: Place, word: str, ___: Json) -> None:
    if isinstance(holder, dict):
        holder[word] = holder.pop(key)


def _refer(holder: Json, key: Any, _: Json, place: Place, *__: Json) -> None:
    holder[key] = {"$ref": f"#{join(place)}"}


def _wrap(holder: Json, key: Any, _: Json, __: Place, word: str, ___: Json) -> None:
    holder[key] = {word: holder[key]}


def _enlist(holder: Json, key: Any, *_: Json) -> None:
    holder[key] = [holder[key]]


def _add(holder: Json, key: Any, other: Json, _: Place, word: str, __: Json) -> None:
    if isinstance(holder[key], dict):
        holder[key][word] = other


def _litter(holder: Json, key: Any, _: Json, __: Place, word: str, junk: Json) -> None:
    if isinstance(holder[key], dict):
        holder[key][word] = junk


BREAKAGES: list[Breakage] = [
    *(_delete, _retype, _copy, _rename, _refer, _wrap, _enlist, _add, _litter),
]
NUMBER = st.integers(0, 100_000)
MUTATIONS = st.lists(
    st.tuples(
        st.sampled_from(BREAKAGES), NUMBER, NUMBER, st.sampled_from(KEYS), st.sampled_from(JUNK)
    ),
    min_size=1,
    max_size=6,
)
Mutation: TypeAlias = tuple[Breakage, int, int, str, Json]


def places(node: Json) -> list[tuple[Json, Any, Place]]:
    """Every member of every object and list: what holds it, under which key, and where."""
    found: list[tuple[Json, Any, Place]] = []
    stack: list[tuple[Json, Place]] = [(node, ())]
    while stack:
        node, place = stack.pop()
        entries: Any = ()
        if isinstance(node, dict):
            entries = node.items()
        elif isinstance(node, list):
            entries = enumerate(node)
        for key, value in entries:
            found.append((node, key, (*place, key)))
            stack.append((value, (*place, key)))
    return found


def mutate(document: dict[str, Json], mutation: Mutation) -> None:
    """Break a document in one place, by something that is often found in another."""
    breakage, one, other, word, junk = mutation
    found = places(document)
    if found:
        holder, key, _ = found[one % len(found)]
        there, name, place = found[other % len(found)]
        breakage(holder, key, copy.deepcopy(there[name]), place, word, copy.deepcopy(junk))


@pytest.fixture(scope="session")
def documents(root: Path) -> dict[str, dict[str, Json]]:
    """Our fixtures, and small real documents where there are any."""
    paths = [
        path
        for path in sorted((root / "fixtures").iterdir())
        if path.suffix in {".json", ".yaml"} and not path.name.endswith(".expected.json")
    ]
    folder = Path(os.environ.get("SPECFN_CORPUS") or root.parent / "shared" / "corpus") / "dev"
    if folder.is_dir():
        paths += [path for path in sorted(folder.glob("*.json")) if path.stat().st_size < SMALL]
    return {path.name: read(path).document for path in paths}


@pytest.fixture(scope="module")
def metaschema() -> Any:
    content = read_resource("openapi_spec_validator", "resources", "schemas", "v3.0", "schema.json")
    assert content is not None
    return jsonschema_rs.Draft4Validator(json.loads(content), validate_formats=True)


def use(application: Application) -> None:
    """Everything that a caller may look at, once the document is loaded."""
    report = application.report()
    assert report["operations"] == len(application.functions) + len(application.errors)
    assert all(str(error) for error in application.errors)
    assert isinstance(application.fingerprint, str)
    assert isinstance(application.diagnostics, tuple)
    assert all(note.pointer and note.text for note in example_faults(application.raw))
    for function in application:
        assert isinstance(function.parameters, dict)
        assert function.output is None or isinstance(function.output, dict)
        for arguments in ({}, {"body": {}, "query": {}}, None):
            check = function.validate(arguments)
            assert check or check.feedback()
        assert function.description is not None
        assert all(edit.reason for edit in function.edits)
        assert all(note.text for note in function.notes)
        assert function.fingerprint


def rewrite(document: dict[str, Json], metaschema: Any) -> None:
    """Normalized and downgraded, the document is what they promise."""
    once = normalize(document)
    if not (once.dangling or _dangles_outside_schemas(once.document)):
        assert normalize(once.document).document == once.document
    downgraded, _ = downgrade(document)
    assert [error.message for error in metaschema.iter_errors(downgraded)] == []


def _dangles_outside_schemas(document: dict[str, Json]) -> bool:
    """Whether a reference is left that may lead somewhere once its way is normalized."""
    return any(
        key == "$ref"
        and isinstance(holder[key], str)
        and not holder[key].startswith("#/components/schemas/")
        for holder, key, _ in places({**document, "components": {}})
    )


@SETTINGS
@given(data=st.data(), mutations=MUTATIONS)
def test_broken_documents_break_nothing(
    documents: dict[str, dict[str, Json]],
    metaschema: Any,
    data: st.DataObject,
    mutations: list[Mutation],
) -> None:
    """R1, N1: from a broken document only a DocumentError escapes, and after loading nothing does."""
    name = data.draw(st.sampled_from(sorted(documents)))
    document = copy.deepcopy(documents[name])
    for mutation in mutations:
        mutate(document, mutation)
    before = json.dumps(document)
    try:
        application = load(document)
    except DocumentError:
        return
    use(application)
    rewrite(document, metaschema)
    assert json.dumps(document) == before
