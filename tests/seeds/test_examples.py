"""The examples of the seeds: prompts, messages on the wire, and code by its counterpart in Python."""

import json
import re
from typing import Any

import pytest
from tests.calling.models import Script, converse, said, wished
from tests.calling.shop import APP

import specfn
from specfn import calling

# -- prompts -------------------------------------------------------------------------------------------

DEFAULT_YAML = """
execution_settings:
  default:
    temperature: 0.4
    function_choice_behavior:
      type: auto
      functions:
      - shop.listProducts
      - shop.createProduct
      options:
        allow_concurrent_invocation: true
"""

SERVICES_JSON = """
{
    "function_choice_behavior":{
        "type": "auto"
    },
    "execution_settings": {
       "default": {
         "temperature": 0,
         "function_choice_behavior":{
            "type": "none"
         }
       },
       "small": {
         "model_id": "small-0613",
         "temperature": 0.1,
         "function_choice_behavior":{
            "type": "required", // possible values - auto, required, none
         }
       },
       "large": {
         "model_id": "large-1106-preview",
         "temperature": 0.3
       }
    }
}
"""


def test_the_default_entry_in_yaml() -> None:
    """The YAML prompt means the same as the JSON prompt with the same keys."""
    settings = calling.PromptSettings.read(DEFAULT_YAML).of()
    assert settings.extra == {"temperature": 0.4}
    assert settings.choice == calling.Auto(
        functions=["shop.listProducts", "shop.createProduct"],
        options={"allow_concurrent_invocation": True},
    )


@pytest.mark.parametrize(
    ("service", "model", "choice", "temperature"),
    [
        ("small", "small-0613", calling.Required(), 0.1),
        ("large", "large-1106-preview", calling.NoCall(), 0.3),
        ("other", None, calling.NoCall(), 0),
    ],
)
def test_a_prompt_with_several_services(
    service: str, model: str | None, choice: Any, temperature: float
) -> None:
    """A service has the settings of its own entry, and inherits the others from ``default`` and the root."""
    found = calling.PromptSettings.read(SERVICES_JSON).of(service)
    assert (found.model, found.choice) == (model, choice)
    assert found.extra == {"temperature": temperature}


def test_the_root_holds_where_no_entry_says_otherwise() -> None:
    """A choice at the root is that of every service without one."""
    root = {"function_choice_behavior": {"type": "required"}, "execution_settings": {"a": {}}}
    assert calling.PromptSettings.read(root).of("a").choice == calling.Required()


# -- names and their recovery --------------------------------------------------------------------------

PLUGIN = specfn.load(
    {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/bar": {"get": {"operationId": "bar"}}},
    },
    options=specfn.Options(naming="operationId"),
)


def _catalog(namespace: str = "foo", **policy: Any) -> calling.Catalog:
    names = calling.NamePolicy(**policy)
    return calling.Catalog(policy=names).add(PLUGIN, namespace=namespace)


@pytest.mark.parametrize(
    ("policy", "namespace", "expected"),
    [
        ({"qualify": "never"}, "foo", "bar"),
        ({"qualify": "always"}, "", "bar"),
        ({"qualify": "always", "separator": "-"}, "foo", "foo-bar"),
        ({"qualify": "always", "separator": "_"}, "foo", "foo_bar"),
        ({"qualify": "always", "separator": "a1b"}, "foo", "fooa1bbar"),
        ({"qualify": "always", "separator": ""}, "foo", "foobar"),
    ],
)
def test_the_forms_of_a_name(policy: Any, namespace: str, expected: str) -> None:
    """The name alone, with a separator of the caller, or with none: each is advertised, and found."""
    catalog = _catalog(namespace, **policy)
    assert [entry.name for entry in catalog.choose(None)] == [expected]
    assert catalog.resolve(expected).name == expected


def _parse(called: str) -> str | None:
    """Split a name at the first separator of three that leads to a known function."""
    for separator in "-._":
        namespace, found, name = called.partition(separator)
        if found and (namespace.strip(), name.strip()) == ("foo", "bar"):
            return "foo-bar"
    return None


@pytest.mark.parametrize("called", ["foo-bar", "foo.bar", "foo_bar", "foo . bar"])
@pytest.mark.parametrize("hooks", [(_parse,), ()])
def test_a_parser_of_names(called: str, hooks: Any) -> None:
    """A parser of the caller finds the function under each separator; so does the library without one."""
    catalog = _catalog(qualify="always", separator="-", hooks=hooks)
    if hooks or called != "foo . bar":
        assert catalog.resolve(called).name == "foo-bar"


def test_a_name_with_a_dot_goes_back_in_legal_characters() -> None:
    """The error names the function that was called; in the history the name has legal characters only."""
    _, script = converse(_catalog(qualify="never"), [wished(("c1", "b.az", {})), said("x")])
    *_, asked, answered = script.requests[1]["messages"]
    echoed = asked["tool_calls"][0]["function"]["name"]
    assert re.fullmatch(r"[a-zA-Z0-9_-]+", echoed)
    assert "b.az" in answered["content"]
    assert answered["tool_call_id"] == "c1"
    assert script.requests[1]["messages"][0]["role"] == "system"


# -- messages on the wire ------------------------------------------------------------------------------

RECIPES = specfn.load(
    {
        "openapi": "3.0.3",
        "info": {"title": "Recipes", "version": "1"},
        "paths": {
            "/search_recipe": {
                "get": {
                    "operationId": "search_recipe",
                    "summary": "Search a recipe.",
                    "parameters": [
                        {
                            "name": "food",
                            "in": "query",
                            "required": True,
                            "description": "The name of a dish.",
                            "schema": {"type": "string"},
                        }
                    ],
                    "responses": {"200": {"description": "d"}},
                }
            }
        },
    },
    options=specfn.Options(naming="operationId"),
)
ARGUMENTS = '{"query": {"food": "pancake"}}'
CALLED = {
    "id": "x",
    "object": "chat.completion",
    "choices": [
        {
            "index": 0,
            "finish_reason": "function_call",
            "message": {
                "role": "assistant",
                "content": None,
                "function_call": {"name": "search_recipe", "arguments": ARGUMENTS},
            },
        }
    ],
    "usage": {"completion_tokens": 1, "prompt_tokens": 2, "total_tokens": 3},
}


def _spoken(text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {"choices": [{"index": 0, "finish_reason": "stop", "message": message}]}


def test_functions_on_the_wire() -> None:
    """Request, call, result and answer have the members of the deprecated ``functions`` form."""
    outcome, script = converse(
        RECIPES,
        [CALLED, _spoken("Mix and bake.")],
        connector="openai-functions",
        messages="a recipe for pancakes",
    )
    first, second = script.requests
    (function,) = first["functions"]
    assert function.keys() == {"name", "description", "parameters"}
    assert (function["name"], first["function_call"]) == ("search_recipe", "auto")
    assert function["description"].startswith("Search a recipe.")
    assert function["parameters"]["properties"]["query"]["required"] == ["food"]
    *_, user, asked, result = second["messages"]
    assert user == {"role": "user", "content": "a recipe for pancakes"}
    assert asked["function_call"] == CALLED["choices"][0]["message"]["function_call"]  # type: ignore[index]
    assert result == {"role": "function", "name": "search_recipe", "content": "{}"}
    assert (outcome.text, outcome.stopped) == ("Mix and bake.", "model_text")
    assert outcome.usage["total_tokens"] == 3


def test_one_function_is_demanded_on_the_wire() -> None:
    """``function_call`` names the function that the model must call."""
    _, script = converse(
        RECIPES,
        [CALLED, _spoken("x")],
        connector="openai-functions",
        choice=calling.Required(functions=["search_recipe"]),
    )
    assert script.requests[0]["function_call"] == {"name": "search_recipe"}


def test_words_and_questions_call_nothing() -> None:
    """A reply with ``finish_reason`` ``stop`` is the answer; a missing value is asked for, then the call comes."""
    outcome, _ = converse(RECIPES, [_spoken("Hello!")], connector="openai-functions")
    assert (outcome.text, outcome.calls) == ("Hello!", ())
    question, _ = converse(RECIPES, [_spoken("Which dish?")], connector="openai-functions")
    history = [*question.messages, {"role": "user", "content": "pancakes"}]
    answer, script = converse(
        RECIPES, [CALLED, _spoken("Done.")], connector="openai-functions", messages=history
    )
    assert [call.function for call in answer.executed] == ["search_recipe"]
    assert [m["content"] for m in script.requests[0]["messages"]][-2:] == [
        "Which dish?",
        "pancakes",
    ]


def test_sixty_six_functions_are_searched() -> None:
    """The deprecated form takes 64 functions; of more, the first request offers a search."""
    paths = {f"/f{number}": {"get": {"operationId": f"f{number}"}} for number in range(66)}
    many = specfn.load({"openapi": "3.0.3", "info": {"title": "t", "version": "1"}, "paths": paths})
    script = Script([_spoken("x")])
    calling.run(
        many,
        script,
        connector="openai-functions",
        messages="x",
        connection=specfn.Connection(base_url="http://127.0.0.1:9"),
    )
    assert [each["name"] for each in script.requests[0]["functions"]] == ["search_functions"]


def test_the_history_is_json() -> None:
    """The messages of a finished conversation are JSON, with calls and results."""
    outcome, _ = converse(APP, [wished(("c1", "products_get", {})), said("x")])
    assert json.loads(json.dumps(outcome.messages)) == list(outcome.messages)
