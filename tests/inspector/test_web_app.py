import json
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.inspector.inspector_support import DOCUMENT, Page, application
from tests.strict_shop.server import serve

import specfn
from specfn.inspector.tried_calls import TriedCalls

PAGE = Page()


def test_the_page_loads_its_files_from_the_same_server() -> None:
    """The page has neither inline scripts nor inline styles, and each of its files is served."""
    page = PAGE.send("GET", "/")
    assert page.status_code == 200
    assert "<script>" not in page.text
    assert "<style" not in page.text
    for name in ("style.css", "script.js"):
        found = PAGE.send("GET", f"/page/{name}")
        assert found.status_code == 200
        assert found.headers["content-type"].startswith(("text/css", "text/javascript"))


@pytest.mark.parametrize(
    "name", ["index.html", "..%2f__init__.py", "%2e%2e/overview.py", "main.js"]
)
def test_other_files_are_not_served(name: str) -> None:
    """Only the files of the page are served."""
    assert PAGE.send("GET", f"/page/{name}").status_code == 404


def test_the_overview_needs_no_schemas() -> None:
    """The overview has a row for each operation."""
    found = PAGE.get("overview")
    assert [each["name"] for each in found["functions"]] == ["pets_getByPetId", "pets_putByPetId"]
    assert [each["code"] for each in found["errors"]] == ["reference"]
    assert found["live"] == {"baseUrl": None, "compares": False}


def test_figures_belong_to_the_rows() -> None:
    """The figures of functions and of profiles have the order of the overview."""
    figures = PAGE.get("figures")
    total = PAGE.get("total", profile="mcp")
    assert len(figures["functions"]) == len(total["each"]) == 2
    assert total["total"] == sum(each["tokens"] for each in total["each"])


def test_details_and_views() -> None:
    """The details of a function have the enforced schema, and its view the schema of a profile."""
    app = application()
    details = PAGE.get("details", name="changePet")
    assert details["enforced"] == app["changePet"].validator
    view = PAGE.get("view", name="changePet", profile="portable")
    assert view["schema"] == app.tools("portable", select=["changePet"]).tools[0].fit.schema


def test_parts_and_search() -> None:
    """A part of the document is found by its pointer, and a function by words."""
    assert PAGE.get("part", pointer="/info/title") == "Pets"
    assert PAGE.get("part", pointer="/no/such") is None
    assert PAGE.get("search", query="read a pet")[0]["name"] == "pets_getByPetId"


@pytest.mark.parametrize(
    ("path", "query", "reason"),
    [
        ("details", {"name": "petPets"}, "there is no function 'petPets'"),
        ("view", {"name": "getPet", "profile": "x"}, "unknown profile 'x'"),
        ("total", {"profile": "x"}, "unknown profile 'x'"),
        ("changes", {}, "no document to compare"),
    ],
)
def test_unknown_names_are_errors(path: str, query: dict[str, str], reason: str) -> None:
    """An unknown name is an error with its reason."""
    found = PAGE.send("GET", f"/api/{path}", params=query)
    assert found.status_code in {400, 404}
    assert reason in found.json()["error"]


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b'{"name": 1}', b'{"name": "getPet", "profile": "mcp"}']
)
def test_malformed_calls_are_refused(body: bytes) -> None:
    """A request that is no call is refused."""
    headers = {"Content-Type": "application/json"}
    assert PAGE.send("POST", "/api/check", content=body, headers=headers).status_code == 400


# -- checks -----------------------------------------------------------------------------------------------


def test_a_valid_text_shows_its_request() -> None:
    """A valid text has its repairs, and the request without a server."""
    found = PAGE.post("check", name="getPet", text="```json\n{petId: '7'}\n```")
    assert (found["valid"], found["data"]) == (True, {"petId": 7})
    assert {each["kind"] for each in found["repairs"]} >= {"fence", "number"}
    assert found["request"]["url"] == "{base-url}/pets/7"


def test_an_invalid_text_has_the_feedback_of_a_model() -> None:
    """The problems and the feedback are those that the function reports."""
    text = '{"petId": "x"}'
    expected = application()["getPet"].check(text)
    assert not expected
    found = PAGE.post("check", name="getPet", text=text)
    assert found["feedback"] == expected.feedback()
    assert [each["path"] for each in found["errors"]] == ["$input.petId"]
    assert "request" not in found


def test_a_check_uses_the_names_of_the_profile() -> None:
    """A null that a strict profile asks for is removed before the check."""
    text = '{"petId": 1, "query": {"fields": null}}'
    assert PAGE.post("check", name="getPet", text=text, profile="openai-strict")["valid"]


def test_a_truncated_text_of_a_write_is_not_valid() -> None:
    """A text that ended too early is accepted for functions that read only."""
    text = '{"petId": 1, "body": {"name": "Rex"'
    found = PAGE.post("check", name="changePet", text=text)
    assert (found["valid"], found["incomplete"]) == (False, True)
    assert PAGE.post("check", name="getPet", text='{"petId": 1, "query": {"fields": ["a"')["valid"]


def test_the_human_part_is_checked_and_masked() -> None:
    """The human part completes the call, and its values are masked in the request."""
    page = Page(application(separate="secrets"))
    assert page.get("details", name="changePet")["human"]
    call = {"name": "changePet", "text": '{"petId": 1, "body": {"name": "Rex"}}'}
    assert [
        each["path"] for each in page.post("check", **call, human={"body": {"pin": "1"}})["human"]
    ] == ["$input.body.pin"]
    found = page.post("check", **call, human={"body": {"pin": "secret-of-a-human"}})
    assert found["request"]["body"] == {"name": "Rex", "pin": "***"}
    assert "secret-of-a-human" not in str(found)


def test_a_call_of_a_human_alone_is_masked() -> None:
    """If all arguments belong to the human, all of them are masked."""
    page = Page(application(separate=lambda node: node.location == "body" or node.name == "petId"))
    human = {"petId": 1, "body": {"name": "secret-of-a-human"}}
    found = page.post("check", name="changePet", text="{}", human=human)
    assert found["request"]["body"] == "***"
    assert "secret-of-a-human" not in str(found)


# -- calls ------------------------------------------------------------------------------------------------


def test_without_a_base_url_nothing_is_sent() -> None:
    """Without a connection, sending is an error that names the option."""
    call = {"name": "getPet", "profile": "portable", "text": '{"petId": 1}'}
    found = PAGE.send("POST", "/api/send", json=call)
    assert (found.status_code, "--base-url" in found.json()["error"]) == (400, True)


def test_a_read_is_sent_at_once_and_a_write_after_its_approval() -> None:
    """A call that changes data waits for its approval, and is sent once."""
    with serve() as shop:
        app = specfn.load(shop.document_url)
        connection = specfn.Connection(base_url=shop.base_url, credentials={"bearer": shop.token})
        page = Page(app, connection)
        assert page.post("send", name="listProducts", text="{}")["kind"] == "answered"
        count = len(shop.received)
        call: Any = {
            "name": "createProduct",
            "text": '{"body": {"name": "Mug", "price": 9, "stock": 1}}',
        }
        waiting = page.post("send", **call)
        assert (waiting["kind"], len(shop.received)) == ("needs_approval", count)
        form = waiting["pending"]["form"]
        assert form.startswith("This request may change data. It is sent only if you approve it.\n")
        assert "Mug" in form
        changed = {**call, "text": call["text"].replace("Mug", "Cup")}
        token = waiting["pending"]["token"]
        assert page.post("send", **changed, token=token)["kind"] == "refused"
        found = page.post("send", **call, token=token)
        assert (found["kind"], found["result"]["status"]) == ("answered", 201)
        assert page.post("send", **call, token=token)["kind"] == "refused"
        connection.close()


def test_changes_are_served() -> None:
    """With a previous version, its differences are served."""
    old = application({**DOCUMENT, "servers": [{"url": "https://old.example"}]})
    page = Page(application({**DOCUMENT, "servers": [{"url": "https://new.example"}]}), old=old)
    assert page.get("overview")["live"]["compares"]
    assert [each["kind"] for each in page.get("changes")["differences"]] == ["server"]


#: Texts of secrets; they contain a character of each class that JSON or URLs encode.
SECRETS = st.text('aZ9 "\\/+=&é', min_size=6, max_size=12).filter(lambda text: text == text.strip())


@given(secret=SECRETS)
def test_secrets_of_the_connection_are_masked_in_each_encoding(secret: str) -> None:
    """A server may repeat a part of a header, or a credential in JSON or in a URL: the page has none of them."""
    connection = specfn.Connection(
        base_url="http://127.0.0.1:9",
        headers={"X-Token": "Token abcdefgh"},
        credentials={"bearer": secret},
    )
    calls = TriedCalls(application(), connection)
    echo = ["abcdefgh", secret, quote(secret, safe=""), quote_plus(secret), json.dumps([secret])]
    shown = json.loads(calls.safe_json(echo))
    assert shown[:4] == ["**********"] * 4
    assert secret not in "".join(shown)
