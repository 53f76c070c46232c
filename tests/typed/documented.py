"""The Python examples of the pages as modules for type checkers.

One page becomes one module, because its examples build on each other. ``<!-- given: app: specfn.Application -->`` declares the
names that they use and do not define. ``<!-- needs: openai -->`` before an example names the package that it needs.
"""

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent

import specfn

GIVEN = re.compile(r"^<!-- given: (.*?) -->$", re.MULTILINE | re.DOTALL)
EXAMPLE = re.compile(
    r"^(?:<!-- needs: (?P<needs>\S+) -->\n+)?```python\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


#: Packages of specfn without types; mypy reads them where specfn is not installed.
UNTYPED = "[mypy-jsonref.*,webencodings.*]\nignore_missing_imports = true\n"


@dataclass(frozen=True)
class Example:
    """A Python example of a page.

    Attributes:
        line: the first line of its code in the page, from 0.
        code: its code.
        needs: the package that it needs; ``None`` for none.
    """

    line: int
    code: str
    needs: str | None


def pages(root: Path) -> tuple[Path, ...]:
    """Return all pages of the documentation with examples."""
    found = (root / "README.md", *sorted((root / "docs").rglob("*.md")))
    return tuple(page for page in found if examples(page))


def examples(page: Path) -> tuple[Example, ...]:
    """Return the Python examples of a page, in order."""
    text = page.read_text(encoding="utf-8")
    return tuple(
        Example(text.count("\n", 0, found.start("code")), found["code"], found["needs"])
        for found in EXAMPLE.finditer(text)
    )


def module(page: Path, *, live: bool) -> str:
    """Return a page's examples as a module; each line has the number that it has in the page.

    Args:
        page: the page.
        live: with the examples that need another package; otherwise without.
    """
    text = page.read_text(encoding="utf-8")
    given = ", ".join(" ".join(found.split()) for found in GIVEN.findall(text))
    lines = [
        f"import specfn, typing; {_imports(given)}",
        f"async def page({given}) -> None:",
        "    ...",
    ]
    for example in examples(page):
        if live or example.needs is None:
            lines += [""] * (example.line - len(lines))
            lines += indent(example.code, "    ").splitlines()
    return "\n".join([*lines, ""])


def _imports(given: str) -> str:
    names = sorted(set(re.findall(r"\b([a-z_]+)\.", given)))
    return "; ".join(f"import {name}" for name in names)


def checked(folder: Path, cache: Path) -> dict[str, str]:
    """Return what type checkers report of the modules in a folder, by checker; empty where all is well.

    Args:
        folder: where the modules are.
        cache: where mypy keeps its cache.
    """
    source = Path(specfn.__file__).parent.parent
    extra = [] if source.name == "site-packages" else [str(source)]
    paths = f"mypy_path = {extra[0]}\n" if extra else ""
    config = {"typeCheckingMode": "standard", "extraPaths": extra}
    (folder / "mypy.ini").write_text(f"[mypy]\nstrict = true\n{paths}{UNTYPED}", encoding="utf-8")
    (folder / "pyrightconfig.json").write_text(json.dumps(config), encoding="utf-8")
    commands = {
        "mypy": ["mypy", "--config-file", "mypy.ini", "--cache-dir", str(cache), "."],
        "pyright": ["pyright", "--pythonpath", sys.executable, "--level", "error", "-p", "."],
    }
    return {name: _faults(command, folder) for name, command in commands.items()}


def _faults(command: list[str], folder: Path) -> str:
    """Return what a type checker reports; empty if it accepts everything."""
    ended = subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=False
    )
    return ended.stdout + ended.stderr if ended.returncode else ""
