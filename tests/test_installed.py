import json
from pathlib import Path
from typing import Any

import pytest

from specfn._internal.installed import requirement

ORIGINS: dict[str, tuple[Any, str]] = {
    "an index": (None, ""),
    "a directory": ({"url": "file:///home/me/specfn", "dir_info": {}}, " @ file:///home/me/specfn"),
    "a repository": (
        {"url": "https://example.com/specfn", "vcs_info": {"vcs": "git", "commit_id": "0"}},
        " @ git+https://example.com/specfn",
    ),
    "a repository with a password": (
        {"url": "https://me:secret@example.com/specfn", "vcs_info": {"vcs": "git"}},
        "",
    ),
    "a record that is not JSON": ("{", ""),
}


@pytest.mark.parametrize(("origin", "end"), ORIGINS.values(), ids=ORIGINS)
def test_an_extra_comes_from_where_the_package_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, origin: Any, end: str
) -> None:
    """The requirement of an extra has the URL of the installed package, unless it contains a password."""
    record = tmp_path / "specfn-9.dist-info"
    record.mkdir()
    (record / "METADATA").write_text("Metadata-Version: 2.1\nName: specfn\nVersion: 9\n")
    if origin is not None:
        text = origin if isinstance(origin, str) else json.dumps(origin)
        (record / "direct_url.json").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert requirement("mcp") == f"specfn[mcp]{end}"
