"""What a text or an object is that is no OpenAPI document, and what to do about it.

Whoever names a wrong file wants to hear which one it was. All tables: how files of other kinds begin, and
which keys documents of other kinds have.
"""

import re
from typing import Any, Final, NamedTuple

from specfn._json import JsonObject
from specfn._pointer import join

#: How much of a text is looked at.
_HEAD: Final = 4096

_UNPACK: Final = "unpack it first"
_RAW: Final = "use the address of the raw JSON or YAML"
_CONVERT: Final = "convert it to OpenAPI first"
_OTHER: Final = "specfn reads descriptions of HTTP APIs"
_FILE: Final = "use the JSON or YAML file"

#: How files begin that are no text at all: what they are, and what to do.
_BINARY: Final = (
    (b"\x1f\x8b", "gzip data", _UNPACK),
    (b"PK\x03\x04", "a ZIP archive", _UNPACK),
    (b"BZh", "bzip2 data", _UNPACK),
    (b"\xfd7zXZ", "xz data", _UNPACK),
    (b"\x28\xb5\x2f\xfd", "Zstandard data", _UNPACK),
    (b"%PDF-", "a PDF", _FILE),
    (b"\x89PNG", "an image", _FILE),
)

#: How texts begin that are written in another language.
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
    (r"/[/*]", "a comment that begins with /", "JSON and YAML have none of that kind; remove it"),
)

#: Spaces and comments before what counts; RAML says what it is in one.
_BEFORE: Final = re.compile(rb"(?:\s|#(?!%RAML)[^\n]*)*")


class Kind(NamedTuple):
    """A kind of document that specfn does not read.

    Attributes:
        keys: where one of these leads to a value that fits, it is that kind: keys from the root on.
        value: a pattern of that value's text; everything fits an empty one.
        what: what it is.
        do: what to do.
    """

    keys: tuple[str, ...]
    value: str
    what: str
    do: str


_KINDS: Final = (
    Kind(("asyncapi",), "", "an AsyncAPI document", _OTHER),
    Kind(("arazzo",), "", "an Arazzo document", "use the OpenAPI document that it speaks of"),
    Kind(("overlay",), "", "an Overlay document", "apply it to its OpenAPI document first"),
    Kind(("swaggerVersion",), "", "a Swagger 1.x document", _CONVERT),
    Kind(("info", "_postman_id"), "", "a Postman collection", _CONVERT),
    Kind(("info", "schema"), "getpostman", "a Postman collection", _CONVERT),
    Kind(("collection", "info", "schema"), "getpostman", "a Postman collection", _CONVERT),
    Kind(("__export_format",), "", "an Insomnia export", _CONVERT),
    Kind(("data", "__schema"), "", "a GraphQL introspection", _OTHER),
    Kind(("__schema",), "", "a GraphQL introspection", _OTHER),
    Kind(("kind",), "discovery#", "a Google API discovery document", _CONVERT),
    Kind(("log", "entries"), "", "an HTTP archive (HAR)", _OTHER),
    Kind(("$schema",), "", "a JSON Schema", "use the OpenAPI document that it belongs to"),
)

#: The keys whose value is the version of another language.
_NAMED: Final = frozenset({"asyncapi", "arazzo", "overlay", "swaggerVersion"})

#: The keys that say which version of which language a document is in.
_VERSIONS: Final = ("openapi", "swagger")


def text(data: bytes) -> str | None:
    """What a text is, if its beginning says that it is no document; ``None`` where it does not."""
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


class Found(NamedTuple):
    """What was found in place of a document.

    Attributes:
        told: what it is and what to do.
        pointer: where.
    """

    told: str
    pointer: str = ""


def document(members: JsonObject) -> Found:
    """What an object is that is no OpenAPI document of a known version."""
    for version in _VERSIONS:
        if version in members:
            told = f"it says {version}: {str(members[version])[:40]!r}"
            return Found(f"{told}; correct the version, or convert the document", f"/{version}")
    for kind in _KINDS:
        value = _at(members, kind.keys)
        if value is not None and re.search(kind.value, str(value)[:_HEAD]):
            said = f" (it says {str(value)[:40]!r})" if kind.keys[0] in _NAMED else ""
            return Found(f"it is {kind.what}{said}; {kind.do}", join(kind.keys))
    return _nameless(members)


def _at(node: Any, keys: tuple[str, ...]) -> Any:
    for key in keys:
        node = node.get(key) if isinstance(node, dict) else None
    return node


def _nameless(members: JsonObject) -> Found:
    """What is said of an object that has no key with a version."""
    for key, value in members.items():
        if key.lower() in _VERSIONS:
            return Found(f"it says {key!r}; write {key.lower()}", join((key,)))
        if isinstance(value, dict) and any(version in value for version in _VERSIONS):
            return Found("the document is one of its members; take it out", join((key,)))
    if "paths" in members:
        return Found("it has paths and no version; add the key openapi (or swagger: '2.0')")
    keys = ", ".join(repr(key[:40]) for key in list(members)[:5])
    return Found(f"its first keys are {keys}" if keys else "it is empty")
