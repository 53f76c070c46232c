"""The fields of a response that a model reads: those that it asked for, within the operator's defaults (rule X12)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from specfn.answers import Drop, FieldNames, Filtered, Keep, absent, field_names, filtered
from specfn.calling.documented_fields import DocumentedFields
from specfn.errors import UsageError
from specfn.function.function import Function
from specfn.migrate.migrate import all_matching, names_of

if TYPE_CHECKING:
    from specfn.http.response.response import Result


#: Nothing was left out.
_NOTHING: Final = Filtered(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseFields:
    """The fields of a response that a model reads.

    Attributes:
        keep: the fields; ``None`` for all.
        drop: the fields that are never shown.
        is_asked: true if the call asked for ``keep``.
    """

    keep: tuple[FieldNames, ...] | None = None
    drop: tuple[FieldNames, ...] = ()
    is_asked: bool = False

    @classmethod
    def of(
        cls, function: Function, asked: tuple[FieldNames, ...] | None = None
    ) -> "ResponseFields":
        """Return the fields of a function: those asked for, else the first ``Keep``; without all of ``Drop``."""
        settings = function.schemas.settings
        if not settings.answers:
            return cls(keep=asked, is_asked=asked is not None)
        found = all_matching(settings.answers, names_of(function.route))
        kept = next((each for each in found if isinstance(each, Keep)), None)
        drop = tuple(name for each in found if isinstance(each, Drop) for name in _names(each))
        keep = asked if asked is not None or kept is None else _names(kept)
        return cls(keep=keep, drop=drop, is_asked=asked is not None)

    def problem(self, function: Function) -> str | None:
        """Return the feedback for fields that the document does not have; ``None`` if all are documented."""
        if self.keep is None:
            return None
        unknown = DocumentedFields(function, self.drop).unknown(self.keep)
        return ". ".join(unknown) if unknown else None

    def view(self, function: Function, result: "Result") -> "ResponseView":
        """Return the part of a response that a model reads. A response outside of 2xx is whole."""
        is_data = isinstance(result.data, dict | list)
        if not result.ok or not is_data or (self.keep is None and not self.drop):
            return ResponseView(result)
        keep = self.keep
        note = ""
        if keep is not None and not _is_documented(function, result.status):
            keep = None
            note = "The document does not describe this response, so all of its fields are shown."
        found = filtered(result.data, keep, self.drop)
        missing = absent(found.data, keep) if keep is not None and self.is_asked else ()
        return ResponseView(replace(result, data=found.data), found, missing, note)


@dataclass(frozen=True, slots=True)
class ResponseView:
    """The part of a response that a model reads.

    Attributes:
        result: the response with filtered data.
        filtered: what was left out.
        missing: the fields that were asked for and did not arrive.
        note: a sentence on a response that was not filtered.
    """

    result: "Result"
    filtered: Filtered = _NOTHING
    missing: tuple[str, ...] = ()
    note: str = ""

    def lines(self) -> list[str]:
        """Return the lines on fields that were left out or did not arrive."""
        found = [self.note] if self.note else []
        count = self.filtered.count
        if count:
            names = ", ".join(self.filtered.dropped[:10])
            more = ", …" if count > 10 else ""
            found.append(f"{count} other field{'s' * (count > 1)} not shown: {names[:300]}{more}")
        if self.missing:
            found.append(f"Did not arrive: {', '.join(self.missing)[:300]}")
        return found


def refuse_filtered(functions: Iterable[Function]) -> None:
    """Check that no function has filtered responses, which its output schema would not describe.

    Raises:
        UsageError: ``Options.answers`` filters the responses of a function.
    """
    for function in functions:
        found = ResponseFields.of(function)
        if found.keep is not None or found.drop:
            raise UsageError(
                f"output_schema=True and Options.answers exclude each other: the responses of {function.name} are "
                "filtered and would not match their schema"
            )


def _names(given: Keep | Drop) -> tuple[FieldNames, ...]:
    return tuple(names for path in given.paths if (names := field_names(path)) is not None)


def _is_documented(function: Function, status: int) -> bool:
    """Return whether a response is the documented success response."""
    success = function.route.success
    if success is None or success.schema is None:
        return False
    return success.status.upper() in {str(status), "2XX", "DEFAULT"}
