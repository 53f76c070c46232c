"""A check of calls that is sent to other processes and machines."""

import os
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from specfn import api
from specfn._internal.digest import digest
from specfn._internal.json import JsonObject, dumps_sorted
from specfn.bulk.rows import ADDED, RowChecker, json_text
from specfn.document.overlay import OverlaySource
from specfn.errors import DocumentError, UsageError
from specfn.settings import Settings

if TYPE_CHECKING:
    from specfn.application.application import Application
    from specfn.options import Options

#: The columns that are JSON text in a batch.
_TEXTS: Final = frozenset({"data", "repairs", "errors"})

#: The checks of this process by their source. A framework may unpickle the same checker for each batch.
_MAX_LOADED: Final = 4
_loaded: OrderedDict[tuple[str, str], RowChecker] = OrderedDict()
_lock: Final = Lock()


class Checker:
    """A check of batches of calls that can be pickled.

    A pickle contains the path or the text of the document, the options, the headers and the fingerprint. Each process
    that uses the checker loads the document once, and compiles each function on its first use.

    Call a checker with a dict of columns: ``name`` and ``arguments`` (texts or objects). It returns a dict with these
    columns and ``valid``, ``function``, ``data``, ``repairs``, ``errors`` and ``feedback``. ``data``, ``repairs`` and
    ``errors`` are JSON texts, so that each column has one type.

    Attributes:
        spec: the document, as for ``specfn.load``. A path is absolute.
        options: the options of the conversion.
        overlays: changes of the document, as for ``specfn.load``. Paths are absolute.
        headers: headers for the origin of a URL, as for ``specfn.load``.
        fingerprint: a digest of the complete document and of the options.
    """

    def __init__(
        self,
        spec: str | Path | bytes | JsonObject,
        options: "Options | None" = None,
        *,
        fingerprint: str | None = None,
        overlays: Sequence[OverlaySource] = (),
        headers: Mapping[str, str] = {},
    ) -> None:
        """Load the document, unless its fingerprint is known.

        Args:
            spec: a path, a URL, the text as bytes, or the document as a dict.
            options: how to convert; see ``specfn.Options``.
            fingerprint: ``fingerprint`` of another checker. The document is then loaded on first use.
            overlays: as for ``specfn.load``.
            headers: as for ``specfn.load``; a pickle of the checker contains them as plain text.

        Raises:
            DocumentError: the document cannot be read.
        """
        self.spec = _absolute(spec)
        self.options = options
        self.overlays = tuple(map(_absolute, overlays))
        self.headers = dict(headers)
        self.fingerprint = fingerprint or self._load()

    def __repr__(self) -> str:
        spec = self.spec if isinstance(self.spec, str | Path) else type(self.spec).__name__
        return f"<Checker of {spec}, {self.fingerprint[:12]}>"

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, Any]:
        """Check a batch of calls.

        Raises:
            DocumentError: the document changed since the checker was created.
            UsageError: the columns are not of one length.
        """
        columns = {name: _values(column) for name, column in batch.items()}
        if len({len(column) for column in columns.values()}) > 1:
            raise UsageError("the columns of a batch must have the same length")
        rows = self.rows()
        checked = [rows.check(dict(row)) for row in _rows(columns)]
        kept = {name: column for name, column in batch.items() if name not in ADDED}
        return kept | {name: [_cell(name, row[name]) for row in checked] for name in ADDED}

    def rows(self) -> RowChecker:
        """Return the check of single rows; the document is loaded on first use in a process.

        Raises:
            DocumentError: the document cannot be read, or changed since the checker was created.
        """
        with _lock:
            if self._key not in _loaded:
                fingerprint = self._load()
                if fingerprint != self.fingerprint:
                    raise DocumentError(
                        f"the document changed since the job began: its fingerprint is {fingerprint}, not "
                        f"{self.fingerprint}; restore the document, or begin again"
                    )
            _loaded.move_to_end(self._key)
            return _loaded[self._key]

    @property
    def _key(self) -> tuple[str, str]:
        place = str(self.spec) if isinstance(self.spec, str | Path) else ""
        return place, self.fingerprint

    def _load(self) -> str:
        """Load the document, keep its check if it has the expected fingerprint, and return its fingerprint."""
        app = api.load(
            self.spec, options=self.options, overlays=self.overlays, headers=self.headers
        )
        fingerprint = fingerprint_of(app)
        self.fingerprint = getattr(self, "fingerprint", fingerprint)
        if fingerprint == self.fingerprint:
            _loaded[self._key] = RowChecker(app)
            while len(_loaded) > _MAX_LOADED:
                _loaded.popitem(last=False)
        return fingerprint


def fingerprint_of(app: "Application") -> str:
    """Return a digest of a complete document and of its options, without composing any schema."""
    return digest(dumps_sorted([digest(dumps_sorted(app.document)), _options(app.settings)]))


def _options(settings: Settings) -> list[str]:
    """Return each option as a text that is equal in each process."""
    return [f"{name}={_option(value)}" for name, value in settings._asdict().items()]


def _option(value: Any) -> str:
    """Return an option as text. A function counts with its name."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_option, value))})"
    if isinstance(value, frozenset | set):
        return f"({', '.join(sorted(map(_option, value)))})"
    return str(getattr(value, "__qualname__", type(value))) if callable(value) else repr(value)


def _absolute(spec: Any) -> Any:
    """Return a path as an absolute path, because another process may have another working directory."""
    is_path = isinstance(spec, Path) or (isinstance(spec, str) and "://" not in spec)
    return type(spec)(os.path.abspath(spec)) if is_path else spec  # noqa: PTH100  # keeps the type of a text


def _values(column: Any) -> list[Any]:
    """Return a column as a list of Python values; numpy, pandas and Arrow have a method for it."""
    to_list = getattr(column, "tolist", None)
    return list(column) if to_list is None else to_list()


def _rows(columns: Mapping[str, list[Any]]) -> Iterator[dict[str, Any]]:
    for values in zip(*columns.values(), strict=True):
        yield dict(zip(columns, values, strict=True))


def _cell(name: str, value: Any) -> Any:
    return json_text(value).decode() if name in _TEXTS else value
