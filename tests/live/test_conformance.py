"""The official conformance suite for MCP servers: what passes, and why each other scenario cannot (``docs/mcp.md``)."""

import base64
import re
import subprocess
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.live.environments import node_environment
from tests.live.inspector import _NODE
from tests.mcp.server_support import Api, served

from specfn import Options, load, mcp

CONFORMANCE = "@modelcontextprotocol/conformance@0.1.16"

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
)
WAV = b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x44\xac\0\0\x88\x58\1\0\2\0\x10\0data\0\0\0\0"

#: The functions that the suite calls as tools, as operations of an API.
FUNCTIONS = {
    "test_simple_text": httpx.Response(200, text="This is a simple text response for testing."),
    "test_image_content": httpx.Response(200, content=PNG, headers={"Content-Type": "image/png"}),
    "test_audio_content": httpx.Response(200, content=WAV, headers={"Content-Type": "audio/wav"}),
    "test_error_handling": httpx.Response(500, json={"error": "intended"}),
    "test_tool_with_progress": httpx.Response(200, json={}),
    "test_elicitation": httpx.Response(200, json={}),
    "test_elicitation_sep1034_defaults": httpx.Response(200, json={}),
}

PASSED = set(
    "server-initialize ping tools-list server-sse-multiple-streams dns-rebinding-protection tools-call-simple-text "
    "tools-call-image tools-call-audio tools-call-error tools-call-elicitation elicitation-sep1034-defaults".split()
)

#: The other scenarios, by the reason why they do not apply.
OTHERS = {
    "a server of functions declares none of these capabilities, and answers that it has no such method": (
        "logging-set-level tools-call-with-logging completion-complete resources-list resources-read-text "
        "resources-read-binary resources-templates-read resources-subscribe resources-unsubscribe prompts-list "
        "prompts-get-simple prompts-get-with-args prompts-get-embedded-resource prompts-get-with-image"
    ),
    "a response of HTTP is one content, and a file is never a resource": (
        "tools-call-embedded-resource tools-call-mixed-content"
    ),
    "a call is one request, so its progress has a beginning and an end; the suite wants a step between": (
        "tools-call-with-progress"
    ),
    "the server never asks the model of a client": "tools-call-sampling",
    "the fields of a form are scalars, and the values of an enumeration have no titles": (
        "elicitation-sep1330-enums"
    ),
}


#: The parameters of the functions that ask the user: one that the suite sends, and those with the defaults of SEP-1034.
PARAMETERS: dict[str, dict[str, Any]] = {
    "test_elicitation": {"message": {"type": "string"}},
    "test_elicitation_sep1034_defaults": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {
            "type": "string",
            "enum": ["active", "inactive", "pending"],
            "default": "active",
        },
        "verified": {"type": "boolean", "default": True},
    },
}


def document() -> dict[str, Any]:
    paths = {}
    for name in FUNCTIONS:
        schemas = PARAMETERS.get(name, {})
        parameters = [
            {"name": own, "in": "path", "required": True, "schema": schemas[own]} for own in schemas
        ]
        operation = {"operationId": name, "parameters": parameters, "responses": {}}
        place = "/".join(("", name, *(f"{{{own}}}" for own in schemas)))
        paths[place] = {"post" if parameters else "get": operation}
    return {"openapi": "3.1.0", "info": {"title": "Suite", "version": "1"}, "paths": paths}


def is_human(node: Any) -> bool:
    """Whether the user of the client fills in a parameter."""
    return node.name in PARAMETERS["test_elicitation_sep1034_defaults"]


def test_the_official_suite(tmp_path: Path) -> None:
    """Every scenario about the protocol and about calls passes, and every other one needs what functions do not have."""
    api = Api(lambda request: FUNCTIONS[request.url.path.split("/")[2]])
    folder = node_environment(CONFORMANCE)
    program = (
        folder / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    )
    functions = load(document(), options=Options(separate=is_human))
    app = mcp.asgi(functions, api.connection(credentials={}), sessions=True)
    with served(app) as origin:
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
    assert verdicts.keys() - PASSED == set(" ".join(OTHERS.values()).split())
