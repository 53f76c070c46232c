"""Whether texts are what the formats of the OpenAPI 3.0 metaschema ask for."""

from functools import cache
from typing import Any


@cache
def _format(name: str) -> Any:
    import jsonschema_rs  # noqa: PLC0415 - 24 ms that only a document with such texts pays

    return jsonschema_rs.Draft4Validator({"format": name}, offline=True, validate_formats=True)


def is_format(name: str, text: str) -> bool:
    """Whether a text is ``regex`` (ECMA-262), ``email`` or ``uri``, as the metaschema's readers judge."""
    return bool(_format(name).is_valid(text))
