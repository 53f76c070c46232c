"""Documents and connections of ``specfn serve``, from options or a configuration file."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from specfn.cli import connect, source
from specfn.cli.select import select_functions
from specfn.errors import UsageError
from specfn.mcp.config_file import NAME, DocumentConfig, ReferencedValues, ServerConfig, parse
from specfn.settings import DEFAULT

if TYPE_CHECKING:
    from specfn.application.application import Application
    from specfn.cli.progress import Progress
    from specfn.tools.function_set import Catalog

#: The maximum number of bytes of a configuration, and of a file with a secret.
_MAX_BYTES: Final = 1024 * 1024

#: Options of one document, which a server of several documents takes from a configuration file.
_OF_ONE: Final = {
    "headers": "--header",
    "queries": "--query",
    "cookies": "--cookie",
    "origins": "--origin",
    "globs": "--select",
}


def config_of(specs: Sequence[str], options: Mapping[str, Any]) -> ServerConfig:
    """Return the configuration that the options describe.

    Raises:
        UsageError: an option is invalid, or contradicts the configuration file.
    """
    if options["config"] is None:
        return ServerConfig(documents=_documents(specs, options))
    given = [
        name for name in (*_OF_ONE.values(), "--base-url", "--auth") if _is_given(options, name)
    ]
    if specs or given:
        named = "SPEC" if specs else given[0]
        raise UsageError(f"{named} and --config cannot be combined: pass one of them")
    return _read(options["config"])


def load(
    config: ServerConfig, progress: "Progress"
) -> tuple["Catalog", list["Application"], list[Any]]:
    """Return the functions of all documents with their connections, the applications, and the connections."""
    from specfn.tools.function_set import Catalog, NamePolicy  # noqa: PLC0415  # after option errors

    is_one = len(config.documents) == 1
    catalog = Catalog(policy=NamePolicy(qualify="never" if is_one else "always"))
    applications, connections = [], []
    for document in config.documents:
        application = source.application(document.spec, DEFAULT, progress)
        if not application.functions:
            raise UsageError(f"{document.spec} has no functions; specfn inspect lists the reasons")
        selected = replace(application, functions=select_functions(application, document.select))
        connection = _connection(application, document, is_one=is_one)
        catalog = catalog.add(
            selected, namespace="" if is_one else document.name, connection=connection
        )
        applications.append(selected)
        connections.append(connection)
    return catalog, applications, connections


def variables_of(config: ServerConfig, applications: Sequence["Application"]) -> list[str]:
    """Return the environment variables with the credentials of the documents."""
    is_one = len(config.documents) == 1
    if config.variables:
        return list(config.variables)
    return [
        connect.variable_of(scheme if is_one else f"{document.name}_{scheme}")
        for document, application in zip(config.documents, applications, strict=True)
        for scheme in application.functions[0].api.security_schemes
    ]


def missing_credentials(
    config: ServerConfig, applications: Sequence["Application"], connections: Sequence[Any]
) -> list[str]:
    """Return a line for each missing security scheme, with the number of functions that need it."""
    from specfn.calling.readiness import obstacle  # noqa: PLC0415  # slow import

    is_one = len(config.documents) == 1
    lines = []
    for document, application, connection in zip(
        config.documents, applications, connections, strict=True
    ):
        needed: dict[str, int] = {}
        for function in application.functions:
            if obstacle(function, connection):
                first = function.route.security[0] if function.route.security else ()
                for scheme in {name for name, _ in first}.difference(connection.credentials):
                    needed[scheme] = needed.get(scheme, 0) + 1
        for scheme, count in needed.items():
            option = f"--auth {'' if is_one else f'{document.name}.'}{scheme}=VALUE"
            variable = connect.variable_of(scheme if is_one else f"{document.name}_{scheme}")
            lines.append(
                f"{count} of {len(application.functions)} functions need the credential {scheme}, which is missing: "
                f"pass {option} or set {variable}"
            )
    return lines


def _documents(specs: Sequence[str], options: Mapping[str, Any]) -> tuple[DocumentConfig, ...]:
    if not specs:
        raise UsageError("missing argument SPEC: pass a document, or --config FILE")
    if len(specs) == 1 and _name(specs[0])[0] == "":
        return (_only(specs[0], options),)
    pairs = [_name(spec) for spec in specs]
    for name, spec in pairs:
        if not name:
            raise UsageError(f"{spec} has no name: pass NAME=SPEC for each of several documents")
        if sum(other == name for other, _ in pairs) > 1:
            raise UsageError(f"two documents have the name {name!r}: pass different names")
    names = {name for name, _ in pairs}
    for field, option in _OF_ONE.items():
        if len(names) > 1 and options[field]:
            raise UsageError(
                f"{option} names no document, but there are several: use --config FILE"
            )
    urls = _by_document("--base-url", "NAME=URL", "=", options["base_urls"], names)
    auth = _by_document("--auth", "NAME.SCHEME=VALUE", ".", options["auth"], names)
    if len(names) == 1:
        return (replace(_only(pairs[0][1], {**options, "base_urls": (), "auth": ()}),
                        name=pairs[0][0],
                        base_url=_last(urls[pairs[0][0]]),
                        auth=_pairs(auth[pairs[0][0]])),)  # fmt: skip
    return tuple(
        DocumentConfig(
            name=name,
            spec=spec,
            base_url=_last(urls[name]),
            auth=_pairs(auth[name]),
            timeout=options["timeout"],
        )
        for name, spec in pairs
    )


def _only(spec: str, options: Mapping[str, Any]) -> DocumentConfig:
    """Return the only document, with the options as they are."""
    urls = options["base_urls"]
    if len(urls) > 1:
        raise UsageError("--base-url is given more than once: pass it once for one document")
    return DocumentConfig(
        name="",
        spec=spec,
        base_url=_last(urls),
        auth=_pairs(options["auth"]),
        headers=dict(connect.pairs("--header", options["headers"], ":")),
        query=dict(connect.pairs("--query", options["queries"], "=")),
        cookies=dict(connect.pairs("--cookie", options["cookies"], "=")),
        origins=tuple(options["origins"]),
        timeout=options["timeout"],
        select=tuple(options["globs"]),
    )


def _last(values: Sequence[str]) -> str | None:
    return values[-1] if values else None


def _name(spec: str) -> tuple[str, str]:
    """Return the name and the source of ``NAME=SPEC``; the name may be empty."""
    name, separator, rest = spec.partition("=")
    is_file = os.path.exists(spec)  # noqa: PTH110  # False for a path that is too long
    is_named = bool(separator) and NAME.fullmatch(name) is not None and not is_file
    return (name, rest) if is_named else ("", spec)


def _by_document(
    option: str, form: str, separator: str, given: Sequence[str], names: set[str]
) -> dict[str, list[str]]:
    """Return the values of an option by the document that each names."""
    values: dict[str, list[str]] = {name: [] for name in names}
    for text in given:
        name, _, value = text.partition(separator)
        if name not in values or not value:
            known = ", ".join(sorted(names))
            raise UsageError(f"{option} is invalid: expected {form}, and NAME is one of {known}")
        values[name].append(value)
    return values


def _pairs(given: Sequence[str]) -> dict[str, str]:
    return dict(connect.pairs("--auth", given, "="))


def _connection(application: "Application", document: DocumentConfig, *, is_one: bool) -> Any:
    given = {
        "base_url": document.base_url,
        "origins": document.origins,
        "auth": [f"{name}={value}" for name, value in document.auth.items()],
        "headers": [f"{name}: {value}" for name, value in document.headers.items()],
        "queries": [f"{name}={value}" for name, value in document.query.items()],
        "cookies": [f"{name}={value}" for name, value in document.cookies.items()],
        "timeout": document.timeout,
    }
    option = "--base-url" if is_one else f"--base-url {document.name}=URL"
    api = application.functions[0].api
    return connect.connection(api, given, option, document="" if is_one else document.name)


# -- the configuration file -----------------------------------------------------------------------------


def _read(file: str) -> ServerConfig:
    folder = Path(file).parent
    try:
        source.check_file(file)
        text = _text(Path(file))
    except UsageError as error:
        raise type(error)(f"--config: {error}") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not a text file"
        raise UsageError(f"--config {file!r} cannot be read: {reason}") from None
    config = parse(text, file, ReferencedValues(os.environ, lambda path: _text(folder / path)))
    documents = tuple(
        replace(document, spec=_source_of(folder, document.spec)) for document in config.documents
    )
    return replace(config, documents=documents)


def _text(path: Path) -> str:
    """Return the content of a small text file, without a byte order mark."""
    with path.open("rb") as stream:
        content = stream.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise ValueError
    return content.decode("utf-8-sig")


def _source_of(folder: Path, spec: str) -> str:
    """Return the source of a document; paths are relative to the configuration file."""
    return spec if "://" in spec else str(folder / spec)


def _is_given(options: Mapping[str, Any], option: str) -> bool:
    fields = {value: key for key, value in _OF_ONE.items()}
    fields |= {"--base-url": "base_urls", "--auth": "auth"}
    return bool(options[fields[option]])
