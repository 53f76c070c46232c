"""mypy and pyright, each run once over every example of the documentation and over a consumer of each public name."""

import ast
import re
from pathlib import Path

import pytest
from tests.typed.documented import checked, examples, module, pages

import specfn
from specfn import calling

CONSUMER = Path(__file__).parent / "consumer.py"

#: Calls that a type checker must refuse: each line has one mistake.
MISTAKES = """
import specfn
from specfn import calling
async def later(request: dict[str, object]) -> dict[str, object]: return request
specfn.Options(kyword=True)
specfn.Options(methods=["get"])
specfn.Connection(base_ulr="https://h")
calling.InvocationConfig(max_round=1)
calling.Auto(function=[])
specfn.load("x", option=None)
calling.run(specfn.load("x"), lambda request: request, conector="openai")
calling.Session(specfn.load("x"), connector="openai", message="x")
specfn.load("x").execute("f", stream=True).data
next(specfn.load("x").execute("f"))
specfn.execute(specfn.load("x")["f"], stream="yes")
specfn.load("x").execute("f", stream=True).__next__().text
calling.run(specfn.load("x"), later, connector="openai", messages="x")
""".lstrip()


@pytest.fixture(scope="module")
def reports(
    tmp_path_factory: pytest.TempPathFactory, root: Path, request: pytest.FixtureRequest
) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("typed")
    for page in pages(root):
        (folder / f"{page.stem.lower()}_page.py").write_text(
            module(page, live=False), encoding="utf-8"
        )
    (folder / "consumer.py").write_text(CONSUMER.read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "mistakes.py").write_text(MISTAKES, encoding="utf-8")
    kept = getattr(request.config, "cache", None)  # absent with "-p no:cacheprovider"
    return checked(folder, kept.mkdir("typed") if kept else tmp_path_factory.mktemp("cache"))


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_the_documentation_and_a_consumer_are_typed(checker: str, reports: dict[str, str]) -> None:
    """A strict type checker accepts every example and every use of a public name, and refuses each mistake."""
    faults = [
        line for line in reports[checker].splitlines() if ": error:" in line or " - error:" in line
    ]
    mistakes = [line for line in faults if "mistakes.py" in line]
    assert [line for line in faults if line not in mistakes] == [], reports[checker]
    found = {int(line) for each in mistakes for line in re.findall(r"mistakes\.py:(\d+)", each)}
    assert found == set(range(4, len(MISTAKES.splitlines()) + 1)), reports[checker]


def test_every_example_is_found(root: Path) -> None:
    """Every fence of Python in the documentation is an example that is checked, or a recipe of ``tests/live/test_recipes.py``."""
    for page in (root / "README.md", *(root / "docs").rglob("*.md")):
        fences = re.findall(r"(?m)^\s*```\s*(python|py)\b", page.read_text(encoding="utf-8"))
        assert fences.count("python") == len(examples(page)), page.name
        assert "py" not in fences or page.name == "frameworks.md"


def test_the_consumer_uses_every_public_name() -> None:
    """The consumer refers to each name of ``specfn`` and of ``specfn.calling``."""
    tree = ast.parse(CONSUMER.read_text(encoding="utf-8"))
    used = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert {f"specfn.{name}" for name in specfn.__all__} - used == set()
    assert {f"calling.{name}" for name in calling.__all__} - used == set()
