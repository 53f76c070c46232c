import json
from typing import Any

import pytest

from specfn import Application, Connection, Function, Options, load, request
from specfn.errors import UsageError

OK = {"200": {"description": "ok"}}
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}


def converted(paths: Any, *, version: str = "3.1.0", **options: Any) -> Application:
    document = {"openapi": version, "info": {"title": "t", "version": "1"}, "paths": paths}
    return load(document, options=Options(**options))


def one(operation: Any, path: str = "/x", **options: Any) -> Function:
    application = converted({path: {"get": operation}}, **options)
    assert not application.errors
    return application.functions[0]


def told(application: Application) -> list[tuple[str, str]]:
    return [(function.method, function.path) for function in application]


def failed(application: Application) -> list[tuple[str, str, str]]:
    return [(error.method, error.path, error.code) for error in application.errors]


# -- R1: every operation is exactly one of the two ---------------------------------------------------


def test_order_is_the_documents() -> None:
    """R1: functions and errors each are in the order of paths and of methods within them."""
    application = converted(
        {
            "/b": {"post": {}, "get": {}, "options": {}},
            "/a": {"delete": {}, "trace": {}, "get": {}},
            "bad": {"get": {}},
        }
    )
    assert told(application) == [
        ("post", "/b"),
        ("get", "/b"),
        ("delete", "/a"),
        ("get", "/a"),
    ]
    assert failed(application) == [
        ("options", "/b", "method"),
        ("trace", "/a", "method"),
        ("get", "bad", "path"),
    ]


def test_errors_keep_the_documents_order_whatever_their_kind() -> None:
    """R1: a recursive operation that comes first is the first error."""
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {
            "/tree": {
                "post": {
                    "requestBody": {
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Tree"}}
                        }
                    }
                }
            },
            "/other": {"options": {}},
        },
        "components": {
            "schemas": {"Tree": {"properties": {"child": {"$ref": "#/components/schemas/Tree"}}}}
        },
    }
    application = load(document, options=Options(recursive=False))
    assert [error.code for error in application.errors] == ["recursive", "method"]


def test_webhooks_and_callbacks_are_no_functions() -> None:
    """R1: what a server calls, and what an extension declares, is counted in the report and is not a function."""
    item = {"post": {"responses": OK}, "get": {}}
    application = load(
        {
            "openapi": "3.1.0",
            "info": {"title": "t", "version": "1"},
            "paths": {
                "/x": {"post": {"callbacks": {"done": {"{$request.body#/url}": item}, "b": {}}}}
            },
            "webhooks": {"new": item, "gone": {"post": {}}},
            "x-ms-paths": {"/x?comp=list": item, "/x?comp=lease": {"put": {}, "get": {}}},
        }
    )
    assert told(application) == [("post", "/x")]
    report = application.report()
    assert (report["webhooks"], report["callbacks"], report["x-ms-paths"]) == (3, 2, 4)
    assert report["operations"] == report["functions"] + report["errors"] == 1


@pytest.mark.parametrize("paths", [{}, None, [], "x", {"/a": None}, {"x-a": {"get": {}}}])
def test_no_operation_is_no_fault(paths: Any) -> None:
    """R1: a document without operations is an application without functions."""
    application = converted(paths)
    assert (len(application), application.errors) == (0, ())


@pytest.mark.parametrize("item", [[], "x", 5, True])
def test_a_path_item_that_is_no_object_is_an_error(item: Any) -> None:
    """R1: a malformed path item is one error without a method, and spoils no other."""
    application = converted({"/x": item, "/y": {"get": {}}})
    assert told(application) == [("get", "/y")]
    [error] = application.errors
    assert (error.method, error.path, error.code) == ("", "/x", "malformed")
    assert str(error).startswith("/x: the path item is not an object")


@pytest.mark.parametrize("raw", [None, [], "x", 5, True])
def test_an_operation_that_is_no_object_is_an_error(raw: Any) -> None:
    """R1: a malformed operation is told with its place and spoils no other."""
    application = converted({"/x": {"get": raw, "post": {}}})
    assert told(application) == [("post", "/x")]
    (error,) = application.errors
    assert (error.code, error.pointer) == ("malformed", "/paths/~1x/get")


ODD: list[dict[str, Any]] = [
    {"parameters": None},
    {"parameters": [None, 5, "x", []]},
    {"parameters": [{"name": "a", "in": "query", "schema": None}]},
    {"parameters": [{"name": "a", "in": "query", "schema": {"type": "nonsense"}}]},
    {"parameters": [{"name": "a", "in": "query", "content": 7}]},
    {"parameters": [{"name": "a", "in": "query", "style": 7, "explode": "no"}]},
    {"requestBody": None},
    {"requestBody": []},
    {"requestBody": {"content": {"application/json": []}}},
    {"responses": None},
    {"responses": []},
    {"responses": {"200": None}},
    {"responses": {"200": {"content": []}}},
    {"security": None},
    {"security": "key"},
    {"security": [{"key": None}, 5]},
    {"tags": "x"},
    {"tags": [5, None, "x"]},
    {"servers": {"url": "x"}},
    {"operationId": 5},
    {"summary": 5, "description": ["x"]},
    {"deprecated": "yes"},
    {"callbacks": [1]},
    {"x-samchon-accessor": 5},
]


@pytest.mark.parametrize("operation", ODD, ids=json.dumps)
def test_wrong_types_spoil_no_operation(operation: dict[str, Any]) -> None:
    """R1: an operation whose parts have the wrong type is still a function that can be shown and checked."""
    function = one(operation)
    assert function.parameters["type"] == "object"
    assert function.validate({})
    assert isinstance(function.description, str)
    assert isinstance(function.fingerprint, str)


@pytest.mark.parametrize("junk", [[], {}, [5], {"a": 1}], ids=json.dumps)
@pytest.mark.parametrize(
    "document",
    [
        {
            "openapi": "3.1.0",
            "paths": {"/x": {"get": {"parameters": [{"name": "a", "in": "JUNK"}]}}},
        },
        {
            "swagger": "2.0",
            "paths": {"/x": {"get": {"parameters": [{"name": "a", "in": "JUNK"}]}}},
        },
        {
            "swagger": "2.0",
            "paths": {
                "/x": {
                    "post": {"parameters": [{"name": "JUNK", "in": "formData", "type": "string"}]}
                }
            },
        },
        {"swagger": "2.0", "host": "a", "schemes": ["JUNK"], "paths": {"/x": {"get": {}}}},
        {"swagger": "2.0", "consumes": ["JUNK"], "paths": {"/x": {"get": {}}}},
        {
            "openapi": "3.1.0",
            "paths": {"/x": {"get": {"tags": ["JUNK"], "security": [{"a": "JUNK"}]}}},
        },
        {
            "openapi": "3.1.0",
            "servers": ["JUNK"],
            "paths": {"/x": {"get": {"responses": {"200": "JUNK"}}}},
        },
    ],
    ids=["in", "in 2.0", "form name", "scheme", "consumes", "tags", "servers"],
)
def test_a_list_or_object_where_a_text_belongs_spoils_nothing(document: Any, junk: Any) -> None:
    """R1: one odd value never takes the whole document along."""
    text = json.dumps({**document, "info": {"title": "t", "version": "1"}})
    application = load(json.loads(text.replace('"JUNK"', json.dumps(junk))))
    assert len(application) == 1
    assert application.functions[0].parameters["type"] == "object"


# -- R2: methods ---------------------------------------------------------------------------------------

CALLABLE = ["get", "post", "put", "patch", "delete", "head", "query"]


@pytest.mark.parametrize("method", CALLABLE)
def test_callable_methods(method: str) -> None:
    """R2: these methods are functions without being asked for."""
    assert told(converted({"/x": {method: {}}}, version="3.2.0")) == [(method, "/x")]


@pytest.mark.parametrize("method", ["options", "trace"])
def test_methods_on_request(method: str) -> None:
    """R2: options and trace are errors that name the option, and functions where it names them."""
    application = converted({"/x": {method: {}}})
    assert failed(application) == [(method, "/x", "method")]
    assert "Options.methods" in application.errors[0].reason
    assert told(converted({"/x": {method: {}}}, methods=(method,))) == [(method, "/x")]
    other = {"options": "trace", "trace": "options"}[method]
    assert not told(converted({"/x": {method: {}}}, methods=(other,)))


def test_additional_operations() -> None:
    """R2: the additional operations of 3.2 are functions with their method as it is written."""
    application = converted(
        {"/x": {"additionalOperations": {"COPY": {}, "M-SEARCH": {}}, "get": {}}}, version="3.2.0"
    )
    assert told(application) == [("COPY", "/x"), ("M-SEARCH", "/x"), ("get", "/x")]
    assert [function.safety for function in application] == ["destructive", "destructive", "read"]
    assert application["COPY /x"].accessor == ("x", "copy")


@pytest.mark.parametrize("method", ["OPTIONS", "TRACE"])
def test_additional_operations_are_no_way_around_the_methods_on_request(method: str) -> None:
    """R2: options and trace only when the option names them, however the document writes them."""
    application = converted({"/x": {"additionalOperations": {method: {}}}}, version="3.2.0")
    assert not told(application)


@pytest.mark.parametrize("key", ["GET", "Get", "foo", "x-get", "summary", "servers", "parameters"])
def test_other_keys_of_a_path_item_are_no_operations(key: str) -> None:
    """R2: an operation stands under a lower-case method of the Path Item Object."""
    application = converted({"/x": {key: {}, "get": {}}})
    assert told(application) == [("get", "/x")]
    assert not application.errors


# -- R3: path keys ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "accessor", "keys"),
    [
        ("/{a}/x", "x.getByA", ["a"]),
        ("/{name}.{ext}", "getByNameAndExt", ["name", "ext"]),
        ("/{a}...{b}", "getByAAndB", ["a", "b"]),
        ("/x:verb", "x_verb.get", []),
        ("/{a}:cancel", "cancel.getByA", ["a"]),
        ("/{+name}", "getByName", ["name"]),
        ("/{name*}", "getByName", ["name"]),
        ("/{proxy+}", "getByProxy", ["proxy"]),
        ("/x#one", "x.one.get", []),
        ("/x?kind=a", "x.kind_a.get", []),
        ("/x?kind={k}", "x.get", ["k"]),
        ("/", "get", []),
        ("/x/", "x.get", []),
    ],
)
def test_path_keys(path: str, accessor: str, keys: list[str]) -> None:
    """R3: placeholders may stand anywhere in a path key, and operators are not part of their names."""
    function = one({}, path)
    assert ".".join(function.accessor) == accessor
    assert [key for key, _ in function.route.keys] == keys
    assert function.path == path


def test_a_colon_segment_is_a_parameter() -> None:
    """R3: ``:a`` is ``{a}`` if it is declared ``in: path``, or if no path key of the document has braces."""
    declared = {"parameters": [{"name": "a", "in": "path", "required": True, "schema": {}}]}
    assert one(declared, "/x/:a").route.keys == (("a", True),)
    assert one(declared, "/x/{b}/:a").route.keys == (("b", True), ("a", True))
    assert one({}, "/x/:a").route.keys == (("a", True),)


@pytest.mark.parametrize(
    ("options", "keys", "url"),
    [
        ({}, ["p"], "https://x.test/projects/a/:export"),
        ({"export": True}, ["p", "export"], "https://x.test/projects/a/b"),
        ({"*": True}, ["p", "export"], "https://x.test/projects/a/b"),
        ({"*": True, "export": False}, ["p"], "https://x.test/projects/a/:export"),
    ],
)
def test_a_custom_method_behind_a_colon(
    options: dict[str, bool], keys: list[str], url: str
) -> None:
    """R3: an undeclared ``:verb`` is sent as text, with a note, unless ``Options.path_parameters`` says otherwise."""
    document = {"openapi": "3.1.0", "paths": {"/projects/{p}/:export": {"post": {}}}}
    function = load(document, options=Options(path_parameters=options)).functions[0]
    assert [key for key, _ in function.route.keys] == keys
    arguments = dict(zip(keys, "ab", strict=False))
    assert str(request(function, arguments, Connection(base_url="https://x.test")).url) == url
    told = [note.text for note in function.notes if "':export'" in note.text]
    assert len(told) == 1
    decided = "Options.path_parameters says so"
    assert (decided if "export" in options else f"{{'export': {'export' not in keys}}}") in told[0]


def test_the_verb_of_a_colon_segment_raises_the_safety() -> None:
    """R3, F6: ``/:delete`` is the custom method that it would be behind a name."""
    document = {"openapi": "3.1.0", "paths": {"/p/{p}/:delete": {"post": {}}}}
    assert load(document).functions[0].safety == "destructive"


def test_a_choice_for_no_segment_is_refused() -> None:
    """R3: a key of ``Options.path_parameters`` that no path key has is a UsageError that names the nearest."""
    document = {"openapi": "3.1.0", "paths": {"/p/{p}/:export": {"post": {}}}}
    with pytest.raises(UsageError, match=r"'exports'.*did you mean 'export'"):
        load(document, options=Options(path_parameters={"exports": True}))
    empty = {"openapi": "3.1.0", "paths": {}}
    assert not load(empty, options=Options(path_parameters={"*": True})).errors


def test_a_fragment_tells_operations_apart() -> None:
    """R3: two keys that differ in their fragments are two functions."""
    application = converted({"/#Action=A": {"get": {}}, "/#Action=B": {"get": {}}})
    assert [".".join(function.accessor) for function in application] == [
        "Action_A.get",
        "Action_B.get",
    ]


# -- R9: the success response ------------------------------------------------------------------------------


def answer(media_type: str | None = "application/json") -> dict[str, Any]:
    content = {} if media_type is None else {"content": {media_type: {"schema": SCHEMA}}}
    return {"description": "d", **content}


@pytest.mark.parametrize(
    ("responses", "status"),
    [
        ({"200": answer()}, "200"),
        ({"201": answer(), "200": answer()}, "200"),
        ({"206": answer(), "202": answer(), "201": answer()}, "201"),
        ({"206": answer(), "202": answer()}, "202"),
        ({"2XX": answer(), "299": answer()}, "299"),
        ({"2xx": answer()}, "2xx"),
        ({"404": answer(), "2XX": answer(), "default": answer()}, "2XX"),
        ({"default": answer(), "404": answer()}, "default"),
        ({"default": answer(), "204": answer(None)}, "204"),
        ({"200": answer(None), "201": answer()}, "201"),
        ({"200": answer(None), "2XX": answer("text/plain")}, "2XX"),
        ({"200": answer("image/png"), "201": answer()}, "200"),
        ({"204": answer(None), "200": answer(None)}, "200"),
        ({"404": answer(), "500": answer(), "3XX": answer(), "1XX": answer()}, None),
        ({}, None),
        ({"x-200": answer(), "200 OK": answer(), "": answer()}, None),
    ],
)
def test_the_success_response(responses: dict[str, Any], status: str | None) -> None:
    """R9: 200, 201, other 2xx ascending, 2XX; the first with content wins; default only without any 2xx."""
    route = one({"responses": responses}).route
    assert (route.success.status if route.success else None) == status
    rest = {key for key in responses if key != status and not key.startswith("x-")}
    assert set(route.exceptions) == rest


def test_json_is_preferred_in_an_answer() -> None:
    """R9: of several media types of the success response the JSON one is shown."""
    content = {"text/csv": {"schema": {"type": "string"}}, "application/json": {"schema": SCHEMA}}
    function = one({"responses": {"200": {"description": "d", "content": content}}})
    assert function.output == SCHEMA
    assert function.route.success is not None
    assert function.route.success.media_types == ("text/csv", "application/json")


@pytest.mark.parametrize("response", [answer(None), {"description": "d", "content": {}}])
def test_no_content_no_output(response: dict[str, Any]) -> None:
    """R9, F5: a success response without content has no output."""
    assert one({"responses": {"200": response}}).output is None


@pytest.mark.parametrize(
    ("media_type", "output"),
    [
        ("text/plain", {"type": "string"}),
        ("application/xml", {"type": "string", "description": "XML text"}),
        ("image/png", {"type": "string", "format": "binary"}),
    ],
)
def test_output_of_other_media_types(media_type: str, output: dict[str, Any]) -> None:
    """R8, R9: text and XML answers are strings, and others are bytes."""
    assert one({"responses": {"200": answer(media_type)}}).output == output


# -- R13: extensions -----------------------------------------------------------------------------------------


def test_an_operation_may_name_its_accessor() -> None:
    """R13: a legal, unique ``x-samchon-accessor`` replaces the accessor."""
    function = one({"x-samchon-accessor": ["pets", "find"]})
    assert (function.accessor, function.name) == (("pets", "find"), "pets_find")
    assert not function.notes


@pytest.mark.parametrize(
    "value", [[], ["a b"], ["1a"], "pets.find", [1], {"a": 1}, ["a", ""], 0, ""]
)
def test_an_illegal_accessor_is_ignored_with_a_note(value: Any) -> None:
    """R13: an accessor that is no list of identifiers does not count, and a note at it says so."""
    function = one({"x-samchon-accessor": value})
    assert function.accessor == ("x", "get")
    (note,) = function.notes
    assert note.pointer == "/paths/~1x/get/x-samchon-accessor"


def test_an_accessor_that_clashes_is_ignored_with_a_note() -> None:
    """R13: an accessor that another operation has by its path does not count."""
    application = converted({"/a": {"get": {}, "post": {"x-samchon-accessor": ["a", "get"]}}})
    assert [function.accessor for function in application] == [("a", "get"), ("a", "post")]
    assert application.functions[1].notes


def test_operations_for_people_are_no_functions() -> None:
    """R13: ``x-samchon-human: true`` makes an error with that reason; anything else is nothing."""
    application = converted(
        {"/a": {"get": {"x-samchon-human": True}, "post": {"x-samchon-human": False}}}
    )
    assert failed(application) == [("get", "/a", "human")]
    assert "x-samchon-human" in application.errors[0].reason
    assert told(application) == [("post", "/a")]


# -- what a route carries ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("own", "shared", "expected"),
    [
        (None, None, ()),
        (None, [{"a": []}], ((("a", ()),),)),
        ([], [{"a": []}], ()),
        ([{"b": ["r", "w"]}, {}], [{"a": []}], ((("b", ("r", "w")),), ())),
        ([{"a": [], "b": []}], None, ((("a", ()), ("b", ())),)),
    ],
)
def test_security_requirements(own: Any, shared: Any, expected: Any) -> None:
    """F6: the operation's requirements stand in for the document's, an empty list too."""
    document: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/x": {"get": {} if own is None else {"security": own}}},
        **({} if shared is None else {"security": shared}),
    }
    assert load(document).functions[0].security == expected


def test_servers_of_the_operation_stand_before_those_of_the_path() -> None:
    """X4: own servers are the operation's, else the path's; the document's are not the route's."""
    own, shared = [{"url": "https://own"}], [{"url": "https://shared"}]
    application = load(
        {
            "openapi": "3.1.0",
            "info": {"title": "t", "version": "1"},
            "servers": [{"url": "https://all"}],
            "paths": {
                "/x": {"get": {"servers": own}, "post": {}, "servers": shared},
                "/y": {"get": {}},
            },
        }
    )
    assert [function.route.servers for function in application] == [tuple(own), tuple(shared), ()]
    assert application.functions[0].api.servers == ({"url": "https://all"},)


def test_parameters_of_the_path_merge_into_its_operations() -> None:
    """N5: by place and name, and the operation wins; the same name elsewhere is another parameter."""
    shared = [
        {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
        {"name": "a", "in": "query", "schema": {"type": "string"}},
        {"name": "a", "in": "header", "schema": {"type": "string"}},
    ]
    own = [{"name": "a", "in": "query", "required": True, "schema": {"type": "integer"}}]
    application = converted(
        {"/{id}": {"parameters": shared, "get": {"parameters": own}, "post": {}}}
    )
    get, post = application.functions
    assert get.parameters["properties"]["query"]["properties"] == {"a": {"type": "integer"}}
    assert post.parameters["properties"]["query"]["properties"] == {"a": {"type": "string"}}
    assert [key for key, _ in get.route.keys] == ["id", "query", "headers"]
    assert get.route.keys[1] == ("query", True)
