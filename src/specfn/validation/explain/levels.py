"""The compiled levels of one schema, and the findings of a value at a level (threat T41)."""

from collections.abc import Callable
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.validation.compile.engine import SubschemaCompiler
from specfn.validation.explain.level import Level, LocatedFinding
from specfn.validation.explain.schema_shapes import SchemaShapes
from specfn.validation.explain.unevaluated import unevaluated


class Levels:
    """The levels of one schema, each compiled on first use.

    No object that it has refers back to it, so that its memory is free without the garbage collector, which does not
    see the memory of the engine.
    """

    def __init__(
        self, shapes: SchemaShapes, compiler: SubschemaCompiler, keep: Callable[[int], object]
    ) -> None:
        self._shapes: Final = shapes
        self._compiler: Final = compiler
        self._keep: Final = keep
        self._known: dict[int, Level] = {}

    def look(self, node: JsonObject, value: Any) -> list[LocatedFinding]:
        """Return the findings of a value at the level of a node."""
        level = self._level(node)
        found = level.findings(value)
        if level.has_unevaluated:
            more = unevaluated(level.members, value, self._shapes, self._compiler)
            found += [LocatedFinding((), (), (level.root,), finding) for finding in more]
        return found

    def _level(self, node: JsonObject) -> Level:
        level = self._known.get(id(node))
        if level is None:
            if self._compiler.is_memory_full:
                self._known.clear()
                self._keep(-self._compiler.release())
            level = self._known[id(node)] = Level(node, self._shapes, self._compiler)
        self._compiler.use(~id(node), level.nodes)
        return level
