"""Requests of a client of both eras, as HTTP messages."""

import json
from typing import Any

import httpx

#: A text that a client sends in every place that must not reach an API.
CANARY = "canary-4711"

#: The origin of a web page.
PAGE = "https://page.example"

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": CANARY, "version": CANARY},
    "io.modelcontextprotocol/clientCapabilities": {},
    "traceparent": CANARY,
    "token": CANARY,
}


def post(origin: str, message: Any, timeout: float = 30, **headers: str) -> httpx.Response:
    accept = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return httpx.post(f"{origin}/mcp", content=body, headers={**accept, **headers}, timeout=timeout)


def message(era: str) -> Any:
    params = {"name": "pets_getById", "arguments": {"id": 1}}
    params["_meta"] = META if era == "auto" else {"token": CANARY}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def versions(era: str) -> dict[str, str]:
    if era == "legacy":
        return {"Mcp-Protocol-Version": "2025-11-25"}
    return {
        "Mcp-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": "pets_getById",
    }


def ask(origin: str, page: str, **headers: str) -> httpx.Response:
    """Ask as the browser of a page does before it sends a request."""
    asked = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization, content-type, mcp-protocol-version",
    }
    return httpx.options(f"{origin}/mcp", headers={"Origin": page, **asked, **headers})
