"""URLs without secrets, for messages and logs."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import logging

#: The user information before the host. Clients read a backslash as a slash.
_USERINFO = re.compile(r"\A([^/\\]*[/\\]{2})[^/\\]*@")


def shown(url: str) -> str:
    """Return a URL without user, password, query and fragment, which may be secret."""
    return _USERINFO.sub(r"\1", re.split(r"[?#]", url, maxsplit=1)[0])


class HiddenQuery:
    """A mark for URLs whose query must not appear in logs, because it may contain an API key."""


def hide_queries_in_log() -> None:
    """Remove the queries of marked URLs from the log of httpx. Other log records are unchanged."""
    import logging  # noqa: PLC0415  # only for httpx's own client

    logging.getLogger("httpx").addFilter(_hide_queries)


def _hide_queries(record: "logging.LogRecord") -> bool:
    if isinstance(record.args, tuple):
        record.args = tuple(
            shown(str(each)) if isinstance(each, HiddenQuery) else each for each in record.args
        )
    return True
