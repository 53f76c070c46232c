"""Separation of arguments into those of the human and those of the model (rules S1 to S5)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

from specfn import human
from specfn._internal.json import JsonObject, dumps, loads
from specfn.function.body_files import with_files
from specfn.function.function_schemas import (
    ComposedSchemas,
    Schemas,
    SchemaSource,
    object_schema,
    render_arguments,
    renderer_of,
    validator_of,
)
from specfn.function.separation.half_schema import HalfSchema
from specfn.function.separation.join import ArgumentSplitter, HumanParts
from specfn.function.separation.ownership import Ownership
from specfn.function.separation.places import GROUPS, ArgumentPlace, Claim
from specfn.function.standard_parameters import shown_arguments
from specfn.migrate.route import Body
from specfn.records import ABSENT
from specfn.schema.compose.definitions import reachable
from specfn.schema.compose.definitions_lookup import DefinitionLookup, OwnDefinitions
from specfn.schema.render.budget import ModelRenderer, Rendering
from specfn.settings import Settings

#: The keywords of an object that accepts ``{}``.
_FREE: Final = frozenset(
    {
        "type",
        "properties",
        "patternProperties",
        "additionalProperties",
        "title",
        "description",
        "deprecated",
    }
)

#: The keys of the arguments, with whether each is required.
Keys = Sequence[tuple[str, bool]]


class Separator:
    """A separator of the requests of one document. Shared parts are split once."""

    def __init__(
        self, definitions: DefinitionLookup, predicate: human.Predicate, settings: Settings
    ) -> None:
        """Create a separator with a predicate that returns true for the places that the human fills in."""
        self.definitions = definitions
        self.settings = settings
        self._ownership = Ownership(definitions, predicate, self._matches)
        self._llm = HalfSchema(self._ownership, definitions, human=False)
        self._human = HalfSchema(self._ownership, definitions, human=True)
        self._renderers = tuple(renderer_of(half, settings) for half in (self._llm, self._human))
        self._validators: dict[int, Any] = {}
        self.splitter = ArgumentSplitter(self._ownership, self._accepts)

    def separate(
        self, root: JsonObject, whole: SchemaSource, body: Body | None
    ) -> "SeparatedSchemas":
        """Return the two sides of the arguments of one function.

        Args:
            root: the composed schema of its arguments.
            whole: the source of its schemas.
            body: the request body, whose files get a description of their forms.

        Raises:
            UsageError: the predicate fails.
        """
        place, claims = self._ownership.request(root)
        llm, theirs = self._llm.root(place), self._human.root(place)
        llm_renderer, human_renderer = self._renderers
        keys = [*root["properties"]]
        llm = self._without_empty_groups(llm or object_schema({}, []), theirs or {})
        llm = with_files(llm, body, self._llm)
        model = _Side(llm, self._llm, llm_renderer, whole, keys)
        person = None
        if theirs is not None:
            person = Schemas(_Side(theirs, self._human, human_renderer, whole, keys))
        known = (place, frozenset(claims | self._ownership.claims), self)
        return SeparatedSchemas(Schemas(model), person, known)

    def _without_empty_groups(self, llm: JsonObject, theirs: JsonObject) -> JsonObject:
        """Return the model's arguments without the duty to send a group or body that may be empty.

        If the human part requires a member of the same group, the merged arguments contain the group in any case.
        """
        shared = {
            key
            for key in {*llm.get("required", ())} & {*theirs.get("required", ())}
            if _may_be_empty(llm["properties"][key], self._llm)
            and not _may_be_empty(theirs["properties"][key], self._human)
        }
        if not shared:
            return llm
        return {**llm, "required": [key for key in llm["required"] if key not in shared]}

    def _accepts(self, node: Any, value: Any) -> bool:
        """Return whether a value is valid against a schema of the document."""
        if id(node) not in self._validators:
            schema = {"allOf": [node], "$defs": reachable(self.definitions, [node])}
            self._validators[id(node)] = validator_of(
                schema, self.settings, equals=self.settings.equals
            )
        return bool(self._validators[id(node)].is_valid(value))

    def _matches(self, pattern: str, name: str) -> bool:
        """Return whether a regular expression of ECMA-262 matches the name of a property."""
        schema = {"patternProperties": {pattern: False}}
        return not validator_of(schema, self.settings).is_valid({name: 0})


def _may_be_empty(node: Any, half: HalfSchema) -> bool:
    """Return whether a half of an object accepts ``{}``, as far as its own keywords show."""
    seen: set[str] = set()
    while isinstance(node, dict) and "$ref" in node:
        name = half.name_of(node["$ref"])
        if name is None or name in seen:
            return False
        seen.add(name)
        node = half[name]
    return isinstance(node, dict) and node.keys() <= _FREE and node.get("type") == "object"


class SeparatedSchemas:
    """The model's and the human schemas of one function.

    Attributes:
        model: the model's.
        human: those of the human; ``None`` if nothing belongs to the human.
    """

    __slots__ = ("_known", "_packed", "human", "model")

    def __init__(
        self,
        model: Schemas,
        person: Schemas | None,
        known: tuple[ArgumentPlace, frozenset[Claim], Separator],
    ) -> None:
        self.model = model
        self.human = person
        self._known: tuple[ArgumentPlace, frozenset[Claim], Separator] | None = known
        self._packed: tuple[bytes, frozenset[Claim], Settings] | None = None

    def __getstate__(self) -> tuple[Any, ...]:
        if self._packed is None:
            place, claims, separator = self._decisions()
            root = {**place.node, "$defs": reachable(separator.definitions, [place.node])}
            self._packed = (dumps(root), claims, separator.settings.portable())
        return (self.model, self.human, self._packed)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.model, self.human, self._packed = state
        self._known = None

    def without(self, places: Collection[tuple[str, str]]) -> "SeparatedSchemas":
        """Return both sides without members of their groups."""
        human = None if self.human is None else self.human.without(places)
        return SeparatedSchemas(self.model.without(places), human, self._decisions())

    @property
    def place(self) -> ArgumentPlace:
        """Return the place of the root of all arguments."""
        return self._decisions()[0]

    @property
    def human_keys(self) -> frozenset[tuple[str, ...]]:
        """Return the keys from the root of the parameters, or the body, that belong to the human as a whole."""
        keys: set[tuple[str, ...]] = set()
        for key, place in self.place.properties.items():
            if place.human and not place.model:
                keys.add((key,))
            elif key in GROUPS:
                members = place.properties.items()
                keys |= {
                    (key, name) for name, member in members if member.human and not member.model
                }
        return frozenset(keys)

    def split(self, arguments: Any, *, keyword: bool) -> tuple[Any, Any]:
        """Split arguments into the model's part and the human part, in the same calling style."""
        if keyword:
            return self._split(arguments)
        keys = list(self.place.properties)
        listed = {
            key: value for key, value in zip(keys, arguments, strict=False) if value is not None
        }
        parts = self._split(listed)
        llm, theirs = ([part.get(key) for key in keys[: len(arguments)]] for part in parts)
        return llm, theirs

    def _split(self, arguments: Any) -> tuple[Any, Any]:
        place, _, separator = self._decisions()
        llm, theirs = separator.splitter.split(place, arguments)
        return {} if llm is ABSENT else llm, {} if theirs is ABSENT else theirs

    def mask(self, arguments: Any, *, keyword: bool) -> Any:
        """Return a copy of arguments in which everything is masked that may belong to the human."""
        place, _, separator = self._decisions()
        if keyword:
            return separator.splitter.mask(place, arguments)
        places = list(place.properties.values())
        return [
            separator.splitter.mask(member, value)
            for member, value in zip(places, arguments, strict=False)
        ]

    def human_parts(self, named: Any) -> HumanParts:
        """Return every part of arguments by key that may belong to the human, with its path."""
        place, _, separator = self._decisions()
        parts: HumanParts = []
        separator.splitter.mask(place, named, parts)
        return parts

    def _decisions(self) -> tuple[ArgumentPlace, frozenset[Claim], Separator]:
        """Return the places and their owners; after pickling, from the recorded decisions."""
        if self._known is None:
            assert self._packed is not None
            text, claims, settings = self._packed
            root = loads(text)
            bundle = OwnDefinitions()
            bundle.add(root.pop("$defs"))
            separator = Separator(bundle, _Claimed(claims), settings)
            place, _ = separator._ownership.request(root)  # noqa: SLF001  # made for it here
            self._known = (place, claims, separator)
        return self._known


@dataclass(frozen=True, slots=True)
class _Claimed:
    """A predicate that repeats the decisions of another one."""

    claims: frozenset[Claim]

    def __call__(self, node: human.Node) -> bool:
        return (node.location, node.pointer) in self.claims


class _Side:
    """The source of the schemas of one side."""

    def __init__(
        self,
        root: JsonObject,
        half: HalfSchema,
        renderer: ModelRenderer,
        whole: SchemaSource,
        keys: list[str],
    ) -> None:
        self.settings = whole.settings
        self.facts = whole.facts
        self.pattern_bytes = whole.pattern_bytes
        self.standard = whole.standard
        self._root = root
        self._half = half
        self._renderer = renderer
        self._whole = whole
        self._keys = keys

    def keys(self) -> Keys:
        required = self._root.get("required", ())
        return [(key, key in required) for key in self._keys]

    def root(self) -> JsonObject:
        definitions = reachable(self._half, [self._root])
        return {**self._root, "$defs": definitions} if definitions else self._root

    def compose_all(self) -> ComposedSchemas:
        whole = self._whole.compose_all()
        return whole._replace(arguments=self._root, inputs=self._half)

    def parameters(self, *, full: bool = False) -> Sequence[Rendering | None]:
        root = shown_arguments(self._root, None if full else self.standard)
        return render_arguments(self._renderer, root, self._keys, self.settings)

    def response_schema(self) -> Any:
        return self._whole.response_schema()

    def output(self) -> Rendering | None:
        return self._whole.output()

    def output_json(self) -> bytes | None:
        return self._whole.output_json()
