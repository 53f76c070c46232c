from typing import Any

import pytest

from specfn import Application, Options, load
from specfn.errors import UnknownFunctionError


def converted(paths: dict[str, Any], **options: Any) -> Application:
    document = {"openapi": "3.2.0", "info": {"title": "t", "version": "1"}, "paths": paths}
    return load(document, options=Options(**options))


@pytest.fixture
def shop() -> Application:
    return converted(
        {
            "/pets": {"get": {"operationId": "listPets"}, "post": {"operationId": "addPet"}},
            "/pets/{petId}": {
                "get": {"operationId": "get-pet"},
                "additionalOperations": {"COPY": {"operationId": "copy pet"}},
            },
            "/store/my orders": {"get": {}},
        }
    )


@pytest.mark.parametrize(
    ("key", "place"),
    [
        ("pets_get", "get /pets"),
        ("pets.get", "get /pets"),
        ("listPets", "get /pets"),
        ("GET /pets", "get /pets"),
        ("get /pets", "get /pets"),
        ("Post /pets", "post /pets"),
        ("pets_getByPetId", "get /pets/{petId}"),
        ("pets.getByPetId", "get /pets/{petId}"),
        ("get-pet", "get /pets/{petId}"),
        ("GET /pets/{petId}", "get /pets/{petId}"),
        ("COPY /pets/{petId}", "COPY /pets/{petId}"),
        ("copy pet", "COPY /pets/{petId}"),
        ("GET /store/my orders", "get /store/my orders"),
        ("store.my_orders.get", "get /store/my orders"),
    ],
)
def test_a_function_is_found_by_any_of_its_names(shop: Application, key: str, place: str) -> None:
    """Contract: by name, dotted accessor, operationId, and method and path in any case of the method."""
    function = shop.find(key)
    assert function is not None
    assert f"{function.method} {function.path}" == place
    assert shop[key] is function
    assert key in shop


@pytest.mark.parametrize(
    "key",
    ["", " ", "pets", "GET", "GET /", "GET /pets/", "GET /pets/{id}", "GET /pets/1", "DELETE /pets",
     "listpets", "Pets.get", "pets/get", "get", "/pets", "None"],
)  # fmt: skip
def test_what_is_no_name_finds_nothing(shop: Application, key: str) -> None:
    """C4: the application itself guesses nothing: case and separators count."""
    assert shop.find(key) is None
    assert key not in shop
    with pytest.raises(UnknownFunctionError) as unknown:
        _ = shop[key]
    assert unknown.value.called == key
    assert len(unknown.value.suggestions) <= 3


@pytest.mark.parametrize(
    ("key", "suggestion"),
    [
        ("pets_got", "pets_get"),
        ("pets_getByPetID", "pets_getByPetId"),
        ("pets_posts", "pets_post"),
        ("GET /pets/1", "pets_getByPetId"),
        ("LINK /pets/1", "pets_getByPetId"),
    ],
)
def test_an_unknown_name_is_told_with_suggestions(
    shop: Application, key: str, suggestion: str
) -> None:
    """Contract: the error names what was called and the nearest names, and is a ``LookupError``."""
    with pytest.raises(LookupError) as unknown:
        _ = shop[key]
    assert isinstance(unknown.value, UnknownFunctionError)
    assert suggestion in unknown.value.suggestions
    assert repr(key) in str(unknown.value)
    assert suggestion in str(unknown.value)


def test_nothing_is_suggested_for_what_is_like_nothing(shop: Application) -> None:
    """Contract: no suggestion is better than a wild one."""
    with pytest.raises(UnknownFunctionError) as unknown:
        _ = shop["qqqqqqqqqqqqqqqqqqqq"]
    assert unknown.value.suggestions == ()


def test_an_operation_id_that_means_two_means_none() -> None:
    """C4: an operationId of two operations finds neither; their other names still do."""
    application = converted(
        {
            "/a": {"get": {"operationId": "same"}, "post": {"operationId": "same"}},
            "/b": {"get": {"operationId": "own"}},
        }
    )
    assert application.find("same") is None
    with pytest.raises(UnknownFunctionError):
        _ = application["same"]
    assert application["own"].path == "/b"
    assert application["a.post"].method == "post"


def test_a_name_is_before_an_operation_id() -> None:
    """C4: what is one function's name is never another's operationId."""
    application = converted(
        {
            "/a": {"get": {"operationId": "b_get"}},
            "/b": {"get": {"operationId": "a.get"}},
            "/c": {"get": {"operationId": "GET /a"}},
        }
    )
    assert application["b_get"].path == "/b"
    assert application["a.get"].path == "/a"
    assert application["GET /a"].path == "/a"


def test_a_shortened_function_is_found_by_its_accessor() -> None:
    """Contract: an accessor that is longer than a name may be still finds its function."""
    path = "/{" + "a" * 70 + "}"
    application = converted({path: {"get": {}}})
    (function,) = application.functions
    assert len(function.name) <= 64
    assert len(function.accessor) == 1
    assert application.find(function.accessor[0]) is function


def test_a_long_accessor_is_found_dotted_and_joined() -> None:
    """Contract: names that were shortened are found by what they were made of."""
    application = converted({"/" + "/".join(["segment"] * 12): {"get": {}}})
    (function,) = application.functions
    assert application.find(".".join(function.accessor)) is function
    assert application.find("_".join(function.accessor)) is function
    assert application.find(function.name) is function


def test_additional_methods_of_mixed_case_are_found() -> None:
    """Contract: method and path find an operation however its method is written."""
    application = converted({"/a": {"additionalOperations": {"Copy": {}}}})
    assert application.find("COPY /a") is application.functions[0]
    assert application.find("Copy /a") is application.functions[0]


def test_an_application_is_a_collection(shop: Application) -> None:
    """Contract: length, order of iteration and membership are those of its functions."""
    assert len(shop) == 5
    assert tuple(shop) == shop.functions
    assert [function.name for function in shop] == [
        "pets_get",
        "pets_post",
        "pets_getByPetId",
        "pets_copyByPetId",
        "store_my_orders_get",
    ]
    assert 5 not in shop
    assert "5 functions, 0 errors" in repr(shop)


def test_an_empty_application_is_no_surprise() -> None:
    """Contract: no operation is no fault, and looking for one tells that there is none."""
    application = converted({})
    assert len(application) == 0
    assert application.find("x") is None
    with pytest.raises(UnknownFunctionError):
        _ = application["x"]


def test_select_leaves_out_without_an_error() -> None:
    """Options: what is not selected is neither a function nor an error, and names do not depend on it."""
    paths = {"/a": {"get": {}, "post": {}}, "/A": {"get": {}}, "/b": {"options": {}}}
    whole = converted(paths)
    reads = converted(paths, select=lambda function: function.safety == "read")
    assert [function.path for function in reads] == ["/a", "/A"]
    assert {each.name for each in reads} <= {each.name for each in whole}
    assert [error.path for error in reads.errors] == ["/b"]
    report = reads.report()
    assert (report["operations"], report["functions"], report["errors"]) == (4, 2, 1)
    assert report["left_out"] == 1


def test_the_report_adds_up(shop: Application) -> None:
    """R1: operations are functions and errors, and notes are counted."""
    report = shop.report()
    assert report["operations"] == report["functions"] == 5
    assert report["errors"] == 0
    # the four operations on a pet declare no petId, and two say so
    assert report["notes"] == 2
    application = converted({"/a": {"get": {}, "options": {}}, "b": {"get": {}}})
    report = application.report()
    assert (report["operations"], report["functions"], report["errors"]) == (3, 1, 2)


def test_options_are_those_it_was_made_with() -> None:
    """Contract: ``application.options`` says how the document was converted."""
    options = Options(keyword=False, max_length=40, safety={"a.*": "read"})
    paths = {"/a": {"get": {"responses": {}}}}
    document = {"openapi": "3.0.0", "info": {"title": "t", "version": "1"}, "paths": paths}
    assert load(document, options=options).options == options
    assert load(document).options == Options()


def test_diagnostics_are_notes_and_refuse_nothing() -> None:
    """N1: faults found by the metaschema are told with their places; the operations stay."""
    application = load(
        {"openapi": "3.0.3", "paths": {"/a": {"get": {"tags": 5}}, "/b": {"$ref": "#/x"}}}
    )
    assert len(application) == 1
    pointers = [note.pointer for note in application.diagnostics]
    assert [error.pointer for error in application.errors] == ["/paths/~1b"]
    assert any(pointer.startswith("/paths/~1a/get") for pointer in pointers)


def test_an_operation_id_of_two_is_answered_with_their_names() -> None:
    """C4: who asks by an operationId that means two operations is told the names that tell them apart."""
    application = converted({"/a": {"get": {"operationId": "x"}, "post": {"operationId": "x"}}})
    with pytest.raises(UnknownFunctionError) as unknown:
        _ = application["x"]
    assert unknown.value.suggestions == ("a_get", "a_post")
    with pytest.raises(UnknownFunctionError) as unknown:
        _ = application["xx"]
    assert "x" not in unknown.value.suggestions
