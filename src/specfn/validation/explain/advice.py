"""Descriptions that help to correct a problem, including the place where a property belongs (rule V8).

Only the problems that a model reads are described, because comparing names is too expensive for all of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from specfn._internal.did_you_mean import closest, same_words
from specfn._internal.pointer import step
from specfn.records import ABSENT, ArgumentProblem
from specfn.schema.literals import literal
from specfn.validation.compile.engine import SubschemaCompiler
from specfn.validation.compile.parts import SchemaPart
from specfn.validation.explain.declared import Declared
from specfn.validation.explain.schema_shapes import SchemaShapes
from specfn.validation.explain.subschema_tasks import BranchChoice, Guess, Task
from specfn.validation.explain.wording import TypeTexts
from specfn.validation.plain_types import plain
from specfn.validation.sentences import BELONGS, UNKNOWN, listed

#: The minimum number of constants for which advice names the closest one. If there are fewer, the text of the type
#: contains them all.
_MANY: Final = 8

#: The maximum number of alternatives that are searched for a property, of those that are named, and of characters of
#: one name.
_MOST_SCHEMAS: Final = 50
_NAMED: Final = 3
_LENGTH: Final = 100


class Advice:
    """Descriptions of single problems of one schema."""

    def __init__(self, shapes: SchemaShapes, texts: TypeTexts, compiler: SubschemaCompiler) -> None:
        """Accept the facts, the type texts and the compiled subschemas of a schema."""
        self._shapes = shapes
        self._declared = Declared(shapes)
        self._texts = texts
        self._compiler = compiler

    def wrong(self, problem: ArgumentProblem, node: Any, holder: Any) -> ArgumentProblem:
        """Describe a wrong or missing value.

        Args:
            problem: the problem.
            node: the schema of the place.
            holder: the schema that failed there; ``None`` if it is the same.
        """
        more = self._texts.more(node, holder)
        values = self._shapes.values(node) if type(problem.value) is str else None
        near = None if values is None else self._closest(problem.value, values.values)
        if more is None and near is None:
            return problem
        return replace(problem, description=" ".join(filter(None, (near, more))))

    def tag(self, problem: ArgumentProblem, values: Sequence[Any]) -> ArgumentProblem:
        """Describe a tag that selects no alternative."""
        sentences = (
            "It says which alternative the object is.",
            self._closest(problem.value, values),
        )
        return replace(problem, description=" ".join(filter(None, sentences)))

    def guessed(self, problem: ArgumentProblem, guess: Guess) -> ArgumentProblem:
        """Describe a problem in a guessed alternative by naming the alternative, unless its type text does so."""
        text = self._alternative(guess.node, guess.others)
        if text.rpartition(" ")[2] in problem.expected:
            return problem
        text = f"the one {text}" if text.startswith("with ") else text
        return replace(problem, description=f"The nearest alternative is {text}.")

    def name(self, problem: ArgumentProblem, schema: Any, name: str) -> ArgumentProblem:
        """Describe a property whose name its object does not accept."""
        allowed = self._shapes.values(schema)
        names = allowed.values if allowed is not None else ()
        near = closest(name, [value for value in names if type(value) is str])
        target = None if near is None else _renamed(problem.path, name, near)
        description = f"The name of a property must be {plain(self._texts.expanded(schema))}."
        return replace(problem, description=description, target=target)

    def too_many(self, problem: ArgumentProblem, part: SchemaPart) -> ArgumentProblem:
        """Describe a value that matches several alternatives of a ``oneOf``."""
        fitting = [
            branch
            for branch in self._shapes.branches(part.holder, part.keyword)[:_MOST_SCHEMAS]
            if self._compiler.accepts(branch, problem.value)
        ]
        if len(fitting) < 2:
            return problem
        names = listed([plain(self._texts.of(branch)) for branch in fitting])
        description = f"It must fit exactly one alternative, but it fits {names}."
        return replace(problem, description=description)

    def unknown(self, problem: ArgumentProblem, task: Task, name: str) -> ArgumentProblem:
        """Describe an undeclared property: the place where it belongs, or the declared properties."""
        found = next(filter(None, self._targets(task, name, problem.value)), None)
        if found is not None:
            return replace(problem, description=UNKNOWN, target=found)
        description = self._of_alternative(task, name) or self._there(task, name)
        return replace(problem, description=description)

    def _targets(self, task: Task, name: str, value: Any) -> Iterator[str | None]:
        """Yield the paths where a property may belong, the most certain first."""
        here = (task.place.node, task.node)
        declared = self._declared
        yield self._beside(task, declared.same_letters(here, name))
        yield self._below(task, declared.owners(here, name))
        yield self._above(task, name)
        yield self._unwrapped(task, value)
        if not self._has_alternative(task, name):
            yield self._beside(task, declared.one_off(here, name))
            yield self._beside(task, self._missing(task, name, value))
            yield self._below(task, declared.owners_by_letters(here, name))

    def _beside(self, task: Task, names: Sequence[str]) -> str | None:
        """Return the path of the only missing property among some names."""
        free = [name for name in names if name not in task.place.value]
        return task.place.path + step(free[0]) if len(free) == 1 else None

    def _below(self, task: Task, owners: Sequence[tuple[str, str]]) -> str | None:
        """Return the path of the only missing property of inner objects."""
        free = []
        for owner, name in owners:
            inner = task.place.value.get(owner, {})
            if type(inner) is dict and name not in inner:
                free.append(task.place.path + step(owner) + step(name))
        return free[0] if len(free) == 1 else None

    def _above(self, task: Task, name: str) -> str | None:
        """Return the path of a property in the nearest enclosing object that declares it and does not contain it."""
        place = task.place
        while place.above is not None:
            outer = place.above
            members = self._declared.members((outer.node, place.within))
            if type(outer.value) is dict and name in members and name not in outer.value:
                return outer.path + step(name)
            place = outer
        return None

    def _unwrapped(self, task: Task, value: Any) -> str | None:
        """Return the path of the object itself if it declares all properties of a value, and one of them is required."""
        if type(value) is not dict or not value:
            return None
        here = (task.place.node, task.node)
        members, given = self._declared.members(here), task.place.value
        if any(name in given or name not in members for name in value):
            return None
        required = (name in value for node in here for name in self._shapes.required(node))
        return task.place.path if any(required) else None

    def _missing(self, task: Task, name: str, value: Any) -> list[str]:
        """Return the missing required properties that an undeclared name or object may represent."""
        here = (task.place.node, task.node)
        required = [
            each
            for node in here
            for each in self._shapes.required(node)
            if each not in task.place.value
        ]
        free = [*dict.fromkeys(required)]
        alike = same_words(name, free)
        if not alike and len(free) == 1 and type(value) in (dict, list) and value:
            alike = free
        members = self._declared.members(here)
        return [
            each
            for each in alike
            if each in members and self._compiler.accepts(members[each], value)
        ]

    def _of_alternative(self, task: Task, name: str) -> str | None:
        """Name the alternatives of the unions around an object that declare a property."""
        found = [*self._alternatives(task, name)]
        if not found:
            return None
        texts = [self._alternative(node, (choice.node,)) for choice, node in found[:_NAMED]]
        more = " or another one" if len(found) > _NAMED else ""
        return f"{BELONGS} {' or '.join(dict.fromkeys(texts))}{more}."

    def _has_alternative(self, task: Task, name: str) -> bool:
        return next(self._alternatives(task, name), None) is not None

    def _alternatives(self, task: Task, name: str) -> Iterator[tuple[BranchChoice, Any]]:
        for choice in task.choices:
            branches = self._shapes.branches(choice.part.holder, choice.part.keyword)
            for branch in branches[:_MOST_SCHEMAS]:
                if branch is not choice.node and name in self._declared.members((branch,)):
                    yield choice, branch

    def _alternative(self, node: Any, others: Sequence[Any]) -> str:
        """Name an alternative by a constant that only it has, else by its type text."""
        for name, values in self._shapes.constants(node).items():
            theirs = [self._shapes.constants(other).get(name) for other in others[:_MOST_SCHEMAS]]
            first = values.values[0] if len(values.values) == 1 else ABSENT
            if first is not ABSENT and not any(each and each.contains(first) for each in theirs):
                return f"with {name} {literal(first)}"
        text = self._texts.expanded(node)
        return plain(text if len(text) <= _LENGTH else self._texts.of(node))

    def _there(self, task: Task, name: str) -> str:
        """Name the objects that declare a property, else the declared properties."""
        here = (task.place.node, task.node)
        owners = self._declared.owners(here, name)
        if len(owners) > 1:
            return f"{UNKNOWN} {listed([owner for owner, _ in owners])} have one of that name each."
        names = [*self._declared.members(here)]
        if not names:
            return UNKNOWN
        there = "the only property is" if len(names) == 1 else "the properties are"
        return f"{UNKNOWN.removesuffix('.')}; {there} {listed(names)}."

    def _closest(self, value: Any, values: Sequence[Any]) -> str | None:
        """Name the most similar constant, if there are many."""
        if len(values) < _MANY or type(value) is not str:
            return None
        near = closest(value, [each for each in values if type(each) is str])
        return None if near is None else f"The closest is {literal(near)}."


def _renamed(path: str, name: str, other: str) -> str:
    return path[: len(path) - len(step(name))] + step(other)
