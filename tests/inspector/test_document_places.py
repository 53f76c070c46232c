import pytest
from tests.inspector.inspector_support import application

from specfn.inspector.document_places import (
    declarations,
    place_of_edit,
    steps_of_path,
    value_at,
)

APP = application()
GET = "/paths/~1pets~1{petId}/get"
PUT = "/paths/~1pets~1{petId}/put"
PET = "/components/schemas/Pet"


@pytest.mark.parametrize(
    ("name", "pointer", "place"),
    [
        ("getPet", "/name", GET),
        ("getPet", "/description", GET),
        ("getPet", "/parameters", GET),
        ("getPet", "/parameters/properties/petId", f"{GET}/parameters/0"),
        ("getPet", "/parameters/properties/query/properties/fields", f"{GET}/parameters/1"),
        (
            "getPet",
            "/parameters/properties/query/anyOf/0/properties/fields/items",
            f"{GET}/parameters/1/schema/items",
        ),
        ("getPet", "/output/properties/weight", f"{PET}/properties/weight"),
        ("changePet", "/parameters/properties/body", f"{PUT}/requestBody"),
        ("changePet", "/parameters/properties/body/properties/name", f"{PET}/properties/name"),
        ("changePet", "/parameters/properties/body/properties/none", f"{PUT}/requestBody"),
        ("changePet", "/parameters/$defs/Pet/properties/name", PUT),
    ],
)
def test_an_edit_has_a_place_in_the_document(name: str, pointer: str, place: str) -> None:
    """The place of an edit is the nearest declaration in the document."""
    assert place_of_edit(APP.document, APP[name], pointer) == place
    assert value_at(APP.document, place) is not None


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("$input.petId", ("$input", [])),
        ("$input.query.fields[*]", ("$input", [""])),
        ('$input.body.a["b-c"].*', ("$input", ["a", "b-c", ""])),
        ("$output.name", ("$output", ["name"])),
        ("server", ("", [])),
    ],
)
def test_paths_are_read_as_steps(path: str, names: tuple[str, list[str]]) -> None:
    """A path of a difference is read as the steps below the declaration of its argument."""
    root, steps = steps_of_path(path)
    assert (root, [step.name for step in steps]) == names


def test_every_reference_ends() -> None:
    """A circle of references has a place, and no step below it."""
    document = {"components": {"schemas": {"A": {"$ref": "#/components/schemas/A"}}}}
    _, steps = steps_of_path("$output.a.b")
    assert declarations(document, "/components/schemas/A", steps) == ["/components/schemas/A"]
