"""Function call behavior: requirements B1 to B41."""

import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any, Literal

import pytest
from tests.calling.models import CONNECTORS, REPLIES, converse, results, said, wished
from tests.calling.shop import APP
from tests.connectors.names import CODECS

import specfn
from specfn import calling
from specfn.calling import Choice, Plan, Round
from specfn.calling import choice as choices
from specfn.calling.prompt_files import merge_settings
from specfn.errors import UnknownFunctionError, UsageError

LIST = "products_get"
CREATE = "products_post"
LAMP = {"body": {"name": "Lamp", "price": 49.9, "stock": 3}}
KINDS: dict[str, type[Choice]] = {
    "auto": calling.Auto,
    "required": calling.Required,
    "none": calling.NoCall,
}


def tools(request: Mapping[str, Any]) -> list[str]:
    """The names that a request of Chat Completions offers."""
    return [tool["function"]["name"] for tool in request.get("tools", ())]


def test_b01_choices_need_no_sdk() -> None:
    """The choices and every connector are imported without a vendor's package."""
    program = (
        "import sys, specfn.calling.choice\n"
        "from specfn.connectors.registry import CODECS, codec\n"
        "[codec(name) for name in CODECS]\n"
        "bad = {'openai', 'anthropic', 'google', 'google.genai', 'boto3', 'botocore'} & set(sys.modules)\n"
        "sys.exit(str(bad) if bad else 0)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_b02_choices_are_given_declaratively(kind: str) -> None:
    """A choice is read from JSON, from YAML and from its own dump, and is the same each time."""
    text = json.dumps({choices_key(): {"type": kind, "functions": ["a.b"]}})
    expected = KINDS[kind](functions=("a.b",))
    assert calling.PromptSettings.read(text).of().choice == expected
    yaml = f"{choices_key()}:\n  type: {kind}\n  functions: [a.b]\n"
    assert calling.PromptSettings.read(yaml).of().choice == expected
    assert calling.parse_choice(json.loads(expected.model_dump_json())) == expected


def choices_key() -> str:
    """The key of the choice in a prompt."""
    return "function_choice_behavior"


@pytest.mark.parametrize("connector", CONNECTORS)
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_b03_one_choice_for_all_connectors(kind: str, connector: str) -> None:
    """The same choice is taken by every connector."""
    outcome, _ = converse(APP, [said("x", connector)], connector=connector, choice=KINDS[kind]())
    assert outcome.text == "x"


def test_b04_a_choice_is_of_no_vendor() -> None:
    """Choices and configuration name no vendor's setting; what is a vendor's stands under its name."""
    fields = set(calling.Auto.model_fields) | set(calling.InvocationConfig.model_fields)
    assert not any(vendor in field for vendor in CODECS for field in fields)


PROMPTS = {
    "json": '{"execution_settings": {"default": {"function_choice_behavior": {"type": "none"}}}}',
    "yaml": "execution_settings:\n  default:\n    function_choice_behavior:\n      type: none\n",
    "prompty": "---\nexecution_settings:\n  default:\n    function_choice_behavior:\n      type: none\n---\nsystem:\nHi",
    "template": (
        "name: x\ntemplate_format: handlebars\ntemplate: |\n  Hi {{a}}\n"
        "execution_settings:\n  default:\n    function_choice_behavior:\n      type: none\n"
    ),
}


@pytest.mark.parametrize("form", sorted(PROMPTS))
def test_b05_every_prompt_form_is_read(form: str) -> None:
    """The behavior stands in JSON, in YAML, before a prompt's text, and beside a template."""
    assert calling.PromptSettings.read(PROMPTS[form]).of().choice == calling.NoCall()


#: Root, default, service, code, and what holds.
LAYERS: list[tuple[Any, Any, Any, Any, Any]] = [
    ({"a": 1}, {}, {}, {}, {"a": 1}),
    ({"a": 1}, {"a": 2}, {}, {}, {"a": 2}),
    ({"a": 1}, {"a": 2}, {"a": 3}, {}, {"a": 3}),
    ({"a": 1}, {"a": 2}, {"a": 3}, {"a": 4}, {"a": 4}),
    ({"a": 1}, {"b": 2}, {"c": 3}, {"d": 4}, {"a": 1, "b": 2, "c": 3, "d": 4}),
    ({"a": 1}, {"a": None}, {}, {}, {}),
    ({"a": 1}, {"a": None}, {"a": 3}, {}, {"a": 3}),
    ({"a": 1}, {}, {}, {"a": None}, {}),
]


@pytest.mark.parametrize("layers", LAYERS)
def test_b06_code_over_service_over_default_over_root(layers: Any) -> None:
    """Settings merge member by member: the last layer that says something wins."""
    *given, expected = layers
    assert merge_settings(*given) == expected


def test_b08_there_is_one_place_for_the_choice() -> None:
    """The old behavior's fields are refused, so that old and new cannot contradict each other."""
    with pytest.raises(UsageError):
        calling.InvocationConfig(tool_call_behavior="auto")  # type: ignore[call-arg]
    with pytest.raises(UsageError):
        calling.parse_choice({"type": "auto", "auto_invoke": True})


def test_b09_auto_takes_functions_and_options() -> None:
    """``Auto`` says which functions and which options; invoking is the operator's."""
    _, script = converse(APP, [said("x")], choice=calling.Auto(functions=(LIST,)))
    assert (tools(script.requests[0]), script.requests[0]["tool_choice"]) == ([LIST], "auto")


def test_b10_required_takes_functions_and_options() -> None:
    """``Required`` of several functions demands any, of one that one."""
    _, script = converse(APP, [wished(("c1", LIST, {})), said("x")], choice="required")
    assert script.requests[0]["tool_choice"] == "required"


def test_b11_none_takes_functions() -> None:
    """``NoCall`` shows functions and forbids calls."""
    _, script = converse(APP, [said("x")], choice=calling.NoCall(functions=(LIST,)))
    assert (tools(script.requests[0]), script.requests[0]["tool_choice"]) == ([LIST], "none")


@pytest.mark.parametrize(
    ("given", "round_", "mode"),
    [
        (calling.Auto(), Round(index=5, executed=5), "auto"),
        (calling.Required(), Round(index=0, executed=0), "required"),
        (calling.Required(), Round(index=3, executed=0), "required"),
        (calling.Required(), Round(index=3, executed=1), "none"),
        (calling.Required(after="auto"), Round(index=3, executed=1), "auto"),
        (calling.Required(until="first_response"), Round(index=1, executed=0), "none"),
        (calling.NoCall(), Round(index=0, executed=0), "none"),
    ],
)
def test_b12_a_choice_plans_each_round(given: Choice, round_: Round, mode: str) -> None:
    """What is asked depends on the round and on what was executed, and on nothing else."""
    assert given.plan(round_).mode == mode


def test_b13_a_plan_is_mode_and_functions() -> None:
    """A plan says the mode and the functions; options and invocation stand beside it."""
    plan = calling.Auto(functions=("a",)).plan(Round(index=0, executed=0))
    assert plan == Plan(mode="auto", functions=("a",))


@pytest.mark.parametrize("connector", CONNECTORS)
@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("functions", [None, (LIST,), ()])
def test_b14_absent_is_all_and_empty_is_none(functions: Any, kind: str, connector: str) -> None:
    """No list offers all functions, a list those, an empty list none: then nothing in the request speaks of tools."""
    _, script = converse(
        APP, [said("x", connector)], connector=connector, choice=KINDS[kind](functions=functions)
    )
    request = script.requests[0]
    offered = "tools" in request or "toolConfig" in request
    hidden = connector == "bedrock" and kind == "none"  # it has no way to show and forbid
    assert offered == (functions != () and not hidden)
    if not offered:
        assert not {"tools", "tool_choice", "toolConfig", "parallel_tool_calls"} & request.keys()


def test_b15_auto_lets_the_model_decide() -> None:
    """With ``Auto`` both words and calls are right."""
    assert converse(APP, [said("x")])[0].stopped == "model_text"
    assert converse(APP, [wished(("c1", LIST, {})), said("x")])[0].executed


def test_b16_required_asks_again_in_words() -> None:
    """A model that answers a demand in words is asked once more; then its words are the answer."""
    outcome, script = converse(APP, [said("no"), said("still no")], choice="required")
    assert (outcome.text, len(script.requests), outcome.degraded) == (
        "still no",
        2,
        ("forced_choice",),
    )


@pytest.mark.parametrize(
    ("after", "modes"), [("none", ["required", "none"]), ("auto", ["required", "auto"])]
)
def test_b17_required_ends_when_it_was_met(after: Any, modes: list[str]) -> None:
    """After a valid call, calls are forbidden or free, with the definitions kept."""
    _, script = converse(
        APP, [wished(("c1", LIST, {})), said("x")], choice=calling.Required(after=after)
    )
    assert [request["tool_choice"] for request in script.requests] == modes
    assert tools(script.requests[1]) == tools(script.requests[0])


def test_b17_the_seeds_rule_is_counted_in_requests() -> None:
    """With ``stop_advertising`` nothing is offered from the second request on, whatever came of the first."""
    _, script = converse(
        APP,
        [wished(("c1", "nope", {})), said("x")],
        choice=calling.Required(after="stop_advertising"),
    )
    assert "tools" not in script.requests[1]


def test_b18_a_vendor_that_cannot_force_is_asked_in_words() -> None:
    """Where a call cannot be demanded, it is asked for in words, and the outcome says so."""
    outcome, script = converse(
        APP,
        [wished(("c1", LIST, {}), connector="anthropic"), said("x", "anthropic")],
        connector="anthropic",
        choice="required",
        extra={"thinking": {"type": "enabled", "budget_tokens": 1024}},
    )
    assert script.requests[0]["tool_choice"]["type"] == "auto"
    assert "You must call" in json.dumps(script.requests[0]["messages"])
    assert outcome.degraded == ("forced_choice",)
    assert outcome.executed


def test_b19_none_is_the_dry_run() -> None:
    """Calls that come although they were forbidden are checked and reported, and never executed."""
    outcome, _ = converse(APP, [wished(("c1", CREATE, {"body": {}}))], choice="none")
    assert (outcome.stopped, outcome.executed) == ("planned", ())
    assert outcome.calls[0].errors


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (LIST, [LIST]),
        ("products.get", [LIST]),
        ("listProducts", [LIST]),
        ("GET /products", [LIST]),
        ("categories.*", ["categories_get", "categories_post", "categories_eraseBySlug"]),
    ],
)
def test_b20_functions_are_named_in_every_way(key: str, expected: list[str]) -> None:
    """A list of functions takes names, accessors, operationIds, ``METHOD /path`` and patterns."""
    _, script = converse(APP, [said("x")], choice=calling.Auto(functions=(key,)))
    assert tools(script.requests[0]) == expected


@pytest.mark.parametrize("key", ["product_get", "nope.*", "GET /nope"])
def test_b21_an_unknown_function_fails_at_once(key: str) -> None:
    """A choice or configuration that names what there is not fails before anything is sent."""
    for settings in (
        {"choice": calling.Auto(functions=(key,))},
        {"config": calling.InvocationConfig(select=(key,))},
        {"config": calling.InvocationConfig(return_direct=(key,))},
    ):
        with pytest.raises(UnknownFunctionError) as caught:
            calling.Session(APP, connector="openai", messages="x", **settings)  # type: ignore[arg-type]
        assert caught.value.called == key


def test_b22_a_misspelled_option_is_refused() -> None:
    """An option that there is not is an error that names it; a vendor's own stand under its name."""
    with pytest.raises(UsageError, match="allow_paralel_calls"):
        calling.parse_choice({"type": "auto", "options": {"allow_paralel_calls": True}})
    options = {"provider": {"openai": {"temperature": 0}}}
    _, script = converse(APP, [said("x")], choice={"type": "auto", "options": options})
    assert script.requests[0]["temperature"] == 0


@pytest.mark.parametrize("connector", CONNECTORS)
def test_b23_one_call_at_a_time(connector: str) -> None:
    """Parallel calls are switched off in the vendor's words, or the outcome says that they cannot be."""
    options = {"allow_parallel_calls": False}
    outcome, script = converse(
        APP,
        [said("x", connector)],
        connector=connector,
        choice={"type": "auto", "options": options},
    )
    text = json.dumps(script.requests[0])
    said_so = '"parallel_tool_calls": false' in text or '"disable_parallel_tool_use": true' in text
    assert said_so != ("parallel_calls" in outcome.degraded)


def test_b24_the_json_form() -> None:
    """The keys of the seed's JSON are understood as they stand."""
    prompt = {
        "execution_settings": {
            "default": {
                "function_choice_behavior": {
                    "type": "auto",
                    "functions": ["products.get"],
                    "options": {"allow_concurrent_invocation": True},
                }
            }
        }
    }
    found = calling.PromptSettings.read(json.dumps(prompt)).of().choice
    assert found == calling.Auto(
        functions=("products.get",),
        options=choices.ChoiceOptions(allow_concurrent_invocation=True),
    )


def test_b25_the_yaml_form() -> None:
    """The same in YAML; ``none`` is a text, not a null."""
    text = (
        "execution_settings:\n  default:\n    function_choice_behavior:\n      type: none\n"
        "      functions:\n        - products.get\n"
    )
    assert calling.PromptSettings.read(text).of().choice == calling.NoCall(
        functions=("products.get",)
    )


def test_b26_a_word_is_a_choice() -> None:
    """``auto``, ``required`` and ``none`` stand for themselves; anything else is answered with these."""
    for kind, made in KINDS.items():
        assert calling.parse_choice(kind) == made()
    with pytest.raises(UsageError, match=r"auto, .*none, required"):
        calling.parse_choice("atuo")


def test_b27_kinds_are_registered_once() -> None:
    """A kind of one's own is registered once, and read from JSON and YAML alike."""

    @calling.register_choice
    class First(Choice):
        type: Literal["first-only"] = "first-only"

        def plan(self, round_: Round) -> Plan:
            return Plan(mode="auto" if round_.index == 0 else "none", functions=self.functions)

    for text in (
        '{"function_choice_behavior": {"type": "first-only"}}',
        "function_choice_behavior: {type: first-only}",
    ):
        assert calling.PromptSettings.read(text).of().choice == First()
    _, script = converse(APP, [wished(("c1", LIST, {})), said("x")], choice="first-only")
    assert [request["tool_choice"] for request in script.requests] == ["auto", "none"]


SERVICES = {
    "execution_settings": {
        "default": {"function_choice_behavior": {"type": "auto"}, "temperature": 0.5},
        "gpt-3.5-turbo": {"model_id": "gpt-3.5-turbo-0613"},
        "gpt-4": {"function_choice_behavior": {"type": "required"}, "temperature": None},
    }
}


def test_b28_services_have_their_own_entries() -> None:
    """A service's entry is found by its id, then by the model's, then ``default`` holds."""
    prompt = calling.PromptSettings.read(SERVICES)
    assert prompt.of("gpt-4").choice == calling.Required()
    assert prompt.of("other", model="gpt-4").choice == calling.Required()
    assert prompt.of("other").choice == calling.Auto()
    assert prompt.of("gpt-3.5-turbo").model == "gpt-3.5-turbo-0613"


def test_b29_services_inherit_and_null_removes() -> None:
    """What a service does not say it inherits; an explicit null removes."""
    prompt = calling.PromptSettings.read(SERVICES)
    assert prompt.of("gpt-3.5-turbo").extra == {"temperature": 0.5}
    assert prompt.of("gpt-4").extra == {}
    assert prompt.of(code={"function_choice_behavior": None}).choice is None
    narrowed = prompt.of(code={"function_choice_behavior": {"functions": ["a"]}}).choice
    assert narrowed == calling.Auto(functions=("a",))


def test_b30_the_last_word_on_a_request() -> None:
    """A hook may change a request's body in any way, after everything else."""
    _, script = converse(
        APP, [said("x")], before_request=lambda body: {**body, "tool_choice": "new-mode"}
    )
    assert script.requests[0]["tool_choice"] == "new-mode"


def test_b31_unadvertised_functions_cannot_be_allowed() -> None:
    """There is no option to let a model call what it was not offered."""
    assert not any("unadvertised" in name or "any_requested" in name for name in _fields())
    outcome, _ = converse(
        APP,
        [wished(("c1", "categories_get", {})), said("x")],
        choice=calling.Auto(functions=(LIST,)),
    )
    assert not outcome.executed


def _fields() -> set[str]:
    models = (calling.Auto, calling.Required, calling.NoCall, calling.InvocationConfig)
    return {name for model in models for name in model.model_fields}


def test_b32_names_are_resolved_where_the_functions_are_known() -> None:
    """A choice is read without any function, and its names are looked up when the conversation begins."""
    read = calling.parse_choice({"type": "auto", "functions": ["nope"]})
    with pytest.raises(UnknownFunctionError):
        calling.Session(APP, connector="openai", messages="x", choice=read)


def test_b33_a_prompt_only_narrows() -> None:
    """What the operator does not allow is not offered, whatever a prompt asks; a prompt has no word on the rest."""
    config = calling.InvocationConfig(select=("products.*",))
    _, script = converse(APP, [said("x")], config=config, choice=calling.Auto(functions=("*",)))
    assert tools(script.requests[0])
    assert all(name.startswith("products") for name in tools(script.requests[0]))
    assert not set(calling.InvocationConfig.model_fields) & set(calling.Auto.model_fields)


def test_b34_the_configuration_is_of_one_conversation() -> None:
    """Each conversation has its own configuration; one changes nothing for another."""
    few = calling.InvocationConfig(max_rounds=1, on_limit="stop")
    lines = [wished((f"c{i}", LIST, {"query": {"limit": i + 1}})) for i in range(4)]
    assert converse(APP, lines, config=few)[0].rounds == 1
    assert converse(APP, [*lines, said("x")])[0].rounds == 5


def test_b35_the_default_configuration_holds_where_none_is_given() -> None:
    """Without a configuration the documented defaults hold."""
    session = calling.Session(APP, connector="openai", messages="x")
    assert session.config == calling.InvocationConfig()


def test_b36_nothing_is_cloned_to_change_a_setting() -> None:
    """An application is used in conversations of different settings at the same time."""
    for kind in sorted(KINDS):
        assert converse(APP, [said("x")], choice=kind)[0].text == "x"


def test_b37_no_setting_is_found_by_a_magic_key() -> None:
    """Settings are fields: what is none is refused, not looked for elsewhere."""
    with pytest.raises(UsageError):
        calling.InvocationConfig(data={"FunctionInvocationConfig": {}})  # type: ignore[call-arg]


def test_b38_prompt_and_code_are_merged() -> None:
    """What the prompt says and what the code says hold together."""
    prompt = calling.PromptSettings.read(
        {"function_choice_behavior": {"type": "auto", "functions": [LIST]}}
    )
    options = {"allow_parallel_calls": False}
    found = prompt.of(code={"function_choice_behavior": {"options": options}})
    _, script = converse(APP, [said("x")], choice=found.choice)
    assert (tools(script.requests[0]), script.requests[0]["parallel_tool_calls"]) == ([LIST], False)


def test_b39_parallel_calls_are_the_prompts_and_invocation_the_operators() -> None:
    """``allow_parallel_calls`` stands in the choice's options; invoking, rounds and approval nowhere but in the config."""
    assert "allow_parallel_calls" in choices.ChoiceOptions.model_fields
    for name in ("auto_invoke", "max_rounds", "approval", "deadline"):
        assert name in calling.InvocationConfig.model_fields
        assert name not in choices.ChoiceOptions.model_fields


def test_b40_an_empty_service_inherits() -> None:
    """A service without settings of its own has those of the root."""
    prompt = calling.PromptSettings.read(
        {"function_choice_behavior": {"type": "none"}, "execution_settings": {"s": {}}}
    )
    assert prompt.of("s").choice == calling.NoCall()


def test_b41_the_steps_come_in_their_order() -> None:
    """A round is: request, reply, name, arguments, decision, execution; then the next request."""
    seen: list[str] = []
    converse(
        APP,
        [wished(("c1", CREATE, LAMP)), said("x")],
        on_event=lambda event: seen.append(type(event).__name__),
    )
    first = ["Requested", "Replied", "Resolved", "Checked", "Decided", "Executed"]
    assert seen == [*first, "Requested", "Replied", "Ended"]


def test_b41_events_hold_no_values() -> None:
    """What is told to listeners holds no value of an argument."""
    seen: list[str] = []
    given = {"body": {"name": "canary-4711", "price": "canary-4711"}}
    converse(
        APP,
        [wished(("c1", CREATE, given)), said("x")],
        on_event=lambda event: seen.append(repr(event)),
    )
    assert seen
    assert not any("canary-4711" in event for event in seen)


def test_a_listener_that_fails_changes_nothing() -> None:
    """An exception of a listener goes no further."""

    def fail(event: Any) -> None:
        raise RuntimeError(event)

    assert converse(APP, [said("x")], on_event=fail)[0].text == "x"


def test_every_connector_is_scripted() -> None:
    """The scripts speak for every vendor that there is a codec for."""
    assert set(REPLIES) | {"openai-functions"} == set(CODECS)


def test_results_are_read_from_requests() -> None:
    """The reader that these tests rely on finds what was told."""
    _, script = converse(APP, [wished(("c1", LIST, {})), said("x")])
    assert results(script.requests[1]) == [("c1", "{}")]


def test_the_base_choice_has_no_plan() -> None:
    """A kind without a plan or a type is told so."""
    with pytest.raises(TypeError, match="plan"):
        Choice()  # type: ignore[abstract]
    with pytest.raises(UsageError, match="type"):
        calling.register_choice(type("Bare", (Choice,), {}))


def test_the_application_is_unchanged() -> None:
    """A conversation changes nothing of the functions."""
    before = APP.fingerprint
    converse(APP, [wished(("c1", LIST, {})), said("x")])
    assert specfn.load(APP.raw).fingerprint == before
