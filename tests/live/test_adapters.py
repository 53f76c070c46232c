"""The real agent frameworks with scripted models: a model receives the text of specfn, unchanged."""

import asyncio
import json
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any
from uuid import uuid4

import pytest
from tests.live import frameworks
from tests.live.frameworks.scripted import Call
from tests.strict_shop import shop_document
from tests.strict_shop.server import Server, serve

import specfn
from specfn.application.bound import Bound

pytestmark = pytest.mark.filterwarnings("ignore")  # those of the frameworks

NOTHING = "Nothing was executed."


@pytest.fixture(scope="module")
def shop() -> Iterator[Server]:
    with serve() as server:
        yield server


#: The modules with the agents of the frameworks.
NAMES = {each.name for each in iter_modules(frameworks.__path__)} - {"scripted"}


#: The frameworks that pass arguments as objects only; broken JSON ends in their model classes.
OBJECTS_ONLY = {"fastmcp", "google_adk"}


@pytest.fixture(params=sorted(NAMES - OBJECTS_ONLY))
def text_framework(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=sorted(NAMES))
def framework(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@cache
def application() -> specfn.Application:
    return specfn.loads(shop_document.text())


def bind(shop: Server, **policy: Any) -> Bound:
    connection = specfn.Connection(base_url=shop.base_url, credentials={"bearer": shop.token})
    return application().bind(connection, profile="portable", **policy)


def agent(framework: str) -> Any:
    """Return the module with the agent of a framework."""
    return import_module(f"tests.live.frameworks.{framework}")


def received(framework: str, bound: Bound, *calls: Call) -> list[str]:
    """Return the texts that the model of a framework receives for its calls."""
    texts: list[str] = asyncio.run(agent(framework).drive(bound, calls))
    return texts


def check(framework: str, shop: Server, call: Call, kind: str, **policy: Any) -> str:
    """Return the text of one call, which is that of ``outcome``."""
    requests = len(shop.received)
    [text] = received(framework, bind(shop, **policy), call)
    sent = len(shop.received) - requests
    expected = bind(shop, **policy)[call.name].outcome(call.sent)
    assert (text, kind) == (expected.text, expected.kind)
    assert sent == (1 if kind in {"answered", "http_error"} else 0)
    return text


@pytest.mark.parametrize(
    "sent",
    [
        '{"query": {"limit": "many"}}',
        '{"query": {"sort": "color"}, "colour": 1}',
        '{"query": 7}',
        "{}",
        '{"productId": 12, "query": {}}',
    ],
)
def test_a_bad_call_is_explained(framework: str, shop: Server, sent: str) -> None:
    """The model receives the feedback of specfn for invalid arguments; nothing is sent."""
    text = check(framework, shop, Call("products_price_getByProductId", sent), "invalid")
    assert "productId" in text


def test_broken_json_is_repaired(text_framework: str, shop: Server) -> None:
    """Arguments with unambiguous mistakes of syntax and type are sent."""
    call = Call("products_get", "```json\n{'query': {'limit': '2', 'sort': 'price',},}\n```")
    assert '"total"' in check(text_framework, shop, call, "answered")


@pytest.mark.parametrize("sent", ['{"query": {"limit": 2', "show me all products", '{"query" 2}'])
def test_broken_json_is_explained(text_framework: str, shop: Server, sent: str) -> None:
    """The model receives the feedback of specfn for a text that cannot be repaired."""
    outcome = bind(shop, allow={"write"})["products_post"].outcome(sent)
    assert outcome.kind == "invalid"
    check(text_framework, shop, Call("products_post", sent), "invalid", allow={"write"})


def test_a_good_call_is_answered(framework: str, shop: Server) -> None:
    """The model receives the response of the server."""
    text = check(framework, shop, Call("products_get", '{"query": {"limit": 1}}'), "answered")
    assert '"status":200' in text


def test_a_streamed_run_has_the_same_texts(shop: Server) -> None:
    """A run of the OpenAI Agents SDK that streams gives the model the texts of one that does not."""
    calls = [Call("products_get", sent) for sent in ("{}", '{"query": {"limit": "x"}}', "all")]
    streamed = asyncio.run(agent("openai_agents").drive_stream(bind(shop), calls))
    assert streamed == received("openai_agents", bind(shop), *calls)
    assert len(streamed) == len(calls)


@pytest.mark.parametrize("policy", [{"ask": False}, {"approve": lambda _request: False}])
def test_a_refusal_is_explained(framework: str, shop: Server, policy: Any) -> None:
    """The model receives the reason of a refusal; nothing is sent."""
    call = Call("products_eraseByProductId", f'{{"productId": "{uuid4()}"}}')
    assert NOTHING in check(framework, shop, call, "refused", **policy)


def test_a_404_is_an_answer(framework: str, shop: Server) -> None:
    """The model receives the response of the server with its status."""
    call = Call("products_getByProductId", f'{{"productId": "{uuid4()}"}}')
    assert '"status":404' in check(framework, shop, call, "http_error")


def test_a_model_corrects_its_call(framework: str, shop: Server) -> None:
    """Feedback does not end the run: the model's next call is answered."""
    bad, good = '{"query": {"limit": "x"}}', '{"query": {"limit": 1}}'
    broken = bad if framework in OBJECTS_ONLY else "all"
    sent = [bad, broken, bad, broken, bad, broken, good]
    texts = received(framework, bind(shop), *[Call("products_get", each) for each in sent])
    assert ['"status":200' in text for text in texts] == [False] * 6 + [True]


def test_an_object_as_a_text_is_repaired(framework: str, shop: Server) -> None:
    """An object that the model sent as a text is repaired."""
    sent = json.dumps({"query": '{"limit": "2", "sort": "price"}'})
    assert '"total"' in check(framework, shop, Call("products_get", sent), "answered")


#: Names that frameworks use for parameters of their own.
TAKEN = "self cls ctx context config run_manager callbacks args kwargs sent input raw name".split()
RESERVED = {
    "openapi": "3.1.0",
    "info": {"title": "Names", "version": "1"},
    "paths": {
        "/" + "/".join(f"{{{name}}}" for name in TAKEN): {
            "get": {
                "parameters": [
                    {"name": name, "in": "path", "required": True, "schema": {"type": "integer"}}
                    for name in TAKEN
                ],
                "responses": {"200": {"description": "OK"}},
            }
        }
    },
}


@pytest.mark.parametrize("value", [1, "1", "one", None])
def test_an_argument_may_have_any_name(framework: str, value: Any) -> None:
    """Arguments with the names of a framework's own parameters reach specfn."""
    app = specfn.loads(json.dumps(RESERVED))
    [function] = app.functions
    arguments = dict.fromkeys(function.parameters["properties"], value)
    assert set(arguments) == set(TAKEN)
    bound = app.bind(specfn.Connection(base_url="http://127.0.0.1:1"))
    expected = bound[function.name].outcome(arguments)
    assert expected.kind == ("unreachable" if value in {1, "1"} else "invalid")
    call = Call(function.name, json.dumps(arguments))
    assert received(framework, bound, call) == [expected.text]


@pytest.mark.parametrize(
    "sent", ['{"raw": "one"}', '{"raw": 1}', "one", "1", "[1]", '"1"', "{}", ""]
)
def test_a_single_argument_may_have_any_name(framework: str, sent: str) -> None:
    """A text is not taken for an argument, nor an argument for a text.

    The Microsoft Agent Framework passes a text as the argument ``raw``, so it is left out. Some frameworks read an empty
    text as ``{}`` before the function is called.
    """
    paths = {
        "/{raw}": {
            "get": {
                "parameters": [
                    {"name": "raw", "in": "path", "required": True, "schema": {"type": "integer"}}
                ],
                "responses": {"200": {"description": "OK"}},
            }
        }
    }
    if framework in OBJECTS_ONLY | {"agent_framework"} and not sent.startswith("{"):
        sent = '{"raw": null}'
    app = specfn.loads(json.dumps(RESERVED | {"paths": paths}))
    bound = app.bind(specfn.Connection(base_url="http://127.0.0.1:1"))
    [name] = bound
    [text] = received(framework, bound, Call(name, sent))
    assert text in {bound[name].outcome(sent).text, bound[name].outcome(sent or {}).text}
