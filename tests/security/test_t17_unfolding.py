import resource
import subprocess
import sys

import specfn
from specfn.schema.expansion_limits import Unfolding


def bomb(levels: int) -> str:
    """A document of aliases in which each level holds the one below nine times."""
    lines = ["openapi: 3.1.0", "x-0: &a0 {type: string}"]
    for level in range(1, levels):
        names = ", ".join(f"p{index}: *a{level - 1}" for index in range(9))
        lines.append(f"x-{level}: &a{level} {{type: object, properties: {{{names}}}}}")
    return "\n".join(
        [
            *lines,
            "paths:",
            "  /large:",
            "    post:",
            "      requestBody:",
            f"        content: {{application/json: {{schema: *a{levels - 1}}}}}",
            "  /small: {get: {}}",
        ]
    )


def test_arguments_that_unfold_to_too_much_are_an_error() -> None:
    """An operation whose request unfolds to more schemas than are checked is an error; the others stay."""
    application = specfn.loads(bomb(7))
    assert [function.path for function in application.functions] == ["/small"]
    [error] = application.errors
    assert (error.code, error.path) == ("chain", "/large")
    assert "500,000 schemas" in error.reason
    assert error.pointer == "/paths/~1large/post"


def test_what_unfolds_to_less_is_a_function() -> None:
    """Aliases as such are no fault."""
    assert len(specfn.loads(bomb(4)).functions) == 2


def test_counting_looks_at_each_object_once() -> None:
    """Sixty doublings are counted at once, and to the number."""
    node: dict[str, object] = {"type": "string"}
    for _ in range(60):
        node = {"properties": {"a": node, "b": node}}
    assert Unfolding({}).nodes([node]) == 2**61 - 1


def test_components_count_once_for_each_use_of_a_request() -> None:
    """What is referred to counts once, however often and in however many circles it is referred to."""
    schemas = {"A": {"properties": {"a": {"$ref": "#/components/schemas/A"}, "b": True}}}
    reference = {"$ref": "#/components/schemas/A"}
    assert Unfolding(schemas).nodes([reference, reference]) == 2 + 3


def test_loading_such_a_document_is_cheap() -> None:
    """Loading takes a bounded share of memory: nothing is copied that the document shares."""
    code = "import sys, specfn; specfn.loads(sys.stdin.read()).report()"

    def limits() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

    ended = subprocess.run(
        [sys.executable, "-c", code], input=bomb(7), text=True, check=False, preexec_fn=limits
    )
    assert ended.returncode == 0
