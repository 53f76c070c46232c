"""The import of a framework."""

from importlib import import_module
from typing import Any

from specfn.errors import UsageError


def framework(module: str, package: str) -> Any:
    """Import a module of a framework.

    Args:
        module: the module.
        package: the package that has to be installed.

    Raises:
        UsageError: the framework is not installed; with the command that installs it.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        root = module.partition(".")[0]
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        raise UsageError(
            f"the module {root!r} is not installed; install it with: pip install {package}"
        ) from error
