from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn.document.references.resolve import (
    MAX_CHAIN,
    DanglingReferenceError,
    Resolver,
    reference_of,
)

DOCUMENT: dict[str, Any] = {
    "$self": "https://api.example/openapi.json",
    "plain": {"a": {"b": 1}},
    "a/b": {"c~d": 2, "e%f": 3, "~1": 4},
    "{id}": 5,
    "with space": 6,
    "ümlaut": 7,
    "": {"": 8},
    "list": [10, [20, 30]],
    "null": None,
    "false": False,
    "alias": {"$ref": "#/plain"},
    "second": {"$ref": "#/alias"},
    "into": {"$ref": "#/alias/a"},
    "loop": {"$ref": "#/pool"},
    "pool": {"$ref": "#/loop"},
    "itself": {"$ref": "#/itself/deeper"},
    "identified": {
        "$id": "https://api.example/schemas/pet",
        "$defs": {"Tail": {"$anchor": "tail"}, "Node": {"$dynamicAnchor": "node"}},
    },
    "fragment": {"$id": "urn:example:thing#", "x": {"y": 9}},
}


@pytest.mark.parametrize(
    ("reference", "value"),
    [
        ("#/plain/a/b", 1),
        ("#/a~1b/c~0d", 2),
        ("#/a~1b/e%25f", 3),
        ("#/a~1b/~01", 4),
        ("#/%7Bid%7D", 5),
        ("#/{id}", 5),
        ("#/with%20space", 6),
        ("#/with space", 6),
        ("#/%C3%BCmlaut", 7),
        ("#/ümlaut", 7),
        ("#//", 8),
        ("#/list/0", 10),
        ("#/list/1/1", 30),
        ("#/null", None),
        ("#/false", False),
        ("#%2Fplain%2fa%2Fb", 1),
        ("#", DOCUMENT),
        ("", DOCUMENT),
        ("https://api.example/openapi.json#/list/0", 10),
        ("openapi.yaml#/list/0", 10),
        ("#tail", {"$anchor": "tail"}),
        ("#node", {"$dynamicAnchor": "node"}),
        ("https://api.example/schemas/pet", DOCUMENT["identified"]),
        ("https://api.example/schemas/pet#", DOCUMENT["identified"]),
        ("https://api.example/schemas/pet#/$defs/Tail", {"$anchor": "tail"}),
        ("urn:example:thing#/x/y", 9),
    ],
)
def test_a_reference_is_resolved_by_its_whole_text(reference: str, value: Any) -> None:
    """N3: pointers are percent-decoded, then unescaped; identifiers and anchors name their places."""
    found, _ = Resolver(DOCUMENT, "openapi.yaml").locate(reference)
    assert found == value


@pytest.mark.parametrize(
    ("reference", "external"),
    [
        ("#/nothing", False),
        ("#/plain/a/b/c", False),
        ("#/list/2", False),
        ("#/list/-1", False),
        ("#/list/+1", False),
        ("#/list/one", False),
        ("#/list/²", False),
        ("#/null/x", False),
        ("#nowhere", False),
        ("other.yaml#/a", True),
        ("https://other.example/openapi.json", True),
    ],
)
def test_what_leads_nowhere_says_whether_it_is_external(reference: str, external: bool) -> None:  # noqa: FBT001
    """N3: a reference that leads nowhere carries its text, and whether it names another document."""
    with pytest.raises(DanglingReferenceError) as caught:
        Resolver(DOCUMENT).locate(reference)
    assert (caught.value.reference, caught.value.external) == (reference, external)


@pytest.mark.parametrize(
    ("reference", "tokens"),
    [
        ("#/plain/a", ("plain", "a")),
        ("#/a~1b/e%25f", ("a/b", "e%f")),
        ("#/alias/a", ("plain", "a")),
        ("#/second/a/b", ("plain", "a", "b")),
        ("#/into/b", ("plain", "a", "b")),
        ("#tail", ("identified", "$defs", "Tail")),
        ("https://api.example/schemas/pet#/$defs", ("identified", "$defs")),
    ],
)
def test_a_place_is_told_by_its_own_tokens(reference: str, tokens: tuple[str, ...]) -> None:
    """N3: a pointer that leads through a reference gives the place where the value really stands."""
    assert Resolver(DOCUMENT).locate(reference)[1] == tokens


@pytest.mark.parametrize("reference", ["#/loop", "#/pool", "#/loop/x", "#/itself", "#/itself/x"])
def test_references_that_name_one_another_lead_nowhere(reference: str) -> None:
    """N3: a cycle of references is a reference that leads nowhere, not an endless search."""
    with pytest.raises(DanglingReferenceError):
        Resolver(DOCUMENT).follow({"$ref": reference})


@pytest.mark.parametrize(("length", "leads"), [(MAX_CHAIN - 2, True), (MAX_CHAIN, False)])
def test_a_chain_is_followed_to_its_end(length: int, leads: bool) -> None:  # noqa: FBT001
    """N3: a chain of references is followed, up to a length that no honest document has."""
    document: dict[str, Any] = {str(at): {"$ref": f"#/{at + 1}"} for at in range(length)}
    document[str(length)] = "the end"
    resolver = Resolver(document)
    if leads:
        assert resolver.follow({"$ref": "#/0"}) == ("the end", (str(length),))
    else:
        with pytest.raises(DanglingReferenceError):
            resolver.follow({"$ref": "#/0"})


@given(
    st.lists(st.integers(0, 140), min_size=1, max_size=140),
    st.lists(st.integers(0, 139), max_size=20),
)
def test_the_end_of_a_chain_does_not_depend_on_what_was_followed_before(
    targets: list[int], asked: list[int]
) -> None:
    """N3: chains that share a part have the same ends, whichever is followed first; so has a chain near the limit."""
    line = {str(index + 1000): {"$ref": f"#/{index + 1001}"} for index in range(140)}
    document: dict[str, Any] = {str(at): {"$ref": f"#/{to}"} for at, to in enumerate(targets)}
    document |= {**line, "1140": "the end", str(len(targets)): {"$ref": "#/1050"}}
    shared = Resolver(document)
    for start in (str(at) for number in asked for at in (number, number + 1000)):
        at, steps = start, 0
        while isinstance(document.get(at), dict) and steps <= MAX_CHAIN:
            at, steps = document[at]["$ref"][2:], steps + 1
        if at in document and steps < MAX_CHAIN - 1:
            assert shared.follow({"$ref": f"#/{start}"}) == (document[at], (at,))
        else:
            with pytest.raises(DanglingReferenceError):
                shared.follow({"$ref": f"#/{start}"})


@pytest.mark.parametrize(
    ("node", "reference"),
    [
        ({"$ref": "#/a"}, "#/a"),
        ({"$ref": "", "description": "x"}, ""),
        ({"$ref": 1}, None),
        ({"$ref": None}, None),
        ({"$ref": {"type": "string"}}, None),
        ({}, None),
        ([], None),
        ("#/a", None),
        (None, None),
    ],
)
def test_only_a_text_makes_a_reference(node: Any, reference: str | None) -> None:
    """N3: an object whose `$ref` is no text is no Reference Object."""
    assert reference_of(node) == reference


@pytest.mark.parametrize(
    "document",
    [
        {"a": {"x": {"$anchor": "here", "n": 1}}, "b": {"$anchor": "here", "n": 2}},
        pytest.param(
            {"allOf": [{"$anchor": "here", "n": 1}, {"$anchor": "here", "n": 2}]},
        ),
    ],
)
def test_the_first_of_equal_anchors_counts(document: dict[str, Any]) -> None:
    """N3: of two anchors by one name, the first in the document's order is meant."""
    assert Resolver(document).locate("#here")[0]["n"] == 1
