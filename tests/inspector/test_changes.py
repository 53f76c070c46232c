import pytest
from tests.comparison.pairs import DOCUMENT, PAIRS, changed

import specfn
from specfn.inspector.document_places import value_at
from specfn.inspector.page_data import changes


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("responses", [False, True])
def test_each_difference_is_shown_at_its_place(
    name: str, direction: int, *, responses: bool
) -> None:
    """The changes are the differences, each with the values that both documents have at its place."""
    documents = (DOCUMENT, changed(PAIRS[name].change))[::direction]
    old, new = (specfn.load(each) for each in documents)
    found = changes(old, new, responses=responses)
    expected = specfn.compare(old, new, responses=responses)
    keys = ("name", "kind", "place", "breaking", "sentence")
    assert [{key: each[key] for key in keys} for each in found["differences"]] == [
        {key: getattr(each, key) for key in keys} for each in expected
    ]
    for each in found["differences"]:
        for side, app in (("old", old), ("new", new)):
            pointer = each[f"{side}_pointer"]
            if pointer is not None:
                assert found[side][pointer] == value_at(app.document, pointer)


def test_a_change_of_a_property_is_shown_at_the_property() -> None:
    """A difference in a component is shown at the property, not at the reference to it."""

    def document(minimum: int) -> dict[str, object]:
        pet = {"type": "object", "properties": {"age": {"type": "integer", "minimum": minimum}}}
        content = {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}
        return {
            "openapi": "3.1.0",
            "info": {"title": "Pets", "version": "1"},
            "paths": {"/pets": {"post": {"requestBody": {"content": content}, "responses": {}}}},
            "components": {"schemas": {"Pet": pet}},
        }

    found = changes(specfn.load(document(0)), specfn.load(document(1)))
    (difference,) = found["differences"]
    place = "/components/schemas/Pet/properties/age"
    assert (difference["old_pointer"], difference["new_pointer"]) == (place, place)
    assert (found["old"][place]["minimum"], found["new"][place]["minimum"]) == (0, 1)
