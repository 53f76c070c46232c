"""Security requirements and credentials of a request (rule X6)."""

import base64
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

import httpx

from specfn._internal.json import JsonObject
from specfn._internal.logs import calls_log as log
from specfn._internal.url import url_without_secrets
from specfn.errors import UsageError
from specfn.http.connection import MASK, Connection, reveal
from specfn.migrate.parameters.reserved import (
    CredentialParameters,
    credential_reason,
    key_of,
    overrides,
    plain,
)
from specfn.migrate.route import Api, Location, Parameter, Route
from specfn.network.headers import is_cookie_value, is_token, is_value
from specfn.network.origins import Base, parse
from specfn.network.public_addresses import is_loopback

Slot: TypeAlias = Literal["header", "query", "cookie"]

#: An addition to a request: its location, name and value.
Addition: TypeAlias = tuple[Slot, str, str]

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


def require_declared(api: Api, connection: Connection) -> None:
    """Check that each credential of a connection belongs to a security scheme or a hidden parameter of the document.

    Raises:
        UsageError: a credential belongs to neither.
    """
    unknown = sorted(
        name
        for name in connection.credentials
        if name not in api.security_schemes and name not in api.hidden
    )
    if unknown:
        known = ", ".join(sorted(api.security_schemes))
        schemes = f": {known}" if known else " none; pass the header itself, such as Authorization"
        more = ", ".join(sorted(api.hidden.difference(api.security_schemes)))
        raise UsageError(
            f"the connection has a credential for {unknown[0]!r}, which is not a security scheme of the document; "
            f"the document declares{schemes}"
            + (f"; its hidden parameters are: {more}" if more else "")
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingCredential:
    """A credential that the document requires and the connection does not have. The hook ``before`` may add it.

    Attributes:
        text: the text of the error.
        places: the places of which one must be in the request.
    """

    text: str
    places: tuple[tuple[Slot, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemeChoice:
    """The security schemes of a request.

    Attributes:
        sent: the schemes whose credentials are sent, by name.
        kept: the names of the credentials that are not sent, because the document does not ask for them here.
        can_send_all: whether ``send_all_credentials`` would send one of them.
        missing: what the hook ``before`` must add.
        scopes: the scopes that the functions of the application require, by scheme.
    """

    sent: Mapping[str, JsonObject]
    kept: tuple[str, ...] = ()
    can_send_all: bool = False
    missing: tuple[MissingCredential, ...] = ()
    scopes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def choose_schemes(route: Route, api: Api, base: Base, connection: Connection) -> SchemeChoice:
    """Return the security schemes whose credentials are sent.

    The first satisfied security requirement is used. Those with ``mutualTLS`` come after the others, because ``tls`` may
    have certificates of authorities only. The empty requirement comes last, so that optional authentication is used if
    the connection has a credential. A scheme that no requirement of the document mentions applies to each
    operation that declares no ``security`` itself.

    Raises:
        UsageError: no requirement is satisfied, a credential belongs to no declared scheme, or credentials must not be
            sent to the base URL.
    """
    require_declared(api, connection)
    required, missing = _required(route, api, connection)
    given = _given(connection)
    sent = {name: api.security_schemes[name] for name in required if name in given}
    for_hidden, missing_hidden = _for_hidden(route, api, connection, required)
    sent |= for_hidden
    missing = (*missing, *missing_hidden)
    if missing and connection.before is None:
        raise UsageError(missing[0].text)
    if not base.trusted:
        if required or for_hidden:
            raise UsageError(
                f"{route.method_and_path} needs credentials, but {base.origin} is not an origin of the "
                "connection: add it to connection.origins to send them there",
            )
        return SchemeChoice(sent={}, missing=missing)
    further = _further(route, api, connection, sent)
    sent |= {
        name: scheme
        for name, scheme in further.items()
        if connection.send_all_credentials or _is_unrequired(name, route, api)
    }
    if not api.unrequired.isdisjoint(sent):
        _log_unrequired(api, connection, sent)
    if _is_exposed(base, connection) and (sent or required or carries_secrets(api, connection)):
        raise _exposed(base)
    return SchemeChoice(
        sent=sent,
        kept=tuple(name for name in given if name in api.security_schemes and name not in sent),
        can_send_all=bool(further.keys() - sent.keys()),
        missing=missing,
        scopes=api.scopes,
    )


def require_secure(api: Api, connection: Connection) -> None:
    """Check that no credential of a connection would be sent to its base URL without https.

    Raises:
        UsageError: one would be sent.
    """
    base = None if connection.base_url is None else parse(connection.base_url)
    has_credential = bool(_given(connection)) or carries_secrets(api, connection)
    if base is not None and _is_exposed(base, connection) and has_credential:
        raise _exposed(base)


def _given(connection: Connection) -> tuple[str, ...]:
    """Return the names of the credentials that may be sent. ``None`` means that one is not sent."""
    if connection.anonymous:
        return ()
    return tuple(name for name, value in connection.credentials.items() if value is not None)


def _authenticates_itself(connection: Connection) -> bool:
    """Return whether the caller takes care of authentication: by ``auth``, a client or the header ``Authorization``."""
    return (
        connection.auth is not None
        or _is_passed("header", "Authorization", connection)
        or any(
            client is not None and (client.auth is not None or "authorization" in client.headers)
            for client in (connection.client, connection.async_client)
        )
    )


def _required(
    route: Route, api: Api, connection: Connection
) -> tuple[tuple[str, ...], tuple[MissingCredential, ...]]:
    """Return the schemes of the requirement that is used, and what is missing if none is satisfied."""
    alternatives = [tuple(name for name, _ in requirement) for requirement in route.security]
    # Not every SSLContext or client has a certificate of the client, and none of them tells.
    assumed = _assumed(api, connection)
    for names in sorted(alternatives, key=lambda names: not assumed.isdisjoint(names)):
        if names and not connection.anonymous and _is_satisfied(names, api, connection):
            return names, ()
    if not alternatives or () in alternatives or connection.anonymous:
        return (), ()
    own = max(alternatives, key=lambda names: len({*names}.intersection(_given(connection))))
    if _authenticates_itself(connection) or _fills_credential(route, api, connection):
        return own, ()
    wanted = " or ".join(dict.fromkeys(_describe(names, api) for names in alternatives))
    if not any(api.security_schemes.keys() >= set(names) for names in alternatives):
        raise UsageError(
            f"{route.method_and_path} needs credentials: {wanted}; the document declares no such "
            f"security scheme (it declares: {', '.join(sorted(api.security_schemes)) or 'none'}): correct the document; "
            "if the server needs none, pass Connection(anonymous=True)"
        )
    listed = dict.fromkeys(name for names in alternatives for name in names)
    schemes = [api.security_schemes[name] for name in listed if name in api.security_schemes]
    unset = [name for name in listed if connection.credentials.get(name, "") is None]
    text = (
        f"{route.method_and_path} needs credentials: {wanted}; "
        "pass them by these names in connection.credentials"
        + "".join(_describe_oauth2(route, api))
        + "; if the server needs none, pass Connection(anonymous=True)"
        + (f"; {unset[0]!r} is None: is its environment variable set?" if unset else "")
        + (_NOT_ADDED if connection.before is not None else "")
    )
    places = tuple(_slot(scheme) for scheme in schemes if scheme.get("type") != "mutualTLS")
    return own, (MissingCredential(text=text, places=(("header", "Authorization"), *places)),)


#: The maximum number of characters of a URL or of scopes in an error.
_MAX_CHARACTERS: Final = 300


def _assumed(api: Api, connection: Connection) -> frozenset[str]:
    """Return the schemes of ``mutualTLS`` that no credential of the connection names."""
    kinds = {name: scheme.get("type") for name, scheme in api.security_schemes.items()}
    given = _given(connection)
    return frozenset(
        name for name, kind in kinds.items() if kind == "mutualTLS" and name not in given
    )


def _describe_oauth2(route: Route, api: Api) -> Iterator[str]:
    """Yield the flows, token URLs and scopes of the OAuth 2 schemes of an operation, each with what obtains its token."""
    for name, scopes in dict(
        pair for requirement in route.security for pair in requirement
    ).items():
        scheme = api.security_schemes.get(name, {})
        if scheme.get("type") not in {"oauth2", "openIdConnect"}:
            continue
        flows = scheme.get("flows")
        urls = {
            flow: node.get("tokenUrl", node.get("authorizationUrl"))
            for flow, node in (flows if isinstance(flows, dict) else {}).items()
            if isinstance(node, dict)
        } or {"discovery": scheme.get("openIdConnectUrl", "no URL")}
        places = " or ".join(
            f"{flow} at {url_without_secrets(str(url))[:_MAX_CHARACTERS]}"
            for flow, url in urls.items()
        )
        needed = f", scopes {' '.join(scopes)[:_MAX_CHARACTERS]}" if scopes else ""
        yield f"; {name!r} is OAuth 2 ({places}{needed}): a specfn.OAuth2 obtains its token"


#: The end of an error after the hook.
_NOT_ADDED: Final = "; connection.before did not add them"


def _fills_credential(route: Route, api: Api, connection: Connection) -> bool:
    """Return whether the caller passes a credential as a hidden parameter of the operation, such as ``key`` of Google."""
    for parameter in route.hidden:
        slot, name = _SLOTS[parameter.location], parameter.name
        own = CredentialParameters(common=frozenset({plain(name)}))
        where, text = parameter.location, parameter.description
        if credential_reason(name, where, own, text, route.path) is not None and (
            _is_passed(slot, name, connection)
            or (name in _given(connection) and name not in api.security_schemes)
        ):
            return True
    return False


def _is_satisfied(names: Sequence[str], api: Api, connection: Connection) -> bool:
    """Return whether the credentials satisfy a requirement. One token is enough for schemes that write it alike."""
    own = [name for name in names if _has(name, api, connection)]
    if len(own) == len(names):
        return True
    forms = {_form(name, api) for name in own}
    return all(_form(name, api) in forms for name in names)


def _form(name: str, api: Api) -> tuple[str, ...]:
    """Return the place and the prefix of a scheme's credential."""
    scheme = api.security_schemes.get(name)
    if scheme is None or scheme.get("type") == "mutualTLS":
        return (name,)
    slot, target = _slot(scheme)
    target = target.lower() if slot == "header" else target
    return slot, target, "" if scheme.get("type") == "apiKey" else _prefix(scheme)


def _describe(names: Sequence[str], api: Api) -> str:
    """Return the schemes of a requirement; of those that one token satisfies, the first."""
    firsts: dict[tuple[str, ...], str] = {}
    for name in names:
        firsts.setdefault(_form(name, api), name)
    return " and ".join(firsts.values())


def _for_hidden(
    route: Route, api: Api, connection: Connection, required: Sequence[str]
) -> tuple[dict[str, JsonObject], tuple[MissingCredential, ...]]:
    """Return the schemes of hidden parameters (rule R7), and the required parameters without a value.

    A credential under the name of a parameter is sent as the parameter. One for a scheme with the same key is sent as
    the document declares the scheme.
    """
    if not route.hidden:
        return {}, ()
    given = _given(connection)
    by_key: dict[tuple[str, str], list[str]] = {}
    for other, scheme in api.security_schemes.items():
        if scheme.get("type") == "apiKey":
            by_key.setdefault(key_of(*_slot(scheme)), []).append(other)
    wanted: dict[str, JsonObject] = {}
    missing: list[MissingCredential] = []
    for parameter in route.hidden:
        slot, name = _SLOTS[parameter.location], parameter.name
        own = by_key.get(key_of(slot, name), [])
        places = [(slot, name), *(_slot(api.security_schemes[other]) for other in own)]
        if set(own) & set(required) or any(_is_passed(*place, connection) for place in places):
            continue
        is_optional = name in api.hidden and (
            connection.anonymous or _authenticates_itself(connection)
        )
        first = next((other for other in own if other in given), None)
        if first is not None:
            wanted[first] = api.security_schemes[first]
        elif name in given and name not in api.security_schemes:
            wanted[name] = {"type": "apiKey", "in": slot, "name": name}
        elif parameter.required and not (own and route.security) and not is_optional:
            text = _missing(route, slot, parameter, own, api)
            text += _NOT_ADDED if connection.before is not None else ""
            missing.append(MissingCredential(text=text, places=tuple(places)))
    return wanted, tuple(missing)


def _further(
    route: Route, api: Api, connection: Connection, sent: Mapping[str, JsonObject]
) -> dict[str, JsonObject]:
    """Return the schemes that no requirement of the operation names, and whose credentials could be sent nevertheless."""
    if route.operation.get("security") == []:
        return {}  # the document says that no credential is needed
    others = [
        name for name in _given(connection) if name in api.security_schemes and name not in sent
    ]
    taken = {_form(name, api)[:2] for name in sent} if others else set[tuple[str, ...]]()
    further = {}
    for name in others:
        if _form(name, api)[:2] not in taken:
            taken.add(_form(name, api)[:2])
            further[name] = api.security_schemes[name]
    return further


def _is_unrequired(name: str, route: Route, api: Api) -> bool:
    return name in api.unrequired and "security" not in route.operation


def _log_unrequired(api: Api, connection: Connection, sent: Mapping[str, JsonObject]) -> None:
    """Log once for a connection that a credential is sent although no requirement mentions its scheme."""
    for name in api.unrequired.intersection(sent).difference(connection.logged):
        connection.logged.add(name)
        log.warning(
            "the credential %r is sent with every operation that declares no security of its own, because no security "
            "requirement of the document mentions its scheme",
            name,
        )


def _missing(route: Route, slot: Slot, parameter: Parameter, schemes: list[str], api: Api) -> str:
    """Return the error text for a required hidden parameter without a value, with the options that set it."""
    name = parameter.name
    option = f"connection.{_FIELDS[slot]}[{name!r}]"
    if overrides(name, parameter.location) is not None:
        option = f"Options.fixed[{f'{parameter.location}.{name}'!r}] or {option}"
    elif schemes or (name in api.hidden and name not in api.security_schemes):
        option = f"connection.credentials[{(schemes or [name])[0]!r}] or {option}"
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
        return any(
            own is not None for own in (connection.tls, connection.client, connection.async_client)
        )
    return name in _given(connection) or _is_passed(*_slot(scheme), connection)


def _is_passed(slot: Slot, name: str, connection: Connection) -> bool:
    """Return whether the headers, query or cookies of the caller contain a name."""
    if slot == "header":
        return name.lower() in {header.lower() for header in connection.headers}
    return name in (connection.query if slot == "query" else connection.cookies)


def require_added(request: httpx.Request, missing: Iterable[MissingCredential]) -> None:
    """Check that the hook ``before`` added what the connection does not have.

    Raises:
        UsageError: a credential is still missing.
    """
    for credential in missing:
        if not any(_is_in(request, slot, name) for slot, name in credential.places):
            raise UsageError(credential.text)


def _is_in(request: httpx.Request, slot: Slot, name: str) -> bool:
    if slot == "header":
        return name in request.headers
    if slot == "query":
        return name in request.url.params
    cookies = request.headers.get("cookie", "").split(";")
    return name in {pair.partition("=")[0].strip() for pair in cookies}


def _slot(scheme: JsonObject) -> tuple[Slot, str]:
    if scheme.get("type") != "apiKey":
        return "header", "Authorization"
    place = scheme.get("in")
    slot: Slot = "query" if place == "query" else "cookie" if place == "cookie" else "header"
    return slot, str(scheme.get("name", ""))


def _is_exposed(base: Base, connection: Connection) -> bool:
    return base.scheme != "https" and not connection.allow_insecure and not is_loopback(base.host)


def _exposed(base: Base) -> UsageError:
    return UsageError(
        f"credentials cannot be sent to {base.origin}, which does not use https: "
        "pass Connection(allow_insecure=True) to send them"
    )


def carries_secrets(api: Api, connection: Connection) -> bool:
    """Return whether the caller's authentication, headers, query or cookies contain credentials."""
    places = [_slot(scheme) for scheme in api.security_schemes.values()]
    hidden = {name.lower() for name in api.hidden}
    return (
        any(header.lower() in _SECRET_HEADERS for header in connection.headers)
        or (_authenticates_itself(connection) and not connection.anonymous)
        or bool(connection.cookies)
        or any(_is_passed(slot, name, connection) for slot, name in places)
        or any(name.lower() in hidden for name in (*connection.headers, *connection.query))
    )


def place_credential(name: str, scheme: JsonObject, credential: Any) -> Addition | None:
    """Return what a credential adds to a request; ``None`` for ``mutualTLS``, which the client handles.

    Raises:
        UsageError: the credential does not fit the scheme. The message does not contain the credential.
    """
    if scheme.get("type") == "mutualTLS":
        return None
    slot, target = _slot(scheme)
    writer = _WRITERS.get(_kind(scheme), _write_other)
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
    return slot, target, value


def mask_credential(scheme: JsonObject) -> Addition | None:
    """Return what a credential adds to a request, with a mask as its value."""
    if scheme.get("type") == "mutualTLS":
        return None
    slot, target = _slot(scheme)
    prefix = "" if scheme.get("type") == "apiKey" else f"{_prefix(scheme)} "
    return slot, target, prefix + MASK


def _prefix(scheme: JsonObject) -> str:
    """Return the word before the credential in ``Authorization``."""
    return str(_PREFIXES.get(_kind(scheme), scheme.get("scheme", "")))


def _kind(scheme: JsonObject) -> str:
    kind = str(scheme.get("type", ""))
    return str(scheme.get("scheme", "")).lower() if kind == "http" else kind


def _write_text(name: str, _: JsonObject, credential: Any) -> str:
    text = reveal(credential)
    if not isinstance(text, str):
        kind = type(text).__name__
        raise UsageError(f"the credential for {name!r} must be a string, not {kind}")
    if not text.strip():
        raise UsageError(
            f"the credential for {name!r} is empty: pass its value in connection.credentials; if it comes from an "
            "environment variable, is the variable set? None does not send it"
        )
    return text.strip()  # a line read from a file ends with a line feed


def _write_bearer(name: str, scheme: JsonObject, credential: Any) -> str:
    token = _write_text(name, scheme, credential)
    if token[:7].lower() == "bearer ":
        raise UsageError(
            f"the credential for {name!r} begins with 'Bearer': pass the token without this word"
        )
    return f"Bearer {token}"


def _write_basic(name: str, _: JsonObject, credential: Any) -> str:
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


def _write_other(name: str, scheme: JsonObject, credential: Any) -> str:
    """Return the authorization of another HTTP scheme: its name, and the credential as the caller passes it."""
    method = str(scheme.get("scheme", ""))
    if scheme.get("type") != "http" or not is_token(method):
        raise UsageError(
            f"the security scheme {name!r} declares no valid type or HTTP scheme: correct the document"
        )
    return f"{method} {_write_text(name, scheme, credential)}"


_WRITERS: Final[Mapping[str, Callable[[str, JsonObject, Any], str]]] = {
    "apiKey": _write_text,
    "basic": _write_basic,
    "bearer": _write_bearer,
    "oauth2": _write_bearer,
    "openIdConnect": _write_bearer,
}

#: The prefixes of ``Authorization`` by kind. Other kinds use the name of the HTTP scheme.
_PREFIXES: Final[Mapping[str, str]] = {
    "basic": "Basic",
    "bearer": "Bearer",
    "oauth2": "Bearer",
    "openIdConnect": "Bearer",
}
