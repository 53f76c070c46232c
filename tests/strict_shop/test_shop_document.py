from collections import Counter
from typing import Any

from openapi_spec_validator import validate
from tests.strict_shop.handlers import HANDLERS
from tests.strict_shop.shop_document import document, operations


def test_the_document_is_valid_openapi() -> None:
    """openapi-spec-validator finds nothing to say about the shop's document."""
    validate(document())


def test_every_operation_has_its_handler() -> None:
    """The routing table and the document name the same operations, each once."""
    names = Counter(operation.operation_id for operation in operations())
    assert set(names.values()) == {1}
    assert set(names) == set(HANDLERS)
    assert len(names) >= 15


def test_all_parameter_locations_and_styles_are_there() -> None:
    """The document holds every parameter location and the styles that the tests rely on."""
    parameters = [parameter for operation in operations() for parameter in operation.parameters]
    assert {parameter.location for parameter in parameters} == {"path", "query", "header", "cookie"}
    assert {parameter.style for parameter in parameters} == {
        "simple",
        "form",
        "deepObject",
        "pipeDelimited",
    }


def test_writes_need_the_token() -> None:
    """Whatever changes the shelves, the customers or the orders declares the bearer scheme."""
    open_writes = {
        operation.operation_id
        for operation in operations()
        if operation.method != "GET" and not operation.secured
    }
    assert open_writes == {"sendMessage"}


def test_every_operation_says_what_it_answers_to_a_bad_request() -> None:
    """An operation that takes anything declares 422, a secured one 401, one by id 404."""
    for operation in operations():
        responses: dict[str, Any] = document()["paths"][operation.path][operation.method.lower()][
            "responses"
        ]
        assert ("422" in responses) == bool(operation.parameters or operation.body)
        assert ("401" in responses) == operation.secured
        assert ("404" in responses) == bool(operation.names)
