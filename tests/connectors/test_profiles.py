import re
from dataclasses import replace
from typing import get_args, get_type_hints

import pytest
from tests.connectors.names import CODECS, PROFILES

from specfn import calling
from specfn.connectors import profile
from specfn.errors import UsageError
from specfn.schema.profiles.profile import DESCRIPTION, NAME, SCHEMA


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_is_complete(name: str) -> None:
    """A profile has the name it is found by, a date, sources, patterns that compile and the parts of a tool."""
    found = profile(name)
    assert found.name == name
    assert re.fullmatch(r"20\d\d-\d\d", found.verified)
    assert found.sources
    for pattern in (found.tool_name, found.root_key, found.nested_key, found.patterns):
        re.compile(pattern or "")
    for part in (NAME, DESCRIPTION, SCHEMA):
        assert part in str(found.shape)
    assert {"type", "properties", "items", "description", "anyOf"} <= found.keywords


@pytest.mark.parametrize("name", PROFILES)
def test_what_is_strict_can_fall_back(name: str) -> None:
    """A profile that is enforced names the one for what cannot be, of the same provider."""
    found = profile(name)
    assert (found.strict is None) == (found.fallback is None)
    if found.fallback is not None:
        assert found.fallback.strict is None
        assert name.startswith(found.fallback.name)


def test_portable_is_within_every_other() -> None:
    """All other profiles accept what portable uses: keywords, formats, enums, names, and the number of tools."""
    portable = profile("portable")
    for name in PROFILES:
        other = profile(name)
        if other.strict is not None or other.form is not None or name == "openai-functions":
            continue  # asks for more, and is asked for by name
        assert portable.keywords <= other.keywords, name
        assert portable.enums <= other.enums, name
        for kind, formats in (portable.formats or {}).items():
            assert other.formats is None or formats <= other.formats[kind], name
        assert portable.tools is not None
        assert other.tools is None or portable.tools <= other.tools, name
        limit = other.description_limit
        assert limit is None or (portable.description_limit or limit + 1) <= limit, name


def test_an_unknown_profile_is_told_with_those_that_exist() -> None:
    """An unknown name is a usage error; the names are listed."""
    with pytest.raises(
        UsageError,
        match=r"unknown profile 'gpt': it must be one of anthropic, anthropic-strict, azure-openai, .*portable",
    ):
        profile("gpt")


def test_a_caller_may_bring_a_profile() -> None:
    """A profile of one's own is taken as it is, for servers that no table knows."""
    own = replace(profile("portable"), name="own", tools=3)
    assert profile(own) is own


@pytest.mark.parametrize("function", [calling.run, calling.arun, calling.Session.__init__])
def test_editors_complete_every_name(function: object) -> None:
    """The types of ``connector=`` and ``profile=`` list the names of all wire formats and profiles, and accept others."""
    names = {"Connection": object, "TYPE_CHECKING": False}
    hints = get_type_hints(function, localns=names)
    for parameter, known in (("connector", CODECS), ("profile", PROFILES)):
        literals, others = set[str](), set[object]()
        for part in get_args(hints[parameter]):
            literals |= set(get_args(part))
            others |= {part}
        assert literals == set(known)
        assert str in others
