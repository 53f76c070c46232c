"""Security requirements and credentials of a request (rule X6)."""

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from specfn._internal.json import JsonObject
from specfn.errors import UsageError
from specfn.http.connection import MASK, Connection, reveal
from specfn.migrate.parameters.reserved import overrides
from specfn.migrate.route import Api, Location, Parameter, Route
from specfn.network.headers import is_cookie_value, is_token, is_value
from specfn.network.origins import Base, is_loopback

Slot: TypeAlias = Literal["header", "query", "cookie"]

#: Headers that always contain a credential.
_SECRET_HEADERS: Final = frozenset({"authorization", "cookie", "proxy-authorization"})


#: The slot of a parameter location, and the field of the connection for a slot.
_SLOTS: Final[Mapping[Location, Slot]] = {
    "query": "query",
    "querystring": "query",
    "header": "header",
    "cookie": "cookie",
}
_FIELDS: Final[Mapping[Slot, str]] = {"query": "query", "header": "headers", "cookie": "cookies"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """The placement of a credential in a request.

    Attributes:
        slot: ``header``, ``query`` or ``cookie``.
        name: the name of the header, query parameter or cookie.
        value: the value; the repr omits it.
    """

    slot: Slot
    name: str
    value: str = field(repr=False)


def require_declared(api: Api, connection: Connection) -> None:
    """Check that each credential of a connection belongs to a security scheme of the document.

    Raises:
        UsageError: a credential belongs to no declared scheme.
    """
    unknown = sorted(set(connection.credentials).difference(api.security_schemes))
    if unknown:
        known = ", ".join(sorted(api.security_schemes)) or "none"
        raise UsageError(
            f"the connection has a credential for {unknown[0]!r}, which is not a security scheme of the document; "
            f"the document declares: {known}"
        )


def required_schemes(route: Route, api: Api, base: Base, connection: Connection) -> tuple[str, ...]:
    """Return the names of the security schemes whose credentials are sent.

    The first satisfied security requirement is used. The empty requirement comes last, so that optional authentication
    is used if the connection has a credential.

    Raises:
        UsageError: no requirement is satisfied, a credential belongs to no declared scheme, or credentials must not be
            sent to the base URL.
    """
    require_declared(api, connection)
    names = _first_satisfied_requirement(route, api, connection)
    names = (*names, *_schemes_of_hidden(route, api, connection, names))
    if not base.trusted:
        if names:
            raise UsageError(
                f"{route.method_and_path} needs credentials, but {base.origin} is not an origin of the "
                "connection: add it to connection.origins to send them there",
            )
        return ()
    if _is_exposed(base, connection) and (names or _carries_secrets(route, api, connection)):
        raise UsageError(
            f"credentials cannot be sent to {base.origin}, which does not use https: "
            "pass allow_insecure=True to send them",
        )
    return tuple(name for name in names if name in connection.credentials)


def _first_satisfied_requirement(route: Route, api: Api, connection: Connection) -> tuple[str, ...]:
    alternatives = [tuple(name for name, _ in requirement) for requirement in route.security]
    if not alternatives:
        return ()
    for names in alternatives:
        if names and all(_has(name, api, connection) for name in names):
            return names
    if () in alternatives:
        return ()
    wanted = " or ".join(" and ".join(names) for names in alternatives)
    if not any(api.security_schemes.keys() >= set(names) for names in alternatives):
        raise UsageError(
            f"{route.method_and_path} needs credentials: {wanted}; the document declares no such "
            f"security scheme (it declares: {', '.join(sorted(api.security_schemes)) or 'none'}): correct the document"
        )
    raise UsageError(
        f"{route.method_and_path} needs credentials: {wanted}; "
        "pass them by these names in connection.credentials",
    )


def _schemes_of_hidden(
    route: Route, api: Api, connection: Connection, names: tuple[str, ...]
) -> tuple[str, ...]:
    """Return further schemes, whose keys the operation declares as parameters (rule R7).

    Raises:
        UsageError: a required hidden parameter has no value.
    """
    wanted = []
    for parameter in route.hidden:
        slot = _SLOTS[parameter.location]
        schemes = api.security_schemes.items()
        own = [name for name, scheme in schemes if _is_at(scheme, slot, parameter.name)]
        given = [name for name in own if name in connection.credentials]
        if not set(own) & set(names) and not _is_given(slot, parameter.name, connection):
            if given:
                wanted.append(given[0])
            elif parameter.required and not (own and route.security):
                raise UsageError(_missing(route, slot, parameter, own))
    return tuple(dict.fromkeys(wanted))


def _is_at(scheme: JsonObject, slot: Slot, name: str) -> bool:
    if scheme.get("type") != "apiKey" or _slot(scheme)[0] != slot:
        return False
    own = _slot(scheme)[1]
    return own == name or (slot == "header" and own.lower() == name.lower())


def _missing(route: Route, slot: Slot, parameter: Parameter, schemes: list[str]) -> str:
    """Return the error text for a required hidden parameter without a value, with the option that sets it."""
    name = parameter.name
    option = f"connection.{_FIELDS[slot]}[{name!r}]"
    if overrides(name, parameter.location) is not None:
        option = f"Options.fixed[{f'{parameter.location}.{name}'!r}] or {option}"
    elif schemes:
        option = f"connection.credentials[{schemes[0]!r}]"
    return (
        f"{route.method_and_path} needs the {slot} parameter {name!r}, "
        f"which the model does not see: pass it as {option}"
    )


def _has(name: str, api: Api, connection: Connection) -> bool:
    """Return whether the connection has a credential for a scheme, or already passes the header itself."""
    scheme = api.security_schemes.get(name)
    if scheme is None:
        return False
    if scheme.get("type") == "mutualTLS":
        return connection.client is not None or connection.async_client is not None
    return name in connection.credentials or _is_passed(scheme, connection)


def _is_passed(scheme: JsonObject, connection: Connection) -> bool:
    """Return whether the headers, query or cookies of the caller already contain the credential of a scheme."""
    return _is_given(*_slot(scheme), connection)


def _is_given(slot: Slot, name: str, connection: Connection) -> bool:
    """Return whether the headers, query or cookies of the caller contain a name."""
    if slot == "header":
        return name.lower() in {header.lower() for header in connection.headers}
    return name in (connection.query if slot == "query" else connection.cookies)


def _slot(scheme: JsonObject) -> tuple[Slot, str]:
    if scheme.get("type") != "apiKey":
        return "header", "Authorization"
    place = scheme.get("in")
    slot: Slot = "query" if place == "query" else "cookie" if place == "cookie" else "header"
    return slot, str(scheme.get("name", ""))


def _is_exposed(base: Base, connection: Connection) -> bool:
    return base.scheme != "https" and not connection.allow_insecure and not is_loopback(base.host)


def _carries_secrets(route: Route, api: Api, connection: Connection) -> bool:
    """Return whether the headers, query or cookies of the caller contain credentials."""
    named = any(header.lower() in _SECRET_HEADERS for header in connection.headers)
    return (
        named
        or bool(connection.cookies)
        or any(_is_passed(scheme, connection) for scheme in api.security_schemes.values())
        or any(
            _is_given(_SLOTS[parameter.location], parameter.name, connection)
            for parameter in route.hidden
            if overrides(parameter.name, parameter.location) is None
        )
    )


def place_credential(name: str, scheme: JsonObject, credential: Any) -> Placement | None:
    """Return a credential with its placement; ``None`` for ``mutualTLS``, which the client handles.

    Args:
        name: the name of the scheme, for errors.
        scheme: the Security Scheme Object.
        credential: a string, or user and password.

    Raises:
        UsageError: the credential does not fit the scheme. The message does not contain the credential.
    """
    if scheme.get("type") == "mutualTLS":
        return None
    slot, target = _slot(scheme)
    writer = _WRITERS.get(_kind(scheme), _other)
    value = writer(name, scheme, credential)
    if not is_token(target) and slot != "query":
        raise UsageError(
            f"the security scheme {name!r} declares no valid name of a header or cookie: correct the document"
        )
    if not (is_cookie_value(value) if slot == "cookie" else is_value(value)):
        raise UsageError(
            f"the credential for {name!r} contains a character that is not allowed in a {slot}: pass it without this "
            "character"
        )
    return Placement(slot=slot, name=target, value=value)


def mask_placement(scheme: JsonObject) -> Placement | None:
    """Return the placement of a credential, with a mask as its value."""
    if scheme.get("type") == "mutualTLS":
        return None
    slot, target = _slot(scheme)
    kind = _kind(scheme)
    prefix = "" if kind == "apiKey" else f"{_PREFIXES.get(kind, scheme.get('scheme', ''))} "
    return Placement(slot=slot, name=target, value=prefix + MASK)


def _kind(scheme: JsonObject) -> str:
    kind = str(scheme.get("type", ""))
    return str(scheme.get("scheme", "")).lower() if kind == "http" else kind


def _text(name: str, _: JsonObject, credential: Any) -> str:
    text = reveal(credential)
    if not isinstance(text, str):
        raise UsageError(f"the credential for {name!r} must be a string, not {type(text).__name__}")
    if not text.strip():
        raise UsageError(
            f"the credential for {name!r} is empty: pass its value in connection.credentials"
        )
    return text.strip()  # a line read from a file ends with a line feed


def _bearer(name: str, scheme: JsonObject, credential: Any) -> str:
    token = _text(name, scheme, credential)
    if token[:7].lower() == "bearer ":
        raise UsageError(
            f"the credential for {name!r} begins with 'Bearer': pass the token without this word"
        )
    return f"Bearer {token}"


def _basic(name: str, _: JsonObject, credential: Any) -> str:
    """Return a basic authorization in UTF-8 (RFC 7617)."""
    if not (isinstance(credential, tuple) and len(credential) == 2):
        raise UsageError(
            f"the credential for {name!r} is {type(credential).__name__}; expected a pair: (user, password)"
        )
    user, password = (reveal(part) for part in credential)
    if ":" in user:
        raise UsageError(
            f"the user name in the credential for {name!r} contains a colon, which basic authentication does not allow"
        )
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def _other(name: str, scheme: JsonObject, credential: Any) -> str:
    """Return the authorization of another HTTP scheme: its name, and the credential as the caller passes it."""
    return f"{scheme.get('scheme', '')} {_text(name, scheme, credential)}"


_WRITERS: Final[Mapping[str, Callable[[str, JsonObject, Any], str]]] = {
    "apiKey": _text,
    "basic": _basic,
    "bearer": _bearer,
    "oauth2": _bearer,
    "openIdConnect": _bearer,
}

#: The prefixes of ``Authorization`` by kind. Other kinds use the name of the HTTP scheme.
_PREFIXES: Final[Mapping[str, str]] = {
    "basic": "Basic",
    "bearer": "Bearer",
    "oauth2": "Bearer",
    "openIdConnect": "Bearer",
}
