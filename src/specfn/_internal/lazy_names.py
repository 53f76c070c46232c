"""Names of a module that are imported on first use (PEP 562).

A module calls ``lazy_names`` where type checkers do not look: a visible ``__getattr__`` would make every misspelled
name look correct to them.
"""

TYPE_CHECKING = False  # ``typing`` and ``collections`` take longer to import than everything here

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping


def lazy_names(
    namespace: "dict[str, object]", homes: "Mapping[str, str]", modules: "Collection[str]" = ()
) -> "tuple[Callable[[str], object], Callable[[], list[str]]]":
    """Return the functions ``__getattr__`` and ``__dir__`` of a module.

    Args:
        namespace: the ``globals()`` of the module; each name is added when it is first used.
        homes: the module of each name.
        modules: the names that are modules themselves.
    """

    def get(name: str) -> object:
        home = homes.get(name)
        if home is None:
            module = namespace["__name__"]
            raise AttributeError(f"module {module!r} has no attribute {name!r}", name=name)
        from importlib import import_module  # noqa: PLC0415  # not before a name is used

        module = import_module(home)
        namespace[name] = module if name in modules else getattr(module, name)
        return namespace[name]

    return get, lambda: sorted({*namespace, *homes})
