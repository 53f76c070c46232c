"""Location of the JSON-Schema-Test-Suite, which is part of the source distribution of ``jsonschema``."""

import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from orjson import loads

#: The release of ``jsonschema`` whose test suite is used.
RELEASE = "4.26.0"

#: The files that every implementation must pass, and those whose options are ours, too.
FILES = ("", "optional/format")
MORE = (
    *("bignum", "ecmascript-regex", "float-overflow", "no-schema"),
    *("non-bmp-regex", "refOfUnknownKeyword"),
)


class Group(NamedTuple):
    """One schema of the suite with its values and their verdicts."""

    file: str
    name: str
    schema: Any
    tests: list[dict[str, Any]]

    @property
    def key(self) -> str:
        return f"{self.file}: {self.name}"


@cache
def folder() -> Path | None:
    """The folder of draft 2020-12; ``None`` where it is not and cannot be had.

    ``SPECFN_JSON_SCHEMA_SUITE`` names a checkout, or its ``tests/draft2020-12``. Without it the source distribution of one
    release is downloaded by pip, once, into the user's cache.
    """
    said = os.environ.get("SPECFN_JSON_SCHEMA_SUITE")
    if said:
        places = (Path(said), Path(said) / "tests" / "draft2020-12")
        return next((place for place in places if (place / "anyOf.json").is_file()), None)
    release = f"jsonschema-{RELEASE}"
    cached = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "specfn-tests"
    found = cached / release / "json" / "tests" / "draft2020-12"
    if not found.is_dir():
        _download(release.replace("-", "==", 1), cached)
    return found if found.is_dir() else None


def groups() -> Iterator[Group]:
    """Every group of the files that are asserted; none where the suite is not there."""
    top = folder()
    if top is None:
        return
    paths = [path for part in FILES for path in sorted((top / part).glob("*.json"))]
    for path in (*paths, *(top / "optional" / f"{name}.json" for name in MORE)):
        file = path.relative_to(top).as_posix()
        for group in loads(path.read_bytes()):
            yield Group(file, group["description"], group["schema"], group["tests"])


def needed() -> list[Group]:
    """The same; the test is skipped where there is none."""
    found = list(groups())
    if not found:
        pytest.skip("the JSON-Schema-Test-Suite is not there; set SPECFN_JSON_SCHEMA_SUITE to it")
    return found


def _download(requirement: str, target: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    with tempfile.TemporaryDirectory() as name:
        try:
            subprocess.run(
                [*command, "--no-binary", "jsonschema", "--dest", name, requirement],
                check=True,
                capture_output=True,
                timeout=120,
            )
            (archive,) = Path(name).glob("*.tar.gz")
            with tarfile.open(archive) as tar:
                tar.extractall(Path(name) / "out", filter="data")
            target.mkdir(parents=True, exist_ok=True)
            (unpacked,) = (Path(name) / "out").iterdir()
            if not (target / unpacked.name).exists():
                unpacked.rename(target / unpacked.name)
        except (OSError, subprocess.SubprocessError, tarfile.TarError, ValueError):
            return  # whoever asks says that it is not there
