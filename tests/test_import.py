import json
import subprocess
import sys
from pathlib import Path

import pytest

#: What costs more to import than most documents cost to convert.
HEAVY = (
    "asyncio concurrent.futures email.parser fastapi h11 http.client httpcore httpx importlib.metadata "
    "jsonref jsonschema jsonschema_rs openapi_spec_validator pydantic referencing rich socket ssl "
    "urllib.request"
).split()


def _imported(code: str, *arguments: str) -> set[str]:
    """The modules that a fresh interpreter has after some code, besides those it has without."""
    report = "import sys, json; print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    started, ended = (
        subprocess.run(
            [sys.executable, "-c", f"{each}\n{report}", *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=True,
        ).stderr
        for each in ("", code)
    )
    return set(json.loads(ended)) - set(json.loads(started))


#: The modules of ``import specfn``.
LAZY = {"specfn", "specfn._internal", "specfn._internal.lazy_names"}


def test_importing_imports_nothing() -> None:
    """``import specfn`` imports the helper for lazy names, and nothing else."""
    assert _imported("import specfn") == LAZY


@pytest.mark.parametrize(
    "name", ["errors", "Success", "normalize", "load", "Application", "Function"]
)
def test_a_name_brings_what_it_needs(name: str) -> None:
    """Reading a document and validating need no HTTP client, no pydantic and no second validator."""
    imported = _imported(f"import specfn; specfn.{name}")
    assert not imported.intersection(HEAVY)


def test_errors_bring_nothing_else() -> None:
    """Who only catches errors pays for these only."""
    assert {
        name for name in _imported("import specfn; specfn.errors") if name.startswith("specfn")
    } == {*LAZY, "specfn.errors"}


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (("tools", "fixtures/petstore20.json"), ("jsonschema_rs", "socket")),
        (("tools", "fixtures/groups.yaml"), ("jsonschema_rs", "socket")),
        (("show", "fixtures/petstore20.json", "pets_get"), ("jsonschema_rs", "socket")),
        (("inspect", "fixtures/petstore20.json", "--json"), ("jsonschema_rs", "socket")),
        (("inspect", "fixtures/petstore20.json"), ("jsonschema_rs", "rich", "socket")),
        (("--help",), ()),
    ],
    ids=" ".join,
)
def test_a_command_imports_what_it_uses(
    root: Path, arguments: tuple[str, ...], wanted: tuple[str, ...]
) -> None:
    """No subcommand pays for the imports of another."""
    code = "import sys; from specfn.cli.main import run; assert run(sys.argv[1:]) == 0"
    paths = [str(root / part) if part.startswith("fixtures/") else part for part in arguments]
    imported = _imported(code, *paths)
    assert not imported.intersection(HEAVY).difference(wanted)
