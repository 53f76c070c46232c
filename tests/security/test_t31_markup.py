"""T31: no text of a document becomes markup or script in the inspector."""

import json
import re
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from tests.inspector.inspector_support import DOCUMENT, Page, application

from specfn.inspector import page_files
from specfn.inspector.html_report import html_report

PAYLOADS = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "--><script>alert(1)</script><!--",
    '"><svg onload=alert(1)>',
    "javascript:alert(1)",
    "</title><script>alert(1)</script>",
    "\u2028</style><script>alert(1)</script>",
)

#: Members whose values have a meaning that a text would break.
STRUCTURE = {"openapi", "$ref", "in", "type", "name", "required", "format", "style"}

SOURCES = [*Path(page_files.__file__).parent.joinpath("page").iterdir()]


def hostile(value: Any, payload: str, key: str = "") -> Any:
    """Return a document with a payload in every text, and in names that can be any text."""
    if isinstance(value, dict):
        members = {name: hostile(each, payload, name) for name, each in value.items()}
        if key == "properties":
            members[payload] = {"type": "string", "enum": [payload], "description": payload}
        if key in {"get", "put"}:
            members |= {"summary": payload, "description": payload, "tags": [payload]}
        return members
    if isinstance(value, list):
        return [hostile(each, payload) for each in value]
    return payload if isinstance(value, str) and key not in STRUCTURE else value


def document(payload: str) -> Any:
    """Return a hostile document: its texts, a path, an operation that is none, and a new version of it."""
    found = hostile(DOCUMENT, payload)
    found["paths"][f"/{payload}"] = {
        "get": {"operationId": payload, "responses": {}},
        "post": {"parameters": payload, "responses": {}},
    }
    return found


class Elements(HTMLParser):
    """The elements of a page with their attributes, and the texts of scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.found and self.found[-1][0] in {"script", "style"}:
            self.texts.append(data)

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


def report(payload: str) -> str:
    old, new = application(DOCUMENT), application(document(payload))
    return b"".join(html_report(new, old=old, profiles=("mcp",))).decode()


@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_report_has_the_elements_of_a_harmless_one(payload: str) -> None:
    """A hostile document adds blocks of data to a report, and no other element or attribute."""

    def outline(text: str) -> Iterator[tuple[str, dict[str, str | None]]]:
        for tag, attributes in Elements(text).found:
            if attributes.get("type") not in {"application/json", "text/plain"}:
                yield tag, attributes

    assert [*outline(report(payload))] == [*outline(report("harmless"))]


@pytest.mark.parametrize("payload", PAYLOADS)
def test_one_script_and_one_style_are_allowed(payload: str) -> None:
    """The policy names the hashes of the only inline script and style, and nothing may be loaded."""
    page = report(payload)
    elements = Elements(page)
    (policy,) = [each["content"] or "" for each in elements.named("meta") if each.get("http-equiv")]
    executed = [each for each in elements.named("script") if each.get("type") is None]
    assert (executed, elements.named("style")) == ([{}], [{}])
    for kind in ("script", "style"):
        (text,) = re.findall(rf"<{kind}>(.*?)</{kind}>", page, re.DOTALL)
        digest = b64encode(sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none';")
    for forbidden in ("unsafe", "http:", "https:", "*"):
        assert forbidden not in policy


@pytest.mark.parametrize("payload", PAYLOADS)
def test_inlined_json_cannot_end_its_element(payload: str) -> None:
    """Inlined JSON, compressed or not, contains no ``<``, and has the texts of the document unchanged."""
    blocks = re.findall(
        r'<script type="(?:application/json|text/plain)" id="\w+">(.*?)</script>',
        report(payload),
        re.DOTALL,
    )
    assert not [text for text in blocks if "<" in text]
    overview = json.loads(blocks[0])
    assert payload in {each["path"].removeprefix("/") for each in overview["functions"]}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_the_page_writes_texts_only(path: Path) -> None:
    """No file of the page parses texts as markup or code, and none has handlers or ``style`` attributes."""
    text = path.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
    for name in (
        *("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "DOMParser", "srcdoc"),
        *("createContextualFragment", "setHTML", "eval(", "new Function", ".style.", "cssText"),
        *(" onclick=", " onload=", " style=", "javascript:", "http:"),
    ):
        assert name not in text, name


def test_the_served_page_has_a_policy() -> None:
    """Every response of the served page forbids inline scripts, other servers and frames."""
    page = Page(application(document(PAYLOADS[0])))
    for path in (
        "/",
        "/page/script.js",
        "/api/overview",
        "/api/part?pointer=/info",
        "/api/nothing",
    ):
        found = page.send("GET", path)
        if found.status_code == 404:
            continue
        policy = found.headers["content-security-policy"]
        assert policy.startswith(
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
        )
        assert "frame-ancestors 'none'" in policy
        assert found.headers["x-content-type-options"] == "nosniff"
        assert "unsafe" not in policy
    assert "<img" not in page.send("GET", "/").text
