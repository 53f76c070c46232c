"""``Options.paging`` declares the paging that a document does not, or switches it off."""

import pytest
from tests.invocation.paging.list_apis import (
    INTEGER,
    ListApi,
    ListServer,
    cursor,
    link,
    offset,
    page,
)
from tests.invocation.paging.test_list_apis import read

from specfn import Application, Options
from specfn.errors import UsageError
from specfn.settings import Paging

UNTOLD = {
    "a page number": (page(1, "nr", evident=False), Paging(kind="page", parameter="nr", start=1)),
    "an offset": (offset("done"), Paging(kind="offset", parameter="query.done")),
    "a cursor": (
        cursor("more.from", "resume", is_declared=False),
        Paging(kind="cursor", parameter="resume", source="more.from"),
    ),
    "a cursor in a body": (
        cursor("more.from", "position.at", is_declared=False, method="post"),
        Paging(kind="cursor", parameter="body.position.at", source="more.from"),
    ),
    "an identifier": (
        ListApi({"min": INTEGER}, lambda sent, _: int(sent.get("min", -1)) + 1, ids=int),
        Paging(kind="last_item", parameter="min"),
    ),
    "a header": (
        offset("from_item", headers=link("from_item"), declared={"#link": {}}),
        Paging(kind="link"),
    ),
}


def loaded(name: str) -> Application:
    return UNTOLD[name][0].load(paging={"* /items": UNTOLD[name][1]})


@pytest.mark.parametrize("name", UNTOLD)
def test_a_declaration_is_enough(name: str) -> None:
    """X13: a list that nothing else shows is read completely by code and by a reader of texts."""
    assert UNTOLD[name][0].load()["list"].paging is None
    server = ListServer(UNTOLD[name][0], 11, 4)
    pages = [*loaded(name).pages("list", server.sent(), server.connection())]
    assert [item for page in pages for item in page.items or ()] == server.whole()
    assert read(loaded(name), server, server.sent(), 20_000) == server.whole()


def test_paging_is_switched_off() -> None:
    """X13: a function whose paging is ``None`` has no pages, and its text says nothing of them."""
    api = offset(declared={"total": INTEGER}, members=lambda part: {"total": part.total})
    server = ListServer(api, 11, 4)
    app = api.load(paging={"GET /items": None})
    assert app["list"].paging is None
    assert "\n" not in app.bind(server.connection())["list"].outcome(server.sent()).text
    with pytest.raises(UsageError, match="no paging"):
        app.pages("list", server.sent(), server.connection())


def test_wrong_declarations_are_refused() -> None:
    """X13: a pattern that matches nothing and a parameter that no matching function has are mistakes of the caller."""
    api = offset()
    with pytest.raises(UsageError, match=r"Options\.paging: 'GET /other' matches no function"):
        api.load(paging={"GET /other": None})
    with pytest.raises(UsageError, match=r"Options\.paging: .* has no parameter 'pgae'"):
        api.load(paging={"GET /items": Paging(kind="page", parameter="pgae")})


def test_declarations_are_json() -> None:
    """X13: options with paging survive JSON, as a command and a file write them."""
    options = Options(paging={"a": Paging(kind="page", parameter="p", start=1), "b": None})
    assert Options.model_validate_json(options.model_dump_json()) == options
