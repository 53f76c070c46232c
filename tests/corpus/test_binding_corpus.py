"""Bound functions of real documents."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from specfn import Application, Connection
from specfn.application.namespace import Namespace

pytestmark = pytest.mark.corpus


def _leaves(node: Namespace, path: str) -> Iterator[tuple[str, Any]]:
    """Yield every function below a place of a namespace, with the expression that reaches it."""
    for name in node:
        found = getattr(node, name)
        if isinstance(found, Namespace):
            yield from _leaves(found, f"{path}.{name}")
        else:
            yield f"{path}.{name}", found


def test_every_function_is_reached_in_code(loaded: dict[Path, Application]) -> None:
    """Each function is one expression of Python, and has its own accessor."""
    for path, application in loaded.items():
        bound = application.bind(Connection())
        found = dict(_leaves(bound.namespace(), "api"))
        assert len(found) == len(application.functions), path.name
        assert {each.name for each in found.values()} == set(bound), path.name
        for expression, function in found.items():
            ast.parse(expression, mode="eval")
            elements = expression.split(".")[1:]
            assert [each.rstrip("_") for each in elements] == [
                each.rstrip("_") for each in function.accessor
            ]


def test_every_key_of_a_function_is_resolved(loaded: dict[Path, Application]) -> None:
    """C4: each accessor, and each place, resolves to its function or is ambiguous; never to another."""
    for path, application in loaded.items():
        bound = application.bind(Connection(), profile="openai")
        for function in application.functions[::7]:
            for key in (function.name, ".".join(function.accessor)):
                name = bound.resolve(key).name
                assert name is None or bound[name].function is function, (path.name, key)
