"""The examples of the documentation that need a vendor's package: typed, and run with it."""

import importlib
import typing
from functools import partial
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

#: The examples with a conversation; those of the README build on each other.
RUN = [
    each.code
    for page, found in NEEDS.items()
    if page.stem in {"conversations", "tutorial"}
    for each in found
]
RUN.append("\n".join(each.code for each in examples(_root() / "README.md")))

#: The pages on a vendor, whose examples build on each other.
VENDORS = [page for page, found in NEEDS.items() if found and page.parent.name == "how-to"]

#: The pages whose packages have types; pandas, Dask, Spark and boto3 have none, or only some.
TYPED = [page for page, found in NEEDS.items() if found and page.stem not in {"bulk", "bedrock"}]


@pytest.mark.parametrize("page", TYPED, ids=lambda page: page.stem)
def test_examples_that_need_a_package_are_typed(page: Path, tmp_path: Path) -> None:
    """Strict type checkers accept a page with the examples that need a package."""
    for each in NEEDS[page]:
        pytest.importorskip(each.needs or "")
    (tmp_path / f"{page.stem.lower().replace('-', '_')}_page.py").write_text(
        module(page, live=True), "utf-8"
    )
    assert checked(tmp_path, tmp_path / "cache") == {"mypy": "", "pyright": ""}


def to_model_server(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the variables from which the clients of vendors read keys and addresses."""
    monkeypatch.setenv("OPENAI_BASE_URL", f"{url}/v1")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", url)
    monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", url)
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    for key in "OPENAI_API_KEY ANTHROPIC_API_KEY GEMINI_API_KEY MISTRAL_API_KEY".split():
        monkeypatch.setenv(key, "k")
    for key in "AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY".split():
        monkeypatch.setenv(key, "k")


@pytest.mark.filterwarnings("ignore")  # the packages' own
@pytest.mark.parametrize("page", VENDORS, ids=lambda page: page.stem)
def test_the_examples_of_a_vendor_run(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The conversation and the loop of a page end with the text of the model, with the vendor's own client."""
    package = pytest.importorskip(NEEDS[page][0].needs or "")
    with serve() as shop, model_server() as (url, faults):
        to_model_server(url, monkeypatch)
        if page.stem == "mistral":  # no variable has its address
            client = importlib.import_module("mistralai.client")
            monkeypatch.setattr(client, "Mistral", partial(client.Mistral, server_url=url))
        connection = specfn.Connection(base_url=shop.base_url, credentials={"bearer": shop.token})
        names: dict[str, Any] = {
            "app": specfn.load(shop.document_url),
            "connection": connection,
            "specfn": specfn,
            "typing": typing,
        }
        printed: list[Any] = []
        names["print"] = printed.append
        for each in NEEDS[page]:
            exec(each.code, names)  # the page is ours
    assert package
    assert names["outcome"].text == ANSWER
    assert printed[0] == printed[-1] == ANSWER
    # A loop of one's own sends the names of the model back; a conversation replaces illegal ones.
    assert [fault for fault in faults if "does not match" not in fault] == []


@pytest.mark.parametrize("code", RUN)
def test_examples_that_need_a_package_run(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each example runs with the vendor's own client, against a server that speaks its protocol."""
    pytest.importorskip("openai")
    monkeypatch.setattr("builtins.input", lambda _: "y")
    with serve() as shop, model_server() as (url, faults):
        app = specfn.load(shop.document_url)
        connection = specfn.Connection(base_url=shop.base_url, credentials={"bearer": shop.token})
        to_model_server(url, monkeypatch)
        monkeypatch.setattr(specfn, "load", lambda _: app)
        monkeypatch.setattr(specfn, "Connection", lambda *_, **__: connection)
        names: dict[str, Any] = {}
        exec(code, names)  # the page is ours
    assert list(faults) == []
    assert names["outcome"].text == ANSWER
