from typing import Any

import pytest
from tests.connectors.names import PROFILES
from tests.tools.test_tools import NOTES, application, operation, parameter

from specfn.errors import UsageError

Json = dict[str, Any]


def test_what_is_refused_is_told_with_its_place() -> None:
    """A finding names the function, a code, the place in its tool, and whether it is mended."""
    app = application(
        {"/a": {"get": operation(parameters=[parameter("id", type="string", format="uuid")])}}
    )
    found = [finding for finding in app.check("openai-strict") if finding.code == "format"]
    assert found == []
    finding = next(finding for finding in app.check("gemini") if finding.code == "format")
    assert finding.function == "a_get"
    assert finding.pointer == "/parameters/properties/query/properties/id"
    assert finding.reason == "the format uuid is not accepted"
    assert finding.mended


def test_names_and_descriptions_are_looked_at() -> None:
    """A name or description that is too long is a finding at its place."""
    app = application(
        {f"/{'long' * 30}": {"get": operation(description="d" * 2000)}}, max_length=200
    )
    found = {finding.code: finding.pointer for finding in app.check("azure-openai")}
    assert (found["name"], found["description"]) == ("/name", "/description")


def test_positional_parameters_are_found() -> None:
    """A list of schemas is no tool; ``tools`` wraps it under its keys."""
    findings = application(NOTES, keyword=False).check("anthropic")
    assert {(finding.code, finding.mended) for finding in findings} == {("root", True)}


def test_too_many_functions_are_one_finding() -> None:
    """A violation by the whole list is one finding without a function."""
    app = application({f"/p{n}": {"get": operation()} for n in range(130)})
    found = [finding for finding in app.check("openai") if finding.code == "count"]
    assert [(finding.function, finding.mended) for finding in found] == [("", False)]
    assert "130 functions" in found[0].reason


def test_a_function_that_cannot_be_sent_is_not_mended() -> None:
    """A function that ``tools`` leaves out has a finding that is not mended."""
    app = application(NOTES)
    app["notes_get"].schemas.root = {"type": "array"}
    found = [finding for finding in app.check() if not finding.mended]
    assert {finding.function for finding in found} == {"notes_get"}
    assert "root" in {finding.code for finding in found}


def test_an_unknown_profile_is_told() -> None:
    """An unknown profile is a usage error."""
    with pytest.raises(UsageError, match="unknown profile 'x': it must be one of anthropic"):
        application(NOTES).check("x")


@pytest.mark.parametrize("name", PROFILES)
def test_what_is_sent_has_no_findings(name: str) -> None:
    """A plain document has findings in strict profiles alone."""
    app = application({"/a": {"get": operation(summary="Get a.")}}, dialect="3.1")
    codes = {finding.code for finding in app.check(name)}
    assert codes <= {"keyword"}  # additionalProperties, where they are no keyword
