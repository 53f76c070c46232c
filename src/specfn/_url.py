"""URLs for people to read."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import logging

#: What stands before the host; clients read a backslash as a slash.
_USERINFO = re.compile(r"\A([^/\\]*[/\\]{2})[^/\\]*@")


def shown(url: str) -> str:
    """A URL without user, password, query and fragment: they may be secret."""
    return _USERINFO.sub(r"\1", re.split(r"[?#]", url, maxsplit=1)[0])


class HiddenQuery:
    """A mark for URLs whose query is kept out of logs: an API key may be in it."""


def hide_queries_in_log() -> None:
    """Keep the queries of marked URLs out of the log of httpx, which writes whole URLs; other records stay."""
    import logging  # noqa: PLC0415  # only who sends with httpx's own client needs it

    logging.getLogger("httpx").addFilter(_hide_queries)


def _hide_queries(record: "logging.LogRecord") -> bool:
    if isinstance(record.args, tuple):
        record.args = tuple(
            shown(str(each)) if isinstance(each, HiddenQuery) else each for each in record.args
        )
    return True
