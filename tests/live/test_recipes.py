"""The recipes for frameworks without an adapter: each runs in an environment of its own, against the demo shop."""

import json
import re
import subprocess
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import pytest
from tests.live.environments import python_environment

import specfn
from specfn.demo.server import serve

ROOT = Path(__file__).parents[2]
RECIPE = re.compile(r"(?m)^(?P<name>[\w ]+)(?:, .*)?:\n\n```py\n(?P<code>(?s:.*?))^```$")
RECIPES = {
    each["name"]: each["code"]
    for each in RECIPE.finditer((ROOT / "docs/frameworks.md").read_text("utf-8"))
}
CALLS = [{"query": {"limit": 1}}, {"query": {"limit": "many"}}, {}]

#: Binds the functions of the shop.
BIND = """
import asyncio, json, sys, specfn
document, base_url, token, calls = sys.argv[1:]
app = specfn.load(document)
connection = specfn.Connection(base_url, credentials={"bearer": token})
bound = app.bind(connection, ask=False)
"""


class Framework(NamedTuple):
    """A framework.

    Attributes:
        requirement: what is installed.
        call: code that defines how one tool is called with arguments, by the machinery of the framework.
        absent: what the framework passes for absent arguments.
    """

    requirement: str
    call: str
    absent: Mapping[str, None] = MappingProxyType({})


FRAMEWORKS = {
    "Strands": Framework(
        "strands-agents==1.62.0",
        """
async def events(arguments):
    use = {"toolUseId": "1", "name": tools[0].tool_name, "input": arguments}
    return [event async for event in tools[0].stream(use, {})]
call = lambda arguments: asyncio.run(events(arguments))[-1]["tool_result"]["content"][0]["text"]
""",
    ),
    "CrewAI": Framework(
        "crewai==1.15.30", "call = tools[0].to_structured_tool().invoke", {"query": None}
    ),
    "Agno": Framework(
        "agno==3.1.10",
        """
from agno.tools.function import FunctionCall
call = lambda arguments: FunctionCall(function=tools[0], arguments=arguments).execute().result
""",
    ),
    "smolagents": Framework(
        "smolagents==1.26.0",
        """
from smolagents.models import get_tool_json_schema
assert get_tool_json_schema(tools[0])["function"]["parameters"]["properties"]["query"]["properties"]
call = lambda arguments: tools[0](**arguments, sanitize_inputs_outputs=True)
""",
    ),
    "Haystack": Framework(
        "haystack-ai==3.4.1", "call = lambda arguments: tools[0].invoke(**arguments)"
    ),
    "Semantic Kernel": Framework(
        "semantic-kernel==1.45.0",
        """
from semantic_kernel import Kernel
from semantic_kernel.functions import KernelArguments
kernel = Kernel()
kernel.add_functions("shop", tools)
invoke = lambda arguments: kernel.invoke(
    plugin_name="shop", function_name="products_get", arguments=KernelArguments(**arguments))
call = lambda arguments: str(asyncio.run(invoke(arguments)))
""",
    ),
}


def test_each_recipe_is_run() -> None:
    """The page has a recipe for each of these frameworks, and for no other."""
    assert RECIPES.keys() == FRAMEWORKS.keys()


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_gives_the_model_the_texts_of_specfn(name: str, tmp_path: Path) -> None:
    """The framework returns the text of specfn for good, wrong and absent arguments, unchanged."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    environment = python_environment(FRAMEWORKS[name].requirement, *project["dependencies"])
    (tmp_path / "specfn").symlink_to(Path(specfn.__file__).parent)
    run = "\nprint(json.dumps([call(each) for each in json.loads(calls)]))"
    (tmp_path / "recipe.py").write_text(
        "\n".join((BIND, RECIPES[name], FRAMEWORKS[name].call, run)), "utf-8"
    )
    with serve() as shop:
        given = [shop.document_url, shop.base_url, shop.token]
        ended = subprocess.run(
            [str(environment / "bin" / "python"), "recipe.py", *given, json.dumps(CALLS)],
            cwd=tmp_path,
            env={
                "HOME": str(tmp_path),
                "OTEL_SDK_DISABLED": "true",
                "CREWAI_DISABLE_TELEMETRY": "true",
            },
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        connection = specfn.Connection(shop.base_url, credentials={"bearer": shop.token})
        bound = specfn.load(shop.document_url).bind(connection, ask=False)
        expected = [
            bound["products_get"].answer(each or dict(FRAMEWORKS[name].absent)) for each in CALLS
        ]
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout.splitlines()[-1]) == expected
