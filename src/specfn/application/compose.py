"""Construction of an application from routes and options."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from specfn._internal.json import JsonObject
from specfn._internal.pointer import join, split
from specfn.application.application import Application
from specfn.application.keyed_options import refuse_unmatched, with_names_and_descriptions
from specfn.document.normalize import Normalized
from specfn.document.references.number_users import NumberUsers
from specfn.document.references.resolve import DanglingReferenceError, Resolver
from specfn.document.upgrade.keywords import is_boolean, is_true
from specfn.document.upgrade.openapi3 import dicts
from specfn.function import naming
from specfn.function.composer import Composer
from specfn.function.function import Function
from specfn.function.standard_parameters import mark_standard
from specfn.migrate.broken_references import References
from specfn.migrate.migrate import migrate, operations, without
from specfn.migrate.operation_keys import route_keys, values_for
from specfn.migrate.paging.paging import LazyPaging
from specfn.migrate.parameters.fixed import fix
from specfn.migrate.parameters.parameters import reason_to_reserve
from specfn.migrate.route import Api, Route
from specfn.migrate.safety import (
    exceeds,
    is_repeatable,
    level_keys,
    method_safety,
    safety_by_extension,
    safety_by_verb,
)
from specfn.records import Note
from specfn.schema.expansion_limits import MAX_NODES, Unfolding, is_suspicious
from specfn.schema.patterns.cost import bytes_of_function
from specfn.settings import Safety, Settings
from specfn.tools.function_keys import FunctionKeys
from specfn.tools.function_set import AdvertisedFunction, NamedFunctions
from specfn.tools.selection import choose


def compose(
    normalized: Normalized,
    settings: Settings,
    *,
    raw: JsonObject,
    source: str | None = None,
    notes: tuple[Note, ...] = (),
    unreadable: bool = False,
    unread: Mapping[str, str] = {},  # it is never changed
    overlays: tuple[str, ...] = (),
    levels: Mapping[str, Safety] = {},  # it is never changed
) -> Application:
    """Compose the functions of a normalized document. Schemas are composed on first use.

    Args:
        normalized: the document.
        settings: the caller's options.
        raw: the document as it was read.
        source: where it was read from.
        notes: faults found while it was read.
        unreadable: whether it contains numbers that could not be read.
        unread: why references to other documents were not followed, by their texts.
        overlays: the names of the overlays that changed the document.
        levels: the safety of operations before that, by ``METHOD /path``, decoded.
    """
    document = normalized.document
    schemas = document["components"]["schemas"]
    composer = Composer(schemas, settings, has_directions=normalized.has_directions)
    references = References(schemas, normalized.dangling)
    numbers = NumberUsers(raw, source) if unreadable else None
    migration = migrate(
        document, normalized.version, settings, composer.resolve_schema, references, numbers, unread
    )
    if settings.recursive is False:
        migration = without(document, migration, "recursive", composer.recursion)
    if is_suspicious(schemas):
        migration = without(document, migration, "chain", composer.excess)
    if normalized.nodes > MAX_NODES:
        migration = without(document, migration, "chain", _refuse_oversized(Unfolding(schemas)))
    refuse_unmatched(migration.routes, document, settings, composer.resolve_schema)
    routes = fix(migration.routes, settings.fixed, composer.resolve_schema)
    composer.check_fixed(routes)
    routes, faults = _distribute_notes(routes, normalized.notes)
    resolver = Resolver(raw, source)
    routes = tuple(
        _with_safety(route._replace(raw=_raw_operation(resolver, route)), settings, levels)
        for route in routes
    )
    if settings.extensions:
        routes = tuple(_note_extensions(route) for route in routes)
    if settings.standard == "omit":
        routes = tuple(mark_standard(routes, settings.hidden))
    identities = [route.method_and_path for route in routes]
    parts, routes = _name_parts(routes, identities, settings)
    names = naming.names(parts, identities, settings.max_length)
    scopes: dict[
        str, tuple[str, ...]
    ] = {}  # those of the selected functions, which share the record
    api = _api(document, source, normalized.version, routes)._replace(scopes=scopes)
    composer.pattern_bytes = bytes_of_function(len(routes))
    candidates = (
        _build_function(route, name, api, composer, schemas, shortened=name != "_".join(whole))
        for route, name, whole in zip(routes, names, parts, strict=True)
    )
    functions = _select(with_names_and_descriptions([*candidates], settings), settings)
    scopes.update(_scopes(functions))
    return Application(
        functions=NamedFunctions(functions),
        errors=migration.errors,
        document=document,
        source=source,
        settings=settings,
        notes=(*notes, *faults, *_unrequired_notes(api)),
        raw=raw,
        overlays=overlays,
    )


def _distribute_notes(
    routes: tuple[Route, ...], notes: tuple[Note, ...]
) -> tuple[tuple[Route, ...], tuple[Note, ...]]:
    """Return the routes with the notes about them, and the other notes."""
    if not notes:
        return routes, notes
    places = {route.pointer: index for index, route in enumerate(routes)}
    own: dict[int, list[Note]] = {}
    others: list[Note] = []
    for note in notes:
        tokens = note.pointer.split("/")
        index = places.get("/".join(tokens[:4]), places.get("/".join(tokens[:5])))
        (others if index is None else own.setdefault(index, [])).append(note)
    marked = (
        route._replace(notes=(*own[index], *route.notes)) if index in own else route
        for index, route in enumerate(routes)
    )
    return tuple(marked), tuple(others)


def _select(functions: Sequence[Function], settings: Settings) -> tuple[Function, ...]:
    if settings.select is None:
        return tuple(functions)
    entries = [AdvertisedFunction(name=function.name, function=function) for function in functions]
    chosen = choose(entries, FunctionKeys(entries), settings.select)
    return tuple(entry.function for entry in chosen)


def _name_parts(
    routes: tuple[Route, ...], identities: Sequence[str], settings: Settings
) -> tuple[list[tuple[str, ...]], tuple[Route, ...]]:
    """Return the parts of the name of each function (rule F1), and the routes; an operationId that cannot be the name gets a note."""
    accessors = [route.accessor for route in routes]
    if settings.naming == "path":
        return accessors, routes
    ids = [route.operation.get("operationId") for route in routes]
    named = naming.by_operation_id(accessors, ids, identities)
    noted = tuple(
        route if reason is None else _add_note(route, reason)
        for route, (_, reason) in zip(routes, named, strict=True)
    )
    return [parts for parts, _ in named], noted


def _add_note(route: Route, text: str) -> Route:
    """Add a note at the operationId, or at the operation if it has none."""
    member = "/operationId" if "operationId" in route.operation else ""
    note = Note(pointer=route.pointer + member, text=text)
    return route._replace(notes=(*route.notes, note))


def _refuse_oversized(unfolding: Unfolding) -> Callable[[Route], str | None]:
    """Return a function that gives the reason to refuse a route whose arguments expand to too many schemas."""

    def reason(route: Route) -> str | None:
        parameters = [*route.parameters, *(p for group in route.groups for p in group.parameters)]
        roots = [part.schema for part in (*parameters, route.body) if part is not None]
        count = unfolding.nodes(roots)
        if count <= MAX_NODES:
            return None
        return (
            f"the arguments expand to over {MAX_NODES:,} schemas; use references instead of copies"
        )

    return reason


def _raw_operation(resolver: Resolver, route: Route) -> Any:
    """Return the Operation Object as it was read; ``None`` if a reference to it cannot be followed."""
    try:
        operation = resolver.document["paths"][route.path][route.method]
        if operation.__class__ is dict and "$ref" not in operation:
            return operation
    except KeyError:
        pass  # behind a reference, or an additional operation
    node: Any = resolver.document
    try:
        for token in split(route.pointer):
            node = resolver.follow(node)[0][token]
        return resolver.follow(node)[0]
    except (DanglingReferenceError, LookupError, TypeError):
        return None


def _api(document: JsonObject, source: str | None, version: str, routes: Sequence[Route]) -> Api:
    """Return what all operations of a document share: title, servers, security schemes."""
    schemes = document["components"].get("securitySchemes", {})
    info = document.get("info")
    title = info.get("title") if isinstance(info, dict) else None
    required = [document, *(operation.raw for operation in operations(document))] if schemes else []
    mentioned = {
        name
        for node in required
        if isinstance(node, dict)
        for requirement in dicts(node.get("security"))
        for name in requirement
    }
    schemes = {name: node for name, node in schemes.items() if isinstance(node, dict)}
    return Api(
        servers=tuple(dicts(document.get("servers"))),
        security_schemes=schemes,
        source=source,
        title=title if isinstance(title, str) else "",
        version=version,
        unrequired=frozenset(schemes).difference(mentioned),
        hidden=frozenset(
            parameter.name
            for route in routes
            for parameter in route.hidden
            if reason_to_reserve(parameter.name, parameter.location) is None
        ),
    )


def _scopes(functions: Iterable[Function]) -> dict[str, tuple[str, ...]]:
    """Return the scopes that functions require, by the name of the security scheme."""
    scopes: dict[str, dict[str, None]] = {}
    for function in functions:
        for requirement in function.route.security:
            for name, required in requirement:
                scopes.setdefault(name, {}).update(dict.fromkeys(required))
    return {name: tuple(required) for name, required in scopes.items()}


def _unrequired_notes(api: Api) -> Iterator[Note]:
    """Yield a note for each security scheme that no requirement mentions (rule X6)."""
    for name in api.security_schemes:
        if name in api.unrequired:
            text = (
                f"no security requirement mentions the scheme {name!r}: a credential for it is sent with every "
                "operation that declares no security of its own"
            )
            yield Note(pointer=join(("components", "securitySchemes", name)), text=text)


def _with_safety(route: Route, settings: Settings, levels: Mapping[str, Safety]) -> Route:
    """Return a route with its safety (rule F6).

    It is that of ``Options.safety``, else that of the method and the verb, but not less than before overlays.
    """
    asked = next(values_for(settings.safety, route_keys(route)), None) if settings.safety else None
    if asked is not None:
        return route._replace(safety=asked)
    safety = method_safety(route)
    raised = safety_by_verb(route, safety)
    if raised is None and settings.extensions:
        raised = safety_by_extension(route, safety)
    own, of_path = level_keys(route.method_and_path)
    before = levels.get(own) or levels.get(of_path, "read")
    if exceeds(before, safety if raised is None else raised[0]):
        text = f"the safety is {before!r}, because overlays do not lower it; Options.safety overrides it"
        raised = before, Note(pointer=route.pointer, text=text)
    if raised is None:
        return route._replace(safety=safety)
    return route._replace(safety=raised[0], notes=(*route.notes, raised[1]))


def _note_extensions(route: Route) -> Route:
    """Return a route with a note about a value of ``x-mcp`` that is not a boolean."""
    if "x-mcp" not in route.operation or is_boolean(route.operation["x-mcp"]):
        return route
    text = "x-mcp is ignored, because it is not true or false; see Options.select and Options.names"
    return route._replace(notes=(*route.notes, Note(pointer=f"{route.pointer}/x-mcp", text=text)))


def _build_function(
    route: Route,
    name: str,
    api: Api,
    composer: Composer,
    components: JsonObject,
    *,
    shortened: bool,
) -> Function:
    schemas = composer.schemas(route)
    sides = schemas.split_schemas
    tags = route.operation.get("tags")
    return Function(
        name=name,
        accessor=route.accessor,
        tags=tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else (),
        deprecated=is_true(route.operation.get("deprecated")),
        safety=route.safety,
        idempotent=is_repeatable(route),
        route=route,
        api=api,
        schemas=schemas,
        undescribed_keys=route.standard | (frozenset() if sides is None else sides.human_keys),
        shortened=shortened,
        lazy_paging=LazyPaging(route, components, schemas.settings.paging),
    )
