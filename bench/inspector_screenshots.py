"""Screenshots of the inspector on the shop, for the documentation and for a look after a change of the page.

It needs playwright and Debian's Chromium.

    PYTHONPATH=src:. python bench/inspector_screenshots.py FOLDER
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright
from tests.strict_shop.server import serve

DESKTOP: Any = {"viewport": {"width": 1280, "height": 800}}
FORMS: dict[str, Any] = {
    "desktop": DESKTOP,
    "dark": {**DESKTOP, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 360, "height": 740}},
}

TEXT = "Sure:\n```json\n{'body': {name: 'Mug', price: '12.5', stock: 3, colour: 'red'}}\n```"


def shoot(page: Page, url: str, folder: Path, form: str) -> None:
    def save(name: str) -> None:
        page.wait_for_timeout(300)
        page.screenshot(path=folder / f"inspector-{form}-{name}.png")

    page.goto(url)
    page.wait_for_selector("body[data-ready]")
    save("list")
    page.goto(f"{url}#functions/products_post")
    page.locator("h2", has_text="products_post").wait_for()
    save("function")
    page.get_by_role("tab", name="Edits").click()
    save("edits")
    page.get_by_role("tab", name="Try").click()
    page.fill("#arguments", TEXT)
    page.wait_for_timeout(600)
    save("try")
    for view in ("Sizes", "Problems"):
        page.get_by_role("navigation").get_by_role("button", name=view).click()
        page.wait_for_timeout(700)
        save(view.lower())


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with serve() as shop, sync_playwright() as playwright:
        command = [
            sys.executable,
            "-m",
            "specfn",
            "ui",
            shop.document_url,
            "--base-url",
            shop.base_url,
        ]
        environment = {**os.environ, "SPECFN_AUTH_BEARER": shop.token}
        with subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, env=environment
        ) as process:
            assert process.stderr is not None
            found = re.search(r"http\S+", process.stderr.readline())
            assert found is not None
            path, arguments = "/usr/bin/chromium", ["--no-sandbox"]
            browser = playwright.chromium.launch(executable_path=path, args=arguments)
            for form, options in FORMS.items():
                shoot(browser.new_context(**options).new_page(), found[0], folder, form)
            browser.close()
            process.terminate()


if __name__ == "__main__":
    main()
