import json
import pickle
import subprocess
import sys
from typing import Any

import pytest

from specfn import Failure, Function, Options, Success, load
from specfn.records import ABSENT

BODY = {
    "type": "object",
    "properties": {
        "id": {"type": "integer", "readOnly": True},
        "name": {"type": "string"},
        "price": {"type": "number"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["id", "name"],
    "additionalProperties": False,
}


def made(
    method: str = "post",
    media_type: str = "application/json",
    path: str = "/shops/{shop}/items",
    **options: Any,
) -> Function:
    parameters = [
        {"name": "shop", "in": "path", "required": True, "schema": {"type": "integer"}},
        {"name": "limit", "in": "query", "schema": {"type": "integer", "maximum": 100}},
        {"name": "sort", "in": "query", "schema": {"enum": ["asc", "desc"]}},
    ]
    operation: dict[str, Any] = {"parameters": parameters}
    if method != "get":
        operation["requestBody"] = {"content": {media_type: {"schema": BODY}}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {path: {method: operation}},
    }
    return load(document, options=Options(**options)).functions[0]


POST = made()
LIST = made(keyword=False)


def test_a_text_is_parsed_coerced_and_validated() -> None:
    """V9: what a model wrote becomes what it meant, and every repair of both steps is told."""
    outcome = POST.check(
        "```json\n{'shop': '12', 'query': {'limit': '5', 'sort': 'ASC'}, 'body': {'name': 7, 'price': null,}}\n```"
    )
    assert isinstance(outcome, Success)
    assert outcome.data == {"shop": 12, "query": {"limit": 5, "sort": "asc"}, "body": {"name": "7"}}
    kinds = [repair.kind for repair in outcome.repairs]
    assert kinds[0] == "fence"
    assert kinds[-5:] == ["number", "number", "case", "string", "omitted"]
    assert POST.validate(outcome.data)


def test_arguments_are_coerced_and_validated() -> None:
    """V9: the same of arguments; what is valid is the very object that was given."""
    given = {"shop": 12, "body": {"name": "x"}}
    outcome = POST.check(given)
    assert isinstance(outcome, Success)
    assert outcome.data is given
    assert outcome.repairs == ()
    assert POST.check({"shop": "12"}).data == {"shop": 12}


def test_bytes_are_texts() -> None:
    """V9: bytes are read as UTF-8."""
    assert POST.check(b'{"shop": 12}').data == {"shop": 12}
    assert isinstance(POST.check(b'{"shop": "\xff"}'), Failure)


def test_parse_does_not_validate() -> None:
    """V6: reading a text is apart from judging what it says."""
    outcome = POST.parse("{shop: 'x'}")
    assert isinstance(outcome, Success)
    assert outcome.data == {"shop": "x"}
    assert isinstance(POST.parse("{shop: x}"), Failure)


def test_what_is_wrong_is_told_after_all_repairs() -> None:
    """V9: a failure holds the arguments as far as they could be repaired, and what is still wrong."""
    outcome = POST.check(
        '{"shop": "12", "query": {"limit": "500"}, "body": "{\\"name\\": \\"x\\", \\"price\\": \\"high\\"}"}'
    )
    assert isinstance(outcome, Failure)
    assert outcome.data == {
        "shop": 12,
        "query": {"limit": "500"},
        "body": {"name": "x", "price": "high"},
    }
    assert [problem.path for problem in outcome.errors] == [
        "$input.query.limit",
        "$input.body.price",
    ]
    assert [repair.kind for repair in outcome.repairs] == ["number", "json"]
    text = outcome.feedback()
    assert '"limit": "500" // ❌ expected' in text
    assert '"price": "high" // ❌ expected' in text
    assert "Sent as a string: $input.body." in text
    assert text.endswith("Nothing was executed.")


def test_coerce_leaves_what_it_cannot_make_right() -> None:
    """V7: without ``check`` a string in which something stays wrong is a string."""
    given = {"shop": 12, "body": '{"name": "x", "price": "high"}'}
    outcome = POST.coerce(given)
    assert isinstance(outcome, Failure)
    assert outcome.data is given
    assert [problem.path for problem in outcome.errors] == ["$input.body"]


@pytest.mark.parametrize(
    "text", ['{"shop": 12, "body": {"name": "x"}', '{"shop": 12, "body": {"name": "x", ']
)
def test_what_was_cut_is_incomplete(text: str) -> None:
    """V6, V9: a text that was closed is valid but incomplete: only a read may be executed."""
    outcome = POST.check(text)
    assert isinstance(outcome, Success)
    assert outcome.incomplete
    failure = POST.check(text.replace("12", '"x"'))
    assert isinstance(failure, Failure)
    assert failure.incomplete
    assert "The text broke off, so the missing ends were added" in failure.feedback()


def test_what_cannot_be_read_is_told() -> None:
    """V9: a text that is no JSON is answered with the place in the text."""
    outcome = POST.check('{"shop": 12, "body": {"name": Lamp}}')
    assert isinstance(outcome, Failure)
    assert outcome.fault is not None
    assert outcome.fault.column == 31
    assert "Lamp is not JSON" in outcome.feedback()


@pytest.mark.parametrize("text", ["", " \n", b""])
def test_no_text_is_no_arguments_where_there_are_none(text: str | bytes) -> None:
    """V9: an empty text stands for no arguments where a function has none, and for nothing elsewhere."""
    paths = {"/health": {"get": {}}}
    document = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": paths}
    for keyword, nothing in ((True, {}), (False, [])):
        outcome = load(document, options=Options(keyword=keyword)).functions[0].check(text)
        assert isinstance(outcome, Success)
        assert outcome.data == nothing
        assert [repair.kind for repair in outcome.repairs] == ["empty"]
    assert not POST.check(text)


def test_read_only_properties_are_taken_out() -> None:
    """F11, V7: a property that only answers have is left out, and that is recorded."""
    outcome = POST.check({"shop": 12, "body": {"id": 5, "name": "x"}})
    assert isinstance(outcome, Success)
    assert outcome.data == {"shop": 12, "body": {"name": "x"}}
    [repair] = outcome.repairs
    assert (repair.path, repair.kind, repair.before, repair.after) == (
        "$input.body.id",
        "readonly",
        5,
        ABSENT,
    )
    assert not POST.validate({"shop": 12, "body": {"id": 5, "name": "x"}})


#: Where null for an optional property of a body means nothing else than that it is left out.
CREATES = [
    "/shops/{shop}/items",
    "/shops/{shop}/items/",
    "/{shop}/a.json",
    "/shops/{shop}/items#x",
    "/items?shop={shop}",
]

#: Paths of items: who posts there may change what exists.
ITEMS = [
    "/shops/{shop}",
    "/shops/{shop}/",
    "/shops/{shop}.json",
    "/shops/a-{shop}",
    "/shops/{shop}:sell",
    "/x/{shop}#f",
]


@pytest.mark.parametrize(
    ("method", "path", "media_type", "stays"),
    [
        *(("post", path, "application/json", False) for path in CREATES),
        *(("post", path, "application/x-www-form-urlencoded", False) for path in CREATES[:1]),
        *(("post", path, "multipart/form-data", False) for path in CREATES[:1]),
        *(("post", path, "application/json", True) for path in ITEMS),
        *(("post", path, "application/Merge-Patch+JSON", True) for path in CREATES[:1]),
        *((method, path, "application/json", True) for method in ("put", "patch", "delete", "query") for path in (CREATES[0], ITEMS[0])),
        ("patch", ITEMS[0], "application/json-patch+json", True),
    ],
)  # fmt: skip
def test_null_in_a_body(method: str, path: str, media_type: str, stays: bool) -> None:  # noqa: FBT001
    """V7: null is left out of what is created; elsewhere in a body it may mean "clear", stays and is reported."""
    function = made(method, media_type, path)
    given = {"shop": 12, "query": {"limit": None}, "body": {"name": "x", "price": None}}
    outcome = function.check(given)
    assert bool(outcome) is not stays
    assert outcome.data["query"] == {}
    assert outcome.data["body"] == ({"name": "x", "price": None} if stays else {"name": "x"})
    if isinstance(outcome, Failure):
        assert [problem.path for problem in outcome.errors] == ["$input.body.price"]
        assert "$input.query.limit" in [repair.path for repair in outcome.repairs]


@pytest.mark.parametrize("meant", ["PUT", "PATCH", "DELETE", "POST"])
def test_null_follows_the_method_that_is_meant(meant: str) -> None:
    """V7, X11: a POST that is sent as another method is that method."""
    header = {"name": "X-HTTP-Method-Override", "in": "header", "schema": {"type": "string"}}
    content = {"application/json": {"schema": BODY}}
    operation = {"parameters": [header], "requestBody": {"content": content}}
    document = {"openapi": "3.1.0", "info": {}, "paths": {"/items": {"post": operation}}}
    fixed = {"header.X-HTTP-Method-Override": meant}
    function = load(document, options=Options(fixed=fixed)).functions[0]
    assert bool(function.check({"body": {"name": "x", "price": None}})) is (meant == "POST")


@pytest.mark.parametrize("method", ["post", "put"])
def test_null_for_a_whole_body(method: str) -> None:
    """V7: null for an optional body is no body where something is created, and is reported elsewhere."""
    for function, given in (
        (made(method, keyword=True), {"shop": 12, "body": None}),
        (made(method, keyword=False), [12, None, None]),
    ):
        outcome = function.check(given)
        assert bool(outcome) is (method == "post" or not function.keyword)


def test_arrays_of_one_on_demand() -> None:
    """V7: ``Options.coerce_arrays`` lets a text that may be a list be an array of one."""
    given = {"shop": 12, "body": {"name": "x", "tags": "a,b"}}
    assert not POST.check(given)
    assert made(coerce_arrays=True).check(given).data["body"]["tags"] == ["a,b"]


def test_unknown_parameters_are_never_dropped() -> None:
    """V7: what a function does not have is told, not taken out."""
    given = {"shop": 12, "shopp": 1, "query": {"Limit": 5}}
    outcome = POST.check(given)
    assert isinstance(outcome, Failure)
    assert outcome.data is given
    text = outcome.feedback()
    assert '"shopp": 1, // ❌ not a property here; the properties are shop, query and body' in text
    assert '"Limit": 5 // ❌ not a property here: rename it to limit' in text


def test_positions() -> None:
    """F4, V9: arguments by position are read in the same way, and repairs and problems are told by position."""
    outcome = LIST.check("['12', {'limit': '5'}, {'name': 7}]")
    assert isinstance(outcome, Success)
    assert outcome.data == [12, {"limit": 5}, {"name": "7"}]
    paths = [repair.path for repair in outcome.repairs if repair.kind != "quotes"]
    assert paths == ["$input[0]", "$input[1].limit", "$input[2].name"]
    failed = LIST.check([12, None, {"name": True}])
    assert isinstance(failed, Failure)
    assert [problem.path for problem in failed.errors] == ["$input[2].name"]


def test_positions_that_are_left_out_stay_left_out() -> None:
    """F4, V7: ``None`` for an optional place, and places at the end that are missing, stay as they are."""
    given = ["12", None, {"name": "x"}]
    assert LIST.check(given).data == [12, None, {"name": "x"}]
    assert LIST.check(["12"]).data == [12]
    valid = [12, None]
    assert LIST.check(valid).data is valid
    assert LIST.coerce(valid).data is valid


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"shop": 12}, "$input"),
        ("[12, {}, {}, 4]", "$input[3]"),
        ("12", "$input"),
        (None, "$input"),
        ('"[12, {\\"limit\\": \\"x\\"}]"', "$input[1].limit"),
    ],
)
def test_what_is_wrong_by_position(given: Any, path: str) -> None:
    """F4, V9: no list, too long a list, or a string that holds one are told as such."""
    outcome = LIST.check(given)
    assert isinstance(outcome, Failure)
    assert [problem.path for problem in outcome.errors] == [path]


def test_a_list_that_was_sent_as_a_string() -> None:
    """F4, V7: positional arguments that were sent as a string are opened, or stay a string."""
    outcome = LIST.coerce('["12"]')
    assert outcome.data == [12]
    assert [repair.kind for repair in outcome.repairs] == ["json", "number"]
    left = LIST.coerce('["x"]')
    assert isinstance(left, Failure)
    assert left.data == '["x"]'
    assert left.repairs == ()
    assert [problem.path for problem in left.errors] == ["$input"]


def test_pickled_functions_check() -> None:
    """V9: a function that was pickled reads and repairs like the one that was not."""
    for function in (POST, LIST):
        again = pickle.loads(pickle.dumps(function))
        text = json.dumps(["12"]) if function is LIST else '{"shop": "12"}'
        assert again.check(text) == function.check(text)


def test_files_of_a_caller_are_no_texts() -> None:
    """V9: what a caller puts into arguments beside JSON is what ``validate`` says of it."""
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {
            "/files": {
                "post": {
                    "requestBody": {
                        "content": {
                            "multipart/form-data": {
                                "schema": {
                                    "type": "object",
                                    "properties": {"file": {"type": "string", "format": "binary"}},
                                }
                            }
                        }
                    }
                }
            }
        },
    }
    function = load(document).functions[0]
    given = {"body": {"file": b"data"}}
    assert function.validate(given)
    assert function.check(given).data is given


def test_a_function_whose_schema_cannot_be_enforced_refuses() -> None:
    """V1, V9: nothing raises where the document is at fault."""
    for keyword in (True, False):
        function = made(keyword=keyword)
        function.schemas.root["properties"]["body"] = {"minimum": "x"}
        text = '{"shop": 12}' if keyword else "[12]"
        for outcome in (function.check(text), function.coerce(json.loads(text))):
            assert isinstance(outcome, Failure)
            assert "cannot be called" in outcome.feedback()


def test_converting_does_not_import_what_repairs() -> None:
    """A process that only converts documents loads nothing of parsing, coercing and explaining."""
    script = (
        "import sys, specfn\n"
        'specfn.loads(\'{"openapi": "3.1.0", "info": {}, "paths": {"/x": {"get": {}}}}\').functions[0].parameters\n'
        "print([name for name in ('parse', 'coerce', 'check', 'feedback', 'explain') if f'specfn.validation.{name}' in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
