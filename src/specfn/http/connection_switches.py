"""The switches of a connection in the terms of each interface: Python, the command and the configuration file.

``field`` is the name in ``Connection`` and the key of a document in the file. The command, the file and the texts of errors
read this one table.
"""

import re
from collections.abc import Callable
from typing import Final, NamedTuple


class CallOption(NamedTuple):
    """One switch.

    Attributes:
        field: the field of ``Connection``, and the key in the file.
        option: the option of the command.
        help: its help.
        values: the values; empty if it is true or false.
        flag: the value that the option means, if it is passed without a value.
    """

    field: str
    option: str
    help: str
    values: tuple[str, ...] = ()
    flag: str | None = None


CALL_OPTIONS: Final = (
    CallOption(
        "anonymous", "--anonymous", "Send no credentials, although the document requires them."
    ),
    CallOption(
        "send_all_credentials",
        "--send-all-credentials",
        "Send every credential, also where the document does not ask for it.",
    ),
    CallOption(
        "servers",
        "--all-to-base-url",
        "Send everything to the base URL, although the document declares other servers.",
        ("declared", "base_url"),
        flag="base_url",
    ),
    CallOption(
        "allow_insecure",
        "--allow-insecure",
        "Send credentials over plain http to other machines.",
    ),
    CallOption(
        "redirects",
        "--redirects",
        "Follow redirects within the origin of the API, or to any origin without credentials.",
        ("never", "same-origin", "whole-origin", "any"),
    ),
)

#: The files with certificates, and the proxy: the names of options and of keys.
TRANSPORT: Final = ("ca", "cert", "key", "proxy")

BY_FIELD: Final = {option.field: option for option in CALL_OPTIONS}

#: A switch in a text of the library.
_IN_PYTHON: Final = re.compile(r'Connection\(([a-z_]+)=(?:True|"([a-z_-]+)")\)')


def _option_text(option: CallOption, value: str | None) -> str:
    return option.option if value is None or value == option.flag else f"{option.option} {value}"


def _key_text(option: CallOption, value: str | None) -> str:
    return f"{option.field}: {value or 'true'}"


def _replace(text: str, write: Callable[[CallOption, str | None], str]) -> str:
    def replacement(match: re.Match[str]) -> str:
        option = BY_FIELD.get(match[1])
        return match[0] if option is None else write(option, match[2])

    return _IN_PYTHON.sub(replacement, text)


def with_options(text: str) -> str:
    """Return a text of the library with the options of the command."""
    return _replace(text, _option_text)


def with_keys(text: str) -> str:
    """Return a text of the library with the keys of the configuration file."""
    return _replace(text, _key_text)
