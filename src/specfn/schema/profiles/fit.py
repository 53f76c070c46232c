"""Fitting of a validator schema to a provider, with a record of every change."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn._internal.pointer import join, split
from specfn.records import Edit
from specfn.schema.compose.definitions_lookup import OwnDefinitions
from specfn.schema.compose.names import reference_to
from specfn.schema.profiles.inline_defs import placed
from specfn.schema.profiles.lint import refusals
from specfn.schema.profiles.postprocess import (
    Path,
    inlined,
    renamed,
    scalars,
    tidied,
    trimmed,
    without,
)
from specfn.schema.profiles.profile import Profile
from specfn.schema.profiles.property_names import PropertyNames, alias
from specfn.schema.profiles.root import opened, without_made_title
from specfn.schema.render.budget import ModelRenderer, Rendering
from specfn.schema.render.fragment import ordered
from specfn.schema.render.keywords import OPEN
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
        if not self._bundle.takes(definitions):
            return self._another(self.profile).fit(schema)
        root = {key: value for key, value in schema.items() if key != "$defs"}
        rendering = self._renderer.render(root)
        aliases = self._names.aliases(root, definitions)
        fit = self._finished(rendering, aliases, place=True)
        if self.profile.strict is None:
            return fit
        fault = next(refusals(fit.schema, self.profile), None)
        if (
            fault is not None and fault.code == "size"
        ):  # it may nest less with its definitions apart
            fit = self._finished(rendering, aliases, place=False)
            fault = next(refusals(fit.schema, self.profile), None)
        if fault is None:
            return fit
        place = f" (at #{fault.pointer})" if fault.pointer else ""
        return self.unenforced(schema, f"{fault.reason}{place}")

    def unenforced(self, schema: JsonObject, reason: str) -> Fit:
        """Fit the schema to the fallback profile."""
        if self._fallback is None:
            assert self.profile.fallback is not None
            self._fallback = self._another(self.profile.fallback)
        fit = self._fallback.fit(schema)
        return Fit(
            schema=fit.schema,
            profile=fit.profile,
            strict=False,
            reason=reason,
            names=fit.names,
            changes=fit.changes,
        )

    def _another(self, profile: Profile) -> "Fitter":
        return Fitter(profile, one_of=self._one_of, **self._options)

    def _finished(self, rendering: Rendering, aliases: dict[str, str], *, place: bool) -> Fit:
        schema = rendering.schema
        plain = scalars(schema)
        if plain:
            schema = without(inlined(schema, plain), plain)
        places: dict[str, Path] = {}
        if place and "$defs" in schema:
            schema, places = placed(schema)
        labels = _labels(schema)
        if labels:
            schema = _relabeled(schema, labels)
        if aliases:
            schema = renamed(schema, aliases)
        unsaid: list[str] = []
        if self.profile.strict is None:
            schema = without_made_title(schema)
        if not self.profile.closed:
            schema, unsaid = opened(schema)
        schema = tidied(schema, alone=self.profile.union_alone)
        cut: list[tuple[str | int, ...]] = []
        if self.profile.nesting is not None:
            schema = trimmed(schema, self.profile.nesting, cut)
        if schema.get("type") == "object" and "properties" not in schema:
            schema = ordered({**schema, "properties": {}})
        return Fit(
            schema=schema,
            profile=self.profile,
            strict=self.profile.strict is not None,
            reason=None,
            names={shown: own for own, shown in aliases.items()},
            changes=lambda: chain(
                _told(rendering, aliases, labels, [join(path) for path in cut], set(plain), places),
                (Edit(pointer=pointer, kind="open", reason=OPEN) for pointer in unsaid),
            ),
        )


# -- names of definitions -------------------------------------------------------------------------

#: A name that needs no escape in any reader's idea of a reference.
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.-]+\Z")


def _labels(schema: JsonObject) -> dict[str, str]:
    """Return plain names for the definitions whose names are not plain."""
    taken = set(schema.get("$defs", ()))
    found: dict[str, str] = {}
    for name in schema.get("$defs", ()):
        if not _PLAIN.match(name):
            found[name] = alias(name.strip("<>'"), taken)
            taken.add(found[name])
    return found


def _relabeled(schema: JsonObject, labels: Mapping[str, str]) -> JsonObject:
    references = {reference_to(name): f"#/$defs/{label}" for name, label in labels.items()}
    out: JsonObject = _referring(schema, references)
    out["$defs"] = {labels.get(name, name): node for name, node in out["$defs"].items()}
    return out


def _referring(value: Any, references: Mapping[str, str]) -> Any:
    """Return a copy in which references have other names."""
    if isinstance(value, list):
        return [_referring(item, references) for item in value]
    if not isinstance(value, dict):
        return value
    reference = value.get("$ref")
    out = {key: _referring(item, references) for key, item in value.items()}
    if isinstance(reference, str):
        out["$ref"] = references.get(reference, reference)
    return out


# -- edits ------------------------------------------------------------------------------------------


def _told(
    rendering: Rendering,
    aliases: Mapping[str, str],
    labels: Mapping[str, str],
    cut: list[str],
    gone: set[str],
    places: Mapping[str, Path],
) -> Iterator[Edit]:
    """Yield the edits of a rendering and of its post-processing."""
    for own, shown in aliases.items():
        reason = f"the property {own!r} is shown under a name that the provider takes"
        yield Edit(pointer="", kind="renamed", reason=f"{reason}: {shown}")
    for edit in rendering.edits:
        pointer = edit.pointer
        if aliases or labels or gone or places:
            pointer = _shown(_moved(split(pointer), places), aliases, labels, gone)
        if not any(pointer.startswith(f"{place}/") for place in cut):
            yield Edit(pointer=pointer, kind=edit.kind, reason=edit.reason)
    for place in cut:
        yield Edit(pointer=place, kind="cut", reason="cut: nested deeper than the provider takes")


def _moved(tokens: list[str], places: Mapping[str, Path]) -> list[str]:
    """Return the path of a place after definitions were moved inline."""
    while tokens[:1] == ["$defs"] and tokens[1] in places:
        tokens = [*map(str, places[tokens[1]]), *tokens[2:]]
    return tokens


def _shown(
    tokens: list[str], aliases: Mapping[str, str], labels: Mapping[str, str], gone: set[str]
) -> str:
    """Return a pointer with the names of properties and definitions that are shown."""
    if tokens[:1] == ["$defs"] and reference_to(tokens[1]) in gone:
        return ""
    for index in range(1, len(tokens)):
        table = {"properties": aliases, "$defs": labels}.get(tokens[index - 1], {})
        tokens[index] = table.get(tokens[index], tokens[index])
    return join(tokens)
