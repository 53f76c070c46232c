"""Output schemas: the schemas of functions' results in the dialect of a provider."""

from dataclasses import replace

from specfn._internal.json import JsonObject, loads
from specfn.catalog.tools.fit_cache import FitCache
from specfn.function.function import Function
from specfn.schema.profiles.lint import refusals
from specfn.schema.profiles.profile import Profile


class OutputSchemas:
    """Output schemas of functions, fitted to one profile.

    Names of properties are never changed, because responses have the names of the document. A schema that the provider
    would refuse is not sent.
    """

    def __init__(self, profile: Profile, fits: FitCache, *, answer: bool) -> None:
        """Fit the schemas of data, or of results of a conversation, which contain the data."""
        self._fits = fits
        self._answer = answer
        self._checked_profile = replace(profile, strict=None, fallback=None)
        self._profile = replace(
            self._checked_profile, name=f"{profile.name} output", root_key=None, nested_key=None
        )

    def schema(self, function: Function, budget: int | None) -> JsonObject | None:
        """Return the schema of a function's result; ``None`` if the provider accepts no such schema.

        Binary data has no schema, because it is not JSON.

        Args:
            function: the function.
            budget: the maximum number of bytes of the schema.
        """
        if not is_documented(function) or (not self._answer and _is_binary(function)):
            return None
        schema = self._fits.output(function, self._profile, budget, answer=self._answer).schema
        faults = (
            fault for fault in refusals(schema, self._checked_profile) if fault.code != "root"
        )
        return None if next(faults, None) is not None else schema


def _is_binary(function: Function) -> bool:
    success = function.route.success
    return success is not None and success.kind == "binary"


def is_documented(function: Function) -> bool:
    """Return whether the document describes the JSON of a success response."""
    return isinstance(loads(function.schemas.promise), dict)
