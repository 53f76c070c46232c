"""The functions that a prompt selects, in all forms of the seeds."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.calling.models import converse, said, wished
from tests.calling.shop import APP

from specfn import calling
from specfn.calling import PromptSettings
from specfn.errors import UsageError

NAMES = [function.name for function in APP]

#: The form of the first example of the behaviour document: dots, a comment and a trailing comma.
PRINTED = """{
    ...
    "execution_settings": {
        "default": {
            "temperature": 0.4,
            "function_choice_behavior": {
                "type": "auto", //possible values - auto, required, none
                "functions": [
                    "shop.listProducts",
                    "shop.createProduct",
                ],
                "options": {
                    "allow_concurrent_invocation": true
                }
            }
        }
    }
}
"""


def selected(keys: Any) -> list[str]:
    """Return the names of the functions that keys select."""
    catalog = calling.Catalog().add(APP, namespace="shop")
    return [entry.function.name for entry in catalog.choose(keys)]


def test_json_with_comments_loads_as_printed() -> None:
    """A JSON prompt is read with comments, trailing commas and lines of dots."""
    settings = PromptSettings.read(PRINTED).of()
    assert settings.choice == calling.Auto(
        functions=["shop.listProducts", "shop.createProduct"],
        options={"allow_concurrent_invocation": True},
    )
    assert settings.extra == {"temperature": 0.4}


def test_the_settings_of_a_prompt_begin_a_conversation() -> None:
    """``settings`` gives choice, model and extra members; the caller's own values win."""
    prompt = PromptSettings.read(
        {
            "execution_settings": {
                "default": {
                    "model_id": "of-the-prompt",
                    "temperature": 0.4,
                    "function_choice_behavior": {"type": "auto", "functions": ["listProducts"]},
                }
            }
        }
    )
    _, script = converse(APP, [said("Done.")], settings=prompt.of())
    request = script.requests[0]
    assert (request["model"], request["temperature"]) == ("of-the-prompt", 0.4)
    assert [tool["function"]["name"] for tool in request["tools"]] == ["products_get"]
    _, script = converse(APP, [said("Done.")], settings=prompt.of(), model="mine", choice="none")
    assert script.requests[0]["model"] == "mine"
    assert script.requests[0]["tool_choice"] == "none"


@given(st.lists(st.sampled_from(NAMES), unique=True), st.lists(st.sampled_from(NAMES), unique=True))
def test_exclusions_subtract(included: list[str], excluded: list[str]) -> None:
    """Keys after ``!`` are subtracted from the selected functions; alone, they are a mistake of the caller."""
    keys = [*included, *(f"!{name}" for name in excluded)]
    if excluded and not included:
        with pytest.raises(UsageError, match="only exclusions"):
            selected(keys)
        keys, included = ["*", *keys], NAMES
    assert selected(keys) == [name for name in NAMES if name in included and name not in excluded]


@pytest.mark.parametrize("function", APP, ids=lambda function: function.name)
def test_functions_select_themselves(function: Any) -> None:
    """A choice takes functions themselves, and its JSON form names them."""
    choice = calling.Auto(functions=[function])
    assert selected(choice.keys) == [function.name]
    again = calling.parse_choice(json.loads(choice.model_dump_json()))
    assert selected(again.keys) == [function.name]


@pytest.mark.parametrize("function", APP, ids=lambda function: function.name)
def test_a_namespace_and_an_operation_id_select(function: Any) -> None:
    """``namespace.operationId`` selects a function, as ``plugin.function`` does in the seeds."""
    assert selected([f"shop.{function.operation_id}"]) == [function.name]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"included_plugins": ["shop"]}, NAMES),
        ({"excluded_plugins": ["shop"]}, []),
        ({"included_functions": ["shop-listProducts"]}, ["products_get"]),
        ({"excluded_functions": ["shop-listProducts"]}, [n for n in NAMES if n != "products_get"]),
        ({"included_plugins": ["shop"], "excluded_functions": NAMES[1:]}, NAMES[:1]),
        ({}, NAMES),
    ],
)
def test_the_filters_of_prompts_select(filters: Any, expected: list[str]) -> None:
    """Prompt files filter by plugin and by function, included or excluded."""
    text = json.dumps({"function_choice_behavior": {"type": "auto", "filters": filters}})
    choice = PromptSettings.read(text).of().choice
    assert choice is not None
    assert selected(choice.keys) == expected


def test_functions_and_filters_are_alternatives() -> None:
    """A choice with both is refused."""
    with pytest.raises(UsageError, match="functions or filters, not both"):
        calling.parse_choice({"type": "auto", "functions": ["a"], "filters": {}})


@pytest.mark.parametrize(("of_prompt", "of_operator", "rounds"), [(1, 8, 1), (9, 2, 2), (0, 8, 0)])
def test_a_prompt_lowers_the_rounds_and_never_raises_them(
    of_prompt: int, of_operator: int, rounds: int
) -> None:
    """``maximum_auto_invoke_attempts`` of a prompt is a limit below that of the operator."""
    choice = {"type": "auto", "maximum_auto_invoke_attempts": of_prompt}
    session = calling.Session(
        APP,
        connector="openai",
        messages="hello",
        choice=choice,
        config=calling.InvocationConfig(maximum_auto_invoke_attempts=of_operator),
    )
    assert session.config.max_rounds == rounds


@pytest.mark.parametrize(
    ("allow", "is_asked"),
    [((), True), (("write",), False), (("products_*", "!products_post"), True)],
)
def test_what_is_allowed_is_called_without_approval(allow: Any, *, is_asked: bool) -> None:
    """``InvocationConfig.allow`` names what may be called without approval, besides functions that read."""
    config = calling.InvocationConfig(allow=allow)
    session = calling.Session(APP, connector="openai", messages="x", config=config)
    session.next()
    lamp = {"body": {"name": "Lamp", "price": 49.9, "stock": 3}}
    session.feed(wished(("c1", "products_post", lamp)))
    assert isinstance(session.next(), calling.Ask if is_asked else calling.Invoke)


@pytest.mark.parametrize("approval", ["never", "always", bool])
def test_allow_belongs_to_the_approval_of_unsafe_calls(approval: Any) -> None:
    """``allow`` with another rule of approval is a mistake: it is not a list of the functions that may be offered."""
    with pytest.raises(UsageError, match="use select"):
        calling.InvocationConfig(allow=["products_*"], approval=approval)
