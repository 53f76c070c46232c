import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from pypdf import PdfReader
from tests.comparison.pairs import DOCUMENT, PAIRS, changed
from tests.live.browser import (
    DARK,
    DESKTOP,
    PHONE,
    Visit,
    axe,
    inspector,
    launched,
    rows,
    served,
    visit,
)
from tests.security.test_t31_markup import PAYLOADS, document
from tests.strict_shop.server import Server, serve

import specfn

ROOT = Path(__file__).parents[2]
SHOP = ROOT / "tests" / "strict_shop" / "openapi.yaml"

#: A document with operations that are no functions, an exceeded limit, notes and edits.
FAULTY: Any = {
    "openapi": "3.0.3",
    "info": {"title": "Faults", "version": "1", "x": {}},
    "paths": {
        "/a/{id}": {
            "get": {"summary": "Read", "responses": {}},
            "put": {"parameters": [{"$ref": "#/components/parameters/No"}], "responses": {}},
            "post": {
                "description": "long " * 2_000,
                "deprecated": True,
                "requestBody": {
                    "content": {"application/json": {"schema": {"type": "object", "minimum": "x"}}}
                },
                "responses": {"200": {"description": "x"}},
            },
        }
    },
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as found:
        yield found


@pytest.fixture(scope="module")
def script() -> str:
    return axe()


@pytest.fixture(scope="module")
def shop() -> Iterator[Server]:
    with serve() as server:
        yield server


@pytest.fixture(scope="module")
def live(shop: Server) -> Iterator[str]:
    """The page of the shop, with files for humans and calls."""
    environment = {**os.environ, "SPECFN_AUTH_BEARER": shop.token}
    arguments = (shop.document_url, "--base-url", shop.base_url, "--separate", "files")
    with inspector(*arguments, environment=environment) as url:
        yield url


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory, corpus: Path) -> dict[str, Path]:
    """The documents that the page must show."""
    folder = tmp_path_factory.mktemp("documents")
    for name, value in (("hostile", document(PAYLOADS[0])), ("faulty", FAULTY)):
        (folder / name).write_text(json.dumps(value), "utf-8")
    return {
        "shop": SHOP,
        "hostile": folder / "hostile",
        "faulty": folder / "faulty",
        "github": corpus / "dev" / "octokit__api.github.com.json",
        "stripe": corpus / "dev" / "stripe.com.json",
    }


def report(spec: Path, target: Path, *arguments: str | Path) -> str:
    """Write a report, and return its URL."""
    command = [sys.executable, "-m", "specfn", "inspect", spec, "--html", target, *arguments]
    subprocess.run([str(each) for each in command], check=True, timeout=300)
    return target.as_uri()


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory, documents: dict[str, Path]) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("reports")
    return {name: report(spec, folder / f"{name}.html") for name, spec in documents.items()}


#: Changes that one document can have together.
CHANGES = ("encoding", "type", "null", "enum value", "minimum", "multipleOf", "security scheme")

NAMES = ["shop", "hostile", "faulty", "github", "stripe"]


def look_around(found: Visit) -> None:
    """Open each view and each tab."""
    for tab in ("Enforced", "Response", "Edits", "Document", "Try", "Model reads"):
        found.tab(tab)
    for view in ("Sizes", "Problems", "Functions"):
        found.view(view)


# -- reports -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_report_needs_nothing_else(browser: Browser, reports: dict[str, str], name: str) -> None:
    """A report opens from a file without a request, a message in the console, or a violation of its policy."""
    with visit(browser) as found:
        found.open(reports[name])
        look_around(found)
        assert found.messages == []
        assert found.requests == [reports[name]]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", [DESKTOP, DARK, PHONE], ids=["desktop", "dark", "phone"])
def test_a_report_is_accessible(
    browser: Browser, reports: dict[str, str], script: str, name: str, form: Any
) -> None:
    """No view and no tab of a report has a fault of accessibility."""
    with visit(browser, **form) as found:
        found.open(reports[name])
        if form is PHONE:
            assert found.faults(script) == []
            found.page.locator("[role=option]").first.click()
        for tab in ("Enforced", "Response", "Edits", "Document", "Try", "Model reads"):
            found.tab(tab)
            assert found.faults(script) == [], tab
        for view in ("Sizes", "Problems"):
            found.view(view)
            for folder in found.page.locator("figure summary:visible").all():
                folder.click()
            assert found.faults(script) == [], view


@pytest.mark.parametrize("name", NAMES)
def test_a_phone_needs_no_horizontal_scrolling(
    browser: Browser, reports: dict[str, str], name: str
) -> None:
    """No view is wider than a screen of 360 pixels."""
    width = "document.documentElement.scrollWidth"
    with visit(browser, **PHONE) as found:
        found.open(reports[name])
        assert found.page.evaluate(width) == 360
        found.page.locator("[role=option]").first.click()
        for tab in ("Enforced", "Response", "Edits", "Document", "Try", "Model reads"):
            found.tab(tab)
            assert found.page.evaluate(width) == 360, tab
        found.page.get_by_role("button", name="← Functions").click()
        expect(found.page.locator("#query")).to_be_visible()
        for view in ("Sizes", "Problems"):
            found.view(view)
            assert found.page.evaluate(width) == 360, view
            ends = "[...document.querySelectorAll('.chart g .remark')].map(each => each.getBoundingClientRect().right)"
            assert max(found.page.evaluate(ends), default=0) <= 360, view


def test_a_report_finds_the_functions_with_the_most_words(
    browser: Browser, reports: dict[str, str]
) -> None:
    """Where no function has every word of a search, those with the most of its longer words are shown."""
    with visit(browser, **DESKTOP) as found:
        found.open(reports["shop"])
        found.page.fill("#query", "put a products on the shelves")
        expect(found.page.locator("[role=option] .name").first).to_contain_text("products")
        found.page.fill("#query", "zzzz a")
        expect(found.page.locator("#list")).to_have_text("No function matches.")


@pytest.mark.parametrize("name", ["shop", "faulty", "github"])
def test_the_printed_report_has_every_function(
    browser: Browser, reports: dict[str, str], documents: dict[str, Path], name: str
) -> None:
    """The PDF of a report contains the name of every function and every operation that is none."""
    with visit(browser) as found:
        found.open(reports[name])
        text = "".join(
            page.extract_text() for page in PdfReader(io.BytesIO(found.page.pdf())).pages
        )
    printed = re.sub(r"\s", "", text)
    app = specfn.load(documents[name])
    assert [each.name for each in app.functions if each.name not in printed] == []
    assert [each.path for each in app.errors if each.path not in printed] == []


# -- hostile documents -------------------------------------------------------------------------------------


@pytest.mark.parametrize("payload", PAYLOADS)
def test_texts_remain_texts(browser: Browser, tmp_path: Path, payload: str) -> None:
    """A hostile text in each place of a document, in arguments and in a response is shown, and nothing runs."""
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_text(json.dumps(DOCUMENT), "utf-8")
    new.write_text(json.dumps(document(payload)), "utf-8")
    with inspector(new, "--compare", old) as url:
        target = report(new, tmp_path / "report.html", "--compare", old)
        for page in (url, target):
            with visit(browser) as found:
                found.open(page)
                for index in range(len(found.page.locator("[role=option]").all())):
                    found.page.locator("[role=option]").nth(index).click()
                    found.page.wait_for_timeout(150)
                    for tab in found.page.get_by_role("tab").all():
                        tab.click()
                for view in ("Sizes", "Changes", "Problems", "Functions"):
                    found.view(view)
                if page == url:
                    found.page.locator("[role=option]").first.click()
                    found.tab("Try")
                    found.check(json.dumps({"petId": payload, payload: payload}))
                    expect(found.page.locator("#detail")).to_contain_text("Feedback")
                assert found.messages == []
                assert (
                    found.page.locator(
                        "img, iframe, [onload], [onerror], [style], #app script"
                    ).count()
                    == 0
                )
                assert all(each.startswith((url, target)) for each in found.requests)


def test_invisible_characters_are_shown(browser: Browser, tmp_path: Path) -> None:
    """A character that a reader cannot see is shown as an escape."""
    hidden = {"get": {"summary": "safe\u202e\U000e0041 \u200bname", "responses": {}}}
    spec = tmp_path / "hidden.json"
    value = {
        "openapi": "3.1.0",
        "info": {"title": "T\u2066x", "version": "1"},
        "paths": {"/a": hidden},
    }
    spec.write_text(json.dumps(value), "utf-8")
    with visit(browser) as found:
        found.open(report(spec, tmp_path / "report.html"))
        found.tab("Document")
        expect(found.page.locator("#title")).to_have_text(r"T\u{2066}x")
        expect(found.page.locator(".calls .json")).to_contain_text(
            r"safe\u{202e}\u{e0041} \u{200b}name"
        )


# -- the served page ---------------------------------------------------------------------------------------


def test_search_filters_and_order(browser: Browser, live: str) -> None:
    """The list is found by words, also by those of descriptions, and narrowed by filters."""
    with visit(browser) as found:
        found.open(live)
        assert len(rows(found.page)) == 21
        found.page.fill("#query", "put a product on the shelves")
        expect(found.page.locator("[role=option]").first).to_contain_text("products_post")
        found.page.fill("#query", "")
        found.page.get_by_role("button", name=re.compile("^destructive")).click()
        assert rows(found.page) == ["products_eraseByProductId", "categories_eraseBySlug"]
        found.page.get_by_role("button", name=re.compile("^destructive")).click()
        found.page.select_option("#sort", "tokens")
        assert rows(found.page)[0] == "orders_post"
        found.page.fill("#query", "xyzzy plugh")
        expect(found.page.locator("#list")).to_contain_text("No function matches.")
        assert found.messages == []


def test_the_keyboard_is_enough(browser: Browser, live: str) -> None:
    """Everything can be reached with the keyboard, and the focus is visible."""
    with visit(browser) as found:
        found.open(live)
        keyboard = found.page.keyboard
        keyboard.press("/")
        expect(found.page.locator("#query")).to_be_focused()
        keyboard.type("price")
        expect(found.page.locator("[role=option]").first).to_contain_text("price")
        keyboard.press("ArrowDown")
        expect(found.page.locator("#list")).to_be_focused()
        keyboard.press("End")
        keyboard.press("Home")
        first = found.page.locator("[role=option] .name").first.inner_text()
        expect(found.page.locator("#detail h2")).to_have_text(first)
        keyboard.press("Enter")
        expect(found.page.locator("#detail h2")).to_be_focused()
        keyboard.press("Tab")
        focused = found.page.locator(":focus")
        expect(focused).to_have_attribute("role", "tab")
        assert focused.evaluate("(node) => getComputedStyle(node).outlineStyle") == "solid"
        keyboard.press("ArrowRight")
        expect(focused).to_have_text("Enforced")
        keyboard.press("End")
        expect(focused).to_contain_text("Edits")
        assert found.page.url.endswith(f"#functions/{first}")


@pytest.mark.parametrize("form", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_return_opens_the_best_hit(browser: Browser, live: str, form: Any) -> None:
    """Return in the search opens the first row of the newest words, and the order names what it is."""
    with visit(browser, **form) as found:
        found.open(live)
        expect(found.page.locator("#sort option:checked")).to_have_text("document order")
        found.page.fill("#query", "put a product on the shelves")
        found.page.press("#query", "Enter")
        expect(found.page.locator("#detail h2")).to_be_focused()
        expect(found.page.locator("#detail h2")).to_have_text("products_post")
        expect(found.page.locator("#sort option:checked")).to_have_text("best match")
        found.page.evaluate("document.body.dataset.at = 'list'")
        found.page.fill("#query", "orders_get")
        expect(found.page.locator("[role=option] .name").first).to_have_text("orders_get")
        assert found.messages == []


def test_a_long_name_keeps_its_end(browser: Browser, live: str) -> None:
    """A name that is longer than its row is cut in the middle, and a wider list shows more of it."""
    name = "products_images_getByProductIdAndImageId"
    with visit(browser) as found:
        found.open(live)
        shown = found.page.locator(f"[role=option] .name[title={name}]")
        assert shown.inner_text() == name
        is_cut = "(node) => node.firstChild.scrollWidth > node.firstChild.clientWidth"
        fits = "(node) => node.scrollWidth <= node.clientWidth"
        assert (shown.evaluate(is_cut), shown.evaluate(fits)) == (True, True)
        found.page.evaluate("document.getElementById('list-panel').style.width = '600px'")
        assert not shown.evaluate(is_cut)


def test_the_pictures_work_by_keyboard(browser: Browser, live: str) -> None:
    """Each picture is one stop of Tab; the arrows move, and Return and space open the function."""
    with visit(browser) as found:
        found.open(live)
        for chart, key in ((".chart:not(.map)", "Enter"), (".chart.map", " ")):
            found.view("Sizes")
            picture = found.page.locator(chart, has=found.page.get_by_role("button")).first
            stops = picture.locator("[tabindex='0']")
            expect(stops).to_have_count(1)
            stops.focus()
            first = stops.locator("title").text_content()
            found.page.keyboard.press("ArrowDown")
            expect(stops).to_be_focused()
            name = stops.locator("title").text_content()
            assert name is not None
            assert name != first
            found.page.keyboard.press(key)
            expect(found.page.locator("#detail h2")).to_have_text(name.partition(":")[0])
        assert found.messages == []


def test_descriptions_are_texts(browser: Browser, tmp_path: Path) -> None:
    """A description in a schema has line breaks and quotation marks, not escapes; what is sent has escapes."""
    schema = {"type": "string", "description": 'One "a".\nTwo.'}
    query = {"name": "q", "in": "query", "schema": schema}
    paths = {"/a": {"get": {"parameters": [query], "responses": {}}}}
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps({**FAULTY, "paths": paths}), "utf-8")
    with visit(browser) as found:
        found.open(report(path, tmp_path / "report.html"))
        shown = found.page.get_by_label("Parameters that the model reads")
        expect(shown).to_contain_text('One "a".\nTwo.', use_inner_text=True)
        found.page.get_by_text("As sent to").click()
        sent = found.page.get_by_label("Tool as sent")
        expect(sent).to_contain_text('One \\"a\\".\\nTwo.', use_inner_text=True)


def test_the_response_scrolls_into_view(browser: Browser, live: str) -> None:
    """After a call, the beginning of its response is in the window, also on a phone."""
    with visit(browser, **PHONE) as found:
        found.open(f"{live}#functions/products_get")
        found.tab("Try")
        found.check("{}")
        found.page.locator("#detail").get_by_role("button", name="Send", exact=True).click()
        expect(found.page.get_by_role("heading", name="Response", exact=True)).to_be_in_viewport()


def test_an_edit_leads_to_its_places(browser: Browser, live: str) -> None:
    """A mark leads to its edit, and an edit to the schema and to the document."""
    with visit(browser) as found:
        found.open(f"{live}#functions/products_post")
        found.page.locator(".mark", has_text="constraint").first.click()
        edit = found.page.locator(".edits .flash").first
        expect(edit).to_contain_text("/parameters/properties/body/properties/price")
        edit.locator(".places button").nth(1).click()
        expect(found.page.locator(".pointer")).to_have_text("#/components/schemas/Product")
        expect(found.page.locator(".calls .flash")).to_contain_text('"price"')
        edit.locator(".places button").first.click()
        expect(found.page.locator(".schemas .flash")).to_contain_text('"price"')
        found.tab("Edits")
        found.page.locator(".edits li .mark", has_text="constraint").first.click()
        expect(found.page.locator(".schemas .flash")).to_contain_text('"price"')


def test_profiles_change_what_is_read(browser: Browser, live: str) -> None:
    """The selected profile determines the schema, its edits and the sizes."""
    with visit(browser) as found:
        found.open(f"{live}#functions/products_get")
        before = found.page.locator(".facts").inner_text()
        found.page.select_option("#profile", "openai-strict")
        expect(found.page.locator(".facts")).not_to_have_text(before)
        expect(found.page.locator(".facts")).to_contain_text("enforced by the provider")


def test_a_wrong_argument_and_a_repair(browser: Browser, live: str) -> None:
    """A text shows its verdict: the feedback at the wrong place, or the repairs and the masked request."""
    with visit(browser) as found:
        found.open(f"{live}#functions/products_getByProductId")
        found.tab("Try")
        assert found.check('{"productId": "x"}') == "Invalid: 1 problem"
        expect(found.page.locator("pre .wrong")).to_contain_text("// ")
        expect(found.page.locator("pre .wrong").get_by_role("img", name="invalid")).to_be_visible()
        expect(found.page.locator(".edits .places").first).to_contain_text("expected string (uuid)")
        good = "```json\n{productId: '00000000-0000-4000-8000-000000000000'}\n```"
        assert found.check(good).startswith("Valid after")
        expect(found.page.get_by_label("Request", exact=True)).to_contain_text(
            "GET http://127.0.0.1"
        )
        assert found.messages == []


def test_a_write_is_sent_after_its_confirmation(browser: Browser, live: str, shop: Server) -> None:
    """A call that changes data is sent after the confirmation, and its credential is never shown."""
    with visit(browser) as found:
        found.open(f"{live}#functions/products_post")
        found.tab("Try")
        found.check('{"body": {"name": "<img src=x onerror=alert(1)>", "price": 1, "stock": 2}}')
        count = len(shop.received)
        send = found.page.locator("#detail").get_by_role("button", name="Send", exact=True)
        send.click()
        found.page.locator("dialog").get_by_role("button", name="Cancel").click()
        assert len(shop.received) == count
        send.click()
        found.page.locator("dialog").get_by_role("button", name="Send").click()
        answer = found.page.get_by_label("Text of the answer")
        expect(answer).to_contain_text("<img src=x onerror=alert(1)>")
        assert [each.path for each in shop.received[count:]] == ["/v1/products"]
        assert shop.token not in found.page.content()
        assert found.messages == []


def test_the_human_part_has_a_form(browser: Browser, live: str, tmp_path: Path) -> None:
    """A file is chosen in a form, and masked in the request."""
    image = tmp_path / "image.png"
    image.write_bytes(b"\x89PNG\r\n\x1a\n")
    with visit(browser) as found:
        found.open(f"{live}#functions/products_images_postByProductId")
        found.tab("Try")
        expect(found.page.locator(".result").first).to_contain_text(
            "The human part is not complete"
        )
        with found.page.expect_response("**/api/check"):
            found.page.set_input_files("input[type=file]", image)
        request = found.page.get_by_label("Request", exact=True)
        expect(request).to_contain_text("***")
        assert found.messages == []


#: Values of a human part, by the label of their fields, and what is sent for them.
FIELDS: Any = {
    "text": ({"type": "string"}, "Rex", "Rex"),
    "whole": ({"type": "integer"}, "3", 3),
    "part": ({"type": "number"}, "0.5", 0.5),
    "day": ({"type": "string", "format": "date"}, "2026-01-31", "2026-01-31"),
    "pin": ({"type": "string", "format": "password"}, "abcd", "abcd"),
    "kind": ({"type": "string", "enum": ["cat", "dog"]}, "dog", "dog"),
    "tame": ({"type": "boolean"}, "false", False),
}


def test_the_form_has_a_field_for_each_type(browser: Browser, script: str) -> None:
    """The form of a human part has a field for each type of value, and its values are sent as this type."""
    schema = {
        "type": "object",
        "required": list(FIELDS),
        "properties": {name: each[0] for name, each in FIELDS.items()},
    }
    operation = {
        "requestBody": {"content": {"application/json": {"schema": schema}}},
        "responses": {},
    }
    value = {
        "openapi": "3.1.0",
        "info": {"title": "Form", "version": "1"},
        "paths": {"/pets": {"post": operation}},
    }
    options = specfn.Options(separate=lambda node: node.name in FIELDS)
    with served(specfn.load(value, options=options)) as url, visit(browser) as found:
        found.open(url)
        found.tab("Try")
        for name, (declared, given, _) in FIELDS.items():
            field = found.page.get_by_label(f"{name} (required)")
            if "enum" in declared or declared["type"] == "boolean":
                field.select_option(label=given)
            else:
                field.fill(given)
        assert found.faults(script) == []
        with found.page.expect_request("**/api/check") as sent:
            found.page.get_by_role("button", name="Check").click()
        expected = {name: each[2] for name, each in FIELDS.items()}
        assert sent.value.post_data_json["human"] == {"body": expected}
        expect(found.page.get_by_label("Request", exact=True)).to_contain_text("***")
        assert found.messages == []


def test_the_served_page_is_accessible(browser: Browser, live: str, script: str) -> None:
    """The tab with calls, its form and its dialog have no fault of accessibility."""
    for form in (DESKTOP, DARK, PHONE):
        with visit(browser, **form) as found:
            found.open(f"{live}#functions/products_images_postByProductId")
            found.tab("Try")
            assert found.faults(script) == []
            found.open(f"{live}#functions/customers_post")
            found.page.reload()
            found.ready()
            found.tab("Try")
            found.page.locator("#verdict").wait_for()
            found.page.locator("#detail").get_by_role("button", name="Send", exact=True).click()
            found.page.locator("dialog, .result .verdict").last.wait_for()
            assert found.faults(script) == []


# -- long lists --------------------------------------------------------------------------------------------


def test_a_long_list_has_few_rows(browser: Browser, tmp_path: Path) -> None:
    """A list of 10,000 functions has at most 200 rows in the document, wherever it is scrolled."""
    spec = tmp_path / "long.json"
    paths = {f"/items{number}": {"get": {"responses": {}}} for number in range(10_000)}
    value = {"openapi": "3.1.0", "info": {"title": "Long", "version": "1"}, "paths": paths}
    spec.write_text(json.dumps(value), "utf-8")
    with inspector(spec) as url, visit(browser) as found:
        found.page.goto(url)
        found.page.locator("[role=option]").first.wait_for()
        found.page.locator("#list").hover()
        counts = []
        for _ in range(30):
            found.page.mouse.wheel(0, 4_000)
            found.page.evaluate(
                "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
            )
            counts.append(found.page.locator("[role=option]").count())
        found.page.locator("#list").focus()
        found.page.keyboard.press("End")
        expect(found.page.locator("[aria-selected=true] .name")).to_have_text("items9999_get")
        counts.append(found.page.locator("[role=option]").count())
        assert min(counts) >= 10
        assert max(counts) <= 200


# -- changes -----------------------------------------------------------------------------------------------


def test_each_difference_is_shown_at_its_place(browser: Browser, tmp_path: Path) -> None:
    """The view of changes has each difference of two versions once, below its function, and no other."""
    kinds = {pair.kind: pair.change for pair in PAIRS.values()}
    for kind, change in kinds.items():
        old, new = tmp_path / "old.json", tmp_path / "new.json"
        old.write_text(json.dumps(DOCUMENT), "utf-8")
        new.write_text(json.dumps(changed(change)), "utf-8")
        expected = specfn.compare(specfn.load(old), specfn.load(new))
        with visit(browser) as found:
            found.open(report(new, tmp_path / "report.html", "--compare", old))
            found.view("Changes")
            found.page.locator(".sections").wait_for()
            for folder in found.page.locator(".sections > .fold:not([open]) > summary").all():
                folder.click()
            shown = found.page.locator(".difference")
            shown.nth(len(expected) - 1).wait_for()  # folded parts are filled when they open
            places = [
                (each.get_attribute("data-kind"), each.get_attribute("data-place"))
                for each in shown.all()
            ]
            assert sorted(places) == sorted((each.kind, each.place) for each in expected), kind
            for each in shown.all():
                each.locator("summary").click()
                lines = each.locator("tr.added, tr.removed, tr.changed")
                expect(lines.first, kind).to_be_visible()
            assert found.messages == []


def test_changes_are_filtered_and_the_breaking_ones_are_first(
    browser: Browser, tmp_path: Path
) -> None:
    """Differences that break callers are first, those of texts are folded, and filters narrow them together."""
    (tmp_path / "a").mkdir()
    old, new = tmp_path / "a" / "shop.json", tmp_path / "shop.json"
    old.write_text(json.dumps(DOCUMENT), "utf-8")
    new.write_text(json.dumps(changed(*(PAIRS[name].change for name in CHANGES))), "utf-8")
    differences = specfn.compare(specfn.load(old), specfn.load(new))
    with visit(browser) as found:
        found.open(report(new, tmp_path / "report.html", "--compare", old))
        found.view("Changes")
        verdicts = found.page.locator(".sections > section .difference .badge").all_inner_texts()
        ranks = [["breaking", "maybe breaking", "not breaking"].index(each) for each in verdicts]
        assert ranks
        assert ranks[0] == min(ranks)
        for section in found.page.locator(".sections > section").all():
            texts = section.locator(".badge").all_inner_texts()
            assert texts == sorted(texts)  # in alphabetic order, too
        lead = found.page.locator("#view-changes .lead").inner_text()
        assert len(re.findall(r"shop\.json \S+ \([0-9a-f]{8}\)", lead)) == 2
        shown = found.page.locator(".sections > section .difference")
        kind = next(each.kind for each in differences if each.kind != "text")
        found.page.get_by_label("Kind of difference").select_option(kind)
        expect(shown).to_have_count(sum(each.kind == kind for each in differences))
        found.page.get_by_label("Kind of difference").select_option("")
        found.page.get_by_label("Name of a function").fill("no such function")
        expect(found.page.locator("#view-changes")).to_contain_text("No difference passes")
        found.page.get_by_label("Name of a function").fill("")
        found.page.get_by_role("button", name=re.compile("^breaking")).click()
        expect(shown).to_have_count(sum(each.breaking == "yes" for each in differences))
        assert found.messages == []


def test_the_view_of_changes_is_accessible(browser: Browser, script: str, tmp_path: Path) -> None:
    """The changes have no fault of accessibility, and fit on a phone."""
    old = tmp_path / "old.json"
    old.write_text(json.dumps(DOCUMENT), "utf-8")
    new = tmp_path / "new.json"
    new.write_text(json.dumps(changed(*(PAIRS[name].change for name in CHANGES))), "utf-8")
    url = report(new, tmp_path / "report.html", "--compare", old)
    for form in (DESKTOP, DARK, PHONE):
        with visit(browser, **form) as found:
            found.open(url)
            found.view("Changes")
            for each in found.page.locator(".difference summary").all()[:5]:
                each.click()
            expect(found.page.locator(".diff").first).to_be_visible()
            assert found.faults(script) == []
            assert found.messages == []
            width = found.page.evaluate("document.documentElement.scrollWidth")
            assert width == form["viewport"]["width"]
