import ast
import re
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SRC = ROOT / "src"

#: The packages, lowest first; those of one row may not import each other, but for the pairs below.
ORDER = (
    (
        "records",
        "errors",
        "answers",
        "settings",
        "options",
        "human",
        "notebook",
        "_internal.characters",
        "_internal.did_you_mean",
        "_internal.digest",
        "_internal.tracebacks",
        "_internal.installed",
        "_internal.io",
        "_internal.json",
        "_internal.caller_arguments",
        "_internal.lazy_names",
        "_internal.likeness",
        "_internal.logs",
        "_internal.pointer",
        "_internal.settings_model",
        "_internal.url",
        "_internal.values",
    ),
    ("network",),
    ("document",),
    ("schema",),
    ("validation",),
    ("migrate",),
    ("http",),
    ("function",),
    ("connectors",),
    ("tools",),
    ("invocation",),
    ("calling",),
    ("application",),
    ("code_mode", "comparison", "http_server"),
    ("adapters", "inspector", "mcp"),
    ("api",),
    ("asgi",),
    ("bulk",),
    ("demo",),
    ("cli",),
    ("__main__",),
)
RANK = {package: rank for rank, row in enumerate(ORDER) for package in row}

#: The imports within the lowest row.
BASE = {
    ("_internal.io", "errors"),
    ("_internal.caller_arguments", "_internal.installed"),
    ("_internal.caller_arguments", "errors"),
    ("_internal.did_you_mean", "_internal.likeness"),
    ("_internal.logs", "_internal.characters"),
    ("_internal.pointer", "_internal.json"),
    ("_internal.settings_model", "_internal.did_you_mean"),
    ("_internal.settings_model", "_internal.tracebacks"),
    ("_internal.settings_model", "errors"),
    ("errors", "_internal.characters"),
    ("errors", "_internal.url"),
    ("errors", "records"),
    ("answers", "errors"),
    ("human", "errors"),
    ("notebook", "_internal.characters"),
    ("notebook", "_internal.json"),
    ("options", "_internal.settings_model"),
    ("options", "answers"),
    ("options", "settings"),
    ("records", "_internal.characters"),
    ("records", "_internal.values"),
}

#: Modules that may open files or sockets: they read documents, send requests, or talk to people.
IO = (
    "_internal/installed.py",  # the record of the package's own installation
    "document/read/download.py",
    "document/read/load.py",
    "document/references/loader.py",
    "http/transport/attempt.py",
    "http/transport/send.py",
    "http/transport/oauth2_login.py",
    "http/transport/pool.py",
    "http/transport/token_store.py",
    "network/",
    "asgi/",
    "bulk/",
    "http_server/listen.py",
    "inspector/page_files.py",
    "mcp/saved_files.py",
    "cli/",
    "demo/scenario.py",  # it shows a call without specfn
)

#: Calls that reach out of the process, by the last part of what is called.
REACHING = frozenset(
    "open fdopen read_text read_bytes write_text write_bytes urlopen urlretrieve socket "
    "create_connection getaddrinfo Popen check_output system".split()
)
CLIENTS = frozenset({"Client", "AsyncClient", "HTTPTransport", "AsyncHTTPTransport"})
HTTPX = CLIENTS | {"get", "post", "put", "patch", "delete", "head", "options", "request", "stream"}

#: Calls that would run a document's text as a program (threat T23).
RUNNING = frozenset({"eval", "exec", "compile", "__import__"})

VENDORS = re.compile(r"openai|anthropic|gemini|bedrock|mistral|azure", re.IGNORECASE)

#: The adapter of each framework, by the words that name the framework.
HOMES = {
    "agent_framework": "agent_framework",
    "agents sdk": "openai_agents",
    "fastmcp": "fastmcp",
    "google.adk": "google_adk",
    "langchain": "langchain",
    "langgraph": "langchain",
    "llama_index": "llama_index",
    "pydantic_ai": "pydantic_ai",
}
FRAMEWORKS = re.compile("|".join(map(re.escape, HOMES)), re.IGNORECASE)
ABSOLUTE = re.compile(r"(?<![\w.$}*])/(?:home|root|Users|tmp|mnt|srv|work|workspace)/")
WORKPLACE = re.compile(r"\b(?:issue|ticket|task|pull request)s? #?\d|\bTODO\b|\bFIXME\b|\bXXX\b")


def _modules() -> dict[str, Path]:
    return {_name(path): path for path in sorted((SRC / "specfn").rglob("*.py"))}


def _name(path: Path) -> str:
    parts = path.relative_to(SRC).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = _modules()
TREES = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in MODULES.items()}


def _imports(name: str) -> Iterator[str]:
    """Every module of the project that a module imports, wherever in it that stands."""
    for node in ast.walk(TREES[name]):
        found: list[str] = []
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} imports by a relative name"
            home = node.module or ""
            below = [f"{home}.{alias.name}" for alias in node.names]
            found = [each if each in MODULES else home for each in below]
        yield from (each for each in found if each.partition(".")[0] == "specfn")


def _package(name: str) -> str:
    """Return the package of a module; the modules of `_internal` count as packages of their own."""
    parts = name.split(".")[1:]
    return ".".join(parts[: 2 if parts[:1] == ["_internal"] else 1])


def _unit(name: str) -> str:
    """Return the sub-package of a module, or the module itself where it lies directly in its package."""
    parts = name.split(".")
    return ".".join(parts[:3]) if len(parts) > 3 else name


def _calls(name: str) -> Iterator[tuple[str, int]]:
    """What a module calls, as it is written, with the line."""
    for node in ast.walk(TREES[name]):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node.lineno


def test_every_module_is_in_a_package() -> None:
    """A new package is put into the order before it is used."""
    assert {_package(name) for name in MODULES} - {"", "_internal"} <= set(RANK)


def test_imports_point_down() -> None:
    """A module imports its own package and packages below, local and type-only imports counted."""
    upward = [
        (name, other)
        for name in MODULES
        for other in _imports(name)
        if _package(name) and _package(other) and _package(name) != _package(other)
        if RANK[_package(other)] >= RANK[_package(name)]
        and (_package(name), _package(other)) not in BASE
    ]
    assert upward == []


def test_nothing_imports_the_door() -> None:
    """The door is for callers; a package that used it would stand above everything."""
    assert [name for name in MODULES if "specfn" in _imports(name)] == []


def test_there_are_no_cycles() -> None:
    """No module imports itself by a detour, within a package either."""
    graph = {name: set(_imports(name)) - {name} for name in MODULES if name != "specfn"}
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(" imports ".join(error.args[1][::-1]))


def test_sub_packages_point_down() -> None:
    """The sub-packages and modules of one package import each other in one direction only."""
    graph: dict[str, set[str]] = {}
    for name in MODULES:
        if len(name.split(".")) > 2:
            inside = {_unit(each) for each in _imports(name) if _package(each) == _package(name)}
            graph.setdefault(_unit(name), set()).update(inside - {_unit(name)})
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(" imports ".join(error.args[1][::-1]))


def test_only_some_modules_reach_out() -> None:
    """Files and sockets are opened in few places; everything else is pure."""
    reaching = []
    for name, path in MODULES.items():
        if path.relative_to(SRC / "specfn").as_posix().startswith(IO):
            continue
        for called, line in _calls(name):
            owner, _, last = called.rpartition(".")
            if last in REACHING or (owner == "httpx" and last in HTTPX):
                reaching.append((name, line, called))
    assert reaching == []


def test_no_text_is_run() -> None:
    """Nothing is evaluated or compiled as a program, so no text of a document can be."""
    running = [
        (name, line, called)
        for name in MODULES
        for called, line in _calls(name)
        if called in RUNNING
    ]
    assert running == []


def test_no_vendor_is_named() -> None:
    """A vendor's name appears in its connector file, an adapter file or the table of hosts, and nowhere else."""
    texts = {name: path.read_text("utf-8") for name, path in MODULES.items()}
    elsewhere = [name for name in texts if _package(name) not in {"connectors", "adapters"}]
    extension = "x-openai-isConsequential"  # a name in documents
    elsewhere.remove("specfn.mcp.hosts")  # names and URLs of hosts
    found = [name for name in elsewhere if VENDORS.search(texts[name].replace(extension, ""))]
    assert found == []


def test_no_framework_is_named() -> None:
    """A framework's name appears in its adapter file and nowhere else, not in another adapter either."""
    found = {
        (match[0].lower(), name)
        for name, path in MODULES.items()
        for match in FRAMEWORKS.finditer(path.read_text("utf-8"))
    }
    homes = {(framework, f"specfn.adapters.{HOMES[framework]}") for framework, _ in found}
    assert {
        pair
        for pair in found
        if not any(pair[0] == each and pair[1].startswith(home) for each, home in homes)
    } == set()


def test_adapters_import_their_frameworks_on_first_use() -> None:
    """An adapter imports the standard library and this project only."""
    for name in MODULES:
        if _package(name) == "adapters":
            imported = {
                (node.module or "") if isinstance(node, ast.ImportFrom) else node.names[0].name
                for node in ast.walk(TREES[name])
                if isinstance(node, ast.Import | ast.ImportFrom)
            }
            roots = {each.partition(".")[0] for each in imported}
            assert roots - set(sys.stdlib_module_names) <= {"specfn"}, name


def _published() -> Iterator[Path]:
    """Sources, documentation, and everything at the top."""
    for pattern in ("*.md", "*.toml", "*.yml"):
        yield from ROOT.glob(pattern)
    for folder in ("src", "docs", "bench", ".ci"):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and path.suffix in {"", ".py", ".md", ".yaml", ".json"}:
                yield path


def test_texts_are_at_home_anywhere() -> None:
    """No text names a place of one machine, a ticket, or work that is left over."""
    found = [
        (path.relative_to(ROOT).as_posix(), match[0])
        for path in _published()
        for pattern in (ABSOLUTE, WORKPLACE)
        for match in pattern.finditer(path.read_text("utf-8"))
    ]
    assert found == []
