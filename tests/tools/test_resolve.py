from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.calling.mutations import FOREIGN, GLUED, REPAIRED, mutations
from tests.calling.shop import APP

import specfn
from specfn.calling import Catalog, NamePolicy

NAMES = [function.name for function in APP]


@pytest.mark.parametrize("called", ["products_get", "products.get", "Products-Get", "PRODUCTS GET"])
@pytest.mark.parametrize(
    "wrapped",
    ["{}", "functions.{}", '"{} "', "`{}`", "{}()", "tools.{}( );", "{}<|channel|>commentary"],
)
def test_separators_case_and_wrapping_are_repaired(called: str, wrapped: str) -> None:
    """A name that differs in separators, letter case or wrapping means the function whose name it is."""
    assert APP.resolve(wrapped.format(called)).name == "products_get"


@pytest.mark.parametrize(
    "called", ["listProducts", "products.get", "GET /products", "get  /products"]
)
def test_other_names_of_the_document_count(called: str) -> None:
    """The operationId, the dotted accessor and ``METHOD /path`` mean their function."""
    found = APP.resolve(called)
    assert (found.name, found.status) == ("products_get", "repaired")


@pytest.mark.parametrize(
    "called",
    [
        "products_lst",
        "product_get",
        "products_erase",
        "get",
        "",
        "💥",
        "x" * 10_000,
        "delete",
        "_",
        "()",
    ],
)
def test_what_differs_in_a_letter_is_never_called(called: str) -> None:
    """A name with another letter, another verb, or only a part of it, means nothing."""
    found = APP.resolve(called)
    assert (found.name, found.how) == (None, None)
    assert len(found.candidates) <= 3 or found.status == "ambiguous"


def test_what_is_not_advertised_is_neither_found_nor_named() -> None:
    """A function that was not offered is never found, and never suggested."""
    offered = [name for name in NAMES if name != "products_get"]
    for called in ("products_get", "products.get", "listProducts", "products_gets"):
        found = APP.resolve(called, advertised=offered)
        assert found.name is None
        assert "products_get" not in found.candidates


def application(paths: dict[str, str | None]) -> specfn.Application:
    """Return the application of functions that read these paths, with their operationIds."""
    items = {path: {"get": {"operationId": own} if own else {}} for path, own in paths.items()}
    return specfn.load({"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": items})


def test_names_that_differ_only_in_case_or_separators_are_exact_only() -> None:
    """If two names differ only in separators, only an exact name resolves to one of them."""
    app = application({"/userPosts": None, "/user_posts": None})
    assert [app.resolve(function.name).status for function in app] == ["exact", "exact"]
    found = app.resolve("user-posts.get")
    assert (found.status, found.name, len(found.candidates)) == ("ambiguous", None, 2)


def test_all_repairs_vote_together() -> None:
    """An operationId that reads like another function's name makes both ambiguous, not one the winner."""
    app = application({"/pets": "x", "/dogs": "Pets_Get"})
    assert app.resolve("Pets_Get").status == "ambiguous"


def test_a_hook_is_asked_before_repairs_and_may_return_the_function() -> None:
    """A caller's hook is asked after the exact look-up; its result must be advertised."""
    app = application({"/a": None, "/b": None})

    def resolve(named: Any, **more: Any) -> Any:
        return Catalog(policy=NamePolicy(hooks=(lambda _: named,))).add(app).resolve("zzz", **more)

    assert resolve(app["b_get"]).name == "b_get"
    assert resolve("a_get").how == "hook"
    assert resolve("nothing").name is None
    hidden = resolve("a_get", advertised=["b_get"])
    assert (hidden.name, hidden.status) == (None, "not_advertised")


@given(st.text(max_size=80))
def test_no_text_breaks_it(called: str) -> None:
    """Any text has a resolution, and only real names are ever named."""
    found = APP.resolve(called)
    assert found.name is None or found.name in NAMES
    assert set(found.candidates) <= set(NAMES)


DOCUMENTS = [
    "notion.com",
    "okta.local",
    "telnyx.com",
    "extra__samchon__v3.1__shopping",
    "octokit__api.github.com",
]


def tally(app: specfn.Application, *, step: int = 1) -> tuple[Counter[str], list[str]]:
    """Count the resolutions of the mutations of every name, and list those that are wrong."""
    names, counts, wrong = {function.name for function in app}, Counter[str](), []
    for function in app.functions[::step]:
        for kind, called in mutations(function):
            if called in names:
                continue
            found = app.resolve(called)
            if found.name is None:
                counts["refused"] += 1
                counts["suggested"] += function.name in found.candidates[:3]
            elif found.name == function.name and kind not in ("verb", *FOREIGN, *GLUED):
                counts["right"] += 1
            else:
                wrong.append(f"{kind}: {called} -> {found.name} for {function.name}")
            if kind in REPAIRED and found.name is None:
                counts["unrepaired"] += 1
    return counts, wrong


@pytest.mark.parametrize(("length", "is_repaired"), [(512, True), (513, False)])
def test_long_texts_are_not_repaired(length: int, *, is_repaired: bool) -> None:
    """A name in a text of up to 512 characters is repaired, and in a longer one it is only suggested."""
    called = f"functions.{NAMES[0]}".ljust(length)
    assert APP.resolve(called).name == (NAMES[0] if is_repaired else None)


@pytest.mark.corpus
def test_mutations_of_real_names(corpus: Path) -> None:
    """Of the names of real documents none is taken for another's, whatever was done to it; most are repaired."""
    total = Counter[str]()
    for document in DOCUMENTS:
        path = corpus / "dev" / f"{document}.json"
        if not path.exists():  # the public corpus has four of them
            continue
        app = specfn.load(path)
        counts, wrong = tally(app, step=max(1, len(app) // 40))
        assert wrong == []
        total += counts
    assert total["right"] >= 0.5 * (total["right"] + total["refused"])
    assert total["suggested"] >= 0.85 * total["refused"]
    assert total["unrepaired"] <= 0.01 * total["right"]
