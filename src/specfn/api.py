"""Conversion of any source into an application in one call."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from specfn._internal.json import JsonObject
from specfn.application.application import Application
from specfn.application.compose import compose
from specfn.document import normalize as normalizing
from specfn.document.diagnose.check import strict
from specfn.document.garbage_collection import gc_paused
from specfn.document.overlay import OverlaySource, apply_overlays, names
from specfn.document.read import load as loading
from specfn.document.read.document_credentials import DocumentCredentials, document_credentials
from specfn.document.read.text import Progress
from specfn.document.references.bundle import Bundled, bundle
from specfn.errors import DocumentError, UsageError
from specfn.migrate.safety import exceeds, level_keys
from specfn.settings import DEFAULT, Safety, Settings

if TYPE_CHECKING:
    import httpx

    from specfn.options import Options

Check = Literal["lenient", "strict"]


def load(
    source: str | Path | bytes | JsonObject,
    *,
    options: "Options | None" = None,
    check: Check = "lenient",
    expect: str | Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
    auth: "httpx.Auth | tuple[str, str] | None" = None,
    overlays: Sequence[OverlaySource] = (),
) -> Application:
    """Turn an OpenAPI or Swagger document into functions that a language model can call.

    Args:
        source: a path, an ``http(s)`` URL, the document's text as bytes, or the document as a dict.
        options: how to convert; see ``specfn.Options``.
        check: ``strict`` refuses a document that openapi-spec-validator refuses, or whose text is faulty. Otherwise
            faults are ``application.diagnostics``, and the operations that they spoil are ``application.errors``.
        expect: the reviewed state. With the text of ``Application.lock()`` or ``Application.fingerprints``, the error
            lists the changes. With ``Application.fingerprint``, it only reports that the document changed.
            Fingerprints depend on the options, too.
        headers: headers for a document behind a login, e.g. ``{"Authorization": "Bearer ..."}``. They are sent to the
            origin of the URL only: to no other origin that it redirects to, or that the document refers to.
        auth: user and password, or an ``httpx.Auth``, for the same origin only.
        overlays: OpenAPI Overlays 1.0 and 1.1, as paths, URLs, bytes or dicts: changes of the document, in this order,
            before it is converted. An action that matches nothing is an error (extra ``overlays``).

    Raises:
        DocumentError: the source is not a document of a known version; or it is refused by ``check`` or
            ``expect``; or an overlay cannot be applied.
        UsageError: an argument is invalid, an option names something that the document does not have, or there
            are headers for a source that is not a URL, or for one of plain http.
        TransportError: the server of a URL did not answer.

    Examples:
        >>> app = specfn.load("openapi.json")
        >>> app["listProducts"].safety
        'read'
    """
    if check not in ("lenient", "strict"):
        raise UsageError(f"check must be 'lenient' or 'strict', not {check!r}")
    if options is not None and not hasattr(options, "settings"):
        raise UsageError(
            f"options must be specfn.Options(NAME=VALUE, ...), not {type(options).__name__}"
        )
    settings = DEFAULT if options is None else options.settings()
    credentials = (
        document_credentials(source, headers or {}, auth) if headers or auth is not None else None
    )
    return convert(
        source,
        settings,
        check=check,
        expect=expect,
        credentials=credentials,
        overlays=_sequence(overlays),
    )


def loads(
    text: str | bytes,
    *,
    options: "Options | None" = None,
    check: Check = "lenient",
    expect: str | Mapping[str, Any] | None = None,
    overlays: Sequence[OverlaySource] = (),
) -> Application:
    """Convert the text of a document, like ``load``.

    Examples:
        >>> text = '{"openapi": "3.1.0", "paths": {"/pets": {"get": {"operationId": "listPets"}}}}'
        >>> specfn.loads(text).functions
        (<Function pets_get: GET /pets>,)
    """
    content = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    return load(content, options=options, check=check, expect=expect, overlays=overlays)


def convert(
    source: str | Path | bytes | JsonObject,
    settings: Settings,
    *,
    check: Check = "lenient",
    expect: str | Mapping[str, Any] | None = None,
    credentials: DocumentCredentials | None = None,
    progress: Progress | None = None,
    thorough: bool = False,
    overlays: Sequence[OverlaySource] = (),
) -> Application:
    """Convert a document like ``load``, with the plain record of options.

    Args:
        source: as ``load``.
        settings: the caller's options.
        check: as ``load``.
        expect: as ``load``.
        credentials: the headers for the origin of a URL.
        progress: receives the number of bytes that have arrived from a URL.
        thorough: report duplicate keys in JSON, as ``strict`` does.
        overlays: as ``load``.
    """
    with gc_paused():
        original = loading.read(
            source,
            references=settings.references,
            limit=settings.max_document_bytes,
            credentials=credentials,
            progress=progress,
            thorough=thorough or check == "strict",
        )
        levels = _safety_levels(original, settings, credentials) if overlays else {}
        original = apply_overlays(original, overlays)
        document, problems, unread = _with_referenced_documents(original, settings, credentials)
        if check == "strict":
            _refuse_faulty(document, original)
        # Parts of other documents may share objects; this is not tested.
        shared = original.shared or document is not original.document
        normalized = normalizing.normalize(document, original.uri, shared=shared)
        application = compose(
            normalized,
            settings,
            raw=document,
            source=original.uri,
            notes=(*original.notes, *problems),
            unreadable=original.unreadable,
            unread=unread,
            overlays=names(overlays),
            levels=levels,
        )
    if expect is not None:
        refuse_changed(application, expect)
    return application


def _safety_levels(
    found: loading.Source, settings: Settings, credentials: DocumentCredentials | None
) -> dict[str, Safety]:
    """Return the safety of the operations before overlays, which do not lower it; empty without a valid document."""
    try:
        document, _, _ = _with_referenced_documents(found, settings, credentials)
        shared = found.shared or document is not found.document
        normalized = normalizing.normalize(document, found.uri, shared=shared)
    except DocumentError:
        return {}
    given = settings._replace(select=None, names={}, descriptions={}, safety={}, extensions=False)
    for options in (given, DEFAULT):
        try:
            functions = compose(normalized, options, raw=document, source=found.uri).functions
        except UsageError:
            continue  # an option names a part that an overlay adds
        levels: dict[str, Safety] = {}
        for function in functions:
            for key in level_keys(function.method_and_path):
                if exceeds(function.safety, levels.get(key, "read")) or key not in levels:
                    levels[key] = function.safety
        return levels
    return {}


def _sequence(overlays: Any) -> Sequence[OverlaySource]:
    if isinstance(overlays, list | tuple):
        return overlays
    raise UsageError(f"overlays must be a list, not {type(overlays).__name__}")


def _with_referenced_documents(
    found: loading.Source, settings: Settings, credentials: DocumentCredentials | None
) -> Bundled:
    """Return the document together with the documents that it refers to, and notes on missing ones (rule N4)."""
    if settings.references == "internal":
        return Bundled(document=found.document)
    return bundle(
        found,
        settings.references,
        limit=settings.max_document_bytes,
        most=settings.max_documents,
        credentials=credentials,
    )


def normalize(document: JsonObject) -> JsonObject:
    """Return a document of any version as one OpenAPI 3.1 document that specfn works on.

    References outside schemas are resolved, references inside schemas name components, and schemas are
    JSON Schema 2020-12. Normalizing twice is normalizing once; the input is not changed.

    Raises:
        DocumentError: the version of the document is unknown.

    Examples:
        >>> document = {"swagger": "2.0", "host": "shop.example", "paths": {"/pets": {"get": {}}}}
        >>> specfn.normalize(document)["servers"]
        [{'url': 'https://shop.example'}]
    """
    with gc_paused():
        original = loading.read(document)
        return normalizing.normalize(original.document, shared=original.shared).document


#: The maximum number of changes in one error.
_TOLD = 10

#: The fingerprint of an application.
_FINGERPRINT = re.compile(r"[0-9a-f]{64}")


def refuse_changed(application: Application, expect: str | Mapping[str, Any]) -> None:
    """Check an application against the reviewed state, as ``load`` does with ``expect``.

    Raises:
        DocumentError: it differs; the text lists the changes.
    """
    if isinstance(expect, str) and not expect.lstrip().startswith("{"):
        if not _FINGERPRINT.fullmatch(expect):
            raise DocumentError(
                "the document was not reviewed: `expect` is neither a lock nor a fingerprint; pass the text of application.lock(), "
                "for a file with Path(...).read_text()"
            )
        if application.fingerprint != expect:
            raise DocumentError(
                f"the document changed{_overlays_text(application)}: its fingerprint is {application.fingerprint}, not {expect};"
                " pass expect=application.lock() to see the changes"
            )
        return
    differences = application.changes(expect)
    if differences:
        more = f"; and {len(differences) - _TOLD} more" if len(differences) > _TOLD else ""
        changes = "; ".join(map(str, differences[:_TOLD]))
        raise DocumentError(
            f"the document changed, or it is loaded with other options{_overlays_text(application)}: {changes}{more}"
        )


def _overlays_text(application: Application) -> str:
    """Return the end of a sentence that names the overlays, or an empty text without overlays."""
    overlays = ", ".join(application.overlays)
    return f" or overlays (now {overlays})" if overlays else ""


def _refuse_faulty(document: JsonObject, found: loading.Source) -> None:
    faults = (*found.notes, *strict(document, found.uri))
    if faults:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise DocumentError(f"{faults[0].text}{more}", pointer=faults[0].pointer)
