"""Checks of many calls: a stream, a file, or batches of a distributed engine.

>>> from specfn import bulk
>>> counts = bulk.check_file("openapi.yaml", "calls.jsonl", "checked.jsonl", jobs=4)

Names of this module are imported on first use.
"""

TYPE_CHECKING = False

if TYPE_CHECKING:
    from specfn.bulk.calls import check_calls
    from specfn.bulk.checker import Checker
    from specfn.bulk.counts import Counts
    from specfn.bulk.file import check_file
else:
    _HOMES = {
        "Checker": "checker",
        "Counts": "counts",
        "check_calls": "calls",
        "check_file": "file",
    }

    def __getattr__(name: str) -> object:
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
        from importlib import import_module  # noqa: PLC0415  # not before a name is used

        value = getattr(import_module(f"{__name__}.{home}"), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})


__all__ = ["Checker", "Counts", "check_calls", "check_file"]
