"""The subcommand ``specfn serve``: an MCP server over the functions of documents."""

import ipaddress
import logging
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, cast

import click

from specfn.api import refuse_changed
from specfn.cli import connect, output, source
from specfn.cli import shared_options as shared
from specfn.cli import watch as watching
from specfn.cli.errors import EXIT_INTERRUPTED, EXIT_SUCCESS, in_options
from specfn.cli.progress import Progress
from specfn.cli.select import select_functions
from specfn.cli.terminal import is_terminal
from specfn.errors import UsageError
from specfn.http.connection_switches import BY_FIELD, TRANSPORT, with_keys
from specfn.mcp.hosts import HOSTS, MAX_PREFIXED_NAME, print_config, server_name
from specfn.settings import DEFAULT
from specfn.tools.function_keys import split_keys
from specfn.tools.function_set import Catalog, NamePolicy

if TYPE_CHECKING:
    from specfn.http.connection import Connection
    from specfn.mcp.config_file import DocumentConfig, ServerConfig
    from specfn.mcp.live import LiveServer
    from specfn.migrate.route import Api

#: Hosts that mean all addresses of this machine.
_ANY: Final = frozenset({"", "0.0.0.0", "::"})  # noqa: S104  # compared, not bound


@shared.command(
    "serve",
    "specfn serve openapi.yaml --base-url https://shop.example.com",
    "specfn serve --config servers.yaml --http 127.0.0.1:8000",
)
@click.argument("specs", metavar="[NAME=]SPEC...", nargs=-1, shell_complete=shared.complete_files)
@source.document_options
@click.option("--stdio", is_flag=True, help="Use stdin and stdout; the default.")
@click.option("--http", "address", metavar="HOST:PORT", help="Serve HTTP at /mcp.")
@shared.repeatable(
    "--base-url",
    "base_urls",
    "[NAME=]URL",
    "URL of the API: origin and base path, e.g. https://host/v1.",
)
@shared.repeatable(
    "--auth",
    "auth",
    "[NAME.]SCHEME=VALUE",
    "A credential by security scheme. Better in the environment: SPECFN_AUTH_[NAME_]SCHEME.",
)
@shared.headers("Header of each request.")
@shared.queries
@shared.cookies
@shared.origins("Another trusted origin of the API.")
@shared.timeout("Limit of each call; 60 by default.")
@connect.switches
@connect.transport
@shared.select
@shared.choice(
    "--mode",
    "mode",
    ["auto", "all", "search", "code"],
    "One tool per function (all), tools that find and call functions (search), or tools that find functions and run "
    "code that calls them (code). "
    "auto: search above 100 tools or 32,000 tokens.",
)
@click.option(
    "--ask-each",
    is_flag=True,
    help="In mode code: ask for each call separately, not once for all that code starts together.",
)
@shared.repeatable(
    "--allow",
    "allow",
    "SAFETY|NAME",
    "Call without approval: write, destructive, or a function; in addition to functions that read.",
)
@click.option("--read-only", is_flag=True, help="Serve only functions that read data.")
@click.option(
    "--page-size",
    metavar="N",
    type=click.IntRange(1),
    help="The maximum number of tools of a page; all by default.",
)
@click.option(
    "--files",
    metavar="DIR",
    help="Save binary responses in DIR, instead of sending them to the client.",
)
@click.option(
    "--fields",
    is_flag=True,
    help="Let models ask for fields of responses, by an argument of tools.",
)
@click.option(
    "--output-schema",
    is_flag=True,
    help="Declare the schemas of responses. Strict clients then refuse a response that violates its schema.",
)
@shared.answer_limit
@click.option(
    "--max-length",
    metavar="N",
    type=click.IntRange(16, 64),
    help="The maximum number of characters of the name of a tool; 64 by default. Hosts may add a prefix.",
)
@click.option(
    "--watch",
    is_flag=True,
    help="Reload documents and the configuration file when they change; what cannot be loaded changes nothing.",
)
@shared.file("--expect", "expect", "The lock of the reviewed document; another version is refused.")
@shared.file("--config", "config", "Read documents and permissions from a YAML file.")
@click.option(
    "--client-token-env",
    metavar="NAME",
    help="Environment variable with the bearer token that HTTP clients must send.",
)
@click.option(
    "--no-client-auth", is_flag=True, help="Serve clients on other machines without a token."
)
@shared.repeatable(
    "--host-name", "host_names", "HOST", "Another host name of this server, e.g. of a proxy."
)
@shared.repeatable(
    "--web-origin",
    "web_origins",
    "ORIGIN",
    "Origin of web pages that may call this server, e.g. https://app.example.com.",
)
@click.option(
    "--sessions",
    is_flag=True,
    help="Keep sessions, so that clients of protocols before 2026 can approve and cancel calls over HTTP.",
)
@shared.choice(
    "--log",
    "log",
    ["text", "json"],
    "The form of the log on stderr, with one line for each call, without its arguments; text by default.",
)
@click.option(
    "--verbose",
    is_flag=True,
    help="Log each request to the API, too: its method, its URL without query and secrets, and its status.",
)
@shared.choice(
    "--print-config",
    "host",
    sorted(HOSTS),
    "Print the configuration of an MCP host, and serve nothing.",
)
def command(specs: Sequence[str], **options: Any) -> int:
    """Serve the functions of SPEC to MCP clients, over stdio or HTTP.

    A call that changes data needs the approval of the user. If the client cannot ask the user, the call is refused.
    --allow permits calls without approval. Logs go to stderr.
    """  # fmt: skip
    if options["stdio"] and options["address"]:
        raise UsageError("--stdio and --http cannot be combined: pass one of them")
    if "-" in specs or any(spec.endswith("=-") for spec in specs):
        raise UsageError(
            "SPEC cannot be stdin, because the client sends its requests there: pass a path or a URL"
        )
    listener = _listener(options)
    read = partial(_config, specs, options)
    config = read()
    in_file = options["config"] is not None
    places = partial(_places, options)
    stamps = watching.stamps(places(config))
    with Progress() as progress:
        catalog, documents = _load(config, options, progress)
    if options["host"]:
        variables = _credential_variables(config, catalog, in_file=in_file)
        return _print_config(specs, options, variables, config, catalog)
    warnings = [
        *_warnings_of_address(listener),
        *_missing_servers(catalog, in_file=in_file),
        *_missing_credentials(catalog, in_file=in_file),
    ]
    if config.mode in (None, "all", "auto"):
        warnings += _long_names(catalog)
    connections = [connection for _, _, connection in catalog.parts if connection is not None]
    try:
        server = _server(config, catalog, options)
        app = None if listener is None else _http_app(server, listener)
    except UsageError as error:
        name, _, reason = str(error).partition(" ")
        if options.get(_OPTIONS.get(name, ("", ""))[0]):
            raise UsageError(f"{_OPTIONS[name][1]} {reason}") from None
        raise
    from specfn.http.transport import attempt  # noqa: PLC0415  # httpx is imported on first use
    from specfn.http_server import listen  # noqa: PLC0415  # slow import
    from specfn.mcp import call_log, results, stdio  # noqa: PLC0415  # slow import

    call_log.log.setLevel(logging.INFO)
    if options["verbose"]:
        attempt.log.setLevel(logging.DEBUG)
    background = None
    if options["watch"]:
        server.announce_changes()
        context = click.get_current_context()

        def load(config: "ServerConfig") -> "tuple[LiveServer, Catalog, list[Any]]":
            catalog, documents = _load(config, options, Progress())
            return _server(config, catalog, options), catalog, documents

        source_of_all = watching.Source(
            read=partial(context.invoke, read), load=partial(context.invoke, load), places=places
        )
        background = partial(
            watching.watch, server, source_of_all, (config, documents), stamps, connections
        )
    is_json = options["log"] == "json"
    with listen.gc_while_serving(call_log.JsonLines() if is_json else None):
        # every line of a log of JSON is JSON
        warn, inform = (results.log.warning, results.log.info) if is_json else [output.complain] * 2
        if is_json:
            results.log.setLevel(logging.INFO)

        def report(text: str) -> None:
            if text:
                inform(text)
            for line in warnings:
                warn(line)

        if listener is not None and app is not None:
            app.background = background
            return _serve_http(app, listener, connections, report)
        waits = (
            f"serving {len(catalog.entries)} functions on stdin and stdout, and waiting for an MCP client; "
            "--print-config HOST prints what a host needs to start this command"
        )
        report(waits if is_terminal(sys.stdin) else "")
        stdio.serve_stdio(server, connections, background)
    return EXIT_SUCCESS


def _server(config: "ServerConfig", catalog: "Catalog", options: Mapping[str, Any]) -> "LiveServer":
    """Return the server of a configuration."""
    from specfn.mcp import build  # noqa: PLC0415  # slow import

    mode: Any = config.mode or "auto"
    server = build.server(
        catalog,
        mode=mode,
        allow=("read", *config.allow),
        questions="each" if options["ask_each"] else "together",
        read_only=config.read_only,
        page_size=config.page_size,
        files=config.files,
        fields=config.fields,
        output_schema=config.output_schema,
    )
    return cast("LiveServer", server)


def _places(options: Mapping[str, Any], config: "ServerConfig") -> list[str]:
    """Return the files and URLs whose changes are served: documents, overlays, locks and the configuration file."""
    places = [options["config"]] if options["config"] else []
    for document in config.documents:
        places += [document.spec, *document.overlays, *filter(None, (document.expect,))]
    return places


def _long_names(catalog: "Catalog") -> Iterator[str]:
    """Yield a line about names that some hosts refuse."""
    count = sum(len(entry.name) > MAX_PREFIXED_NAME for entry in catalog.entries)
    if count:
        yield (
            f"{count} of {len(catalog.entries)} functions have names of more than {MAX_PREFIXED_NAME} characters; hosts that "
            f"add mcp__SERVER__ before names refuse them: pass --max-length {MAX_PREFIXED_NAME}"
        )


# -- documents and connections ----------------------------------------------------------------------------

#: The maximum number of bytes of a configuration, and of a file with a secret.
_MAX_BYTES: Final = 1024 * 1024

#: The fields of options of one document, which a server of several documents reads from a configuration file.
_OF_ONE: Final = (
    *("headers", "queries", "cookies", "origins", "globs"),
    *BY_FIELD,
    *(*TRANSPORT, "expect", "overlays", "document_headers"),
)

#: The fields of options that a configuration file has, too, as long as they are not in ``_OF_ONE``.
_OF_EACH: Final = ("base_urls", "auth")
_OF_SERVER: Final = (
    *("mode", "read_only", "page_size", "files", "fields", "answer_limit", "output_schema"),
)

#: The fields and names of options by the arguments of ``asgi`` that their errors begin with.
_OPTIONS: Final = {"allow": ("allow", "--allow"), "origins": ("web_origins", "--web-origin")}


def _config(specs: Sequence[str], options: Mapping[str, Any]) -> "ServerConfig":
    """Return the configuration that the options describe. They override what a file says about the server.

    Raises:
        UsageError: an option is invalid, or contradicts the configuration file.
    """
    from specfn.mcp.config_file import ServerConfig  # noqa: PLC0415  # slow import

    if options["config"] is None:
        config = ServerConfig(documents=_documents(specs, options))
    else:
        used = shared.used_options((*_OF_ONE, *_OF_EACH))
        if specs or used:
            named = "SPEC" if specs else used[0]
            raise UsageError(f"{named} and --config cannot be combined: pass one of them")
        config = _read_config(options["config"])
    given = {field: options[field] for field in _OF_SERVER if options[field]}
    config = replace(config, allow=(*config.allow, *options["allow"]), **given)

    split_keys("--allow" if options["allow"] else f"{options['config']}: allow", config.allow)
    return config


def _documents(specs: Sequence[str], options: Mapping[str, Any]) -> "tuple[DocumentConfig, ...]":
    from specfn.mcp.config_file import DocumentConfig  # noqa: PLC0415  # slow import

    if not specs:
        raise UsageError("missing argument SPEC: pass a document, or --config FILE")
    pairs = [_split_name(spec) for spec in specs]
    if len(pairs) == 1 and not pairs[0][0]:
        if len(options["base_urls"]) > 1:
            raise UsageError("--base-url is given more than once: pass it once for one document")
        urls, auth = {"": options["base_urls"]}, {"": options["auth"]}
    else:
        _check_names(pairs)
        names = {name for name, _ in pairs}
        urls = _by_document("--base-url", "NAME=URL", "=", options["base_urls"], names)
        auth = _by_document("--auth", "NAME.SCHEME=VALUE", ".", options["auth"], names)
    given = source.given()
    return tuple(
        DocumentConfig(
            name=name,
            spec=spec,
            base_url=urls[name][-1] if urls[name] else None,
            auth=dict(connect.pairs("--auth", auth[name], "=")),
            headers=dict(connect.pairs("--header", options["headers"], ":")),
            query=dict(connect.pairs("--query", options["queries"], "=")),
            cookies=dict(connect.pairs("--cookie", options["cookies"], "=")),
            origins=tuple(options["origins"]),
            timeout=options["timeout"],
            select=tuple(options["globs"]),
            overlays=given.overlays,
            document_headers=given.headers,
            transport={name: options[name] for name in TRANSPORT if options[name]},
            expect=options["expect"],
            switches={field: options[field] for field in BY_FIELD},
        )
        for name, spec in pairs
    )


def _read_lock(file: str) -> str:
    source.check_file(file)
    try:
        return source.read_file(file).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(
            f"--expect {file!r} is not a lock: write the text of application.lock()"
        ) from None


def _split_name(spec: str) -> tuple[str, str]:
    """Return the name and the source of ``NAME=SPEC``; the name may be empty."""
    from specfn.mcp.config_file import NAME  # noqa: PLC0415  # slow import

    name, separator, rest = spec.partition("=")
    is_file = os.path.exists(spec)  # noqa: PTH110  # False for a path that is too long
    is_named = bool(separator) and NAME.fullmatch(name) is not None and not is_file
    return (name, rest) if is_named else ("", spec)


def _check_names(pairs: Sequence[tuple[str, str]]) -> None:
    """Check that each of several documents has a name of its own, and that no option is for one of them only.

    Raises:
        UsageError: a name is missing or occurs twice, or there is such an option.
    """
    names = [name for name, _ in pairs]
    for name, spec in pairs:
        if not name:
            raise UsageError(f"{spec} has no name: pass NAME=SPEC for each of several documents")
        if names.count(name) > 1:
            raise UsageError(f"two documents have the name {name!r}: pass different names")
    for option in shared.used_options(_OF_ONE) if len(names) > 1 else ():
        raise UsageError(f"{option} names no document, but there are several: use --config FILE")


def _by_document(
    option: str, form: str, separator: str, texts: Sequence[str], names: set[str]
) -> dict[str, list[str]]:
    """Return the values of an option by the document that each names."""
    values: dict[str, list[str]] = {name: [] for name in names}
    for text in texts:
        name, _, value = text.partition(separator)
        if name not in values or not value:
            known = ", ".join(sorted(names))
            raise UsageError(f"{option} is invalid: expected {form}, and NAME is one of {known}")
        values[name].append(value)
    return values


def _load(
    config: "ServerConfig", options: Mapping[str, Any], progress: Progress
) -> "tuple[Catalog, list[Any]]":
    """Return the functions of all documents with their connections, and the documents; errors name the keys of a file."""
    common = DEFAULT._replace(
        answer_limit=config.answer_limit or DEFAULT.answer_limit,
        max_length=options["max_length"] or DEFAULT.max_length,
        references=source.given().references,
    )
    is_one = len(config.documents) == 1
    qualify: Literal["never", "always"] = "never" if is_one else "always"
    catalog = Catalog(policy=NamePolicy(qualify=qualify, max_length=common.max_length))
    owners: dict[str, str] = {}
    documents: list[Any] = []
    for document in config.documents:
        settings = common._replace(**document.options)
        references = settings.references
        if document.references:
            place = f"{document.name}: references"
            references = source.parse_references(document.references, place)
        given = source.DocumentOptions(
            references,
            document.overlays,
            document.document_headers,
            source.tls_of(document.transport),
        )
        application = source.application(document.spec, settings, progress, options=given)
        documents.append(application.document)
        if document.expect is not None:
            refuse_changed(application, _read_lock(document.expect))
        if not application.functions:
            raise UsageError(f"{document.spec} has no functions; specfn inspect lists the reasons")
        name = "" if is_one else document.name
        catalog = catalog.add(
            replace(application, functions=select_functions(application, document.select)),
            namespace=name,
            connection=_connection(
                application.functions[0].api, document, name, in_file=options["config"] is not None
            ),
        )
        for variable in connect.variables_of(application.functions[0].api, name).values():
            other = owners.setdefault(variable, document.name)
            if other != document.name and os.environ.get(variable):
                raise UsageError(
                    f"the environment variable {variable} belongs to the documents {other!r} and {document.name!r}: "
                    "give one of them another name"
                )
    return catalog, documents


def _connection(
    api: "Api", document: "DocumentConfig", name: str, *, in_file: bool
) -> "Connection":
    options = {
        "base_url": document.base_url,
        "origins": document.origins,
        "auth": [f"{name}={value}" for name, value in document.auth.items()],
        "headers": [f"{name}: {value}" for name, value in document.headers.items()],
        "queries": [f"{name}={value}" for name, value in document.query.items()],
        "cookies": [f"{name}={value}" for name, value in document.cookies.items()],
        "timeout": document.timeout,
        **document.transport,
        **document.switches,
    }
    option = f"--base-url {name}=URL" if name else "--base-url"
    try:
        return connect.connection(api, options, option, document=name)
    except UsageError as error:
        raise UsageError(with_keys(str(error)) if in_file else str(error)) from None


def _credential_variables(
    config: "ServerConfig", catalog: "Catalog", *, in_file: bool
) -> list[str]:
    """Return the environment variables of credentials that are given and of those that are missing.

    A host that starts the server must set them. Those of logins and of a configuration file are not needed.
    """
    variables = dict.fromkeys(config.variables)
    for document, (name, functions, connection) in zip(
        config.documents, catalog.parts, strict=True
    ):
        assert connection is not None
        given, missing = connection.credentials, _missing_names(functions, connection)
        for scheme, variable in connect.variables_of(functions[0].api, name).items():
            is_given = scheme in given and not callable(given[scheme])
            if scheme in missing or (is_given and not (in_file and scheme in document.auth)):
                variables[variable] = None
    return [*variables]


def _missing_names(functions: Any, connection: "Connection") -> Counter[str]:
    """Return the security schemes and hidden parameters without a value, with the number of functions that need them."""
    from specfn.calling.readiness import obstacle  # noqa: PLC0415  # slow import

    needed: Counter[str] = Counter()
    if connection.anonymous:
        return needed
    for function in functions:
        if obstacle(function, connection):
            route = function.route
            first = {name for name, _ in route.security[0]} if route.security else set()
            hidden = {parameter.name for parameter in route.hidden if parameter.required}
            missing = first.difference(connection.credentials) or hidden.intersection(
                function.api.credential_names
            )
            needed.update(missing.difference(connection.credentials))
    return needed


def _missing_servers(catalog: "Catalog", *, in_file: bool) -> Iterator[str]:
    """Yield a line for each document with functions whose server is not known or not permitted, with their number."""
    from specfn.http.request.base_url import choose  # noqa: PLC0415  # httpx is imported on first use

    for _, functions, connection in catalog.parts:
        assert connection is not None
        errors = []
        for function in functions:
            try:
                choose(function.route, function.api, connection)
            except UsageError as error:
                errors.append(str(error))
        if errors:
            shown = with_keys(errors[0]) if in_file else in_options(errors[0])
            yield f"{len(errors)} of {len(functions)} functions cannot be called: {shown}"


def _missing_credentials(catalog: "Catalog", *, in_file: bool) -> Iterator[str]:
    """Yield a line for each missing credential, with the number of functions that need it."""
    for name, functions, connection in catalog.parts:
        assert connection is not None
        for scheme, count in _missing_names(functions, connection).items():
            prefix, variable = (f"{name}.", f"{name}_{scheme}") if name else ("", scheme)
            kind = functions[0].api.security_schemes.get(scheme, {}).get("type")
            login = "run specfn login, " if kind in connect.OAUTH2_TYPES else ""
            yield (
                f"{count} of {len(functions)} functions need the credential {scheme}, which is missing: {login}"
                f"pass --auth {prefix}{scheme}=VALUE or set {shared.variable_of(variable)}; if the server needs "
                f"none, {'write anonymous: true' if in_file else 'pass --anonymous'}"
            )


# -- the configuration file -------------------------------------------------------------------------------


def _read_config(file: str) -> "ServerConfig":
    from specfn.mcp.config_file import ReferencedValues, parse  # noqa: PLC0415  # slow import

    folder = Path(file).parent
    try:
        source.check_file(file)
        text = _read_text(Path(file))
    except UsageError as error:
        raise type(error)(f"--config: {error}") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not a text file"
        raise UsageError(f"--config {file!r} cannot be read: {reason}") from None
    config = parse(text, file, ReferencedValues(os.environ, lambda path: _read_text(folder / path)))

    def locate(path: str) -> str:
        """Return a path relative to the configuration."""
        return path if "://" in path else str(folder / path)

    documents = [
        replace(
            document,
            spec=locate(document.spec),
            references=tuple(map(locate, document.references)),
            overlays=tuple(map(locate, document.overlays)),
            expect=locate(document.expect) if document.expect else None,
            transport={
                name: value if name == "proxy" else locate(value)
                for name, value in document.transport.items()
            },
        )
        for document in config.documents
    ]
    return replace(config, documents=tuple(documents))


def _read_text(path: Path) -> str:
    """Return the content of a small text file, without a byte order mark."""
    with path.open("rb") as stream:
        content = stream.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise ValueError
    return content.decode("utf-8-sig")


# -- the transport ----------------------------------------------------------------------------------------


#: The fields of options of a server over HTTP.
_OF_HTTP: Final = ("client_token_env", "no_client_auth", "host_names", "web_origins", "sessions")


@dataclass(frozen=True, slots=True)
class _Listener:
    """An HTTP address: the host and port, the accepted names, the token of clients, and more options of ``asgi``."""

    host: str
    port: int
    names: tuple[str, ...] | None
    token: str | None
    options: Mapping[str, Any]


def _listener(options: Mapping[str, Any]) -> _Listener | None:
    """Return the HTTP address; ``None`` for stdio.

    Raises:
        UsageError: the address is invalid, or other machines could call without a token.
    """
    address = options["address"]
    if address is None:
        for option in shared.used_options(_OF_HTTP):
            raise UsageError(f"{option} needs --http")
        return None
    host, port = _host_and_port(address)
    token = _token(options["client_token_env"])
    if not _is_loopback(host) and token is None and not options["no_client_auth"]:
        raise UsageError(
            f"--http {address} can be reached from other machines: pass --client-token-env NAME with a token that "
            "clients must send, or --no-client-auth"
        )
    more = {"origins": options["web_origins"], "sessions": options["sessions"]}
    return _Listener(host, port, _names(host, options["host_names"]), token, more)


def _warnings_of_address(listener: _Listener | None) -> Iterator[str]:
    """Yield a line about clients without a token."""
    if listener is not None and listener.token is None and not _is_loopback(listener.host):
        place = f"{listener.host}:{listener.port}"
        yield f"warning: any machine that reaches {place} can call the functions"


def _names(host: str, more: Sequence[str]) -> tuple[str, ...] | None:
    from specfn.http_server.guard import LOOPBACK  # noqa: PLC0415  # for HTTP only

    if host in _ANY and not more:
        return None
    own = (
        LOOPBACK if _is_loopback(host) or host in _ANY else (f"[{host}]" if ":" in host else host,)
    )
    return (*own, *more)


def _host_and_port(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") or "127.0.0.1"
    if not port.isdecimal() or int(port) > 65_535:
        raise UsageError(f"--http {address!r} is invalid: expected HOST:PORT, e.g. 127.0.0.1:8000")
    return host, int(port)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _token(variable: str | None) -> str | None:
    if variable is None:
        return None
    value = os.environ.get(variable, "")
    if len(value) < 16:
        raise UsageError(
            f"--client-token-env: the environment variable {variable} is not set or too short; "
            "expected at least 16 characters"
        )
    connect.refuse_placeholder(f"client token in {variable}", value)
    return value


def _http_app(server: Any, listener: _Listener) -> Any:
    from specfn.mcp.build import http_app  # noqa: PLC0415  # slow import

    return http_app(server, hosts=listener.names, client_token=listener.token, **listener.options)


def _serve_http(
    app: Any, listener: _Listener, connections: Sequence[Any], report: Callable[[str], None]
) -> int:
    """Serve HTTP until a signal arrives."""
    from specfn.http_server import listen  # noqa: PLC0415  # for HTTP only
    from specfn.mcp.http_app import keep_streams  # noqa: PLC0415  # slow import
    from specfn.mcp.stdio import close_all  # noqa: PLC0415  # slow import

    address = f"--http {listener.host}:{listener.port}"
    bound = listen.bind_socket(listener.host, listener.port, address)
    text = f"serving MCP at {listen.origin_of(bound, listener.host)}/mcp"
    ready, close = partial(report, text), partial(close_all, connections)
    interrupted = listen.serve(app, bound, ready=ready, close=close, end_streams=keep_streams())
    return EXIT_INTERRUPTED if interrupted else EXIT_SUCCESS


# -- the configuration of hosts ---------------------------------------------------------------------------


def _print_config(
    specs: Sequence[str],
    options: dict[str, Any],
    variables: Sequence[str],
    config: "ServerConfig",
    catalog: "Catalog",
) -> int:
    """Print the configuration of a host. Credentials become environment variables."""
    if shared.used_options(("headers", "queries", "cookies", "proxy", "document_headers")):
        raise UsageError(
            "--print-config does not write headers, query parameters, cookies and proxies, because they may be secrets: "
            "use --config FILE"
        )
    name = config.documents[0].name if specs and len(config.documents) == 1 else ""
    if not name:
        titles = {entry.function.api.title for entry in catalog.entries}
        name = server_name(titles.pop() if len(titles) == 1 else "")
    extras = ["code" if config.mode == "code" else "mcp"]
    extras += ["overlays"] if any(document.overlays for document in config.documents) else []
    text = print_config(
        options["host"],
        name,
        [*map(_absolute, specs), *_arguments(click.get_current_context(), options)],
        variables,
        names=[entry.name for entry in catalog.entries],
        extra=",".join(extras),
        url=_url_of_clients(options),
        token=options["client_token_env"],
    )
    output.write_text(text)
    output.complain(f"paste this into {HOSTS[options['host']].file}")
    return EXIT_SUCCESS


def _url_of_clients(options: Mapping[str, Any]) -> str:
    """Return the URL of a server over HTTP; behind a proxy, that of the proxy; empty for stdio."""
    if options["address"] is None:
        return ""
    if options["host_names"]:
        return f"https://{options['host_names'][0]}/mcp"
    host, port = _host_and_port(options["address"])
    if not port:
        raise UsageError("--print-config needs --http with a fixed port")
    host = "127.0.0.1" if host in _ANY else host
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/mcp"


#: The fields of options that a host does not pass to the server: variables have the credentials.
_NOT_PASSED: Final = frozenset({"specs", "auth", "stdio", "address", "host", *_OF_HTTP})

#: The fields of options with paths, which a host may resolve in another directory.
_PATHS: Final = frozenset(
    {"references", "overlays", "files", "expect", "config", "ca", "cert", "key"}
)


def _arguments(context: click.Context, options: Mapping[str, Any]) -> Iterator[str]:
    """Yield the options of this command line with their values, for the server that a host starts."""
    given = source.given()
    references = (given.references,) if isinstance(given.references, str) else given.references
    values = {**options, "references": references, "overlays": given.overlays}
    for parameter in context.command.params:
        field = parameter.name or ""
        if field in _NOT_PASSED or not shared.is_passed(context, field):
            continue
        if getattr(parameter, "is_flag", False):
            yield parameter.opts[-1]
            continue
        for value in values[field] if parameter.multiple else (values[field],):
            text = f"{value:g}" if isinstance(value, float) else str(value)
            yield from (parameter.opts[-1], _absolute(text) if field in _PATHS else text)


def _absolute(spec: str) -> str:
    """Return a document with an absolute path; a host starts the server in a directory of its own."""
    name, separator, rest = spec.rpartition("=")
    path = rest if separator and name.isidentifier() else spec
    if "://" in path:
        return spec
    absolute = str(Path(path).absolute())
    return f"{name}={absolute}" if path is rest and separator else absolute
