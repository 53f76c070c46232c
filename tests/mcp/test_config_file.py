from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn import Options
from specfn.answers import Drop, Keep
from specfn.errors import UsageError
from specfn.mcp.config_file import ReferencedValues, parse
from specfn.settings import Paging

SECRET = "canary-4711"


def read(text: str, variables: Any = None, files: Any = None) -> Any:
    def content(path: str) -> str:
        try:
            found: str = (files or {})[path]
        except KeyError:
            raise FileNotFoundError(2, "No such file or directory") from None
        return found

    given = {"TOKEN": SECRET} if variables is None else variables
    return parse(text, "c.yaml", ReferencedValues(given, content))


def test_a_whole_configuration() -> None:
    """Every key is read into its place, and references are replaced."""
    found = read(
        """
mode: search
allow: [write, pets_delete]
page_size: 50
answer_limit: 9000
documents:
  pets:
    spec: pets.yaml
    base_url: https://pets.example/v1
    auth: {bearer: "${TOKEN}", basic: "user:${TOKEN}"}
    headers: {Accept-Language: de, X-Api-Key: "file:key.txt"}
    query: {version: 2}
    cookies: {session: "${TOKEN}"}
    origins: [https://files.example]
    timeout: 30
    select: "pets_*"
    anonymous: true
    servers: base_url
    redirects: same-origin
""",
        files={"key.txt": "from-file\n"},
    )
    (pets,) = found.documents
    assert (found.mode, found.allow, found.page_size) == ("search", ("write", "pets_delete"), 50)
    assert found.answer_limit == 9_000
    assert pets.auth == {"bearer": SECRET, "basic": f"user:{SECRET}"}
    assert pets.headers == {"Accept-Language": "de", "X-Api-Key": "from-file"}
    assert pets.query == {"version": "2"}
    assert pets.cookies == {"session": SECRET}
    assert (pets.origins, pets.timeout, pets.select) == (
        ("https://files.example",),
        30,
        ("pets_*",),
    )
    assert pets.switches == {
        "anonymous": True,
        "servers": "base_url",
        "redirects": "same-origin",
    }
    assert found.variables == ("TOKEN",)
    assert SECRET not in repr(found)


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ("documents: {p: {spec: a, bas_url: b}}", "1:26", "documents.p.bas_url: unknown key"),
        ("documents: {p: {spec: a}}\nmodes: all", "2:1", "modes: unknown key"),
        ("mode: al\ndocuments: {p: {spec: a}}", "1:7", "mode: expected auto, all, search or code"),
        ("documents: {p: {spec: a}, p: {spec: b}}", "1:27", "documents.p: duplicate key"),
        ("documents: {p: {spec: a, anonymous: 1}}", "1:37", "anonymous: expected true or false"),
        ("documents: {p: {spec: a, servers: b}}", "1:35", "servers: expected declared or base_url"),
        ("documents: {p: {}}", "1:16", "documents.p.spec: missing key"),
        ("documents: {p: {spec: 1}}", "1:23", "documents.p.spec: expected a text"),
        ("documents: {}", "1:12", "documents: empty; add at least one document"),
        ("documents: [a]", "1:12", "documents: expected a mapping"),
        ("allow: [write]", "1:1", "documents: missing key"),
        ("documents: {1p: {spec: a}}", "1:17", "invalid name of a document"),
        ("read_only: 1\ndocuments: {p: {spec: a}}", "1:12", "read_only: expected true or false"),
        ("page_size: 0\ndocuments: {p: {spec: a}}", "1:12", "page_size: expected an integer"),
        ("answer_limit: 9\ndocuments: {p: {spec: a}}", "1:15", "an integer of at least 200"),
        ("documents: {p: {spec: a, timeout: -1}}", "1:35", "timeout: expected a number"),
        (
            "documents: {p: {spec: a, auth: {b: plain}}}",
            "1:36",
            "auth.b: invalid secret; expected a reference",
        ),
        (
            "documents: {p: {spec: a, headers: {X-Api-Key: k}}}",
            "1:47",
            "invalid secret; expected a reference",
        ),
        ("documents: {p: {spec: a, auth: {b: '${NONE}'}}}", "1:36", "NONE is not set"),
        ("documents: {p: {spec: a, auth: {b: 'file:no'}}}", "1:36", "cannot be read: No such file"),
        ("documents: {p: {spec: a, select: [1]}}", "1:35", "select[0]: expected a text"),
        ("documents: {p: {spec: !!python/name:os.system x}}", "1:23", "spec: unknown YAML tag"),
        (
            "documents: {p: {spec: 2024-13-45}}",
            "1:23",
            "spec: not a number or date that can be read",
        ),
        ("documents: {", "1:13", "invalid YAML"),
    ],
)
def test_an_error_has_its_place(text: str, place: str, reason: str) -> None:
    """An error names the file, the line, the column, the key and the reason, and no secret."""
    with pytest.raises(UsageError) as raised:
        read(text)
    assert str(raised.value).startswith(f"c.yaml:{place}: ")
    assert reason in str(raised.value)
    assert SECRET not in str(raised.value)


def test_an_empty_file_is_an_error() -> None:
    """An empty configuration says what it must contain."""
    with pytest.raises(UsageError, match="the file is empty"):
        read("# nothing")


@given(st.text() | st.text("{}[]:,&*!|>'\"%@`- \n\tab1"))
def test_any_text_is_a_configuration_or_a_usage_error(text: str) -> None:
    """No text raises another error."""
    with suppress(UsageError):
        assert read(text).documents


def test_every_option_of_a_conversion_has_its_key() -> None:
    """``options`` has the fields of ``specfn.Options`` as YAML; those that are not given keep their defaults."""
    found = read(
        """
documents:
  pets:
    spec: pets.yaml
    options:
      max_length: 40
      extensions: true
      headers: omit
      names: {listPets: pets}
      descriptions: {listPets: "Lists pets."}
      hidden: {trace: true}
      fixed: {tenant: 7}
      safety: {"search*": read}
      answers: {"*": {keep: [id, name]}, listPets: {drop: [secret]}}
      paging: {listPets: {kind: page, parameter: p, start: 1}, other: null}
      separate: [files, secrets]
"""
    )
    given = found.documents[0].options
    assert Options(**given) == Options(
        max_length=40,
        extensions=True,
        headers="omit",
        names={"listPets": "pets"},
        descriptions={"listPets": "Lists pets."},
        hidden={"trace": True},
        fixed={"tenant": 7},
        safety={"search*": "read"},
        answers={"*": Keep("id", "name"), "listPets": Drop("secret")},
        paging={"listPets": Paging(kind="page", parameter="p", start=1), "other": None},
        separate=["files", "secrets"],
    )
    assert set(given) == {
        "max_length", "extensions", "headers", "names", "descriptions", "hidden", "fixed", "safety", "answers", "paging",
        "separate",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ("{max_lenght: 40}", "documents.a.options: .*max_lenght.*did you mean 'max_length'"),
        ("{max_length: 4}", "documents.a.options: .*max_length"),
        ("{1: 2}", "documents.a.options: .*1"),
        ("{safety: {a: harmless}}", "documents.a.options: .*safety"),
        ("{answers: {a: {}}}", "documents.a.options: .*answers"),
        ("{select: [a]}", "documents.a.options.select: belongs to the document"),
        ("{references: .}", "documents.a.options.references: belongs to the document"),
        ("[a]", "documents.a.options: expected a mapping"),
        ("{names: &a {b: *a}}", "documents.a.options: "),
    ],
)
def test_an_invalid_option_of_a_conversion_names_its_place(options: str, text: str) -> None:
    """The error has the file, the line and the key."""
    with pytest.raises(UsageError, match=rf"^c\.yaml:\d+:\d+: {text}"):
        read(f"documents:\n  a:\n    spec: x\n    options: {options}\n")
