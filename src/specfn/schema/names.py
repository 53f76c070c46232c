"""What definitions are called: the components, and the variants of them that composing needs.

A variant is composed on first need, from what its name stands for: a component with its tag as a constant
(``Dog<kind=dog>``) or with any tag but those of other components (``Dog<other 5f2c1a>``), one that does not ask for what the schema around it refuses (``Dog<without id>``), or a
composite that stands inline (``Dog<5f2c1a>``). A name says all that its variant is made of, so it does not
depend on which variant was needed first.
"""

from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

from specfn._digest import mark
from specfn._json import JsonObject, dumps
from specfn._pointer import escape
from specfn.schema.polymorphism import alias_of, component_of

_DEFS = "#/$defs/"

#: What a URI fragment may hold as it is (RFC 3986, section 3.5), but what readers take apart.
_FRAGMENT = "/~!$&'()*+,;=:@?-._"


class Tagged(NamedTuple):
    """A component whose tag is one of a few constants."""

    component: str
    tag: str
    tags: tuple[str, ...]


class Untagged(NamedTuple):
    """A component whose tag is none of those of the other branches."""

    component: str
    tag: str
    known: tuple[Any, ...]


class Relieved(NamedTuple):
    """A definition that does not ask for some properties."""

    definition: str
    free: tuple[str, ...]


_Variant = TypeVar("_Variant", Tagged, Untagged, Relieved)


def reference_to(name: str) -> str:
    """The reference to a definition: a JSON Pointer as a URI fragment (RFC 6901, section 6)."""
    return _DEFS + quote(escape(name), safe=_FRAGMENT)


def _told(said: str, words: tuple[str, ...], between: str) -> str:
    """What a name says, or its digest where it could also say other words: they hold what stands between words."""
    return said if set(between).isdisjoint("".join(words)) else mark(dumps(words))


class Names:
    """The names of one document's definitions in one direction.

    Attributes:
        tagged: what the names of tagged components stand for.
        untagged: what the names of components for all other tags stand for.
        relieved: what the names of relieved definitions stand for.
        inline: what the names of inline composites stand for.
    """

    def __init__(self, schemas: JsonObject) -> None:
        self._schemas = schemas
        self._known: dict[str, str] = {}
        self.tagged: dict[str, Tagged] = {}
        self.untagged: dict[str, Untagged] = {}
        self.relieved: dict[str, Relieved] = {}
        self.inline: dict[str, JsonObject] = {}

    def meaning(self, reference: str) -> str | None:
        """The definition that a composed reference means; ``None`` for one that leads nowhere."""
        return self._known.get(reference)

    def target(self, reference: str) -> str | None:
        """The same for a reference before or after composing."""
        name = component_of(reference)
        return name if name is not None and name in self._schemas else self._known.get(reference)

    def refer(self, name: str) -> str:
        """The reference to a definition."""
        reference = reference_to(name)
        self._known[reference] = name
        return reference

    def component(self, reference: str) -> str:
        """A component's reference as a definition's; aliases are followed to what they name."""
        name = component_of(reference)
        if name is None or name not in self._schemas:
            return reference
        seen = {name}
        while True:
            onward = component_of(alias_of(self._schemas[name]))
            if onward is None or onward not in self._schemas or onward in seen:
                break
            name = onward
            seen.add(name)
        return self.refer(name)

    def with_tag(self, component: str, tag: str, tags: tuple[str, ...]) -> str:
        """A reference to a component with its tag as a required constant."""
        said = f"{tag}={'|'.join(tags)}"
        label = f"{component}<{_told(said, (tag, *tags), '=|<>')}>"
        return self._variant(self.tagged, label, Tagged(component, tag, tags))

    def with_other_tag(self, component: str, tag: str, known: tuple[Any, ...]) -> str:
        """Return a reference to a component whose tag is none of the known ones."""
        label = f"{component}<other {mark(dumps([tag, *known]))}>"
        return self._variant(self.untagged, label, Untagged(component, tag, known))

    def without(self, definition: str, free: tuple[str, ...]) -> str:
        """A reference to a definition that does not ask for some properties."""
        label = f"{definition}<without {_told(', '.join(free), free, ',<>')}>"
        return self._variant(self.relieved, label, Relieved(definition, free))

    def composite(self, node: JsonObject) -> str:
        """A reference to an inline composite, named after what it says."""
        parts = (node, *(part for part in node.get("allOf", ()) if isinstance(part, dict)))
        names = [name for part in parts if (name := component_of(part.get("$ref"))) is not None]
        name = f"{'_'.join(names[:2]) or 'allOf'}<{mark(dumps(node))}>"
        while name in self._schemas:
            name += "'"
        self.inline.setdefault(name, node)
        return self.refer(name)

    def _variant(self, known: dict[str, _Variant], label: str, variant: _Variant) -> str:
        while label in self._schemas or known.setdefault(label, variant) != variant:
            label += "'"
        return self.refer(label)
