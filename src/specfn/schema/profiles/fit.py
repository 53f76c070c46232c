"""Fitting of a validator schema to a provider, with a record of every change."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from specfn._internal.json import JsonObject
from specfn._internal.pointer import join, split
from specfn.records import Edit
from specfn.schema.compose.definitions_lookup import OwnDefinitions
from specfn.schema.compose.names import reference_to
from specfn.schema.profiles.legal_names import PropertyNames, label_plainly, rename_properties
from specfn.schema.profiles.postprocess import (
    Path,
    cut_nested,
    drop_generated_title,
    inline_scalars,
    inline_used_once,
    open_root,
    tidy,
)
from specfn.schema.profiles.profile import Profile
from specfn.schema.profiles.refusals import refusals
from specfn.schema.render.bounds_arrays_objects import OPEN
from specfn.schema.render.budget import ModelRenderer, Rendering
from specfn.schema.render.fragment import order_members
from specfn.settings import OneOf


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """A schema as a provider accepts it.

    Attributes:
        schema: the schema to send; parts may be shared with others and must not be changed.
        profile: the profile that it was fitted to: the requested one, or its fallback.
        strict: true if the provider can enforce it.
        reason: the reason that it is not strict although strict was requested.
        names: the schema's own name by the name that is shown, for properties that were renamed.
    """

    schema: JsonObject
    profile: Profile
    strict: bool
    reason: str | None
    names: Mapping[str, str]
    changes: Callable[[], Iterator[Edit]] = field(repr=False)

    @property
    def edits(self) -> tuple[Edit, ...]:
        """Return the differences from the schema that was fitted, with pointers into ``schema``."""
        return tuple(self.changes())


class Fitter:
    """A fitter of schemas to one profile. Shared parts are rendered once."""

    def __init__(
        self,
        profile: Profile,
        *,
        constraint: bool = True,
        recursive: int = 3,
        budget: int | None = None,
        one_of: OneOf = "any",
    ) -> None:
        """Create a fitter with options as ``specfn.Options`` documents them."""
        self.profile = profile
        self._options: dict[str, Any] = {
            "constraint": constraint,
            "recursive": recursive,
            "budget": budget,
        }
        self._one_of: OneOf = one_of
        self._bundle = OwnDefinitions()
        self._names = PropertyNames(profile)
        self._renderer = ModelRenderer(
            self._bundle,
            dialect=profile,
            one_of=one_of,
            nests_less=True,
            **self._options,
        )
        self._fallback: Fitter | None = None

    def fit(self, schema: JsonObject) -> Fit:
        """Fit one schema with the ``$defs`` that it needs."""
        definitions = schema.get("$defs", {})
        if not self._bundle.add(definitions):
            return self._another(self.profile).fit(schema)
        root = {key: value for key, value in schema.items() if key != "$defs"}
        rendering = self._renderer.render(root)
        aliases = self._names.aliases(root, definitions)
        fit = self._finish(rendering, aliases, inline=True)
        if self.profile.strict is None:
            return fit
        fault = next(refusals(fit.schema, self.profile), None)
        if fault is not None and fault.code == "size":
            # it may nest less with its definitions apart
            fit = self._finish(rendering, aliases, inline=False)
            fault = next(refusals(fit.schema, self.profile), None)
        if fault is None:
            return fit
        place = f" (at #{fault.pointer})" if fault.pointer else ""
        return self.fit_fallback(schema, f"{fault.reason}{place}")

    def fit_fallback(self, schema: JsonObject, reason: str) -> Fit:
        """Fit the schema to the fallback profile."""
        if self._fallback is None:
            assert self.profile.fallback is not None
            self._fallback = self._another(self.profile.fallback)
        return replace(self._fallback.fit(schema), strict=False, reason=reason)

    def _another(self, profile: Profile) -> "Fitter":
        return Fitter(profile, one_of=self._one_of, **self._options)

    def _finish(self, rendering: Rendering, aliases: dict[str, str], *, inline: bool) -> Fit:
        """Post-process a rendered schema; with ``inline``, definitions that are used once are in their places."""
        profile = self.profile
        schema, scalars = inline_scalars(rendering.schema)
        places: dict[str, Path] = {}
        if inline and "$defs" in schema:
            schema, places = inline_used_once(schema)
        schema, labels = label_plainly(schema)
        if aliases:
            schema = rename_properties(schema, aliases)
        if profile.strict is None:
            schema = drop_generated_title(schema)
        opened: list[str] = []
        if not profile.closed:
            schema, opened = open_root(schema)
        schema = tidy(schema, alone=profile.union_alone)
        cut: list[Path] = []
        if profile.nesting is not None:
            schema = cut_nested(schema, profile.nesting, cut)
        if schema.get("type") == "object" and "properties" not in schema:
            schema = order_members({**schema, "properties": {}})
        moves = _Moves(aliases, labels, scalars, places)
        return Fit(
            schema=schema,
            profile=profile,
            strict=profile.strict is not None,
            reason=None,
            names={shown: own for own, shown in aliases.items()},
            changes=lambda: _edits(rendering, moves, [join(path) for path in cut], opened),
        )


class _Moves(NamedTuple):
    """The names and places that post-processing changed.

    Attributes:
        aliases, labels: the names that are shown, by those of properties and of definitions.
        scalars: the references to definitions that are gone.
        places: the places of definitions that were inlined.
    """

    aliases: Mapping[str, str]
    labels: Mapping[str, str]
    scalars: frozenset[str]
    places: Mapping[str, Path]

    def pointer(self, pointer: str) -> str:
        """Return the pointer to a place of the rendered schema in the schema that is shown."""
        if not any(self):
            return pointer
        tokens = split(pointer)
        while tokens[:1] == ["$defs"] and tokens[1] in self.places:
            tokens = [*map(str, self.places[tokens[1]]), *tokens[2:]]
        if tokens[:1] == ["$defs"] and reference_to(tokens[1]) in self.scalars:
            return ""
        for index in range(1, len(tokens)):
            names = {"properties": self.aliases, "$defs": self.labels}.get(tokens[index - 1], {})
            tokens[index] = names.get(tokens[index], tokens[index])
        return join(tokens)


def _edits(
    rendering: Rendering, moves: _Moves, cut: list[str], opened: list[str]
) -> Iterator[Edit]:
    """Yield the edits of a rendering and of its post-processing."""
    for own, shown in moves.aliases.items():
        reason = f"the property {own!r} is shown under a name that the provider accepts: {shown}"
        yield Edit(pointer="", kind="renamed", reason=reason)
    for edit in rendering.edits:
        pointer = moves.pointer(edit.pointer)
        if not any(pointer.startswith(f"{place}/") for place in cut):
            yield Edit(pointer=pointer, kind=edit.kind, reason=edit.reason)
    for place in cut:
        yield Edit(pointer=place, kind="cut", reason="cut: nested deeper than the provider accepts")
    for place in opened:
        yield Edit(pointer=place, kind="open", reason=OPEN)
