import pickle
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import specfn
from specfn.records import ArgumentProblem

#: The names of the contract that exist.
NAMES = (
    "Application Connection Failure Function InvocationConfig OAuth2 Options Result Success aexecute apropagate calling "
    "choice compare connectors downgrade errors execute from_asgi human load loads merge normalize propagate request "
    "ArgumentError DocumentError HTTPStatusError LimitError ResponseError SpecfnError TransportError "
    "UnknownFunctionError UsageError"
).split()

#: What a type checker must know of each of some names.
TYPED = """
import specfn
reveal_type(specfn.load)
reveal_type(specfn.load("x").functions)
reveal_type(specfn.loads("x")["y"].validate(0))
reveal_type(specfn.normalize({}))
reveal_type(specfn.errors.DocumentError("x").pointer)
reveal_type(specfn.DocumentError("x").reason)
reveal_type(specfn.load("https://h", headers={"X": "y"}, auth=("u", "p")))
reveal_type(specfn.execute)
specfn.Nope
from specfn import Missing
"""


def test_the_door_is_small_and_sorted() -> None:
    """At most 35 names, in code point order, and those of the contract."""
    assert specfn.__all__ == sorted(NAMES)
    assert len(specfn.__all__) <= 35


def test_every_error_is_there() -> None:
    """The base of all errors and every class below it are names of the package."""
    classes = [specfn.SpecfnError]
    for each in classes:
        classes += [kind for kind in each.__subclasses__() if kind.__module__ == "specfn.errors"]
    assert {kind.__name__ for kind in classes} == {name for name in NAMES if name.endswith("Error")}
    assert all(getattr(specfn, kind.__name__) is kind for kind in classes)


def test_an_error_of_a_response_holds_all_of_it() -> None:
    """``ResponseError`` is made of the result and of every problem."""
    result = specfn.Result(status=200, data=[])
    error = specfn.ResponseError(result, [ArgumentProblem(path="$output", expected="object")])
    assert error.result is result
    assert [problem.path for problem in error.problems] == ["$output"]


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_there(name: str) -> None:
    """Each name resolves, stays the same object, and is the one that its home calls so."""
    value = getattr(specfn, name)
    assert getattr(specfn, name) is value
    assert getattr(value, "__name__", name).rpartition(".")[2] == name


def test_dir_lists_names_before_they_are_used() -> None:
    """Completion shows the whole door although nothing was imported yet."""
    code = "import specfn; print(*dir(specfn))"
    listed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert set(NAMES) <= set(listed.stdout.split())


def test_an_unknown_name_is_an_attribute_error() -> None:
    """What is not at the door fails as it does with any module."""
    with pytest.raises(AttributeError, match="module 'specfn' has no attribute 'Nope'"):
        _ = specfn.Nope  # type: ignore[attr-defined]


def test_a_star_brings_all_names() -> None:
    """``from specfn import *`` gives the door, and nothing else."""
    names: dict[str, object] = {}
    exec("from specfn import *", names)
    assert set(names) - {"__builtins__"} == set(NAMES)


def test_classes_of_the_door_pickle() -> None:
    """A class is found again by its home, whatever way it was imported."""
    for name in ("Options", "Success", "Failure", "Result"):
        value = getattr(specfn, name)
        assert pickle.loads(pickle.dumps(value)) is value


def test_the_version_is_that_of_the_package(root: Path) -> None:
    """``__version__`` is the only place of the version, from which the packaging reads it."""
    declared = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" in declared["project"]["dynamic"]
    assert "version" not in declared["project"]
    home = root / declared["tool"]["hatch"]["version"]["path"]
    assert re.findall(r'^__version__ = "(.*)"$', home.read_text("utf-8"), re.MULTILINE) == [
        specfn.__version__
    ]


def test_a_type_checker_sees_the_door_exactly(tmp_path: Path) -> None:
    """Types are exact through the lazy door, and a misspelled name is reported."""
    (tmp_path / "used.py").write_text(TYPED)
    (tmp_path / "mypy.ini").write_text(
        "[mypy]\nstrict = true\n"
        "[mypy-httpx.*,pydantic.*,jsonschema_rs.*,jsonref.*,yaml.*]\nfollow_imports = skip\n"
    )
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", "used.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    told = checked.stdout.replace("builtins.", "")
    for expected in (
        'Revealed type is "def (source: ',
        '-> specfn.application.application.Application"',
        'Revealed type is "specfn.tools.function_set.NamedFunctions"',
        "specfn.validation.outcome.Success",
        "specfn.validation.outcome.Failure",
        'Revealed type is "dict[str, Any]"',
        'Revealed type is "str"',
        "-> specfn.http.response.response.Result",
        'Module has no attribute "Nope"',
        'Module "specfn" has no attribute "Missing"',
    ):
        assert expected in told, told
