import os
import subprocess
import sys
from pathlib import Path

import pytest


def completed(*words: str) -> list[str]:
    """Return what a shell would offer for the last word."""
    environment = {
        **os.environ,
        "_SPECFN_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(("specfn", *words)),
        "COMP_CWORD": str(len(words)),
    }
    ended = subprocess.run(
        [sys.executable, "-c", "from specfn.cli.main import main; main()"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stderr == ""
    return [line.partition(",")[2] for line in ended.stdout.splitlines() if line]


def test_words_are_completed(products: Path, tmp_path: Path) -> None:
    """Subcommands, options, values of options and functions of the document are offered."""
    assert completed("val") == ["validate"]
    assert completed("tools", "x", "--sel") == ["--select"]
    assert "gemini" in completed("check", "x", "--profile", "gem")
    assert completed("tools", "x", "--format", "t") == ["typescript"]
    assert completed("completion", "z") == ["zsh"]
    assert completed("show", str(products), "orders_c") == ["orders_cancel_postByOrderId"]
    assert completed("tools", str(products), "--select", "categories_") == [
        "categories_get",
        "categories_post",
        "categories_eraseBySlug",
    ]
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    assert completed("show", str(broken), "a") == []


def test_the_shell_completes_files(products: Path) -> None:
    """A document and a file of an option are left to the shell, also a URL, which is not fetched."""
    for words in (
        ("tools", "src/"),
        ("tools", "x", "-o", "src/"),
        ("validate", str(products), "f", "src/"),
    ):
        assert completed(*words) == ["src/"]
    assert completed("show", "http://127.0.0.1:9/openapi.json", "a") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_script(shell: str) -> None:
    """The script names the command and the variable of the completion."""
    ended = subprocess.run(
        [sys.executable, "-m", "specfn", "completion", shell],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "_SPECFN_COMPLETE" in ended.stdout
    assert f"{shell}_complete" in ended.stdout
