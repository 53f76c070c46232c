"""Calls that a model writes into its text: reported, and read by option."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.calling.models import CONNECTORS, converse, said, wished
from tests.calling.shop import APP

from specfn import calling

LIST, CREATE = "products_get", "products_post"
LAMP = {"body": {"name": "Lamp", "price": 49.9, "stock": 3}}
READ = calling.InvocationConfig(text_calls="read")


def _object(name: str, text: str, key: str = "arguments") -> str:
    return json.dumps({"name": name, key: json.loads(text)})


#: How the chat templates of models write a call.
FORMS = {
    "hermes": lambda name, text: f"<tool_call>\n{_object(name, text)}\n</tool_call>",
    "mistral": lambda name, text: f"[TOOL_CALLS] [{_object(name, text)}]",
    "mistral 2": lambda name, text: f"[TOOL_CALLS]{name}[ARGS]{text}",
    "mistral 3": lambda name, text: f"[TOOL_CALLS]{name}{text}",
    "llama": lambda name, text: f"<|python_tag|>{_object(name, text, 'parameters')}<|eom_id|>",
    "llama 2": lambda name, text: f"<function={name}>{text}</function>",
    "kimi": lambda name, text: (
        f"<|tool_calls_section_begin|><|tool_call_begin|>functions.{name}:0<|tool_call_argument_begin|>{text}"
        "<|tool_call_end|><|tool_calls_section_end|>"
    ),
    "deepseek": lambda name, text: (
        f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n{text}\n```"
        "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
    ),
    "deepseek 2": lambda name, text: (
        f"<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{text}<｜tool▁call▁end｜>"
    ),
}

PROSE = st.sampled_from(["", "Let me look.\n", "<think>\nWhich one? <tool_call>?\n</think>\n\n"])
ARGUMENTS = st.fixed_dictionaries(
    {
        "query": st.fixed_dictionaries(
            {}, optional={"q": st.text(max_size=8), "limit": st.integers(1, 9)}
        )
    }
)


@given(
    form=st.sampled_from(sorted(FORMS)),
    prose=PROSE,
    given_=st.lists(ARGUMENTS, min_size=1, max_size=3),
    connector=st.sampled_from(CONNECTORS),
)
def test_a_written_call_is_the_call(
    form: str, prose: str, given_: list[Any], connector: str
) -> None:
    """Law: read calls are made as calls of the same names and arguments are, and their results are sent back."""
    text = prose + "\n".join(FORMS[form](LIST, json.dumps(item)) for item in given_)
    lines = [said(text, connector), said("Done.", connector)]
    outcome, script = converse(APP, lines, connector=connector, config=READ)
    calls = [(f"c{index}", LIST, item) for index, item in enumerate(given_)]
    lines = [wished(*calls, connector=connector), said("Done.", connector)]
    expected, _ = converse(APP, lines, connector=connector)
    assert [(c.function, c.arguments, c.status) for c in outcome.calls] == [
        (c.function, c.arguments, c.status) for c in expected.calls
    ]
    assert outcome.text == "Done."
    assert "tool_call>" not in json.dumps(script.requests[1])


@given(form=st.sampled_from(sorted(FORMS)), end=st.integers(0, 200))
def test_a_written_call_that_was_cut_changes_nothing(form: str, end: int) -> None:
    """Law: wherever a text ends, a write is made whole or not at all."""
    text = FORMS[form](CREATE, json.dumps(LAMP))[:end]
    outcome, _ = converse(APP, [said(text), said("Done.")], config=READ)
    assert all(call.arguments == LAMP for call in outcome.executed)


@given(st.text('<tool_cal/>{}[]TOLCAS "name:argumets|', max_size=60))
def test_any_text_can_be_said(text: str) -> None:
    """Law: a text that writes no call is a text."""
    outcome, _ = converse(APP, [said(text), said("Done.")], config=READ)
    assert outcome.executed == ()
    assert outcome.calls or outcome.text == text


@pytest.mark.parametrize("form", sorted(FORMS))
def test_a_written_call_is_only_reported(form: str) -> None:
    """By default a written call is an event, and nothing is executed."""
    seen: list[Any] = []
    text = FORMS[form](LIST, "{}")
    outcome, _ = converse(APP, [said(text)], on_event=seen.append)
    [event] = [event for event in seen if isinstance(event, calling.TextCall)]
    assert (event.function.removeprefix("functions.").removesuffix(":0"), event.read) == (
        LIST,
        False,
    )
    assert (outcome.text, outcome.calls, outcome.stopped) == (text, (), "model_text")


def test_a_text_of_json_alone_names_an_offered_function() -> None:
    """Without a marker, only a call of an offered function is one."""
    for name, read in ((LIST, True), ("unheard_of", False)):
        text = _object(name, "{}", "parameters")
        outcome, _ = converse(APP, [said(text), said("Done.")], config=READ)
        assert bool(outcome.executed) is read


@pytest.mark.parametrize("after", [" That is it.", "\n<tool_call>{</tool_call>"])
def test_what_follows_a_call_keeps_it_a_text(after: str) -> None:
    """A text that goes on after its call may only show it."""
    text = FORMS["hermes"](LIST, "{}") + after
    outcome, _ = converse(APP, [said(text)], config=READ)
    assert (outcome.text, outcome.calls) == (text, ())


def test_a_written_write_needs_its_approval() -> None:
    """A call that is read asks like any other."""
    lines = [said(FORMS["hermes"](CREATE, json.dumps(LAMP))), said("Done.")]
    outcome, _ = converse(APP, lines, config=READ, agree=False)
    assert (outcome.calls[0].function, outcome.executed, outcome.stopped) == (CREATE, (), "denied")


def test_a_written_call_in_a_reply_that_was_cut_is_not_read() -> None:
    """A truncated text stays a text."""
    reply = said(FORMS["llama 2"](LIST, "{}"))
    reply["choices"][0]["finish_reason"] = "length"
    outcome, _ = converse(APP, [reply], config=READ)
    assert (outcome.calls, outcome.stopped) == ((), "truncated")


def test_deep_nesting_in_a_text_is_a_text() -> None:
    """A text of a hundred thousand brackets costs little and breaks nothing."""
    text = "<tool_call>" + "[" * 100_000
    assert converse(APP, [said(text)], config=READ)[0].text == text
