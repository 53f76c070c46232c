"""Every place where a value is not what a schema asks for, with what belongs there (rules V2–V4).

Goes from level to level through what fails, on a list of its own instead of the machine's stack, and looks at
each pair of schema and place once: time grows with what is wrong, never with the number of ways to it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Final, NamedTuple, TypeAlias

from specfn._json import JsonObject
from specfn._pointer import input_path
from specfn.records import ABSENT, ArgumentProblem
from specfn.schema.describe import Schema, describe
from specfn.validation.engine import Workshop
from specfn.validation.levels import Finding, Level, Part
from specfn.validation.prepare import Prepared
from specfn.validation.shapes import Shapes
from specfn.validation.surplus import unevaluated
from specfn.validation.unions import Branch, Tag, meant

#: The most levels that are opened for one value; what fails beyond is reported as a whole.
_LEVELS: Final = 20_000

#: How many names a sentence lists.
_NAMES: Final = 12

_Path: TypeAlias = tuple[str | int, ...]


class _Place(NamedTuple):
    """A place in the arguments: its value, and the first schema that speaks of it."""

    path: _Path
    value: Any
    node: Any
    optional: bool = False


class _Task(NamedTuple):
    """A schema to open at a place, with its findings where they are known."""

    node: Any
    place: _Place
    findings: list[Finding] | None = None
    note: str | None = None


_Item: TypeAlias = ArgumentProblem | _Task


class Explainer:
    """Explains what is wrong with values of one prepared schema; compiles what it opens once."""

    def __init__(self, prepared: Prepared, definitions: Mapping[str, Schema]) -> None:
        """Take a schema and the definitions that its texts may name."""
        self._prepared = prepared
        self._definitions = definitions
        self._shapes = Shapes(prepared)
        self._workshop = Workshop(prepared)
        self._levels: dict[int, Level] = {}
        self._texts: dict[tuple[int, bool], str] = {}

    def problems(self, value: Any) -> tuple[ArgumentProblem, ...]:
        """Every place where a sound value is not what the schema asks for."""
        root = self._prepared.definitions["0"]
        found: dict[str, ArgumentProblem] = {}
        seen: set[tuple[int, _Path]] = set()
        waiting: list[_Item] = [_Task(root, _Place((), value, root))]
        while waiting:
            item = waiting.pop()
            if isinstance(item, ArgumentProblem):
                found.setdefault(item.path, item)
            elif len(seen) >= _LEVELS:
                waiting.append(self._problem(item.place))
            elif (key := (id(item.node), item.place.path)) not in seen:
                seen.add(key)
                waiting.extend(reversed(list(self._open(item)) or [self._problem(item.place)]))
        return tuple(found.values())

    def _open(self, task: _Task) -> Iterator[_Item]:
        if not isinstance(task.node, dict):
            return
        findings = task.findings
        if findings is None:
            findings = self._look(task.node, task.place.value)
        for finding in findings:
            yield from self._HANDLERS[finding.kind](self, task, finding)

    def _look(self, node: JsonObject, value: Any) -> list[Finding]:
        level = self._levels.get(id(node))
        if level is None:
            level = self._levels[id(node)] = Level(node, self._shapes, self._workshop)
        return [
            *level.findings(value),
            *unevaluated(level.members, value, self._shapes, self._workshop),
        ]

    def _here(self, task: _Task, finding: Finding) -> Iterator[_Item]:
        yield self._problem(task.place, finding.node, task.note)

    def _missing(self, task: _Task, finding: Finding) -> Iterator[_Item]:
        name = str(finding.token)
        node = self._shapes.member(task.node, name)
        if node is True:
            node = self._shapes.member(task.place.node, name)
        yield self._problem(
            _Place((*task.place.path, name), ABSENT, node), self._shapes.target(node), task.note
        )

    def _surplus(self, task: _Task, finding: Finding) -> Iterator[_Item]:
        place = self._inner(task, finding)
        if finding.keyword in {"properties", "patternProperties"}:
            description = "This must not be given."
        elif isinstance(finding.token, int):
            description = "The array has no such item."
        else:
            names = self._known(task)
            listed = f"; there is {_listed(names)}" if names else ""
            description = f"There is no such property{listed}."
        yield ArgumentProblem(
            path=input_path(place.path),
            expected="undefined",
            value=place.value,
            description=description,
        )

    def _name(self, task: _Task, finding: Finding) -> Iterator[_Item]:
        place = self._inner(task, finding)
        yield ArgumentProblem(
            path=input_path(place.path),
            expected="undefined",
            value=place.value,
            description=f"The name of a property must be {self._text(finding.node)}.",
        )

    def _inside(self, task: _Task, finding: Finding) -> Iterator[_Item]:
        place = self._inner(task, finding)
        yield self._problem(place, self._shapes.target(finding.node), task.note)

    def _child(self, task: _Task, finding: Finding) -> Iterator[_Item]:
        yield _Task(finding.node, self._inner(task, finding), note=task.note)

    def _part(self, task: _Task, finding: Finding) -> Iterator[_Item]:
        part = finding.part
        assert part is not None
        if part.keyword == "if":
            holds = self._workshop.accepts(part.holder["if"], task.place.value)
            yield _Task(part.holder.get("then" if holds else "else"), task.place)
        elif part.keyword == "dependentSchemas":
            yield _Task(part.holder["dependentSchemas"][part.key], task.place)
        else:
            yield from self._union(part, task)

    def _union(self, part: Part, task: _Task) -> Iterator[_Item]:
        said = self._prepared.origins[id(part.holder)].get("discriminator")
        name = said.get("propertyName") if isinstance(said, dict) else None
        discriminator = name if isinstance(name, str) else None
        choice = meant(part, task.place.value, self._shapes, self._look, discriminator)
        if choice is None:
            yield self._problem(task.place, part.holder, task.note)
        elif isinstance(choice, Tag):
            yield self._unknown_tag(choice, task)
        elif choice.findings:
            yield self._branch(choice, task)
        else:
            yield self._too_many(part, task)

    def _branch(self, choice: Branch, task: _Task) -> _Item:
        note = task.note
        if not choice.sure:
            note = f"The nearest alternative is {self._text(choice.node)}."
        return _Task(choice.node, task.place, choice.findings, note)

    def _unknown_tag(self, tag: Tag, task: _Task) -> ArgumentProblem:
        return ArgumentProblem(
            path=input_path((*task.place.path, tag.name)),
            expected=describe({"enum": list(tag.values)}, self._definitions),
            value=tag.found,
            description="It says which alternative the object is.",
        )

    def _too_many(self, part: Part, task: _Task) -> ArgumentProblem:
        problem = self._problem(task.place, part.holder, task.note)
        fitting = [
            branch
            for branch in self._shapes.branches(part.holder, part.keyword)
            if self._workshop.accepts(branch, task.place.value)
        ]
        if len(fitting) < 2:
            return problem
        names = _listed([self._text(branch) for branch in fitting])
        return ArgumentProblem(
            path=problem.path,
            expected=problem.expected,
            value=problem.value,
            description=f"It must fit exactly one alternative, but it fits {names}.",
        )

    def _inner(self, task: _Task, finding: Finding) -> _Place:
        """The place of a value inside."""
        token = finding.token
        assert token is not None
        optional = isinstance(token, str) and not (
            self._shapes.requires(task.node, token) or self._shapes.requires(task.place.node, token)
        )
        return _Place((*task.place.path, token), task.place.value[token], finding.node, optional)

    def _known(self, task: _Task) -> list[str]:
        wholes = (*self._shapes.whole(task.place.node), *self._shapes.whole(task.node))
        return list(
            dict.fromkeys(
                name
                for part in wholes
                for name, schema in part.get("properties", {}).items()
                if schema is not False
            )
        )

    def _problem(
        self, place: _Place, holder: Any = None, note: str | None = None
    ) -> ArgumentProblem:
        """A wrong value, with what the whole place takes, and what failed if that does not show it."""
        expected = self._text(place.node, optional=place.optional)
        description = note
        if holder is not None:
            text = self._text(holder)
            if text not in expected:
                description = f"It must be {text}."
        return ArgumentProblem(
            path=input_path(place.path),
            expected=expected,
            value=place.value,
            description=description,
        )

    def _text(self, node: Any, *, optional: bool = False) -> str:
        key = (id(node), optional)
        if key not in self._texts:
            origin = self._prepared.origins.get(id(node), node is not False)
            self._texts[key] = describe(origin, self._definitions, optional=optional)
        return self._texts[key]

    _HANDLERS: ClassVar[Mapping[str, Callable[[Any, _Task, Finding], Iterable[_Item]]]] = {
        "here": _here,
        "missing": _missing,
        "surplus": _surplus,
        "name": _name,
        "inside": _inside,
        "child": _child,
        "part": _part,
    }


def _listed(names: list[str]) -> str:
    shown = [name if len(name) <= 60 else "..." for name in names[:_NAMES]]
    if len(names) > _NAMES:
        shown.append(f"{len(names) - _NAMES} more")
    return " and ".join((", ".join(shown[:-1]), shown[-1])) if len(shown) > 1 else shown[0]
