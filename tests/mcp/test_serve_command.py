import asyncio
import gc
import json
import os
import signal
import socket
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from tests.http.tls import make_files
from tests.mcp.server_support import DOCUMENT, ERAS, text
from tests.strict_shop.server import serve

from specfn import Options, load
from specfn.cli.commands.serve import command as serve_command
from specfn.cli.main import run
from specfn.mcp.hosts import server_name

URL = "https://api.example/v1"
CANARY = "canary-4711"


@pytest.fixture
def spec(tmp_path: Path) -> str:
    path = tmp_path / "pets.json"
    path.write_text(json.dumps(DOCUMENT), "utf-8")
    return str(path)


def message(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run the command, and return its only line on stderr; the exit code must be 2."""
    assert run(["serve", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    (line,) = err.splitlines()
    return line


def environment(**more: str) -> dict[str, str]:
    """Return the environment of a process that runs this code."""
    source = str(Path(__file__).parent.parent.parent / "src")
    return {**os.environ, "PYTHONPATH": source, **more}


def started(*arguments: str, **more: str) -> "subprocess.Popen[str]":
    pipes: Any = {"stdin": -1, "stdout": -1, "stderr": -1, "text": True}
    command = [sys.executable, "-m", "specfn", "serve", *arguments]
    return subprocess.Popen(command, env=environment(**more), **pipes)


# -- invalid use ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ([], "missing argument SPEC"),
        (["{spec}"], "missing option --base-url: the document declares https://api.example/v1"),
        (["{spec}", "--base-url", URL, "--sessions"], "--sessions needs --http"),
        (
            ["{spec}", "--base-url", URL, "--http", "127.0.0.1:0", "--web-origin", "*"],
            "--web-origin must be origins of web pages, such as https://app.example.com, not '*'",
        ),
        (["a={spec}", "a={spec}"], "two documents have the name 'a'"),
        (["a={spec}", "{spec}"], "has no name: pass NAME=SPEC"),
        (["a={spec}", "b={spec}", "--base-url", URL], "--base-url is invalid: expected NAME=URL"),
        (["a={spec}", "b={spec}", "--base-url", "a=" + URL], "missing option --base-url b=URL"),
        (
            ["a={spec}", "b={spec}", "--auth", "bearer=x"],
            "--auth is invalid: expected NAME.SCHEME=VALUE",
        ),
        (
            ["{spec}", "--base-url", URL, "--auth", "wrong=x"],
            "a credential for 'wrong', which is not a security scheme of the document; the document declares: bearer",
        ),
        (
            [
                *("a={spec}", "b={spec}", "--base-url", f"a={URL}", "--base-url", f"b={URL}"),
                *("--auth", "b.wrong=x"),
            ],
            "specfn: b: the connection has a credential for 'wrong'",
        ),
        (["a={spec}", "b={spec}", "--header", "A: b"], "--header names no document"),
        (["{spec}", "--stdio", "--http", ":80"], "--stdio and --http cannot be combined"),
        (["-"], "SPEC cannot be stdin"),
        (["{spec}", "--config", "c.yaml"], "SPEC and --config cannot be combined"),
        (["{spec}", "--http", "here"], "expected HOST:PORT"),
        (["{spec}", "--http", "0.0.0.0:80"], "pass --client-token-env NAME"),
        (["{spec}", "--http", "[::]:80"], "pass --client-token-env NAME"),
        (
            ["{spec}", "--http", "0.0.0.0:80", "--client-token-env", "NO_TOKEN"],
            "NO_TOKEN is not set or too short",
        ),
        (["{spec}", "--client-token-env", "A"], "--client-token-env needs --http"),
        (["{spec}", "--base-url", URL, "--allow", "pets_got"], "specfn: --allow is invalid"),
        (
            ["{spec}", "--base-url", URL, "--allow", "wrte"],
            "'wrte' is unknown; did you mean 'write'?",
        ),
        (["{spec}", "--base-url", URL, "--allow", "write", "--read-only"], "read_only contradicts"),
        (["{spec}", "--base-url", URL, "--select", "dogs*"], "matches no function"),
        (["{spec}", "--base-url", URL, "--fields", "--mode", "code"], "exclude each other"),
        (["{spec}", "--base-url", URL, "--files", "no/such"], "no/such"),
        (["{spec}", "--base-url", URL, "--files", "{spec}"], "is not a directory"),
    ],
)
def test_invalid_use_is_one_line(
    capsys: pytest.CaptureFixture[str], spec: str, arguments: list[str], reason: str
) -> None:
    """A wrong option ends the command with one line that says what is expected."""
    assert reason in message(capsys, *(each.replace("{spec}", spec) for each in arguments))


def test_a_port_in_use_is_one_line(capsys: pytest.CaptureFixture[str], spec: str) -> None:
    """A port in use is reported before a client connects, and the garbage collector is left as it was."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        line = message(capsys, spec, "--base-url", URL, "--http", address)
    assert f"--http {address} cannot be used: Address already in use" in line
    assert gc.get_freeze_count() == 0


def test_a_missing_extra_is_one_line(spec: str) -> None:
    """Without the SDK the command says what to install."""
    code = (
        "import sys; sys.modules['mcp'] = None; from specfn.cli.main import run; "
        f"sys.exit(run(['serve', {spec!r}, '--base-url', {URL!r}]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "install it with: pip install 'specfn[mcp]" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_missing_sandbox_is_one_line(spec: str) -> None:
    """Without the sandbox, mode ``code`` says what to install."""
    code = (
        "import sys; sys.modules['pydantic_monty'] = None; from specfn.cli.main import run; "
        f"sys.exit(run(['serve', {spec!r}, '--base-url', {URL!r}, '--mode', 'code']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "install it with: pip install 'specfn[code]" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("modes: all", "c.yaml:2:1: modes: unknown key; did you mean 'mode'?"),
        ("fields: [name]", "c.yaml:2:9: fields: expected a single value"),
        ("allow: [write, 1]", "c.yaml:2:16: allow[1]: expected a text"),
    ],
)
def test_errors_of_a_configuration_have_places(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, line: str, reason: str
) -> None:
    """An error of the configuration file has its line."""
    file = tmp_path / "c.yaml"
    file.write_text(f"documents: {{a: {{spec: pets.json}}}}\n{line}\n", "utf-8")
    assert reason in message(capsys, "--config", str(file))


def test_an_unset_variable_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A reference to an unset variable is an error at start."""
    file = tmp_path / "c.yaml"
    file.write_text("documents: {a: {spec: p.json, auth: {bearer: '${NOT_SET_4711}'}}}", "utf-8")
    line = message(capsys, "--config", str(file))
    assert "documents.a.auth.bearer: the environment variable NOT_SET_4711 is not set" in line


def test_a_credential_in_the_clear_names_the_key_of_the_file(
    capsys: pytest.CaptureFixture[str], spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error names the switch in the terms of the interface: a key of the file."""
    monkeypatch.setenv("PETS_TOKEN", CANARY)
    file = tmp_path / "c.yaml"
    pets = f"{{spec: {spec}, base_url: 'http://pets:80', auth: {{bearer: '${{PETS_TOKEN}}'}}}}"
    file.write_text(f"documents: {{pets: {pets}}}", "utf-8")
    assert "pass allow_insecure: true to send them" in message(capsys, "--config", str(file))
    insecure = pets.removesuffix("}") + ", allow_insecure: true}"
    file.write_text(f"documents: {{pets: {insecure}}}", "utf-8")
    assert run(["serve", "--config", str(file), "--print-config", "claude"]) == 0


def test_a_variable_of_two_documents_is_an_error(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A document cannot get the credential of another one by the name of its scheme."""
    for name, scheme in (("a", "b_c"), ("a_b", "c")):
        schemes = {scheme: {"type": "http", "scheme": "bearer"}}
        text = json.dumps(DOCUMENT | {"components": {"securitySchemes": schemes}})
        (tmp_path / name).write_text(text, "utf-8")
    given = [
        part
        for name in ("a", "a_b")
        for part in (f"{name}={tmp_path / name}", "--base-url", f"{name}={URL}")
    ]
    monkeypatch.setenv("SPECFN_AUTH_A_B_C", CANARY)
    assert "SPECFN_AUTH_A_B_C belongs to the documents 'a' and 'a_b'" in message(capsys, *given)


def test_functions_that_cannot_be_called_are_counted_at_the_start(tmp_path: Path) -> None:
    """The start says how many functions have no permitted server, by its options, and asks for no credential in vain."""
    path = tmp_path / "own.json"
    schemes = {"key": {"type": "http", "scheme": "bearer"}}
    servers = {"servers": [{"url": "https://other.example"}], "security": [{"key": []}]}
    paths = {
        place: {
            key: value | servers if isinstance(value, dict) else value
            for key, value in item.items()
        }
        for place, item in DOCUMENT["paths"].items()
    }
    path.write_text(
        json.dumps(DOCUMENT | {"paths": paths, "components": {"securitySchemes": schemes}}), "utf-8"
    )
    process = started(str(path), "--base-url", URL, "--anonymous")
    _, lines = process.communicate("")
    assert "functions cannot be called: GET /pets declares its own server" in lines
    assert "add 'https://other.example' to --origin to allow it, or pass --all-to-base-url" in lines
    assert "credential" not in lines


# -- the configuration of hosts ---------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["claude", "cursor", "vscode", "codex"])
def test_print_config_writes_no_value_of_a_credential(
    capsys: pytest.CaptureFixture[str], spec: str, host: str
) -> None:
    """The configuration contains the variable of a credential, and not its value."""
    given = [spec, "--base-url", URL, "--auth", f"bearer={CANARY}", "--print-config", host]
    assert run(["serve", *given, "--fields"]) == 0
    out, _ = capsys.readouterr()
    assert CANARY not in out
    assert "--fields" in out
    assert "SPECFN_AUTH_BEARER" in out
    assert json.dumps(spec) in out


def test_print_config_has_every_option(
    capsys: pytest.CaptureFixture[str], spec: str, tmp_path: Path
) -> None:
    """The printed command means what the given one means; the server has the name of the document."""
    files, lock = make_files(tmp_path), tmp_path / "pets.lock"
    lock.write_text(load(spec, options=Options(max_length=30, answer_limit=900)).lock(), "utf-8")
    options = [
        "--base-url", URL, "--origin", "https://files.example", "--select", "pets_get", "--allow", "write",
        "--mode", "all", "--timeout", "2.5", "--answer-limit", "900", "--max-length", "30", "--page-size", "7",
        "--files", str(tmp_path), "--read-only", "--ask-each", "--output-schema", "--anonymous",
        "--watch", "--expect", str(lock), "--log", "json",
        "--ca", str(files.ca), "--cert", str(files.cert), "--key", str(files.key),
        "--all-to-base-url", "--allow-insecure", "--redirects", "same-origin",
    ]  # fmt: skip
    assert run(["serve", spec, *options, "--print-config", "claude"]) == 0
    [(name, entry)] = json.loads(capsys.readouterr().out)["mcpServers"].items()
    assert name == server_name(DOCUMENT["info"]["title"])
    assert Counter(entry["args"][entry["args"].index("serve") + 2 :]) == Counter(options)
    known = {option for parameter in serve_command.params for option in parameter.opts}
    left = {
        "--stdio",
        "--http",
        "--auth",
        "--header",
        "--query",
        "--cookie",
        "--config",
        "--client-token-env",
    }
    left |= {
        "--no-client-auth",
        "--host-name",
        "--print-config",
        "--references",
        "--overlay",
        "--web-origin",
        "--document-header",
        "--proxy",
        "--fields",  # contradicts --output-schema
    }
    left |= {"--sessions", "--verbose", "--send-all-credentials"}
    assert {one for one in known - left if one.startswith("--")} <= set(options)


def _two_schemes(tmp_path: Path) -> str:
    """Write a document of two schemes, each of which satisfies its function, and a hidden parameter."""
    key = {"type": "apiKey", "in": "header", "name": "X-Key"}
    secret = {"name": "X-Api-Token", "in": "header", "required": True, "schema": {"type": "string"}}
    document = {
        **DOCUMENT,
        "components": {
            "securitySchemes": {"one": key, "two": {"type": "http", "scheme": "bearer"}}
        },
        "paths": {
            "/one": {"get": {"security": [{"one": []}, {"two": []}], "responses": {}}},
            "/hidden": {"get": {"security": [], "parameters": [secret], "responses": {}}},
        },
    }
    path = tmp_path / "two.json"
    path.write_text(json.dumps(document), "utf-8")
    return str(path)


def test_print_config_names_the_variables_that_are_needed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host sets what is given or missing; a variable that it cannot replace would be sent as the credential."""
    given = [_two_schemes(tmp_path), "--base-url", URL, "--print-config", "claude"]

    def names() -> set[str]:
        assert run(["serve", *given]) == 0
        [entry] = json.loads(capsys.readouterr().out)["mcpServers"].values()
        return {*entry["env"]}

    assert names() == {"SPECFN_AUTH_ONE", "SPECFN_AUTH_X_API_TOKEN"}
    monkeypatch.setenv("SPECFN_AUTH_TWO", CANARY)
    assert names() == {"SPECFN_AUTH_TWO", "SPECFN_AUTH_X_API_TOKEN"}


def test_a_hidden_parameter_without_a_value_is_named_at_the_start(tmp_path: Path) -> None:
    """``serve`` says which hidden parameter nobody fills, and the variable that would fill it."""
    process = started(_two_schemes(tmp_path), "--base-url", URL, SPECFN_AUTH_ONE="x")
    _, err = process.communicate("", timeout=60)
    assert "1 of 2 functions need the credential X-Api-Token" in err
    assert "SPECFN_AUTH_X_API_TOKEN" in err


@pytest.mark.parametrize(
    ("more", "url"),
    [
        (["--http", "127.0.0.1:8000"], "http://127.0.0.1:8000/mcp"),
        (["--http", "[::1]:8000"], "http://[::1]:8000/mcp"),
        (["--http", "0.0.0.0:8000", "--host-name", "t.example"], "https://t.example/mcp"),
    ],
)
def test_print_config_of_a_server_over_http(
    capsys: pytest.CaptureFixture[str],
    spec: str,
    monkeypatch: pytest.MonkeyPatch,
    more: list[str],
    url: str,
) -> None:
    """With ``--http``, the configuration has the URL of the server, and the variable of the clients' token."""
    monkeypatch.setenv("CLIENT", CANARY * 4)
    given = [*more, "--client-token-env", "CLIENT", "--print-config", "claude"]
    assert run(["serve", spec, "--base-url", URL, *given]) == 0
    out, _ = capsys.readouterr()
    [entry] = json.loads(out)["mcpServers"].values()
    assert entry == {"type": "http", "url": url, "headers": {"Authorization": "Bearer ${CLIENT}"}}
    assert CANARY not in out


def test_long_names_are_counted_once(tmp_path: Path) -> None:
    """``serve`` says how many names hosts with a prefix refuse; with the option there are none."""
    path = "/" + "/".join(["long"] * 12)
    file = tmp_path / "long.json"
    file.write_text(json.dumps({**DOCUMENT, "paths": {path: {"get": {"responses": {}}}}}), "utf-8")
    for more, count in ([], 1), (["--max-length", "51"], 0):
        process = started(str(file), "--base-url", URL, *more)
        _, err = process.communicate("", timeout=60)
        assert err.count("1 of 1 functions have names of more than 51 characters") == count


def test_print_config_of_a_file_has_its_variables(
    capsys: pytest.CaptureFixture[str],
    spec: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The variables of a configuration file are passed on."""
    monkeypatch.setenv("PETS_TOKEN", CANARY)
    file = tmp_path / "c.yaml"
    pets = f"{{spec: {spec}, base_url: '{URL}', auth: {{bearer: '${{PETS_TOKEN}}'}}}}"
    file.write_text(f"documents: {{pets: {pets}}}", "utf-8")
    assert run(["serve", "--config", str(file), "--print-config", "claude"]) == 0
    out, _ = capsys.readouterr()
    assert "${PETS_TOKEN}" in out
    assert CANARY not in out


# -- processes --------------------------------------------------------------------------------------------


def ask(arguments: list[str], era: str, do: Any, **more: str) -> Any:
    """Return what the official client gets from the command over stdio."""
    command = ["-m", "specfn", "serve", *arguments]
    parameters = StdioServerParameters(
        command=sys.executable, args=command, env=environment(**more)
    )

    async def talk() -> Any:
        async with Client(stdio_client(parameters), mode=era) as client:
            return await do(client)

    return asyncio.run(talk())


@pytest.mark.parametrize("era", ERAS)
def test_the_official_client_over_stdio(era: str) -> None:
    """The official client starts the command, lists and calls; the credential comes from the environment."""
    with serve() as shop:
        arguments = [shop.document_url, "--base-url", shop.base_url]

        async def do(client: Any) -> Any:
            listed = await client.list_tools()
            assert "products_get" in [tool.name for tool in listed.tools]
            return await client.call_tool("orders_get", {})

        result = ask(arguments, era, do, SPECFN_AUTH_BEARER=shop.token)
    assert '"status":200' in text(result)


def test_the_options_of_a_configuration_apply(spec: str, tmp_path: Path) -> None:
    """Clients see the names and descriptions of ``options`` in the file."""
    file = tmp_path / "c.yaml"
    options = "{names: {GET /pets: animals}, descriptions: {GET /pets: All animals.}}"
    file.write_text(
        f"documents: {{pets: {{spec: {spec}, base_url: '{URL}', options: {options}}}}}", "utf-8"
    )

    async def do(client: Any) -> Any:
        return {tool.name: tool.description for tool in (await client.list_tools()).tools}

    assert ask(["--config", str(file)], ERAS[0], do)["animals"].startswith("All animals.")


def test_a_placeholder_is_no_token_of_clients(
    capsys: pytest.CaptureFixture[str], spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A token that anybody can guess protects no server."""
    monkeypatch.setenv("PETS_TOKEN", "${PETS_CLIENT_TOKEN}")
    given = [spec, "--base-url", URL, "--http", "127.0.0.1:0", "--client-token-env", "PETS_TOKEN"]
    assert "client token in PETS_TOKEN still contains a placeholder" in message(capsys, *given)


def test_malformed_lines_end_nothing(spec: str) -> None:
    """Lines that are no messages are survived; stdout contains messages only, and the end of stdin is the end."""
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        },
    }
    lines = [
        "",
        "{",
        "null",
        "[1]",
        "\x00\ufffd",
        "[" * 5_000,
        '{"jsonrpc":"2.0"}',
        json.dumps(hello),
    ]
    process = started(spec, "--base-url", URL)
    out, err = process.communicate("\n".join(lines) + "\n", timeout=60)
    assert process.returncode == 0, err
    messages = [json.loads(line) for line in out.splitlines()]
    assert any(each.get("id") == 1 and "result" in each for each in messages)
    assert "Traceback" not in out


@pytest.mark.parametrize("era", ["legacy", "auto"])
def test_a_script_runs_a_server(era: str, spec: str, tmp_path: Path) -> None:
    """A script of three lines is a server over stdio, like the command."""
    script = tmp_path / "server.py"
    script.write_text(
        f"import specfn\nfrom specfn import mcp\n"
        f"mcp.run(specfn.load({spec!r}), specfn.Connection({URL!r}), allow=['write'])\n"
    )
    parameters = StdioServerParameters(
        command=sys.executable, args=[str(script)], env=environment()
    )

    async def talk() -> Any:
        async with Client(stdio_client(parameters), mode=era) as client:
            return await client.list_tools()

    assert "pets_get" in [tool.name for tool in asyncio.run(talk()).tools]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
@pytest.mark.parametrize("transport", ["--stdio", "--http"])
def test_a_signal_ends_the_server(spec: str, transport: str, number: int, code: int) -> None:
    """A signal ends the server at once, without a traceback."""
    address = ["--http", "127.0.0.1:0"] if transport == "--http" else []
    with started(spec, "--base-url", URL, *address) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        if address:
            assert "serving MCP at http://127.0.0.1:" in process.stderr.readline()
        else:
            process.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
            process.stdin.flush()
            assert process.stdout.readline()
        process.send_signal(number)
        assert process.wait(30) == code
        assert "Traceback" not in process.stderr.read()


def test_http_clients_need_the_token(spec: str) -> None:
    """With a token variable, requests without the token are refused."""
    token = "token-of-the-clients"
    arguments = [spec, "--base-url", URL, "--http", "127.0.0.1:0", "--client-token-env", "CLIENTS"]
    with started(*arguments, CLIENTS=token) as process:
        assert process.stderr
        url = process.stderr.readline().split()[-1]
        assert httpx.post(url, json={}).status_code == 401
        answer = httpx.post(url, json={}, headers={"Authorization": f"Bearer {token}"})
        assert answer.status_code not in {401, 403, 421}
        process.terminate()
        process.wait(30)
