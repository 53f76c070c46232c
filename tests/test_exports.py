"""The names that packages export, after every module was imported."""

import pkgutil
import subprocess
import sys
from importlib import import_module
from types import ModuleType

import pytest

import specfn

PACKAGES = ["specfn", "specfn.bulk", "specfn.calling", "specfn.connectors"]

#: The names of ``specfn`` that are modules.
MODULES = {"calling", "choice", "connectors", "errors", "human"}

#: Imports every module first, then reads and uses each exported name, as a long-lived process would.
PROGRAM = """
import importlib, pkgutil, types, sys
import specfn
for module in pkgutil.walk_packages(specfn.__path__, "specfn."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
for name in sys.argv[1:]:
    package = importlib.import_module(name)
    for exported in package.__all__:
        print(name, exported, isinstance(getattr(package, exported), types.ModuleType))
from specfn import connectors
print(connectors.codec("openai").name, connectors.profile("openai").name)
print(connectors.codec("anthropic").name)
"""


def test_no_module_shadows_an_exported_name() -> None:
    """Each exported name is the same object after every module was imported: a function stays a function."""
    command = [sys.executable, "-c", PROGRAM, *PACKAGES]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    *rows, first, second = [line.split() for line in done.stdout.splitlines()]
    modules = {name for package, name, is_module in rows if is_module == "True"}
    assert modules == MODULES
    assert (first, second) == (["openai", "openai"], ["anthropic"])


@pytest.mark.parametrize(
    "package", [m.name for m in pkgutil.walk_packages(specfn.__path__, "specfn.") if m.ispkg]
)
def test_no_module_has_the_name_of_an_exported_function(package: str) -> None:
    """A submodule would replace a function of its name as soon as it is imported."""
    found = import_module(package)
    exported = [
        name
        for name in getattr(found, "__all__", ())
        if not isinstance(getattr(found, name), ModuleType)
    ]
    submodules = {module.name for module in pkgutil.iter_modules(found.__path__)}
    assert not submodules.intersection(exported)
