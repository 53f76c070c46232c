"""The subcommand ``specfn convert``: a document in another version of OpenAPI."""

from typing import TYPE_CHECKING, Any

from specfn._internal.json import JsonObject, dumps_indented
from specfn.cli import output, source
from specfn.cli import shared_options as shared
from specfn.cli.output import note_lines
from specfn.cli.progress import Progress
from specfn.cli.save import write_result
from specfn.document.diagnose.check import diagnose
from specfn.document.garbage_collection import gc_paused
from specfn.document.normalize import normalize
from specfn.document.overlay import apply_overlays
from specfn.document.read.limits import check_document
from specfn.document.read.load import read
from specfn.document.references.bundle import bundle

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from specfn.document.read.load import Source
    from specfn.records import Note


@shared.command(
    "convert",
    "specfn convert swagger.yaml --to 3.1 -o openapi.json",
    "specfn convert https://api.example.com/openapi.json --to 3.0 > openapi30.json",
)
@source.argument
@shared.choice("--to", "version", ["3.1", "3.0"], "The version of OpenAPI.", required=True)
@shared.output_file
def command(spec: str, version: str, path: str | None) -> None:
    """Write SPEC as a JSON document of OpenAPI 3.1 or 3.0.

    SPEC is a document of any version. Parts that the version cannot express or does not allow are listed on
    stderr. A schema of OpenAPI 3.0 accepts each value that it accepted before.
    """
    with Progress() as progress, gc_paused():
        content, given = source.content(spec, progress), source.given()
        original = apply_overlays(
            read(content, progress=progress.read, credentials=source.credentials(spec)),
            given.overlays,
        )
        if given.references != "internal":
            document, problems, _ = bundle(original, given.references)
            original = original._replace(document=document, notes=(*original.notes, *problems))
        if original.unreadable:
            check_document(original.document)  # raises the error with its place
        progress.begin("converting")
        document, losses = _CONVERSIONS[version](original)
        losses = tuple(losses)
        faults = _new_faults(original.document, document, losses)
        text = output.json_printable(dumps_indented(document)) + b"\n"
    write_result((text,), path, is_json=True)
    for line in note_lines((note.pointer, note.text) for note in losses):
        output.complain(f"lost: {line}", "warning")
    for line in note_lines((note.pointer, note.text) for note in faults):
        output.complain(f"not valid in OpenAPI {version}: {line}", "warning")


def _new_faults(before: Any, after: JsonObject, losses: "Sequence[Note]") -> "Iterable[Note]":
    """Return the faults of a converted document that neither come from a fault of the original nor are losses."""
    known = {note.pointer for note in losses}
    if diagnose(before):
        return ()
    return [note for note in diagnose(after) if note.pointer not in known]


def _to_31(original: "Source") -> "tuple[JsonObject, Iterable[Note]]":
    from specfn.document.downgrade.document import note_unused_components  # noqa: PLC0415  # for this version

    normalized = normalize(original.document, original.uri, shared=original.shared)
    notes = (*normalized.notes, *note_unused_components(original.document, normalized))
    return normalized.document, notes


def _to_30(original: "Source") -> "tuple[JsonObject, Iterable[Note]]":
    from specfn.document.downgrade.document import downgrade  # noqa: PLC0415  # for this version

    return downgrade(original.document)


#: The conversion to each version.
_CONVERSIONS = {"3.1": _to_31, "3.0": _to_30}
