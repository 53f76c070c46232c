"""The configuration file of a server: documents, connections, selections and permissions.

Each error names the file, the line and the key. Secrets are references to environment variables or files.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, NoReturn

import yaml

from specfn._internal.did_you_mean import ask_or_list
from specfn.errors import UsageError
from specfn.http.connection_switches import CALL_OPTIONS, TRANSPORT
from specfn.migrate.parameters.reserved import credential_reason

#: A document's name, which qualifies the names of its functions.
NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")

_VARIABLE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_FILE: Final = "file:"

_SWITCHES: Final = {option.field: option.values for option in CALL_OPTIONS}
_DOCUMENT: Final = [
    *"spec base_url auth headers query cookies origins timeout select references overlays options".split(),
    *"document_headers expect".split(),
    *TRANSPORT,
    *_SWITCHES,
]
_SERVER: Final = (
    "documents mode allow read_only page_size files fields answer_limit output_schema".split()
)

#: Parts of the names of headers and query parameters with secrets.
_SECRET_NAMES: Final = ("auth", "key", "token", "secret", "cookie", "password")


@dataclass(frozen=True, kw_only=True)
class DocumentConfig:
    """A document and its connection.

    Attributes:
        name: qualifies the names of its functions; empty for the only document.
        spec: its path or URL.
        base_url: the URL of the API.
        auth: the credentials by security scheme.
        headers, query, cookies: added to each request.
        origins: more trusted origins.
        timeout: seconds of a call.
        select: patterns of functions; all if empty.
        references: a directory, or origins, from which references to other documents are read.
        overlays: paths or URLs of overlays, in their order.
        document_headers: headers for the server of the document, if it is behind a login.
        expect: the path of a lock; ``None`` for a document without one.
        transport: the files with certificates and the proxy, by the names of ``TRANSPORT``.
        options: fields of ``specfn.Options``.
        switches: the switches of its connection, by field.
    """

    name: str
    spec: str
    base_url: str | None = None
    auth: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    query: Mapping[str, str] = field(default_factory=dict, repr=False)
    cookies: Mapping[str, str] = field(default_factory=dict, repr=False)
    origins: tuple[str, ...] = ()
    timeout: float | None = None
    select: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    overlays: tuple[str, ...] = ()
    document_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    expect: str | None = None
    transport: Mapping[str, str] = field(default_factory=dict, repr=False)
    options: Mapping[str, Any] = field(default_factory=dict)
    switches: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ServerConfig:
    """The documents and permissions of a server.

    Attributes:
        documents: the documents.
        mode: the tools that are listed.
        allow: the calls that need no approval, besides functions that read.
        read_only: offer only functions that read.
        page_size: the maximum number of tools of a page.
        files: the directory for binary responses.
        fields: models may ask for fields of responses.
        answer_limit: the maximum number of characters of a response that a model reads.
        output_schema: the tools declare the schemas of responses.
        variables: the environment variables that it refers to.
    """

    documents: tuple[DocumentConfig, ...]
    mode: str | None = None
    allow: tuple[str, ...] = ()
    read_only: bool = False
    page_size: int | None = None
    files: str | None = None
    fields: bool = False
    answer_limit: int | None = None
    output_schema: bool = False
    variables: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReferencedValues:
    """The values that a configuration may refer to.

    Attributes:
        variables: the environment.
        read: reads a text file, by its path as the configuration writes it; raises ``OSError``.
    """

    variables: Mapping[str, str]
    read: Callable[[str], str]


def parse(text: str, file: str, references: ReferencedValues) -> ServerConfig:
    """Return the configuration that the YAML text of a file declares, with the values of its secrets.

    Raises:
        UsageError: the text is invalid; with the file, the line and the key.
    """
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = "" if mark is None else f":{mark.line + 1}:{mark.column + 1}"
        raise UsageError(
            f"{file}{where}: invalid YAML: {getattr(error, 'problem', error)}"
        ) from None
    except RecursionError:
        raise UsageError(f"{file}: the values are nested too deeply") from None
    return _ConfigReader(file, references).server(root)


class _ConfigReader:
    """A reader of the nodes of a configuration."""

    def __init__(self, file: str, references: ReferencedValues) -> None:
        self._file = file
        self._references = references
        self._used: dict[str, None] = {}

    def server(self, root: yaml.Node | None) -> ServerConfig:
        if root is None:
            raise UsageError(f"{self._file}: the file is empty; expected the key documents")
        parts = self._members(root, "", _SERVER)
        if "documents" not in parts:
            self._fail(root, "documents", "missing key; add a mapping of names to documents")
        documents = self._members(parts["documents"], "documents", None)
        if not documents:
            self._fail(parts["documents"], "documents", "empty; add at least one document")
        values: dict[str, Any] = {
            name: reader(parts[name], name)
            for name, reader in (
                ("mode", self._read_mode),
                ("allow", self._read_texts),
                ("read_only", self._read_switch),
                ("page_size", self._read_integer),
                ("files", self._read_text),
                ("fields", self._read_switch),
                ("answer_limit", partial(self._read_integer, least=200)),
                ("output_schema", self._read_switch),
            )
            if name in parts
        }
        read = tuple(self._read_document(name, node) for name, node in documents.items())
        return ServerConfig(documents=read, variables=tuple(self._used), **values)

    def _read_document(self, name: str, node: yaml.Node) -> DocumentConfig:
        place = f"documents.{name}"
        if not NAME.fullmatch(name):
            self._fail(
                node,
                place,
                "invalid name of a document; expected only letters, digits and '_'",
            )
        parts = self._members(node, place, _DOCUMENT)
        if "spec" not in parts:
            self._fail(node, f"{place}.spec", "missing key; add the path or URL of the document")
        readers: dict[str, Callable[[yaml.Node, str], Any]] = {
            "spec": self._read_text,
            "base_url": self._read_text,
            "auth": self._read_secrets,
            "headers": self._read_values,
            "query": self._read_values,
            "cookies": self._read_secrets,
            "origins": self._read_texts,
            "timeout": self._read_seconds,
            "select": self._read_texts,
            "references": self._read_texts,
            "overlays": self._read_texts,
            "options": self._read_options,
            "document_headers": self._read_values,
            "expect": self._read_text,
        }
        values = {
            key: readers[key](parts[key], f"{place}.{key}") for key in readers if key in parts
        }
        transport: dict[str, str] = {
            name: (self._read_proxy if name == "proxy" else self._read_text)(
                parts[name], f"{place}.{name}"
            )
            for name in TRANSPORT
            if name in parts
        }
        switches = {
            key: self._read_choice(parts[key], f"{place}.{key}", choices)
            if choices
            else self._read_switch(parts[key], f"{place}.{key}")
            for key, choices in _SWITCHES.items()
            if key in parts
        }
        return DocumentConfig(name=name, switches=switches, transport=transport, **values)

    # -- values ---------------------------------------------------------------------------------------

    def _members(
        self, node: yaml.Node, place: str, known: list[str] | None
    ) -> dict[str, yaml.Node]:
        if not isinstance(node, yaml.MappingNode):
            self._fail(node, place or "the file", "expected a mapping of keys to values")
        members: dict[str, yaml.Node] = {}
        for key, value in node.value:
            name = str(key.value) if isinstance(key, yaml.ScalarNode) else "?"
            where = f"{place}.{name}" if place else name
            if known is not None and name not in known:
                hint = ask_or_list(name, known) or f"; known keys are {', '.join(known)}"
                self._fail(key, where, f"unknown key{hint}")
            if name in members:
                self._fail(key, where, "duplicate key; remove one of them")
            members[name] = value
        return members

    def _read_text(self, node: yaml.Node, place: str) -> str:
        value = self._read_scalar(node, place)
        if not isinstance(value, str) or not value:
            self._fail(node, place, "expected a text")
        return value

    def _read_texts(self, node: yaml.Node, place: str) -> tuple[str, ...]:
        if isinstance(node, yaml.ScalarNode):
            return (self._read_text(node, place),)
        if not isinstance(node, yaml.SequenceNode):
            self._fail(node, place, "expected a text or a list of texts")
        return tuple(self._read_text(item, f"{place}[{i}]") for i, item in enumerate(node.value))

    def _read_switch(self, node: yaml.Node, place: str) -> bool:
        value = self._read_scalar(node, place)
        if not isinstance(value, bool):
            self._fail(node, place, "expected true or false")
        return value

    def _read_options(self, node: yaml.Node, place: str) -> dict[str, Any]:
        """Return the validated fields of ``specfn.Options`` that are given."""
        from specfn.options import Options  # noqa: PLC0415  # pydantic is imported on first use

        for name, member in self._members(node, place, None).items():
            if name in ("select", "references"):
                self._fail(
                    member, f"{place}.{name}", "belongs to the document; move it up one level"
                )
        try:
            value = self._read_value(node, place)
            options = Options(**{str(name): option for name, option in value.items()})
        except UsageError as error:
            self._fail(node, place, str(error))
        return {name: getattr(options, name) for name in options.model_fields_set}

    def _read_mode(self, node: yaml.Node, place: str) -> str:
        return self._read_choice(node, place, ("auto", "all", "search", "code"))

    def _read_choice(self, node: yaml.Node, place: str, choices: Sequence[str]) -> str:
        value = self._read_text(node, place)
        if value not in choices:
            self._fail(node, place, f"expected {', '.join(choices[:-1])} or {choices[-1]}")
        return value

    def _read_integer(self, node: yaml.Node, place: str, least: int = 1) -> int:
        value = self._read_scalar(node, place)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            self._fail(node, place, f"expected an integer of at least {least}")
        return value

    def _read_seconds(self, node: yaml.Node, place: str) -> float:
        value = self._read_scalar(node, place)
        if not isinstance(value, int | float) or isinstance(value, bool) or not value > 0:
            self._fail(node, place, "expected a number of seconds above 0")
        return float(value)

    def _read_secrets(self, node: yaml.Node, place: str) -> dict[str, str]:
        """Return values that are references."""
        members = self._members(node, place, None)
        return {
            name: self._read_secret(value, f"{place}.{name}") for name, value in members.items()
        }

    def _read_values(self, node: yaml.Node, place: str) -> dict[str, str]:
        """Return values; one with the name of a secret must be a reference."""
        values = {}
        for name, value in self._members(node, place, None).items():
            where = f"{place}.{name}"
            is_reference = isinstance(value, yaml.ScalarNode) and _is_reference(str(value.value))
            if is_reference or _is_secret(name):
                values[name] = self._read_secret(value, where)
            elif isinstance(value, yaml.ScalarNode):
                values[name] = str(value.value)
            else:
                self._fail(value, where, "expected a text")
        return values

    def _read_proxy(self, node: yaml.Node, place: str) -> str:
        """Return the URL of a proxy; one with a password must be a reference."""
        text = self._read_text(node, place)
        return self._read_secret(node, place) if _is_reference(text) or "@" in text else text

    def _read_secret(self, node: yaml.Node, place: str) -> str:
        value = str(node.value) if isinstance(node, yaml.ScalarNode) else ""
        if value.startswith(_FILE):
            try:
                return self._references.read(value.removeprefix(_FILE)).strip()
            except (OSError, ValueError) as error:
                reason = getattr(error, "strerror", None) or "it is not a text file"
                self._fail(node, place, f"the file cannot be read: {reason}")
        if not _VARIABLE.search(value):
            self._fail(
                node,
                place,
                "invalid secret; expected a reference: ${NAME} for an environment variable, "
                "or file:PATH",
            )
        return _VARIABLE.sub(lambda match: self._read_variable(node, place, match[1]), value)

    def _read_variable(self, node: yaml.Node, place: str, name: str) -> str:
        value = self._references.variables.get(name, "")
        if not value:
            self._fail(node, place, f"the environment variable {name} is not set")
        self._used[name] = None
        return value

    def _read_scalar(self, node: yaml.Node, place: str) -> Any:
        if not isinstance(node, yaml.ScalarNode):
            self._fail(node, place, "expected a single value, not a list or mapping")
        return self._read_value(node, place)

    def _read_value(self, node: yaml.Node, place: str) -> Any:
        loader = yaml.SafeLoader("")
        try:
            return loader.construct_object(node, deep=True)
        except yaml.YAMLError:
            self._fail(node, place, "unknown YAML tag; expected a text, a number, true or false")
        except ValueError:
            self._fail(node, place, "not a number or date that can be read; quote it if it is text")
        finally:
            loader.dispose()

    def _fail(self, node: yaml.Node, place: str, problem: str) -> NoReturn:
        mark = node.start_mark
        raise UsageError(f"{self._file}:{mark.line + 1}:{mark.column + 1}: {place}: {problem}")


def _is_reference(value: str) -> bool:
    return value.startswith(_FILE) or _VARIABLE.search(value) is not None


def _is_secret(name: str) -> bool:
    lower = name.lower()
    return any(part in lower for part in _SECRET_NAMES) or (
        credential_reason(name, "header") is not None
    )
