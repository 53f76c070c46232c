"""Cache of fitted schemas: each function is fitted once, and shared definitions are rendered once."""

from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from specfn._internal.json import JsonObject, loads
from specfn._internal.pointer import join
from specfn.function.function import Function
from specfn.function.standard_parameters import shown_arguments, shown_edits
from specfn.migrate.safety import is_update
from specfn.schema.profiles.fit import Fit, Fitter
from specfn.schema.profiles.profile import Profile

if TYPE_CHECKING:
    from specfn.function.function_schemas import Schemas

#: The kind of edit for an optional property that accepts null: null and absence become indistinguishable.
_NULL = "null"


#: The schema of ``status`` in the result of a call (rule X9).
_STATUS: Final = {"type": "integer"}


class FitCache:
    """A cache of the fitted schemas of one application's functions."""

    def __init__(self) -> None:
        self._profiles: dict[Profile, Profile] = {}
        self._alike: dict[Profile, Profile] = {}
        self._fitters: dict[tuple[Profile, int | None], Fitter] = {}
        self._known: dict[tuple[Profile, int | None, int, bool], tuple[Schemas, Fit]] = {}
        self._outputs: dict[tuple[Profile, int | None, int, bool], tuple[Schemas, Fit]] = {}

    def __reduce__(self) -> tuple[type["FitCache"], tuple[()]]:
        """Pickle an empty cache: another process fits its own schemas."""
        return (FitCache, ())

    def fit(
        self, function: Function, profile: Profile, budget: int | None, *, full: bool = False
    ) -> Fit:
        """Return the schema of a function's arguments by key, fitted to a profile.

        Args:
            function: the function; arguments by position are wrapped under their keys (rule F4).
            profile: the profile of the provider.
            budget: the maximum number of bytes of the schema as compact JSON.
            full: keep what is not shown (rule F13).
        """
        profile = self._profile(profile)
        key = (profile, budget, id(function.schemas), full)
        if key not in self._known:
            fit = self._fit_arguments(function, profile, budget, full=full)
            self._known[key] = (function.schemas, fit)
        return self._known[key][1]

    def release(self, function: Function) -> None:
        """Forget the fitted schemas of a function; what it shares with others stays."""
        own = id(function.schemas)
        self._known = {key: fit for key, fit in self._known.items() if key[2] != own}
        self._outputs = {key: fit for key, fit in self._outputs.items() if key[2] != own}

    def output(
        self, function: Function, profile: Profile, budget: int | None, *, answer: bool
    ) -> Fit:
        """Return the schema of a function's documented success response, fitted to a profile.

        Args:
            function: the function.
            profile: the profile of the provider.
            budget: the maximum number of bytes of the schema as compact JSON.
            answer: return the schema of a conversation's result, which has the response as its data.
        """
        profile = self._profile(profile)
        key = (profile, budget, id(function.schemas), answer)
        if key not in self._outputs:
            schema = _success_schema(loads(function.schemas.response_schema), answer=answer)
            fit = self._fitter(function, profile, budget).fit(schema)
            self._outputs[key] = (function.schemas, fit)
        return self._outputs[key][1]

    def unenforced(
        self, function: Function, profile: Profile, budget: int | None, reason: str
    ) -> Fit:
        """Return the schema of a function's arguments, fitted to the fallback of a profile for a reason."""
        fitter = self._fitter(function, self._profile(profile), budget)
        return _with_edits(function, fitter.fit_fallback(_shown_arguments(function), reason))

    def _profile(self, profile: Profile) -> Profile:
        """Return the first profile that writes schemas in the same way, so that both share their fits."""
        if profile not in self._profiles:
            self._profiles[profile] = self._alike.setdefault(profile.schemas_only(), profile)
        return self._profiles[profile]

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

    def _fit_arguments(
        self, function: Function, profile: Profile, budget: int | None, *, full: bool
    ) -> Fit:
        fitter = self._fitter(function, profile, budget)
        schema = function.validator if full else _shown_arguments(function)
        fit = fitter.fit(schema)
        if (
            fit.strict
            and is_update(function.route)
            and any(edit.kind == _NULL for edit in fit.edits)
        ):
            reason = "a property that an update leaves out would be sent as null, and erased"
            fit = fitter.fit_fallback(schema, reason)
        return fit if full else _with_edits(function, fit)


def _shown_arguments(function: Function) -> JsonObject:
    """Return the validator schema of the arguments that a model is shown (rule F13)."""
    return shown_arguments(function.validator, function.schemas.standard)


def _with_edits(function: Function, fit: Fit) -> Fit:
    """Return a fit of the shown arguments with the edits for what is not shown."""
    root, standard = function.validator, function.schemas.standard
    if shown_arguments(root, standard) is root:
        return fit
    pointers = {key: join(("properties", key)) for key in fit.schema.get("properties", {})}
    edits = partial(shown_edits, root, standard, pointers, "")
    return replace(fit, changes=lambda: chain(fit.changes(), edits()))


def _success_schema(promise: JsonObject, *, answer: bool) -> JsonObject:
    """Return the schema of a success response.

    Args:
        promise: the schema of the response's data, as functions store it.
        answer: return the schema of ``Result.for_model``: an object with ``status`` and ``data``.
    """
    root, definitions = _split_definitions(promise)
    if answer:
        root = {
            "type": "object",
            "properties": {"status": _STATUS, "data": root},
            "required": ["status", "data"],
        }
    return {**root, "$defs": definitions} if definitions else root


def _split_definitions(promise: JsonObject) -> tuple[Any, JsonObject]:
    """Return the schema of the data, and its definitions."""
    if promise.keys() == {"allOf", "$defs"}:
        match promise["allOf"]:
            case [dict(only)]:
                return only, promise["$defs"]
    return promise, {}
