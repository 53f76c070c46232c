import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest

from specfn.inspector import page_files
from specfn.inspector.page_files import (
    MODULES,
    join_scripts,
    read_page_file,
    render_page,
    static_page,
)

PAGE = Path(page_files.__file__).parent / "page"
IMPORT = re.compile(r'^import (?:\{[^}]*\}) from "\./(\w+\.js)";$', re.MULTILINE)
DECLARED = re.compile(
    r"^(?:export )?(?:const|let|class|(?:async )?function) ([A-Za-z_]\w*)", re.MULTILINE
)


def source(module: str) -> str:
    return (PAGE / module).read_text("utf-8")


@pytest.mark.parametrize("module", MODULES)
def test_a_module_is_short_and_imports_those_before_it(module: str) -> None:
    """A module of the page has at most 300 lines, and imports modules before it in the order of joining."""
    text = source(module)
    assert len(text.splitlines()) <= 300
    before = MODULES[: MODULES.index(module)]
    assert set(IMPORT.findall(text)) <= set(before)
    assert len(IMPORT.findall(text)) == len(re.findall(r"^import\b", text, re.MULTILINE))


def test_every_module_is_joined() -> None:
    """The order contains each file of the page exactly once."""
    assert sorted(MODULES) == sorted(path.name for path in PAGE.glob("*.js"))


def test_names_of_modules_differ() -> None:
    """No two modules declare the same name, because they are joined into one scope."""
    names = [name for module in MODULES for name in DECLARED.findall(source(module))]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("module", MODULES)
def test_texts_end_in_their_lines(module: str) -> None:
    """A text of a module ends in its line, and contains no other text: spaces outside of texts are removed."""
    for line in source(module).splitlines():
        if not line.lstrip().startswith(("//", "/**", "*")):
            assert line.count("`") % 2 == 0, line
            assert not re.search(r"\$\{[^}]*`[^`]*`[^}]*\}", line), line
            assert "'" not in re.sub(r'"[^"]*"|`[^`]*`| // .*', "", line), line


def test_the_joined_script_has_no_imports() -> None:
    """The joined script has neither imports nor exports, and nothing that ends its element."""
    script = join_scripts()
    assert not re.search(r"^(?:import|export)\b", script, re.MULTILINE)
    assert "</script" not in script
    assert "<!--" not in script


def test_the_page_is_small() -> None:
    """The page without data has at most 64 KiB, served or static."""
    files = [read_page_file(name) for name in ("style.css", "script.js")]
    assert len(render_page("x")) + sum(len(each[0]) for each in files if each) <= 65_536
    assert len(b"".join(static_page("x", {}, ()))) <= 65_536


def test_the_policy_allows_the_inline_script_and_style_only() -> None:
    """The policy of a static page has the hashes of its one script and its one style."""
    page = b"".join(static_page("x", {}, ())).decode()
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    for kind, text in (("script", script), ("style", style)):
        digest = b64encode(sha256(text.encode()).digest()).decode()
        assert f"{kind}-src &#x27;sha256-{digest}&#x27;;" in page
    assert "default-src &#x27;none&#x27;" in page
