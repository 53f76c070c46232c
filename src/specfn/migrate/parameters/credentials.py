"""Credential-like parameters: their names, and the check for them (rule R7)."""

from collections.abc import Collection, Iterable
from typing import Final

from specfn._internal.json import JsonObject
from specfn.migrate.route import Location

#: Names of credentials at any location, without case and separators (rule R7).
_CREDENTIALS: Final = frozenset(
    "apikey xapikey accesstoken authtoken xauthtoken clientsecret subscriptionkey ocpapimsubscriptionkey "
    "oauthtoken".split()
)

#: Names of the fields of a request signature (AWS Signature Version 4 and 4A, in headers or a presigned URL).
_SIGNATURE: Final = frozenset(
    "xamzalgorithm xamzcontentsha256 xamzcredential xamzdate xamzexpires xamzregionset xamzs3sessiontoken "
    "xamzsecuritytoken xamzsignature xamzsignedheaders".split()
)


def plain(name: str) -> str:
    """Return a name without case and separators, to compare different spellings."""
    return "".join(filter(str.isalnum, name.lower()))


def scheme_keys(schemes: Iterable[JsonObject]) -> set[tuple[str, str]]:
    """Return the locations and names of the keys of ``apiKey`` schemes. Header names are in lower case."""
    found = set()
    for scheme in schemes:
        where, name = scheme.get("in"), scheme.get("name")
        if scheme.get("type") == "apiKey" and isinstance(where, str) and isinstance(name, str):
            found.add((where, name.lower() if where == "header" else name))
    return found


def credential_reason(
    name: str, location: Location, keys: Collection[tuple[str, str]]
) -> str | None:
    """Return the reason why a parameter carries a credential, for a note; ``None`` if it carries no credential.

    Args:
        name: the name of the parameter.
        location: its location.
        keys: the locations and names of the keys of security schemes, by ``scheme_keys``.
    """
    if (location, name.lower() if location == "header" else name) in keys:
        return "it is the key of a security scheme: the connection sets it"
    if plain(name) in _CREDENTIALS:
        return "its name is that of a credential: the connection sets it"
    if plain(name) in _SIGNATURE:
        return "it is part of a request signature: the connection sets it"
    return None
