"""The official conformance suite for MCP servers: what passes, and why each other scenario cannot."""

import re
import subprocess
from pathlib import Path

import pytest
from tests.live.environments import node_environment
from tests.live.inspector import _NODE
from tests.mcp.server_support import Api, application, served

from specfn import mcp

CONFORMANCE = "@modelcontextprotocol/conformance@0.1.16"

#: The scenarios that the server passes.
PASSED = {
    "server-initialize",
    "ping",
    "tools-list",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
}

#: The first words of the other scenarios, by the reason why they do not apply.
OTHERS = {
    "they call a tool of the suite's own server, such as test_simple_text": (
        "tools-call-",
        "elicitation-sep",
    ),
    "the server has functions only, and declares neither of these capabilities": (
        "resources-",
        "prompts-",
        "completion-",
        "logging-",
    ),
}


def test_the_official_suite(tmp_path: Path) -> None:
    """Every scenario about the protocol itself passes, and every other one needs a feature that the server does not declare."""
    api = Api()
    folder = node_environment(CONFORMANCE)
    program = (
        folder / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    )
    with served(mcp.asgi(application(), api.connection(), sessions=True)) as origin:
        done = subprocess.run(
            [_NODE, program, "server", "--url", f"{origin}/mcp", "--output-dir", tmp_path],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    summary = done.stdout.rpartition("=== SUMMARY ===")[2]
    verdicts = dict(re.findall(r"^[✓✗] ([\w-]+): \d+ passed, (\d+) failed", summary, re.MULTILINE))
    if not verdicts:
        pytest.fail(f"the suite did not run: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    assert {name for name, failed in verdicts.items() if failed == "0"} == PASSED
    known = tuple(prefix for prefixes in OTHERS.values() for prefix in prefixes)
    assert {name for name in verdicts if name not in PASSED and not name.startswith(known)} == set()
