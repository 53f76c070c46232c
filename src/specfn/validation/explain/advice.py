"""Descriptions that help to correct a problem, and the type texts of problems (rules V2, V3, V8).

Only the problems that a model reads are described, because comparing names is too expensive for all of them. A
description may name the place where a property belongs.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final, TypeAlias

from specfn._internal.did_you_mean import closest
from specfn._internal.likeness import Likeness, letters, likeness
from specfn._internal.pointer import step
from specfn.records import ABSENT, ArgumentProblem
from specfn.schema.describe import Schema, describe, literal
from specfn.validation.compile.engine import SubschemaCompiler
from specfn.validation.compile.prepare import PreparedSchema
from specfn.validation.explain.level_schema import SchemaPart
from specfn.validation.explain.schema_facts import SchemaFacts
from specfn.validation.explain.subschema_tasks import BranchChoice, Guess, Task
from specfn.validation.plain_types import BELONGS, MUST, UNKNOWN, join_names, plain

#: The identities of the nodes that apply to one object.
_Key: TypeAlias = tuple[int, ...]

#: Names by their letters.
_Spelled: TypeAlias = dict[str, list[str]]

#: The properties of inner objects, by name and by letters, each with the property that contains the object.
_Inner: TypeAlias = dict[str, list[tuple[str, str]]]

#: The maximum number of properties of inner objects that are searched.
_MAX_INNER_PROPERTIES: Final = 20_000

#: The maximum number of properties of one object whose names are compared with an undeclared one.
_MAX_COMPARED: Final = 1_000


class PropertyIndex:
    """Lookup of declared properties by name. Each object schema is read once."""

    def __init__(self, facts: SchemaFacts) -> None:
        """Accept the facts of a schema."""
        self._facts = facts
        self._members: dict[_Key, dict[str, Any]] = {}
        self._in_dialect: dict[_Key, _Spelled] = {}
        self._inner: dict[_Key, tuple[_Inner, _Inner]] = {}

    def members(self, nodes: tuple[Any, ...]) -> Mapping[str, Any]:
        """Return the properties, with their schemas, that some nodes declare for one object and do not forbid."""
        key = tuple(map(id, nodes))
        members = self._members.get(key)
        if members is None:
            members = self._members[key] = {
                name: schema
                for node in reversed(nodes)
                for name, schema in self._facts.members(node).items()
                if schema is not False
            }
        return members

    def same_letters(self, nodes: tuple[Any, ...], name: str) -> list[str]:
        """Return the properties that differ from a name only in case and separators."""
        plain = letters(name)
        return self._by_letters(nodes).get(plain, []) if plain else []

    def alike(self, nodes: tuple[Any, ...], name: str) -> list[str]:
        """Return the properties whose names are most like a name, apart from its own spelling."""
        members = islice(self.members(nodes), _MAX_COMPARED)
        pairs = [(likeness(name, other), other) for other in members]
        most = max((alike for alike, _ in pairs), default=Likeness.NONE)
        return [other for alike, other in pairs if alike == most and alike > Likeness.NONE]

    def owners(self, nodes: tuple[Any, ...], name: str) -> list[tuple[str, str]]:
        """Return the properties whose object declares a name, as pairs of the property and the name."""
        return self._inside(nodes)[0].get(name, [])

    def owners_by_letters(self, nodes: tuple[Any, ...], name: str) -> list[tuple[str, str]]:
        """Return the same pairs for names that differ only in case and separators."""
        return self._inside(nodes)[1].get(letters(name), [])

    def _by_letters(self, nodes: tuple[Any, ...]) -> _Spelled:
        key = tuple(map(id, nodes))
        names = self._in_dialect.get(key)
        if names is None:
            names = self._in_dialect[key] = {}
            for name in self.members(nodes):
                names.setdefault(letters(name), []).append(name)
        return names

    def _inside(self, nodes: tuple[Any, ...]) -> tuple[_Inner, _Inner]:
        key = tuple(map(id, nodes))
        indexes = self._inner.get(key)
        if indexes is None:
            indexes = self._inner[key] = _index_pairs(self._pairs(nodes))
        return indexes

    def _pairs(self, nodes: tuple[Any, ...]) -> list[tuple[str, str]]:
        pairs: list[tuple[str, str]] = []
        for owner, schema in self.members(nodes).items():
            if len(pairs) > _MAX_INNER_PROPERTIES:
                break
            pairs.extend((owner, name) for name in self.members((schema,)))
        return pairs


def _index_pairs(pairs: Iterable[tuple[str, str]]) -> tuple[_Inner, _Inner]:
    by_name: _Inner = {}
    by_letters: _Inner = {}
    for pair in pairs:
        by_name.setdefault(pair[1], []).append(pair)
        by_letters.setdefault(letters(pair[1]), []).append(pair)
    return by_name, by_letters


class TypeTexts:
    """Type texts of one prepared schema, each written once.

    The keys are identities of nodes, which must live as long as the texts. Those of a schema and of its explainer do.
    """

    def __init__(self, prepared: PreparedSchema, definitions: Mapping[str, Schema]) -> None:
        """Accept a schema, and the definitions that type texts may name."""
        self._prepared = prepared
        self._definitions = definitions
        self._texts: dict[tuple[int, bool], str] = {}
        self._expanded: dict[int, str] = {}
        self._more: dict[tuple[int, int], str | None] = {}

    def of(self, node: Any, *, optional: bool = False) -> str:
        """Return the type text of a prepared node, as the given schema declares it."""
        key = (id(node), optional)
        text = self._texts.get(key)
        if text is None:
            text = describe(self._origin(node), self._definitions, optional=optional)
            self._texts[key] = text
        return text

    def in_full(self, node: Any) -> str:
        """Return the type text of a prepared node with its components written out."""
        text = self._expanded.get(id(node))
        if text is None:
            text = describe(self._origin(node), self._definitions, expand=True)
            self._expanded[id(node)] = text
        return text

    def more(self, node: Any, holder: Any) -> str | None:
        """Return a sentence on the subschema that failed at a place; ``None`` if the type text already contains it."""
        key = (id(node), id(holder))
        if key not in self._more:
            part = self.in_full(node if holder is None else holder)
            self._more[key] = None if part in self.of(node) else f"{MUST}{part}."
        return self._more[key]

    def _origin(self, node: Any) -> Schema:
        return self._prepared.origins.get(id(node), node is not False)


#: The minimum number of constants for which advice names the closest one. If there are fewer, the text of the type
#: contains them all.
_MIN_CONSTANTS: Final = 8

#: The maximum number of alternatives that are searched for a property, of those that are named, and of characters of
#: one name.
_MAX_ALTERNATIVES: Final = 50
_MAX_NAMES: Final = 3
_MAX_NAME_CHARACTERS: Final = 100

#: The maximum number of groups of arguments that are searched.
_MAX_GROUPS: Final = 8


class Advice:
    """Descriptions of single problems of one schema."""

    def __init__(self, facts: SchemaFacts, texts: TypeTexts, compiler: SubschemaCompiler) -> None:
        """Accept the facts, the type texts and the compiled subschemas of a schema."""
        self._facts = facts
        self._properties = PropertyIndex(facts)
        self._texts = texts
        self._compiler = compiler

    def describe_value(self, problem: ArgumentProblem, node: Any, holder: Any) -> ArgumentProblem:
        """Describe a wrong or missing value.

        Args:
            problem: the problem.
            node: the schema of the place.
            holder: the schema that failed there; ``None`` if it is the same.
        """
        more = self._texts.more(node, holder)
        values = self._facts.values(node) if type(problem.value) is str else None
        near = None if values is None else self._closest(problem.value, values.values)
        integer = self._facts.integer_format(node) if type(problem.value) in (int, float) else None
        if integer is not None:
            near = f"Write an integer as a string, in the format {integer}."
        if more is None and near is None:
            return problem
        return replace(problem, description=" ".join(filter(None, (near, more))))

    def constant_description(self, node: Any, holder: Any) -> tuple[str | None, ...]:
        """Return the description of every wrong or missing value at a place; empty if it depends on the value."""
        values = self._facts.values(node)
        has_many = values is not None and len(values.values) >= _MIN_CONSTANTS
        if has_many or self._facts.integer_format(node) is not None:
            return ()
        return (self._texts.more(node, holder),)

    def describe_tag(self, problem: ArgumentProblem, values: Sequence[Any]) -> ArgumentProblem:
        """Describe a tag that selects no alternative."""
        sentences = (
            "It selects the alternative.",
            self._closest(problem.value, values),
        )
        return replace(problem, description=" ".join(filter(None, sentences)))

    def describe_guess(self, problem: ArgumentProblem, guess: Guess) -> ArgumentProblem:
        """Describe a problem in a guessed alternative by naming the alternative, unless its type text does so."""
        text = self._alternative(guess.node, guess.others)
        if text.rpartition(" ")[2] in problem.expected:
            return problem
        text = f"the one {text}" if text.startswith("with ") else text
        return replace(problem, description=f"The nearest alternative is {text}.")

    def describe_name(self, problem: ArgumentProblem, schema: Any, name: str) -> ArgumentProblem:
        """Describe a property whose name its object does not accept."""
        allowed = self._facts.values(schema)
        names = allowed.values if allowed is not None else ()
        near = closest(name, [value for value in names if type(value) is str])
        target = None if near is None else _with_last_name(problem.path, name, near)
        description = f"The name of a property must be {plain(self._texts.in_full(schema))}."
        return replace(problem, description=description, target=target)

    def describe_ambiguity(self, problem: ArgumentProblem, part: SchemaPart) -> ArgumentProblem:
        """Describe a value that matches several alternatives of a ``oneOf``."""
        fitting = [
            branch
            for branch in self._facts.branches(part.holder, part.keyword)[:_MAX_ALTERNATIVES]
            if self._compiler.accepts(branch, problem.value)
        ]
        if len(fitting) < 2:
            return problem
        names = join_names([plain(self._texts.of(branch)) for branch in fitting])
        description = f"It must fit exactly one alternative, but it fits {names}."
        return replace(problem, description=description)

    def describe_unknown(self, problem: ArgumentProblem, task: Task, name: str) -> ArgumentProblem:
        """Describe an undeclared property: the place where it belongs, or the declared properties."""
        target = next(filter(None, self._targets(task, name, problem.value)), None)
        if target is not None:
            return replace(problem, description=UNKNOWN, target=target)
        description = self._of_alternative(task, name) or self._name_declaring_objects(task, name)
        return replace(problem, description=description)

    def _targets(self, task: Task, name: str, value: Any) -> Iterator[str | None]:
        """Yield the paths where a property may belong, the most certain first."""
        here = (task.place.node, task.node)
        properties = self._properties
        same = properties.same_letters(here, name)
        yield self._missing_among(task, same)
        alike = [] if same else properties.alike(here, name)
        if not set(alike).isdisjoint(self._missing(task)):
            yield self._renamed(task, name, value, alike)
            return
        yield self._missing_inside(task, properties.owners(here, name))
        yield self._enclosing_property(task, name)
        yield self._place_of_wrapper(task, value)
        if not self._has_alternative(task, name):
            yield self._renamed(task, name, value, alike)
            yield self._missing_inside(task, properties.owners_by_letters(here, name))
            if not alike and task.place.above is None:
                yield self._renamed_inside(task, name, value)
            if not same and not alike:
                yield self._missing_among(task, self._by_value(task, value))

    def _missing_among(self, task: Task, names: Sequence[str]) -> str | None:
        """Return the path of the only missing property among some names."""
        free = [name for name in names if name not in task.place.value]
        return task.place.path + step(free[0]) if len(free) == 1 else None

    def _missing_inside(self, task: Task, owners: Sequence[tuple[str, str]]) -> str | None:
        """Return the path of the only missing property of inner objects."""
        free = []
        for owner, name in owners:
            inner = task.place.value.get(owner, {})
            if type(inner) is dict and name not in inner:
                free.append(task.place.path + step(owner) + step(name))
        return free[0] if len(free) == 1 else None

    def _enclosing_property(self, task: Task, name: str) -> str | None:
        """Return the path of a property in the nearest enclosing object that declares it and does not contain it."""
        place = task.place
        while place.above is not None:
            outer = place.above
            members = self._properties.members((outer.node, place.within))
            if type(outer.value) is dict and name in members and name not in outer.value:
                return outer.path + step(name)
            place = outer
        return None

    def _place_of_wrapper(self, task: Task, value: Any) -> str | None:
        """Return the path of the object itself if it declares all properties of a value, and one of them is required."""
        if type(value) is not dict or not value:
            return None
        here = (task.place.node, task.node)
        members, given = self._properties.members(here), task.place.value
        if any(name in given or name not in members for name in value):
            return None
        required = (name in value for node in here for name in self._facts.required(node))
        return task.place.path if any(required) else None

    def _renamed(self, task: Task, name: str, value: Any, alike: Sequence[str]) -> str | None:
        """Return the path of the only property whose name is like an undeclared one, if it is free and accepts the value.

        A name that says more than the property, such as ``company_name`` for ``name``, means only a required one.
        """
        if len(alike) != 1 or not self._accepts(task, alike[0], value):
            return None
        is_part = likeness(name, alike[0]) == Likeness.PART
        if is_part and alike[0] not in self._missing(task):
            return None
        return self._missing_among(task, alike)

    def _renamed_inside(self, task: Task, name: str, value: Any) -> str | None:
        """Return the path of the only free property of a group of arguments whose name has the meaning of a name."""
        paths = []
        for owner, members in self._groups(task):
            inner = task.place.value.get(owner, {})
            alike = self._properties.alike((members,), name)
            for other in alike if type(inner) is dict else ():
                is_free = other not in inner and likeness(name, other) >= Likeness.MEANING
                if is_free and self._takes(self._properties.members((members,))[other], value):
                    paths.append(task.place.path + step(owner) + step(other))
        return paths[0] if len(paths) == 1 else None

    def _groups(self, task: Task) -> list[tuple[str, Any]]:
        """Return the first properties that are objects with declared properties."""
        members = self._properties.members((task.place.node, task.node))
        groups = (pair for pair in members.items() if self._properties.members((pair[1],)))
        return [*islice(groups, _MAX_GROUPS)]

    def _by_value(self, task: Task, value: Any) -> list[str]:
        """Return the missing properties that a value itself identifies: a constant, or the one object that is missing."""
        if type(value) is dict or type(value) is list:
            missing = self._missing(task) if value else []
            return missing if len(missing) == 1 and self._accepts(task, missing[0], value) else []
        if type(value) is not str:
            return []
        members = self._properties.members((task.place.node, task.node))
        return [
            name
            for name, schema in members.items()
            if name not in task.place.value
            and (constants := self._facts.values(schema)) is not None
            and (
                constants.contains(value) or len(self._facts.same_ignoring_case(schema, value)) == 1
            )
        ]

    def _missing(self, task: Task) -> list[str]:
        """Return the missing required properties."""
        required = (self._facts.required(node) for node in (task.place.node, task.node))
        names = dict.fromkeys(name for node in required for name in node)
        return [name for name in names if name not in task.place.value]

    def _accepts(self, task: Task, name: str, value: Any) -> bool:
        """Return whether a property accepts a value, perhaps in another case."""
        schema = self._properties.members((task.place.node, task.node)).get(name, False)
        return self._takes(schema, value)

    def _takes(self, schema: Any, value: Any) -> bool:
        return self._compiler.accepts(schema, value) or (
            type(value) is str and len(self._facts.same_ignoring_case(schema, value)) == 1
        )

    def _of_alternative(self, task: Task, name: str) -> str | None:
        """Name the alternatives of the unions around an object that declare a property."""
        alternatives = [*self._alternatives(task, name)]
        if not alternatives:
            return None
        texts = [
            self._alternative(node, (choice.node,)) for choice, node in alternatives[:_MAX_NAMES]
        ]
        more = " or another one" if len(alternatives) > _MAX_NAMES else ""
        return f"{BELONGS} {' or '.join(dict.fromkeys(texts))}{more}."

    def _has_alternative(self, task: Task, name: str) -> bool:
        return next(self._alternatives(task, name), None) is not None

    def _alternatives(self, task: Task, name: str) -> Iterator[tuple[BranchChoice, Any]]:
        for choice in task.choices:
            branches = self._facts.branches(choice.part.holder, choice.part.keyword)
            for branch in branches[:_MAX_ALTERNATIVES]:
                if branch is not choice.node and name in self._properties.members((branch,)):
                    yield choice, branch

    def _alternative(self, node: Any, others: Sequence[Any]) -> str:
        """Name an alternative by a constant that only it has, else by its type text."""
        for name, values in self._facts.constants(node).items():
            theirs = [
                self._facts.constants(other).get(name) for other in others[:_MAX_ALTERNATIVES]
            ]
            first = values.values[0] if len(values.values) == 1 else ABSENT
            if first is not ABSENT and not any(
                constants and constants.contains(first) for constants in theirs
            ):
                return f"with {name} {literal(first)}"
        text = self._texts.in_full(node)
        return plain(text if len(text) <= _MAX_NAME_CHARACTERS else self._texts.of(node))

    def _name_declaring_objects(self, task: Task, name: str) -> str:
        """Name the objects that declare a property, else the declared properties."""
        here = (task.place.node, task.node)
        owners = self._properties.owners(here, name)
        if len(owners) > 1:
            return f"{UNKNOWN} {join_names([owner for owner, _ in owners])} each have a property of that name."
        names = [*self._properties.members(here)]
        if not names:
            return f"{UNKNOWN.removesuffix('.')}; the object has none."
        there = "the only property is" if len(names) == 1 else "the properties are"
        sentences = [f"{UNKNOWN.removesuffix('.')}; {there} {join_names(names)}."]
        if task.place.above is None:
            groups = (
                (owner, self._properties.members((node,))) for owner, node in self._groups(task)
            )
            sentences += [f"{owner} has {join_names([*inside])}." for owner, inside in groups]
        return " ".join(sentences)

    def _closest(self, value: Any, values: Sequence[Any]) -> str | None:
        """Name the most similar constant, if there are many."""
        if len(values) < _MIN_CONSTANTS or type(value) is not str:
            return None
        near = closest(value, [text for text in values if type(text) is str])
        return None if near is None else f"The closest is {literal(near)}."


def _with_last_name(path: str, name: str, other: str) -> str:
    return path[: len(path) - len(step(name))] + step(other)
