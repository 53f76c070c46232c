"""Requests to the served inspector without a socket."""

import asyncio
from typing import Any

import httpx

import specfn
from specfn.inspector.web_app import web_app

TOKEN = "token-of-the-page"

PATHS: Any = {
    "/pets/{petId}": {
        "get": {
            "operationId": "getPet",
            "summary": "Read a pet",
            "parameters": [
                {"name": "petId", "in": "path", "required": True, "schema": {"type": "integer"}},
                {
                    "name": "fields",
                    "in": "query",
                    "schema": {"type": "array", "items": {"type": "string", "maxLength": 9}},
                },
            ],
            "responses": {
                "200": {
                    "description": "The pet",
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}
                    },
                }
            },
        },
        "put": {
            "operationId": "changePet",
            "security": [{"key": []}],
            "parameters": [
                {"name": "petId", "in": "path", "required": True, "schema": {"type": "integer"}}
            ],
            "requestBody": {
                "required": True,
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}},
            },
            "responses": {"204": {"description": "Changed"}},
        },
        "delete": {"parameters": [{"$ref": "#/components/parameters/None"}], "responses": {}},
    }
}
COMPONENTS: Any = {
    "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}},
    "schemas": {
        "Pet": {
            "type": "object",
            "required": ["name"],
            "properties": {
                "name": {"type": "string", "minLength": 1},
                "pin": {"type": "string", "format": "password", "minLength": 8},
                "weight": {"type": "number", "exclusiveMinimum": 0},
            },
        }
    },
}
DOCUMENT: Any = {
    "openapi": "3.1.0",
    "info": {"title": "Pets", "version": "1"},
    "paths": PATHS,
    "components": COMPONENTS,
}


def application(document: Any = DOCUMENT, **options: Any) -> specfn.Application:
    return specfn.load(document, options=specfn.Options(**options))


class Page:
    """A client of the served inspector."""

    def __init__(
        self,
        app: specfn.Application | None = None,
        connection: specfn.Connection | None = None,
        **options: Any,
    ) -> None:
        self._app = web_app(app or application(), connection, token=TOKEN, **options)

    def send(
        self,
        method: str,
        path: str,
        *,
        prefix: str = f"/{TOKEN}",
        host: str = "127.0.0.1:80",
        **options: Any,
    ) -> httpx.Response:
        """Send a request, and return the response."""

        async def sent() -> httpx.Response:
            transport = httpx.ASGITransport(app=self._app)
            async with httpx.AsyncClient(transport=transport, base_url=f"http://{host}") as client:
                return await client.request(method, f"{prefix}{path}", **options)

        return asyncio.run(sent())

    def get(self, path: str, **query: str) -> Any:
        """Return the JSON of a successful response."""
        response = self.send("GET", f"/api/{path}", params=query)
        assert response.status_code == 200, response.text
        return response.json()

    def post(self, path: str, **body: Any) -> Any:
        """Return the JSON of a successful response to a call."""
        response = self.send("POST", f"/api/{path}", json={"profile": "portable", **body})
        assert response.status_code == 200, response.text
        return response.json()
