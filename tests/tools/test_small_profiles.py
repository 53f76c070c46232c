"""Profiles of providers with other limits than those of today: a list of tools always ends, within the limits."""

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn import Application, load
from specfn.connectors import profile
from specfn.errors import UsageError

TEXT = {"type": "string"}


def application() -> Application:
    """Return functions with long names that begin alike, and properties with long names."""
    long = {f"{'property_' * 8}{index}": TEXT for index in range(3)}
    body = {"content": {"application/json": {"schema": {"type": "object", "properties": long}}}}
    operation = {"requestBody": body, "responses": {"200": {"description": "OK"}}}
    paths = {f"/{'segment/' * 8}{name}": {"post": operation} for name in ("one", "two", "three")}
    info = {"title": "T", "version": "1"}
    return load(
        {"openapi": "3.0.3", "info": info, "paths": {**paths, "/a": {"get": {"responses": {}}}}}
    )


@given(
    name=st.sampled_from(["portable", "anthropic", "openai", "gemini", "mcp"]),
    longest=st.integers(8, 64),
    tools=st.integers(1, 5),
    key=st.integers(8, 64),
)
def test_any_limits_give_a_list(name: str, longest: int, tools: int, key: int) -> None:
    """R14: names fit and are unique, however short they must be; what does not fit is left out with a reason."""
    limits = replace(
        profile(name),
        tool_name=f"[a-zA-Z0-9_]{{1,{longest}}}",
        tools=tools,
        root_key=f"[a-zA-Z0-9_]{{1,{key}}}",
        nested_key=f"[a-zA-Z0-9_]{{1,{key}}}",
    )
    app = application()
    made = app.tools(limits)
    names = [tool.name for tool in made.tools]
    assert len(names) == min(tools, 4)
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(limits.tool_name, each) for each in names)
    assert len(names) + len(made.left_out) == 4
    for tool in made.tools:
        assert all(len(each) <= key for each in _keys(tool.fit.schema))


def _keys(schema: Any) -> list[str]:
    if isinstance(schema, list):
        return [key for item in schema for key in _keys(item)]
    if not isinstance(schema, dict):
        return []
    own = [*schema["properties"]] if isinstance(schema.get("properties"), dict) else []
    return own + [key for value in schema.values() for key in _keys(value)]


def test_a_profile_without_names_is_an_error() -> None:
    """A profile that accepts no name of the list says so, instead of trying without end."""
    limits = replace(profile("portable"), tool_name="[A-Z]+")
    with pytest.raises(UsageError, match="accepts no name for"):
        application().tools(limits)
