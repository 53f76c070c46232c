"""The TypeScript compiler reads the signatures of every real document and of the hard ones."""

import subprocess

import pytest
from tests.conftest import documents
from tests.function.signatures.documents import ALL
from tests.live.environments import TYPESCRIPT, node_environment

from specfn import Options, load
from specfn.function.signatures.signatures import signatures

WRONG = 'import { api } from "./hard_kinds_true";\napi.noSuchNamespace;\n'


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the output of the compiler."""
    folder = tmp_path_factory.mktemp("typescript")
    sources = {f"real_{number}": path for number, path in enumerate(documents())} | ALL
    for name, source in sources.items():
        for keyword in (True, False) if name in ALL else (True,):
            functions = load(source, options=Options(keyword=keyword)).functions
            text = signatures([each for each in functions if each.fault is None], "typescript")
            prefix = "hard_" if name in ALL else ""
            target = folder / f"{prefix}{name}_{str(keyword).lower()}.ts"
            target.write_text(text, encoding="utf-8")
    (folder / "wrong.ts").write_text(WRONG, encoding="utf-8")
    compiler = node_environment(TYPESCRIPT) / "node_modules" / ".bin" / "tsc"
    files = sorted(path.name for path in folder.glob("*.ts"))
    options = ["--strict", "--noEmit", "--target", "es2022"]
    ran = subprocess.run(
        [compiler, *options, *files], cwd=folder, capture_output=True, text=True, check=False
    )
    return ran.stdout


def test_the_compiler_accepts_every_module(checked: str) -> None:
    """The compiler has no error in strict mode, except in a call of a namespace that does not exist."""
    lines = [line for line in checked.splitlines() if not line.startswith(" ")]
    assert [line.partition("(")[0] for line in lines] == ["wrong.ts"], checked[:3_000]
