"""Screenshots of the documentation site, light and dark: ``python docs/screenshots.py SITE FOLDER``.

``SITE`` is the directory that ``.ci/docs`` built. The pages are served on a loopback port, and any request to another
host is an error. Chromium is that of Debian, or the one of the environment variable ``CHROMIUM``.
"""

import os
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from playwright.sync_api import Page, Request, sync_playwright

PAGES = {
    "home": "",
    "tutorial": "tutorial/",
    "how-to": "how-to/openai/",
    "concept": "concepts/choice-and-approval/",
    "layout": "concepts/layout-of-arguments/",
    "security": "security/",
    "reference": "reference/calling/",
    "options": "options/",
}


class Quiet(SimpleHTTPRequestHandler):
    """A file server without a log."""

    def log_message(self, *_: object) -> None:
        """Stay silent."""


def shoot(page: Page, origin: str, folder: Path, scheme: str) -> list[str]:
    """Write the screenshots of one color scheme, and return requests to other hosts."""
    foreign: list[str] = []

    def look(request: Request) -> None:
        if not request.url.startswith((origin, "data:", "blob:")):
            foreign.append(request.url)

    page.on("request", look)
    for name, path in PAGES.items():
        page.goto(f"{origin}/{path}", wait_until="networkidle")
        page.screenshot(path=folder / f"{name}-{scheme}.png")
        page.evaluate("document.querySelector('.mermaid')?.scrollIntoView({block: 'center'})")
        if page.locator(".mermaid").count():
            page.wait_for_timeout(1000)
            page.screenshot(path=folder / f"{name}-diagram-{scheme}.png")
    return foreign


def main(site: str, folder: str) -> int:
    """Write all screenshots; return 1 if a page requested something from another host."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=site))
    Thread(target=server.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{server.server_port}"
    foreign: list[str] = []
    with sync_playwright() as playwright:
        path = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        browser = playwright.chromium.launch(executable_path=path)
        for scheme in ("light", "dark"):
            context = browser.new_context(
                color_scheme="dark" if scheme == "dark" else "light",
                viewport={"width": 1400, "height": 900},
            )
            foreign += shoot(context.new_page(), origin, Path(folder), scheme)
        browser.close()
    server.shutdown()
    print("\n".join(foreign) or "no request to another host")
    return 1 if foreign else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
