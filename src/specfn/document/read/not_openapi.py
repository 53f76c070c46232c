"""Recognition of texts and objects that are not OpenAPI documents, with advice.

An error names the format of the wrong file. The tables list how files of other formats begin, and the keys of
documents in other formats.
"""

import re
from typing import Any, Final, NamedTuple

from specfn._internal.json import JsonObject
from specfn._internal.pointer import join

#: How many bytes of a text are inspected.
_HEAD: Final = 4096

_UNPACK: Final = "unpack it first"
_RAW: Final = "use the address of the raw JSON or YAML"
_CONVERT: Final = "convert it to OpenAPI first"
_OTHER: Final = "specfn reads descriptions of HTTP APIs"
_FILE: Final = "use the JSON or YAML file"

#: The first bytes of binary files: the format, and the advice.
_BINARY: Final = (
    (b"\x1f\x8b", "gzip data", _UNPACK),
    (b"PK\x03\x04", "a ZIP archive", _UNPACK),
    (b"BZh", "bzip2 data", _UNPACK),
    (b"\xfd7zXZ", "xz data", _UNPACK),
    (b"\x28\xb5\x2f\xfd", "Zstandard data", _UNPACK),
    (b"%PDF-", "a PDF", _FILE),
    (b"\x89PNG", "an image", _FILE),
)

#: The beginnings of texts in other languages.
_LANGUAGES: Final = (
    (r"<(?i:!doctype html|html)\b", "an HTML page", _RAW),
    (r"<", "HTML or XML", _RAW),
    (r"#%RAML\b", "a RAML document", _CONVERT),
    (r"FORMAT: *1A\b", "an API Blueprint", _CONVERT),
    (r'"""|schema\s*(@|\{)|directive\s+@', "a GraphQL schema", _OTHER),
    (r"(extend\s+)?(type|interface|input|enum)\s+\w+[^:\n]*\{", "a GraphQL schema", _OTHER),
    (r"(union\s+\w+\s*=|scalar\s+\w+\s*$)", "a GraphQL schema", _OTHER),
    (r'(syntax|edition)\s*=\s*"', "a Protocol Buffers file", _CONVERT),
    (r"version https://git-lfs\.", "a pointer of Git LFS", "fetch the file with git lfs pull"),
    (r"(module\.)?exports\b|window\.|(export|import|const|var|let)\s", "a program", _FILE),
    (r"[\w.$]+\(\s*[\{\[]", "a program", _FILE),
    (
        r"/[/*]",
        "a comment that begins with /",
        "JSON and YAML do not allow such comments; remove it",
    ),
)

#: Spaces and comments before the first token. A RAML document declares itself in a comment.
_BEFORE: Final = re.compile(rb"(?:\s|#(?!%RAML)[^\n]*)*")


class ForeignFormat(NamedTuple):
    """A document format that specfn does not read.

    Attributes:
        keys: the keys from the root to the value that identifies the format.
        value: a pattern of that value's text. The empty pattern matches any value.
        what: the name of the format.
        do: the advice for the caller.
    """

    keys: tuple[str, ...]
    value: str
    what: str
    do: str


_KINDS: Final = (
    ForeignFormat(("asyncapi",), "", "an AsyncAPI document", _OTHER),
    ForeignFormat(
        ("arazzo",), "", "an Arazzo document", "use the OpenAPI document that it refers to"
    ),
    ForeignFormat(
        ("overlay",), "", "an Overlay document", "apply it to its OpenAPI document first"
    ),
    ForeignFormat(("swaggerVersion",), "", "a Swagger 1.x document", _CONVERT),
    ForeignFormat(("info", "_postman_id"), "", "a Postman collection", _CONVERT),
    ForeignFormat(("info", "schema"), "getpostman", "a Postman collection", _CONVERT),
    ForeignFormat(("collection", "info", "schema"), "getpostman", "a Postman collection", _CONVERT),
    ForeignFormat(("__export_format",), "", "an Insomnia export", _CONVERT),
    ForeignFormat(("data", "__schema"), "", "a GraphQL introspection", _OTHER),
    ForeignFormat(("__schema",), "", "a GraphQL introspection", _OTHER),
    ForeignFormat(("kind",), "discovery#", "a Google API discovery document", _CONVERT),
    ForeignFormat(("log", "entries"), "", "an HTTP archive (HAR)", _OTHER),
    ForeignFormat(("$schema",), "", "a JSON Schema", "use the OpenAPI document that it belongs to"),
)

#: The keys whose value is the version of the other format.
_NAMED: Final = frozenset({"asyncapi", "arazzo", "overlay", "swaggerVersion"})

#: The keys that declare the version of an OpenAPI document.
_VERSIONS: Final = ("openapi", "swagger")


def text(data: bytes) -> str | None:
    """Return an error text if the beginning of a text shows another format, else ``None``."""
    head = data[:_HEAD]
    for begin, what, do in _BINARY:
        if head.startswith(begin):
            return _instead(what, do)
    before = _BEFORE.match(head)
    start = head[before.end() if before else 0 :].decode("utf-8", "replace")
    for pattern, what, do in _LANGUAGES:
        if re.match(pattern, start, re.MULTILINE):
            return _instead(what, do)
    return _instead("binary data", _FILE) if b"\0" in head else None


def _instead(what: str, do: str) -> str:
    return f"found {what} instead of an OpenAPI document; {do}"


class NotOpenAPI(NamedTuple):
    """An object that is not an OpenAPI document.

    Attributes:
        reason: the format that was found, and the advice.
        pointer: the location that identifies it.
    """

    reason: str
    pointer: str = ""


def document(members: JsonObject) -> NotOpenAPI:
    """Recognize an object that is not an OpenAPI document of a supported version."""
    for version in _VERSIONS:
        if version in members:
            reason = f"it declares {version}: {str(members[version])[:40]!r}"
            return NotOpenAPI(
                f"{reason}; correct the version, or convert the document", f"/{version}"
            )
    for kind in _KINDS:
        value = _at(members, kind.keys)
        if value is not None and re.search(kind.value, str(value)[:_HEAD]):
            version = f" (version {str(value)[:40]!r})" if kind.keys[0] in _NAMED else ""
            return NotOpenAPI(f"it is {kind.what}{version}; {kind.do}", join(kind.keys))
    return _nameless(members)


def _at(node: Any, keys: tuple[str, ...]) -> Any:
    for key in keys:
        node = node.get(key) if isinstance(node, dict) else None
    return node


def _nameless(members: JsonObject) -> NotOpenAPI:
    """Describe an object without a key that declares a version."""
    for key, value in members.items():
        if key.lower() in _VERSIONS:
            return NotOpenAPI(f"it has the key {key!r}; write {key.lower()}", join((key,)))
        if isinstance(value, dict) and any(version in value for version in _VERSIONS):
            return NotOpenAPI(
                "the document is one of its members; pass that member alone", join((key,))
            )
    if "paths" in members:
        return NotOpenAPI("it has paths but no version; add the key openapi (or swagger: '2.0')")
    keys = ", ".join(repr(key[:40]) for key in list(members)[:5])
    return NotOpenAPI(f"its first keys are {keys}" if keys else "it is empty")
