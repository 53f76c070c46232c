from typing import Any

import jsonschema_rs
from hypothesis import given, settings
from hypothesis import strategies as st

from specfn.document.normalize import normalize

Json = dict[str, Any]

LAW = settings(deadline=None, max_examples=settings.default.max_examples * 6 // 10)

HOME = "https://schemas.example/"
NAMES = ["a", "b", "c", "d"]
KEYS = ["p", "q"]
TYPES = st.sampled_from(["integer", "string", "boolean"]).map(lambda kind: {"type": kind})


def texts(own: str) -> list[str]:
    """References as a resource may write them: to itself, to others, to anchors and places in both.

    None is by a dynamic anchor: the judge takes a plain ``$ref`` to one for a dynamic one.
    """
    others = [f"{prefix}{name}" for name in NAMES for prefix in ("", "./", HOME)]
    fragments = ["#", "#local", "#/$defs/L", "#/$defs/T"]
    return [
        *fragments,
        *others,
        *(other + fragment for other in others for fragment in fragments),
        own,
    ]


@st.composite
def resources(draw: st.DrawFn) -> dict[str, Json]:
    """Schema resources that refer to one another, in place only to later ones."""
    found: dict[str, Json] = {}
    for index, name in enumerate(NAMES):
        dynamic = st.sampled_from(["#T", *(f"{other}#T" for other in NAMES)])
        inner = st.one_of(
            TYPES,
            st.sampled_from(texts(name)).map(lambda text: {"$ref": text}),
            dynamic.map(lambda text: {"$dynamicRef": text}),
            dynamic.map(lambda text: {"$ref": "#local", "$dynamicRef": text}),
            TYPES.map(lambda node: {"enum": [{"$anchor": "local", "$id": HOME, **node}, 1]}),
        )
        members = st.dictionaries(st.sampled_from(KEYS), inner, max_size=2)
        parts = [{"$ref": other} for other in NAMES[index + 1 :] if draw(st.booleans())]
        found[name] = {
            "$id": name,
            "type": "object",
            "properties": draw(members),
            "$defs": {
                "L": {"$anchor": "local", **draw(TYPES)},
                "T": {"$dynamicAnchor": "T", **draw(st.one_of(TYPES, st.just({"$ref": "#"})))},
            },
            **({"allOf": parts} if parts else {}),
        }
    return found


scalars: list[Any] = [1, "x", True, {}, {"type": "integer"}]
level = [{key: value} for key in KEYS for value in scalars]
POOL = [*scalars, *level, *({key: value} for key in KEYS for value in level), {"p": 1, "q": "x"}]


@LAW
@given(
    resources(), st.sampled_from(["absolute", "relative", "nested", "self"]), st.permutations(NAMES)
)
def test_references_mean_what_json_schema_says(
    found: dict[str, Json], how: str, order: list[str]
) -> None:
    """N3: `$id`, `$anchor`, `$dynamicAnchor` and `$dynamicRef` mean in a document what JSON Schema 2020-12 says."""
    whole = {"$id": HOME, "$defs": found}
    judge = jsonschema_rs.Draft202012Validator({**whole, "$ref": "a"}, offline=True)
    placed = {name: found[name] for name in order}
    if how == "absolute":
        placed = {name: {**node, "$id": HOME + name} for name, node in placed.items()}
    elif how == "nested":
        placed = {"a": {**found["a"], "$id": HOME + "a"}}
        placed["a"]["$defs"] = {
            **found["a"]["$defs"],
            **{name: found[name] for name in order if name != "a"},
        }
    document = {"openapi": "3.1.0", "paths": {}, "components": {"schemas": placed}}
    if how == "self":
        document |= {"$self": HOME + "openapi.json"}
    normalized = normalize(document, HOME + "openapi.json" if how == "relative" else None)
    assert normalized.dangling == frozenset()
    again = normalize(normalized.document)
    assert again.document == normalized.document
    schema = {"$ref": "#/components/schemas/a", "components": normalized.document["components"]}
    ours = jsonschema_rs.Draft202012Validator(schema, offline=True)
    for value in POOL:
        assert ours.is_valid(value) == judge.is_valid(value), value
