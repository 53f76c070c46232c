"""Twenty conversations that go wrong, each carried out in the types of every vendor's package, whole and streamed."""

import importlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest
from tests.live.vendor_types import Json
from tests.live.vendors import VENDORS, Line, Vendor
from tests.strict_shop.server import Server, serve

import specfn
from specfn import calling

pytestmark = pytest.mark.filterwarnings("ignore")  # the packages' own

LIST, CREATE, CATEGORIES = "products_get", "products_post", "categories_get"
LAMP = {"body": {"name": "Lamp", "price": 49.9, "stock": 3}}
DONE = Line("Done.")
READ = Line(calls=(("c1", LIST, {}),))
WRITE = Line(calls=(("c1", CREATE, LAMP),))
NEVER = calling.InvocationConfig(approval="never")

#: The sentence of each text that reports an unknown outcome.
UNKNOWN = "Whether it was executed is not known."

# -- the words of vendors -----------------------------------------------------------------------------

_CHAT = ("length", "model_length", "insufficient_system_resource", "abort", "max_tokens")
_TOKENS = ("max_tokens", "model_context_window_exceeded")

#: The words of a reply that was cut, by connector: also those of servers that speak the same format.
CUT: dict[str, Sequence[str]] = {
    "openai": _CHAT,
    "openai-functions": _CHAT,
    "openai-responses": ("incomplete",),
    "anthropic": _TOKENS,
    "gemini": ("MAX_TOKENS", "OTHER", "MISSING_THOUGHT_SIGNATURE"),
    "bedrock": _TOKENS,
}

_ENDS = ("stop", "tool_calls", "function_call", "eos", "eos_token", "end_turn", "COMPLETE", "")

#: The words of a complete reply.
ENDS: dict[str, Sequence[str]] = {
    "openai": _ENDS,
    "openai-functions": _ENDS,
    "openai-responses": ("completed", ""),
    "anthropic": ("tool_use", "end_turn", "stop_sequence", "stop", "tool_calls"),
    "gemini": ("STOP", "FINISH_REASON_UNSPECIFIED"),
    "bedrock": ("tool_use", "end_turn", "stop_sequence"),
}

#: The words of a call that the vendor could not read.
MALFORMED = {
    "gemini": "MALFORMED_FUNCTION_CALL",
    "bedrock": "malformed_tool_use",
}

ODD = "odd_reason_7"


def ended_by(raw: Json, connector: str, word: str) -> Json:
    """Return a reply with another reason for its end."""
    if connector.startswith("openai-res"):
        reason = {"reason": "max_output_tokens"} if word == "incomplete" else None
        return {**raw, "status": word or None, "incomplete_details": reason}
    if connector == "anthropic":
        return {**raw, "stop_reason": word or None}
    if connector == "bedrock":
        return {**raw, "stopReason": word}
    if connector == "gemini":
        return {**raw, "candidates": [{**raw["candidates"][0], "finishReason": word}]}
    return {**raw, "choices": [{**raw["choices"][0], "finish_reason": word}]}


# -- replies as the packages build them ------------------------------------------------------------------

_BUILT = {
    "openai": ("openai", "openai.types.chat", "ChatCompletion", "ChatCompletionChunk"),
    "openai-functions": ("openai", "openai.types.chat", "ChatCompletion", "ChatCompletionChunk"),
    "openai-responses": ("openai", "openai.types.responses", "Response", "ResponseStreamEvent"),
    "anthropic": ("anthropic", "anthropic.types", "Message", "RawMessageStreamEvent"),
}


def as_built(vendor: Vendor, raw: Json, *, event: bool) -> Any:
    """Return JSON as the package makes it of a response: without a check of its values."""
    if vendor.connector not in _BUILT or vendor.profile == "mistral":
        return vendor.event(raw) if event else vendor.whole(raw)
    package, module, whole, part = _BUILT[vendor.connector]
    pytest.importorskip(package)
    kind = getattr(importlib.import_module(module), part if event else whole)
    build = importlib.import_module(f"{package}._models").construct_type
    return build(type_=kind, value=raw)


#: Changes the JSON of a reply; raises the error that the model's server raises.
Change = Callable[[Json, Vendor], Json]


class Model:
    """A model that says its lines; a line may have a change, or be an exception: in a stream after the first event."""

    def __init__(
        self,
        vendor: Vendor,
        lines: Sequence[Line | tuple[Line, Change] | Exception],
        *,
        stream: bool,
    ) -> None:
        self.vendor, self.stream, self.requests = vendor, stream, list[Json]()
        self._lines = list(lines)

    def __call__(self, request: Json) -> Any:
        self.requests.append(json.loads(json.dumps(request)))
        line = self._lines[len(self.requests) - 1]
        if isinstance(line, Exception):
            if not self.stream:
                raise line
            return self._broken(line)
        line, change = line if isinstance(line, tuple) else (line, lambda raw, _: raw)
        raw = change(self.vendor.raw(line), self.vendor)
        if not self.stream:
            return as_built(self.vendor, raw, event=False)
        return self._events(raw)

    def _events(self, raw: Json) -> Iterator[Any]:
        for event in self.vendor.events(raw):
            yield as_built(self.vendor, event, event=True)

    def _broken(self, error: Exception) -> Iterator[Any]:
        yield next(self._events(self.vendor.raw(DONE)))
        raise error

    def results(self, index: int = -1) -> list[str]:
        """Return the texts of the results in a request."""
        return [text for _, text in self.vendor.seen(self.requests[index]).results]


def word(text: str) -> Change:
    """Return the change to another reason for the end."""
    return lambda raw, vendor: ended_by(raw, vendor.connector, text)


@pytest.fixture(scope="module")
def shop() -> Iterator[Server]:
    with serve() as server:
        yield server


@pytest.fixture(scope="module")
def app(shop: Server) -> specfn.Application:
    return specfn.load(shop.document_url)


@pytest.fixture(scope="module")
def connection(shop: Server) -> specfn.Connection:
    return specfn.Connection(base_url=shop.base_url, credentials={"bearer": shop.token})


@pytest.fixture(params=VENDORS)
def vendor(request: pytest.FixtureRequest) -> Vendor:
    return VENDORS[request.param]


@pytest.fixture(params=[False, True], ids=["whole", "stream"])
def stream(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


class Talk:
    """A conversation of one vendor with the shop."""

    def __init__(
        self,
        vendor: Vendor,
        app: specfn.Application,
        shop: Server,
        connection: specfn.Connection,
        *,
        stream: bool,
    ) -> None:
        self.vendor, self.app, self.shop, self.connection = vendor, app, shop, connection
        self.stream = stream
        self._before = len(shop.received)

    def settings(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of a conversation."""
        own = {"connector": self.vendor.connector, "profile": self.vendor.profile, "config": NEVER}
        return {**own, "messages": "Look at the shop.", "model": "m", **given}

    def model(self, *lines: Any) -> Model:
        """Return a model with these lines."""
        return Model(self.vendor, lines, stream=self.stream)

    def run(self, *lines: Any, **settings: Any) -> tuple[calling.Outcome, Model]:
        """Carry a conversation out."""
        model = self.model(*lines)
        outcome = calling.run(
            self.app, model, connection=self.connection, **self.settings(settings)
        )
        return outcome, model

    @property
    def sent(self) -> int:
        """The number of requests that the shop received."""
        return len(self.shop.received) - self._before


@pytest.fixture
def talk(
    vendor: Vendor,
    app: specfn.Application,
    shop: Server,
    connection: specfn.Connection,
    *,
    stream: bool,
) -> Talk:
    return Talk(vendor, app, shop, connection, stream=stream)


# -- 1 to 6: reasons for the end of a reply ------------------------------------------------------------------


def test_a_cut_reply_changes_nothing(talk: Talk) -> None:
    """1: a reply that any of the vendor's words calls cut executes no call, not even one that reads."""
    for reason in CUT[talk.vendor.connector]:
        for line in (READ, WRITE):
            outcome, model = talk.run((line, word(reason)), DONE)
            assert [call.executed for call in outcome.calls] == [False], reason
            assert "cut off" in model.results()[0]
    assert talk.sent == 0


def test_the_words_of_other_servers_are_ends(talk: Talk) -> None:
    """2: a call of a reply that ended with the word of a compatible server is made."""
    for reason in ENDS[talk.vendor.connector]:
        if talk.stream and not reason:
            continue  # a stream without a reason was interrupted
        outcome, _ = talk.run((WRITE, word(reason)), DONE)
        assert [call.status for call in outcome.calls] == [201], reason
        assert not [item for item in outcome.degraded if "stop" in item]


def test_an_unknown_reason_executes_no_write(talk: Talk) -> None:
    """3: with a reason that no table knows, a write is not executed; the text and ``degraded`` name the reason."""
    outcome, model = talk.run((WRITE, word(ODD)), DONE)
    assert (talk.sent, outcome.calls[0].executed, outcome.text) == (0, False, "Done.")
    [text] = model.results()
    assert f'the stop reason "{ODD}" is unknown' in text.replace("\\", "")
    assert any(ODD in item for item in outcome.degraded)


def test_an_unknown_reason_executes_a_whole_read(talk: Talk) -> None:
    """4: with such a reason, a function that reads is called; ``degraded`` names the reason."""
    outcome, _ = talk.run((READ, word(ODD)), DONE)
    assert [call.status for call in outcome.calls] == [200]
    assert any(ODD in item for item in outcome.degraded)


def test_the_operator_adds_a_reason(talk: Talk) -> None:
    """5: ``finished_reasons`` names what a server calls an end."""
    config = NEVER.model_copy(update={"finished_reasons": (ODD,)})
    outcome, _ = talk.run((WRITE, word(ODD)), DONE, config=config)
    assert [call.status for call in outcome.calls] == [201]
    assert not [item for item in outcome.degraded if ODD in item]


def test_a_malformed_call_has_its_own_text(talk: Talk) -> None:
    """6: a call that the vendor could not read is not described as cut off."""
    reason = MALFORMED.get(talk.vendor.connector)
    if reason is None:
        pytest.skip("the vendor has no such reason")
    outcome, model = talk.run((READ, word(reason)), DONE)
    assert [call.executed for call in outcome.calls] == [False]
    assert "could not be read" in model.results()[0]
    assert "cut off" not in model.results()[0]


# -- 7 to 9: errors of the model's server ---------------------------------------------------------------------


class ServerError(Exception):
    """An error that the model's server raises."""


def test_an_error_carries_the_outcome_and_the_session_goes_on(talk: Talk) -> None:
    """7: after a write, an error of the next request says what was executed; the session sends the request again."""
    session = calling.Session(talk.app, **talk.settings({}))
    model = talk.model(WRITE, ServerError("busy"), DONE)
    with pytest.raises(ServerError) as caught:
        calling.run(session, model, connection=talk.connection)
    outcome = caught.value.specfn_outcome  # type: ignore[attr-defined]
    assert [call.status for call in outcome.executed] == [201]
    assert any(CREATE in note for note in caught.value.__notes__)
    outcome = calling.run(session, model, connection=talk.connection)
    assert (outcome.text, outcome.stopped, talk.sent) == ("Done.", "model_text", 1)
    assert model.requests[-1] == model.requests[-2]


def test_an_error_without_a_session_says_how_to_go_on(talk: Talk) -> None:
    """8: the messages of the error's outcome continue the conversation."""
    with pytest.raises(ServerError) as caught:
        talk.run(WRITE, ServerError("busy"))
    outcome = caught.value.specfn_outcome  # type: ignore[attr-defined]
    assert any("messages" in note for note in caught.value.__notes__)
    again, model = talk.run(DONE, messages=outcome.messages)
    assert (again.text, talk.sent, len(model.results())) == ("Done.", 1, 1)


def test_an_error_in_place_of_a_reply_is_such_an_error(talk: Talk) -> None:
    """9: a reply that reports an error, or that is none, carries the outcome, and the request can be sent again."""
    for bad in ({"error": {"type": "overloaded_error", "message": "busy"}}, {"hello": "world"}):
        session = calling.Session(talk.app, **talk.settings({}))
        model = talk.model(WRITE, DONE)
        replies = iter([model, lambda _, bad=bad: iter([bad]) if talk.stream else bad, model])
        sent = talk.sent

        def send(request: Json, replies: Iterator[Any] = replies) -> Any:
            return next(replies)(request)

        if talk.stream and "hello" in bad:
            continue  # an unknown event is passed over; the stream was interrupted
        with pytest.raises(specfn.SpecfnError) as caught:
            calling.run(session, send, connection=talk.connection)
        assert [c.status for c in caught.value.specfn_outcome.executed] == [201]  # type: ignore[attr-defined]
        assert calling.run(session, send, connection=talk.connection).text == "Done."
        assert talk.sent - sent == 1


# -- 10: several replies at once --------------------------------------------------------------------------------


def test_only_the_first_choice_is_executed(talk: Talk) -> None:
    """10: of two choices only the first is executed; asking for two is the caller's mistake."""
    kind = talk.vendor.connector
    if kind not in ("openai", "openai-functions", "gemini"):
        pytest.skip("one choice always")
    key, index = ("candidates", "index") if kind == "gemini" else ("choices", "index")

    def twice(raw: Json, _: Vendor) -> Json:
        return {**raw, key: [*raw[key], {**raw[key][0], index: 1}]}

    model = talk.model((WRITE, twice), DONE)
    if talk.stream:
        model._events = lambda raw: _interleaved(talk.vendor, raw, key)  # type: ignore[method-assign]
    outcome = calling.run(talk.app, model, connection=talk.connection, **talk.settings({}))
    assert (len(outcome.calls), talk.sent) == (1, 1)
    extra: Json = {"n": 2} if key == "choices" else {"generationConfig": {"candidateCount": 2}}
    with pytest.raises(specfn.UsageError):
        talk.run(DONE, extra=extra)


def _interleaved(vendor: Vendor, raw: Json, key: str) -> Iterator[Any]:
    """Yield the events of each choice in turn, as servers do."""
    choices = raw[key]
    own = [list(vendor.events({**raw, key: [choice]})) for choice in choices[:1]]
    for event in own[0]:
        yield as_built(vendor, event, event=True)
        data = event.get("data", event)
        if data.get(key):
            second = {**data, key: [{**data[key][0], "index": 1}]}
            other = {"data": second} if "data" in event else second
            yield as_built(vendor, other, event=True)


# -- 11 to 13: histories ------------------------------------------------------------------------------------------


def unanswered(name: str, arguments: Any) -> list[Json]:
    """Return a history whose call has no result."""
    call = {"id": "h1", "name": name, "arguments": arguments}
    return [
        {"role": "user", "content": "Look at the shop."},
        {"role": "assistant", "content": "", "calls": [call]},
        {"role": "user", "content": "Go on."},
    ]


def test_an_unanswered_call_gets_a_result(talk: Talk) -> None:
    """11: a history with a call that has no result is sent with one, which says that its outcome is not known."""
    for name, caution in ((LIST, False), (CREATE, True), ("gone", True)):
        arguments = LAMP if name == CREATE else {}
        _, model = talk.run(DONE, messages=unanswered(name, arguments))
        [text] = model.results()
        assert UNKNOWN in text
        assert ("Do not repeat it" in text) is caution
        assert "Nothing was executed" not in text


def test_a_write_without_a_result_is_not_repeated_unasked(talk: Talk) -> None:
    """12: the same write, sent again by the model, needs an approval, even where none is needed."""
    outcome, model = talk.run(WRITE, DONE, messages=unanswered(CREATE, LAMP))
    assert (talk.sent, outcome.calls[0].executed) == (0, False)
    assert "may have taken effect" in model.results()[-1]


def test_a_continued_conversation_knows_unknown_outcomes(talk: Talk) -> None:
    """13: a write that got no response in an earlier conversation is not repeated unasked in the next one."""
    nowhere = specfn.Connection(
        base_url=talk.shop.base_url, credentials={"bearer": talk.shop.token}, timeout={"read": 1}
    )

    def silent(_: Any) -> None:
        raise TimeoutError  # after the response: for the model, the outcome is not known

    first = talk.model(WRITE, DONE)
    broken = nowhere.model_copy(update={"after": silent})
    outcome = calling.run(talk.app, first, connection=broken, **talk.settings({}))
    assert UNKNOWN in first.results()[0]
    before = talk.sent
    again, _ = talk.run(WRITE, DONE, messages=[*outcome.messages, {"role": "user", "content": "?"}])
    assert (talk.sent - before, again.calls[0].executed) == (0, False)


# -- 14 and 15: ends ------------------------------------------------------------------------------------------------


def test_a_cut_text_is_no_end_in_words(talk: Talk) -> None:
    """14: a text that was cut ends the conversation as ``truncated``."""
    for reason in CUT[talk.vendor.connector]:
        outcome, _ = talk.run((Line("I would"), word(reason)))
        assert (outcome.stopped, outcome.text) == ("truncated", "I would")


def test_an_empty_or_unfinished_reply_is_no_end_in_words(talk: Talk) -> None:
    """15: a reply without text and calls ends as ``empty``; one that is queued or in progress as ``pending``."""
    outcome, _ = talk.run(Line(""))
    assert outcome.stopped == "empty"
    if talk.vendor.connector == "openai-responses" and not talk.stream:
        for reason in ("queued", "in_progress"):
            outcome, _ = talk.run((Line(""), word(reason)))
            assert outcome.stopped == "pending"


# -- 16 to 18: malformed replies ---------------------------------------------------------------------------------------


def test_two_calls_without_ids_are_two_calls(talk: Talk) -> None:
    """16: calls without ids, in one delta or with equal names, are not joined."""
    if talk.vendor.single or talk.vendor.connector == "bedrock":
        pytest.skip("one call at most, or ids always")
    line = Line(calls=(("", LIST, {"query": {"limit": 1}}), ("", LIST, {"query": {"limit": 2}})))
    if talk.vendor.connector == "openai" and talk.stream:
        for events in (_one_delta, _two_deltas):
            built = [as_built(talk.vendor, item, event=True) for item in events(talk.vendor)]
            done = talk.model(DONE)
            replies = iter([lambda _, first=built: first, done])
            outcome = calling.run(
                talk.app,
                lambda request, replies=replies: next(replies)(request),
                connection=talk.connection,
                **talk.settings({}),
            )
            assert [call.status for call in outcome.calls] == [200, 200]
        return
    outcome, _ = talk.run(line, DONE)
    assert [call.status for call in outcome.calls] == [200, 200]


def _parts() -> list[Json]:
    return [
        {"function": {"name": LIST, "arguments": json.dumps({"query": {"limit": limit}})}}
        for limit in (1, 2)
    ]


def _one_delta(vendor: Vendor) -> list[Json]:
    return _chunks(vendor, [{"tool_calls": _parts()}])


def _two_deltas(vendor: Vendor) -> list[Json]:
    return _chunks(vendor, [{"tool_calls": [part]} for part in _parts()])


def _chunks(vendor: Vendor, deltas: Sequence[Json]) -> list[Json]:
    """Return chunks whose calls have neither an id nor an index."""
    made: list[Json] = [
        {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas
    ]
    made.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    whole = [{"id": "x", "created": 1, "model": "m", "object": "chunk", **item} for item in made]
    return [{"data": item} for item in whole] if vendor.profile == "mistral" else whole


def _without_function(raw: Json, vendor: Vendor) -> Json:
    """Return a reply whose call has null for what it calls."""
    kind = vendor.connector
    whole = json.loads(json.dumps(raw))
    if kind == "openai":
        whole["choices"][0]["message"]["tool_calls"][0]["function"] = None
    elif kind == "openai-functions":
        whole["choices"][0]["message"]["function_call"] = {"name": None, "arguments": None}
    elif kind == "gemini":
        whole["candidates"][0]["content"]["parts"][0]["functionCall"] = None
    elif kind == "bedrock":
        whole["output"]["message"]["content"][0]["toolUse"] = None
    elif kind == "anthropic":
        whole["content"][0].update(name=None, input=None)
    else:
        whole["output"][0].update(name=None, arguments=None)
    return dict(whole)


def test_null_in_place_of_a_function_is_no_type_error(talk: Talk) -> None:
    """17: a call without its function is an error of specfn that names the format, or a call that the model corrects."""
    if talk.stream or talk.vendor.profile == "mistral":
        pytest.skip("the package refuses such a reply itself")

    def plain(request: Json) -> Any:
        seen.append(request)
        reply = talk.vendor.raw(READ if len(seen) == 1 else DONE)
        return _without_function(reply, talk.vendor) if len(seen) == 1 else reply

    seen: list[Json] = []
    try:
        outcome = calling.run(talk.app, plain, connection=talk.connection, **talk.settings({}))
    except specfn.UsageError as error:
        assert "format" in str(error)  # noqa: PT017  # either is right
    else:
        assert (outcome.text, outcome.executed) == ("Done.", ())
    assert talk.sent == 0


# -- 18 to 20 ------------------------------------------------------------------------------------------------------------


def test_the_deadline_is_checked_within_a_stream(talk: Talk) -> None:
    """18: a stream that goes on after the deadline is not read to its end."""
    if not talk.stream:
        pytest.skip("no stream")
    read: list[int] = []

    def endless(_: Json) -> Iterator[Any]:
        while True:
            read.append(1)
            time.sleep(0.02)
            first = next(iter(talk.vendor.events(talk.vendor.raw(DONE))))
            yield as_built(talk.vendor, first, event=True)
            if len(read) > 200:
                return

    config = NEVER.model_copy(update={"deadline": 0.3})
    outcome = calling.run(
        talk.app, endless, connection=talk.connection, **talk.settings({"config": config})
    )
    assert outcome.stopped == "deadline"
    assert len(read) < 100


#: How servers without a parser write a call into the text.
WRITTEN = (
    '<tool_call>\n{"name": "products_get", "arguments": {}}\n</tool_call>',
    'Let me look.\n[TOOL_CALLS] [{"name": "products_get", "arguments": {}}]',
    '<think>which?</think><|python_tag|>{"name": "products_get", "parameters": {}}',
    "<function=products_get>{}</function>",
)


def test_a_call_written_as_text_is_reported_and_by_option_read(talk: Talk) -> None:
    """19: a call in the text is an event; with ``text_calls="read"`` it is made, and has its result."""
    for text in WRITTEN:
        seen: list[Any] = []
        outcome, _ = talk.run(Line(text), on_event=seen.append)
        assert (outcome.calls, outcome.stopped) == ((), "model_text")
        assert [e.function for e in seen if type(e).__name__ == "TextCall"] == [LIST]
        config = NEVER.model_copy(update={"text_calls": "read"})
        outcome, model = talk.run(Line(text), DONE, config=config)
        assert ([call.status for call in outcome.calls], outcome.text) == ([200], "Done.")
        assert len(model.results()) == 1


@pytest.mark.parametrize(
    "name",
    [f"{LIST}:0", f"functions.{LIST}:0", f"{LIST}</s>", f"mcp__my_shop__{LIST}"],
)
def test_the_wrappers_of_names(talk: Talk, name: str) -> None:
    """20: the index of Kimi, the end of a text, and the server of MCP are removed from a name."""
    outcome, _ = talk.run(Line(calls=(("c1", name, {}),)), DONE)
    assert [(call.function, call.status) for call in outcome.calls] == [(LIST, 200)]
