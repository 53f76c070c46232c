"""The lines that people write by heart, before they read the documentation."""

from collections.abc import Callable
from copy import deepcopy
from pickle import dumps, loads
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.connectors.names import PROFILES

import specfn
from specfn import Connection, Options, UsageError
from specfn import Connection as Fields

URL = "https://api.example.com/v1"
APP = specfn.load(
    {
        "openapi": "3.1.0",
        "paths": {
            "/pets": {"get": {"operationId": "listPets"}, "post": {"operationId": "addPet"}},
            "/pets/{id}": {"get": {"operationId": "readPet"}},
        },
    }
)
SCHEME = 'credentials={"NAME OF THE SECURITY SCHEME": '

#: Lines, and the form that their error names.
MISTAKES: dict[str, tuple[Callable[[], Any], str]] = {
    "a token": (lambda: Connection(URL, token="t"), SCHEME),
    "an API key": (lambda: Connection(URL, api_key="k"), SCHEME),
    "a password": (lambda: Connection(URL, username="u", password="p"), '("user", "password")'),
    "a pair as auth": (lambda: Connection(URL, auth=("u", "p")), SCHEME),
    "a text as credentials": (lambda: Connection(URL, credentials="t"), SCHEME),
    "a url by name": (lambda: Connection(url=URL), "base_url="),
    "a host": (lambda: Connection(host=URL), "base_url="),
    "a proxy": (lambda: Connection(URL, proxies={}), 'proxy="http://'),
    "no verification": (lambda: Connection(URL, verify=False), "tls=ssl.create_default_context("),
    "parameters": (lambda: Connection(URL, params={}), "query="),
    "a URL to bind to": (lambda: APP.bind(URL), 'specfn.Connection("https://'),
    "a URL to call": (lambda: APP.execute("listPets", {}, URL), 'specfn.Connection("https://'),
    "no connection": (lambda: APP.execute("listPets"), 'connection=specfn.Connection("https://'),
    "options as a dict": (lambda: specfn.load({}, options={"naming": "path"}), "specfn.Options("),
    "a function that is not there": (lambda: APP.functions["listPet"], "did you mean listPets"),
    "no connector": (
        lambda: specfn.calling.run(APP, lambda body: body, messages="Hi"),
        "one of anthropic",
    ),
}

VENDORS = {
    "claude": "anthropic",
    "claude-sonnet-4-5": "anthropic",
    "gpt-4.1-mini": "openai",
    "ChatGPT": "openai",
    "google": "gemini",
    "vertex_ai": "gemini",
    "aws": "bedrock",
    "azure": "azure-openai",
    "fastmcp": "mcp",
    "openai_chat": "openai",
    "responses": "openai-responses",
}


@pytest.mark.parametrize(("line", "form"), MISTAKES.values(), ids=MISTAKES)
def test_a_wrong_line_names_the_right_form(line: Callable[[], Any], form: str) -> None:
    """A line from another library raises an error that contains what to write instead."""
    with pytest.raises(specfn.SpecfnError) as raised:
        line()
    assert form in str(raised.value)


@pytest.mark.parametrize(("word", "name"), VENDORS.items())
def test_a_word_for_a_vendor_leads_to_its_profile(word: str, name: str) -> None:
    """The error of an unknown profile names the profile of the vendor, model or product that is meant."""
    assert name in PROFILES
    with pytest.raises(UsageError, match=f"did you mean '{name}'"):
        APP.tools(word)


def test_every_suggested_name_exists() -> None:
    """What an error suggests is a field of the record, or a profile."""
    assert {form.partition("=")[0] for form in Fields.instead_of.values()} <= {*Fields.model_fields}
    assert not Fields.instead_of.keys() & Fields.model_fields.keys()


@given(st.sampled_from(["pets_get", "listPets", "pets.get", "GET /pets", "addPet", "readPet"]))
def test_functions_are_also_found_by_name(key: str) -> None:
    """The sequence of functions finds what the application finds, also after a copy."""
    for functions in (APP.functions, deepcopy(APP.functions), loads(dumps(APP.functions))):
        assert functions[key].name == APP[key].name
        assert key in functions


@pytest.mark.parametrize("name", ["status_code", "json", "text", "raise_for_status"])
def test_a_result_names_what_it_has_instead(name: str) -> None:
    """An attribute of another client's response is an AttributeError with the right attribute."""
    result = specfn.Result(status=200, data=[1])
    with pytest.raises(AttributeError, match=f"no attribute '{name}'; use (status|data|ok)"):
        getattr(result, name)
    assert not hasattr(result, "url")


def test_functions_stay_a_sequence() -> None:
    """Positions, slices, membership and equality are those of a tuple."""
    functions = APP.functions
    assert [functions[0], functions[1], functions[-1]] == [*APP]
    assert functions == tuple(functions)
    assert functions[:2] == tuple(functions)[:2]
    assert functions[1] in functions
    assert "listPet" not in functions


def test_a_connection_accepts_its_url_by_position() -> None:
    """The base URL is accepted by position and by name, once; all other fields only by name."""
    assert Connection(URL) == Connection(base_url=URL)
    assert Connection(URL, retries=2) == Connection(base_url=URL, retries=2)
    assert Connection(URL).model_copy(update={"retries": 2}).base_url == URL
    for build in (lambda: Connection(URL, base_url=URL), lambda: Connection(URL, "token")):
        with pytest.raises(TypeError, match="base_url"):
            build()
    with pytest.raises(TypeError, match=r"Options\(\) has its fields by name"):
        Options(True)  # type: ignore[call-arg, misc]
