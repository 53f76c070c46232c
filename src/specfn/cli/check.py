"""``specfn check``: what is wrong with a document, and what a provider would refuse of its functions."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

import click

from specfn._json import JsonObject, dumps
from specfn.application.examples import example_faults
from specfn.cli import output, source
from specfn.cli.faults import AT_FAULT, DONE
from specfn.cli.progress import Progress
from specfn.settings import DEFAULT

if TYPE_CHECKING:
    from specfn.application.application import Application
    from specfn.records import Note

#: Operations that are no functions because somebody chose so, and the finding that only choosing mends.
_CHOSEN: Final = frozenset({"human", "method"})
_NUMEROUS: Final = "count"

#: The kind of edit that names alternatives that may overlap.
_UNION: Final = "union"

#: How many functions are named beside a reason.
_NAMED: Final = 3


@click.command(name="check")
@source.argument
@click.option(
    "--profile",
    default="portable",
    show_default=True,
    metavar="NAME",
    help="The provider; an unknown name lists those that exist.",
)
@click.option("--strict", is_flag=True, help="Also what openapi-spec-validator finds.")
@click.option("--json", "as_json", is_flag=True, help="JSON instead of text.")
def command(spec: str, *, profile: str, strict: bool, as_json: bool) -> int:
    """Say what is wrong with SPEC, and what a provider would refuse of its functions.

    What specfn mends on the way to the provider is counted and told. The exit code is 1 only for faults of the
    document and for functions that cannot be sent at all; examples that their schemas refuse are no such faults.
    """
    with Progress() as progress:
        application = source.application(spec, DEFAULT, progress, thorough=True)
        report = _report(application, profile, strict=strict)
    if as_json:
        output.write((output.json_printable(dumps(report)), b"\n"))
    else:
        for line in _lines(report):
            output.write_text(line)
    return AT_FAULT if report["counts"]["faults"] else DONE


def _report(application: "Application", profile: str, *, strict: bool) -> JsonObject:
    """Everything that is shown, as data."""
    findings = [asdict(finding) for finding in application.check(profile)]
    diagnostics = [asdict(note) for note in _diagnostics(application, strict=strict)]
    refused = [asdict(note) for note in example_faults(application.raw)]
    errors = [asdict(error) for error in application.errors]
    lost = [
        finding
        for finding in findings
        if not finding["mended"] and finding["code"] != _NUMEROUS and not finding["pointer"]
    ]
    wrong = [error for error in errors if error["code"] not in _CHOSEN]
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


def _diagnostics(application: "Application", *, strict: bool) -> "Iterable[Note]":
    if not strict:
        return application.diagnostics
    from specfn.document.check import strict as thorough  # noqa: PLC0415  # takes its time

    return (*application.notes, *thorough(application.raw, application.source))


# -- for people -----------------------------------------------------------------------------------


def _lines(report: JsonObject) -> Iterator[str]:
    for note in report["diagnostics"]:
        yield f"document: {' '.join(note['text'].split())} (at #{note['pointer']})"
    for note in report["examples"]:
        yield f"example: {' '.join(note['text'].split())} (at #{note['pointer']})"
    for error in report["errors"]:
        place = f"{error['method'].upper()} {error['path']}"
        yield f"{place}: {' '.join(error['reason'].split())} ({error['code']}, at #{error['pointer']})"
    for (mended, code, reason), places in _grouped(report["findings"]).items():
        how = "mended; " if mended else "not sent; "
        yield f"{code}: {reason}{_where(places, how)}"
    for reason in dict.fromkeys(union["reason"] for union in report["unions"]):
        places = [union for union in report["unions"] if union["reason"] == reason]
        yield f"{_UNION}: {reason}{_where(places)}"
    counts = report["counts"]
    yield (
        f"{counts['functions']:,} functions; {counts['diagnostics']:,} diagnostics, {counts['errors']:,} errors, "
        f"{counts['examples']:,} refused examples, {counts['findings']:,} findings, of which {counts['mended']:,} are mended"
    )


def _where(places: list[JsonObject], how: str = "") -> str:
    """Return how often something was found, with the first functions; empty if no function is concerned."""
    names = [*dict.fromkeys(place["function"] for place in places if place["function"])]
    named = ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")
    return f" ({how}{len(places):,} in {len(names):,}: {named})" if names else ""


def _grouped(findings: list[JsonObject]) -> dict[tuple[bool, str, str], list[JsonObject]]:
    """Findings of one kind together: what is not sent first, then the most frequent."""
    found: dict[tuple[bool, str, str], list[JsonObject]] = {}
    for finding in findings:
        key = (finding["mended"], finding["code"], " ".join(finding["reason"].split()))
        found.setdefault(key, []).append(finding)
    order = sorted(found, key=lambda key: (key[0], -len(found[key])))
    return {key: found[key] for key in order}
