"""Fingerprints of functions, to detect changes of a document after its review (threat T14)."""

from collections.abc import Iterable
from typing import Any, Final

from specfn._internal.digest import digest
from specfn._internal.json import JsonObject, dumps_sorted, loads
from specfn.function.function_schemas import FunctionInterface
from specfn.migrate.route import Api, Body, MultipartPart, MultipartParts, Parameter, Route
from specfn.migrate.safety import method_safety, safety_by_verb


def fingerprint(function: FunctionInterface) -> str:
    """Return the SHA-256 of everything that a model reads and that determines requests, in hexadecimal."""
    return _hash(_facts(function))


def parts(function: FunctionInterface) -> dict[str, str]:
    """Return short fingerprints of the parts of a function, to identify the part that changed."""
    return {key: _hash(value)[:16] for key, value in _facts(function).items() if key != "name"}


def _hash(content: Any) -> str:
    return digest(dumps_sorted(content))


def _facts(function: FunctionInterface) -> JsonObject:
    """Return everything that a model reads and that determines requests."""
    output = function.schemas.as_json[1]
    split_schemas = function.schemas.split_schemas
    llm = {}
    if split_schemas is not None and split_schemas.human is not None:
        llm["llm"] = loads(split_schemas.model.full_json)
    return {
        "name": function.name,
        "description": function.reviewed_description,
        "parameters": loads(function.schemas.full_json),
        "output": None if output is None else loads(output),
        "wire": _request_facts(function.route, function.api),
        **llm,
    }


def combine_fingerprints(fingerprints: Iterable[str]) -> str:
    """Return one fingerprint for many, in any order."""
    return digest("\n".join(sorted(fingerprints)))


def _request_facts(route: Route, api: Api) -> JsonObject:
    """Return everything that determines requests, as JSON."""
    fixed = sorted([[*place], value] for place, value in route.fixed.items())
    parameters = [*route.parameters, *(p for group in route.groups for p in group.parameters)]
    by_verb = safety_by_verb(route, method_safety(route))
    return {
        **({} if by_verb is None else {"safety": by_verb[0]}),
        "method": route.method,
        "path": route.path,
        "parameters": [_parameter_facts(parameter) for parameter in parameters],
        "hidden": [_parameter_facts(parameter) for parameter in route.hidden],
        "body": None if route.body is None else body_parts(route.body),
        "accept": [] if route.success is None else sorted(route.success.media_types),
        "servers": [*map(_server_facts, route.servers), None, *map(_server_facts, api.servers)],
        "security": [
            [[name, list(scopes), scheme_facts(api, name)] for name, scopes in requirement]
            for requirement in route.security
        ],
        **({"fixed": fixed} if fixed else {}),
    }


def body_parts(body: Body) -> list[Any]:
    """Return the media type of a body and its encoding as JSON."""
    if body.kind == "multipart":
        how = _parts_facts(body.parts)
    else:
        how = {name: _select_keys(node, _ENCODING) for name, node in body.encoding.items()}
    return [body.media_type, body.kind, how, body.transfer, body.is_itemwise]


def _parts_facts(parts: MultipartParts) -> JsonObject:
    return {
        "named": {name: _part_facts(part) for name, part in parts.named.items()},
        "prefix": [*map(_part_facts, parts.prefix)],
        "rest": _part_facts(parts.rest),
    }


def _part_facts(part: MultipartPart) -> JsonObject:
    return {**part._asdict(), "inner": None if part.inner is None else _parts_facts(part.inner)}


def _server_facts(server: JsonObject) -> JsonObject:
    variables = server.get("variables")
    variables = variables if isinstance(variables, dict) else {}
    return {
        "url": server.get("url"),
        "variables": {
            name: _select_keys(node, ("default", "enum")) for name, node in variables.items()
        },
    }


def scheme_facts(api: Api, name: str) -> JsonObject | None:
    """Return the parts of a security scheme that determine requests; ``None`` if there is no scheme."""
    scheme = api.security_schemes.get(name)
    return None if scheme is None else _select_keys(scheme, ("type", "scheme", "in", "name"))


#: The members of an Encoding Object that determine a form.
_ENCODING: Final = ("contentType", "style", "explode", "allowReserved")


def _select_keys(node: Any, keys: tuple[str, ...]) -> JsonObject:
    return {key: node[key] for key in keys if key in node} if isinstance(node, dict) else {}


def _parameter_facts(parameter: Parameter) -> list[Any]:
    return [
        parameter.name,
        parameter.key,
        parameter.location,
        parameter.style,
        parameter.explode,
        parameter.allow_reserved,
        parameter.allow_empty_value,
        parameter.media_type,
        list(parameter.members),
    ]
