import ast
import copy
import re
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Annotated, Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic import BeforeValidator, TypeAdapter, ValidationError
from tests.properties.test_schema_laws import components, has_loop, samples, schemas
from tests.samples import Sampler
from typing_extensions import get_type_hints

from specfn import Options, load

LAW = settings(deadline=None, max_examples=settings.default.max_examples * 6 // 10)

Json = dict[str, Any]

OBJECTS = {"properties", "patternProperties", "additionalProperties", "required"}
ARRAYS = {"items", "prefixItems"}
ALIAS = re.compile(r"^(\w+): TypeAlias = (.*)$", re.MULTILINE)


def declared(node: Any) -> Any:
    """Return a schema whose types are declared where it has keywords of objects or arrays."""
    if isinstance(node, list):
        return [declared(each) for each in node]
    if not isinstance(node, dict):
        return node
    found = {
        key: value if key in {"enum", "const"} else declared(value) for key, value in node.items()
    }
    for kind, keys in (("object", OBJECTS), ("array", ARRAYS)):
        is_schema = all(isinstance(node[key], dict | list | bool) for key in keys & node.keys())
        if keys & node.keys() and is_schema and "type" not in node:
            return {**found, "type": kind}
    return found


def refuse(value: Any) -> Any:
    """Refuse every value."""
    raise ValueError(value)


def executed(text: str) -> ModuleType:
    """Run a Python text in a form that pydantic reads: recursive aliases, and a type without values."""
    module = ModuleType("specfn_signatures_of_a_test")
    sys.modules[module.__name__] = module
    vars(module)["NOTHING"] = Annotated[Any, BeforeValidator(refuse)]
    head, _, body = text.partition("\n\n")
    head = head.replace("from typing import", "from typing_extensions import TypeAliasType,")
    body = ALIAS.sub(r'\1 = TypeAliasType("\1", \2)', re.sub(r"\bNever\b", "NOTHING", body))
    exec(compile(f"{head}\n{body}", "signatures", "exec"), vars(module))
    return module


def whole(value: Any) -> Any:
    """Return a value with each integer that is written as a float as an integer, which is the same JSON value."""
    if isinstance(value, list):
        return [whole(each) for each in value]
    if isinstance(value, dict):
        return {key: whole(each) for key, each in value.items()}
    return int(value) if isinstance(value, float) and value.is_integer() else value


def judge(module: ModuleType, hint: str) -> Callable[[Any], str]:
    """Return a function that returns the problems of a value by a type; empty if there are none."""
    hints = get_type_hints(module.ApiA.post, globalns=vars(module), include_extras=True)
    adapter = TypeAdapter(hints[hint])

    def problems(value: Any) -> str:
        try:
            adapter.validate_python(value, strict=True)
        except ValidationError as error:
            return str(error)
        return ""

    return problems


def document(named: Json, node: Json) -> Json:
    content = {"application/json": {"schema": node}}
    operation = {
        "requestBody": {"required": True, "content": content},
        "responses": {"200": {"description": "", "content": content}},
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "", "version": ""},
        "paths": {"/a": {"post": operation}},
        "components": {"schemas": named},
    }


@LAW
@given(components, schemas(references=True), samples)
def test_a_type_accepts_what_is_valid(named: Json, node: Json, found: list[Any]) -> None:
    """Every valid argument is accepted by the type of its signature, and every valid response by the result."""
    named, node = declared(named), declared(node)
    assume(not has_loop(named))
    app = load(copy.deepcopy(document(named, node)))
    assume(app.functions)
    function = app.functions[0]
    module = executed(function.signature("python"))
    body = judge(module, "body") if "body" in function.validator["properties"] else None
    result = judge(module, "return")
    drawn = [Sampler(function.validator, seed).draw().get("body") for seed in range(3)]
    for value in map(whole, [*found, *drawn]):
        if body is not None and function.validate({"body": value}):
            assert body(value) == "", function.signature("python")
        if not function.response_problems(value):
            assert result(value) == "", function.signature("python")


texts = st.lists(
    st.sampled_from(
        [
            *"\"\\\n\r'`#*/{}$%\u2028\x85\x0c",
            '"""',
            "*/",
            "# type: ignore",
            "@ts-nocheck",
            "a",
            "class",
        ]
    ),
    max_size=6,
).map("".join)


@LAW
@given(texts, texts, texts, st.booleans())
def test_texts_are_no_code(key: str, text: str, constant: str, keyword: bool) -> None:  # noqa: FBT001  # drawn
    """T23: the texts of a document change neither the statements of a Python text nor its names."""

    def shape(key: str, text: str, constant: str) -> list[str]:
        node = {
            "type": "object",
            "description": text,
            "properties": {f"x-{key}": {"const": constant, "description": text, "default": text}},
        }
        raw = document({"A": node}, {"$ref": "#/components/schemas/A"})
        raw["paths"]["/a"]["post"] |= {"description": text, "summary": text}
        raw["paths"]["/a"]["post"]["parameters"] = [
            {"name": "q", "in": "query", "description": text, "schema": {"type": "string"}}
        ]
        app = load(raw, options=Options(keyword=keyword))
        tree = ast.parse(app.functions[0].signature("python"))
        return [
            type(each).__name__
            for each in ast.walk(tree)
            if not isinstance(each, ast.Constant | ast.Expr)
        ]

    assert shape(key, text, constant) == shape("", "", "")
