"""T38: a secret that an API repeats is in no text for a model, a log or a person; ``data`` for Python has it."""

import asyncio
import base64
import copy
import html
import json
import logging
import pickle
import subprocess
import sys
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, quote_plus

import httpx
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.calling.models import Script, said, wished
from tests.code_mode.script_support import run, scripts
from tests.mcp.server_support import Api, call
from tests.mcp.server_support import application as pets

import specfn
from specfn import Application, mcp
from specfn.calling import Answer, Approve, Session, drive
from specfn.http.masking import Masking
from specfn.inspector.tried_calls import TriedCalls
from specfn.mcp.results import add_file, tool_result

Json = dict[str, Any]

TOKEN = "sk-canary+7f3a/9=="
PASSWORD = 'hunter2 "quoted" & <öl>'
HEADER = "tenant-canary-31"
SECRET = "whsec-canary-55"
EMAIL = "ada.canary@mail.example"
PIN = "4711"
ORDINARY = {"id": 17, "status": "paid", "created": "2024-01-31", "note": "thanks"}

BODY: Json = {
    "type": "object",
    "properties": {
        "note": {"type": "string"},
        "pin": {"type": "string"},
        "secret": {"type": "string"},
        "email": {"type": "string", "x-human": True},
        "level": {"type": "string", "enum": ["enterprise-plus", "basic"], "x-human": True},
        "born": {"type": "string", "x-human": True},
    },
}
DOCUMENT: Json = {
    "openapi": "3.1.0",
    "info": {"title": "Echo", "version": "1"},
    "components": {
        "securitySchemes": {
            "bearer": {"type": "http", "scheme": "bearer"},
            "basic": {"type": "http", "scheme": "basic"},
            "key": {"type": "apiKey", "in": "query", "name": "api_key"},
        }
    },
    "paths": {
        "/echo": {
            "post": {
                "operationId": "echo",
                "security": [{"bearer": [], "key": []}],
                "requestBody": {"content": {"application/json": {"schema": BODY}}},
                "responses": {"200": {"description": ""}},
            },
            "get": {
                "operationId": "list",
                "security": [{"basic": []}],
                "parameters": [{"name": "cursor", "in": "query", "schema": {"type": "string"}}],
                "responses": {
                    "200": {
                        "description": "",
                        "content": {
                            "application/json": {
                                "schema": {
                                    "type": "object",
                                    "properties": {
                                        "items": {"type": "array", "items": {"type": "string"}},
                                        "next_cursor": {"type": "string"},
                                    },
                                }
                            }
                        },
                    }
                },
            },
        }
    },
}
HUMAN: Json = {"body": {"pin": PIN, "secret": SECRET, "email": EMAIL, "born": "2001-02-03"}}
WRITTEN: Json = {"body": {"note": "Invoice for the canary"}}
WHOLE: Json = {"body": {**HUMAN["body"], **WRITTEN["body"]}}


def is_human(node: specfn.human.Node) -> bool:
    return "x-human" in node or specfn.human.secrets(node)


def application() -> Application:
    return specfn.load(DOCUMENT, options=specfn.Options(separate=is_human))


def connection(url: str, **more: Any) -> specfn.Connection:
    given = {
        "credentials": {
            "bearer": TOKEN,
            "key": lambda: "obtained-canary",
            "basic": ("ann", PASSWORD),
        },
        "headers": {"X-Custom": HEADER, "Accept-Language": "en-US"},
        "timeout": 5,
    }
    return specfn.Connection(base_url=url, **given | more)


def fill(*_: Any) -> Any:
    return HUMAN


SECRETS = (TOKEN, HEADER, SECRET, EMAIL, "obtained-canary")


def echoed(raw: bytes) -> Json:
    """What a debug endpoint repeats of a request: the head, the body as JSON and as a text, in several encodings."""
    head, _, body = raw.decode("utf-8").partition("\r\n\r\n")
    lines = head.split("\r\n")
    return {
        "line": lines[0],
        "headers": dict(line.split(": ", 1) for line in lines[1:]),
        "json": json.loads(body or "null"),
        "raw": body,
        "page": f"<pre>{html.escape(head)}</pre>",
        "form": quote_plus(head),
        "base64": base64.b64encode(body.encode()).decode(),
        head: [head],
        **ORDINARY,
    }


@pytest.fixture(params=["200 OK", "400 Bad", "500 Oops"])
def api(request: Any, loopback: Any, http: Any) -> Any:
    """A server that repeats each request with one status."""
    loopback.respond = lambda raw: http(json.dumps(echoed(raw)).encode(), request.param)
    return loopback


def is_shown(text: str) -> list[str]:
    """The secrets that a text shows."""
    found = [each for each in SECRETS if each in text or json.dumps(each)[1:-1] in text]
    found += [each for each in SECRETS if quote(each, safe="") in text]
    found += [PIN] if f'"pin":"{PIN}"' in text.replace(" ", "").replace("\\", "") else []
    encoded = base64.b64encode(TOKEN.encode()).decode()
    return [*found, encoded] if encoded in text else found


def has_arrived(result: Any) -> None:
    """``data`` has the secrets, so a text without them masks something."""
    assert result.data["headers"]["Authorization"] == f"Bearer {TOKEN}"
    assert result.data["json"]["pin"] == PIN


def texts_of(result: Any) -> Iterator[str]:
    yield from (result.for_model(), repr(result), result._repr_html_())
    again = pickle.loads(pickle.dumps(result))
    yield from (again.for_model(), repr(again), repr(copy.deepcopy(result)))


def test_a_bound_call_shows_no_secret(api: Any) -> None:
    """T38: text, JSON and repr of an answer, and the results of MCP, have none of what the server repeated."""
    bound = application().bind(connection(api.url), allow=("read", "write"), fill=fill)
    answer = bound.outcome("echo", WRITTEN)
    assert answer.result is not None
    has_arrived(answer.result)
    shown = [answer.text, json.dumps(answer.as_json()), repr(answer), *texts_of(answer.result)]
    shown += [
        tool_result(answer, any_json=True, declares_output=each).model_dump_json()
        for each in (False, True)
    ]
    for text in shown:
        assert is_shown(text) == []
        assert "Invoice for the canary" in text or len(text) < 1_500
    assert ORDINARY.items() <= json.loads(answer.text)["data"].items()


def test_a_call_of_python_shows_no_secret(api: Any, caplog: pytest.LogCaptureFixture) -> None:
    """T38, T11: the result, the error and the log of a call of Python have none, and ``data`` is what arrived."""
    caplog.set_level(logging.DEBUG)
    app = application()
    result = app.propagate("echo", WHOLE, connection(api.url))
    has_arrived(result)
    shown = [*texts_of(result), caplog.text]
    if not result.ok:
        with pytest.raises(specfn.HTTPStatusError) as caught:
            app.execute("echo", WHOLE, connection(api.url))
        again = pickle.loads(pickle.dumps(caught.value))
        shown += [str(caught.value), repr(caught.value), str(again), repr(again)]
    for text in shown:
        assert is_shown(text) == []


def test_a_conversation_shows_no_secret(api: Any) -> None:
    """T38: requests to the model, events, records and the stored session have none."""
    events: list[Any] = []
    script = Script([wished(("c1", "echo", WRITTEN)), said("done")])
    session = Session(application(), connector="openai", messages="hello", on_event=events.append)
    outcome = drive.run(
        session,
        script,
        connection=connection(api.url),
        approve=lambda _: Approve(human=HUMAN),
    )
    assert b"4711" in api.requests[-1]
    stored = json.dumps(session.dump())
    shown = [json.dumps(script.requests), repr(events), repr(outcome), outcome.explain(), stored]
    shown += [repr([*map(vars_of, outcome.calls)])]
    for text in shown:
        assert is_shown(text) == []
    assert "Invoice for the canary" in outcome.calls[0].result


def vars_of(record: Any) -> Json:
    return {name: getattr(record, name) for name in record.__dataclass_fields__}


def test_the_inspector_shows_no_secret(api: Any) -> None:
    """T38: the page that sends a call gets none, neither of the response nor of the request that it shows."""
    calls = TriedCalls(application(), connection(api.url))

    async def tried() -> tuple[Any, Any]:
        text = json.dumps(WRITTEN)
        checked = calls.check("echo", "portable", text, HUMAN)
        waiting = await calls.send("echo", "portable", text, HUMAN, None)
        token = waiting["pending"]["token"]
        return checked, await calls.send("echo", "portable", text, HUMAN, token)

    checked, sent = asyncio.run(tried())
    assert sent["result"]["status"] in (200, 400, 500)
    for each in (checked, sent):
        assert is_shown(calls.safe_json(each).decode()) == []
    assert "request" in checked


def repeating(request: httpx.Request) -> httpx.Response:
    return httpx.Response(200, json=[{"name": request.headers["authorization"]}])


@pytest.mark.parametrize("code", ["await api.pets.get()", "print(await api.pets.get())"])
def test_a_script_reads_no_secret(code: str) -> None:
    """T38: neither the value nor the output of a script has a credential that the API repeated."""
    found = run(scripts(Api(reply=repeating)), code)
    assert "**********" in found.text
    assert "own-token" not in found.text


@pytest.mark.parametrize("output_schema", [False, True])
def test_mcp_shows_no_secret(*, output_schema: bool) -> None:
    """T38: neither the text nor the structured content of a tool call has a credential that the API repeated."""
    served = mcp.server(pets(), Api(reply=repeating).connection(), output_schema=output_schema)
    found = call(served, "auto", "pets_get").model_dump_json()
    assert found.count("**********") == 2
    assert "own-token" not in found


def test_a_dry_run_shows_no_human_part() -> None:
    """T38: the request as JSON and as a curl line has neither credentials nor values of the human part."""
    whole = {"body": {**WHOLE["body"], "born": "2001-02-03"}}
    shown = application().dry_run("echo", whole, connection("https://h"))
    assert is_shown(json.dumps(shown)) == []
    assert "4711" not in json.dumps(shown)
    assert shown["body"]["note"] == "Invoice for the canary"


def test_a_file_shows_no_secret() -> None:
    """T38: binary content that repeats a secret is masked in the text and in the block of a file."""
    made = specfn.Connection(base_url="https://h", credentials={"key": "sk-canary-1234"})
    result = specfn.Result(
        status=200,
        media_type="application/octet-stream",
        data=b"\xff\x00 sk-canary-1234 \xfe",
        _masking=Masking(made),
    )
    answer = Answer(text=result.for_model(), kind="answered", result=result)
    assert b"canary" not in base64.b64decode(json.loads(answer.text)["base64"])
    function = application()["list"]
    block = asyncio.run(add_file(tool_result(answer, any_json=True), answer, function, None))
    assert "canary" not in str(block)
    assert base64.b64encode(b"sk-canary").decode()[:8] not in block.model_dump_json()
    assert result.data == b"\xff\x00 sk-canary-1234 \xfe"


def test_a_next_page_has_no_credential(loopback: Any, http: Any) -> None:
    """T38: ``next`` has the cursor as it arrived, without parameters of credentials; a credential is no cursor."""
    data = {"items": ["a"], "next_cursor": "c-2"}
    loopback.respond = lambda _: http(json.dumps(data).encode())
    here = connection(loopback.url, query={"api_token": "query-canary-1"})
    bound = application().bind(here)
    assert bound.outcome("list", {}).next == {"query": {"cursor": "c-2"}}
    data["next_cursor"] = HEADER
    answer = bound.outcome("list", {})
    assert answer.next == {"query": {"cursor": HEADER}}
    assert HEADER not in answer.text.partition("\n")[0]
    data["next_cursor"] = "query-canary-1"
    answer = bound.outcome("list", {})
    assert answer.next is None
    assert "query-canary-1" not in answer.text
    assert "credential" in answer.text


def test_what_a_model_wrote_is_shown(loopback: Any, http: Any) -> None:
    """T38 (c): a model reads what it wrote itself, also if the human part has the same value; dates and words of enums, too."""
    loopback.respond = lambda raw: http(raw.partition(b"\r\n\r\n")[2])
    app = application()
    human = {"body": {"email": "written by both", "level": "enterprise-plus", "born": "2001-02-03"}}
    bound = app.bind(connection(loopback.url), allow=("read", "write"), fill=lambda *_: human)
    data = json.loads(bound.outcome("echo", {"body": {"note": "written by both"}}).text)["data"]
    assert data["note"] == "written by both"
    assert (
        data["email"] == data["level"] == data["born"] == "**********"
    )  # members of the same name
    loopback.respond = lambda _: http(b'{"plan":"enterprise-plus","day":"2001-02-03"}')
    text = bound.outcome("echo", {"body": {"note": "x"}}).text
    assert json.loads(text)["data"] == {"plan": "enterprise-plus", "day": "2001-02-03"}


def test_without_a_human_part_secrets_of_the_schema_are_masked(loopback: Any, http: Any) -> None:
    """T38 (d): a value that the schema marks as secret is masked for a caller of Python, from 6 characters on."""
    loopback.respond = lambda raw: http(
        b'{"sent":' + raw.partition(b"\r\n\r\n")[2] + b"}", "422 No"
    )
    app = specfn.load(DOCUMENT)
    for secret, is_masked in (("s3cr3t", True), ("s3cr3", False)):
        body = {"body": {"secret": secret, "note": "an ordinary note"}}
        with pytest.raises(specfn.HTTPStatusError) as caught:
            app.execute(
                "echo",
                body,
                connection(loopback.url, credentials={"bearer": TOKEN, "key": "k-canary"}),
            )
        assert (secret not in str(caught.value)) is is_masked
        assert "an ordinary note" in str(caught.value)
        bound = app.bind(connection(loopback.url), allow=("read", "write"))
        assert secret in bound.outcome("echo", body).text  # the model wrote it


def test_a_secret_in_a_page_with_an_error_is_masked(loopback: Any, http: Any) -> None:
    """T38: a credential that an HTML page writes in entities is masked in the text that a model reads of the page."""
    spaced = "two  blanks and <tags> of a canary"
    for token, shown in (
        (TOKEN, "".join(f"&#{ord(character)};" for character in TOKEN)),
        (spaced, spaced),
    ):
        page = f"<html><body><p>Bearer {shown}</p></body></html>".encode()
        loopback.respond = lambda _, page=page: http(page, "502 Bad Gateway", "text/html")
        here = connection(loopback.url, credentials={"bearer": token, "key": "k-canary"})
        result = specfn.load(DOCUMENT).propagate("echo", {}, here)
        text = json.loads(result.for_model())["data"]
        assert text.startswith("Bearer ")
        assert "canary" not in text


def test_a_hook_and_a_client_hide_their_credentials(loopback: Any, http: Any) -> None:
    """T38: a signature that ``before`` adds is masked, as is a credential that ``after`` cannot know."""
    loopback.respond = lambda raw: http(json.dumps(raw.decode()).encode())

    def sign(request: Any) -> None:
        request.headers["X-Signature"] = "signed-canary-99"

    def renew(result: specfn.Result) -> specfn.Result:
        return specfn.Result(status=result.status, data=result.data)

    here = connection(loopback.url, before=sign, after=renew)
    result = specfn.load(DOCUMENT).propagate("echo", {}, here)
    assert "signed-canary-99" in result.data
    assert "signed-canary-99" not in result.for_model() + repr(result)
    assert is_shown(result.for_model()) == []


class Renewing(httpx.Auth):
    """An authentication whose second request has another token."""

    def auth_flow(self, request: httpx.Request) -> Iterator[httpx.Request]:  # type: ignore[override]
        """Send two requests."""
        for number in (1, 2):
            request.headers["X-Auth-Token"] = f"renewed-canary-{number}"
            yield request


def test_a_credential_of_a_later_request_is_masked(
    loopback: Any, http: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """T38: a token of a second request is masked, also if the log wrote the first one before with its secrets."""
    caplog.set_level(logging.DEBUG)
    loopback.respond = lambda raw: http(json.dumps(raw.decode()).encode())
    here = connection(loopback.url, auth=Renewing())
    result = specfn.load(DOCUMENT).propagate("echo", {}, here)
    assert "renewed-canary-2" in result.data
    assert "renewed-canary-2" not in result.for_model() + repr(result)


def test_a_credential_of_a_later_page_is_masked(loopback: Any, http: Any) -> None:
    """T38: a token that ``before`` changes with each page is masked in a later page, also after the first was written."""
    tokens = [f"rotating-canary-{page}" for page in range(3)]
    unused = iter(tokens)

    def respond(raw: bytes) -> bytes:
        body = json.dumps({"items": [raw.decode()]}).encode()
        number = len(loopback.requests)
        if number == len(tokens):
            return http(body)
        return http(body, Link=f'</echo?mark={number}>; rel="next"')

    def sign(request: Any) -> None:
        request.headers["X-Auth-Token"] = next(unused)

    loopback.respond = respond
    pages = specfn.load(DOCUMENT).pages("list", {}, connection(loopback.url, before=sign))
    for token, page in zip(tokens, pages, strict=True):
        assert token in str(page.items)
        assert token not in page.result.for_model() + repr(page) + repr(page.result)


def test_problems_of_the_human_part_have_no_values() -> None:
    """T38, S5: an error on invalid arguments has no value of the human part, neither in its problems nor in its repr."""
    body = {"pin": [f"{PIN}-canary"], "secret": SECRET, "note": 5}
    with pytest.raises(specfn.ArgumentError) as caught:
        application().execute("echo", {"body": body}, connection("https://h"))
    assert len(caught.value.problems) == 2
    assert "canary" not in repr(caught.value) + str(caught.value)


# -- laws -------------------------------------------------------------------------------------------

#: Credentials that may be sent, and texts around them.
CREDENTIALS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=4, max_size=40)
ENCODINGS = {
    "raw": lambda text: text,
    "percent": lambda text: quote(text, safe=""),
    "a path": quote,
    "a form": quote_plus,
    "small digits": lambda text: quote(text, safe="").lower() if text.islower() else quote(text),
    "percent twice": lambda text: quote(quote(text, safe=""), safe=""),
    "JSON": lambda text: json.dumps(text)[1:-1],
    "JSON in JSON": lambda text: json.dumps(json.dumps(text))[3:-3],
    "HTML": html.escape,
    "HTML of JSON": lambda text: html.escape(json.dumps(text)),
    "PHP": lambda text: json.dumps(text)[1:-1].replace("/", "\\/"),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 for URLs": lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "basic": lambda text: base64.b64encode(f"ann:{text}".encode()).decode(),
}
PLACES = {
    "a value": lambda text, _: {"a": [1, {"b": text}]},
    "a name": lambda text, _: {"a": {text: 1}},
    "inside a text": lambda text, around: {"a": f"{around[0]}{text}{around[1]}"},
    "a text": lambda text, around: f"{around[0]}{text}{around[1]}",
    "bytes": lambda text, around: f"{around[0]}{text}{around[1]}".encode(),
    "deep": lambda text, _: json.loads("[" * 300 + json.dumps(text) + "]" * 300),
}


@given(
    CREDENTIALS,
    st.sampled_from(sorted(ENCODINGS)),
    st.sampled_from(sorted(PLACES)),
    st.tuples(st.text(max_size=5), st.text(max_size=5)),
    st.sampled_from(["bearer", "basic", "cookie", "query", "callable"]),
)
def test_no_credential_in_any_encoding_and_place(
    credential: str, encoding: str, place: str, around: tuple[str, str], kind: str
) -> None:
    """T38 (a): a credential in any of these encodings, at any place of a response, is not in its texts."""
    options: dict[str, Any] = {
        "bearer": {"credentials": {"k": credential}},
        "basic": {"credentials": {"k": ("ann", credential)}},
        "cookie": {"cookies": {"c": "".join(filter(str.isalnum, credential)) + "abcd"}},
        "query": {"query": {"api_key": credential}},
        "callable": {},
    }[kind]
    secret = options["cookies"]["c"] if kind == "cookie" else credential
    if encoding == "basic" and len(secret) < 9:
        return  # a part of Base64 that is too short to be told from other texts
    masking = Masking(
        specfn.Connection(base_url="https://h", **options),
        credentials=[secret] if kind == "callable" else (),
    )
    written = ENCODINGS[encoding](secret)
    data = PLACES[place](written, around)
    result = specfn.Result(status=200, data=data, _masking=masking)
    changed = masking.apply(data)
    assert secret not in str(changed).replace("**********", "") or set(secret) <= {"*"}
    if encoding not in ("basic", "base64", "base64 for URLs"):
        assert written not in str(changed).replace("**********", "\0")
    inner = written[4:-4] if encoding == "basic" else written[:6]
    if encoding.startswith("base64") and len(secret) > 8:
        assert inner not in str(changed)
    assert result.data is data
    result.for_model()


@given(
    st.sampled_from(["Bearer", "Token", "ApiKey", "Some-oauthtoken"]),
    st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=8, max_size=40),
    st.sampled_from(["credential", "header", "hook"]),
)
def test_the_scheme_before_a_credential_is_no_secret(scheme: str, key: str, kind: str) -> None:
    """T38: ``Bearer`` or ``Token`` before a credential stays in names and texts; the credential is masked without it, too."""
    value = f"{scheme} {key}"
    options: dict[str, Any] = {
        "credential": {"credentials": {scheme: value}},
        "header": {"headers": {"Authorization": value}},
        "hook": {},
    }[kind]
    sent = httpx.Request("GET", "https://h", headers={"Authorization": value})
    masking = Masking(
        specfn.Connection(base_url="https://h", **options),
        requests=[sent] if kind == "hook" else (),
    )
    told = {scheme: f"{scheme} ... is expected", "whole": value, "key": f"<{key}>"}
    assume(key not in f"{scheme} ... is expected")
    changed = masking.apply(told)
    assert changed[scheme] == told[scheme]
    assert (changed["whole"], changed["key"]) == ("**********", "<**********>")


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(JSON_VALUES)
def test_a_response_without_secrets_is_the_same_object(data: Any) -> None:
    """T38: what contains no secret is not copied, and its text is the one without a masking."""
    masking = Masking(connection("https://h", credentials={"bearer": "sk-canary-0815"}))
    assert masking.apply(data) is data
    plain, masked = (
        specfn.Result(status=200, data=data, _masking=each).for_model() for each in (None, masking)
    )
    assert plain == masked


@given(JSON_VALUES, st.lists(st.text(min_size=8, max_size=20), min_size=1, max_size=3))
def test_masking_changes_texts_only(data: Any, texts: list[str]) -> None:
    """T38: the number, order and types of members and items stay, and masking twice is masking once."""
    given = {"credentials": {str(at): text for at, text in enumerate(texts)}}
    masking = Masking(specfn.Connection(base_url="https://h", **given))
    value = [data, *texts, {text: text for text in texts}]
    once = masking.apply(value)
    assert shape(once) == shape(value)
    assert masking.apply(once) == once or any("*" in text for text in texts)


def shape(value: Any) -> Any:
    if isinstance(value, dict):
        return [shape(each) for each in value.values()]
    if isinstance(value, list):
        return [[shape(each) for each in value]]
    return 0


#: Texts that make a search which is not linear take hours, for the credentials next to them.
SLOW = {
    "backslashes": ('\\"ab', "\\" * 300_000),
    "percent": ("\\%25ab", "%5C" * 100_000),
    "percent of percent": ("%%%ab", "%" + "25" * 150_000),
    "entities": ("&&&ab", "&" + "amp;" * 75_000),
    "many entities": ('\\"ab', "&#92;" * 60_000),
    "repetition": ("aaaaaaab", "a" * 300_000),
    "slashes": ("////ab", "\\/" * 150_000),
    "names": ("pin: 4711", "pin " * 75_000 + "pin" + " " * 300_000),
}


@pytest.mark.parametrize("name", SLOW)
def test_a_response_does_not_make_the_search_slow(name: str) -> None:
    """T38, T42: the search in 300,000 hostile characters ends; one that is quadratic would not within the limit of a run."""
    secret, text = SLOW[name]
    code = (
        "import sys; from specfn.http.masking import Masking; from specfn import Connection;"
        "secret, text = sys.stdin.read().split(chr(0));"
        "masking = Masking(Connection(credentials={'a': secret, 'b': ('u', secret)}));"
        "print(secret in str(masking.apply({'a': text + ' ' + secret, secret: text})))"
    )
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_CPU, (20, 20)); {code}"
    done = subprocess.run(
        [sys.executable, "-c", limited], input=f"{secret}\0{text}", capture_output=True, text=True, check=False
    )  # fmt: skip
    assert (done.returncode, done.stdout.strip()) == (0, "False"), done.stderr
