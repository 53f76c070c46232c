"""A scripted model does six tasks in every agent framework, on an API whose paths are random."""

import asyncio
import json
from collections.abc import Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import pytest
from tests.live import frameworks
from tests.live.frameworks.scripted import Call
from tests.live.renamed_shop import renamed_shop
from tests.live.tasks import do_tasks

import specfn
from specfn.application.bound import Bound
from specfn.calling import ApprovalRequest
from specfn.tools.search.result_text import found_lines

pytestmark = pytest.mark.filterwarnings("ignore")  # those of the frameworks


class InFramework:
    """The functions of an application as tools of a framework, each call by the model of an agent of its own."""

    def __init__(self, framework: str, app: specfn.Application, bound: Bound) -> None:
        self._agents = import_module(f"tests.live.frameworks.{framework}")
        self._app = app
        self._bound = bound

    def search(self, query: str) -> str:
        return found_lines(self._app.search(query))

    def describe(self, names: Sequence[str]) -> str:
        found = [self._bound[name] for name in names]
        return json.dumps(
            [
                {"name": each.name, "description": each.description, "arguments": each.parameters}
                for each in found
            ]
        )

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        calls = [Call(name, json.dumps(arguments))]
        [text] = asyncio.run(self._agents.drive(self._bound, calls))
        return str(text)


@pytest.mark.parametrize(
    "framework", sorted({each.name for each in iter_modules(frameworks.__path__)} - {"scripted"})
)
def test_six_tasks_in_a_framework(framework: str) -> None:
    """The model takes names and layout from the texts that it received; the user approves the deletion alone."""
    asked: list[str] = []

    def approve(request: ApprovalRequest) -> bool:
        asked.append(f"{request.method} {request.safety}")
        return True

    with renamed_shop(16) as found:
        app = specfn.load(found.document)
        connection = specfn.Connection(base_url=found.base_url, credentials={"bearer": found.token})
        bound = app.bind(connection, profile="portable", allow={"read", "write"}, approve=approve)
        do_tasks(InFramework(framework, app, bound), found)
    assert asked == ["delete destructive"]
