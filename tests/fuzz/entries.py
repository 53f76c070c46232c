"""What is fuzzed: four entries that read what others wrote. Each takes any bytes, and raises if a law does not hold.

An input begins with a head of a fixed number of bytes, which choose a function, a vendor or a header; the rest is the
text. ``mutate`` changes JSON as JSON as often as it changes bytes.
"""

import gzip
import json
import random
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import httpx
from tests.calling.models import REPLIES
from tests.damage import TEXTS
from tests.properties.test_mutations import BREAKAGES, JUNK, KEYS, use
from tests.properties.test_mutations import mutate as break_document
from tests.samples import Sampler

import specfn
from specfn import Application, Connection, InvocationConfig
from specfn.calling import replies
from specfn.calling.effects import Ask, CallResult, Done, Invoke, Send
from specfn.calling.session import Session
from specfn.connectors.registry import CODECS, codec
from specfn.document.read.load import read
from specfn.errors import DocumentError, LimitError, SpecfnError
from specfn.invocation.approval import Approve, Deny

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"

#: The most bytes of a fixture that is a seed.
MAX_SEED_BYTES = 20_000

#: Processor time for an input: three seconds, and ten more for each 100 KB.
SECONDS, SECONDS_PER_BYTE = 3.0, 10 / 100_000


@dataclass(frozen=True)
class Entry:
    """What is fuzzed: a check of any bytes, its seeds, and the number of bytes before the text."""

    check: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]
    head: int


def run(entry: Entry, data: bytes) -> None:
    """Check an input, and that it does not take more time than its size allows."""
    started = time.process_time()
    entry.check(data)
    seconds = time.process_time() - started
    assert seconds < SECONDS + SECONDS_PER_BYTE * len(data), f"{seconds:.1f} s for {len(data)} B"


def mutate(
    entry: Entry, data: bytes, rng: random.Random, mutate_bytes: Callable[[bytes], bytes]
) -> bytes:
    """Return an input that differs: in members of its JSON, in bytes of its text, or in its head."""
    head, text = data[: entry.head].ljust(entry.head, b"\0"), data[entry.head :]
    if head and rng.random() < 0.2:
        head = rng.randbytes(entry.head)
    if rng.random() < 0.5:
        with suppress(ValueError, RecursionError, TypeError):
            value = json.loads(text)
            for _ in range(rng.randint(1, 3)):
                words = rng.choice(KEYS), rng.choice(JUNK)
                places = rng.randrange(100_000), rng.randrange(100_000)
                break_document(value, (rng.choice(BREAKAGES), *places, *words))
            return head + json.dumps(value, ensure_ascii=rng.random() < 0.5).encode()
    return head + mutate_bytes(text)


def damage(text: bytes, rng: random.Random) -> bytes:
    """Return a text without some bytes, with some of them twice, or with others."""
    start, end = sorted(rng.randrange(len(text) + 1) for _ in range(2))
    end = min(end, start + rng.choice((1, 4, 64)))
    other = rng.choice((b"", text[start:end] * 2, rng.randbytes(end - start), *TOKENS))
    return text[:start] + other + text[end:]


#: What is inserted into texts, and the dictionary of the fuzzer.
TOKENS = [
    *(b'"', b"{", b"}", b"[", b"]", b":", b",", b"\\u", b"\\", b"\\ud800", b"'", b"`", b"```json\n", b"//", b"/*"),
    *(b"null", b"true", b"NaN", b"-Infinity", b"1e400", b"-0", b"1.0", b"9007199254740993", b"\xef\xbb\xbf"),
    *(b"data:", b"event:", b"id:", b"\n\n", b"\r", b"\x1e", b"\xff\xfe", b"\x1f\x8b", b"&a", b"*a", b"<<:", b"- "),
    *(b"<tool_call>", b"</tool_call>", b"functions.", b"$ref", b"#/", b"~1", b"%2F", b"__proto__", b"\xe2\x80\x9c"),
]  # fmt: skip


@cache
def applications() -> tuple[Application, ...]:
    """Return the fixtures as applications."""
    return tuple(specfn.load(path, options=None) for path in _fixtures())


def _fixtures() -> list[Path]:
    return [
        path
        for path in sorted(FIXTURES.iterdir())
        if path.suffix in {".json", ".yaml"} and ".expected." not in path.name
    ]


# -- documents --------------------------------------------------------------------------------------


def check_document(data: bytes) -> None:
    """Only a DocumentError escapes, or a LimitError of a document that is too large; what is loaded can be used."""
    try:
        application = specfn.loads(data)
    except (DocumentError, LimitError):
        return
    use(application)


def documents() -> list[bytes]:
    paths = [path for path in _fixtures() if path.stat().st_size < MAX_SEED_BYTES]
    return [
        *(path.read_bytes() for path in paths if path.suffix == ".yaml"),
        *(json.dumps(read(path).document, default=str).encode() for path in paths),
    ]


# -- texts of arguments -----------------------------------------------------------------------------


@cache
def functions() -> list[specfn.Function]:
    """Return functions with arguments, no two of the same validator."""
    unique = {
        json.dumps(each.validator): each
        for app in applications()
        for each in app
        if each.fault is None
    }
    return [each for text, each in unique.items() if len(text) > 100][:256]


def check_text(data: bytes) -> None:
    """Nothing escapes; a verdict is the same each time; valid JSON with valid arguments is never changed."""
    known = functions()
    function, content = known[(data or b"\0")[0] % len(known)], data[1:]
    text: str | bytes = content
    with suppress(UnicodeDecodeError):
        text = content.decode()
    outcome, again = function.check(text), function.check(text)
    assert exactly(outcome) == exactly(again)
    assert exactly(function.parse(text)) == exactly(function.parse(text))
    if outcome:
        assert function.validate(outcome.data)
        assert exactly(function.check(outcome.data).data) == exactly(outcome.data)
    else:
        assert outcome.feedback() == again.feedback()
        assert outcome.errors
    with suppress(ValueError, RecursionError):
        value = json.loads(
            content.decode(), object_pairs_hook=_unique, parse_constant=_refuse, parse_float=_exact
        )
        if function.validate(value):
            assert outcome, "valid arguments are refused"
            assert exactly(outcome.data) == exactly(value), "valid arguments are changed"


def exactly(value: Any) -> str:
    """Return a text that differs for ``1``, ``1.0`` and ``True``."""
    return (
        repr(value)
        if not isinstance(value, specfn.Success | specfn.Failure)
        else repr(vars_of(value))
    )


def vars_of(outcome: Any) -> list[Any]:
    return [getattr(outcome, name) for name in outcome.__slots__]


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError
    return dict(pairs)


def _refuse(_: str) -> Any:
    raise ValueError


def _exact(text: str) -> int | float:
    """Return a number that a float holds, or a whole number; any other text says nothing sure."""
    number = float(text)
    if number in (float("inf"), float("-inf"), 0):
        if set(text.lower().partition("e")[0]) & set("123456789"):
            raise ValueError
        return number
    exact = Fraction(text)
    if number.is_integer() and exact != number and exact.denominator > 1:
        raise ValueError
    return int(exact) if number.is_integer() and exact != number else number


def _plain(value: Any, _: random.Random) -> str:
    return json.dumps(value)


def texts() -> list[bytes]:
    plain = [
        *(
            '{"query": {"limit": 5}}',
            '{"body": {"name": "x", "tags": ["a"]}, "id": 7}',
            "{}",
            "null",
            "[]",
            '"{}"',
        ),
        *(
            "Sure!\n```json\n{\"query\": {'a': True,}}\n```",
            "{a: 1, // b\n}",
            '{"a": 1',
            'f(a=1, b="c")',
            "{“a”: 1}",
        ),
    ]
    values = [Sampler(each.validator, at, 0.9).draw() for at, each in enumerate(functions())]
    rng = random.Random(0)
    written = [
        (at, way(value, rng))
        for at, value in enumerate(values)
        for way in (_plain, *rng.sample(list(TEXTS.values()), 3))
    ]
    return [
        *(bytes([at]) + text.encode() for at in range(0, len(functions()), 9) for text in plain),
        *(bytes([at]) + text.encode() for at, text in written if text),
    ]


# -- responses --------------------------------------------------------------------------------------

MEDIA_TYPES = (
    *("application/json", "text/event-stream", "application/x-ndjson", "application/json-seq", "text/plain"),
    *("application/problem+json", "application/octet-stream", "text/csv; charset=utf-16", "image/png", ""),
    *("application/json; charset=latin1", "text/event-stream; charset=utf-16", "application/jsonl", "multipart/form-data; boundary=a"),
)  # fmt: skip
ENCODINGS = ("", "gzip", "deflate", "identity", "gzip, deflate", "x", "gzip, gzip")
STATUSES = (200, 201, 204, 206, 400, 404, 500, 302, 304, 429)
MAX_BYTES, MAX_EVENTS, MAX_CHARACTERS = 50_000, 50, 1_000
READ = {"openapi": "3.1.0", "paths": {"/a": {"get": {}}}}


@cache
def _reader() -> specfn.Function:
    return specfn.load(READ).functions[0]


def check_response(data: bytes) -> None:
    """Only a SpecfnError escapes; limits hold; neither data nor events depend on how the bytes arrive."""
    head, body = data[:4].ljust(4, b"\0"), data[4:]
    media_type, encoding = (
        MEDIA_TYPES[head[0] % len(MEDIA_TYPES)],
        ENCODINGS[head[1] % len(ENCODINGS)],
    )
    headers = {"content-type": media_type, "content-encoding": encoding}
    headers = {key: value for key, value in headers.items() if value}
    size = head[2] or 256

    def fetch(size: int, *, stream: bool) -> Any:
        def respond(_: httpx.Request) -> httpx.Response:
            chunks = (body[at : at + size] for at in range(0, len(body), size))
            return httpx.Response(
                STATUSES[head[3] % len(STATUSES)], headers=headers, content=chunks
            )

        limits: Any = {
            "base_url": "https://a.example",
            "max_bytes": MAX_BYTES,
            "max_events": MAX_EVENTS,
        }
        with httpx.Client(transport=httpx.MockTransport(respond)) as client:
            connection = Connection(client=client, **limits)
            if not stream:
                return specfn.propagate(_reader(), {}, connection)
            return list(_events(specfn.execute(_reader(), {}, connection, stream=True)))

    def outcome(size: int, *, stream: bool = False) -> Any:
        try:
            return fetch(size, stream=stream)
        except SpecfnError as error:
            return type(error), str(error)

    result = outcome(size)
    assert _shown(result) == _shown(outcome(max(1, len(body))))
    events = outcome(size, stream=True)
    assert repr(events) == repr(outcome(max(1, len(body)), stream=True))
    if isinstance(events, list):
        assert len(events) <= MAX_EVENTS
    if isinstance(result, specfn.Result):
        if isinstance(result.data, str | bytes | list):
            assert len(result.data) <= MAX_BYTES
        for limit in (200, MAX_CHARACTERS):
            text = result.for_model(limit)
            assert len(text) <= limit
            assert json.loads(text)["status"] == result.status


def _events(stream: Any) -> Iterator[Any]:
    with suppress(LimitError):
        yield from stream


def _shown(result: Any) -> Any:
    if isinstance(result, specfn.Result):
        return repr((result.status, result.media_type, result.data, result.truncated, result.notes))
    return result


def responses() -> list[bytes]:
    bodies = {
        0: [
            b'{"a": [1, 2.5, null, "\\ud800"], "b": {"c": NaN}}',
            b'{"a": 1}\n{"a": 2}\n',
            b'"x"',
            b"\xef\xbb\xbf[]",
        ],
        1: [
            b'event: a\nid: 1\ndata: {"n": 1}\ndata: 2\n\n: c\n\ndata: x\r\n\r\ndata: [DONE]\n\n',
            b"data: 1\n\n" * 60,
        ],
        2: [b'{"a": 1}\n\n{"a": \n[1]\r\n"x"', b"1\n" * 60],
        3: [b'\x1e{"a": 1}\n\x1e[2]\n\x1etru'],
        7: ["a,b\n1,é\n".encode("utf-16")],
        8: [b"\x89PNG\r\n\x1a\n" + bytes(20)],
        13: [b"--a\r\ncontent-type: text/plain\r\n\r\nx\r\n--a--\r\n"],
    }
    plain = [bytes([kind, 0, 7, 0]) + body for kind, some in bodies.items() for body in some]
    packed = [bytes([each[0], 1, 7, 0]) + gzip.compress(each[4:], mtime=0) for each in plain]
    return [*plain, *packed, bytes([0, 1, 0, 0]) + gzip.compress(b'["a"]' * 40_000, mtime=0)]


# -- replies of models ------------------------------------------------------------------------------


@cache
def _callable() -> tuple[Application, ...]:
    names = {"collisions", "names-long", "pairing", "groups", "keys"}
    paths = [path for path in _fixtures() if path.stem in names]
    return tuple(specfn.load(path) for path in paths)


def check_reply(data: bytes) -> None:
    """Only a SpecfnError escapes; a resolved call is one of the application, and each call gets one result."""
    head, content = data[:2].ljust(2, b"\0"), data[2:]
    try:
        reply = json.loads(content)
    except (ValueError, RecursionError):
        return
    application = _callable()[head[1] % len(_callable())]
    wire = codec(CODECS[head[0] % len(CODECS)])
    config = InvocationConfig(text_calls="read" if head[1] & 64 else "report", max_rounds=2)
    session = Session(application, connector=wire, messages="x", config=config)
    names = {entry.name for entry in application.entries}
    try:
        if isinstance(reply, list):
            reply = replies.gather(wire, reply)
        assert isinstance(session.next(), Send)
        session.feed(reply)
    except SpecfnError:
        return
    for _ in range(20):
        effect = session.next()
        if isinstance(effect, Ask):
            session.feed([Deny() if head[1] & 128 else Approve() for _ in effect.requests])
        elif isinstance(effect, Invoke):
            for call in effect.calls:
                assert call.entry is not None
                assert call.entry.name in names
                again = application.resolve(call.call["name"])
                assert again.name == call.entry.name
                assert call.entry.function.validate(call.arguments)
            session.feed([CallResult(text="{}", executed=True, status=200) for _ in effect.calls])
        else:
            break
    if isinstance(effect, Send):
        json.dumps(effect.request)
    assert isinstance(effect, Send | Done)
    calls = [call["id"] for message in session.messages for call in message.get("calls", ())]
    results = [item["id"] for message in session.messages for item in message.get("results", ())]
    assert sorted(calls) == sorted(results)
    assert len(set(calls)) == len(calls)
    json.dumps(session.dump())


def model_replies() -> list[bytes]:
    seeds = []
    for at, name in enumerate(CODECS):
        say = REPLIES.get(name, REPLIES["openai"])
        for number, application in enumerate(_callable()):
            called = [entry.name for entry in application.entries]
            for word in (called[0], called[-1].upper(), f"functions.{called[0]}", "nothing"):
                reply = say("a", [("c1", word, {"query": {"a": "1"}}), ("c1", called[0], "{}")])
                seeds.append(bytes([at, number]) + json.dumps(reply).encode())
            said = say(f'<tool_call>{{"name": "{called[0]}", "arguments": {{}}}}</tool_call>', [])
            seeds.append(bytes([at, number | 64]) + json.dumps(said).encode())
    name = _callable()[0].entries[0].name
    call = {"function": {"arguments": "{}", "name": name}, "id": "c1", "index": 0}
    streams: dict[str, list[Any]] = {
        "openai": [{"choices": [{"delta": {"content": "a", "tool_calls": [call]}}]}, {"choices": [{"delta": {}, "finish_reason": "stop"}]}],
        "openai-responses": [
            {"type": "response.output_item.added", "output_index": 0, "item": {"type": "function_call", "call_id": "c", "name": name, "arguments": ""}},
            {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": "{}"},
            {"type": "response.completed", "response": REPLIES["openai-responses"]("a", [("c", name, {})])},
        ],
        "anthropic": [
            {"type": "message_start", "message": {}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "c", "name": name, "input": {}}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "{}"}},
            {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 1}},
        ],
        "gemini": [REPLIES["gemini"]("a", [("c", name, {})])],
        "bedrock": [
            {"contentBlockStart": {"contentBlockIndex": 0, "start": {"toolUse": {"toolUseId": "c", "name": name}}}},
            {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"toolUse": {"input": "{}"}}}},
            {"messageStop": {"stopReason": "tool_use"}},
        ],
    }  # fmt: skip
    seeds += [
        bytes([CODECS.index(key), 0]) + json.dumps(value).encode() for key, value in streams.items()
    ]
    return seeds


ENTRIES = {
    "documents": Entry(check_document, documents, 0),
    "texts": Entry(check_text, texts, 1),
    "responses": Entry(check_response, responses, 4),
    "replies": Entry(check_reply, model_replies, 2),
}
