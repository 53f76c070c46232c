"""Functions fitted to profiles: each is fitted once, and what functions share is rendered once."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from specfn._internal.json import loads
from specfn.catalog.tools.success_schema import promised
from specfn.function.function import Function
from specfn.migrate.safety import is_update
from specfn.records import Edit
from specfn.schema.profiles.fit import Fit, Fitter
from specfn.schema.profiles.profile import Profile

if TYPE_CHECKING:
    from specfn.function.schemas import Schemas

#: The kind of edit that tells of an optional property which takes null: null and absence look alike.
_ALIKE = "null"


class Fits:
    """The fitted schemas of the functions of one application."""

    def __init__(self) -> None:
        self._fitters: dict[tuple[Profile, int | None], Fitter] = {}
        self._known: dict[tuple[Profile, int | None, int], tuple[Schemas, Fit]] = {}
        self._outputs: dict[tuple[Profile, int | None, int, bool], tuple[Schemas, Fit]] = {}

    def __reduce__(self) -> tuple[type["Fits"], tuple[()]]:
        """Another process fits for itself."""
        return (Fits, ())

    def fit(self, function: Function, profile: Profile, budget: int | None) -> Fit:
        """The schema of a function's arguments, by key, as a provider takes it.

        Args:
            function: the function; arguments by position are wrapped under their keys (rule F4).
            profile: the provider's.
            budget: the most bytes of its compact JSON.
        """
        key = (profile, budget, id(function.schemas))
        if key not in self._known:
            self._known[key] = (function.schemas, self._made(function, profile, budget))
        return self._known[key][1]

    def output(
        self, function: Function, profile: Profile, budget: int | None, *, answer: bool
    ) -> Fit:
        """Return the schema of a function's documented success response, as a provider takes it.

        Args:
            function: the function.
            profile: the provider's.
            budget: the most bytes of its compact JSON.
            answer: the schema is that of the answer of a conversation, which has the response as its data.
        """
        key = (profile, budget, id(function.schemas), answer)
        if key not in self._outputs:
            schema = promised(loads(function.schemas.promise), answer=answer)
            fit = self._fitter(function, profile, budget).fit(schema)
            self._outputs[key] = (function.schemas, fit)
        return self._outputs[key][1]

    def unenforced(
        self, function: Function, profile: Profile, budget: int | None, reason: str
    ) -> Fit:
        """Return the schema of a function's arguments as the fallback of a profile takes it, for a reason."""
        fitter = self._fitter(function, profile, budget)
        return fitter.unenforced(function.validator, reason)

    def _fitter(self, function: Function, profile: Profile, budget: int | None) -> Fitter:
        settings = function.schemas.settings
        if (profile, budget) not in self._fitters:
            self._fitters[profile, budget] = Fitter(
                profile,
                constraint=settings.constraint,
                recursive=int(settings.recursive),
                budget=budget,
                one_of=settings.one_of,
            )
        return self._fitters[profile, budget]

    def _made(self, function: Function, profile: Profile, budget: int | None) -> Fit:
        fitter = self._fitter(function, profile, budget)
        fit = fitter.fit(function.validator)
        if (
            fit.strict
            and is_update(function.route)
            and any(edit.kind == _ALIKE for edit in fit.edits)
        ):
            reason = "what an update leaves out would be sent as null, and erased"
            return fitter.unenforced(function.validator, reason)
        return fit


def tool_edits(function: Function, name: str, fit: Fit, *, length: int | None) -> Iterator[Edit]:
    """Return the edits of a tool; ``length`` is that of a description that is not the function's own."""
    if name != function.name:
        reason = f"the name {function.name!r} is not shown: the provider or another tool has no room for it"
        yield Edit(pointer="/name", kind="name", reason=reason)
    if length is not None and function.full_description:
        reason = f"another description is shown, of {length} characters"
        yield Edit(pointer="/description", kind="description", reason=reason)
    if fit.reason is not None:
        reason = f"the schema is not enforced: {fit.reason}"
        yield Edit(pointer="/parameters", kind="strict", reason=reason)
