"""A function in a few characters, to notice when a document changed after it was reviewed (threat T14)."""

import hashlib
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, Protocol

from specfn._json import JsonObject, dumps_sorted, loads
from specfn.function.schemas import Schemas
from specfn.migrate.route import Api, Body, Parameter, Route


class Shown(Protocol):
    """What a fingerprint is made of: a function, seen from below."""

    @property
    def name(self) -> str:
        """The function's name."""

    @property
    def description(self) -> str:
        """What a model is told."""

    @property
    def route(self) -> Route:
        """The operation."""

    @property
    def api(self) -> Api:
        """What the document says for all operations."""

    @property
    def schemas(self) -> Schemas:
        """The schemas."""


def fingerprint(function: Shown) -> str:
    """The SHA-256 of what a model reads and of what goes over the wire, in hexadecimal."""
    parameters, output = function.schemas.written
    told = {
        "name": function.name,
        "description": function.description,
        "parameters": loads(parameters),
        "output": None if output is None else loads(output),
        "wire": _wire(function.route, function.api),
    }
    return hashlib.sha256(dumps_sorted(told)).hexdigest()


def combined(fingerprints: Iterable[str]) -> str:
    """One fingerprint for many, whatever their order."""
    return hashlib.sha256("\n".join(sorted(fingerprints)).encode()).hexdigest()


def _wire(route: Route, api: Api) -> JsonObject:
    parameters = [*route.parameters, *(p for group in route.groups for p in group.parameters)]
    fixed = {"fixed": sorted([[*place], value] for place, value in route.fixed.items())}
    return {
        "method": route.method,
        "path": route.path,
        "parameters": [_parameter(parameter) for parameter in parameters],
        "body": None if route.body is None else _body(route.body),
        "hidden": [_parameter(parameter) for parameter in route.hidden],
        "accept": [] if route.success is None else sorted(route.success.media_types),
        "servers": [*route.servers, None, *api.servers],
        "security": [
            [[name, list(scopes), api.security_schemes.get(name)] for name, scopes in requirement]
            for requirement in route.security
        ],
        **(fixed if route.fixed else {}),
    }


def _body(body: Body) -> list[Any]:
    told = [body.media_type, body.kind, dict(body.encoding), body.transfer, body.is_itemwise]
    return [*told, asdict(body.parts)] if body.kind == "multipart" else told


def _parameter(parameter: Parameter) -> list[Any]:
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
