"""The subcommand ``specfn check``: the faults of a document and the refusals of a provider."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin

import click

from specfn._internal.json import JsonObject
from specfn._internal.values import with_count
from specfn.application.examples import example_faults
from specfn.cli import output, source
from specfn.cli import shared_options as shared
from specfn.cli.errors import EXIT_FAILURE, EXIT_SUCCESS, in_options
from specfn.cli.progress import Progress
from specfn.cli.terminal import Meaning
from specfn.connectors import registry
from specfn.document.diagnose.check import strict as thorough
from specfn.document.read.load import Source
from specfn.document.references.loader import DocumentLoader, RefusedError
from specfn.records import members, method_and_path
from specfn.settings import DEFAULT
from specfn.tools.fit_cache import FitCache
from specfn.tools.provider_limits import check

if TYPE_CHECKING:
    from specfn.application.application import Application
    from specfn.application.examples import ReadExample
    from specfn.records import Note

#: Codes of operations that the caller excluded, and the code of too many functions.
_EXCLUDED: Final = frozenset({"extension", "human", "method"})
_TOO_MANY: Final = "count"

#: The kind of edit for a union whose branches may overlap.
_UNION: Final = "union"

#: The largest number of functions that a line names.
_NAMED: Final = 3


@shared.command(
    "check",
    "specfn check openapi.yaml",
    "specfn check openapi.yaml --profile PROVIDER --strict",
)
@source.argument
@shared.profile("Profile of the provider.")
@click.option("--strict", is_flag=True, help="Also report the findings of openapi-spec-validator.")
@click.option(
    "--all",
    "with_all",
    is_flag=True,
    help="Also list what needs no action: adapted schemas, and operations that are left out.",
)
@shared.as_json()
def command(spec: str, *, profile: str, strict: bool, with_all: bool, as_json: bool) -> int:
    """Report the faults of SPEC and the functions that a provider would refuse.

    The first line is the result; then follows what needs action. Schemas that specfn adapts to the provider are
    counted. The exit code is 1 if the document is faulty or a function cannot be sent. An example that is invalid under
    its schema does not change the exit code.
    """
    with Progress() as progress:
        application = source.application(spec, DEFAULT, progress, thorough=True)
        progress.begin("checking")
        report = _report(application, profile, progress, strict=strict)
    if as_json:
        output.write_value(report)
    else:
        is_good = not report["counts"]["faults"]
        output.write_lines(_result(report, profile), "good" if is_good else "heading")
        for line, meaning in _lines(report, with_all=with_all):
            output.write_lines(in_options(line), meaning)
    return EXIT_FAILURE if report["counts"]["faults"] else EXIT_SUCCESS


def _report(
    application: "Application", profile: str, progress: Progress, *, strict: bool
) -> JsonObject:
    provider_findings = check(
        application.functions, registry.profile(profile), FitCache(), progress.count_functions
    )
    findings = [*map(members, provider_findings)]
    diagnostics = [*map(members, _diagnostics(application, strict=strict))]
    refused = [*map(members, example_faults(application.raw, _example_reader(application)))]
    errors = [*map(members, application.errors)]
    lost = [*filter(_is_refusal, findings)]
    wrong = [*filter(_is_wrong, errors)]
    unions = [
        {"function": function.name, "pointer": edit.pointer, "reason": edit.reason}
        for function in application.functions
        for edit in function.edits
        if edit.kind == _UNION
    ]
    counts = {
        "functions": len(application.functions),
        "diagnostics": len(diagnostics),
        "examples": len(refused),
        "errors": len(errors),
        "findings": len(findings),
        "mended": sum(finding["mended"] for finding in findings),
        "unions": len(unions),
        "faults": len(diagnostics) + len(wrong) + len(lost),
    }
    return {
        "diagnostics": diagnostics,
        "examples": refused,
        "errors": errors,
        "findings": findings,
        "unions": unions,
        "counts": counts,
    }


def _example_reader(application: "Application") -> "ReadExample":
    """Return a function that reads an example in another document, as far as ``--references`` allows."""
    references = application.settings.references
    if references == "internal":
        return lambda _: None
    loader = DocumentLoader(Source(application.raw, uri=application.source), references)

    def read(reference: str) -> Any:
        try:
            return loader(urljoin(loader.base, reference))
        except (RefusedError, ValueError):
            return None

    return read


def _diagnostics(application: "Application", *, strict: bool) -> "Iterable[Note]":
    if not strict:
        return application.diagnostics

    return (*application.notes, *thorough(application.raw, application.source))


# -- text output ---------------------------------------------------------------------------------


def _result(report: JsonObject, profile: str) -> str:
    """Return the result as one sentence: how many functions can be sent, what to do, and what is adapted."""
    counts = report["counts"]
    refused = {finding["function"] for finding in report["findings"] if _is_refusal(finding)}
    is_over = any(finding["code"] == _TOO_MANY for finding in report["findings"])
    tasks = [
        f"{with_count(count, noun)} to {verb}"
        for count, noun, verb in (
            (counts["diagnostics"], "fault", "correct in the document"),
            (sum(map(_is_wrong, report["errors"])), "operation", "correct"),
            (len(refused), "function", "correct or leave out"),
            (counts["examples"], "example", "correct"),
        )
        if count
    ]
    if is_over:
        tasks.append("too many for one request")
    sent = with_count(counts["functions"] - len(refused), "function")
    line = f"{sent} can be sent (profile {profile}); {', '.join(tasks) or 'nothing to do'}"
    adapted = counts["mended"] + counts["unions"]
    return (
        f"{line}; adapted: {with_count(adapted, 'place')} (--all lists them)" if adapted else line
    )


def _is_wrong(error: JsonObject) -> bool:
    """Return whether an operation is left out because of a fault, and not because the caller chose so."""
    return error["code"] not in _EXCLUDED


def _is_refusal(finding: JsonObject) -> bool:
    """Return whether the provider refuses the function of a finding."""
    return not finding["mended"] and finding["code"] != _TOO_MANY and not finding["pointer"]


def _lines(report: JsonObject, *, with_all: bool) -> Iterator[tuple[str, Meaning]]:
    """Yield a line with its meaning for each item that needs action, or for all items."""
    for note in report["diagnostics"]:
        yield f"document: {' '.join(note['text'].split())} (at #{note['pointer']})", "bad"
    for note in report["examples"]:
        yield f"example: {' '.join(note['text'].split())} (at #{note['pointer']})", "warning"
    for error in report["errors"]:
        reason = f"{' '.join(error['reason'].split())} ({error['code']}, at #{error['pointer']})"
        if _is_wrong(error) or with_all:
            place = method_and_path(error["method"], error["path"])
            yield f"{place}: {reason}", "bad" if _is_wrong(error) else "plain"
    for (mended, code, reason), places in _group(report["findings"]).items():
        how = "adapted in" if mended else "not sent:"
        if not mended or with_all:
            yield f"{code}: {reason}{_where(places, how)}", "plain" if mended else "bad"
    for reason in dict.fromkeys(union["reason"] for union in report["unions"] if with_all):
        places = [union for union in report["unions"] if union["reason"] == reason]
        yield f"{_UNION}: {reason}{_where(places, 'in')}", "plain"


def _where(places: list[JsonObject], how: str) -> str:
    """Return the first functions of findings, and the number of places; empty if no function is affected."""
    names = [*dict.fromkeys(place["function"] for place in places if place["function"])]
    if not names:
        return ""
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    count = f", {len(places):,} places" if len(places) > len(names) else ""
    return f" ({how} {', '.join(names[:_NAMED])}{more}{count})"


def _group(findings: list[JsonObject]) -> dict[tuple[bool, str, str], list[JsonObject]]:
    """Group findings of one kind: functions that are not sent first, then the most frequent."""
    groups: dict[tuple[bool, str, str], list[JsonObject]] = {}
    for finding in findings:
        key = (finding["mended"], finding["code"], " ".join(finding["reason"].split()))
        groups.setdefault(key, []).append(finding)
    order = sorted(groups, key=lambda key: (key[0], -len(groups[key])))
    return {key: groups[key] for key in order}
