"""What ``bench/compare.py`` runs in the environment of each peer: ``python peers.py PEER ACTION DOCUMENT OUT [BASE_URL]``.

``tools`` writes the tools of a document as a model reads them: ``[[name, description, parameters], ...]``. ``each`` reads a
list of ``[document, name, arguments]`` and writes the answer of each call, or the tools if there is no name. ``search`` writes
the ranked names for the queries in stdin, and ``repair`` the values of a list of texts.
"""

import asyncio
import json
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

Tool = tuple[str, str, Any]
Call = Callable[[str, Any], Any]


def specfn(document: Any, base_url: str) -> tuple[list[Tool], Call]:
    from dataclasses import replace

    import specfn as package
    from specfn.connectors import profile

    app = package.load(document)
    # The other libraries do not limit the number of tools.
    told = app.tools(replace(profile("portable"), tools=None)) if app.functions else ()
    tools = [(tool["name"], tool.get("description", ""), tool["parameters"]) for tool in told]
    bound = app.bind(package.Connection(base_url, anonymous=True), allow={"*"})
    return tools, lambda name, arguments: bound.outcome(name, json.dumps(arguments)).text


def fastmcp(document: Any, base_url: str) -> tuple[list[Tool], Call]:
    import httpx2
    from fastmcp import Client, FastMCP

    client = httpx2.AsyncClient(base_url=base_url)
    server = FastMCP.from_openapi(openapi_spec=document, client=client)

    async def call(name: str, arguments: Any) -> str:
        async with Client(server) as session:
            return str(await session.call_tool(name, arguments))

    tools = asyncio.run(server.list_tools())
    return [(tool.name, tool.description or "", tool.parameters) for tool in tools], call


def google_adk(document: Any, base_url: str) -> tuple[list[Tool], Call]:
    from google.adk.tools.openapi_tool.openapi_spec_parser.openapi_toolset import OpenAPIToolset

    document["servers"] = [{"url": base_url}]
    toolset = OpenAPIToolset(spec_dict=document, allow_private_network_access=True)
    by_name = {tool.name: tool for tool in asyncio.run(toolset.get_tools())}
    tools = []
    for name, tool in by_name.items():
        said = tool._get_declaration().model_dump(mode="json", exclude_none=True)  # noqa: SLF001
        schema = said.get("parameters_json_schema", said.get("parameters", {}))
        tools.append((name, said.get("description", ""), schema))

    async def call(name: str, arguments: Any) -> str:
        return str(await by_name[name].call(args=arguments, tool_context=None))

    return tools, call


def semantic_kernel(document: Any, base_url: str) -> tuple[list[Tool], Call]:
    from semantic_kernel import Kernel
    from semantic_kernel.connectors.ai.function_calling_utils import (
        kernel_function_metadata_to_function_call_format as formatted,
    )
    from semantic_kernel.connectors.openapi_plugin import OpenAPIFunctionExecutionParameters
    from semantic_kernel.functions import KernelArguments

    settings = OpenAPIFunctionExecutionParameters(
        server_url_override=base_url,
        server_url_validation_allowed_base_urls=[base_url],
        allow_private_network_access=True,
    )
    kernel = Kernel()
    with tempfile.NamedTemporaryFile(
        "w", suffix=".json"
    ) as file:  # references are resolved in files only
        json.dump(document, file)
        file.flush()
        plugin = kernel.add_plugin_from_openapi("api", file.name, execution_settings=settings)
    tools = []
    for function in plugin.functions.values():
        said = formatted(function.metadata)["function"]
        tools.append((function.name, said.get("description", ""), said["parameters"]))

    async def call(name: str, arguments: Any) -> str:
        return str(await plugin[name].invoke(kernel, KernelArguments(**arguments)))

    return tools, call


def openapi_llm(document: Any, base_url: str) -> tuple[list[Tool], Call]:
    from openapi_llm.client.config import ClientConfig
    from openapi_llm.client.openapi import OpenAPIClient
    from openapi_llm.core.spec import OpenAPISpecification

    document["servers"] = [{"url": base_url}]
    client = OpenAPIClient(ClientConfig(OpenAPISpecification(document)))
    tools = [tool["function"] for tool in client.tool_definitions]

    def call(name: str, arguments: Any) -> str:
        said = {"name": name, "arguments": json.dumps(arguments)}
        return str(client.invoke({"id": "1", "type": "function", "function": said}))

    return [(t["name"], t.get("description", ""), t.get("parameters", {})) for t in tools], call


def langchain(document: Any, base_url: str) -> tuple[list[Tool], Call]:
    from langchain_classic.chains.openai_functions.openapi import openapi_spec_to_openai_fn
    from langchain_community.utilities.openapi import OpenAPISpec

    document["servers"] = [{"url": base_url}]
    functions, call = openapi_spec_to_openai_fn(OpenAPISpec.from_spec_dict(document))

    def text(name: str, arguments: Any) -> str:
        response = call(name, arguments)
        return f"{response.status_code} {response.text}"

    return [(f["name"], f.get("description") or "", f["parameters"]) for f in functions], text


PEERS = {
    "specfn": specfn,
    "fastmcp": fastmcp,
    "google-adk": google_adk,
    "semantic-kernel": semantic_kernel,
    "openapi-llm": openapi_llm,
    "langchain-community": langchain,
}


def answer(call: Call, name: str, arguments: Any) -> str:
    """Return the text that a model reads, also of an exception with its causes."""
    try:
        result = call(name, arguments)
        return str(asyncio.run(result) if isinstance(result, Awaitable) else result)
    except BaseException as error:  # noqa: BLE001 - the text of any failure is the answer
        said = []
        cause: BaseException | None = error  # SystemExit included: a peer may end the process
        while cause is not None:
            said.append(str(cause))
            cause = cause.__cause__
        return "\n".join(said)


def search(peer: str, document: Any, queries: list[str]) -> list[list[str]]:
    """Return up to ten names for each query, best first."""
    if peer == "specfn":
        import specfn as package

        app = package.load(document)
        return [[hit.function.name for hit in app.search(query)] for query in queries]
    if peer == "fastmcp":
        import httpx2
        from fastmcp import FastMCP
        from fastmcp.server.transforms.search import BM25SearchTransform

        client = httpx2.AsyncClient(base_url="http://localhost")
        server = FastMCP.from_openapi(openapi_spec=document, client=client)
        tools = asyncio.run(server.list_tools())
        transform = BM25SearchTransform(max_results=10)
        return [
            [tool.name for tool in asyncio.run(transform._search(tools, query))]  # noqa: SLF001
            for query in queries
        ]
    from rank_bm25 import BM25Okapi

    words = [str(text).lower().replace("_", " ").split() for text in document["texts"]]
    index = BM25Okapi(words)
    return [index.get_top_n(query.lower().split(), document["names"], n=10) for query in queries]


def repair(texts: list[str]) -> list[Any]:
    """Return the value that json_repair reads in each text."""
    from json_repair import loads

    return [loads(text) for text in texts]


def main(peer: str, action: str, source: str, out: str, base_url: str = "http://localhost") -> None:
    """Carry out one action and write its result."""
    document = json.loads(Path(source).read_text(encoding="utf-8"))
    result: Any
    if action == "repair":
        result = repair(document)
    elif action == "search":
        result = search(peer, document, json.load(sys.stdin))
    elif action == "tools":
        result = PEERS[peer](document, base_url)[0]
    else:
        result = []
        for index, (each, name, arguments) in enumerate(document):
            try:
                tools, call = PEERS[peer](each, f"{base_url}/{index}/v1")
                result.append(answer(call, name, arguments) if name else tools)
            except BaseException as error:  # noqa: BLE001 - what a peer cannot read is a result
                result.append(f"error: {error}")
    Path(out).write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
