"""A headless Chromium, and the programs that judge pages in it. What is missing is installed."""

import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn
from playwright.sync_api import Browser, BrowserContext, Page, Response, sync_playwright
from tests.live.environments import node_environment

import specfn
from specfn.http_server.listen import bind_socket, origin_of
from specfn.inspector.web_app import web_app

AXE = "axe-core@4.14.1"

DESKTOP = {"viewport": {"width": 1440, "height": 900}}
DARK = {**DESKTOP, "color_scheme": "dark"}
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True}


def chromium() -> str:
    """Return the path of Debian's Chromium, which is installed if it is missing."""
    if shutil.which("chromium") is None:
        command = ["apt-get", "install", "--yes", "--quiet", "chromium"]
        subprocess.run(command, check=True, capture_output=True, timeout=900)
    found = shutil.which("chromium")
    assert found is not None
    return found


@contextmanager
def launched() -> Iterator[Browser]:
    """Run a browser while the block runs."""
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox"]
        browser = playwright.chromium.launch(executable_path=chromium(), args=arguments)
        yield browser
        browser.close()


def axe() -> str:
    """Return the script that finds faults of accessibility."""
    script = node_environment(AXE) / "node_modules" / "axe-core" / "axe.min.js"
    return script.read_text("utf-8")


@dataclass
class Visit:
    """A page in the browser, with everything that it reported.

    Attributes:
        page: the page.
        messages: messages of the console, uncaught errors, and violations of the policy.
        requests: the URLs that were requested.
    """

    page: Page
    messages: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def open(self, url: str) -> None:
        """Load a page, and wait until it has all figures."""
        self.page.goto(url)
        self.ready()

    def ready(self) -> None:
        self.page.wait_for_selector("body[data-ready]", timeout=60_000)

    def tab(self, name: str) -> None:
        """Select a tab."""
        self.page.get_by_role("tab", name=name).click()

    def view(self, name: str) -> None:
        """Select a view."""
        self.page.get_by_role("navigation").get_by_role("button", name=name).click()

    def select(self, name: str) -> None:
        """Find a function by its name, and select it."""
        self.page.fill("#query", name)
        self.page.locator("[role=option]", has=self.page.get_by_text(name, exact=True)).click()
        self.page.locator("#detail h2", has_text=name).wait_for()

    def check(self, text: str) -> str:
        """Try a text, and return the verdict."""

        def is_answer(response: Response) -> bool:
            return (
                response.url.endswith("/api/check")
                and response.request.post_data_json["text"] == text
            )

        with self.page.expect_response(is_answer):
            self.page.fill("#arguments", text)
        self.page.evaluate("new Promise((done) => setTimeout(done, 50))")
        return self.page.locator("#verdict").inner_text()

    def faults(self, script: str) -> list[str]:
        """Return the faults of accessibility in the present state of the page."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(script)
        found = self.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        return [
            f"{each['id']}: {node['html'][:200]} {node['failureSummary'][:300]}"
            for each in found["violations"]
            for node in each["nodes"]
        ]


@contextmanager
def visit(browser: Browser, **options: Any) -> Iterator[Visit]:
    """Open an empty page that records what happens in it."""
    context: BrowserContext = browser.new_context(**{**DESKTOP, **options})
    page = context.new_page()
    page.set_default_timeout(10_000)
    found = Visit(page)
    page.on("console", lambda message: found.messages.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: found.messages.append(f"error: {error}"))
    page.on("request", lambda request: found.requests.append(request.url))
    page.on("dialog", lambda dialog: (found.messages.append(dialog.message), dialog.dismiss()))
    page.add_init_script(
        "addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective))"
    )
    yield found
    context.close()


@contextmanager
def inspector(*arguments: str | Path, environment: dict[str, str] | None = None) -> Iterator[str]:
    """Run ``specfn ui`` while the block runs; the value is the URL of its page."""
    command = [sys.executable, "-m", "specfn", "ui", *map(str, arguments)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        found = re.search(r"http\S+", line)
        assert found, line
        try:
            yield found[0]
        finally:
            process.terminate()


@contextmanager
def served(application: specfn.Application) -> Iterator[str]:
    """Serve the page of an application in a thread while the block runs; the value is its URL."""
    token = "token-of-the-tests"
    app = web_app(application, None, token=token)
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off"))
    with bind_socket("127.0.0.1", 0, "--port 0") as bound:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
        thread.start()
        try:
            yield f"{origin_of(bound, '127.0.0.1')}/{token}/"
        finally:
            server.should_exit = True
            thread.join()


def rows(page: Page) -> Sequence[str]:
    """Return the names in the rows that are in the document."""
    return page.locator("[role=option] .name").all_inner_texts()
