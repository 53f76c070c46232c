"""Explanation of invalid values: one problem per place, with the expected type (rules V2–V4).

Failed subschemas are opened level by level, without recursion. Each pair of schema and place is opened once. So the
time depends on the number of errors, not on the number of paths to them.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Final, NamedTuple, TypeAlias

from specfn._internal.pointer import Tokens, step
from specfn.records import ABSENT, ArgumentProblem
from specfn.schema.describe import Schema, describe
from specfn.validation.compile.engine import SubschemaCompiler
from specfn.validation.compile.prepare import PreparedSchema
from specfn.validation.explain.advice import Advice, TypeTexts
from specfn.validation.explain.findings import LevelFinding
from specfn.validation.explain.level import ExpectedText, Levels, LocatedFinding, path_of, value_at
from specfn.validation.explain.level_schema import SchemaPart
from specfn.validation.explain.schema_facts import SchemaFacts
from specfn.validation.explain.subschema_tasks import BranchChoice, Guess, Place, Task
from specfn.validation.explain.unions import Tag, Unions
from specfn.validation.outcome import problem
from specfn.validation.plain_types import MAX_PROBLEMS, NO_ITEM, NOT_GIVEN, READ_ONLY, UNKNOWN

#: The maximum number of levels that are opened for one value. Failures beyond are reported as a whole.
_MAX_LEVELS: Final = 20_000

#: The findings that are problems themselves.
_PROBLEMS: Final = frozenset({"here", "inside", "missing"})


class Fault(NamedTuple):
    """An invalid place with the schema that applies to it, for a repair.

    Attributes:
        problem: the problem.
        node: the prepared node of the place; ``False`` if no value is allowed there.
        guesses: the branches that were guessed on the path.
        refused: whether the object declares the property and forbids it.
        place: the place of the problem, as keys and indexes. No path is read back from its text.
    """

    problem: ArgumentProblem
    node: Any
    guesses: tuple[Guess, ...] = ()
    refused: bool = False
    place: Tokens = ()


class _Draft(NamedTuple):
    """A fault whose problem has no description yet. Only the first few get one.

    Attributes:
        fault: the fault.
        describe: returns the problem with its description.
        about: the further arguments of ``describe``.
    """

    fault: Fault
    describe: Callable[..., ArgumentProblem] | None = None
    about: tuple[Any, ...] = ()


class _UndeclaredNames(NamedTuple):
    """Undeclared properties of one object, which may be very many.

    Attributes:
        task: the task of the object.
        names: the properties.
    """

    task: Task
    names: tuple[str, ...]


_Item: TypeAlias = _Draft | _UndeclaredNames | Task


class Explainer:
    """Explanation of the invalid values of one prepared schema. Each subschema is compiled once.

    Attributes:
        facts: the facts about the nodes of the schema.
    """

    def __init__(
        self,
        prepared: PreparedSchema,
        definitions: Mapping[str, Schema],
        keep: Callable[[int], object] = id,
    ) -> None:
        """Accept a schema.

        Args:
            prepared: the schema.
            definitions: the definitions that type texts may name.
            keep: receives the number of nodes that were compiled, or with a negative sign released.
        """
        self._origins = prepared.origins
        self.root = prepared.definitions["0"]
        self.facts = SchemaFacts(prepared)
        self._compiler = SubschemaCompiler(prepared, keep)
        self._texts = TypeTexts(prepared, definitions)
        self._advice = Advice(self.facts, self._texts, self._compiler)
        self._levels = Levels(self.facts, self._compiler, keep)
        self._unions = Unions(self.facts, self._levels.findings_of_level)
        self._tags: dict[int, tuple[str, dict[str, Any]]] = {}

    def problems(self, value: Any) -> tuple[ArgumentProblem, ...]:
        """Return each invalid place of a plain JSON value."""
        found = self._begin(self.root, value)
        ready = self._wrong_values(value, found)
        if ready is not None:
            return tuple([wrong for wrong, _, _ in ready])
        return tuple(fault.problem for fault in self._explain(self.root, value, found))

    def faults_in(self, node: Any, value: Any) -> tuple[Fault, ...]:
        """Return the faults of a plain JSON value in one prepared node; empty if it is valid."""
        return () if self._compiler.accepts(node, value) else self.faults(value, node)

    def faults(self, value: Any, node: Any = None) -> tuple[Fault, ...]:
        """Return the same problems with the schema of each place; in another node than the root if one is passed."""
        root = self.root if node is None else node
        found = self._begin(root, value)
        ready = self._wrong_values(value, found)
        if ready is not None:
            return tuple([Fault(wrong, node, place=place) for wrong, node, place in ready])
        return self._explain(root, value, found)

    def _begin(self, root: Any, value: Any) -> list[LocatedFinding] | None:
        """Begin a report, and return the findings of its first level."""
        self._compiler.begin_report()
        return self._levels.findings_of_level(root, value) if isinstance(root, dict) else None

    def _explain(
        self, root: Any, value: Any, found: list[LocatedFinding] | None
    ) -> tuple[Fault, ...]:
        """Return the faults of a value, level by level, from the findings of the first one."""
        faults: dict[str, Fault] = {}
        seen: set[tuple[int, str]] = set()
        named_guesses: set[Tokens] = set()
        waiting: list[_Item] = [Task(root, Place("$input", value, root), found=found)]
        while waiting:
            item = waiting.pop()
            if type(item) is _Draft:
                path = item.fault.problem.path
                if path not in faults:
                    faults[path] = (
                        self._describe(item, named_guesses)
                        if len(faults) < MAX_PROBLEMS
                        else item.fault
                    )
                continue
            if type(item) is _UndeclaredNames:
                self._add_names(item, faults, named_guesses)
                continue
            assert type(item) is Task
            key = (id(item.node), item.place.path)
            if len(seen) >= _MAX_LEVELS or self._compiler.is_report_full:
                waiting.append(self._problem(item))
            elif key not in seen:
                seen.add(key)
                waiting.extend(reversed(self._open(item) or [self._problem(item)]))
        return tuple(faults.values())

    def _wrong_values(
        self, value: Any, found: list[LocatedFinding] | None
    ) -> "list[tuple[ArgumentProblem, Any, Tokens]] | None":
        """Return the problems of findings with their nodes and places, if the type texts of all are known.

        Nothing else must be opened for them. ``None`` if some are not known.
        """
        if not found:
            return None
        wrong: dict[str, tuple[ArgumentProblem, Any, Tokens]] = {}
        for one in found:
            is_missing = one.finding.kind == "missing"
            text = one.texts.get(one.finding.token if is_missing else None)
            if text is None:
                return None
            below, tokens = one.path or path_of(one)
            path = "$input" + below
            if path in wrong:
                continue
            own = ABSENT if is_missing else value_at(value, tokens)
            advice: tuple[str | None, ...] | None = (None,)
            if len(wrong) < MAX_PROBLEMS:
                advice = text.advice
                if advice is None:
                    about = (text.node, text.holder)
                    advice = text.advice = self._advice.constant_description(*about)
            if advice:
                item = problem(path, text.expected, own, advice[0])
            else:
                item = problem(path, text.expected, own)
                item = self._advice.describe_value(item, text.node, text.holder)
            wrong[path] = item, text.node, tokens
        return [*wrong.values()]

    def _add_names(
        self, item: _UndeclaredNames, found: dict[str, Fault], named_guesses: set[Tokens]
    ) -> None:
        """Add a fault for each undeclared property."""
        task = item.task
        about, value = task.place.path, task.place.value
        for name in item.names:
            path = about + step(name)
            if path not in found:
                wrong = problem(path, "undefined", value[name], UNKNOWN)
                fault = Fault(wrong, False, task.guesses, place=(*task.place.tokens, name))
                if len(found) < MAX_PROBLEMS:
                    draft = _Draft(fault, self._advice.describe_unknown, (task, name))
                    fault = self._describe(draft, named_guesses)
                found[path] = fault

    def _describe(self, draft: _Draft, named_guesses: set[Tokens]) -> Fault:
        """Describe a fault. The first fault of a guessed branch names the alternative."""
        fault = draft.fault
        before = problem = fault.problem
        if draft.describe is not None:
            problem = draft.describe(problem, *draft.about)
        guess = fault.guesses[-1] if fault.guesses else None
        if guess is not None and guess.place not in named_guesses and problem.description is None:
            named_guesses.add(guess.place)
            problem = self._advice.describe_guess(problem, guess)
        return fault if problem is before else fault._replace(problem=problem)

    def _open(self, task: Task) -> list[_Item]:
        """Return the problems of each finding, or the next schema to open."""
        node, place, found, guesses, _ = task
        if not isinstance(node, dict):
            return []
        if found is None:
            found = self._levels.findings_of_level(node, place.value)
        same = node is place.node and not place.optional  # then the type texts are always the same
        later: dict[tuple[int, ...], list[LocatedFinding]] = {}
        items: list[_Item] = []
        for one in found:
            if one.finding.kind in _PROBLEMS:
                text = one.texts.get(one.text_key) if same else None
                if text is None:
                    text = self._text_of_wrong_value(task, one)
                    if same:
                        one.texts[one.text_key] = text
                below, tokens = path_of(one)
                is_missing = one.finding.kind == "missing"
                inner = ABSENT if is_missing else value_at(place.value, tokens)
                wrong = problem(place.path + below, text.expected, inner)
                fault = Fault(wrong, text.node, guesses, place=(*place.tokens, *tokens))
                about = (text.node, text.holder)
                items.append(_Draft(fault, self._advice.describe_value, about))
            elif one.finding.kind == "part" and one.tokens:
                self._postpone(task, one, items, later)
            else:
                around = self._within(task, one)
                items.extend(self._HANDLERS[one.finding.kind](self, around, one.finding))
        return items

    def _text_of_wrong_value(self, task: Task, found: LocatedFinding) -> ExpectedText:
        """Return the type text of a wrong value, at the place itself or inside."""
        finding = found.finding
        if finding.kind == "missing":
            return self._text_of_missing(task, found)
        if finding.kind == "here":
            about = found.level_nodes[-1].node if found.tokens else task.place.node
            holder = finding.node
        else:
            about, holder = finding.node, self.facts.target(finding.node)
        _, tokens = path_of(found)
        optional = task.place.optional
        if tokens:
            around = found.level_nodes[len(tokens) - 1].node
            first = task.place.node if len(tokens) == 1 else around
            optional = self._may_be_omitted(tokens[-1], around, first)
        expected = self._texts.of(about, optional=optional)
        return ExpectedText(expected, about, holder)

    def _text_of_missing(self, task: Task, found: LocatedFinding) -> ExpectedText:
        """Return the type text of a missing property."""
        name = str(found.finding.token)
        around = found.level_nodes[-1].node if found.tokens else task.node
        node = self.facts.members(around).get(name, True)
        if node is True and not found.tokens:
            node = self.facts.members(task.place.node).get(name, True)
        return ExpectedText(self._texts.of(node), node, self.facts.target(node))

    def _within(self, task: Task, found: LocatedFinding) -> Task:
        """Return the task of the value that a finding concerns."""
        for token, level_node in zip(found.tokens, found.level_nodes[1:], strict=True):
            task = task.inside(level_node.node, self._inner(task, token, level_node.node))
        return task

    def _postpone(
        self,
        task: Task,
        found: LocatedFinding,
        items: list[_Item],
        later: dict[Any, list[LocatedFinding]],
    ) -> None:
        """Add a task for the parts of one inner value, to be opened later."""
        own = LocatedFinding(found.order[-2:], (), found.level_nodes[-1:], found.finding)
        key = found.order[:-2]
        if key in later:
            later[key].append(own)
        else:
            later[key] = [own]
            items.append(self._within(task, found)._replace(found=later[key]))

    def _open_surplus(self, task: Task, finding: LevelFinding) -> Iterator[_Item]:
        place = self._inner(task, finding.token, finding.node)
        refused = finding.keyword == "properties" and not task.guesses
        forbidden = NO_ITEM if type(finding.token) is int else NOT_GIVEN
        fault = _fault_of_unwanted(place, READ_ONLY if refused else forbidden, task.guesses)
        yield _Draft(fault._replace(refused=refused))

    def _open_unknown(self, task: Task, finding: LevelFinding) -> Iterator[_Item]:
        yield _UndeclaredNames(task, finding.names)

    def _open_name(self, task: Task, finding: LevelFinding) -> Iterator[_Item]:
        place = self._inner(task, finding.token, finding.node)
        fault = _fault_of_unwanted(place, None, task.guesses)
        yield _Draft(fault, self._advice.describe_name, (finding.node, finding.token))

    def _open_child(self, task: Task, finding: LevelFinding) -> Iterator[_Item]:
        inner = self._inner(task, finding.token, finding.node)
        yield task.inside(finding.node, inner)

    def _open_part(self, task: Task, finding: LevelFinding) -> Iterator[_Item]:
        """Yield what explains a failed part: the schema that applies, or the branch of a union."""
        part = finding.part
        assert part is not None
        if part.keyword == "if":
            holds = self._compiler.accepts(part.holder["if"], task.place.value)
            yield task.at(part.holder.get("then" if holds else "else"))
        elif part.keyword == "allOf":
            yield task.at(part.holder)
        elif part.keyword == "dependentSchemas":
            yield task.at(part.holder["dependentSchemas"][part.key])
        else:
            yield self._open_union(part, task)

    def _open_union(self, part: SchemaPart, task: Task) -> _Item:
        """Return the task of the branch that a value most likely belongs to, or the fault if there is none."""
        declared = self._origins[id(part.holder)].get("discriminator")
        name = declared.get("propertyName") if isinstance(declared, dict) else None
        discriminator = name if isinstance(name, str) else None
        choice = self._unions.select(part, task.place.value, discriminator)
        if choice is None:
            return self._problem(task, part.holder)
        if isinstance(choice, Tag):
            return self._unknown_tag(choice, task)
        if not choice.found:
            fault = self._problem(task, part.holder).fault
            return _Draft(fault, self._advice.describe_ambiguity, (part,))
        chosen = task.at(choice.node, choice.found)
        chosen = chosen._replace(choices=(*task.choices, BranchChoice(part, choice.node)))
        if choice.sure:
            return chosen
        branches = self.facts.branches(part.holder, part.keyword)
        others = tuple(branch for branch in branches if branch is not choice.node)
        guess = Guess(task.place.tokens, others, choice.node)
        return chosen._replace(guesses=(*task.guesses, guess))

    def _unknown_tag(self, tag: Tag, task: Task) -> _Draft:
        key = id(tag.values)  # the union keeps this object alive
        if key not in self._tags:
            node = {"enum": list(tag.values)}
            self._tags[key] = describe(node, {}), node
        expected, node = self._tags[key]
        wrong = problem(task.place.path + step(tag.name), expected, tag.found)
        fault = Fault(wrong, node, task.guesses, place=(*task.place.tokens, tag.name))
        return _Draft(fault, self._advice.describe_tag, (tag.values,))

    def _inner(self, task: Task, token: str | int, node: Any) -> Place:
        """Return the place of an inner value."""
        place = task.place
        optional = self._is_optional(task, token)
        path = place.path + step(token)
        tokens = (*place.tokens, token)
        return Place(path, place.value[token], node, optional, place, task.node, tokens)

    def _is_optional(self, task: Task, token: str | int) -> bool:
        return self._may_be_omitted(token, task.node, task.place.node)

    def _may_be_omitted(self, token: str | int, around: Any, first: Any) -> bool:
        """Return whether a value is a property that neither of two nodes of its object requires."""
        required = self.facts.required
        return type(token) is str and token not in required(around) and token not in required(first)

    def _problem(self, task: Task, holder: Any = None) -> _Draft:
        """Return the fault of a wrong value, with the type text of its place."""
        place = task.place
        expected = self._texts.of(place.node, optional=place.optional)
        wrong = problem(place.path, expected, place.value)
        fault = Fault(wrong, place.node, task.guesses, place=place.tokens)
        return _Draft(fault, self._advice.describe_value, (place.node, holder))

    _HANDLERS: ClassVar[Mapping[str, Callable[[Any, Task, LevelFinding], Iterator[_Item]]]] = {
        "surplus": _open_surplus,
        "unknown": _open_unknown,
        "name": _open_name,
        "child": _open_child,
        "part": _open_part,
    }


def _fault_of_unwanted(place: Place, description: str | None, guesses: tuple[Guess, ...]) -> Fault:
    wrong = problem(place.path, "undefined", place.value, description)
    return Fault(wrong, False, guesses, place=place.tokens)
