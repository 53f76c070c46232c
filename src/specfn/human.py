"""Predicates for ``Options.separate`` that select the values a human fills in.

A predicate takes a ``Node`` and returns whether the human fills that place::

    specfn.Options(separate="secrets")
    specfn.Options(separate=specfn.human.any_of("files", "secrets", mine))

where ``mine`` is a function of a module, so that functions can be pickled::

    def mine(node: specfn.human.Node) -> bool:
        return node.location == "header" or node.get("x-filled-by") == "user"
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from specfn.errors import UsageError

Location: TypeAlias = Literal["path", "query", "header", "cookie", "body"]


class Node(dict[str, Any]):
    """A copy of a schema of a request with its location, which a predicate may read as a dict.

    Attributes:
        location: where the value goes: ``path``, ``query``, ``header``, ``cookie`` or ``body``.
        pointer: JSON Pointer of the schema in ``function.validator``.
        name: the name of the property with this schema; ``None`` if it is not the schema of a property.
    """

    __slots__ = ("location", "name", "pointer")

    def __init__(
        self, schema: Mapping[str, Any], *, location: Location, pointer: str, name: str | None
    ) -> None:
        """Create a node from a schema that is merged with the schemas it refers to."""
        super().__init__(schema)
        self.location = location
        self.pointer = pointer
        self.name = name


Predicate: TypeAlias = Callable[[Node], bool]


def files(node: Node) -> bool:
    """Return whether a place takes the content of a file: ``format: binary``, or any ``contentMediaType``.

    Parts of a multipart body that the document declares as files are marked in the same way.

    Examples:
        >>> schema = {"type": "string", "format": "binary"}
        >>> node = specfn.human.Node(schema, location="body", pointer="/properties/body", name="photo")
        >>> specfn.human.files(node)
        True
    """
    if node.get("format") != "binary" and not isinstance(node.get("contentMediaType"), str):
        return False
    return _may_be_text(node)


def secrets(node: Node) -> bool:
    """Return whether a place takes a secret: ``format: password``, or a text with the name of a secret.

    Such names are ``password``, ``client_secret``, ``apiKey``, ``accessToken`` and similar ones. Names of values about
    secrets do not count (``secret_name``, ``passwordPolicy``, ``pageToken``).

    Examples:
        >>> node = specfn.human.Node({"type": "string"}, location="query", pointer="/properties/query", name="apiKey")
        >>> specfn.human.secrets(node)
        True
    """
    if node.get("format") == "password":
        return True
    return node.name is not None and is_secret_name(node.name) and _may_be_text(node)


def any_of(*predicates: "Predicate | str") -> Predicate:
    """Return a predicate that holds if any of several predicates holds. Built-in ones can be passed by name.

    Raises:
        UsageError: a name is not that of a built-in predicate.

    Examples:
        >>> def is_price(node):
        ...     return node.name == "price"
        >>> options = specfn.Options(separate=specfn.human.any_of("secrets", is_price))
        >>> specfn.load("openapi.json", options=options)["createProduct"].separated.human["required"]
        ['body']
    """
    return _AnyOf(tuple(named(each) for each in predicates))


def named(predicate: "Predicate | str") -> Predicate:
    """Return a predicate, or the built-in predicate with a name.

    Raises:
        UsageError: there is no built-in predicate with this name.
    """
    if not isinstance(predicate, str):
        return predicate
    if predicate not in READY:
        known = " and ".join(map(repr, READY))
        raise UsageError(f"unknown predicate {predicate!r}: use {known}, or a function")
    return READY[predicate]


#: The built-in predicates by name.
READY: Final[Mapping[str, Predicate]] = {"files": files, "secrets": secrets}


@dataclass(frozen=True, slots=True)
class _AnyOf:
    """A disjunction of predicates that can be pickled if they can."""

    predicates: tuple[Predicate, ...]

    def __call__(self, node: Node) -> bool:
        return any(predicate(node) for predicate in self.predicates)


#: Keywords of values that are no texts, for schemas that do not name a type.
_STRUCTURE: Final = frozenset({"properties", "additionalProperties", "items", "prefixItems"})


def _may_be_text(node: Node) -> bool:
    """Return whether a schema itself accepts a string. The branches of a union are separate nodes."""
    declared = node.get("type")
    if declared is not None:
        return "string" in ([declared] if isinstance(declared, str) else declared)
    branches = [*node.get("anyOf", ()), *node.get("oneOf", ())]
    if branches:
        return any(isinstance(each, dict) and each.get("type") == "string" for each in branches)
    return _STRUCTURE.isdisjoint(node)


#: The words of a name with any separators: ``clientSecret``, ``X-API-Key``.
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

#: The ends of names of secrets.
_ENDS: Final = frozenset(
    {
        *("password", "passwd", "passphrase", "passcode", "pwd", "secret", "apikey", "cvv", "cvc"),
        *("access token", "auth token", "bearer token", "id token", "refresh token"),
        *("session token", "security token", "reset token", "accesstoken", "authtoken"),
        *("api key", "access key", "private key", "secret key", "encryption key"),
        *("password confirmation", "security code", "clientsecret", "private pem"),
    }
)

#: Whole names of secrets.
_WHOLE: Final = frozenset({"token", "otp", "pin", "credential", "credentials"})


def is_secret_name(name: str) -> bool:
    """Return whether a name is that of a secret; see ``secrets``."""
    words = [word.lower() for word in _WORD.findall(name)]
    if not words:
        return False
    return words[-1] in _ENDS or " ".join(words[-2:]) in _ENDS or " ".join(words) in _WHOLE
