"""Charsets that are sent: only those that Python encodes exactly, and the fault of the document is reported in time."""

import codecs
import json
import pkgutil
from encodings import __path__ as encodings
from encodings.aliases import aliases
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.conftest import document, specfn  # noqa: F401  # fixtures

from specfn import Application, Connection, Options, load, request
from specfn.calling import run
from specfn.errors import ArgumentError, DocumentError
from specfn.http.charsets import sendable_codec
from specfn.http.dry_run import dry_run

HERE = Connection(base_url="https://api.example.com")

#: Codecs of Python that are no charset: those that escape, fail, keep bytes, add a mark, or depend on the machine.
NO_CHARSETS = frozenset(
    "base64 bz2 charmap hex idna mbcs oem palmos punycode quopri raw-unicode-escape rot-13 undefined unicode-escape "
    "utf-8-sig uu zlib".split()
)


def _name(label: str) -> str | None:
    try:
        return codecs.lookup(label).name
    except LookupError:
        return None


#: Every label by which Python knows a codec, with the codec's own name.
LABELS = {
    label: name
    for label in sorted(
        {module.name for module in pkgutil.iter_modules(encodings)}
        | {*aliases}
        | {alias.replace("_", "-").upper() for alias in aliases}
    )
    if (name := _name(label)) is not None
}


def text_body(charset: str) -> Any:
    return {"content": {f"text/plain; charset={charset}": {"schema": {"type": "string"}}}}


def parts(**encoding: Any) -> Any:
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in encoding}}
    return {"content": {"multipart/form-data": {"schema": schema, "encoding": encoding}}}


def api(body: Any, **more: Any) -> Application:
    good = {"get": {"operationId": "good"}}
    post = {"operationId": "bad", "requestBody": body}
    return load(
        {
            "openapi": "3.1.0",
            "info": {"title": "t", "version": "1"},
            "paths": {"/x": {"post": post}, "/y": good},
        },
        **more,
    )


def test_every_label_that_python_knows() -> None:
    """X5: by whatever label, a charset can be sent unless its codec is no charset."""
    for label, name in LABELS.items():
        assert sendable_codec(label) == (None if name in NO_CHARSETS else name)


@pytest.mark.parametrize("label", sorted({*LABELS.values()}))
def test_every_codec_of_python(label: str) -> None:
    """X5: a text is sent in a charset that Python encodes exactly; any other codec is the document's fault."""
    function = api(text_body(label))["bad"]
    if label in NO_CHARSETS:
        with pytest.raises(DocumentError, match="cannot be sent") as caught:
            request(function, {"body": "a"}, HERE)
        assert caught.value.pointer.startswith("/paths/~1x/post/requestBody/content/text~1plain")
    else:
        for text in ("a", *filter(lambda each: _has(label, each), "é€жقअ日한汉😀")):
            content = request(function, {"body": text}, HERE).content
            assert content.decode(label) == text


def _has(codec: str, letter: str) -> bool:
    try:
        return letter.encode(codec).decode(codec) == letter
    except UnicodeError:
        return False


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=10), st.sampled_from([*LABELS]))
def test_what_is_sent_is_the_text(text: str, label: str) -> None:
    """X5: whatever is sent in a charset reads as the text; characters that it does not have are refused."""
    function = api(text_body(label))["bad"]
    try:
        content = request(function, {"body": text}, HERE).content
    except (ArgumentError, DocumentError):
        return
    assert content.decode(label, "replace") == text


@pytest.mark.parametrize("label", ["shift_jis", "shift_jis_2004", "euc_kr", "iso-8859-1", "ascii"])
def test_a_character_that_a_charset_does_not_have(label: str) -> None:
    """X5: a text that a charset does not have, or that its codec would write as another, is an argument's fault."""
    function = api(text_body(label))["bad"]
    with pytest.raises(ArgumentError, match="characters in"):
        request(function, {"body": "¥ ‾ ₩ 😀"}, HERE)
    if label == "shift_jis":
        with pytest.raises(ArgumentError, match="shift_jis"):
            request(function, {"body": "¥"}, HERE)


BAD = {
    "text": (text_body("idna"), "/content/text~1plain; charset=idna"),
    "unknown": (text_body("klingon"), "/content/text~1plain; charset=klingon"),
    "XML": (
        {"content": {"application/xml; charset=undefined": {}}},
        "/content/application~1xml; charset=undefined",
    ),
    "part": (
        parts(a={"contentType": "text/csv; charset=utf8mb4"}),
        "/content/multipart~1form-data/encoding/a/contentType",
    ),
    "later part": (
        parts(a={}, **{"b/c": {"contentType": "text/plain;charset=punycode"}}),
        "/content/multipart~1form-data/encoding/b~1c/contentType",
    ),
}


@pytest.fixture(params=BAD)
def bad(request: Any) -> tuple[Application, str]:
    body, place = BAD[request.param]
    return api(body), f"/paths/~1x/post/requestBody{place}"


def test_loading_reports_nothing(bad: tuple[Application, str]) -> None:
    """X5: the fault is one of first use: the function exists, with its name, description and fingerprint."""
    app, _ = bad
    assert [function.name for function in app] == ["x_post", "y_get"]
    assert app.errors == ()
    assert app["bad"].description is not None
    assert len(app.fingerprint) == len(app["bad"].fingerprint) == 64
    assert "x_post" in app.lock()
    assert app.report()["functions"] == 2


def test_the_first_use_reports_the_fault(bad: tuple[Application, str]) -> None:
    """X5: whoever reads the schemas, or builds a request, gets a DocumentError with its pointer."""
    app, pointer = bad
    function = app["bad"]
    for use in (
        lambda: function.parameters,
        lambda: function.validator,
        lambda: request(function, {"body": {"a": "x"}}, HERE),
        lambda: request(function, None, HERE, validate=False),
        lambda: dry_run(function, {"body": "x"}, HERE),
        lambda: app.execute("bad", {"body": "x"}, HERE),
        lambda: app.bind(HERE)["bad"].parameters,
    ):
        with pytest.raises(DocumentError, match="cannot be sent") as caught:
            use()
        assert caught.value.pointer == pointer
        assert pointer in str(caught.value)


def test_validating_never_raises(bad: tuple[Application, str]) -> None:
    """V1: arguments of a function that cannot be sent are a failure that says why, by any of its methods."""
    function = bad[0]["bad"]
    for sent in ({"body": "x"}, {"body": {}}, {}, None, "{", '{"body": "x"}'):
        for outcome in (function.validate(sent), function.coerce(sent), function.check(sent)):
            assert not outcome
    assert "cannot be sent" in function.validate({"body": "x"}).feedback()
    positional = api(BAD["text"][0], options=Options(keyword=False))["bad"]
    assert not positional.validate(["x"])


def test_no_model_is_offered_the_function(bad: tuple[Application, str]) -> None:
    """X5: a list of tools leaves the function out and says why; the other functions are in it."""
    app, pointer = bad
    tools = app.tools("portable")
    assert "cannot be sent" in tools.warnings[0]
    assert [tool.name for tool in tools.tools] == ["y_get"]
    [left_out] = tools.left_out
    assert (left_out.function, left_out.code) == ("x_post", "refused")
    assert pointer in left_out.reason
    [finding] = [each for each in app.check("portable") if each.code == "refused"]
    assert pointer in finding.reason
    asked: list[Any] = []

    def model(given: Any) -> Any:
        asked.append(given)
        message = {"role": "assistant", "content": "done"}
        return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}

    outcome = run(app, model, connection=HERE, connector="openai", model="m", messages="x")
    assert "x_post" not in json.dumps(asked, default=str)
    assert "function x_post" in outcome.degraded


def test_the_commands_report_the_fault(
    specfn: Any,  # noqa: F811  # the fixture
    document: Any,  # noqa: F811  # likewise
) -> None:
    """X5: ``tools`` writes the other functions, and it, ``check`` and ``call`` say why with the exit code 1."""
    post = {"requestBody": text_body("idna")}
    path = document({"/x": {"post": post}, "/y": {"get": {}}})
    ended = specfn("tools", path)
    assert ended.code == 1
    assert [each["name"] for each in json.loads(ended.out)] == ["y_get"]
    assert "'idna' cannot be sent" in ended.err
    assert specfn("tools", path, "--select", "y_get").code == 0
    assert specfn("check", path).code == 1
    ended = specfn("call", path, "x_post", '{"body": "x"}', "--base-url", "https://a.example", "-y")
    assert ended.code == 1
    assert specfn("inspect", path).code == 0


def test_json_ignores_the_charset() -> None:
    """RFC 8259, 8.1: JSON is UTF-8 whatever its charset; where it names another, the bytes are ASCII and so both."""
    for label in ("utf-8", "UTF-8", "idna", "klingon", "iso-8859-1"):
        function = api({"content": {f"application/json; charset={label}": {}}})["bad"]
        content = request(function, {"body": {"é": "日😀"}}, HERE).content
        assert json.loads(content) == {"é": "日😀"}
        assert content.isascii() is (label.lower() != "utf-8")
