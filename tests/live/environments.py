"""Other people's programs, each installed once into a folder of its own below a cache.

The cache is ``SPECFN_LIVE_CACHE``, else ``specfn-live`` in the user's cache directory. Versions are
pinned: a new one is a new folder. A test that needs what cannot be installed here is skipped, and
says which step failed.
"""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

KINTO = "kinto==26.5.0"
CHROMA = "chromadb==1.5.9"
TYPESCRIPT = "typescript@5.9.3"
PRISM = "@stoplight/prism-cli@5.14.2"
POWERDNS = ("pdns-server", "pdns-backend-sqlite3")


def cache() -> Path:
    """The folder that everything is installed below."""
    default = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "specfn-live"
    return Path(os.environ.get("SPECFN_LIVE_CACHE") or default)


def installed(name: str, build: Callable[[Path], None]) -> Path:
    """The folder of an environment, built if it is not there or was left half done."""
    folder = cache() / name
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (cache() / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / ".complete").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            try:
                build(folder)
            except (OSError, subprocess.SubprocessError) as error:
                pytest.skip(f"{name} cannot be installed here: {_reason(error)}")
            (folder / ".complete").touch()
    return folder


def _reason(error: Exception) -> str:
    if not isinstance(error, subprocess.CalledProcessError):
        return str(error)
    last = error.stderr.strip().rpartition("\n")[2]
    return f"{error.cmd[0]} ended with {error.returncode}: {last}"


def _run(*command: str | Path, cwd: Path | None = None) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        check=True,
        capture_output=True,
        text=True,
        timeout=900,
    )
    return done.stdout


def python_environment(*requirements: str) -> Path:
    """A virtual environment with some distributions in it; the folder has the name of the first.

    uv installs a server with a hundred distributions in seconds; pip is the way without it.
    """
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")

    def build(folder: Path) -> None:
        _run(sys.executable, "-m", "venv", folder)
        python = folder / "bin" / "python"
        install = [python, "-m", "pip", "install"]
        if uv:
            install = [uv, "pip", "install", "--python", python]
        _run(*install, "--quiet", *requirements)

    return installed(requirements[0].replace("==", "-"), build)


def node_environment(package: str) -> Path:
    """A folder with one npm package in it."""

    def build(folder: Path) -> None:
        (folder / "package.json").write_text("{}", encoding="utf-8")
        _run("npm", "install", "--silent", "--no-audit", "--no-fund", package, cwd=folder)

    name = package.strip("@").replace("/", "-").replace("@", "-")
    return installed(name, build)


def debian_environment(packages: Sequence[str]) -> Path:
    """Debian packages, and what they need that is not on the machine, unpacked and not installed."""

    def build(folder: Path) -> None:
        plan = _run("apt-get", "install", "--simulate", "--no-install-recommends", *packages)
        needed = {line.split()[1] for line in plan.splitlines() if line.startswith("Inst ")}
        _run("apt-get", "download", *sorted(needed.union(packages)), cwd=folder)
        for archive in sorted(folder.glob("*.deb")):
            _run("dpkg", "-x", archive, folder / "root")

    return installed(packages[0], build) / "root"
