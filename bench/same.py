"""Comparison of the behaviour of two working copies: everything that a caller, a model or a server can observe.

    python bench/same.py OLD NEW [--corpus FOLDER] [--texts N] [--only KIND] [--show N] [DOCUMENT ...]

Each working copy runs in its own process, with the same documents, arguments, texts, servers and scripted models. The
script prints the number of differences by kind and the first ones of each kind, and exits with 1 if there are any.
Kinds: names, schemas, edits, notes, fingerprints, signatures, the tools of every profile, verdicts (with repairs,
errors and feedback), requests (their bytes), answers, conversations, MCP lists and results, and searches.

The arguments come from the schemas that a model reads, and the texts are these arguments with damages. Only public names
of specfn are used, so that the copies may differ inside.
"""

import argparse
import asyncio
import hashlib
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

PROFILES = (
    "anthropic anthropic-strict azure-openai bedrock bedrock-strict gemini gemini-json-schema mcp mistral "
    "mistral-strict openai openai-functions openai-responses openai-responses-strict openai-strict portable"
).split()
CONNECTORS = ("openai", "openai-responses", "anthropic", "gemini", "bedrock")
EVERYTHING = ("read", "write", "destructive")

#: Large lists of tools are compared by digest: the difference is then found in the schemas.
MAX_VALUE_CHARACTERS = 200_000

Row = tuple[str, str, Any]


# -- what is observed, in the process of one working copy ------------------------------------------------


def observe(document: Path | None, texts: int) -> Iterator[Row]:
    """Yield everything that can be observed of a document: kind, key and value."""
    import specfn

    if document is None:
        yield from observe_conversations()
        yield from observe_server()
        return
    for label, options in (
        ("keyword", {}),
        ("positional", {"keyword": False, "constraint": False}),
        ("3.1", {"dialect": "3.1", "separate": "secrets"}),
    ):
        try:
            app = specfn.load(str(document), options=specfn.Options(**options))
        except specfn.SpecfnError as error:
            yield "load", label, str(error)
            continue
        yield from observe_application(app, label)
        if label == "keyword":
            yield from observe_tools(app)
            yield from observe_calls(app, texts)
            yield from observe_searches(app)


def observe_application(app: Any, label: str) -> Iterator[Row]:
    yield "operation errors", label, [plain(error) for error in app.errors]
    yield "diagnostics", label, [plain(note) for note in app.diagnostics]
    yield "fingerprints", f"{label} application", app.fingerprint
    for function in app.functions:
        key = f"{label} {function.method} {function.path}"
        yield "names", key, [function.name, function.accessor, function.operation_id]
        yield "descriptions", key, [function.summary, function.description, function.tags]
        yield "safety", key, [function.safety, function.idempotent, function.deprecated]
        yield "fingerprints", key, attempt(lambda: function.fingerprint)
        yield "parameters", key, attempt(lambda: function.parameters)
        yield "output", key, attempt(lambda: function.output)
        yield "validators", key, attempt(lambda: function.validator)
        yield "edits", key, attempt(lambda: [plain(each) for each in function.edits])
        yield "notes", key, attempt(lambda: [plain(each) for each in function.notes])
        yield "paging", key, repr(function.paging)
        if label == "keyword":
            for language in ("python", "typescript"):
                yield f"signatures {language}", key, attempt(lambda: function.signature(language))
        else:
            yield "separated", key, attempt(lambda: separated(function))


def separated(function: Any) -> Any:
    parts = function.separated
    return None if parts is None else [parts.llm, parts.human]


def observe_tools(app: Any) -> Iterator[Row]:
    for profile in PROFILES:
        tools = attempt(lambda: list(app.tools(profile)))
        yield f"tools {profile}", "list", tools
    yield "tools selected", "read", attempt(lambda: list(app.tools("openai", select=["GET /*"])))
    yield "tools budget", "2000", attempt(lambda: list(app.tools("openai", budget_tokens=2000)))


def observe_calls(app: Any, texts: int) -> Iterator[Row]:
    import httpx

    import specfn

    chance = random.Random(f"{app.functions[0].name if app.functions else ''} {len(app.functions)}")
    received: list[httpx.Request] = []

    def handle(request: httpx.Request) -> httpx.Response:
        received.append(request)
        return respond(request, len(received))

    connection = specfn.Connection(
        base_url="https://api.example/base",
        client=httpx.Client(transport=httpx.MockTransport(handle)),
        credentials=credentials(app),
    )
    bound = app.bind(connection, allow=EVERYTHING)
    asking = app.bind(connection)
    functions = [*app.functions]
    chance.shuffle(functions)
    share = max(1, texts // max(1, len(functions)))
    for function in functions[: max(60, texts)]:
        key = f"{function.method} {function.path}"
        for index in range(share):
            arguments = attempt(lambda: sample(function.parameters, chance, full=index % 2 == 0))
            yield "verdicts of values", f"{key} {index}", verdict(function.validate(arguments))
            text = json.dumps(arguments, ensure_ascii=False)
            damaged = damage(text, arguments, chance) if index else text
            yield (
                "verdicts of texts",
                f"{key} {index} {damaged[:200]}",
                verdict(function.check(damaged)),
            )
            received.clear()
            yield (
                "answers",
                f"{key} {index}",
                attempt(lambda: answer(bound[function.name].outcome(damaged))),
            )
            yield "requests", f"{key} {index}", [wire(request) for request in received]
            received.clear()
            yield (
                "pending answers",
                f"{key} {index}",
                attempt(lambda: answer(asking[function.name].outcome(damaged))),
            )
            yield "pending requests", f"{key} {index}", [wire(request) for request in received]


def observe_searches(app: Any) -> Iterator[Row]:
    words = [
        "create user",
        "list all items",
        "delete",
        "update settings of an account",
        "file upload",
    ]
    for query in (*words, *(function.summary for function in app.functions[:40])):
        found = app.search(query, limit=8) if query.strip() else []
        yield (
            "searches",
            query,
            [(each.function.name, round(each.score, 6), each.why) for each in found],
        )


# -- arguments and texts ---------------------------------------------------------------------------------


def sample(schema: Any, chance: random.Random, *, full: bool, depth: int = 0) -> Any:
    """Return a value for a schema of dialect 3.0; ``full`` also fills in optional members."""
    if not isinstance(schema, dict):
        return [sample(each, chance, full=full, depth=depth) for each in schema or ()]
    if schema.get("enum"):
        return chance.choice(schema["enum"])
    for union in ("anyOf", "oneOf"):
        if schema.get(union):
            return sample(chance.choice(schema[union]), chance, full=full, depth=depth + 1)
    kind = schema.get("type")
    if kind == "object" or "properties" in schema:
        required = schema.get("required", ())
        return {
            name: sample(value, chance, full=full, depth=depth + 1)
            for name, value in schema.get("properties", {}).items()
            if name in required or (full and depth < 4 and chance.random() < 0.7)
        }
    if kind == "array":
        count = max(schema.get("minItems", 0), 1 if full else 0)
        return [
            sample(schema.get("items", {}), chance, full=full, depth=depth + 1)
            for _ in range(min(count, 5))
        ]
    if kind == "integer":
        return int(
            max(schema.get("minimum", 0), min(chance.randrange(100), schema.get("maximum", 100)))
        )
    if kind == "number":
        return max(schema.get("minimum", 0), 1.5)
    if kind == "boolean":
        return chance.random() < 0.5
    if kind == "string":
        return text_of(schema, chance)
    return chance.choice(["x", 1, None, {"a": 1}])


def text_of(schema: dict[str, Any], chance: random.Random) -> str:
    formats = {
        "date": "2024-01-31",
        "date-time": "2024-01-31T10:00:00Z",
        "uuid": "1b4e28ba-2fa1-11d2-883f-0016d3cca427",
        "uri": "https://example.com/a",
        "email": "ada@example.com",
        "byte": "aGVsbG8=",
    }
    value = formats.get(
        schema.get("format", ""), chance.choice(["alpha", "Ünïcode ✓", "a b&c=d/e?f#g", "7"])
    )
    return value.ljust(min(schema.get("minLength", 0), 300), "x")[: schema.get("maxLength", 300)]


def damage(text: str, arguments: Any, chance: random.Random) -> str:
    """Return a text with one of the mistakes that models make."""
    quoted = re.sub(r'"(\w+)":', r"'\1':", text)
    numbers = re.sub(r": (\d+)", r': "\1"', text)
    extra = json.dumps({**arguments, "unknown_member": 1}) if isinstance(arguments, dict) else text
    fewer = json.dumps(dict(list(arguments.items())[1:])) if isinstance(arguments, dict) else text
    damages = (
        lambda: text,
        lambda: f"```json\n{text}\n```",
        lambda: f"Here are the arguments:\n{text}\nDone.",
        lambda: text.replace("}", ",}", 1),
        lambda: quoted,
        lambda: re.sub(r'"(\w+)":', r"\1:", text),
        lambda: numbers,
        lambda: text.replace("true", "True").replace("null", "None"),
        lambda: text.replace("true", '"true"').replace("false", '"false"'),
        lambda: text[: max(1, len(text) * 2 // 3)],
        lambda: text[:-1],
        lambda: extra,
        lambda: fewer,
        lambda: json.dumps(text),
        lambda: re.sub(r'"([a-z]+)"', lambda match: f'"{match[1].upper()}"', text, count=3),
        lambda: text.replace(":", ': null, "x":', 1),
        lambda: text.replace("{", "{ /* comment */ ", 1),
        lambda: "",
        lambda: f"{text} {text}",
        lambda: json.dumps({"name": "f", "arguments": arguments}),
    )
    return chance.choice(damages)()


# -- servers ---------------------------------------------------------------------------------------------


def respond(request: Any, count: int) -> Any:
    """Return one of several responses in turn, made from the request."""
    import httpx

    echo = {
        "method": request.method,
        "path": request.url.path,
        "items": [{"id": n, "name": "n"} for n in range(3)],
    }
    responses = (
        lambda: httpx.Response(200, json=echo),
        lambda: httpx.Response(200, json=[echo, echo], headers={"link": '<?page=2>; rel="next"'}),
        lambda: httpx.Response(404, json={"message": "not found"}),
        lambda: httpx.Response(204),
        lambda: httpx.Response(200, text="plain text"),
        lambda: httpx.Response(202, headers={"location": str(request.url), "retry-after": "5"}),
        lambda: httpx.Response(
            200, content=b"\x89PNG\r\n\x1a\n", headers={"content-type": "image/png"}
        ),
        lambda: httpx.Response(
            500, text="<html>fault</html>", headers={"content-type": "text/html"}
        ),
        lambda: httpx.Response(
            200, json={"data": ["x" * 50] * 1000, "next_cursor": "abc", "has_more": True}
        ),
    )
    return responses[count % len(responses)]()


def credentials(app: Any) -> dict[str, Any]:
    schemes = app.document.get("components", {}).get("securitySchemes", {})
    return {
        name: ("user", "password")
        if scheme.get("scheme", "").lower() == "basic"
        else f"secret-of-{index}-scheme"
        for index, (name, scheme) in enumerate(schemes.items())
        if isinstance(scheme, dict) and scheme.get("type") != "mutualTLS"
    }


# -- conversations ----------------------------------------------------------------------------------------

ID = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
ITEM = {
    "type": "object",
    "required": ["name", "price"],
    "properties": {
        "name": {"type": "string"},
        "price": {"type": "number", "minimum": 0},
        "secret": {"type": "string", "format": "password"},
    },
}
RESPONSE = {"200": {"description": "ok", "content": {"application/json": {"schema": ITEM}}}}
SHOP = {
    "openapi": "3.1.0",
    "info": {"title": "Shop", "version": "1"},
    "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}},
    "security": [{"key": []}],
    "paths": {
        "/items": {
            "get": {
                "summary": "List items",
                "parameters": [{"name": "page", "in": "query", "schema": {"type": "integer"}}],
                "responses": {
                    "200": {
                        "description": "",
                        "content": {
                            "application/json": {"schema": {"type": "array", "items": ITEM}}
                        },
                    }
                },
            },
            "post": {
                "summary": "Add an item",
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": ITEM}},
                },
                "responses": RESPONSE,
            },
        },
        "/items/{id}": {
            "parameters": [ID],
            "get": {"summary": "Read an item", "responses": RESPONSE},
            "delete": {"summary": "Delete an item", "responses": {"204": {"description": ""}}},
        },
    },
}
LAMP = {"name": "Lamp", "price": 49.9}

#: Scripts of a model: the calls of each of its turns. A turn without calls ends the conversation.
SCRIPTS: dict[str, list[list[tuple[str, Any]]]] = {
    "reads": [[("items_get", {})], []],
    "reads twice at once": [[("items_get", {}), ("items_getById", {"id": 1})], []],
    "writes": [[("items_post", {"body": LAMP})], []],
    "repairs": [[("items_post", {"body": {"name": "Lamp", "price": "49.9"}})], []],
    "corrects": [
        [("items_post", {"body": {"name": "Lamp"}})],
        [("items_post", {"body": LAMP})],
        [],
    ],
    "repeats a fault": [[("items_post", {"body": {}})]] * 6,
    "repeats a write": [[("items_post", {"body": LAMP})], [("items_post", {"body": LAMP})], []],
    "unknown function": [[("items_put", {"id": 1})], [("items_get", {})], []],
    "other spelling": [[("items-getById", {"id": "7"})], []],
    "accessor": [[("items.getById", {"id": 7})], []],
    "deletes": [[("items_eraseById", {"id": 3})], []],
    "unknown argument": [[("items_get", {"query": {"pages": 2}})], []],
    "wrapped": [[("items_getById", {"name": "items_getById", "arguments": {"id": 2}})], []],
    "many calls": [[("items_getById", {"id": n}) for n in range(12)], []],
    "many rounds": [[("items_getById", {"id": n})] for n in range(12)],
    "path": [[("items_getById", {"id": ".."})], []],
    "nothing": [[]],
    "fault and success": [[("items_getById", {}), ("items_get", {})], []],
    "empty": [[("items_get", "")], []],
    "text": [[("items_post", '```json\n{"body": {"name": "Lamp", "price": 5,}}\n```')], []],
}


def reply(connector: str, turn: list[tuple[str, Any]], index: int) -> dict[str, Any]:
    """Return a turn in the format of a vendor."""
    calls = [(f"call{index}_{n}", name, given) for n, (name, given) in enumerate(turn)]
    as_text = [
        (key, name, given if isinstance(given, str) else json.dumps(given))
        for key, name, given in calls
    ]
    if connector == "openai":
        message: dict[str, Any] = {"role": "assistant", "content": None if calls else "done"}
        if calls:
            message["tool_calls"] = [
                {"id": key, "type": "function", "function": {"name": name, "arguments": text}}
                for key, name, text in as_text
            ]
        return {
            "choices": [
                {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
            ]
        }
    if connector == "openai-responses":
        said = {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "done"}],
        }
        written = [
            {"type": "function_call", "call_id": key, "name": name, "arguments": text}
            for key, name, text in as_text
        ]
        return {"status": "completed", "output": written or [said]}
    if connector == "anthropic":
        content: list[Any] = [
            {"type": "tool_use", "id": key, "name": name, "input": given}
            for key, name, given in calls
        ]
        return {
            "role": "assistant",
            "stop_reason": "tool_use" if calls else "end_turn",
            "content": content or [{"type": "text", "text": "done"}],
        }
    if connector == "gemini":
        parts = [
            {"functionCall": {"id": key, "name": name, "args": given}} for key, name, given in calls
        ]
        return {
            "candidates": [
                {
                    "content": {"role": "model", "parts": parts or [{"text": "done"}]},
                    "finishReason": "STOP",
                }
            ]
        }
    uses = [
        {"toolUse": {"toolUseId": key, "name": name, "input": given}} for key, name, given in calls
    ]
    return {
        "output": {"message": {"role": "assistant", "content": uses or [{"text": "done"}]}},
        "stopReason": "tool_use" if calls else "end_turn",
    }


def shop(**options: Any) -> tuple[Any, Any, list[Any], list[Any]]:
    """Return the functions of the shop, a connection for calls of both kinds, and the requests that it received."""
    import httpx

    import specfn

    received: list[Any] = []

    def handle(request: httpx.Request) -> httpx.Response:
        received.append(request)
        if request.method == "DELETE":
            return httpx.Response(204)
        return httpx.Response(200, json=[LAMP] if request.url.path.endswith("items") else LAMP)

    transport = httpx.MockTransport(handle)
    connection = specfn.Connection(
        base_url="https://shop.example",
        credentials={"key": "the-key-of-the-shop"},
        client=httpx.Client(transport=transport),
        async_client=httpx.AsyncClient(transport=transport),
    )
    return specfn.load(SHOP, options=specfn.Options(**options)), connection, received, []


def observe_conversations() -> Iterator[Row]:
    import specfn

    deciders: dict[str, Callable[[Any], Any] | None] = {
        "none": None,
        "yes": lambda _: True,
        "no": lambda _: False,
    }
    for connector in CONNECTORS:
        for title, turns in SCRIPTS.items():
            if connector in ("anthropic", "gemini", "bedrock") and title in ("empty", "text"):
                continue
            for who, approve in deciders.items():
                app, connection, received, requests = shop()
                replies = iter([reply(connector, turn, n) for n, turn in enumerate([*turns, []])])

                def send(
                    request: Any, requests: list[Any] = requests, replies: Any = replies
                ) -> Any:
                    requests.append(json.loads(json.dumps(request)))
                    return next(replies)

                outcome = attempt(
                    lambda: specfn.calling.run(
                        app,
                        send,
                        connector=connector,
                        messages="Buy a lamp",
                        connection=connection,
                        approve=approve,
                    )
                )
                key = f"{connector}, {title}, approver {who}"
                yield "conversations", key, plain(outcome)
                yield "conversation requests", key, requests
                yield "conversation calls", key, [wire(request) for request in received]


def observe_server() -> Iterator[Row]:
    from mcp.client.client import Client

    from specfn.mcp import server

    calls = [
        (name, given)
        for turns in SCRIPTS.values()
        for turn in turns[:2]
        for name, given in turn[:2]
    ]

    async def talk(mode: str, era: str, allow: tuple[str, ...]) -> list[Row]:
        app, connection, received, _ = shop()
        rows: list[Row] = []
        async with Client(server(app, connection, mode=mode, allow=allow), mode=era) as client:
            key = f"{mode} {era} {allow}"
            rows.append(("MCP lists", key, (await client.list_tools()).model_dump(mode="json")))
            for index, (name, given) in enumerate(calls):
                function = {"name": name, "arguments": given}
                tool, sent = (name, given) if mode == "all" else ("change_function", function)
                if not isinstance(sent, dict):
                    continue
                received.clear()
                try:
                    result = (await client.call_tool(tool, sent)).model_dump(mode="json")
                except Exception as error:  # noqa: BLE001  # an observation, too
                    result = f"{type(error).__name__}: {error}"
                rows.append(("MCP results", f"{key} {index} {name}", result))
                rows.append(
                    (
                        "MCP requests",
                        f"{key} {index} {name}",
                        [wire(request) for request in received],
                    )
                )
        return rows

    for mode in ("all", "search"):
        for era in ("legacy", "auto"):
            for allow in (("read",), EVERYTHING):
                try:
                    yield from asyncio.run(talk(mode, era, allow))
                except Exception as error:  # noqa: BLE001  # an observation, too
                    yield "MCP lists", f"{mode} {era} {allow}", f"{type(error).__name__}: {error}"


# -- plain values -----------------------------------------------------------------------------------------


def attempt(do: Callable[[], Any]) -> Any:
    try:
        return do()
    except Exception as error:  # noqa: BLE001  # an observation, too
        return {"raised": type(error).__name__, "text": str(error)}


def plain(value: Any) -> Any:
    """Return a record as JSON."""
    names = getattr(type(value), "__dataclass_fields__", None)
    if names is not None:
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value if isinstance(value, str | int | float | bool | None) else repr(value)


def verdict(outcome: Any) -> Any:
    found = {
        "valid": bool(outcome),
        "data": plain(outcome.data),
        "repairs": plain(outcome.repairs),
        "incomplete": outcome.incomplete,
    }
    if not outcome:
        found |= {"errors": plain(outcome.errors), "feedback": outcome.feedback()}
    return found


def answer(found: Any) -> Any:
    return {
        "text": found.text,
        "kind": found.kind,
        "repairs": plain(found.repairs),
        "next": plain(found.next),
        "dropped": plain(found.dropped),
        "status": None if found.result is None else found.result.status,
    }


BOUNDARY = re.compile(rb"boundary=\"?([^\";]+)")


def wire(request: Any) -> Any:
    """Return the bytes of a request; the boundary of a form is random."""
    body = request.content
    headers = "\n".join(f"{name}: {value}" for name, value in request.headers.items())
    match = BOUNDARY.search(headers.encode())
    if match:
        body = body.replace(match[1], b"BOUNDARY")
        headers = headers.replace(match[1].decode(), "BOUNDARY")
        headers = re.sub(r"content-length: \d+", "content-length: N", headers)
    return [request.method, str(request.url), headers, body.decode("latin-1")]


def collect(document: str, texts: int) -> None:
    """Write what is observed as lines of JSON."""
    path = None if document == "-" else Path(document)
    for kind, key, value in observe(path, texts):
        text = json.dumps(value, ensure_ascii=True, default=repr)
        if len(text) > MAX_VALUE_CHARACTERS:
            text = json.dumps(hashlib.sha256(text.encode()).hexdigest())
        sys.stdout.write(f"{json.dumps([kind, key])}\t{text}\n")


# -- the comparison -----------------------------------------------------------------------------------------


def observations(checkout: Path, document: str, texts: int, out: Path) -> dict[str, str]:
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src"), "PYTHONHASHSEED": "0"}
    command = [sys.executable, __file__, "--collect", document, "--texts", str(texts)]
    with out.open("w") as file:
        done = subprocess.run(
            command, env=environment, stdout=file, stderr=subprocess.PIPE, text=True, check=False
        )
    rows: dict[str, str] = {}
    for line in out.read_text().splitlines():
        head, _, value = line.partition("\t")
        while head in rows:
            head += "+"
        rows[head] = value
    if done.returncode:
        rows['["collector", "end"]'] = done.stderr[-2000:]
    return rows


def excerpt(old: str, new: str) -> str:
    """Return both values around their first difference."""
    at = next(
        (n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b),
        min(len(old), len(new)),
    )
    start = max(0, at - 80)
    return f"    old: {old[start : at + 160]}\n    new: {new[start : at + 160]}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("old", nargs="?", type=Path)
    parser.add_argument("new", nargs="?", type=Path)
    parser.add_argument("documents", nargs="*", type=Path)
    parser.add_argument(
        "--corpus", type=Path, default=Path(os.environ.get("SPECFN_CORPUS", "../shared/corpus"))
    )
    parser.add_argument(
        "--texts",
        type=int,
        default=220,
        help="texts for each document (220 × 47 documents are 10,340)",
    )
    parser.add_argument(
        "--only", action="append", default=[], help="a kind to compare; others are left out"
    )
    parser.add_argument("--show", type=int, default=3, help="the differences to print of each kind")
    parser.add_argument("--collect", help=argparse.SUPPRESS)
    given = parser.parse_intermixed_args()
    if given.collect:
        collect(given.collect, given.texts)
        return 0
    documents = given.documents or sorted((given.corpus / "dev").glob("*.json"))
    absent = [str(document) for document in documents if not document.is_file()]
    if absent or not documents:
        parser.error(f"no such document: {', '.join(absent) or given.corpus / 'dev'}")
    counts: Counter[str] = Counter()
    compared: Counter[str] = Counter()
    for document in ["-", *map(str, documents)]:
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
            pair = [
                pool.submit(
                    observations, checkout.resolve(), document, given.texts, Path(folder) / name
                )
                for name, checkout in (("old", given.old), ("new", given.new))
            ]
            old, new = (each.result() for each in pair)
        for head in [*old, *(head for head in new if head not in old)]:
            kind, key = json.loads(head.rstrip("+"))
            if given.only and kind not in given.only:
                continue
            compared[kind] += 1
            if old.get(head) != new.get(head):
                counts[kind] += 1
                if counts[kind] <= given.show:
                    print(f"{kind} of {Path(document).stem}: {key}")
                    print(excerpt(old.get(head, "(absent)"), new.get(head, "(absent)")))
        sys.stdout.flush()
    print(
        f"{len(documents)} documents, {sum(compared.values()):,} observations, {sum(counts.values()):,} differences"
    )
    for kind, count in counts.most_common():
        print(f"  {kind}: {count:,} of {compared[kind]:,}")
    return 1 if counts else 0


if __name__ == "__main__":
    sys.exit(main())
