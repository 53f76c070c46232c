"""The schema of a function's result, in the dialect of a provider."""

from dataclasses import replace

from specfn._internal.json import JsonObject, loads
from specfn.catalog.tools.fit_cache import Fits
from specfn.function.function import Function
from specfn.schema.profiles.lint import refusals
from specfn.schema.profiles.profile import Profile


class Outputs:
    """Fits the documented success responses of functions to one profile.

    Names of properties are never changed, for the API's answer has them as they are. A schema that the provider
    would refuse is not sent.
    """

    def __init__(self, profile: Profile, fits: Fits, *, answer: bool) -> None:
        """Fit schemas of data, or of the answers of a conversation, which have the data within them."""
        self._fits = fits
        self._answer = answer
        self._judged = replace(profile, strict=None, fallback=None)
        self._profile = replace(
            self._judged, name=f"{profile.name} output", root_key=None, nested_key=None
        )

    def schema(self, function: Function, budget: int | None) -> JsonObject | None:
        """Return the schema of a function's result; ``None`` if there is none that the provider accepts.

        Args:
            function: the function.
            budget: the most bytes of the schema.
        """
        if not is_documented(function):
            return None
        schema = self._fits.output(function, self._profile, budget, answer=self._answer).schema
        faults = (fault for fault in refusals(schema, self._judged) if fault.code != "root")
        return None if next(faults, None) is not None else schema


def is_documented(function: Function) -> bool:
    """Whether the document describes the JSON of a success."""
    return isinstance(loads(function.schemas.promise), dict)
