"""The inspector in a browser: the time to the list, a check, and frames while a long list scrolls.

List: from the start of the navigation to the first row in the document. Check: from the request to the answer. Wheel:
from a wheel event to the next frame, median of 50. It needs playwright and Debian's Chromium.

    python bench/bench_inspector.py [CORPUS]
"""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from specfn.inspector.page_files import join_scripts, page_file, render_page, static_page

ROOT = Path(__file__).parent.parent
DEFAULT = ROOT.parent / "shared" / "corpus"
FUNCTIONS = 10_000

FIRST_ROW = """
new MutationObserver((_, self) => {
  if (!document.querySelector("[role=option]")) return;
  self.disconnect();
  window.firstRow = performance.now();
}).observe(document, { childList: true, subtree: true });
"""

CHECKS = """async () => {
  const body = JSON.stringify({ name: "repos_issues_postByOwnerAndRepo", profile: "portable",
    text: '{"owner": "a", "repo": "b", "body": {"title": 1}}' });
  const headers = { "Content-Type": "application/json" };
  const found = [];
  for (let turn = 0; turn < 30; turn += 1) {
    const start = performance.now();
    await (await fetch("api/check", { method: "POST", headers, body })).json();
    found.push(performance.now() - start);
  }
  return found;
}"""

FRAMES = """() => {
  const box = document.querySelector("#list");
  window.frames50 = [];
  window.mostRows = 0;
  box.addEventListener("wheel", () => {
    const start = performance.now();
    requestAnimationFrame(() => setTimeout(() => {
      window.frames50.push(performance.now() - start);
      window.mostRows = Math.max(window.mostRows, document.querySelectorAll("[role=option]").length);
    }));
  }, { passive: true });
}"""


NEXT_FRAME = """(turn) => new Promise((done) => {
  const wait = () => (frames50.length > turn ? done() : requestAnimationFrame(wait));
  wait();
})"""


@contextmanager
def served(spec: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "specfn", "ui", str(spec)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        found = re.search(r"http\S+", process.stderr.readline())
        assert found is not None
        yield found[0]
        process.terminate()


def opened(browser: Browser, url: str) -> Page:
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.add_init_script(FIRST_ROW)
    page.goto(url)
    page.wait_for_selector("body[data-ready]", timeout=120_000)
    return page


def memory(page: Page) -> float:
    """Return the memory of a page in MB after a garbage collection."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    return float(session.send("Runtime.getHeapUsage")["usedSize"]) / 1e6


def long_document(folder: Path) -> Path:
    paths = {f"/items{number}": {"get": {"responses": {}}} for number in range(FUNCTIONS)}
    value: Any = {"openapi": "3.1.0", "info": {"title": "Long", "version": "1"}, "paths": paths}
    target = folder / "long.json"
    target.write_text(json.dumps(value), "utf-8")
    return target


def show(what: str, value: str) -> None:
    print(f"{what:<44}{value:>16}")


def measure(browser: Browser, corpus: Path, folder: Path) -> None:
    served_size = len(render_page("x")) + len(page_file("style.css")) + len(join_scripts().encode())
    show("page without data, served", f"{served_size:,} bytes")
    show("page without data, static", f"{len(b''.join(static_page('x', {}, ()))):,} bytes")
    with served(corpus / "dev" / "octokit__api.github.com.json") as url:
        pages = [opened(browser, url) for _ in range(5)]
        show(
            "GitHub: list, median of 5",
            f"{median(each.evaluate('firstRow') for each in pages):.0f} ms",
        )
        checks = pages[0].evaluate(CHECKS)
        show("GitHub: check, median of 30", f"{median(checks):.1f} ms")
        show("GitHub: check, slowest of 30", f"{max(checks):.1f} ms")
        show("GitHub: memory of the page", f"{memory(pages[0]):.0f} MB")
    with served(long_document(folder)) as url:
        page = opened(browser, url)
        page.evaluate(FRAMES)
        page.locator("#list").hover()
        for turn in range(50):
            page.mouse.wheel(0, 700)
            page.evaluate(NEXT_FRAME, turn)
        show(f"{FUNCTIONS:,} functions: list", f"{page.evaluate('firstRow'):.0f} ms")
        show("wheel to next frame, median of 50", f"{median(page.evaluate('frames50')):.1f} ms")
        show("most rows in the document", str(page.evaluate("mostRows")))
        show(f"{FUNCTIONS:,} functions: memory of the page", f"{memory(page):.0f} MB")


def main() -> None:
    corpus = Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        path, arguments = "/usr/bin/chromium", ["--no-sandbox"]
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        measure(browser, corpus, Path(folder))
        browser.close()


if __name__ == "__main__":
    main()
