"""The part of the adapters that needs no framework."""

import asyncio
import importlib
import pkgutil
import sys
from pathlib import Path
from typing import Any

import pytest

from specfn import Connection, Options, adapters, load
from specfn.adapters.bound_functions import acall, call, import_framework, schema, select_functions
from specfn.application.bound import Bound
from specfn.calling import PendingCall
from specfn.errors import UnknownFunctionError, UsageError

DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Shop", "version": "1"},
    "paths": {
        f"/{name}": {
            method: {
                "tags": [name],
                "parameters": [{"name": "self", "in": "query", "schema": {"type": "integer"}}],
                "responses": {"200": {"description": "OK"}},
            }
            for method in ("get", "delete")
        }
        for name in ("pets", "owners")
    },
}

#: The module that each adapter imports.
FRAMEWORKS = {
    "agent_framework": "agent_framework",
    "fastmcp": "fastmcp",
    "google_adk": "google.adk",
    "langchain": "langchain_core",
    "llama_index": "llama_index.core",
    "openai_agents": "agents",
    "pydantic_ai": "pydantic_ai",
}


#: The modules that are no adapters.
SHARED = {"bound_functions"}


def bind(options: Options | None = None, **policy: Any) -> Bound:
    connection = Connection(base_url="http://127.0.0.1:1")
    return load(DOCUMENT, options=options).bind(connection, **policy)


@pytest.mark.parametrize(
    ("select", "names"),
    [
        (None, ["pets_get", "pets_erase", "owners_get", "owners_erase"]),
        ("pets_*", ["pets_get", "pets_erase"]),
        (["owners_get", "pets_get"], ["pets_get", "owners_get"]),
        ({"safety": ["read"]}, ["pets_get", "owners_get"]),
        (lambda function: function.path == "/owners", ["owners_get", "owners_erase"]),
    ],
)
@pytest.mark.parametrize("profile", [None, "openai", "gemini"])
def test_a_selection_is_offered_in_order(select: Any, names: list[str], profile: Any) -> None:
    """The selections of `Application.tools` select bound functions, in the document's order."""
    assert [each.name for each in select_functions(bind(profile=profile), select)] == names


def test_a_selection_that_matches_nothing_is_an_error() -> None:
    """An unknown name is an error that suggests similar names."""
    with pytest.raises(UnknownFunctionError, match="pets_get"):
        select_functions(bind(), "pet_get")


def test_an_adapter_takes_bound_functions() -> None:
    """An application or a list is not taken for bound functions."""
    with pytest.raises(
        UsageError, match=r"the result of Application\.bind to an adapter, not Application"
    ):
        select_functions(load(DOCUMENT), None)  # type: ignore[arg-type]


def test_a_schema_is_a_copy() -> None:
    """A framework that changes a schema does not change the function."""
    function = bind(profile="portable")["pets_get"]
    schema(function)["properties"].clear()
    assert "query" in schema(function)["properties"]


def test_arguments_by_position_need_a_profile() -> None:
    """Frameworks take arguments by name only; a profile provides names."""
    by_position = Options(keyword=False)
    with pytest.raises(UsageError, match=r"pets_get takes its arguments by position.*profile="):
        schema(bind(by_position)["pets_get"])
    assert schema(bind(by_position, profile="portable")["pets_get"])["type"] == "object"


@pytest.mark.parametrize(
    ("policy", "waits"),
    [
        ({}, True),
        ({"allow": {"destructive"}}, False),
        ({"allow": {"pets_erase"}}, False),
        ({"ask": False}, False),
        ({"approve": lambda _request: True}, False),
    ],
)
def test_a_function_knows_if_its_calls_wait(policy: Any, *, waits: bool) -> None:
    """`needs_approval` is true exactly if a valid call waits."""
    function = bind(**policy)["pets_erase"]
    assert function.needs_approval is waits
    assert (function.outcome({}).kind == "needs_approval") is waits


@pytest.mark.parametrize("sent", [{}, "{}"])
@pytest.mark.parametrize(
    ("decision", "kind"), [(None, "needs_approval"), (True, "unreachable"), (False, "refused")]
)
def test_only_an_approved_call_is_sent(sent: Any, decision: Any, kind: str) -> None:
    """A call that waits is sent only if it was approved; the decision may be a function of the call."""
    function = bind()["pets_erase"]

    def decide(waiting: PendingCall) -> Any:
        assert (waiting.function, waiting.arguments) == ("pets_erase", {})
        return decision

    for given in (decision, decide):
        assert call(function, sent, given).kind == kind
        assert asyncio.run(acall(function, sent, given)).kind == kind


def test_an_approval_makes_nothing_else_possible() -> None:
    """Neither invalid arguments nor a refused call are sent because of an approval."""
    assert call(bind()["pets_erase"], "[", True).kind == "invalid"
    assert call(bind(ask=False)["pets_erase"], {}, True).kind == "refused"


def test_a_missing_framework_is_an_error_with_its_package() -> None:
    """The error names the command that installs the framework."""
    for module in ("no_such_framework", "no_such_framework.tools"):
        with pytest.raises(UsageError, match=r"'no_such_framework' .* pip install no-such"):
            import_framework(module, "no-such")
    assert import_framework("json.decoder", "json") is importlib.import_module("json.decoder")


def test_a_framework_that_fails_to_import_is_not_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The missing import of an installed framework is reported as it is."""
    (tmp_path / "half_framework.py").write_text("import no_such_part\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="no_such_part"):
        import_framework("half_framework", "half-framework")


def test_every_adapter_is_tested() -> None:
    """Each module of the package but the shared ones is in the list of this test."""
    modules = {each.name for each in pkgutil.iter_modules(adapters.__path__)}
    assert modules - SHARED == set(FRAMEWORKS)


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_an_adapter_without_its_framework_is_an_error(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`tools` reports the missing framework; the import of the adapter does not."""
    missing = FRAMEWORKS[name]
    hidden = [each for each in sys.modules if f"{each}.".startswith(f"{missing}.")]
    for module in hidden:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setattr(sys, "meta_path", [_Hiding(missing), *sys.meta_path])
    adapter = importlib.import_module(f"specfn.adapters.{name}")
    with pytest.raises(UsageError, match=r"is not installed; install it with: pip install [\w-]+$"):
        adapter.tools(bind())


class _Hiding:
    """An importer that hides a module."""

    def __init__(self, name: str) -> None:
        self._name = name

    def find_spec(self, name: str, *_: Any) -> None:
        if f"{name}.".startswith(f"{self._name}."):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
