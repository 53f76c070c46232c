"""Reloading of documents and of their configuration while they are served: ``specfn serve --watch``."""

import logging
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from specfn._internal.logs import one_line_log
from specfn.cli.errors import in_options
from specfn.errors import SpecfnError

if TYPE_CHECKING:
    from specfn.http.connection import Connection
    from specfn.mcp.live import LiveServer
    from specfn.tools.function_set import Catalog

#: The seconds between two looks. A file that changes between them is still being written.
_LOOK_SECONDS: Final = 0.5
_URL_SECONDS: Final = 60.0

_log: Final = one_line_log("specfn.watch")


@dataclass(frozen=True, slots=True)
class Source:
    """The functions that load a server, and the files that it depends on.

    Attributes:
        read: returns the configuration.
        load: returns a server of a configuration, its functions with their connections, and their documents.
        places: returns the paths and URLs that a configuration comes from and refers to.
    """

    read: Callable[[], Any]
    load: Callable[[Any], tuple["LiveServer", "Catalog", list[Any]]]
    places: Callable[[Any], list[str]]


async def watch(
    server: "LiveServer",
    source: Source,
    content: tuple[Any, list[Any]],
    served: Sequence[Any],
    connections: "list[Connection]",
) -> None:
    """Serve what a server comes from anew each time that it has changed. It never ends.

    If it cannot be loaded, the functions stay as they are, and the log has the reason.

    Args:
        server: the server.
        source: where it comes from.
        content: the configuration and the documents that are served.
        served: the result of ``stamps`` from before they were loaded.
        connections: the connections that are served; they are replaced, too.
    """
    import anyio  # noqa: PLC0415  # slow import, which the help does not need

    _log.setLevel(logging.INFO)
    places = source.places(content[0])
    before, last = stamps(places), time.monotonic()
    while True:
        await anyio.sleep(_LOOK_SECONDS)
        now = stamps(places)
        has_urls = any("://" in place for place in places)
        is_due = has_urls and time.monotonic() - last >= _URL_SECONDS
        is_stable, before = now == before, now
        if not is_stable or (now == served and not is_due):
            continue
        served, last = now, time.monotonic()
        try:
            config = await anyio.to_thread.run_sync(source.read)
            if (
                source.places(config) != places
            ):  # also if it cannot be loaded, because a file is missing
                places = source.places(config)
                served = before = stamps(places)
            changed, catalog, documents = await anyio.to_thread.run_sync(source.load, config)
            if (config, documents) == content:
                continue
            await server.become(changed)
        except SpecfnError as error:
            # the reason is enough: it is no defect
            _log.error("%s; the functions stay as they were", in_options(str(error)))
        except Exception:  # noqa: BLE001  # a defect of this library does not end the server
            _log.exception("the documents could not be reloaded; the functions stay as they were")
        else:
            content = config, documents
            connections[:] = [part[2] for part in catalog.parts if part[2] is not None]
            _log.info("reloaded: %d functions", len(catalog.entries))


def stamps(places: Sequence[str]) -> list[tuple[int, int, int] | None]:
    """Return what changes with the content of each file; ``None`` for a missing file and a URL."""
    return [None if "://" in place else _stamp(place) for place in places]


def _stamp(file: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(file)  # noqa: PTH116  # a path, not an object of it
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
