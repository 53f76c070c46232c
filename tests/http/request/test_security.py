"""Credentials onto a request (rule X6)."""

import ssl
from typing import Any

import httpx
import pytest

from specfn import Connection, load, request
from specfn.errors import UsageError

SCHEMES = {
    "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
    "query": {"type": "apiKey", "in": "query", "name": "api key"},
    "cookie": {"type": "apiKey", "in": "cookie", "name": "sid"},
    "basic": {"type": "http", "scheme": "Basic"},
    "bearer": {"type": "http", "scheme": "bearer"},
    "token": {"type": "http", "scheme": "Token"},
    "oauth": {"type": "oauth2", "flows": {}},
    "oidc": {"type": "openIdConnect", "openIdConnectUrl": "https://x"},
    "tls": {"type": "mutualTLS"},
}


def needs(*alternatives: str) -> tuple[Any, ...]:
    """Security requirements: each alternative a text of scheme names."""
    return tuple(tuple((name, ()) for name in each.split()) for each in alternatives)


def sent(make: Any, security: Any, credentials: Any, **more: Any) -> httpx.Request:
    connection = Connection(**{"base_url": "https://h", "credentials": credentials} | more)
    return request(make("/x", security=security, schemes=SCHEMES), {}, connection)


PLACES = [
    ("key", "s3", "X-Key", "s3"),
    ("key", "s3\n", "X-Key", "s3"),
    ("cookie", "s3", "Cookie", "sid=s3"),
    ("basic", ("Aladdin", "open sesame"), "Authorization", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
    ("basic", ("key", ""), "Authorization", "Basic a2V5Og=="),
    ("bearer", "s3", "Authorization", "Bearer s3"),
    ("token", "s3", "Authorization", "Token s3"),
    ("oauth", "s3", "Authorization", "Bearer s3"),
    ("oidc", "s3", "Authorization", "Bearer s3"),
    ("bearer", lambda: "s3", "Authorization", "Bearer s3"),
    ("basic", lambda: ("key", ""), "Authorization", "Basic a2V5Og=="),
]


@pytest.mark.parametrize(("scheme", "credential", "header", "value"), PLACES)
def test_each_scheme_has_its_place(
    make: Any, scheme: str, credential: Any, header: str, value: str
) -> None:
    """A credential goes where its security scheme says, in the form that it says."""
    assert sent(make, needs(scheme), {scheme: credential}).headers[header] == value


def test_a_key_in_the_query(make: Any) -> None:
    """A key in the query is one encoded pair, which no argument can double."""
    assert str(sent(make, needs("query"), {"query": "a&b"}).url) == "https://h/x?api%20key=a%26b"


REQUIREMENTS = [
    (("key",), ("key",), {"X-Key"}),
    (("key", "bearer"), ("bearer",), {"Authorization"}),
    (("key", "bearer"), ("bearer", "key"), {"X-Key"}),
    (("key bearer", "key"), ("key",), {"X-Key"}),
    (("key bearer",), ("bearer", "key"), {"X-Key", "Authorization"}),
    (("", "key"), ("key",), {"X-Key"}),
    (("", "key"), (), set()),
    (("",), ("key",), set()),
    ((), ("key",), set()),
]


@pytest.mark.parametrize(("alternatives", "given", "headers"), REQUIREMENTS)
def test_requirements_are_or_of_ands(
    make: Any, alternatives: Any, given: Any, headers: set[str]
) -> None:
    """The first requirement that the credentials satisfy is sent, and nothing besides it."""
    made = sent(make, needs(*alternatives), dict.fromkeys(given, "s3"))
    assert {name for name in ("X-Key", "Authorization") if name in made.headers} == headers


@pytest.mark.parametrize("credentials", [{"key": "s3"}, {"key": "s3", "bearer": "s4"}])
@pytest.mark.parametrize("alternatives", [("tls", "key"), ("tls bearer", "key"), ("key", "tls")])
def test_authorities_are_no_certificate_of_the_client(
    make: Any, alternatives: tuple[str, ...], credentials: dict[str, str]
) -> None:
    """A requirement of ``mutualTLS`` comes last: certificates of authorities alone keep no credential back."""
    tls = ssl.create_default_context()
    assert sent(make, needs(*alternatives), credentials, tls=tls).headers["X-Key"] == "s3"
    assert "X-Key" not in sent(make, needs("tls"), credentials, tls=tls).headers


def test_an_unsatisfied_requirement(make: Any) -> None:
    """Without credentials nothing is sent; the error names the schemes, not the values."""
    with pytest.raises(UsageError, match="key or bearer and basic") as caught:
        sent(make, needs("key", "bearer basic"), {"bearer": "s3"})
    assert "s3" not in str(caught.value)
    with pytest.raises(
        UsageError,
        match=r"'kye', which is not a security scheme of the document; the document declares: .*key",
    ):
        sent(make, needs("key"), {"kye": "s3"})
    with pytest.raises(UsageError):
        sent(make, needs("missing"), {})


CARRIED = [
    ("bearer", {"headers": {"authorization": "Bearer s3"}}),
    ("key", {"headers": {"x-key": "s3"}}),
    ("query", {"query": {"api key": "s3"}}),
    ("cookie", {"cookies": {"sid": "s3"}}),
]


@pytest.mark.parametrize(("scheme", "more"), CARRIED)
def test_a_credential_among_the_headers(make: Any, scheme: str, more: Any) -> None:
    """What the connection always sends may satisfy a requirement itself."""
    made = sent(make, needs(scheme), {}, **more)
    assert "s3" in str(made.url) + str(made.headers.raw)


def test_mutual_tls_is_the_clients_business(make: Any) -> None:
    """A certificate comes with the caller's client; without one, the requirement is open."""
    with pytest.raises(UsageError):
        sent(make, needs("tls"), {})
    with httpx.Client() as client:
        assert "Authorization" not in sent(make, needs("tls"), {}, client=client).headers


WRONG = [
    ("key", ("a", "b"), "must be a string, not tuple"),
    ("key", "", "is empty: pass its value in connection.credentials"),
    ("key", lambda: None, "must be a string, not NoneType"),
    ("key", "s3\r\nX-Evil: 1", "a character that is not allowed"),
    ("key", "s3\0", "a character that is not allowed"),
    ("cookie", "s3; path=/", "a character that is not allowed"),
    ("basic", "user:s3", "expected a pair"),
    ("basic", ("us:er", "s3"), "colon"),
]


@pytest.mark.parametrize(("scheme", "credential", "reason"), WRONG)
def test_a_credential_that_does_not_fit(
    make: Any, scheme: str, credential: Any, reason: str
) -> None:
    """A credential that its scheme does not take is an error that does not show it."""
    with pytest.raises(UsageError, match=reason) as caught:
        sent(make, needs(scheme), {scheme: credential})
    assert "s3" not in str(caught.value)


def test_credentials_need_https(make: Any) -> None:
    """Over plain http credentials go to this machine only, unless the caller insists (T28)."""
    for base in ("http://api.example", "http://10.0.0.1", "http://localhost.example"):
        with pytest.raises(UsageError, match="allow_insecure"):
            sent(make, needs("key"), {"key": "s3"}, base_url=base)
        with pytest.raises(UsageError, match="allow_insecure"):
            sent(make, (), {}, base_url=base, headers={"Authorization": "Bearer s3"})
        with pytest.raises(UsageError, match="allow_insecure"):
            sent(make, (), {}, base_url=base, query={"api key": "s3"})
        assert sent(make, needs("key"), {"key": "s3"}, base_url=base, allow_insecure=True)
        assert sent(make, (), {}, base_url=base, headers={"X-Tenant": "a"})
    for base in ("http://localhost:1", "http://127.8.8.8", "http://[::1]:8080"):
        assert sent(make, needs("key"), {"key": "s3"}, base_url=base).headers["X-Key"] == "s3"


def test_an_async_credential_needs_an_async_call(make: Any) -> None:
    """A coroutine cannot be waited for here; the error says what to use instead."""

    async def credential() -> str:
        return "s3"

    with pytest.raises(UsageError, match="aexecute"):
        sent(make, needs("key"), {"key": credential})


def test_a_scheme_that_the_document_does_not_have() -> None:
    """Where security names a scheme that is not declared, the error asks for no credential of that name."""
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/a": {"get": {"security": [{"keyy": []}]}}},
        "components": {"securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}},
    }
    function = load(document).functions[0]
    with pytest.raises(
        UsageError, match=r"keyy; the document declares no such security scheme.*declares: key"
    ):
        request(function, {}, Connection(base_url="https://host", credentials={"key": "x"}))


@pytest.mark.parametrize(
    "scheme",
    [
        {},
        {"$ref": "other.yaml#/key"},
        {"$ref": "#/components/securitySchemes/lost"},
        {"type": "apikey", "in": "header", "name": "X-Key"},
        {"type": "http"},
        {"type": "http", "scheme": "a b"},
    ],
)
def test_a_scheme_without_a_valid_type_is_the_fault_of_the_document(make: Any, scheme: Any) -> None:
    """X6: a credential for a malformed or unresolved scheme is refused with the true reason, not as a bad credential."""
    connection = Connection(base_url="https://h", credentials={"k": "s3"})
    function = make("/x", security=needs("k"), schemes={"k": scheme})
    with pytest.raises(UsageError, match="'k' declares no valid type or HTTP scheme"):
        request(function, {}, connection)
