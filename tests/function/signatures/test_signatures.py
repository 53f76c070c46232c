import ast
import pickle
from typing import Any

import pytest
from tests.function.signatures.documents import ALL, KINDS, WORDS, document, operation, ref

from specfn import Application, Options, human, load
from specfn.errors import UsageError
from specfn.function.signatures.doc_comments import comment_of
from specfn.function.signatures.signatures import signatures

PYTHON = """
#: A pet.
Pet = TypedDict('Pet', {
    'name': 'Required[str]',  #: Its name.
    'secret': 'Required[str]',
    'born': 'str | None',  #: (date or null)
    'kind': "Literal['cat', 'dog']",  #: Default: "cat"
    'tags': 'list[str]',
    'place': 'list[float | str]',
    'labels': 'dict[str, str]',
    'owner': 'str | Owner',
    'x-extra': 'Any',
}, total=False)
class Owner(TypedDict, total=False):
    pets: list[Pet]
"""

TYPESCRIPT = """
type PetOutput = {
	name: string; // Its name.
	id?: number;
	born?: string | null; // (date or null)
	kind?: "cat" | "dog"; // Default: "cat"
	tags?: string[];
	place?: [number, string?];
	labels?: Record<string, string>;
	owner?: string | OwnerOutput;
	"x-extra"?: any;
};
type OwnerOutput = { pets?: PetOutput[] };
export declare const api: {
	pets: {
		/** Deprecated. Update a pet. */
		postByPetId(args: { petId: number; query?: { from?: string }; body: Pet }): Promise<PetOutput[]>;
	};
};
"""


@pytest.fixture(scope="module")
def pets() -> Application:
    return load(KINDS)


def test_python(pets: Application) -> None:
    """A Python signature has the class of each object and a protocol for each namespace."""
    text = pets.functions[0].signature("python")
    assert PYTHON in text
    call = "petId: int, query: PetsPostByPetIdQuery = ..., body: Pet) -> list[PetOutput]:"
    assert f"    def postByPetId(self, *, {call}\n" in text
    assert '        """Deprecated. Update a pet."""\n' in text


def test_typescript(pets: Application) -> None:
    """A TypeScript signature has a type for each definition, and the namespaces as one constant."""
    assert TYPESCRIPT in pets.functions[0].signature("typescript")


def test_positions() -> None:
    """Arguments by position are in the order of the function; one that is left out is null."""
    function = load(KINDS, options=Options(keyword=False)).functions[0]
    parts = "petId: int, query: PetsPostByPetIdQuery | None, body: Pet"
    assert f"def postByPetId(self, {parts}) -> list[PetOutput]:" in function.signature("python")
    parts = "petId: number, query: { from?: string } | null, body: Pet"
    assert f"postByPetId({parts}): Promise<PetOutput[]>;" in function.signature("typescript")


def test_an_unknown_language() -> None:
    """The error about an unknown language has the known ones."""
    with pytest.raises(UsageError, match=r"there is no language 'pyton'.*\"python\" or \"type"):
        load(KINDS).functions[0].signature("pyton")  # type: ignore[arg-type]  # the caller's mistake


def test_a_keyword_has_a_trailing_underscore() -> None:
    """Keywords of Python and attributes of every object end with ``_`` in Python and stay in TypeScript."""
    text = signatures(load(WORDS).functions, "python")
    found = {node.target.id for node in ast.walk(ast.parse(text)) if _is_attribute(node)}
    assert {"global_", "await_", "list", "_class"} <= found
    assert "\tglobal: {" in signatures(load(WORDS).functions, "typescript")


def _is_attribute(node: ast.AST) -> bool:
    return isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)


@pytest.mark.parametrize("keyword", [True, False])
@pytest.mark.parametrize("name", ALL)
def test_every_function_is_there_once(name: str, keyword: bool) -> None:  # noqa: FBT001  # both styles
    """The Python module of a document compiles, and defines each function and each type once."""
    functions = load(ALL[name], options=Options(keyword=keyword)).functions
    tree = ast.parse(signatures(functions, "python"))
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    assert len({node.name for node in classes}) == len(classes)
    defined = [each for node in classes for each in node.body if isinstance(each, ast.FunctionDef)]
    assert sorted(each.name.rstrip("_") for each in defined) == sorted(
        function.accessor[-1].rstrip("_") for function in functions
    )


@pytest.mark.parametrize("name", ALL)
def test_a_copy_of_a_function_has_the_same_signature(name: str) -> None:
    """Pickling changes no signature, and neither does a second call."""
    for function in load(ALL[name]).functions:
        copied = pickle.loads(pickle.dumps(function))
        for language in ("python", "typescript"):
            text = function.signature(language)
            assert copied.signature(language) == text == function.signature(language)


def test_the_human_part_is_left_out() -> None:
    """The signature of the model's function has no part that belongs to the human."""
    function = load(KINDS, options=Options(separate=[human.secrets])).functions[0]
    assert function.separated is not None
    whole, model = function.signature("python"), function.separated.function.signature("python")
    assert "'secret'" in whole
    assert "secret" not in model


def test_a_signature_of_one_function_is_limited() -> None:
    """Definitions far from the arguments are ``Any`` if one function has very many."""
    chain = {
        f"C{n}": {
            "type": "object",
            "properties": {"next": ref(f"C{n + 1}"), "a": {"type": "string"}},
        }
        for n in range(2_000)
    }
    raw = document({"/a": {"post": operation(ref("C0"))}}, chain | {"C2000": {"type": "string"}})
    functions = load(raw).functions
    text = functions[0].signature("python")
    assert len(text) < 20_000
    assert text.count(": TypeAlias = 'Any'") == 1
    assert len(signatures(functions, "python")) > 60_000


def _union(own: Any, *branches: Any) -> str:
    schema = {"type": "object", "properties": own, "anyOf": [*branches]}
    raw = document(
        {"/a": {"post": operation(schema)}}, {"B": {"type": "object", "properties": own}}
    )
    return load(raw).functions[0].signature("typescript")


def test_properties_beside_a_union() -> None:
    """An object with a union beside its properties is a union of objects that have both."""
    one, two = {"properties": {"b": {"type": "integer"}}}, {"required": ["a"]}
    assert "body: { a?: string; b?: number } | { a: string } }" in _union(
        {"a": {"type": "string"}}, one, two
    )
    assert "body: { a?: string } }" in _union({"a": {"type": "string"}}, {}, one)


def test_a_comment_of_many_functions_is_written_once() -> None:
    """The comment of an argument that many functions have is written once, and never as the encoding of a file."""
    text = "coding: nonsense */ x"
    paths = {
        f"/a{n}/{{id}}": {
            "get": {
                "parameters": [
                    {
                        "name": "id",
                        "in": "path",
                        "required": True,
                        "description": text,
                        "schema": {},
                    }
                ],
                "responses": {"200": {"description": ""}},
            }
        }
        for n in range(5)
    }
    functions = load(document(paths)).functions
    python, typescript = signatures(functions, "python"), signatures(functions, "typescript")
    assert python.count(f"\n#: id: {text}\n") == python.count(text) == 1
    assert typescript.count(f"\n// id: {text}\n") == typescript.count(text) == 1
    compile(python.encode(), "signatures", "exec")
    assert f'        """GET /a0/{{id}}\n        id: {text}"""\n' in functions[0].signature("python")


@pytest.mark.parametrize(
    ("schema", "comment"),
    [
        ({"type": "string", "pattern": "^[A-Z]{2,5}$"}, "^[A-Z]{2,5}$"),
        ({"type": "integer", "minimum": 1, "maximum": 20}, "1..20"),
        ({"type": "number", "minimum": 0.5}, ">= 0.5"),
        ({"type": "integer", "maximum": 9, "minimum": -(2**63)}, "<= 9"),
        ({"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]}, "(date or null)"),
        ({"anyOf": [{"type": "string", "pattern": "^a"}, {"type": "null"}]}, "^a"),
        ({"type": "string", "pattern": "a" * 61}, ""),
    ],
)
def test_a_comment_keeps_what_decides_validity(schema: dict[str, Any], comment: str) -> None:
    """A member has its format, a short pattern and its range as a comment, also within a union."""
    assert comment_of(schema) == comment
