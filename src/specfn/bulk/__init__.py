"""Checks of many calls: a stream, a file, or batches of a distributed engine.

Names of this module are imported on first use.
"""

TYPE_CHECKING = False

if TYPE_CHECKING:
    from specfn.bulk.checker import Checker
    from specfn.bulk.file import check_file
    from specfn.bulk.rows import Counts, check_calls
else:
    from specfn._internal.lazy_names import lazy_names

    _HOMES = {
        "Checker": "specfn.bulk.checker",
        "Counts": "specfn.bulk.rows",
        "check_calls": "specfn.bulk.rows",
        "check_file": "specfn.bulk.file",
    }

    __getattr__, __dir__ = lazy_names(globals(), _HOMES)


__all__ = ["Checker", "Counts", "check_calls", "check_file"]
