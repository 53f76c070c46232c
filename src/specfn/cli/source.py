"""The arguments that name a source: ``SPEC`` is a path, a URL or ``-`` for stdin; ``FILE`` is a path or ``-``."""

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import click

from specfn._internal.did_you_mean import ask_if_meant
from specfn._internal.url import url_without_secrets
from specfn.api import convert
from specfn.cli import output
from specfn.cli.errors import UnreadableFileError, with_document_options
from specfn.cli.shared_options import all_of, complete_files, repeatable
from specfn.cli.terminal import is_terminal
from specfn.document.overlay import OverlayError
from specfn.document.read.document_credentials import document_credentials
from specfn.document.read.limits import MAX_BYTES
from specfn.errors import DocumentError, TransportError, UsageError
from specfn.settings import DEFAULT

if TYPE_CHECKING:
    import ssl
    from io import BufferedReader

    from specfn.application.application import Application
    from specfn.cli.progress import Progress
    from specfn.document.read.document_credentials import DocumentCredentials
    from specfn.settings import Settings

STDIN: Final = "-"

_URL: Final = re.compile("https?://[^/]", re.IGNORECASE)

#: The origin and the path of a URL.
_SITE: Final = re.compile(r"(?P<origin>https?://[^/?#]+)(?P<path>[^?#]*)", re.IGNORECASE)

#: The keys of the options of a document, and of the origin that gets its headers, among the values of a command line.
_GIVEN: Final = "specfn.document"
_ORIGIN: Final = "specfn.origin"


class DocumentOptions(NamedTuple):
    """The options of a command line or a configuration file about one document.

    Attributes:
        references: ``Options.references``.
        overlays: paths or URLs.
        headers: headers with secrets; only the document's origin gets them.
        tls: certificates; only the document's origin gets them.
    """

    references: str | tuple[str, ...] = DEFAULT.references
    overlays: tuple[str, ...] = ()
    headers: Mapping[str, str] = {}
    tls: "ssl.SSLContext | None" = None


def given() -> DocumentOptions:
    """Return the options of the command line that is executed.

    Raises:
        UsageError: a file with certificates is not what its option needs.
    """
    context = click.get_current_context(silent=True)
    if context is None:
        return DocumentOptions()
    return DocumentOptions(**context.meta.get(_GIVEN, {}), tls=tls_of(context.params))


def _keep(name: str, read: Callable[[tuple[str, ...]], Any]) -> Callable[..., None]:
    """Return the callback that keeps what the values of an option mean, as a field of ``DocumentOptions``."""

    def keep(context: click.Context, _: click.Parameter, values: tuple[str, ...]) -> None:
        if values:
            context.meta.setdefault(_GIVEN, {})[name] = read(values)

    return keep


#: An environment variable in the value of a header.
_VARIABLE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def _parse_headers(values: Sequence[str]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for text in values:
        name, colon, value = text.partition(":")
        if not colon or not name.strip():
            raise UsageError("--document-header is invalid: expected 'NAME: VALUE'")
        for variable in _VARIABLE.findall(value):
            if not os.environ.get(variable):
                raise UsageError(
                    f"--document-header: the environment variable {variable} is not set"
                )
        headers[name.strip()] = _VARIABLE.sub(lambda match: os.environ[match[1]], value).strip()
    return headers


def tls_of(given: Mapping[str, Any]) -> "ssl.SSLContext | None":
    """Return the certificates that the options name; ``None`` without such options.

    Raises:
        UsageError: a file is not what its option needs.
    """
    ca, cert, key = (given.get(name) for name in ("ca", "cert", "key"))
    if key and not cert:
        raise UsageError("--key needs --cert: pass the certificate of the key")
    if not ca and not cert:
        return None
    import ssl  # noqa: PLC0415  # for these options only

    import httpx  # noqa: PLC0415  # slow import

    for option, file in (("--ca", ca), ("--cert", cert), ("--key", key)):
        if file:
            _check_file_of(option, file)
    try:
        context = ssl.create_default_context(cafile=ca) if ca else httpx.create_ssl_context()
    except ssl.SSLError:
        raise UsageError(f"--ca {ca!r} has no certificate in the form PEM") from None
    if cert:
        try:  # with a password, because the library would ask for one on the terminal
            context.load_cert_chain(cert, key, password="")
        except ssl.SSLError:
            raise UsageError(
                f"--cert {cert!r} has no certificate with its key, or the key is encrypted: pass --key FILE with the key"
            ) from None
    return context


def _check_file_of(option: str, file: str) -> None:
    try:
        check_file(file)
    except UnreadableFileError as error:
        raise UnreadableFileError(f"{option}: {error}") from None


def parse_references(values: Sequence[str], option: str = "--references") -> str | tuple[str, ...]:
    """Return ``Options.references`` for the values of an option: one directory, or URLs, whose origins are allowed.

    Raises:
        UsageError: they are neither.
    """
    urls = [value for value in values if _URL.match(value)]
    if urls and len(urls) == len(values):
        return tuple("/".join(url.split("/", 3)[:3]) for url in urls)
    if len(values) != 1 or urls:
        raise UsageError(f"{option} is invalid: pass one directory, or one or more URLs")
    [directory] = values
    if not os.path.isdir(directory):  # noqa: PTH112  # False for a path that is too long
        raise UsageError(f"{option} {directory!r} is invalid: there is no such directory")
    return directory


document_options: Final = all_of(
    repeatable(
        "--references",
        "references",
        "DIR|URL",
        "Directory or origins from which references to other documents are read.",
        callback=_keep("references", parse_references),
        expose_value=False,
    ),
    repeatable(
        "--overlay",
        "overlays",
        "FILE",
        "OpenAPI Overlay that changes the document before anything else; several in their order.",
        callback=_keep("overlays", tuple),
        expose_value=False,
        shell_complete=complete_files,
    ),
    repeatable(
        "--document-header",
        "document_headers",
        "'NAME: VALUE'",
        "Header for a document behind a login, for the origin of its URL only; ${NAME} is a variable of the environment.",
        callback=_keep("headers", _parse_headers),
        expose_value=False,
    ),
)

#: The argument and the options of each subcommand that reads a document.
argument: Final = all_of(click.argument("spec", shell_complete=complete_files), document_options)


def credentials(spec: str, options: DocumentOptions | None = None) -> "DocumentCredentials | None":
    """Return the credentials for the origin of a URL; ``None`` if there are none.

    Without ``options``, they are those of the command line, which are for one origin, also if there are two documents.

    Raises:
        UsageError: there are headers for a source that is not a URL, for one of plain http, or for a second origin.
    """
    headers, tls = (options or given())[2:]
    if not _URL.match(spec):
        if headers and spec != STDIN:
            raise UsageError("--document-header is for a document with a URL, not for a file")
        return None
    if not headers and tls is None:
        return None

    try:
        for_origin = document_credentials(spec, headers, None, tls)
    except UsageError as error:
        raise UsageError(with_document_options(str(error))) from None
    if headers and options is None:
        meta = click.get_current_context().meta
        if meta.setdefault(_ORIGIN, for_origin.origin) != for_origin.origin:
            raise UsageError(
                "--document-header is for one origin, but the documents have two: download one of them"
            )
    return for_origin


#: The last application. It is kept because freeing it takes as long as parsing its document.
_last: list["Application"] = []


def application(
    spec: str,
    settings: "Settings",
    progress: "Progress",
    *,
    thorough: bool = False,
    options: DocumentOptions | None = None,
) -> "Application":
    """Read and convert the document that the caller named, by default with the options of the command line.

    With ``thorough``, every fault of the text is looked for.

    Raises:
        DocumentError: the document is not readable as OpenAPI or Swagger.
        TransportError: the server of a URL did not respond.
        UsageError: the argument is ``-`` and stdin is closed.
    """
    own = credentials(spec, options)
    _last[:] = [_convert(spec, settings, progress, options or given(), own, thorough=thorough)]
    return _last[0]


def _convert(
    spec: str,
    settings: "Settings",
    progress: "Progress",
    options: DocumentOptions,
    credentials: "DocumentCredentials | None",
    *,
    thorough: bool = False,
) -> "Application":
    """Read and convert a document. Arguments and errors are those of ``application``."""
    read = partial(
        convert,
        settings=settings._replace(references=options.references),
        progress=progress.read,
        thorough=thorough,
        credentials=credentials,
        overlays=options.overlays,
    )
    try:
        return read(content(spec, progress))
    except OverlayError:
        raise
    except DocumentError as error:
        places = usual_places(spec)
        if not places or error.pointer:
            raise
        for place in places:
            try:
                application = read(place)
            except OverlayError:
                raise
            except DocumentError:
                continue
            output.complain(f"the document is at {url_without_secrets(place)}; pass this URL")
            return application
        names = ", ".join(f"/{name}" for name in _NAMES)
        raise DocumentError(
            f"{error.reason}. There is no document at {names} either; pass its whole URL"
        ) from None


#: The paths at which frameworks serve their document.
_NAMES: Final = (
    "openapi.json",
    "openapi.yaml",
    "swagger.json",
    "v3/api-docs",
    "api-docs",
    "spec.json",
    "swagger/v1/swagger.json",
)


#: The maximum number of folders in which a document is looked for.
_MAX_FOLDERS: Final = 3


def usual_places(url: str) -> list[str]:
    """Return the URLs at which a server usually has its document; empty for a URL that may name a document.

    These are places below the path of the URL and below its parents, on the same host. A query or a fragment is removed.
    """
    match = _SITE.match(url)
    path = "" if match is None else match["path"].rstrip("/")
    last = path.rpartition("/")[2]
    if match is None or ("." in last and not last.endswith((".html", ".htm"))):
        return []
    folders = [path]
    while folders[-1] and len(folders) < _MAX_FOLDERS:
        folders.append(folders[-1].rpartition("/")[0])
    return [f"{match['origin']}{folder}/{name}" for folder in folders for name in _NAMES]


def version(role: str, spec: str, progress: "Progress") -> "Application":
    """Read and convert one of several versions of a document. The texts of all errors name its argument, the ``role``.

    Raises:
        DocumentError: it is not a document.
        TransportError: the server of a URL did not respond.
        UnreadableFileError: there is no such file.
    """
    own = credentials(spec) if _URL.match(spec) else None
    try:
        return _convert(spec, DEFAULT, progress, given(), own)
    except DocumentError as error:
        raise DocumentError(f"{role}: {error.reason}", pointer=error.pointer) from None
    except (TransportError, UsageError) as error:
        raise type(error)(f"{role}: {error}") from None


def content(spec: str, progress: "Progress") -> str | bytes:
    """Return the content of stdin for ``-``, or any other source as it is.

    Raises:
        UnreadableFileError: the argument is a path without a readable file.
        UsageError: stdin is closed.
        DocumentError: stdin cannot be read, or is larger than the limit.
    """
    if spec == STDIN:
        return stdin(progress)
    is_url = "://" in spec or spec.lower().startswith(("http:", "https:"))
    if not is_url and not spec.lstrip().startswith("{"):  # other faults have other texts
        check_file(spec)
    return spec


def check_file(path: str) -> None:
    """Refuse a path that names no readable file. The same fault has the same text and exit code everywhere.

    Raises:
        UnreadableFileError: there is no such file, it is a directory, or it may not be read.
    """
    if not path:
        raise UnreadableFileError("the path is empty; pass the path of a file")
    is_directory = os.path.isdir(path)  # noqa: PTH112  # False for a path that is too long
    is_missing = not is_directory and not os.path.lexists(path)
    is_refused = not is_missing and not os.access(path, os.R_OK)
    shown = repr(path if len(path) <= _SHOWN else f"{path[:_SHOWN]}...")
    if is_directory:
        raise UnreadableFileError(f"{shown} is a directory; pass the path of a file in it")
    if is_missing:
        raise UnreadableFileError(f"there is no file {shown}{_advice_for_missing_file(path)}")
    if is_refused:
        raise UnreadableFileError(f"{shown} cannot be read; check its permissions")


#: The beginning of a URL without its scheme: a host with a port, or with the end of a domain.
_HOST: Final = re.compile(r"[\w.-]+(:\d+|\.[a-z]{2,})(/|$)", re.IGNORECASE)


#: The maximum number of names of files that are compared with a missing one.
_MAX_NAMES: Final = 2_000


def _advice_for_missing_file(path: str) -> str:
    """Return advice for a path at which there is no file: a file with a similar name, or the URL that may be meant."""
    folder, name = os.path.split(path)
    try:
        names = os.listdir(folder or ".")  # noqa: PTH208  # names alone
    except (OSError, ValueError):
        names = []
    question = ask_if_meant(name[:_SHOWN], names[:_MAX_NAMES], cutoff=0.8)
    if question:
        return question
    if _HOST.match(path[:_SHOWN]) and "/" in path:
        return "; a URL begins with http:// or https://"
    return "; check the path"


def read_file(path: str) -> bytes:
    """Return the content of a file of at most the limit of a document.

    Raises:
        UnreadableFileError: the file cannot be read, or is larger than the limit.
    """
    check_file(path)
    try:
        with Path(path).open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise UnreadableFileError(f"{path!r} cannot be read: {error.strerror}") from None
    if len(content) > MAX_BYTES:
        raise UnreadableFileError(f"{path!r} is larger than the limit of {MAX_BYTES:,} bytes")
    return content


def stdin(progress: "Progress") -> bytes:
    """Read stdin in chunks, so that Ctrl-C can interrupt it.

    Raises:
        DocumentError: stdin cannot be read, or is larger than the limit.
        UsageError: stdin is closed.
    """
    if sys.stdin is None:
        raise UsageError("stdin is closed; pass a file or a URL instead of -")
    if is_terminal(sys.stdin):
        progress.close()  # the line would cover the text that is typed
        announce_terminal()
    stream = cast("BufferedReader", sys.stdin.buffer)
    content = bytearray()
    try:
        while chunk := stream.read1(1 << 20):
            content += chunk
            progress.read(len(content), None)
            if len(content) > MAX_BYTES:
                raise DocumentError(f"stdin is larger than the limit of {MAX_BYTES:,} bytes")
    except OSError as error:
        raise DocumentError(f"stdin cannot be read: {error.strerror}") from None
    return bytes(content)


def announce_terminal() -> None:
    """Say that a text is expected, if stdin is a terminal."""
    if is_terminal(sys.stdin):
        output.complain(f"reading from the terminal; end the text with {_END} on a line of its own")


#: The maximum number of characters of a path in a message.
_SHOWN: Final = 200

#: The keys that end the input of a terminal.
_END: Final = "Ctrl-Z and Enter" if sys.platform == "win32" else "Ctrl-D"
