from typing import Any

import pytest
from tests.strict_shop.shop_document import PATH

import specfn
from specfn.inspector.page_data import example_arguments


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"const": 3}, 3),
        ({"default": "x", "type": "string"}, "x"),
        ({"enum": ["b", "a"]}, "b"),
        ({"examples": [7]}, 7),
        ({"type": ["null", "integer"], "minimum": 5}, 5),
        ({"type": "number", "exclusiveMinimum": 0}, 1),
        ({"type": "string", "minLength": 6}, "textxx"),
        ({"type": "string", "maxLength": 2}, "te"),
        ({"type": "array", "items": {"type": "boolean"}, "minItems": 1}, [True]),
        ({"type": "array"}, []),
        ({"anyOf": [{"type": "null"}, {"type": "boolean"}]}, True),
        ({"required": ["a"], "properties": {"a": {"type": "null"}, "b": {}}}, {"a": None}),
        (True, None),
    ],
)
def test_examples_of_schemas(schema: Any, value: Any) -> None:
    """An example has the required properties, and the first alternatives."""
    assert example_arguments(schema) == value


def test_recursion_ends() -> None:
    """A schema that requires itself has an example that ends."""
    node = {"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#/$defs/A"}}}
    assert str(example_arguments({"$ref": "#/$defs/A", "$defs": {"A": node}})).count("a") < 20


def test_examples_of_the_shop_are_valid() -> None:
    """The examples of most functions of a real document are valid."""
    app = specfn.load(PATH)
    valid = [bool(each.validate(example_arguments(each.validator))) for each in app.functions]
    assert sum(valid) >= len(valid) * 0.8
