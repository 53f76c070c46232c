"""Measure specfn and other libraries side by side, and write ``docs/benchmarks/compare.md`` with its plots.

Each peer has an environment of its own, made once in ``--environments`` from the pinned packages. All get the same documents,
calls, texts and queries; ``bench/peers.py`` runs in their environments. A peer that cannot be installed or fails is a row
with its reason. Documents: ``SPECFN_CORPUS`` (``python -m tests.public_corpus FOLDER`` fetches them).

    python -m bench.compare [--environments FOLDER] [--limit SECONDS] [--peers NAME ...] [--only PART ...]

``python -m bench.compare --speed [DOCUMENT ...]`` measures ``specfn tools`` and npm ``@samchon/openapi`` in turns.
"""

import argparse
import datetime as dt
import json
import os
import platform
import random
import re
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote

import jsonschema
import llguidance
from bench.bench_repair import samples
from bench.naive import CREDENTIAL, LEGAL, operations, resolve
from tests.damage import TEXTS, VALUES, damages

import specfn

ROOT = Path(__file__).resolve().parent.parent
CORPUS = Path(os.environ.get("SPECFN_CORPUS") or ROOT.parent / "shared" / "corpus")
PAGE = ROOT / "docs" / "benchmarks" / "compare.md"
WORKER = str(ROOT / "bench" / "peers.py")


class Peer(NamedTuple):
    """A peer: what it is compared in, and the packages of its environment; the first one is the peer."""

    packages: tuple[str, ...]
    parts: tuple[str, ...]
    is_node: bool = False


TOOLS = ("tools", "requests")
PEERS = {
    "specfn": Peer((), (*TOOLS, "repairs", "search")),
    "fastmcp": Peer(("fastmcp==4.1.2",), (*TOOLS, "search")),
    "google-adk": Peer(("google-adk==2.13.0",), TOOLS),
    "semantic-kernel": Peer(("semantic-kernel==1.45.0",), TOOLS),
    "langchain-community": Peer(
        ("langchain-community==0.4.2", "langchain-classic", "openapi-pydantic"), TOOLS
    ),
    "openapi-llm": Peer(("openapi-llm==0.4.3",), TOOLS),
    "@samchon/openapi": Peer(("@samchon/openapi@6.0.1",), TOOLS, is_node=True),
    "json-repair": Peer(("json-repair==0.64.4",), ("repairs",)),
    "@typia/utils": Peer(("@typia/utils@14.0.6",), ("repairs",), is_node=True),
    "rank-bm25": Peer(("rank-bm25==0.2.2",), ("search",)),
}

#: Peers that were not run, with the reason.
NOT_RUN = {
    "oasdiff": "a program in Go that no registry of Python, npm or Debian has, so `specfn diff` is not compared",
}

DOCUMENTS = (
    "extra__oas-examples__3.0__petstore.json",
    "extra__oas-examples__3.1__train-travel.json",
    "openai.com.json",
    "notion.com.json",
    "okta.local.json",
    "asana.com.json",
    "ix-api.net.json",
    "googleapis.com__drive.json",
    "sakari.io.json",
    "telnyx.com.json",
    "digitalocean.com.json",
    "stripe.com.json",
)

#: Documents of ``--speed``: large, ordinary, small.
SPEED_DOCUMENTS = (
    "octokit__api.github.com.json",
    "digitalocean.com.json",
    "zoom.us.json",
    "notion.com.json",
    "extra__oas-examples__3.0__petstore.json",
    "stripe.com.json",
)

#: The same actions as in ``bench/peers.py``, on Node.
SCRIPT = """
const fs = require("fs");
const [peer, action, source, out, baseUrl] = process.argv.slice(2);
const read = (path) => JSON.parse(fs.readFileSync(path, "utf8"));
const write = (value) => fs.writeFileSync(out, JSON.stringify(value));
(async () => {
  if (action === "repair") {
    const { LlmJson } = require("@typia/utils");
    return write(read(source).map(({ text, schema }) => {
      try {
        const parsed = LlmJson.parse(text, schema);
        if (!parsed.success) return { refused: true };
        const verdict = LlmJson.validate(schema)(parsed.data);
        return verdict.success ? { value: verdict.data } : { refused: true };
      } catch (error) { return { refused: true, error: String(error) }; }
    }));
  }
  const { HttpLlm } = require("@samchon/openapi");
  const told = (document) => HttpLlm.application({ document }).functions.map((f) => [f.name, f.description ?? "", f.parameters]);
  if (action === "tools") return write(told(read(source)));
  const answers = [];
  for (const [index, [document, name, input]] of read(source).entries()) {
    try {
      const application = HttpLlm.application({ document });
      const called = application.functions.find((f) => f.name === name);
      const connection = { host: `${baseUrl}/${index}/v1` };
      if (!called) { answers.push(told(document)); continue; }
      const verdict = called.validate(input);
      answers.push(verdict.success
        ? JSON.stringify(await HttpLlm.propagate({ connection, application, function: called, input }))
        : JSON.stringify(verdict.errors));
    } catch (error) { answers.push("error: " + error); }
  }
  write(answers);
})();
"""


# -- environments and processes ---------------------------------------------------------------------


class Cost(NamedTuple):
    """The cost of a process: elapsed time, processor time and peak memory."""

    seconds: float
    cpu: float
    megabytes: float


#: Runs a command and prints its cost. The peak memory of a process includes that of the process that started it, so this one
#: is small.
MEASURE = """
import json, os, signal, subprocess, sys, threading, time
started = time.perf_counter()
process = subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL)
timer = threading.Timer(float(sys.argv[1]), os.kill, (process.pid, signal.SIGKILL))
timer.start()
_, status, usage = os.wait4(process.pid, 0)
seconds = time.perf_counter() - started
timer.cancel()
if status == 0:
    print(json.dumps([seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024]))
"""


def cost(command: Sequence[str], limit: float, **more: Any) -> Cost | None:
    """Run a command in a new process; return ``None`` if it fails or times out."""
    settings = {"stderr": subprocess.DEVNULL} | more
    helper = [sys.executable, "-I", "-S", "-c", MEASURE, str(limit), *command]
    measured = subprocess.run(helper, check=False, stdout=subprocess.PIPE, **settings).stdout
    return Cost(*json.loads(measured)) if measured else None


def environment(name: str, peer: Peer, folder: Path) -> list[str] | str:
    """Return the beginning of the command that runs a peer, or the reason why it cannot be installed."""
    home = folder / name.replace("/", "__")
    python = home / "bin" / "python"
    if not peer.packages:
        return [sys.executable, WORKER, name]
    if peer.is_node:
        home.mkdir(parents=True, exist_ok=True)
        (home / "package.json").write_text("{}")
        (home / "peer.js").write_text(SCRIPT)
        install = ["npm", "install", "--silent", "--no-audit", "--no-fund", *peer.packages]
        steps = [] if (home / "node_modules").exists() else [install]
        command = ["node", str(home / "peer.js"), name]
    else:
        home.parent.mkdir(parents=True, exist_ok=True)
        create = [sys.executable, "-m", "venv", str(home)]
        install = [str(python), "-m", "pip", "install", "--quiet", *peer.packages]
        steps = [] if python.exists() else [create, install]
        command = [str(python), WORKER, name]
    for step in steps:
        try:
            run = subprocess.run(step, cwd=folder if step[0] != "npm" else home, check=False, capture_output=True, text=True)  # fmt: skip
        except FileNotFoundError:
            return f"there is no {step[0]}"
        if run.returncode:
            return f"not installed: {last_line(run.stderr)}"
    return command


def last_line(text: str) -> str:
    """Return the last line of a text that says something, for a cell of a table."""
    lines = [line.strip() for line in text.splitlines() if re.search(r"\w", line)]
    errors = [line for line in lines if re.match(r"[\w.]*(Error|Exception)\b", line)]
    said = (errors or lines or ["no message"])[-1][:110].replace("|", "/")
    return re.sub(rf"(file://)?{re.escape(tempfile.gettempdir())}/\S*", "FILE", said)


class Run(NamedTuple):
    """The result of a process of a peer, or the reason of its failure, and its cost."""

    result: Any
    failure: str
    cost: Cost | None


def run(command: list[str], arguments: Sequence[str], limit: float, sent: Any = None) -> Run:
    """Run an action of a peer."""
    settings = os.environ | {"PYTHONPATH": "", "PYTHONWARNINGS": "ignore"}
    if command[0] == sys.executable:
        settings["PYTHONPATH"] = str(ROOT / "src")
    with tempfile.TemporaryDirectory() as folder:
        out, errors, given = (Path(folder) / name for name in ("out", "errors", "in"))
        given.write_text(json.dumps(sent))
        action, source, *rest = arguments
        with errors.open("w") as stderr, given.open() as stdin:
            spent = cost(
                [*command, action, source, str(out), *rest],
                limit,
                env=settings,
                stderr=stderr,
                stdin=stdin,
            )
        if spent is None or not out.exists():
            said = errors.read_text()
            return Run(None, last_line(said) if said.strip() else f"more than {limit:.0f} s", spent)
        return Run(json.loads(out.read_text()), "", spent)


# -- tools ------------------------------------------------------------------------------------------


def plain(name: str) -> str:
    """Return the letters and digits of a name, because peers change its form."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def declared(document: Any) -> Counter[str]:
    """Count the arguments of all operations by name; credentials are none."""
    count = Counter[str]()
    for operation, own in operations(document):
        names = {
            parameter["name"]
            for parameter in (resolve(document, each) for each in own)
            if parameter.get("in") != "body" and isinstance(parameter.get("name"), str)
        }
        names = {name for name in names if not CREDENTIAL.fullmatch(name)}
        content = resolve(document, operation.get("requestBody")).get("content") or {}
        for media in [*content.values()][:1]:
            names |= {*(resolve(document, media.get("schema")).get("properties") or ())}
        count.update({plain(name) for name in names})
    return count


def properties(schema: Any, depth: int = 3) -> Iterator[str]:
    """Yield the names of the properties of a tool down to the members of a body; references are followed."""
    waiting = [(schema, 0)]
    while waiting:
        node, level = waiting.pop()
        if not isinstance(node, dict) or level > depth:
            continue
        if isinstance(node.get("$ref"), str):
            waiting.append((resolve(schema, node), level + 1))
        for name, value in (node.get("properties") or {}).items():
            yield name
            waiting.append((value, level + 2))
        for keyword in ("anyOf", "oneOf", "allOf"):
            waiting += [(branch, level + 1) for branch in node.get(keyword) or ()]


def dangling(schema: Any) -> bool:
    """Return whether a reference in a schema leads nowhere."""
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif isinstance(node, dict):
            if isinstance(node.get("$ref"), str) and not resolve(schema, node):
                return True
            waiting += node.values()
    return False


def refusal(schema: Any) -> str:
    """Return why a provider or a grammar engine refuses the schema of a tool; empty if none does."""
    if not isinstance(schema, dict) or schema.get("type") != "object":
        return "root"
    if dangling(schema):
        return "dangling"
    try:
        jsonschema.Draft202012Validator.check_schema(schema)
    except jsonschema.SchemaError:
        return "metaschema"
    try:
        text = llguidance.LLMatcher.grammar_from_json_schema(
            json.dumps(schema), overrides={"lenient": False}
        )
        return "grammar" if llguidance.LLMatcher.validate_grammar(text) else ""
    except ValueError:
        return "grammar"


class Listed(NamedTuple):
    """What a peer made of one document."""

    tools: int
    kept: int
    illegal: int
    refusals: Counter[str]
    size: int
    cost: Cost


def listed(document: Any, answer: Run) -> Listed:
    """Return the figures of a list of tools."""
    names = Counter(name for name, *_ in answer.result)
    wanted = declared(document)
    shown = Counter[str]()
    size = 0
    for name, description, schema in answer.result:
        told = {"name": name, "description": description, "inputSchema": schema}
        size += len(json.dumps(told, separators=(",", ":"), ensure_ascii=False).encode())
        shown.update({plain(each) for each in properties(schema)})
    return Listed(
        len(answer.result),
        (wanted & shown).total(),
        sum(not LEGAL.fullmatch(name) or names[name] > 1 for name, *_ in answer.result),
        Counter(filter(None, (refusal(schema) for *_, schema in answer.result))),
        size,
        answer.cost or Cost(0, 0, 0),
    )


# -- requests ---------------------------------------------------------------------------------------


class Received(NamedTuple):
    """A request as it arrived; the first segment of its path is the number of its call."""

    call: int

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


class Recorder:
    """A server on this machine that keeps what it receives."""

    def __init__(self) -> None:
        received = self.received = []  # type: list[Received]

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                content = self.rfile.read(int(self.headers.get("content-length") or 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                number, _, target = self.path.removeprefix("/").partition("/v1")
                received.append(Received(int(number), self.command, target, headers, content))
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", "11")
                self.end_headers()
                self.wfile.write(b'{"ok":true}')

            do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = answer  # noqa: N815

            def log_message(self, *_: Any) -> None:
                """Keep the terminal quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.base_url = f"http://127.0.0.1:{self.server.server_port}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def parameter(name: str, location: str, schema: Any, **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "in": location,
        "schema": schema,
        "required": location == "path",
        **more,
    }


TEXT, WHOLE = {"type": "string"}, {"type": "integer"}
LIST = {"type": "array", "items": TEXT}
ORDER = {
    "type": "object",
    "required": ["product", "count"],
    "additionalProperties": False,
    "properties": {
        "product": TEXT,
        "count": {"type": "integer", "minimum": 1},
        "note": {"type": "string", "nullable": True},
        "address": {"type": "object", "properties": {"city": TEXT, "zip": TEXT}},
    },
}


class Case(NamedTuple):
    """An operation, the values of a call, and the request that the document declares for them."""

    title: str
    method: str
    path: str
    parameters: list[dict[str, Any]]
    values: dict[str, Any]
    target: str
    body: Any = None
    media: str = "application/json"
    schema: Any = None
    arrives: Any = None
    header: tuple[str, str] = ("", "")


CASES = (
    Case("a text with a space and a slash in the path", "get", "/files/{name}", [parameter("name", "path", TEXT)], {"name": "a b/c"}, "/files/a%20b%2Fc"),
    Case("a text with & = + in the query", "get", "/find", [parameter("q", "query", TEXT)], {"q": "a&b=c+d"}, "/find?q=a%26b%3Dc%2Bd"),
    Case("a boolean in the query", "get", "/open", [parameter("open", "query", {"type": "boolean"})], {"open": True}, "/open?open=true"),
    Case("a list in the query, repeated", "get", "/many", [parameter("ids", "query", LIST)], {"ids": ["1", "2"]}, "/many?ids=1&ids=2"),
    Case("a list in the query, with commas", "get", "/comma", [parameter("ids", "query", LIST, explode=False)], {"ids": ["1", "2"]}, "/comma?ids=1,2"),
    Case("a list in the query, pipeDelimited", "get", "/pipes", [parameter("ids", "query", LIST, style="pipeDelimited", explode=False)], {"ids": ["1", "2"]}, "/pipes?ids=1|2"),
    Case("an object in the query, deepObject", "get", "/deep", [parameter("where", "query", {"type": "object", "properties": {"size": WHOLE}}, style="deepObject")], {"where": {"size": 3}}, "/deep?where[size]=3"),
    Case("an object in the query, as JSON", "get", "/json", [{"name": "where", "in": "query", "content": {"application/json": {"schema": {"type": "object", "properties": {"size": WHOLE}}}}}], {"where": {"size": 3}}, '/json?where={"size":3}'),
    Case("a list in the path, style label", "get", "/label/{ids}", [parameter("ids", "path", LIST, style="label")], {"ids": ["1", "2"]}, "/label/.1,2"),
    Case("a text in the path, style matrix", "get", "/matrix/{color}", [parameter("color", "path", TEXT, style="matrix")], {"color": "blue"}, "/matrix/;color=blue"),
    Case("a header", "get", "/header", [parameter("X-Trace", "header", TEXT)], {"X-Trace": "t1"}, "/header", header=("x-trace", "t1")),
    Case("a cookie", "get", "/cookie", [parameter("theme", "cookie", TEXT)], {"theme": "dark"}, "/cookie", header=("cookie", "theme=dark")),
    Case("a body of JSON", "post", "/orders", [], {}, "/orders", {"product": "p1", "count": 2, "address": {"city": "Bonn"}}, schema=ORDER),
    Case("null in a body", "post", "/notes", [], {}, "/notes", {"product": "p1", "count": 2, "note": None}, schema=ORDER),
    Case("a body behind a reference", "put", "/referred", [], {}, "/referred", {"product": "p1", "count": 2}, schema={"$ref": "#/components/schemas/Order"}),
    Case("a body that is a list", "post", "/tags", [], {}, "/tags", ["a", "b"], schema=LIST),
    Case("a body that is a text", "post", "/text", [], {}, "/text", "hello", "text/plain", TEXT),
    Case("a form", "post", "/form", [], {}, "/form", {"name": "a b", "size": 3}, "application/x-www-form-urlencoded", {"type": "object", "properties": {"name": TEXT, "size": WHOLE}}),
    Case("the same name in the path and in the body", "put", "/things/{id}", [parameter("id", "path", TEXT)], {"id": "one"}, "/things/one", {"id": "two"}, schema={"type": "object", "properties": {"id": TEXT}}),
    Case("a DELETE without a body", "delete", "/things/{id}", [parameter("id", "path", WHOLE)], {"id": 7}, "/things/7"),
)  # fmt: skip

#: Wrong arguments: the operation, the wrong values or body, and the name that an explanation contains.
WRONG = (
    ("a text for an integer", "/orders", {}, {"product": "p1", "count": "many"}, "count"),
    ("a number below its minimum", "/orders", {}, {"product": "p1", "count": 0}, "count"),
    ("a required property is missing", "/orders", {}, {"product": "p1"}, "count"),
    ("null for a text that is required", "/orders", {}, {"product": None, "count": 1}, "product"),
    ("a list for a text", "/orders", {}, {"product": ["p1"], "count": 1}, "product"),
    ("an unknown property", "/orders", {}, {"product": "p1", "count": 1, "colour": "red"}, "colour"),
    ("a wrong type in a nested object", "/orders", {}, {"product": "p1", "count": 1, "address": {"city": 5.5}}, "city"),
    ("a text for an object", "/orders", {}, {"product": "p1", "count": 1, "address": "Bonn"}, "address"),
    ("a text for an integer in the path", "/things/{id}", {"id": "seven"}, None, "id"),
    ("no value for the path", "/files/{name}", {}, None, "name"),
)  # fmt: skip

GROUPS = {
    "path": {"path", "pathparams"},
    "query": {"query", "params"},
    "header": {"headers", "header"},
    "cookie": {"cookies", "cookie"},
    "body": {"body", "json", "data", "requestbody", "payload"},
}


def shop() -> dict[str, Any]:
    """Return the document of all cases."""
    paths: dict[str, Any] = {}
    for case in CASES:
        operation: dict[str, Any] = {
            "operationId": f"{case.method}_{plain(case.path)}",
            "summary": case.title,
            "parameters": case.parameters,
            "responses": {"200": {"description": "OK"}},
        }
        if case.schema is not None:
            content = {case.media: {"schema": case.schema}}
            operation["requestBody"] = {"required": True, "content": content}
        paths.setdefault(case.path, {})[case.method] = operation
    return {
        "openapi": "3.0.3",
        "info": {"title": "Cases", "version": "1"},
        "servers": [{"url": "http://localhost/v1"}],
        "paths": paths,
        "components": {"schemas": {"Order": ORDER}},
    }


def put(schema: Any, location: str, name: str, value: Any, sent: dict[str, Any]) -> bool:
    """Put a value where the schema of a tool has its place, as a reader of the schema would; say if there is one."""
    own = resolve(schema, schema).get("properties") or {}
    for group, below in own.items():
        if plain(group) in GROUPS[location] and name:
            inner: dict[str, Any] = {}
            if put({**resolve(schema, below), "$defs": schema.get("$defs")}, location, name, value, inner):  # fmt: skip
                sent[group] = {**sent.get(group, {}), **inner}
                return True
    exact = [key for key in own if plain(key) == plain(name) + location]
    alike = [key for key in own if plain(key) == plain(name) and key not in sent]
    for key in (*exact, *alike):
        sent[key] = value
        return True
    return False


def arguments(schema: Any, case: Case, values: dict[str, Any], body: Any) -> dict[str, Any] | None:
    """Return the arguments of a call as the schema of a tool lays them out; ``None`` if a value has no place."""
    sent: dict[str, Any] = {}
    for declaration in case.parameters:
        name = declaration["name"]
        if name in values and not put(schema, declaration["in"], name, values[name], sent):
            return None
    if body is None:
        return sent
    own = schema.get("properties") or {}
    whole = [key for key in own if plain(key) in GROUPS["body"] and key not in sent]
    if whole:
        return {**sent, whole[0]: body}
    if isinstance(body, dict):
        for name, value in body.items():
            if not put(schema, "body", name, value, sent):
                sent[name] = value
            # A peer may list the members of nested objects next to those of the body.
            inner = value.items() if isinstance(value, dict) else ()
            sent |= {key: item for key, item in inner if key in own and key not in sent}
        return sent
    left = [key for key in own if key not in sent]
    return {**sent, left[0]: body} if left else None


def is_right(case: Case, received: Received) -> bool:
    """Return whether a request is the one that the document declares; escapes of the same text are equal."""
    path, _, query = received.target.partition("?")
    wanted_path, _, wanted_query = case.target.partition("?")
    if [unquote(part) for part in path.split("/")] != [
        unquote(part) for part in wanted_path.split("/")
    ]:
        return False
    pairs = [(name, value.replace(": ", ":")) for name, value in parse_qsl(query)]
    if sorted(pairs) != sorted(parse_qsl(wanted_query)) or received.method.lower() != case.method:
        return False
    if case.header[0] and received.headers.get(case.header[0]) != case.header[1]:
        return False
    if case.body is None:
        return not received.body
    if received.headers.get("content-type", "").partition(";")[0] != case.media:
        return False
    if case.media == "application/json":
        try:
            return bool(json.loads(received.body) == case.body)
        except ValueError:
            return False
    if case.media == "text/plain":
        return received.body.decode() == case.body
    fields = {name: str(value) for name, value in case.body.items()}
    return dict(parse_qsl(received.body.decode())) == fields


def requests(command: list[str], limit: float) -> dict[str, str] | str:
    """Return what became of each case and of each wrong call, or why there is nothing."""
    deletion = CASES[-1]
    by_path = {case.path: case for case in CASES} | {deletion.path: deletion}
    calls = [(case.title, case, case.values, case.body, "") for case in CASES]
    calls += [(title, by_path[path], *rest) for title, path, *rest in WRONG]
    recorder, document = Recorder(), shop()
    # One operation at a time: a peer that refuses one of them is not refused all.
    parts = [{**document, "paths": {case.path: {case.method: document["paths"][case.path][case.method]}}} for _, case, *_ in calls]  # fmt: skip
    outcomes: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "calls.json"
        source.write_text(json.dumps([[part, "", None] for part in parts]))
        lists = run(command, ["each", str(source), recorder.base_url], limit)
        if lists.failure:
            recorder.close()
            return lists.failure
        made = []
        for (title, case, values, body, _), part, tools in zip(calls, parts, lists.result, strict=True):  # fmt: skip
            given = arguments(tools[0][2], case, values, body) if isinstance(tools, list) and tools else None  # fmt: skip
            if given is None:
                outcomes[title] = "no place" if isinstance(tools, list) else "no tool"
            else:
                made.append([part, tools[0][0], given])
        source.write_text(json.dumps(made))
        answers = run(command, ["each", str(source), recorder.base_url], limit)
    recorder.close()
    if answers.failure:
        return answers.failure
    asked = [call for call in calls if call[0] not in outcomes]
    for index, ((title, case, _, _, name), answer) in enumerate(zip(asked, answers.result, strict=True)):  # fmt: skip
        arrived = [each for each in recorder.received if each.call == index]
        if not name:
            right = len(arrived) == 1 and is_right(case, arrived[0])
            outcomes[title] = "right" if right else "wrong" if arrived else "not sent"
        else:
            outcomes[title] = "sent" if arrived else "explained" if name in str(answer) else "refused"  # fmt: skip
    return outcomes


# -- repairs and search -----------------------------------------------------------------------------


def damaged(functions: int) -> list[tuple[Any, str, specfn.Function]]:
    """Return damaged texts with their original value and their function."""
    rng = random.Random(1)
    texts = []
    for function, value in samples(functions):
        for way in (*TEXTS, *VALUES):
            for each in damages(function, value, way, rng):
                text = each.given if isinstance(each.given, str) else json.dumps(each.given)
                texts.append((each.original, text, function))
    return texts


def verdict(original: Any, value: Any, *, valid: bool) -> str:
    """Return what a repair did; a valid value that is not the original was changed silently."""
    if not valid:
        return "refused"
    return "restored" if value == original else "changed"


def repairs(commands: dict[str, list[str]], functions: int, limit: float) -> dict[str, Any]:
    """Return the counts of each peer, or the reason of its failure. What json_repair returns is then validated."""
    texts = damaged(functions)
    results: dict[str, Any] = {}
    for name, command in commands.items():
        if name == "specfn":
            outcomes = [(function.check(text), original) for original, text, function in texts]
            results[name] = Counter(
                verdict(original, outcome.data, valid=bool(outcome) and not outcome.incomplete)
                for outcome, original in outcomes
            )
            continue
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "texts.json"
            given = [{"text": text, "schema": function.parameters} for _, text, function in texts]
            source.write_text(json.dumps(given if PEERS[name].is_node else [each["text"] for each in given]))  # fmt: skip
            answer = run(command, ["repair", str(source)], limit)
        if answer.failure:
            results[name] = answer.failure
            continue
        count = results[name] = Counter[str]()
        for (original, _, function), read in zip(texts, answer.result, strict=True):
            if PEERS[name].is_node:
                count[verdict(original, read.get("value"), valid="value" in read)] += 1
            else:
                count[verdict(original, read, valid=bool(function.validate(read)))] += 1
    return results


def searches(commands: dict[str, list[str]], limit: float) -> dict[str, Any]:
    """Return at how many tasks the right function is first and among ten, and the number of tasks, for each peer."""
    tasks = json.loads((ROOT / "bench" / "everyday_tasks.json").read_text("utf-8"))
    results: dict[str, Any] = {}
    for name, command in commands.items():
        first = among = total = 0
        for path in sorted({CORPUS / "dev" / task["document"] for task in tasks}):
            asked = [each for each in tasks if each["document"] == path.name and each["half"] == "judge"]  # fmt: skip
            if not asked or not path.exists():
                continue
            document = json.loads(path.read_bytes())
            app = specfn.load(document)
            places = {f.name: f"{f.method.upper()} {f.path}" for f in app}
            with tempfile.TemporaryDirectory() as folder:
                source = Path(folder) / "document.json"
                if name == "rank-bm25":
                    texts = [f"{f.name} {f.summary} {f.description}" for f in app]
                    source.write_text(json.dumps({"names": [*places], "texts": texts}))
                else:
                    source = path
                if (
                    name == "fastmcp"
                ):  # its names are operationIds, so they are compared in this form
                    places = {plain(f.operation_id or ""): f"{f.method.upper()} {f.path}" for f in app}  # fmt: skip
                answer = run(command, ["search", str(source)], limit, [task["query"] for task in asked])  # fmt: skip
            total += len(asked)
            for task, names in zip(asked, answer.result or [[]] * len(asked), strict=True):
                hits = [places.get(plain(each) if name == "fastmcp" else each) for each in names]
                ranks = [index for index, hit in enumerate(hits) if hit in task["solution"]]
                first += ranks[:1] == [0]
                among += bool(ranks)
        results[name] = (first, among, total)
    return results


# -- the page ---------------------------------------------------------------------------------------


def plot(title: str, bars: Sequence[tuple[str, float, str]]) -> str:
    """Return horizontal bars as SVG, readable on a light and on a dark page."""
    longest = max([value for _, value, _ in bars] + [1e-9])
    rows = [
        f'<text x="190" y="{y + 14}" text-anchor="end">{name}</text>'
        f'<rect x="200" y="{y}" width="{max(1, 330 * value / longest):.0f}" height="18" '
        f'fill="{"#5c6bc0" if name == "specfn" else "#90a4ae"}"/>'
        f'<text x="{206 + 330 * value / longest:.0f}" y="{y + 14}">{label}</text>'
        for y, (name, value, label) in zip(range(40, 1_000, 26), bars, strict=False)
    ]
    height = 50 + 26 * len(rows)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 {height}" width="640" height="{height}" '
        f'font-family="sans-serif" font-size="13" role="img" aria-label="{title}">'
        '<rect width="100%" height="100%" fill="#fff"/><g fill="#222">'
        f'<text x="10" y="22" font-weight="bold">{title}</text>{"".join(rows)}</g></svg>\n'
    )


def table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def better(subject: str, figures: dict[str, float], form: str, *, more: bool = False) -> str:
    """Return a line that names the peers with a better figure than specfn; empty if there are none."""
    ours = figures["specfn"]
    names = [name for name, value in figures.items() if (value > ours if more else value < ours)]
    listed_names = ", ".join(f"{name} {form.format(figures[name])}" for name in names)
    return f"* {subject}: {listed_names}; specfn {form.format(ours)}" if names else ""


def compare_tools(commands: dict[str, list[str]], limit: float) -> tuple[str, str, str, list[str]]:
    """Return the tables of tools, the plot of their sizes, and where peers are better."""
    paths = [path for name in DOCUMENTS if (path := CORPUS / "dev" / name).exists()]
    documents = {path: json.loads(path.read_bytes()) for path in paths}
    figures: dict[str, dict[Path, Listed | str]] = {name: {} for name in commands}
    for path, document in documents.items():
        for name, command in commands.items():
            answer = run(command, ["tools", str(path)], limit)
            figures[name][path] = answer.failure or listed(document, answer)
            print(name, path.name, answer.failure or answer.cost, flush=True)
    ours = figures["specfn"]
    rows, sizes = [], []
    seconds: dict[str, float] = {}
    memory: dict[str, float] = {}
    kept: dict[str, float] = {}
    for name, outcomes in figures.items():
        good = {path: each for path, each in outcomes.items() if isinstance(each, Listed)}
        operations_read = sum(sum(1 for _ in operations(documents[path])) for path in good)
        wanted = sum(declared(documents[path]).total() for path in good)
        size = sum(each.size for each in good.values())
        same = sum(ours[path].size for path in good if isinstance(ours[path], Listed))  # type: ignore[union-attr]
        reasons = sum((each.refusals for each in good.values()), Counter[str]())
        if not good:
            rows.append([name, f"0 of {len(paths)}", *["–"] * 7])
            continue
        sizes.append((name, size / same, f"{size / same:.2f}"))
        kept[name] = sum(each.kept for each in good.values()) / wanted
        seconds[name] = median(each.cost.seconds for each in good.values())
        memory[name] = max(each.cost.megabytes for each in good.values())
        rows.append([
            name,
            f"{len(good)} of {len(paths)}",
            f"{sum(each.tools for each in good.values()):,} of {operations_read:,}",
            f"{kept[name]:.1%}",
            sum(each.illegal for each in good.values()),
            ", ".join(f"{count} {reason}" for reason, count in reasons.most_common()) or 0,
            f"{size / 1e3:,.0f} KB; {size / same:.2f}",
            f"{seconds[name]:.2f} s; {max(each.cost.seconds for each in good.values()):.1f} s",
            f"{memory[name]:.0f} MB",
        ])  # fmt: skip
    header = ["library", "documents read", "operations of these", "arguments kept", "illegal names", "schemas refused", "bytes; ratio to specfn on the same documents", "time: median; longest", "memory, at most"]  # fmt: skip
    failures = []
    for name, outcomes in figures.items():
        unread = {path.name.removesuffix(".json"): each for path, each in outcomes.items() if isinstance(each, str)}  # fmt: skip
        kinds = dict.fromkeys(
            re.sub(r"(?:\w+\.)*(\w+): .*", r"\1", each) for each in unread.values()
        )
        documents_of = ", ".join(unread) if len(unread) < len(paths) else "all"
        failures += [[name, documents_of, ", ".join(kinds)]] if unread else []
    lines = [
        better("more arguments kept", kept, "{:.1%}", more=True),
        better("fewer bytes on the same documents", {name: ratio for name, ratio, _ in sizes}, "{:.2f}"),
        better("less time, in the median", seconds, "{:.2f} s"),
        better("less memory", memory, "{:.0f} MB"),
    ]  # fmt: skip
    image = plot("Bytes of tool lists, relative to specfn on the same documents", sizes)
    return (
        table(header, rows),
        table(["library", "documents", "errors"], failures),
        image,
        lines,
    )


def compare(chosen: argparse.Namespace) -> None:
    """Run all parts and write the page."""
    folder = chosen.environments
    folder.mkdir(parents=True, exist_ok=True)
    commands, absent = {}, dict(NOT_RUN)
    for name in chosen.peers or PEERS:
        command = environment(name, PEERS[name], folder.resolve())
        if isinstance(command, str):
            absent[name] = command
        else:
            commands[name] = command
    of = lambda part: {n: c for n, c in commands.items() if part in PEERS[n].parts}  # noqa: E731
    versions = "\n".join(
        f"* {PEERS[name].packages[0]}" for name in commands if PEERS[name].packages
    )
    PAGE.parent.mkdir(exist_ok=True)
    advantages: list[str] = []
    parts = [PAGE_TEXTS["head"].format(date=dt.datetime.now(tz=dt.UTC).date(), version=specfn.__version__, versions=versions, machine=f"{platform.machine()} with {os.cpu_count()} shared processors, {platform.system()}, Python {platform.python_version()}")]  # fmt: skip
    if "tools" in chosen.only:
        lists, failures, image, lines = compare_tools(of("tools"), chosen.limit)
        advantages += lines
        (PAGE.parent / "bytes.svg").write_text(image)
        parts.append(PAGE_TEXTS["tools"].format(table=lists, failures=failures, limit=chosen.limit))
    if "requests" in chosen.only:
        outcomes = {name: requests(command, 5 * chosen.limit) for name, command in of("requests").items()}  # fmt: skip
        titles = [case.title for case in CASES]
        right = {name: sum(made[title] == "right" for title in titles) if isinstance(made, dict) else 0 for name, made in outcomes.items()}  # fmt: skip
        (PAGE.parent / "requests.svg").write_text(plot(f"Requests sent as declared, of {len(CASES)}", [(name, count, str(count)) for name, count in right.items()]))  # fmt: skip
        cells = lambda title: [made.get(title, "–").replace("right", "✓") if isinstance(made, dict) else "fails" for made in outcomes.values()]  # noqa: E731 # fmt: skip
        count = lambda kind, of_titles: [sum(made[title] == kind for title in of_titles) if isinstance(made, dict) else "–" for made in outcomes.values()]  # noqa: E731 # fmt: skip
        wrong = [title for title, *_ in WRONG]
        summary = [["requests as declared", *count("right", titles)], ["other requests than declared", *count("wrong", titles)], ["wrong arguments sent", *count("sent", wrong)], ["wrong arguments refused with the name of the place", *count("explained", wrong)], ["wrong arguments refused otherwise", *count("refused", wrong)]]  # fmt: skip
        parts.append(PAGE_TEXTS["requests"].format(cases=len(CASES), wrong=len(WRONG), summary=table(["", *outcomes], summary).replace("|  |", "| calls |", 1), table=table(["call", *outcomes], [[title, *cells(title)] for title in titles if set(cells(title)) != {"✓"}])))  # fmt: skip
    if "repairs" in chosen.only:
        counts = repairs(of("repairs"), chosen.functions, 10 * chosen.limit)
        rows = [[name, f"{made['restored']:,}", f"{made['refused']:,}", f"{made['changed']:,}"] if isinstance(made, Counter) else [name, made, "–", "–"] for name, made in counts.items()]  # fmt: skip
        restored = {name: float(made["restored"]) for name, made in counts.items() if isinstance(made, Counter)}  # fmt: skip
        advantages.append(better("more texts restored, with those that it changes silently", restored, "{:,.0f}", more=True))  # fmt: skip
        total = sum(counts["specfn"].values())
        parts.append(PAGE_TEXTS["repairs"].format(total=f"{total:,}", functions=chosen.functions, table=table(["library", "restored", "refused", "changed silently"], rows)))  # fmt: skip
    if "search" in chosen.only:
        ranks = searches(of("search"), 2 * chosen.limit)
        rows = [[name, f"{first} of {total}", f"{among} of {total}"] for name, (first, among, total) in ranks.items()]  # fmt: skip
        parts.append(PAGE_TEXTS["search"].format(table=table(["search", "first", "among ten"], rows)))  # fmt: skip
    parts.append(PAGE_TEXTS["better"].format(lines="\n".join(filter(None, advantages))))
    parts.append(PAGE_TEXTS["absent"].format(table=table(["library", "reason"], sorted(absent.items()))))  # fmt: skip
    PAGE.write_text("\n".join(parts).rstrip() + "\n", encoding="utf-8")


PAGE_TEXTS = {
    "head": """# Comparison with other libraries

Which library keeps, sends and refuses what, measured with the same documents, calls, texts and queries.

`python -m bench.compare --environments FOLDER` wrote this page on {date}. `--only` with `tools`, `requests`,
`repairs` or `search` repeats one part. The machine is {machine}.
specfn {version} and these packages ran with their default settings, except for what a server on this machine needs:

{versions}
""",
    "tools": """## Tools

Each library reads public documents and lists its tools, in a cold process of at most {limit:.0f} s. An *argument* is
a parameter, or a property of a body that is an object, by its name, but no credential. An *illegal name* has other
characters than `[A-Za-z0-9_-]`, more than 64 of them, or belongs to two tools. A schema is *refused* because its root
is not an object, because a reference is dangling, by the metaschema, or by the grammar engine llguidance.
Bytes are compact JSON of name, description and schema. *Arguments kept* of specfn leaves out what it hides on purpose:
parameters that every operation of an API has, such as `prettyPrint`, and properties that only responses have.

{table}

![Bytes of tool lists](bytes.svg)

Documents that were not read:

{failures}
""",
    "requests": """## Requests

{cases} valid calls, each of an operation of its own, and {wrong} wrong calls. The arguments are laid out as the schema
of the tool says. A server compares each request with the document.

{summary}

![Requests sent as declared](requests.svg)

The valid calls that not every library sends as declared. *no tool*: the operation is refused; *no place*: the schema
has no such argument; *wrong*: another request arrived.

{table}
""",
    "repairs": """## Repairs

{total} damaged texts of valid arguments of {functions} functions, as models write them (`tests/damage.py`). *Restored*: the
original value. *Changed silently*: another value that the schema accepts. json_repair does not know the schema; what it
returns is validated by specfn.

{table}
""",
    "search": """## Search

The everyday requests of `bench/everyday_tasks.json` that no ranking was tuned on: where the right function is. The
index of rank-bm25 has names, summaries and descriptions as its texts.

{table}

## Pages

`python bench/read_lists.py FOLDER` reads lists of documents to their last page by the texts of answers alone. specfn
reads all of them completely. No other library here says how the next page is requested; a model has to read it in the
response.
""",
    "better": """## Where others are better

{lines}
""",
    "absent": """## Not compared

{table}
""",
}


# -- speed ------------------------------------------------------------------------------------------


def measure(
    commands: dict[str, list[str]], out: Path, rounds: int, limit: float
) -> dict[str, list[Cost]]:
    """Return the costs of commands in turns, in alternating order; one that fails or is too slow has one turn."""
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    waiting = dict(commands)
    for turn in range(rounds):
        for name, command in tuple(waiting.items())[:: -1 if turn % 2 else 1]:
            out.unlink(
                missing_ok=True
            )  # to put a file in the place of another is a flush to the disk
            one = cost(command, limit)
            if one is None:
                del waiting[name]
            else:
                costs[name].append(one)
    return costs


def row(document: Path, costs: dict[str, list[Cost]], limit: float) -> str:
    """Return a line with medians, and ratios of specfn to the reference."""
    cells = [f"{document.name[:40]:<40}", f"{document.stat().st_size / 1e6:5.2f} MB"]
    medians = {
        name: Cost(*(median(values) for values in zip(*found, strict=True)))
        for name, found in costs.items()
        if found
    }
    for name in costs:
        one = medians.get(name)
        if one is None:
            cells.append(f"fails, or > {limit:.0f} s")
        else:
            cells.append(f"{one.seconds:5.2f} s {one.cpu:5.2f} s {one.megabytes:4.0f} MB")
    if len(medians) == 2:
        ratios = zip(medians["specfn"], medians["reference"], strict=True)
        cells.append(" ".join(f"{ours / theirs:5.2f}" for ours, theirs in ratios))
    return " | ".join(cells)


def speed(chosen: argparse.Namespace) -> None:
    """Print medians and ratios of ``specfn tools`` and the reference implementation."""
    documents = chosen.documents or [CORPUS / "dev" / name for name in SPEED_DOCUMENTS]
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package is compiled
    name = "@samchon/openapi"
    other = environment(name, PEERS[name], chosen.environments.resolve())
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "tools.json"
        print("document | size | specfn: clock, cpu, memory | reference | ratios (less is better)")
        for document in documents:
            commands = {
                "specfn": [sys.executable, "-m", "specfn", "tools", str(document), "-o", str(out)]
            }
            if not isinstance(other, str):
                commands["reference"] = [*other, "tools", str(document), str(out)]
            cost(commands["specfn"], chosen.limit)  # compiles what was not compiled
            costs = measure(commands, out, chosen.rounds, chosen.limit)
            print(row(document, costs, chosen.limit), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--environments", type=Path, default=Path(tempfile.gettempdir()) / "specfn-peers", metavar="FOLDER")  # fmt: skip
    parser.add_argument("--limit", type=float, default=60, metavar="SECONDS")
    parser.add_argument("--peers", nargs="*", choices=PEERS)
    every = ("tools", "requests", "repairs", "search")
    parser.add_argument("--only", nargs="*", choices=every, default=every)
    parser.add_argument("--functions", type=int, default=100, help="of the part repairs")
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("documents", nargs="*", type=Path)
    chosen = parser.parse_args()
    (speed if chosen.speed else compare)(chosen)


if __name__ == "__main__":
    main()
