"""Names of definitions: the components and their variants.

A variant is composed when it is first needed. Its name contains everything that defines it, so the name does not depend
on the order of composition. The variants are: a component with a constant tag (``Dog<kind=dog>``), a component with any
other tag (``Dog<other 5f2c1a>``), a component without its children (``Dog<own>``), a definition that requires fewer properties (``Dog<without id>``), and an inline
composite (``Dog<5f2c1a>``).
"""

from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

from specfn._internal.digest import short_digest
from specfn._internal.json import JsonObject, dumps
from specfn._internal.pointer import escape
from specfn.document.references.resolve import component_of
from specfn.schema.compose.polymorphism import alias_of

_DEFS = "#/$defs/"

#: Characters that a URI fragment may contain unescaped (RFC 3986, section 3.5).
_FRAGMENT = "/~!$&'()*+,;=:@?-._"


class Tagged(NamedTuple):
    """A component whose tag must be one of some constants."""

    component: str
    tag: str
    tags: tuple[str, ...]


class Untagged(NamedTuple):
    """A component whose tag must differ from those of the other branches."""

    component: str
    tag: str
    known: tuple[Any, ...]


class Body(NamedTuple):
    """A component with a discriminator, without the union of its children that a reference to it means."""

    component: str


class Relieved(NamedTuple):
    """A definition that does not require some properties."""

    definition: str
    free: tuple[str, ...]


_Variant = TypeVar("_Variant", Tagged, Untagged, Body, Relieved)


def reference_to(name: str) -> str:
    """Return the reference to a definition: a JSON Pointer as a URI fragment (RFC 6901, section 6)."""
    return _DEFS + quote(escape(name), safe=_FRAGMENT)


def _label(text: str, words: tuple[str, ...], between: str) -> str:
    """Return the label of a variant: its words, or their digest if they contain a separator."""
    return text if set(between).isdisjoint("".join(words)) else short_digest(dumps(words))


class DefinitionNames:
    """The names of the definitions of one document in one direction.

    Attributes:
        tagged: the tagged components by name.
        untagged: the components for all other tags by name.
        bodies: the components without their children by name.
        relieved: the relieved definitions by name.
        inline: the inline composites by name.
    """

    def __init__(self, schemas: JsonObject) -> None:
        self._schemas = schemas
        self._known: dict[str, str] = {}
        self.tagged: dict[str, Tagged] = {}
        self.untagged: dict[str, Untagged] = {}
        self.bodies: dict[str, Body] = {}
        self.relieved: dict[str, Relieved] = {}
        self.inline: dict[str, JsonObject] = {}

    def meaning(self, reference: str) -> str | None:
        """Return the name of the definition that a composed reference names, or ``None``."""
        return self._known.get(reference)

    def target(self, reference: str) -> str | None:
        """Return the name of the definition that a reference names, before or after composition."""
        name = component_of(reference)
        return name if name is not None and name in self._schemas else self._known.get(reference)

    def refer(self, name: str) -> str:
        """Return the reference to a definition, and record it."""
        reference = reference_to(name)
        self._known[reference] = name
        return reference

    def component(self, reference: str) -> str:
        """Return the reference to the definition of a component. Aliases are resolved."""
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
        """Return a reference to a component whose tag is a required constant."""
        tagged = f"{tag}={'|'.join(tags)}"
        label = f"{component}<{_label(tagged, (tag, *tags), '=|<>')}>"
        return self._variant(self.tagged, label, Tagged(component, tag, tags))

    def with_other_tag(self, component: str, tag: str, known: tuple[Any, ...]) -> str:
        """Return a reference to a component whose tag differs from all known tags."""
        label = f"{component}<other {short_digest(dumps([tag, *known]))}>"
        return self._variant(self.untagged, label, Untagged(component, tag, known))

    def body(self, component: str) -> str:
        """Return a reference to a component without its children."""
        return self._variant(self.bodies, f"{component}<own>", Body(component))

    def without(self, definition: str, free: tuple[str, ...]) -> str:
        """Return a reference to a definition that does not require some properties."""
        label = f"{definition}<without {_label(', '.join(free), free, ',<>')}>"
        return self._variant(self.relieved, label, Relieved(definition, free))

    def composite(self, node: JsonObject) -> str:
        """Return a reference to an inline composite, named after its content."""
        parts = (node, *(part for part in node.get("allOf", ()) if isinstance(part, dict)))
        names = [name for part in parts if (name := component_of(part.get("$ref"))) is not None]
        name = f"{'_'.join(names[:2]) or 'allOf'}<{short_digest(dumps(node))}>"
        while name in self._schemas:
            name += "'"
        self.inline.setdefault(name, node)
        return self.refer(name)

    def _variant(self, known: dict[str, _Variant], label: str, variant: _Variant) -> str:
        while label in self._schemas or known.setdefault(label, variant) != variant:
            label += "'"
        return self.refer(label)
