"""The packages of three vendors, unmodified, carry conversations to a local server that speaks their protocols."""

import asyncio
import gc
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.live.model_server import ANSWER, Faults, model_server
from tests.strict_shop.server import Server, serve

import specfn
from specfn import calling

pytestmark = pytest.mark.filterwarnings("ignore")  # the packages' own

MODEL = "some-model"


@pytest.fixture(scope="module")
def shop() -> Iterator[Server]:
    with serve() as server:
        yield server


@pytest.fixture
def model() -> Iterator[tuple[str, Faults]]:
    with model_server() as running:
        yield running
    gc.collect()  # what a package leaves open warns here, and not in another test


def chat(url: str, *, stream: bool, asynchronous: bool) -> Callable[[dict[str, Any]], Any]:
    """The ``openai`` package, Chat Completions."""
    openai = pytest.importorskip("openai")
    kind = openai.AsyncOpenAI if asynchronous else openai.OpenAI
    client = kind(base_url=f"{url}/v1", api_key="key", max_retries=0)
    return lambda request: client.chat.completions.create(**request, stream=stream)


def responses(url: str, *, stream: bool, asynchronous: bool) -> Callable[[dict[str, Any]], Any]:
    """The ``openai`` package, Responses."""
    openai = pytest.importorskip("openai")
    kind = openai.AsyncOpenAI if asynchronous else openai.OpenAI
    client = kind(base_url=f"{url}/v1", api_key="key", max_retries=0)
    return lambda request: client.responses.create(**request, stream=stream)


def messages(url: str, *, stream: bool, asynchronous: bool) -> Callable[[dict[str, Any]], Any]:
    """The ``anthropic`` package."""
    anthropic = pytest.importorskip("anthropic")
    kind = anthropic.AsyncAnthropic if asynchronous else anthropic.Anthropic
    client = kind(base_url=url, api_key="key", max_retries=0)
    return lambda request: client.messages.create(**request, stream=stream)


def generate(url: str, *, stream: bool, asynchronous: bool) -> Callable[[dict[str, Any]], Any]:
    """The ``google-genai`` package: what stands beside the contents goes into its ``config``."""
    genai = pytest.importorskip("google.genai")
    client = genai.Client(api_key="key", http_options={"base_url": url})

    def send(request: dict[str, Any]) -> Any:
        models = client.aio.models if asynchronous else client.models
        call = models.generate_content_stream if stream else models.generate_content
        beside = {key: request[key] for key in request.keys() - {"model", "contents"}}
        return call(model=request["model"], contents=request["contents"], config=beside)

    return send


CLIENTS = {
    "openai": chat,
    "openai-responses": responses,
    "anthropic": messages,
    "gemini": generate,
}


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("connector", sorted(CLIENTS))
def test_a_model_errs_is_corrected_and_calls(
    shop: Server,
    model: tuple[str, Faults],
    connector: str,
    *,
    stream: bool,
    asynchronous: bool,
) -> None:
    """A bad name is repaired, bad arguments are answered, the right calls are executed, and words end it."""
    url, faults = model
    send = CLIENTS[connector](url, stream=stream, asynchronous=asynchronous)
    app = specfn.load(shop.document_url)
    settings: dict[str, Any] = {
        "connector": connector,
        "model": MODEL,
        "messages": "Put a lamp into the shop, and look whether it is there.",
        "connection": specfn.Connection(base_url=shop.base_url, credentials={"bearer": shop.token}),
        "approve": lambda _: True,
    }
    before = len(shop.received)
    if asynchronous:
        outcome = asyncio.run(calling.arun(app, send, **settings))
    else:
        outcome = calling.run(app, send, **settings)
    assert faults == []
    assert (outcome.text, outcome.stopped, outcome.rounds) == (ANSWER, "model_text", 4)
    assert [(call.function, call.how, call.executed) for call in outcome.calls] == [
        ("products_post", "separator", False),
        ("products_post", "exact", False),
        ("products_post", "exact", True),
        ("products_get", "exact", True),
    ]
    assert [call.status for call in outcome.calls] == [None, None, 201, 200]
    assert outcome.calls[2].data["price"] == 49.9  # "49.9" was read as the number
    assert len(shop.received) - before == 2


def test_bedrock_accepts_what_is_sent(shop: Server) -> None:
    """Requests hold against Bedrock's own service model, replies of its shape are read, and a failed call is flagged."""
    stubs = pytest.importorskip("botocore.stub")
    client = (
        pytest.importorskip("botocore.session")
        .get_session()
        .create_client(
            "bedrock-runtime",
            region_name="us-east-1",
            aws_access_key_id="x",
            aws_secret_access_key="x",
        )
    )
    replies = [
        [{"toolUse": {"toolUseId": "t1", "name": "products.post", "input": {"body": {}}}}],
        [{"toolUse": {"toolUseId": "t2", "name": "products_get", "input": {}}}],
        [{"text": ANSWER}],
    ]
    requests: list[dict[str, Any]] = []
    with stubs.Stubber(client) as stub:
        for content in replies:
            stub.add_response(
                "converse",
                {
                    "output": {"message": {"role": "assistant", "content": content}},
                    "stopReason": "tool_use" if "toolUse" in content[0] else "end_turn",
                    "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2},
                    "metrics": {"latencyMs": 1},
                },
            )

        def send(request: dict[str, Any]) -> Any:
            requests.append(request)
            return client.converse(**request)  # botocore holds it against its service model

        outcome = calling.run(
            specfn.load(shop.document_url),
            send,
            connector="bedrock",
            model=MODEL,
            messages="x",
            connection=specfn.Connection(
                base_url=shop.base_url, credentials={"bearer": shop.token}
            ),
            approve=lambda _: True,
        )
    assert (outcome.text, [call.executed for call in outcome.calls]) == (ANSWER, [False, True])
    failed = requests[1]["messages"][-1]["content"][0]["toolResult"]
    assert failed["status"] == "error"


def test_a_cut_reply_is_not_executed(shop: Server) -> None:
    """Of a real client's object that says that it was cut, nothing is executed."""
    types = pytest.importorskip("openai.types.chat")
    reply = types.ChatCompletion.model_validate(
        {
            "id": "x",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "length",
                    "message": {
                        "role": "assistant",
                        "content": None,
                        "tool_calls": [
                            {
                                "id": "c1",
                                "type": "function",
                                "function": {"name": "products_get", "arguments": "{"},
                            }
                        ],
                    },
                }
            ],
        }
    )
    app = specfn.load(shop.document_url)
    before = len(shop.received)
    outcome = calling.run(
        app,
        lambda _: reply,
        connection=specfn.Connection(base_url=shop.base_url, credentials={"bearer": shop.token}),
        connector="openai",
        messages="x",
        config=calling.InvocationConfig(max_rounds=1, on_limit="stop"),
    )
    assert (outcome.executed, len(shop.received) - before) == ((), 0)


def test_a_refusal_ends_the_conversation(shop: Server) -> None:
    """A real client's object that refuses ends the conversation as refused."""
    types = pytest.importorskip("anthropic.types")
    reply = types.Message.model_validate(
        {
            "id": "x",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": [{"type": "text", "text": "No."}],
            "stop_reason": "refusal",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
    )
    app = specfn.load(shop.document_url)
    outcome = calling.run(
        app,
        lambda _: reply,
        connection=specfn.Connection(base_url=shop.base_url, credentials={"bearer": shop.token}),
        connector="anthropic",
        messages="x",
    )
    assert (outcome.stopped, outcome.text) == ("refused", "No.")
