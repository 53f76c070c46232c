"""``specfn call``: one call, asked about first, and never a secret in sight."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.http.conftest import listen

SECRET = "canary-71cd"


@pytest.fixture
def pets(document: Any) -> Path:
    """A document of a few operations with every kind of credential."""
    json_body = {"content": {"application/json": {"schema": {"type": "object"}}}}
    upload = {
        "type": "object",
        "required": ["photo"],
        "properties": {
            "photo": {"type": "string", "format": "binary"},
            "more": {"type": "array", "items": {"type": "string", "format": "binary"}},
            "note": {"type": "string"},
        },
    }
    path = [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}]
    return document(
        {
            "/pets/{id}": {
                "get": {"operationId": "pet", "parameters": path},
                "delete": {"operationId": "drop", "parameters": path},
            },
            "/pets": {
                "post": {"operationId": "add", "requestBody": json_body, "security": [{"key": []}]}
            },
            "/me": {"get": {"operationId": "me", "security": [{"login": []}]}},
            "/photos": {
                "post": {
                    "operationId": "upload",
                    "requestBody": {"content": {"multipart/form-data": {"schema": upload}}},
                }
            },
        },
        servers=[{"url": "https://api.example.com/v1"}],
        components={
            "securitySchemes": {
                "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
                "login": {"type": "http", "scheme": "basic"},
            }
        },
    )


@pytest.fixture
def server() -> Iterator[Any]:
    from tests.http.conftest import http_answer, listen  # noqa: PLC0415  # a server, not its fixtures

    listening, stop = listen()
    listening.respond = lambda _: http_answer(b'{"id": 1, "name": "Rex\\u001b[31m"}')
    yield listening
    stop()


def answer(*arguments: Any, **headers: Any) -> Any:
    from tests.http.conftest import http_answer  # noqa: PLC0415  # likewise

    return lambda _: http_answer(*arguments, **headers)


def test_a_call(specfn: Any, pets: Path, server: Any) -> None:
    """The data that the server answered is on stdout, without what would reach a terminal."""
    ended = specfn("call", pets, "pet", '{"id": 7}', "--base-url", f"{server.url}/v1")
    assert ended.code == 0
    assert ended.data == {"id": 1, "name": "Rex\x1b[31m"}
    assert "\x1b" not in ended.out
    assert server.line == "GET /v1/pets/7 HTTP/1.1"
    assert ended.err == ""


def test_the_whole_answer_as_json(specfn: Any, pets: Path, server: Any) -> None:
    """``--json`` is status, headers and data, whatever the status; bytes are base64."""
    ended = specfn("call", pets, "pet", '{"id": 7}', "--base-url", server.url, "--json")
    assert ended.data["status"] == 200
    assert ended.data["headers"]["content-type"] == "application/json"
    assert ended.data["data"]["id"] == 1
    server.respond = answer(b"\x00\xff", "404 Not Found", "image/png")
    ended = specfn("call", pets, "pet", '{"id": 7}', "--base-url", server.url, "--json")
    assert ended.code == 1
    assert ended.data["data"] == {"media_type": "image/png", "base64": "AP8="}
    assert "404" in ended.err


def test_arguments(specfn: Any, pets: Path, server: Any) -> None:
    """Arguments come from the line or stdin, are read as they were meant, and refused if they are wrong."""
    ended = specfn("call", pets, "pet", "-", "--base-url", server.url, stdin=b'{"id": "7"}')
    assert (ended.code, server.target) == (0, "/pets/7")
    assert "id was repaired (" in ended.err
    ended = specfn("call", pets, "pet", '{"id": "seven"}', "--base-url", server.url)
    assert ended.code == 1
    assert "id: expected integer" in ended.err
    ended = specfn("call", pets, "pet", "--base-url", server.url)
    assert ended.code == 1
    assert len(server.requests) == 1
    assert specfn("call", "-", "pet", "-", "--base-url", server.url).code == 2


_DRY = ("--dry-run", "--json", "--anonymous")
_NAMES = st.sampled_from(["a", "b", "_c", "d-e"])
_OBJECTS = st.recursive(
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=5).map(
        lambda text: f" {text}"
    ),
    lambda inner: st.dictionaries(_NAMES, inner, min_size=1, max_size=3),
    max_leaves=6,
)


def _words(value: Any, name: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _words(inner, f"{name}.{key}")
    else:
        yield f"{name}={value}"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=st.dictionaries(_NAMES, _OBJECTS, min_size=1, max_size=3))
def test_words_are_the_same_as_json(specfn: Any, pets: Path, body: Any) -> None:
    """Each object of objects and texts is the same call as NAME=VALUE and as JSON."""
    call = ("call", pets, "add", "--base-url", "http://h.example", *_DRY)
    by_words = specfn(*call, *_words(body, "body"))
    assert by_words.data == specfn(*call, json.dumps({"body": body})).data
    assert by_words.data["body"] == body


@pytest.mark.parametrize(
    ("words", "body"),
    [
        (["body.a=1", "body.a=2", "body.a=3"], {"a": ["1", "2", "3"]}),
        (["body.a:=1", "body.b:=[true]"], {"a": 1, "b": [True]}),
        (["@given.json", "body.a=2"], {"a": "2", "b": 1}),
        (["body.c=3", "-", "body.a=2"], {"a": "2", "s": 1}),
        (['{"body": {"a": 1}}', "body.b.c=2"], {"a": 1, "b": {"c": "2"}}),
        (["body.a=@given.json", "body.b:=@given.json"], None),
        (["body.a=x=y:=z"], {"a": "x=y:=z"}),
        (["body.a="], {"a": ""}),
    ],
)
def test_the_forms_of_words(
    specfn: Any, pets: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], body: Any
) -> None:
    """A repeated name is a list, := is JSON, @ is a file, and each word is set in the objects before it."""
    monkeypatch.chdir(pets.parent)
    text = '{"body": {"a": 1, "b": 1}}'
    Path("given.json").write_text(text, encoding="utf-8")
    ended = specfn(
        "call",
        pets,
        "add",
        "--base-url",
        "http://h.example",
        *_DRY,
        *words,
        stdin=b'{"body": {"s": 1}}',
    )
    assert ended.code == 0, ended.err
    assert ended.data["body"] == (body or {"a": text, "b": json.loads(text)})


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["body=x", "body.a=1"], "body.a: 'body' is already set to a value that is not an object"),
        (["body.a:=x"], "body.a: this is not JSON: "),
        (["body.a=1", "[1]"], "'[1]' is not an argument; pass body.NAME=VALUE"),
        (["body.a=1", '{"a"'], "this is not JSON"),
        (["body" + ".a" * 70 + "=1"], "more than 64 levels"),
        (["id=1", "@given.json"], "there is no file 'given.json'"),
    ],
)
def test_words_that_are_invalid(specfn: Any, pets: Path, words: list[str], reason: str) -> None:
    """A word that cannot be read is named, and nothing is sent."""
    ended = specfn("call", pets, "add", *words, "--base-url", "http://127.0.0.1:9", "--yes")
    assert ended.code in (1, 2)
    assert reason in ended.err


@pytest.mark.parametrize("operator", ["=", ":="])
def test_a_file_that_is_no_text_is_not_sent_as_text(
    specfn: Any, pets: Path, server: Any, monkeypatch: pytest.MonkeyPatch, operator: str
) -> None:
    """NAME=@FILE with an image is an error that names --file, and the words of the error send the exact bytes."""
    monkeypatch.chdir(pets.parent)
    image = b"\x89PNG\r\n\x1a\n\xff"
    Path("image.png").write_bytes(image)
    call = ("call", pets, "upload", "--base-url", server.url, "--yes")
    ended = specfn(*call, f"body.photo{operator}@image.png")
    assert ended.code == 2
    assert "pass --file photo=image.png" in ended.err
    assert server.requests == []
    specfn(*call, "--file", "photo=image.png")
    assert image in server.requests[0]


def test_what_may_change_something_is_asked_about(specfn: Any, pets: Path, server: Any) -> None:
    """Without anybody to ask nothing is sent; --yes is an answer."""
    for name in ("drop", "upload"):
        arguments = '{"id": 7}' if name == "drop" else '{"body": {"photo": "x"}}'
        ended = specfn("call", pets, name, arguments, "--base-url", server.url)
        assert ended.code == 2
        assert "--yes" in ended.err
    assert server.requests == []
    assert specfn("call", pets, "drop", '{"id": 7}', "--base-url", server.url, "--yes").code == 0
    assert server.line == "DELETE /pets/7 HTTP/1.1"


def test_undeclared_properties_are_named(specfn: Any, pets: Path, server: Any) -> None:
    """A success names the properties of the body that the document does not declare; stdout has the data alone."""
    call = ("call", pets, "upload", "--base-url", server.url, "--yes", "body.photo=x")
    assert specfn(*call, "body.note=x").err == ""
    ended = specfn(*call, "body.nota=x")
    assert ended.code == 0
    assert ended.err.endswith("Not declared by the API, which may have ignored it: body.nota.\n")


@pytest.mark.parametrize(("said", "code", "sent"), [("y\n", 0, 1), ("n\n", 1, 0), ("\n", 1, 0)])
def test_a_person_is_asked(
    capsys: Any,
    pets: Path,
    server: Any,
    monkeypatch: pytest.MonkeyPatch,
    said: str,
    code: int,
    sent: int,
) -> None:
    """On a terminal the request is shown, masked, and sent only for a yes."""
    from specfn.cli.main import run  # noqa: PLC0415  # the fixture of this name is the command

    class Terminal:
        def isatty(self) -> bool:
            return True

        def readline(self) -> str:
            return said

    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr("click.termui.visible_prompt_func", lambda _: said.strip())
    given = [
        "call",
        str(pets),
        "add",
        '{"body": {"a": 1}}',
        "--base-url",
        server.url,
        "--auth",
        f"key={SECRET}",
    ]
    assert run(given) == code
    out, err = capsys.readouterr()
    assert SECRET not in out + err
    assert err.startswith("This request may change data. It is sent only if you approve it.\n")
    assert '"a": 1' in err
    assert f"URL: {server.url}/pets" in err
    assert "X-Key: **********" in err
    assert len(server.requests) == sent
    assert ("not sent" in err) is not bool(sent)


def test_credentials(specfn: Any, pets: Path, server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A credential comes from the line or the environment; the line wins; basic is user and password."""
    given = ("call", pets, "add", "{}", "--base-url", server.url, "--yes")
    assert specfn(*given).code == 2
    assert specfn(*given, "--auth", f"key={SECRET}").code == 0
    assert server.head["x-key"] == [SECRET]
    monkeypatch.setenv("SPECFN_AUTH_KEY", "from the environment")
    assert specfn(*given).code == 0
    assert server.head["x-key"] == ["from the environment"]
    assert specfn(*given, "--auth", f"key={SECRET}").code == 0
    assert server.head["x-key"] == [SECRET]
    monkeypatch.setenv("SPECFN_AUTH_LOGIN", "Aladdin:open sesame")
    assert specfn("call", pets, "me", "--base-url", server.url).code == 0
    assert server.head["authorization"] == ["Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="]


PLACEHOLDER = "${PETS_TOKEN}"


@pytest.mark.parametrize(
    ("option", "value", "kind"),
    [
        ("--auth", f"key={PLACEHOLDER}", "credential 'key'"),
        ("--auth", "key=${env:PETS_TOKEN}", "credential 'key'"),
        ("--auth", f"login=user:{PLACEHOLDER}", "credential 'login'"),
        ("--header", f"Authorization: Bearer {PLACEHOLDER}", "header 'Authorization'"),
        ("--query", f"t={PLACEHOLDER}", "query parameter 't'"),
        ("--cookie", f"s={PLACEHOLDER}", "cookie 's'"),
    ],
)
def test_a_placeholder_is_not_sent(
    specfn: Any, pets: Path, server: Any, option: str, value: str, kind: str
) -> None:
    """A variable that nobody replaced is an error at the start, which names where it is."""
    ended = specfn("call", pets, "pet", '{"id": 1}', "--base-url", server.url, option, value)
    assert ended.code == 2
    assert f"the {kind} still contains a placeholder such as ${{NAME}}" in ended.err
    assert server.requests == []


def test_a_placeholder_in_the_environment_is_not_sent(
    specfn: Any, pets: Path, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host that does not know the variable passes its name on; a value with a dollar sign is a value."""
    given = ("call", pets, "add", "{}", "--base-url", server.url, "--yes")
    monkeypatch.setenv("SPECFN_AUTH_KEY", "${SPECFN_AUTH_KEY}")
    ended = specfn(*given)
    assert (ended.code, server.requests) == (2, [])
    assert "the credential 'key' still contains a placeholder" in ended.err
    monkeypatch.setenv("SPECFN_AUTH_KEY", "a$b{c}$1")
    assert specfn(*given).code == 0
    assert server.head["x-key"] == ["a$b{c}$1"]


def test_headers_query_and_cookies(specfn: Any, pets: Path, server: Any) -> None:
    """What is sent always is given as name and value."""
    more = ["--header", "X-A: b: c", "--query", "t=1=2", "--cookie", "s=1", "--timeout", "5"]
    assert specfn("call", pets, "pet", '{"id": 1}', "--base-url", server.url, *more).code == 0
    assert server.target == "/pets/1?t=1%3D2"
    assert server.head["x-a"] == ["b: c"]
    assert server.head["cookie"] == ["s=1"]


WRONG = [
    (["--auth", f"nope={SECRET}"], "credential for 'nope', which is not a security scheme"),
    (["--auth", SECRET], "SCHEME=VALUE"),
    (["--header", f"X-A: {SECRET}\r\nX-B: c"], "header"),
    (["--header", SECRET], "--header"),
    (["--query", SECRET], "--query"),
    (["--cookie", f"a={SECRET};b"], "cookie"),
    (["--timeout", "-1"], "--timeout"),
    (["--origin", f"https://u:{SECRET}@h"], "--origins"),
    (["--base-url", f"https://u:{SECRET}@h"], "--base-url"),
    (["--file", "photo"], "--file"),
]


@pytest.mark.parametrize(("options", "said"), WRONG, ids=[said for _, said in WRONG])
def test_wrong_options(specfn: Any, pets: Path, server: Any, options: list[str], said: str) -> None:
    """A wrong option is wrong use of the command, told by its name and without its value."""
    ended = specfn("call", pets, "pet", '{"id": 1}', "--base-url", server.url, *options)
    assert ended.code == 2
    assert said in ended.err
    assert SECRET not in ended.out + ended.err
    assert server.requests == []


def test_a_file_that_is_missing(specfn: Any, pets: Path, server: Any) -> None:
    """A missing file is one line with the option, and nothing is sent."""
    options = ["--base-url", server.url, "--file", "photo=/nowhere/at/all"]
    ended = specfn("call", pets, "upload", "{}", *options)
    assert (ended.code, ended.err.count("\n")) == (1, 1)
    assert "--file: there is no file" in ended.err
    assert server.requests == []


@pytest.mark.parametrize(
    ("name", "place", "reason"),
    [
        ("upload", "phto", "the body has no property 'phto'; did you mean 'photo'?"),
        ("upload", "zzz", "the body has no property 'zzz'; there is 'photo', 'more'"),
        ("pet", "photo", "pets_getById has no request body"),
    ],
)
def test_a_file_for_an_unknown_place(
    specfn: Any, pets: Path, server: Any, name: str, place: str, reason: str
) -> None:
    """A property that the body does not declare is invalid use: nothing is read and nothing is sent."""
    given = ("call", pets, name, "{}", "--base-url", server.url, "--yes")
    ended = specfn(*given, "--file", f"{place}=/nowhere/at/all")
    assert (ended.code, server.requests) == (2, [])
    assert ended.err.startswith(f"specfn: --file {place}: ")
    assert ended.err.rstrip().endswith(reason)


def test_where_to(specfn: Any, pets: Path, server: Any) -> None:
    """Without a base URL the document's servers are named, and nobody is called; nobody there is code 3."""
    ended = specfn("call", pets, "pet", '{"id": 1}')
    assert ended.code == 2
    assert "https://api.example.com/v1" in ended.err
    ended = specfn("call", pets, "pet", '{"id": 1}', "--base-url", "http://127.0.0.1:9")
    assert ended.code == 3
    assert server.requests == []


def test_a_dry_run(specfn: Any, pets: Path, server: Any) -> None:
    """``--dry-run`` sends nothing, asks nobody and shows no secret: a curl line, or JSON."""
    given = (
        "call", pets, "add", '{"body": {"a": 1}}', "--base-url", server.url, "--auth", f"key={SECRET}", "--dry-run",
    )  # fmt: skip
    ended = specfn(*given)
    assert ended.code == 0
    assert ended.out.startswith(f"curl -X POST {server.url}/pets")
    run = specfn(*given, "--json").data
    assert run["body"] == {"a": 1}
    assert run["headers"]["X-Key"] == "**********"
    assert SECRET not in ended.out + json.dumps(run)
    assert server.requests == []


def test_files(specfn: Any, pets: Path, server: Any, tmp_path: Path) -> None:
    """A file that a person names is sent; one that an argument names is refused."""
    photo = tmp_path / "rex.png"
    photo.write_bytes(b"\x89PNG\xff")
    given = ("call", pets, "upload", '{"body": {"note": "n"}}', "--base-url", server.url, "--yes")
    assert specfn(*given, "--file", f"photo={photo}").code == 0
    assert b'name="photo"; filename="rex.png"' in server.body
    assert b"\r\n\r\n\x89PNG\xff\r\n" in server.body
    server.requests.clear()
    body = json.dumps({"body": {"photo": str(photo)}})
    ended = specfn("call", pets, "upload", body, "--base-url", server.url, "--yes")
    assert (ended.code, server.requests) == (1, [])
    assert "Write the content: data:image/png;name=rex.png;base64,DATA" in ended.err


def test_arguments_are_repaired_with_files(
    specfn: Any, pets: Path, server: Any, tmp_path: Path
) -> None:
    """A text around the object, its wrapper and a body in a string are repaired, as without files."""
    photo = tmp_path / "rex.png"
    photo.write_bytes(b"PNG")
    body = json.dumps(json.dumps({"note": "n"}))
    text = f'Here: {{"name": "upload", "arguments": {{"body": {body}}}}}'
    given = ("call", pets, "upload", text, "--base-url", server.url, "--yes")
    ended = specfn(*given, "--file", f"photo={photo}")
    assert ended.code == 0, ended.err
    assert b'name="note"\r\n\r\nn\r\n' in server.body
    for kind in ("prose", "wrapper", "json"):
        assert f"({kind})" in ended.err


def test_files_of_an_array(specfn: Any, pets: Path, server: Any, tmp_path: Path) -> None:
    """Files of an array are collected; a body without properties takes none."""
    photo = tmp_path / "rex.png"
    photo.write_bytes(b"PNG")
    given = ("--base-url", server.url, "--yes", "--file", f"photo={photo}")
    more = ("--file", f"more={photo}")
    for count in (1, 2):
        assert specfn("call", pets, "upload", "{}", *given, *more * count).code == 0
        assert server.body.count(b'name="more"; filename="rex.png"') == count
    ended = specfn("call", pets, "upload", '{"body": "text"}', *given)
    assert ended.code == 2
    assert "the body in ARGUMENTS is not a JSON object" in ended.err


def test_a_response_without_content_is_reported(specfn: Any, pets: Path, server: Any) -> None:
    """An empty response is one line on stderr."""
    server.respond = answer(b"", status="204 No Content")
    ended = specfn("call", pets, "pet", '{"id": 1}', "--base-url", server.url)
    assert (ended.code, ended.out, ended.err) == (0, "", "specfn: HTTP 204: no content\n")


def test_output_files(specfn: Any, pets: Path, server: Any, tmp_path: Path) -> None:
    """``-o`` takes what the server answered: JSON with line breaks, texts and bytes as they are."""
    target = tmp_path / "answer"
    given = ("call", pets, "pet", '{"id": 1}', "--base-url", server.url, "-o", target)
    assert specfn(*given).out == ""
    assert json.loads(target.read_bytes())["id"] == 1
    for content, media_type in [
        (b"\x00\xff", "image/png"),
        ("é\r\n".encode(), "text/plain"),
        (b"", ""),
    ]:
        server.respond = answer(content, media_type=media_type)
        assert specfn(*given).code == 0
        assert target.read_bytes() == content
    assert specfn(*given, "--json").code == 0
    assert json.loads(target.read_bytes())["status"] == 200


def test_the_demo(specfn: Any, shop: Any) -> None:
    """The shop is called by its own document."""
    given = ("--base-url", shop.base_url)
    ended = specfn("call", shop.document_url, "GET /categories", *given)
    assert ended.code == 0
    assert isinstance(ended.data, (list, dict))


def test_faults_speak_of_options(
    specfn: Any, pets: Path, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault that the library tells in its own words names the options of the command."""
    ended = specfn("call", pets, "add", '{"body": {}}', "--base-url", server.url, "--yes")
    assert ended.code == 2
    assert "needs credentials: key" in ended.err
    assert "--auth SCHEME=VALUE" in ended.err
    assert "connection." not in ended.err
    assert "set SPECFN_AUTH_KEY; if the server needs none, pass --anonymous\n" in ended.err
    monkeypatch.setenv("SPECFN_AUTH_BEARER", SECRET)
    ended = specfn("call", pets, "add", '{"body": {}}', "--base-url", server.url, "--yes")
    assert "set SPECFN_AUTH_KEY; none of these is SPECFN_AUTH_BEARER, which is set" in ended.err
    assert SECRET not in ended.err


def test_a_redirect_is_told(specfn: Any, pets: Path, server: Any) -> None:
    """What is not followed is told with where it leads."""
    server.respond = answer(b"", "307 Temporary Redirect", Location="/pets/7/")
    ended = specfn("call", pets, "pet", '{"id": 7}', "--base-url", server.url)
    assert ended.code == 1
    assert "the server responded 307" in ended.err
    assert f"the redirect to {server.url}/pets/7/ was not followed" in ended.err
    assert "--redirects same-origin follows it" in ended.err


def test_numbers_that_json_cannot_write(specfn: Any, pets: Path, server: Any) -> None:
    """NaN and infinities are null on stdout, also beside integers of any length, and a line on stderr names them."""
    server.respond = answer(b'{"a": [NaN, 123456789012345678901234567890], "b": 1e999}')
    for options in ([], ["--json"]):
        ended = specfn("call", pets, "pet", '{"id": 7}', "--base-url", server.url, *options)
        assert ended.code == 0
        data = ended.data["data"] if options else ended.data
        assert data == {"a": [None, 123456789012345678901234567890], "b": None}
        assert "2 numbers are NaN or infinite" in ended.err
        assert "#/a/0, #/b" in ended.err


@pytest.mark.parametrize("number", ["1", "9" * 25])
def test_an_answer_nested_deeply(specfn: Any, pets: Path, server: Any, number: str) -> None:
    """What can be read can be written: a deeply nested answer is no fault of the command."""
    for depth in (254, 900, 5_000):
        text = "[" * depth + number + "]" * depth
        server.respond = answer(text.encode())
        for options in ([], ["--json"]):
            ended = specfn("call", pets, "pet", '{"id": 7}', "--base-url", server.url, *options)
            assert ended.code == 0
            assert "".join(ended.out.split()).count(text) == 1


def test_lines_of_a_text_on_a_terminal(
    specfn: Any, pets: Path, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal, ends of lines are ends of lines, and a carriage return that hides a line is shown."""
    server.respond = answer(b"a\r\nb\rc", media_type="text/csv")
    monkeypatch.setattr("specfn.cli.commands.call.is_terminal", lambda _: True)
    ended = specfn("call", pets, "pet", '{"id": 7}', "--base-url", server.url)
    assert ended.out == "a\nb\\u000dc\n"


def test_the_events_of_a_stream_are_printed(specfn: Any, pets: Path) -> None:
    """The events until a limit are JSON on stdout, and one line on stderr says why the stream was stopped."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    server, stop = listen()
    server.respond = lambda _: iter([head, *(b'data: {"n":1}\n\n' for _ in range(10_001))])
    found = specfn("call", pets, "pet", '{"id": 7}', "--base-url", server.url)
    stop()
    assert found.code == 0
    assert found.data == [{"data": {"n": 1}}] * 10_000
    (line,) = found.err.splitlines()
    assert line.endswith("the stream was stopped after 10,000 events: max_events is reached")


@pytest.mark.parametrize(
    ("given", "option"),
    [
        ((), "--anonymous"),
        (("--auth", "key=x", "--base-url", "http://api.example.com"), "--allow-insecure"),
    ],
)
def test_an_error_names_the_switch(
    specfn: Any, pets: Path, server: Any, given: tuple[str, ...], option: str
) -> None:
    """An error of the library names the switch of the command, and the switch is one."""
    arguments = ("call", pets, "add", '{"body": {}}', "--yes", "--base-url", server.url, *given)
    ended = specfn(*arguments)
    assert ended.code == 2
    assert f"pass {option}" in ended.err
    assert "Connection(" not in ended.err
    assert specfn(*arguments, "--dry-run", option).code == 0


@pytest.mark.parametrize("command", ["chat", "ui", "serve"])
def test_a_credential_in_the_clear_is_an_error_at_the_start(
    specfn: Any, pets: Path, command: str
) -> None:
    """A command that makes many calls fails before the first one, whose function may need no credential."""
    more = (
        ("hi", "--model", "m", "--model-url", "http://127.0.0.1:9/v1") if command == "chat" else ()
    )
    ended = specfn(
        command, pets, *more, "--auth", "key=canary", "--base-url", "http://api.example.com"
    )
    assert ended.code == 2
    assert "pass --allow-insecure" in ended.err
    assert "canary" not in ended.err


def test_a_variable_of_a_scheme_fills_no_parameter(
    specfn: Any, document: Any, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hidden parameter with the variable of a scheme does not get its credential; another one has its own variable."""
    parameters = [
        {"name": name, "in": "query", "schema": {"type": "string"}}
        for name in ("API-KEY", "access_token")
    ]
    spec = document(
        {"/x": {"get": {"operationId": "x", "parameters": parameters}}},
        components={"securitySchemes": {"api_key": {"type": "http", "scheme": "bearer"}}},
    )
    monkeypatch.setenv("SPECFN_AUTH_API_KEY", SECRET)
    monkeypatch.setenv("SPECFN_AUTH_ACCESS_TOKEN", "other-4711")
    assert specfn("call", spec, "x", "--base-url", server.url).code == 0
    assert server.target == "/x?access_token=other-4711"
    assert server.head["authorization"] == [f"Bearer {SECRET}"]
