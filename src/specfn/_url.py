"""URLs for people to read."""

import re

#: What stands before the host; clients read a backslash as a slash.
_USERINFO = re.compile(r"\A([^/\\]*[/\\]{2})[^/\\]*@")


def shown(url: str) -> str:
    """A URL without user, password, query and fragment: they may be secret."""
    return _USERINFO.sub(r"\1", re.split(r"[?#]", url, maxsplit=1)[0])
