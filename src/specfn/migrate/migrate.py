"""Migration of a normalized document: every operation becomes a route or an error (rules R1, R2, R9)."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from specfn._internal.json import JsonObject
from specfn._internal.pointer import join
from specfn.document.references.number_users import NumberUsers
from specfn.document.references.resolve import reference_of
from specfn.document.upgrade.keywords import is_boolean, is_true
from specfn.document.upgrade.openapi3 import METHODS, dicts, is_name
from specfn.migrate import accessor
from specfn.migrate.bodies.bodies import (
    DeclaredResponses,
    body_of,
    media_type_object_of,
    success_of,
)
from specfn.migrate.bodies.media_types import SchemaResolver
from specfn.migrate.broken_references import References, Refused, refuse_reference
from specfn.migrate.operation_keys import OperationKeys, values_for
from specfn.migrate.parameters.parameters import GROUPS, groups, path_parameters
from specfn.migrate.parameters.reserved import credential_parameters
from specfn.migrate.route import DeclaredResponse, Parameter, Placeholder, Route, Template
from specfn.migrate.template import ColonSegments, colon_name, placeholders
from specfn.migrate.template import parse as parse_template
from specfn.records import Note, OperationCode, OperationError
from specfn.settings import Settings


class Operation(NamedTuple):
    """One operation of the document. ``raw`` may be any JSON value.

    A path item without a target, or that is not an object, is one operation without a method.
    """

    method: str
    path: str
    raw: Any
    item: Any
    pointer: str
    additional: bool = False


def operations(document: JsonObject) -> Iterator[Operation]:
    """Yield every operation of ``paths``, in document order."""
    paths = document.get("paths")
    if reference_of(paths) is not None:
        yield Operation(method="", path="paths", raw=None, item=paths, pointer="/paths")
        return
    for path, item in paths.items() if isinstance(paths, dict) else ():
        if not is_name(path):
            continue
        if item is not None and (not isinstance(item, dict) or reference_of(item) is not None):
            yield Operation(
                method="", path=path, raw=None, item=item, pointer=join(("paths", path))
            )
        for key, raw in item.items() if isinstance(item, dict) else ():
            if key in METHODS:
                pointer = join(("paths", path, key))
                yield Operation(method=key, path=path, raw=raw, item=item, pointer=pointer)
            elif key == "additionalOperations" and isinstance(raw, dict):
                for method, inner in raw.items():
                    pointer = join(("paths", path, key, method))
                    yield Operation(
                        method=method,
                        path=path,
                        raw=inner,
                        item=item,
                        pointer=pointer,
                        additional=True,
                    )


#: The characters of a method (RFC 9110, section 5.6.2).
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")

#: The locations of parameters.
_PLACES = frozenset({"path", *GROUPS})

#: Methods that are converted only if ``Options.methods`` names them (rule R2).
_ON_REQUEST = frozenset({"options", "trace"})


class Migration(NamedTuple):
    """The routes and errors of a document. Each operation is in exactly one of the two, in document order."""

    routes: tuple[Route, ...]
    errors: tuple[OperationError, ...]


def migrate(
    document: JsonObject,
    version: str,
    settings: Settings,
    resolve: SchemaResolver,
    references: References,
    numbers: NumberUsers | None = None,
    unread: Mapping[str, str] = {},  # it is never changed
) -> Migration:
    """Migrate every operation of a document.

    Args:
        document: the normalized document.
        version: the OpenAPI version of the raw document.
        settings: the caller's options.
        resolve: returns the composed request schema of a normalized one.
        references: the dangling references of the document.
        numbers: the users of numbers that could not be read; ``None`` if there are none.
        unread: why references to other documents were not followed, by their texts.
    """
    templates: list[tuple[Operation, Template | OperationError]] = []
    colons = colon_segments(document, settings)
    for operation in operations(document):
        try:
            if settings.extensions:
                _refuse_hidden(operation, document)
            templates.append((operation, _template(operation, settings, numbers, colons)))
        except Refused as refused:
            templates.append((operation, _operation_error(operation, refused, unread)))
    names = iter(
        accessor.assign(
            [
                accessor.AccessorInput(
                    method=operation.method,
                    path=operation.path,
                    template=template,
                    override=operation.raw.get("x-samchon-accessor"),
                )
                for operation, template in templates
                if isinstance(template, Template)
            ]
        )
    )
    valid = [operation.raw for operation, template in templates if isinstance(template, Template)]
    reader = _RouteReader(document, version, settings, resolve, references, valid)
    routes: list[Route] = []
    errors: list[OperationError] = []
    for operation, template in templates:
        if isinstance(template, OperationError):
            errors.append(template)
            continue
        try:
            routes.append(reader.route(operation, template, next(names)))
        except Refused as refused:
            errors.append(_operation_error(operation, refused, unread))
    return Migration(routes=tuple(routes), errors=tuple(errors))


def without(
    document: JsonObject,
    migration: Migration,
    code: OperationCode,
    refusal: Callable[[Route], str | None],
) -> Migration:
    """Return a migration in which the refused routes are errors, in document order."""
    refused = {
        id(route): reason for route in migration.routes if (reason := refusal(route)) is not None
    }
    errors = [
        OperationError(
            method=route.method,
            path=route.path,
            pointer=route.pointer,
            code=code,
            reason=refused[id(route)],
        )
        for route in migration.routes
        if id(route) in refused
    ]
    order = {
        (operation.path, operation.method): index
        for index, operation in enumerate(operations(document))
    }
    errors = sorted((*migration.errors, *errors), key=lambda error: order[error.path, error.method])
    routes = tuple(route for route in migration.routes if id(route) not in refused)
    return Migration(routes=routes, errors=tuple(errors))


def _operation_error(
    operation: Operation, refused: Refused, unread: Mapping[str, str]
) -> OperationError:
    reason = refused.reason
    if refused.reference in unread:
        reason = (
            f"the reference {refused.reference!r} was not followed: {unread[refused.reference]}"
        )
    return OperationError(
        method=operation.method,
        path=operation.path,
        pointer=refused.pointer,
        code=refused.code,
        reason=reason,
    )


def colon_segments(document: JsonObject, settings: Settings) -> ColonSegments:
    """Return which segments ``:a`` in the path keys of a document are parameters."""
    paths = document.get("paths")
    has_braces = isinstance(paths, dict) and any("{" in path for path in paths if is_name(path))
    return ColonSegments(settings.path_parameters, is_only_form=not has_braces)


def _template(
    operation: Operation,
    settings: Settings,
    numbers: NumberUsers | None,
    colons: ColonSegments,
) -> Template:
    """Check that an operation can be called, and parse its path."""
    if operation.method.lower() in _ON_REQUEST and operation.method.lower() not in settings.methods:
        reason = f"{operation.method} operations are left out; Options.methods converts them"
        raise Refused("method", reason, operation.pointer)
    reference = reference_of(operation.raw if operation.method else operation.item)
    if reference is not None:
        raise refuse_reference(reference, operation.pointer)
    if not isinstance(operation.raw, dict):
        what = "operation" if operation.method else "path item"
        raise Refused("malformed", f"the {what} is not an object", operation.pointer)
    if operation.additional and operation.method.lower() in METHODS:
        reason = f"{operation.method} is a field of the path item itself; move the operation there"
        raise Refused("malformed", reason, operation.pointer)
    if not _TOKEN.fullmatch(operation.method):
        reason = f"{operation.method[:40]!r} is not an HTTP method"
        raise Refused("method", reason, operation.pointer)
    if is_true(operation.raw.get("x-samchon-human")):
        reason = "x-samchon-human excludes the operation: only people may call it"
        raise Refused("human", reason, operation.pointer)
    fault = numbers and numbers.fault_of(operation.path, operation.method)
    if fault:
        raise Refused("malformed", fault.text, fault.pointer)
    try:
        return parse_template(operation.path, _declared_in_path(operation.raw), colons)
    except ValueError as error:
        raise Refused("path", str(error), join(("paths", operation.path))) from None


def _refuse_hidden(operation: Operation, document: JsonObject) -> None:
    """Refuse an operation that its document hides from models (rule R13)."""
    levels = [node for node in (operation.raw, operation.item, document) if isinstance(node, dict)]
    if any(is_true(node.get("x-internal")) for node in levels):
        raise Refused("extension", "x-internal hides the operation", operation.pointer)
    closest = next((node["x-mcp"] for node in levels if is_boolean(node.get("x-mcp"))), None)
    if closest is not None and not is_true(closest):
        raise Refused("extension", "x-mcp: false hides the operation", operation.pointer)


def _declared_in_path(raw: JsonObject) -> Iterator[str]:
    """Yield the names that an operation declares with ``in: path``. Most path keys do not need these names."""
    for parameter in dicts(raw.get("parameters")):
        if parameter.get("in") == "path" and isinstance(parameter.get("name"), str):
            yield parameter["name"]


class _RouteReader:
    """Conversion of the operations of one document to routes."""

    def __init__(
        self,
        document: JsonObject,
        version: str,
        settings: Settings,
        resolve: SchemaResolver,
        references: References,
        operations: Sequence[Any],
    ) -> None:
        self._settings = settings
        self._version = version
        self._resolve = resolve
        self._references = references
        components = document.get("components", {})
        schemes = components.get("securitySchemes", {})
        self._credentials = credential_parameters(schemes.values(), operations)
        self._security = document.get("security")

    def route(self, operation: Operation, template: Template, naming: accessor.Naming) -> Route:
        """Return an operation as a route.

        Raises:
            Refused: the operation needs a dangling reference.
        """
        raw, pointer = operation.raw, operation.pointer
        notes: list[Note] = []
        if naming.ignored is not None:
            notes.append(Note(pointer=f"{pointer}/x-samchon-accessor", text=naming.ignored))
        declared = self._parameters(raw, pointer, notes)
        names = placeholders(template)
        in_path = _fill(declared, template)
        taken = {place for _, place in in_path}
        in_groups = [pair for pair in declared if pair[1] not in taken]
        in_groups = _without_fixed(in_groups, template, notes)
        parameters = path_parameters(names, in_path, notes, pointer)
        if "/:" in operation.path:
            choices = self._settings.path_parameters
            notes += _colon_notes(operation, template, parameters, choices)
        by_key, hidden = groups(
            in_groups, operation.path, self._settings, self._credentials, self._resolve, notes
        )
        body = body_of(
            raw.get("requestBody"),
            self._media_type_option(operation, naming.accessor),
            self._version,
            f"{pointer}/requestBody",
            self._resolve,
            notes,
        )
        if self._references.may_be_lost:
            members = (parameter for group in by_key.values() for parameter in group.parameters)
            for part in (*parameters, *members, body):
                if part is not None:
                    self._needs(part.schema, part.pointer or pointer)
        success, exceptions = self._read_responses(
            raw.get("responses"), f"{pointer}/responses", notes
        )
        place = f"{pointer}/security" if "security" in raw else "/security"
        security = _requirements(raw.get("security", self._security), place, notes)
        return Route(
            method=operation.method,
            path=operation.path,
            template=template,
            accessor=naming.accessor,
            parameters=parameters,
            query=by_key.get("query"),
            headers=by_key.get("headers"),
            cookies=by_key.get("cookies"),
            body=body,
            success=success,
            exceptions=exceptions,
            security=security,
            servers=tuple(dicts(raw.get("servers")) or dicts(operation.item.get("servers"))),
            notes=tuple(notes),
            operation=raw,
            pointer=pointer,
            hidden=hidden,
            fixed={},
        )

    def _needs(self, schema: Any, pointer: str) -> None:
        lost = self._references.find_lost(schema)
        if lost is not None:
            raise refuse_reference(lost, pointer)

    def _parameters(
        self, raw: JsonObject, pointer: str, notes: list[Note]
    ) -> list[tuple[JsonObject, str]]:
        """Return the parameters with a name and a valid location, with their pointers."""
        parameters = []
        declared = raw.get("parameters")
        reference = reference_of(declared)
        if reference is not None:
            raise refuse_reference(reference, f"{pointer}/parameters")
        if declared is not None and not isinstance(declared, list):
            raise Refused("malformed", "parameters is not a list", f"{pointer}/parameters")
        for index, parameter in enumerate(declared or ()):
            place = f"{pointer}/parameters/{index}"
            if not isinstance(parameter, dict):
                text = "a parameter is not an object; it is ignored"
                notes.append(Note(pointer=place, text=text))
                continue
            reference = reference_of(parameter)
            if reference is not None:
                raise refuse_reference(reference, place)
            name, where = parameter.get("name"), parameter.get("in")
            if isinstance(name, str) and name and isinstance(where, str) and where in _PLACES:
                parameters.append((parameter, place))
            elif not isinstance(name, str) or not name:
                text = f"a parameter with the name {str(name or '')[:20]!r} in {str(where)[:20]!r} is ignored"
                notes.append(Note(pointer=place, text=text))
            else:
                text = f"the parameter {name[:40]!r} has no valid location ({str(where)[:20]!r}); it is ignored"
                notes.append(Note(pointer=place, text=text))
        return parameters

    def _media_type_option(self, operation: Operation, accessor: tuple[str, ...]) -> str | None:
        """Return the media type that ``Options.media_types`` selects by any name of the operation."""
        if not self._settings.media_types:
            return None
        keys = OperationKeys.from_operation(
            accessor, operation.method, operation.path, operation.raw
        )
        return next(values_for(self._settings.media_types, keys), None)

    # -- responses ----------------------------------------------------------------------------------

    def _find_lost(self, response: DeclaredResponse, raw: JsonObject) -> str | None:
        """Return the dangling reference that the output needs, or ``None``."""
        return reference_of(media_type_object_of(response, raw)) or self._references.find_lost(
            response.schema
        )

    def _read_responses(
        self, raw: Any, pointer: str, notes: list[Note]
    ) -> tuple[DeclaredResponse | None, Mapping[str, DeclaredResponse]]:
        if not isinstance(raw, dict):
            return None, {}
        if reference_of(raw) is not None:
            text = f"the reference {raw['$ref']!r} of the responses has no target"
            notes.append(Note(pointer=pointer, text=text))
        declared = {
            status: response
            for status, response in raw.items()
            if is_name(status) and isinstance(response, dict)
        }
        for status, response in declared.items():
            reference = reference_of(response) or reference_of(response.get("content"))
            if reference is not None:
                text = f"the response reference {reference!r} has no target"
                notes.append(Note(pointer=f"{pointer}/{status}", text=text))
        responses = DeclaredResponses(declared, self._resolve)
        success = success_of(responses)
        lost = self._find_lost(success, raw) if success is not None else None
        if success is not None and lost is not None:
            text = (
                f"the reference {lost!r} of the response has no target: any value is accepted there"
            )
            notes.append(Note(pointer=f"{pointer}/{success.status}", text=text))
        return success, responses.without(None if success is None else success.status)


def _colon_notes(
    operation: Operation,
    template: Template,
    parameters: Sequence[Parameter],
    choices: Mapping[str, bool],
) -> Iterator[Note]:
    """Yield a note for each segment ``:a`` of a path key that no declaration decides (rule R3)."""
    declared = {parameter.name for parameter in parameters if parameter.pointer}
    for text, pieces in zip(
        operation.path.partition("#")[0].partition("?")[0][1:].split("/"),
        template.segments,
        strict=False,
    ):
        name = colon_name(text)
        if name is not None and name not in declared:
            is_text = pieces == (text,)
            what = "sent as text" if is_text else "a parameter"
            why = "Options.path_parameters says so"
            if name not in choices:
                other = "makes it a parameter" if is_text else "sends it as text"
                why = (
                    f"nothing declares it; Options.path_parameters={{{name!r}: {is_text}}} {other}"
                )
            yield Note(
                pointer=join(("paths", operation.path)),
                text=f"the segment {text!r} of the path is {what}, because {why}",
            )


def _in_query(template: Template) -> frozenset[str]:
    """Return the names of the placeholders in the fixed query of a path key."""
    pieces = [piece for _, value in template.query for piece in value or ()]
    return frozenset(piece.name for piece in pieces if isinstance(piece, Placeholder))


def _fill(
    declared: list[tuple[JsonObject, str]], template: Template
) -> list[tuple[JsonObject, str]]:
    """Return the parameters of the template: those with ``in: path``, and those of placeholders in its query."""
    in_path = [pair for pair in declared if pair[0]["in"] == "path"]
    if not template.query:
        return in_path
    wanted = _in_query(template) - {raw["name"] for raw, _ in in_path}
    in_query = [pair for pair in declared if pair[0]["in"] == "query" and pair[0]["name"] in wanted]
    return [*in_path, *in_query]


def _without_fixed(
    declared: list[tuple[JsonObject, str]], template: Template, notes: list[Note]
) -> list[tuple[JsonObject, str]]:
    """Return the parameters except those that the query of the path key fixes (rule R3)."""
    fixed = {name for name, _ in template.query}
    if not fixed:
        return declared
    kept = []
    for raw, place in declared:
        if raw["in"] == "query" and raw["name"] in fixed:
            text = f"the query parameter {raw['name']!r} is fixed by the path key; it is ignored"
            notes.append(Note(pointer=place, text=text))
        else:
            kept.append((raw, place))
    return kept


def _requirements(
    raw: Any, pointer: str, notes: list[Note]
) -> tuple[tuple[tuple[str, tuple[str, ...]], ...], ...]:
    """Return Security Requirement Objects as alternatives, each a list of (scheme name, scopes).

    Malformed ones keep their schemes, so that no call loses its credential: a single requirement without its list, a
    name alone, and a name without a list of scopes (``- api_key:`` in YAML).
    """
    alternatives = []
    is_malformed = not isinstance(raw, list | None)
    for item in [] if raw is None else [raw] if is_malformed else raw:
        requirement = {item: []} if isinstance(item, str) else item
        is_malformed |= requirement is not item or not isinstance(requirement, dict)
        if isinstance(requirement, dict):
            lists = [
                scopes if isinstance(scopes, list) else None for scopes in requirement.values()
            ]
            is_malformed |= None in lists
            texts = [
                tuple(text for text in scopes or () if isinstance(text, str)) for scopes in lists
            ]
            alternatives.append(tuple(zip(requirement, texts, strict=True)))
    if is_malformed:
        text = "security is not a list of objects with lists of scopes; the schemes that it names are required nevertheless"
        notes.append(Note(pointer=pointer, text=text))
    return tuple(alternatives)
