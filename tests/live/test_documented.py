"""The examples of the documentation that need a vendor's package: typed, and run with it."""

from pathlib import Path
from typing import Any

import pytest
from tests.live.model_server import ANSWER, model_server
from tests.typed.documented import checked, examples, module, pages

import specfn
from specfn.demo.server import serve


def _root() -> Path:
    return Path(__file__).parents[2]


NEEDS = {page: [each for each in examples(page) if each.needs] for page in pages(_root())}

#: The examples with a conversation.
RUN = [
    each.code
    for page, found in NEEDS.items()
    if page.stem in {"README", "conversations"}
    for each in found
]


#: The pages whose packages have types; pandas, Dask and Spark have none, or only some.
TYPED = [page for page, found in NEEDS.items() if found and page.stem != "bulk"]


@pytest.mark.parametrize("page", TYPED, ids=lambda page: page.stem)
def test_examples_that_need_a_package_are_typed(page: Path, tmp_path: Path) -> None:
    """Strict type checkers accept a page with the examples that need a package."""
    for each in NEEDS[page]:
        pytest.importorskip(each.needs or "")
    (tmp_path / f"{page.stem.lower().replace('-', '_')}_page.py").write_text(
        module(page, live=True), "utf-8"
    )
    assert checked(tmp_path, tmp_path / "cache") == {"mypy": "", "pyright": ""}


@pytest.mark.parametrize("code", RUN)
def test_examples_that_need_a_package_run(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each example runs with the vendor's own client, against a server that speaks its protocol."""
    with serve() as shop, model_server() as (url, faults):
        app = specfn.load(shop.document_url)
        connection = specfn.Connection(base_url=shop.base_url, credentials={"bearer": shop.token})
        monkeypatch.setenv("OPENAI_BASE_URL", f"{url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        monkeypatch.setattr(specfn, "load", lambda _: app)
        monkeypatch.setattr(specfn, "Connection", lambda **_: connection)
        names: dict[str, Any] = {}
        exec(code, names)  # the page is ours
    assert list(faults) == []
    assert names["outcome"].text == ANSWER
