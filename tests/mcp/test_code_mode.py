import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.code_mode.script_support import KEY, echo
from tests.mcp.server_support import (
    ERAS,
    Api,
    accepting,
    application,
    call,
    declining,
    served,
    talk,
    text,
)
from tests.mcp.test_workers import call as post

from specfn import mcp

WRITE = {"code": "await api.pets.post(body={'name': 'Rex'})"}


@pytest.fixture
def api() -> Api:
    return Api(reply=echo)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("read_only", [False, True])
def test_two_tools(api: Api, era: str, read_only: bool) -> None:  # noqa: FBT001
    """Mode ``code`` lists a search and ``run``, which is destructive unless the server only reads."""
    server = mcp.server(application(), api.connection(), mode="code", read_only=read_only)
    search, run = talk(server, era, lambda client: client.list_tools()).tools
    assert (search.name, run.name) == ("search_functions", "run")
    assert search.annotations.read_only_hint
    assert bool(run.annotations.read_only_hint) is read_only
    assert bool(run.annotations.destructive_hint) is not read_only


@pytest.mark.parametrize("era", ERAS)
def test_a_script_asks_the_user(api: Api, era: str) -> None:
    """A write waits for the user; a script whose user declines, or cannot be asked, reads a refusal."""
    server = mcp.server(application(), api.connection(), mode="code")
    for user, sent in ((None, 0), (declining, 0), (accepting(), 1)):
        result = call(server, era, "run", WRITE, elicitation_callback=user)
        assert result.is_error is not bool(sent)
        assert len(api.requests) == sent
    assert text(result) == '{"name":"Rex"}'


def test_a_read_only_server_has_no_writes(api: Api) -> None:
    """A script of a server that only reads finds no function that changes data."""
    server = mcp.server(application(), api.connection(), mode="code", read_only=True)
    assert "api.pets has no post; it has get, getById." in text(call(server, "auto", "run", WRITE))
    assert "[write]" not in text(call(server, "auto", "search_functions", {"query": "add a pet"}))
    assert api.requests == []


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("run", {}),
        ("run", {"code": 1}),
        ("search_functions", {}),
        ("search_functions", {"query": "a", "limit": 0}),
    ],
)
def test_invalid_arguments_are_explained(api: Api, tool: str, arguments: dict[str, Any]) -> None:
    """A tool without its arguments says what it expects."""
    result = call(mcp.server(application(), api.connection(), mode="code"), "auto", tool, arguments)
    assert result.is_error
    assert "expected" in text(result)


def test_another_worker_resumes_a_script(api: Api) -> None:
    """A script that waits on one worker is resumed by another with the same key; other code is refused."""
    made = [mcp.asgi(application(), api.connection(), mode="code", key=KEY) for _ in "12"]
    with served(made[0]) as first, served(made[1]) as second:
        result = post(first, WRITE, "run")["result"]
        assert result["resultType"] == "input_required"
        answers = {key: {"action": "accept", "content": {}} for key in result["inputRequests"]}
        accepted = {"inputResponses": answers, "requestState": result["requestState"]}
        assert "error" in post(second, {"code": "1"}, "run", **accepted)
        assert api.requests == []
        found = post(second, WRITE, "run", **accepted)["result"]
        assert found["content"][0]["text"] == '{"name":"Rex"}'


def test_another_process_resumes_a_script(api: Api) -> None:
    """A state that a process made is resumed by another process."""
    code = (
        "import sys\nfrom tests.code_mode.script_support import *\n"
        "print(pause(scripts(Api(reply=echo)), sys.argv[1]).state)"
    )
    from tests.code_mode.script_support import resume, scripts  # noqa: PLC0415

    made = subprocess.run(
        [sys.executable, "-c", code, WRITE["code"]],
        capture_output=True,
        text=True,
        check=False,  # on a busy machine the interpreter's threads can abort a process that has ended its work
        cwd=Path(__file__).parent.parent.parent,
    )
    assert made.stdout, made.stderr
    found: Any = resume(scripts(api), WRITE["code"], made.stdout.strip())
    assert found.text == '{"name":"Rex"}'
    assert api.received == ["POST /v1/pets"]


def test_the_missing_extra_is_one_line(tmp_path: Path) -> None:
    """Without the package of code mode, the command ends with one line that names the extra."""
    file = tmp_path / "pets.json"
    file.write_text(json.dumps(application().document), "utf-8")
    code = "import sys\nsys.modules['pydantic_monty'] = None\nfrom specfn.cli.main import main\nsys.exit(main())"
    made = subprocess.run(
        [
            sys.executable,
            "-c",
            code,
            "serve",
            str(file),
            "--mode",
            "code",
            "--base-url",
            "https://a.example",
        ],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        cwd=Path(__file__).parent.parent.parent,
    )
    assert made.returncode == 2
    assert made.stdout == ""
    [line] = made.stderr.splitlines()
    assert "install it with: pip install 'specfn[code]" in line
