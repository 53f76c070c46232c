import ast
import asyncio
import json
import types
from collections.abc import Sequence
from pathlib import Path
from tokenize import COMMENT, NAME, OP, STRING, TokenInfo
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from tests.code_mode.script_support import echo, pause, resume, run, scripts
from tests.mcp.server_support import DOCUMENT, Api, application
from tests.typed.documented import examples

import specfn
from specfn.calling import Catalog
from specfn.code_mode.sandbox import ScriptLimits, _for_edits
from specfn.code_mode.script_result import AVAILABLE, ScriptPause, ScriptResult
from specfn.errors import UsageError

TWO = "import asyncio\nawait asyncio.gather(api.pets.post(body={'name': 'A'}), api.pets.eraseById(id=3), api.pets.get())"


@pytest.fixture
def api() -> Api:
    return Api(reply=echo)


def test_a_script_computes_with_the_data(api: Api) -> None:
    """A call returns the data of the response; the script returns what it prints and its last value."""
    code = "import asyncio\nprint('names')\na, b = await asyncio.gather(api.pets.get(), api.pets.getById(id=1))\n[a[1]['name'], b]"
    assert run(scripts(api), code).text == 'names\n["Max",{"name":"Rex"}]'
    assert sorted(api.received) == ["GET /v1/pets", "GET /v1/pets/1"]


def test_a_failure_is_an_exception_with_the_text(api: Api) -> None:
    """A script can catch invalid arguments, a status outside of 2xx and a refusal, and reads their texts."""
    api.reply = lambda _: httpx.Response(404, json={"detail": "no such pet"})
    code = """
for call in (lambda: api.pets.getById(id='x'), lambda: api.pets.getById(id=1), lambda: api.pets.eraseById(id=1)):
    try:
        await call()
    except RuntimeError as error:
        print(error)
"""
    text = run(scripts(api), code).text
    assert "expected integer" in text
    assert "no such pet" in text
    assert "may destroy data" in text
    assert api.received == ["GET /v1/pets/1"]


def test_an_error_has_its_line_and_the_executed_calls(api: Api) -> None:
    """The result of a script that fails has the line, its text, what was printed, and what was executed."""
    made = run(
        scripts(api, allow=("read", "write")),
        "print('p')\nawait api.pets.post(body={'name': 'A'})\n\n1 / 0",
    )
    assert made.is_error
    assert made.text.startswith("Error in line 4: ZeroDivisionError: division by zero\n    1 / 0\n")
    assert '- api.pets.post({"body":{"name":"A"}}): HTTP 200' in made.text
    assert made.text.endswith("Printed before:\np\n")


def test_writes_started_together_ask_once(api: Api) -> None:
    """All writes of one gather are asked about at once; reads beside them are made before."""
    found = scripts(api)
    waiting = pause(found, TWO)
    assert [each.function for each in waiting.asked] == ["pets_post", "pets_eraseById"]
    assert waiting.asked[0].arguments == {"body": {"name": "A"}}
    assert api.received == ["GET /v1/pets"]
    made = resume(found, TWO, waiting.state)
    assert made == ScriptResult('[{"name":"A"},null,[{"name":"Rex"},{"name":"Max"}]]')
    assert sorted(api.received[1:]) == ["DELETE /v1/pets/3", "POST /v1/pets"]


def test_writes_can_ask_one_by_one(api: Api) -> None:
    """With ``together=False`` each write asks by itself, and is sent after its own approval only."""
    found = scripts(api, together=False)
    first = pause(found, TWO)
    assert [each.function for each in first.asked] == ["pets_post"]
    second = resume(found, TWO, first.state)
    assert isinstance(second, ScriptPause)
    assert [each.function for each in second.asked] == ["pets_eraseById"]
    assert api.received == ["GET /v1/pets", "POST /v1/pets"]
    made = resume(found, TWO, second.state, approved=False)
    assert isinstance(made, ScriptResult)
    assert "The user declined this call" in made.text
    assert api.received == ["GET /v1/pets", "POST /v1/pets"]


def test_a_write_that_needs_a_result_asks_by_itself(api: Api) -> None:
    """A script that writes with the result of a write pauses twice; its variables and prints are kept."""
    code = "print('one')\na = await api.pets.post(body={'name': 'A'})\nawait api.pets.post(body={'name': a['name'] * 2})"
    first = pause(scripts(api), code)
    second = resume(scripts(api), code, first.state)
    assert isinstance(second, ScriptPause)
    assert second.asked[0].arguments == {"body": {"name": "AA"}}
    assert resume(scripts(api), code, second.state) == ScriptResult('one\n{"name":"AA"}')


def test_a_script_with_much_data_cannot_wait(api: Api) -> None:
    """A script whose snapshot is too large reads a refusal instead of waiting; nothing is sent."""
    made = run(
        scripts(api, limits=ScriptLimits(snapshot=100)),
        "await api.pets.post(body={'name': 'A'})",
        ask=True,
    )
    assert "holds too much data" in made.text
    assert api.requests == []


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("await api.pets.find()", "api.pets has no find; it has get, post, getById, eraseById."),
        ("await api.cats.get()", "api has no cats; it has pets."),
        ("await api.pets.getById(1)", "api.pets.getById: pass the arguments by name"),
        ("await api.pets.post(body=1)", "The arguments are invalid"),
        ("await api.pets.post(body=lambda: 1)", "a value of type function"),
        ("await api.pets.post(body=api.pets.get())", "a call that was not awaited; write await"),
        ("len(api.pets.get())", "only when it is awaited"),
        ("api.pets.get() + []", "only when it is awaited"),
        ("pets_get()", "similar functions are api.pets.get"),
        ("class A: pass\nawait api.pets.post(body=A())", "a value of type A"),
        ("api.pets.get()['name']", "only when it is awaited"),
        ("x = (", "Error in line 1: unexpected EOF"),
    ],
)
def test_a_wrong_call_is_explained(api: Api, code: str, reason: str) -> None:
    """An error says what is wrong; nothing is sent."""
    made = run(scripts(api, allow=("read", "write")), code)
    assert made.is_error
    assert reason in made.text
    assert api.requests == []


def test_values_of_python_are_sent_as_json(api: Api) -> None:
    """Tuples, sets, dates and bytes become JSON values."""
    code = "import datetime\nawait api.pets.post(body={'name': 'A', 'x': (1, {2}), 'd': datetime.date(2026, 1, 2), 'b': b'a'})"
    text = run(scripts(api, allow=("write",)), code).text
    assert (
        text
        == '{"name":"A","x":[1,[2]],"d":"2026-01-02","b":"data:application/octet-stream;base64,YQ=="}'
    )


def test_documents_are_namespaces(api: Api) -> None:
    """With several documents, the name of a document is the first element of its functions."""
    catalog = Catalog().add(application(), namespace="one").add(application(), namespace="two")
    found = scripts(api, functions=catalog)
    assert run(found, "len(await api.two.pets.get())").text == "2"
    assert "# api.one.pets.get [read]" in found.functions.search("list pets", 4)


def test_equal_places_are_refused() -> None:
    """Two documents without namespaces whose functions have equal places are a usage error."""
    functions = application().functions
    renamed = application(
        names={".".join(each.accessor): f"other_{each.name}" for each in functions}
    )
    catalog = Catalog().add(application(), namespace="").add(renamed, namespace="")
    with pytest.raises(UsageError, match="have the same place in code"):
        scripts(Api(), functions=catalog)


def test_a_search_has_signatures(api: Api) -> None:
    """A search returns a line per function, and awaitable signatures with the types of responses."""
    text = scripts(api).functions.search("find a pet", 5)
    assert "# api.pets.getById [read] Find a pet" in text.splitlines()
    assert "async def api.pets.getById(*, id: int) -> PetsGetByIdResult:" in text.splitlines()
    assert "class PetsGetByIdResult(TypedDict):\n    name: str\n" in text
    assert "Protocol" not in text
    assert "import" not in text


def test_dropped_fields_never_enter_a_script(api: Api) -> None:
    """A field that the operator drops is in no data of a script; a kept default is no limit."""
    api.reply = lambda _: httpx.Response(200, json=[{"name": "Rex", "age": 3}])
    answers = {"pets.get": specfn.answers.Drop("age")}
    functions = specfn.load(DOCUMENT, options=specfn.Options(answers=answers))
    assert run(scripts(api, functions=functions), "await api.pets.get()").text == '[{"name":"Rex"}]'


def test_a_script_reads_events_without_dropped_fields(api: Api) -> None:
    """The events of a stream are a list for a script, and a dropped field is in none of their data."""
    content = 'data: {"name": "Rex", "age": 3}\n\ndata: {"age": 3\n\n'
    headers = {"content-type": "text/event-stream"}
    api.reply = lambda _: httpx.Response(200, content=content, headers=headers)
    answers = {"pets.get": specfn.answers.Drop("age")}
    functions = specfn.load(DOCUMENT, options=specfn.Options(answers=answers))
    found = run(scripts(api, functions=functions), "[e['data'] for e in await api.pets.get()]")
    assert found.text.startswith('[{"name":"Rex"},"Not shown')
    assert "age" not in found.text


JOBS = {
    "openapi": "3.1.0",
    "info": {"title": "Jobs", "version": "1"},
    "components": DOCUMENT["components"],
    "paths": {
        "/jobs": {"post": {"responses": {"202": {"description": ""}}}},
        "/jobs/{id}": {
            "parameters": [
                {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
            ],
            "get": {"responses": {"200": {"description": ""}}},
        },
    },
}


def accept(_: httpx.Request) -> httpx.Response:
    return httpx.Response(202, headers={"location": "/v1/jobs/7", "retry-after": "5"})


@pytest.mark.parametrize("is_asked", [True, False])
def test_an_accepted_call_names_the_place_of_its_status(api: Api, *, is_asked: bool) -> None:
    """The text of a script names the function that reads a status by its place, also after an approval."""
    api.reply = accept
    code = "await api.jobs.post()\n'created'"
    allow = ("read",) if is_asked else ("read", "write")
    found = scripts(api, functions=specfn.load(JOBS), allow=allow)
    made: Any = run(found, code) if not is_asked else None
    if is_asked:
        made = resume(found, code, pause(found, code).state)
    value, remark = made.text.split("\n")
    assert value == "created"
    assert remark == (
        "api.jobs.post: The server accepted the call and may still work on it. To read its status, call "
        'api.jobs.getById with {"id":7}. Wait 5 seconds first. Do not send this call again.'
    )


def test_remarks_are_bounded(api: Api) -> None:
    """Equal remarks appear once, and many different ones do not fill the text of a script."""
    count = iter(range(100))
    api.reply = lambda _: httpx.Response(202, headers={"location": f"/v1/jobs/{next(count)}"})
    found = scripts(api, functions=specfn.load(JOBS), allow=("write",))
    text = run(found, "for _ in range(100): await api.jobs.post()\n'x' * 30000").text
    assert len(text) <= found.limits.output
    assert "more remarks on responses" in text
    api.reply = accept
    text = run(found, "for _ in range(100): await api.jobs.post()\n'done'").text
    assert text.count("The server accepted the call") == 1


def test_a_script_hears_of_a_stopped_stream(api: Api) -> None:
    """A stream that was not read to its end is a list for a script, and its text says so."""
    events = "data: 1\n\n" * 20_000
    headers = {"content-type": "text/event-stream"}
    api.reply = lambda _: httpx.Response(200, content=events, headers=headers)
    text = run(scripts(api), "len(await api.pets.get())").text
    assert text == (
        "10000\napi.pets.get: the response is not complete: the stream was stopped after 10,000 events: "
        "max_events is reached"
    )


ENDS = {
    "1 + 1": "2",
    "a = 1; a + 1": "2",
    "a = 1; a + 1;": "2",
    "'a;b'": "a;b",
    "'a'  # b; c": "a",
    "'a'\n# b": "a",
    "[\n1,\n2,\n]": "[1,2]",
    "dict(\na=1\n)": '{"a":1}',
    '"""\na; b\nc\n"""': "\na; b\nc\n",
    "1, *[2]": "[1,2]",
    "1 + \\\n1": "2",
    "def f():\n    return 1\n\nf()": "1",
    "f'{1}' if True else 2": "1",
    "lambda: 1": "<function",
}
NO_VALUES = [
    "a = 1",
    "a = (\n1\n)",
    "if True: 1; 2",
    "for a in [1]: a; a",
    "a = 1 + \\\n1",
    "def f(): 1; 2",
    "a = '''\nx\n'''",
    "import json",
    "None",
    "pass",
    "# 1",
    "",
]


@pytest.mark.parametrize(("code", "value"), ENDS.items())
def test_the_last_expression_is_the_result(api: Api, code: str, value: str) -> None:
    """The result of a script is the value of its last expression, however it is written."""
    made = run(scripts(api), code)
    assert not made.is_error
    assert made.text.startswith(value)


@pytest.mark.parametrize("code", NO_VALUES)
def test_a_script_without_a_last_expression_has_no_result(api: Api, code: str) -> None:
    """A script whose last statement is not an expression has no result."""
    assert run(scripts(api), code).text.startswith("The script ended without a value")


@pytest.mark.parametrize(
    "end", ["\n".join(["1"] * 30), "exec('(')", "raise NotImplementedError", "x = 5", "1 / 0"]
)
def test_a_script_runs_once(api: Api, end: str) -> None:
    """A script runs once, wherever its last expression is, and whatever errors it raises itself."""
    made = run(scripts(api), f"print('once')\n{end}")
    assert made.text.count("once") == 1
    run(scripts(api), f"await api.pets.get()\n{end}")
    assert api.received == ["GET /v1/pets"]


def test_a_script_sleeps(api: Api) -> None:
    """A script can wait, also together with calls; the time of sleeping in all is limited."""
    code = "import asyncio, time\ntime.sleep(0.01)\nr = await asyncio.gather(asyncio.sleep(0.02, 'a'), asyncio.sleep(0.01), api.pets.get())\nr[0]"
    assert run(scripts(api), code).text == "a"
    code = "import asyncio\nawait asyncio.gather(*[asyncio.sleep(9) for i in range(9)])"
    made = run(scripts(api), code)
    assert "sleep limit exceeded" in made.text
    assert "Sleep less" in made.text


MISSING = {
    "import asyncio\nawait asyncio.gather(api.pets.get(), return_exceptions=True)": "catch RuntimeError in an `async def`",
    "import asyncio\nasyncio.create_task(api.pets.get())": "without create_task",
    "def f():\n    yield 1": "Append to a list",
    "x = {'a': 1}\ndel x['a']": "values.pop(key)",
    "import statistics": "sum(x) / len(x)",
    "import uuid": "random.getrandbits(128)",
    "class Failed(Exception): pass": "a class without a base",
    "async def f():\n    async with g(): pass": "Use asyncio.gather",
    "class A:\n    @property\n    def a(self): pass": "Write a plain method",
    "import numpy": "There is Python without generators",
    "dir(api)": "There is Python without generators",
}


@pytest.mark.parametrize(("code", "advice"), MISSING.items())
def test_what_does_not_exist_has_an_alternative(api: Api, code: str, advice: str) -> None:
    """The use of what the sandbox does not have is answered with the alternative."""
    made = run(scripts(api), code)
    assert made.is_error
    assert advice in made.text
    assert api.requests == []


def test_the_alternatives_exist(api: Api) -> None:
    """What the description of the tool and the errors name exists in the sandbox."""
    modules = "json, re, math, datetime, collections, itertools, functools, random, base64, hashlib, time, asyncio"
    assert all(f"{name}," in AVAILABLE or f"{name} " in AVAILABLE for name in modules.split(", "))
    code = f"""
import {modules}
x = [3, 1, 2]
async def safe(call):
    try:
        return await call
    except RuntimeError as error:
        return str(error)
mean, median = sum(x) / len(x), sorted(x)[len(x) // 2]
uuid = f'{{random.getrandbits(128):032x}}'
[mean, median, len(uuid), {{'a': 1}}.pop('a'), await asyncio.gather(safe(api.pets.eraseById(id=1)))]
"""
    text = run(scripts(api), code).text
    assert text.startswith('[2.0,2,32,1,["Error: pets_eraseById may destroy data')


def test_a_large_namespace_is_cut_to_the_code() -> None:
    """The namespace of a script contains only elements that occur in its code."""
    assert scripts(Api()).functions.tree("await api.pets.get()") == {"pets": {"get": "pets_get"}}
    assert scripts(Api()).functions.tree("api.pets.other()") == {"pets": {}}


def test_the_examples_of_the_page_run(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The examples of docs/code-mode.md run: those in Python, then the code of a model in a script."""
    *shown, script = [each.code for each in examples(root / "docs" / "code-mode.md")]
    answers = {"description": "", "content": {"application/json": {"schema": {}}}}
    status = {"name": "status", "in": "query", "schema": {"type": "string"}}
    pet_id = {"name": "petId", "in": "path", "required": True, "schema": {"type": "integer"}}
    app = specfn.load(
        {
            "openapi": "3.1.0",
            "info": {"title": "Pets", "version": "1"},
            "components": {"securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}}},
            "paths": {
                "/pets": {"get": {"parameters": [status], "responses": {"200": answers}}},
                "/pets/{petId}": {"get": {"parameters": [pet_id], "responses": {"200": answers}}},
            },
        }
    )

    def reply(request: httpx.Request) -> httpx.Response:
        rex = {"id": 7, "name": "Rex"}
        return httpx.Response(200, json=[rex] if request.url.path.endswith("/pets") else rex)

    client = httpx.Client(transport=httpx.MockTransport(reply))
    connection = specfn.Connection(base_url="https://api.example", client=client)
    names = {"app": app, "connection": connection}
    for code in shown:
        exec(compile(code, "example", "exec"), names)
    assert capsys.readouterr().out.endswith("Rex\n")
    assert run(scripts(Api(reply=reply), functions=app), script).text == '["Rex"]'


def accessors(*paths: str, **operation: Any) -> specfn.Application:
    """An API with a POST for each path."""
    posts = {
        path: {"post": {"responses": {"200": {"description": ""}}, **operation}} for path in paths
    }
    return specfn.load({**DOCUMENT, "paths": posts})


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("await api.v2.tks.bulkPurge.post()", "Did you mean api.v2.tks_bulkPurge.post?"),
        ("api.v2.tks.lists", "api.v2.tks has no lists; it has list. Did you mean api.v2.tks.list?"),
        ("api.v3.tks", "api has no v3; it has v2."),
    ],
)
def test_an_unknown_attribute_names_what_is_there(api: Api, code: str, reason: str) -> None:
    """An unknown attribute is an error with what its namespace has, and the place that was probably meant."""
    functions = accessors("/v2/tks/list", "/v2/tks_bulkPurge")
    assert reason in run(scripts(api, functions=functions), code).text


def paged() -> specfn.Application:
    """An API with pages by a cursor, in the body or in a header."""
    token = {"name": "cursor", "in": "query", "schema": {"type": "string"}}
    page = {
        "type": "object",
        "properties": {
            "items": {"type": "array", "items": {"type": "object"}},
            "next_cursor": {"type": "string"},
        },
    }
    content = {"application/json": {"schema": page}}
    listed = {"parameters": [token], "responses": {"200": {"description": "", "content": content}}}
    return specfn.load({**DOCUMENT, "paths": {"/pets": {"get": listed}}})


def test_a_call_with_a_next_page_says_so_until_it_is_read(api: Api) -> None:
    """The result of a script names the arguments of a next page that the script did not read."""

    def page(request: httpx.Request) -> httpx.Response:
        last = request.url.params.get("cursor") == "b"
        following = {} if last else {"next_cursor": "b"}
        return httpx.Response(200, json={"items": [{"id": 1}], **following})

    api.reply = page
    first = run(scripts(api, functions=paged()), "len((await api.pets.get())['items'])")
    assert first.text == (
        "1\napi.pets.get: next page: query={'cursor': 'b'}; all: async for item in pages(api.pets.get)"
    )
    both = "await api.pets.get()\nlen((await api.pets.get(query={'cursor': 'b'}))['items'])"
    assert run(scripts(api, functions=paged()), both).text == "1"


@pytest.mark.parametrize("status", [404, 400, 500])
def test_a_page_that_nothing_announced_may_be_after_the_end(api: Api, status: int) -> None:
    """Pages by number end without an error at the first page that does not exist, and with an error at any other fault."""
    number = {"name": "page", "in": "query", "schema": {"type": "integer"}}
    size = {"name": "per_page", "in": "query", "schema": {"type": "integer", "default": 1}}
    items = {"type": "array", "items": {"type": "object"}}
    content = {"application/json": {"schema": items}}
    listed = {
        "parameters": [number, size],
        "responses": {"200": {"description": "", "content": content}},
    }
    functions = specfn.load({**DOCUMENT, "paths": {"/pets": {"get": listed}}})

    def page(request: httpx.Request) -> httpx.Response:
        count = int(request.url.params.get("page", "1"))
        return httpx.Response(200, json=[{"id": count}]) if count < 3 else httpx.Response(status)

    api.reply = page
    result = run(scripts(api, functions=functions), "[x['id'] async for x in pages(api.pets.get)]")
    assert result.is_error is (status == 500)
    assert result.text.startswith("[1,2]") is (status < 500)
    assert ("there may be more items" in result.text) is (status == 400)


def test_a_next_page_that_cannot_be_requested_is_no_end_without_a_word(api: Api) -> None:
    """If the response announces a page that no arguments request, the items read so far end with a line that says so."""
    api.reply = lambda _: httpx.Response(200, json={"items": [{"id": 1}], "next_cursor": ["b"]})
    code = "[x['id'] async for x in pages(api.pets.get)]"
    result = run(scripts(api, functions=paged()), code)
    assert result.text.startswith("[1]\napi.pets.get: There is a next page, but ")


def three_pages(request: httpx.Request) -> httpx.Response:
    """Return one of three pages with two items each."""
    cursor = request.url.params.get("cursor", "a")
    following = {"a": "b", "b": "c"}.get(cursor)
    items = [{"id": cursor + number} for number in "12"]
    return httpx.Response(
        200, json={"items": items, **({"next_cursor": following} if following else {})}
    )


#: Code whose result is ``r``.
LOOPS = [
    "r = []\nasync for x in pages(api.pets.get):\n    r.append(x['id'])",
    "r = []\nasync for x in pages(api.pets.get, query={'cursor': 'b'}): r.append(x['id'])",
    "r = []\nasync  for x in pages(\n    api.pets.get,  # in: all\n):\n    r.append(x['id'])\nelse:\n    r.append('end')",
    "r = [x['id'] async for x in pages(api.pets.get) if 'a' in x['id']]",
    "r = {'ä: in': [x['id'] async for x in pages(api.pets.get)]}",
    "r = [x['id'] + y async for x in pages(api.pets.get) for y in 'xy' if x['id'] not in ('a1',)]",
    "r = [[x['id'], y['id']] async for x in pages(api.pets.get) async for y in pages(api.pets.get, query={'cursor': 'c'})]",
    "r = {x['id']: len(x) async for x in pages(api.pets.get)}",
    "r = [f'({1}']\nasync for x in pages(api.pets.get):\n    r.append(f'{x[\"id\"]})')",
    "r = [f'[{x[\"id\"]}, ' async for x in pages(api.pets.get) if f'{1}:']",
    "r = [f'{1} in', f'{2} async']\nasync for x in pages(api.pets.get): r.append(x['id'])",
    (
        "async def f():\n    'async for x in y:'\n    r = 0\n    async for x in pages(api.pets.get):\n"
        "        async for y in pages(api.pets.get):\n            r += x['id'] < y['id']\n    return r\nr = await f()"
    ),
]


@pytest.mark.parametrize("code", LOOPS)
def test_a_loop_over_pages_reads_all_items(api: Api, code: str) -> None:
    """``async for`` over ``pages`` does what it does in Python with an asynchronous generator."""

    async def get(query: dict[str, str]) -> Any:
        request = httpx.Request("GET", "http://a.example", params=query)
        return three_pages(request).json()

    async def pages(function: Any, query: Any = None) -> Any:
        query = dict(query or {})
        while query is not None:
            page = await function(query)
            for item in page["items"]:
                yield item
            query = {"cursor": page["next_cursor"]} if "next_cursor" in page else None

    values = {"api": SimpleNamespace(pets=SimpleNamespace(get=get)), "pages": pages}
    compiled = compile(code, "code", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    pending = types.FunctionType(compiled, values)()
    if pending is not None:
        asyncio.run(pending)
    api.reply = three_pages
    ended = run(scripts(api, functions=paged()), f"{code}\nr")
    assert json.loads(ended.text) == values["r"]


@pytest.mark.parametrize("kind", [STRING, COMMENT])
@pytest.mark.parametrize("text", ["(", ")", "[", "]", ":", "in", "async", "for"])
def test_texts_that_equal_signs_do_not_change_where_a_loop_ends(kind: int, text: str) -> None:
    """Only signs and words of the code count, not texts of f-strings, which are tokens of newer Pythons."""

    def edits(within: Sequence[tuple[int, str]]) -> list[str]:
        signs = [(NAME, "async"), (NAME, "for"), (NAME, "x"), *within, (NAME, "in"), *within]
        rows = [*within, *signs, (NAME, "y"), *within, (OP, ":"), (NAME, "pass")]
        tokens = [
            TokenInfo(row[0], row[1], (1, 9 * place), (1, 9 * place + len(row[1])), "")
            for place, row in enumerate(rows)
        ]
        return [change for _, _, change in _for_edits(tokens)]

    assert edits([(kind, text)]) == edits([]) == ["", " await (", ")"]


@pytest.mark.parametrize("code", ["async for \ud800 in x: pass", "async for x in y:\n  '\ud800'"])
def test_a_loop_with_half_a_character_is_an_error_of_the_code(api: Api, code: str) -> None:
    """A character that no file can contain is explained, never an exception of the host."""
    assert run(scripts(api, functions=paged()), code).is_error


def test_pages_can_be_awaited_as_a_list(api: Api) -> None:
    """``await pages(...)`` is the list of all items; calls of it run together."""
    api.reply = three_pages
    code = "import asyncio\na, b = await asyncio.gather(pages(api.pets.get), pages(api.pets.get, query={'cursor': 'c'}))\n[len(a), len(b)]"
    assert run(scripts(api, functions=paged()), code).text == "[6,2]"


def test_pages_end_at_a_repeated_page(api: Api) -> None:
    """A server that repeats a page does not add its items again, and is not asked forever."""
    api.reply = lambda _: httpx.Response(200, json={"items": [{"id": 1}], "next_cursor": "b"})
    assert run(scripts(api, functions=paged()), "len(await pages(api.pets.get))").text.startswith(
        "1"
    )
    assert len(api.requests) <= 3


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("await pages(api.pets.get())", "pages needs a function, not a call of it"),
        ("await pages(api.pets.get, query={'cursor': 1, 'x': 2})", "The arguments are invalid"),
        ("async for x in pages(api.pets.get):\n    1 / 0", "Error in line 2: ZeroDivisionError"),
        ("async for x in pages(api.pets.get)", "Error in line 1"),
        ("async for x in (1", "Error in line 1"),
    ],
)
def test_a_wrong_loop_over_pages_is_explained(api: Api, code: str, reason: str) -> None:
    """The error of a loop over pages names its line and what is wrong."""
    api.reply = three_pages
    ended = run(scripts(api, functions=paged()), code)
    assert ended.is_error
    assert reason in ended.text


def test_a_response_without_a_known_list_has_no_items(api: Api) -> None:
    """Items are never guessed: a response with two lists is an error that names the other way."""
    api.reply = lambda _: httpx.Response(200, json={"a": [1], "b": [2]})
    text = run(scripts(api), "await pages(api.pets.getById, id=1)").text
    assert "nothing says which list" in text


def test_a_remark_on_an_accepted_call_ends_when_its_status_is_read(api: Api) -> None:
    """A script that reads the status of its accepted call is not told to read it."""
    job = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    answer = {"responses": {"200": {"description": ""}}}
    paths = {"/jobs": {"get": answer}, "/jobs/{id}": {"parameters": [job], "get": answer}}

    def reply(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/jobs"):
            return httpx.Response(202, headers={"location": "/v1/jobs/7"}, json={})
        return httpx.Response(200, json={"state": "done"})

    api.reply = reply
    functions = specfn.load({**DOCUMENT, "paths": paths})
    started = run(scripts(api, functions=functions), "await api.jobs.get()").text
    assert "To read its status, call api.jobs.getById" in started
    code = "await api.jobs.get()\n(await api.jobs.getById(id='7'))['state']"
    assert run(scripts(api, functions=functions), code).text == "done"


def test_only_the_best_two_results_have_signatures(api: Api) -> None:
    """A search in mode code writes the signatures of the best two functions, and one line for each other."""
    text = scripts(api).functions.search("pet", 4)
    assert sum(line.startswith("# api.pets.") for line in text.splitlines()) == 4
    assert text.count("async def") == 2


def nested(values: int) -> Any:
    """Return two functions with an argument of some values; the result of one has three levels of named objects."""

    def named(name: str, **members: Any) -> Any:
        filled = {f"{name}_{n}": {"type": "string"} for n in range(40)}
        return {"type": "object", "properties": {**filled, **members}}

    schemas = {
        "Top": named("top", middle={"$ref": "#/components/schemas/Middle"}),
        "Middle": named("middle", deep={"$ref": "#/components/schemas/Deep"}),
        "Deep": named("deep"),
        "Low": named("low"),
    }
    kind = {"name": "kind", "in": "query", "schema": {"enum": [f"k{n}" for n in range(values)]}}

    def get(word: str, name: str) -> Any:
        schema = {"$ref": f"#/components/schemas/{name}"}
        content = {"application/json": {"schema": schema}}
        responses = {"200": {"description": "", "content": content}}
        return {"get": {"summary": f"Get a {word}", "parameters": [kind], "responses": responses}}

    paths = {"/top": get("thing on top", "Top"), "/low": get("low thing", "Low")}
    components = {**DOCUMENT["components"], "schemas": schemas}
    return specfn.load({**DOCUMENT, "paths": paths, "components": components})


def test_signatures_of_a_search_are_short(api: Api) -> None:
    """Deep types of a result are ``Any``, but not those that are near to the result of another function."""
    text = scripts(api, functions=nested(3)).functions.search("get a low thing", 5)
    lines = text.splitlines()
    assert "    middle: Middle" in lines
    assert "    deep: Any" in lines
    assert "async def api.low.get(*, query: LowGetQuery = ...) -> Low:" in lines
    assert "class Low(TypedDict, total=False):" in lines


def test_many_values_are_cut(api: Api) -> None:
    """A search writes the first of many values, and their number."""
    text = scripts(api, functions=nested(50)).functions.search("get a thing", 5)
    assert "'k19', ... 30 more]" in text
    assert "'k20'" not in text
