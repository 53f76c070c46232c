import base64
import gzip
import json
import re
from typing import Any

import pytest
from tests.connectors.names import PROFILES
from tests.inspector.inspector_support import application

import specfn
from specfn.inspector.html_report import html_report

APP = application()


def blocks(page: str) -> dict[str, Any]:
    """Return the JSON of each block of a report."""
    found = re.findall(r'<script type="(\S+)" id="(\w+)">(.*?)</script>', page, re.DOTALL)
    return {
        name: json.loads(gzip.decompress(base64.b64decode(text)) if kind == "text/plain" else text)
        for kind, name, text in found
    }


def report(app: specfn.Application = APP, **options: Any) -> str:
    return b"".join(html_report(app, **options)).decode()


def test_a_report_contains_each_operation() -> None:
    """Every operation is a function or an error of the overview, and every function has its details."""
    found = blocks(report())
    overview = found["overview"]
    assert [each["name"] for each in overview["functions"]] == [each.name for each in APP.functions]
    assert [each["path"] for each in overview["errors"]] == ["/pets/{petId}"]
    assert sum(name.startswith("f") and name[1:].isdigit() for name in found) == len(APP.functions)


def test_a_report_contains_what_each_profile_reads() -> None:
    """The views of a function are its tools for each profile."""
    found = blocks(report())
    for index, function in enumerate(APP.functions):
        details = found[f"f{index}"]
        assert details["enforced"] == function.validator
        for name in PROFILES:
            view = details["views"][name]
            tools = APP.tools(name, select=[function.name])
            if not tools.tools:
                assert view["refused"]
                continue
            (tool,) = tools.tools
            shown = {key: details["shared"][view[key]] for key in ("description", "schema")}
            assert shown == {"description": tool.description, "schema": tool.fit.schema}


def test_a_report_contains_the_document() -> None:
    """A report contains the normalized document."""
    assert blocks(report())["document"] == APP.document


def test_the_same_document_gives_the_same_report() -> None:
    """A report has no time and nothing random."""
    assert report() == report(application())


def test_an_unknown_profile_is_an_error() -> None:
    """An unknown profile is refused with the known ones."""
    with pytest.raises(specfn.UsageError, match="unknown profile 'x'"):
        report(profile="x")


def test_a_document_without_functions_has_a_report() -> None:
    """An empty document gives a report without functions."""
    empty = application({"openapi": "3.1.0", "info": {"title": "None", "version": "1"}})
    assert blocks(report(empty))["overview"]["functions"] == []


def test_a_summary_is_a_text_that_ends_with_a_word() -> None:
    """A description in HTML is shown in the list without its tags, and is not cut within a word."""
    text = f"<p>With <a href='/x'>Connect</a>, a &lt; b, 1 < 2.</p><p>{'refund ' * 40}</p>"
    operation = {"description": text, "responses": {}}
    info = {"title": "t", "version": "1"}
    app = specfn.load({"openapi": "3.1.0", "info": info, "paths": {"/a": {"get": operation}}})
    (function,) = blocks(report(app))["overview"]["functions"]
    summary = function["summary"]
    assert summary.startswith("With Connect, a &lt; b, 1 < 2. refund refund")
    assert summary.endswith("refund …")
    assert len(summary) <= 160
