"""Format checks of the OpenAPI 3.0 metaschema."""

from functools import cache
from typing import Any


@cache
def _format(name: str) -> Any:
    import jsonschema_rs  # noqa: PLC0415 - 24 ms that only a document with such texts pays

    return jsonschema_rs.Draft4Validator({"format": name}, offline=True, validate_formats=True)


def is_format(name: str, text: str) -> bool:
    """Return whether a text has the format ``regex`` (ECMA-262), ``email`` or ``uri``, as validators judge."""
    return bool(_format(name).is_valid(text))
