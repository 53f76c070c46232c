"""The command, in this process and in one of its own."""

import io
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.strict_shop.server import Server, serve

from specfn.cli.main import run


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def specfn(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Ended]:
    """Run the command in this process; ``stdin`` is what it finds there."""

    def call(*arguments: str | Path, stdin: bytes = b"") -> Ended:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(stdin)))
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Ended(code, out, err)

    return call


@pytest.fixture(scope="session")
def process() -> Callable[..., "subprocess.Popen[str]"]:
    """Start the command as a process of its own."""

    def start(*arguments: str | Path, **options: Any) -> "subprocess.Popen[str]":
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
        return subprocess.Popen([sys.executable, "-m", "specfn", *map(str, arguments)], **pipes)

    return start


@pytest.fixture
def document(tmp_path: Path) -> Callable[..., Path]:
    """Write an OpenAPI document with these paths into a file."""

    def write(paths: Any, **members: Any) -> Path:
        path = tmp_path / "openapi.json"
        info = {"title": "Pets", "version": "1"}
        path.write_text(json.dumps({"openapi": "3.1.0", "info": info, "paths": paths, **members}))
        return path

    return write


@pytest.fixture(scope="session")
def products(root: Path) -> Path:
    """A document of 21 operations, all of which are functions."""
    return root / "tests" / "strict_shop" / "openapi.yaml"


@pytest.fixture(scope="session")
def shop() -> Iterator[Server]:
    """A running API that serves its own document."""
    with serve() as server:
        yield server
