import ast
import json
from typing import Any

import pytest
from tests.cli.conftest import specfn  # noqa: F401  # fixture
from tests.function.signatures.documents import ALL

from specfn import Connection, load


def _written(classes: dict[str, ast.ClassDef], name: str) -> dict[str, Any]:
    """Return the names in a class of a Python text: a tree with ``None`` for each function."""
    found: dict[str, Any] = {}
    for node in classes[name].body:
        if isinstance(node, ast.AnnAssign):
            assert isinstance(node.target, ast.Name)
            assert isinstance(node.annotation, ast.Name)
            found[node.target.id] = _written(classes, node.annotation.id)
        elif isinstance(node, ast.FunctionDef):
            found[node.name] = None
    return found


def _offered(namespace: Any) -> Any:
    """Return the names in a namespace of bound functions in the same form."""
    if callable(namespace):
        return None
    return {name: _offered(getattr(namespace, name)) for name in namespace}


@pytest.mark.parametrize("name", ALL)
def test_the_namespaces_of_a_text_are_those_of_bound_functions(
    specfn: Any,  # noqa: F811  # the fixture
    name: str,
) -> None:
    """A name of a Python text leads to the same function in ``bound.namespace()``, and no name is missing."""
    application = load(ALL[name])
    ended = specfn("tools", "-", "--format", "python", stdin=json.dumps(ALL[name]).encode())
    tree = ast.parse(ended.out)
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    bound = application.bind(Connection(base_url="https://api.example"))
    assert _written(classes, "Api") == _offered(bound.namespace())
