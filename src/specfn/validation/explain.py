"""Every place where a value is not what a schema asks for, with what belongs there (rules V2–V4).

Goes from level to level through what fails, on a list of its own instead of the machine's stack, and looks at
each pair of schema and place once: time grows with what is wrong, never with the number of ways to it.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Final, NamedTuple, TypeAlias

from specfn._json import JsonObject
from specfn.records import ABSENT, ArgumentProblem
from specfn.schema.describe import Schema, describe
from specfn.validation.engine import Workshop
from specfn.validation.facts import Facts
from specfn.validation.findings import Finding
from specfn.validation.hints import MOVE
from specfn.validation.levels import Found, Level, Words, at
from specfn.validation.nearest import nearest
from specfn.validation.outcome import problem
from specfn.validation.parts import Part
from specfn.validation.prepare import Prepared
from specfn.validation.shapes import Shapes
from specfn.validation.surplus import unevaluated
from specfn.validation.texts import Texts, listed, step
from specfn.validation.unions import Tag, meant

#: The most levels that are opened for one value; what fails beyond is reported as a whole.
_LEVELS: Final = 20_000

#: The findings that are problems as they stand.
_IN_WORDS: Final = frozenset({"here", "inside"})


class _Place(NamedTuple):
    """A place in the arguments: its value, and the first schema that speaks of it."""

    path: str
    value: Any
    node: Any
    optional: bool = False


class Guess(NamedTuple):
    """A branch of a union that was taken as the one meant only because less is wrong in it.

    Attributes:
        path: the place of the union.
        others: the other branches.
    """

    path: str
    others: tuple[Any, ...]


class Fault(NamedTuple):
    """A place that is wrong, with the schema that speaks of it: what a repair is judged by.

    Attributes:
        problem: what is wrong.
        node: the prepared node of the place; ``False`` where nothing may be.
        guesses: the branches that were guessed on the way.
        refused: whether the place is a property that its object declares as one that must not be given.
    """

    problem: ArgumentProblem
    node: Any
    guesses: tuple[Guess, ...] = ()
    refused: bool = False


class _Task(NamedTuple):
    """A schema to open at a place, with what was found there where that is known."""

    node: Any
    place: _Place
    found: list[Found] | None = None
    note: str | None = None
    guesses: tuple[Guess, ...] = ()

    @property
    def again(self) -> tuple[_Place, None, None, tuple[Guess, ...]]:
        """What stays the same when another schema is opened at the place."""
        return self.place, None, None, self.guesses


_Item: TypeAlias = Fault | _Task


class Explainer:
    """Explains what is wrong with values of one prepared schema; compiles what it opens once.

    Attributes:
        facts: what the places take whose schemas the faults name.
    """

    def __init__(self, prepared: Prepared, definitions: Mapping[str, Schema]) -> None:
        """Take a schema and the definitions that its texts may name."""
        self._prepared = prepared
        self._shapes = Shapes(prepared)
        self.facts = Facts(prepared, self._shapes)
        self._workshop = Workshop(prepared)
        self._texts = Texts(prepared, definitions)
        self._levels: dict[int, Level] = {}
        self._tags: dict[str, JsonObject] = {}

    def problems(self, value: Any) -> tuple[ArgumentProblem, ...]:
        """Every place where a sound value is not what the schema asks for."""
        return tuple(fault.problem for fault in self.faults(value))

    def faults_in(self, node: Any, value: Any) -> tuple[Fault, ...]:
        """What is wrong with a sound value in one prepared node, if anything is."""
        return () if self._workshop.accepts(node, value) else self.faults(value, node)

    def faults(self, value: Any, node: Any = None) -> tuple[Fault, ...]:
        """The same as ``problems`` with the schema of each place; in another node than the root's if one is given."""
        root = self._prepared.definitions["0"] if node is None else node
        found: dict[str, Fault] = {}
        seen: set[tuple[int, str]] = set()
        waiting: list[_Item] = [_Task(root, _Place("$input", value, root))]
        while waiting:
            item = waiting.pop()
            if type(item) is Fault:
                found.setdefault(item.problem.path, item)
                continue
            assert type(item) is _Task
            key = (id(item.node), item.place.path)
            if len(seen) >= _LEVELS:
                waiting.append(self._problem(item._replace(note=None)))
            elif key not in seen:
                seen.add(key)
                waiting.extend(
                    reversed(self._open(item) or [self._problem(item._replace(note=None))])
                )
        return tuple(found.values())

    def _open(self, task: _Task) -> list[_Item]:
        """What is said of each finding: a problem, or the next schema to open."""
        node, place, found, note, guesses = task
        if not isinstance(node, dict):
            return []
        if found is None:
            found = self._look(node, place.value)
        same = node is place.node and not place.optional  # then the same words fit every time
        later: dict[tuple[int, ...], list[Found]] = {}
        items: list[_Item] = []
        for one in found:
            words = one.words if same else None
            if words is None and one.finding.kind in _IN_WORDS:
                words = self._words(task, one)
                if same:
                    one.words = words
            if words is not None:
                value = at(place.value, words.tokens)
                path = place.path + words.step
                said = problem(path, words.expected, value, words.more or note)
                items.append(Fault(said, words.node, guesses))
            elif one.finding.kind == "part" and one.tokens:
                self._postpone(task, one, items, later)
            else:
                inner = self._within(task, one)
                items.append(self._HANDLERS[one.finding.kind](self, inner, one.finding))
        return items

    def _words(self, task: _Task, found: Found) -> Words:
        """What is said of a value that is wrong in itself: the place's own, or one inside."""
        inner = self._within(task, found)
        place = inner.place
        finding, tokens, path, about = found.finding, found.tokens, place.path, place.node
        if finding.kind == "here":
            expected, more = self._texts.both(place.node, finding.node, optional=place.optional)
        else:
            optional = self._is_optional(inner, finding.token)
            about = finding.node
            holder = self._shapes.target(about)
            expected, more = self._texts.both(about, holder, optional=optional)
            tokens = (*tokens, finding.token)
            path += step(finding.token)
        return Words(path[len(task.place.path) :], tokens, expected, more, about)

    def _within(self, task: _Task, found: Found) -> _Task:
        """The task of the value that a finding is about."""
        for token, spot in zip(found.tokens, found.spots[1:], strict=True):
            inner = self._inner(task, token, spot.node)
            task = task._replace(node=spot.node, place=inner, found=None)
        return task

    def _postpone(
        self, task: _Task, found: Found, items: list[_Item], later: dict[Any, list[Found]]
    ) -> None:
        """Make the parts of one value inside a task of their own, to be opened when its turn comes."""
        own = Found(found.order[-2:], (), found.spots[-1:], found.finding)
        key = found.order[:-2]
        if key in later:
            later[key].append(own)
        else:
            later[key] = [own]
            items.append(self._within(task, found)._replace(found=later[key]))

    def _level(self, node: JsonObject) -> Level:
        level = self._levels.get(id(node))
        if level is None:
            level = self._levels[id(node)] = Level(node, self._shapes, self._workshop)
        return level

    def _look(self, node: JsonObject, value: Any) -> list[Found]:
        level = self._level(node)
        found = level.findings(value)
        if level.counts_seen:
            more = unevaluated(level.members, value, self._shapes, self._workshop)
            found += [Found((), (), (level.root,), finding) for finding in more]
        return found

    def _missing(self, task: _Task, finding: Finding) -> _Item:
        name = str(finding.token)
        node = self._shapes.members(task.node).get(name, True)
        if node is True:
            node = self._shapes.members(task.place.node).get(name, True)
        place = _Place(task.place.path + step(name), ABSENT, node)
        return self._problem(task, self._shapes.target(node), place)

    def _surplus(self, task: _Task, finding: Finding) -> _Item:
        place = self._inner(task, finding.token, finding.node)
        if finding.keyword in {"properties", "patternProperties"}:
            description = "This must not be given."
        elif type(finding.token) is int:
            description = "The array has no such item."
        else:
            description = self._unknown(str(finding.token), task)
        fault = _unwanted(place, description, task.guesses)
        return fault._replace(refused=finding.keyword == "properties" and not task.guesses)

    def _name(self, task: _Task, finding: Finding) -> _Item:
        text = self._texts.of(finding.node)
        place = self._inner(task, finding.token, finding.node)
        return _unwanted(place, f"The name of a property must be {text}.", task.guesses)

    def _child(self, task: _Task, finding: Finding) -> _Item:
        inner = self._inner(task, finding.token, finding.node)
        return task._replace(node=finding.node, place=inner, found=None)

    def _part(self, task: _Task, finding: Finding) -> _Item:
        part = finding.part
        assert part is not None
        if part.keyword == "if":
            holds = self._workshop.accepts(part.holder["if"], task.place.value)
            return _Task(part.holder.get("then" if holds else "else"), *task.again)
        if part.keyword == "allOf":
            return _Task(part.holder, *task.again)
        if part.keyword == "dependentSchemas":
            return _Task(part.holder["dependentSchemas"][part.key], *task.again)
        return self._union(part, task)

    def _union(self, part: Part, task: _Task) -> _Item:
        said = self._prepared.origins[id(part.holder)].get("discriminator")
        name = said.get("propertyName") if isinstance(said, dict) else None
        discriminator = name if isinstance(name, str) else None
        choice = meant(part, task.place.value, self._shapes, self._look, discriminator)
        if choice is None:
            return self._problem(task, part.holder)
        if isinstance(choice, Tag):
            return self._unknown_tag(choice, task)
        if not choice.found:
            return self._too_many(part, task)
        if choice.sure:
            return task._replace(node=choice.node, found=choice.found)
        branches = self._shapes.branches(part.holder, part.keyword)
        others = tuple(branch for branch in branches if branch is not choice.node)
        guesses = (*task.guesses, Guess(task.place.path, others))
        note = f"The nearest alternative is {self._texts.of(choice.node)}."
        return _Task(choice.node, task.place, choice.found, note, guesses)

    def _unknown_tag(self, tag: Tag, task: _Task) -> Fault:
        expected = describe({"enum": list(tag.values)}, {})
        said = problem(
            task.place.path + step(tag.name),
            expected,
            tag.found,
            "It says which alternative the object is.",
        )
        node = self._tags.setdefault(expected, {"enum": list(tag.values)})
        return Fault(said, node, task.guesses)

    def _too_many(self, part: Part, task: _Task) -> Fault:
        fault = self._problem(task, part.holder)
        fitting = [
            branch
            for branch in self._shapes.branches(part.holder, part.keyword)
            if self._workshop.accepts(branch, task.place.value)
        ]
        if len(fitting) < 2:
            return fault
        names = listed([self._texts.of(branch) for branch in fitting])
        description = f"It must fit exactly one alternative, but it fits {names}."
        return fault._replace(problem=replace(fault.problem, description=description))

    def _inner(self, task: _Task, token: str | int, node: Any) -> _Place:
        """The place of a value inside."""
        place = task.place
        optional = self._is_optional(task, token)
        return _Place(place.path + step(token), place.value[token], node, optional)

    def _is_optional(self, task: _Task, token: str | int) -> bool:
        """Whether a value inside may be left out."""
        return (
            type(token) is str
            and token not in self._shapes.required(task.node)
            and token not in self._shapes.required(task.place.node)
        )

    def _known(self, task: _Task) -> list[str]:
        """The properties that may be given."""
        nodes = (task.place.node, task.node)
        return list(dict.fromkeys(name for node in nodes for name in self._shapes.declared(node)))

    def _unknown(self, name: str, task: _Task) -> str:
        """What is said of a property that is not declared: where it belongs, or what may have been meant."""
        names = self._known(task)
        there = f"; there is {listed(names)}" if names else ""
        nodes = (task.place.node, task.node)
        owners = {key: None for node in nodes for key in self._shapes.owners(node).get(name, ())}
        if owners:
            has = "has one" if len(owners) == 1 else "have one each"
            return (
                f"There is no such property{there}. {listed([*owners])} {has} of that name. {MOVE}"
            )
        near = nearest(name, names)
        meant = "" if near is None else f" Was {near} meant?"
        return f"There is no such property{there}.{meant}"

    def _problem(self, task: _Task, holder: Any = None, place: _Place | None = None) -> Fault:
        """A wrong value, with what the whole place takes, and what failed if that does not show it."""
        place = place or task.place
        expected, more = self._texts.both(place.node, holder, optional=place.optional)
        said = problem(place.path, expected, place.value, more or task.note)
        return Fault(said, place.node, task.guesses)

    _HANDLERS: ClassVar[Mapping[str, Callable[[Any, _Task, Finding], _Item]]] = {
        "missing": _missing,
        "surplus": _surplus,
        "name": _name,
        "child": _child,
        "part": _part,
    }


def _unwanted(place: _Place, description: str, guesses: tuple[Guess, ...]) -> Fault:
    return Fault(problem(place.path, "undefined", place.value, description), False, guesses)
