"""Who may import what, and who may send."""

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "specfn"


def trees() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(SOURCE.rglob("*.py")):
        yield path.relative_to(SOURCE).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def imported(tree: ast.AST) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").partition(".")[0])
    return names


def called(tree: ast.AST) -> set[str]:
    return {
        node.func.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }


def test_only_one_module_sends() -> None:
    """Requests leave from two modules: calls and downloads, through one transport or to an ASGI application."""
    senders = {"handle_request", "handle_async_request"}
    receives = "http/transport/oauth2_login.py"  # it answers the browser's request on loopback
    found = [path for path, tree in trees() if senders & called(tree) and path != receives]
    assert found == [
        "asgi/app_response.py",
        "document/read/download.py",
        "http/transport/attempt.py",
        "network/sockets.py",
    ]


def test_the_room_stays_below_functions() -> None:
    """What calls operations knows routes, not functions, models or commands."""
    above = ("function", "calling", "connectors", "catalog", "mcp", "cli", "demo")
    for path, tree in trees():
        if path.startswith("http/"):
            for node in ast.walk(tree):
                if isinstance(node, ast.ImportFrom):
                    assert not (node.module or "").startswith(
                        tuple(f"specfn.{room}" for room in above)
                    ), path


def test_the_network_client_stays_in_its_room() -> None:
    """Nothing outside http/, network/, asgi/ and downloads imports the client when it is itself imported."""
    for path, tree in trees():
        if not path.startswith(("http/", "network/", "asgi/", "document/read/download.py")):
            top = ast.Module(
                [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)], []
            )
            assert not {"httpx", "httpcore"} & imported(top), path
