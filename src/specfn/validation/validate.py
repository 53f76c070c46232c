"""Validation of a value against a schema: ``Validator`` (rules V1, V2, V4, V5)."""

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from specfn._internal.pointer import input_tokens
from specfn.records import ArgumentProblem
from specfn.schema.describe import Schema
from specfn.schema.patterns.cost import MAX_FUNCTION_BYTES, refused
from specfn.schema.patterns.engine import classify
from specfn.schema.patterns.to_rust import to_rust
from specfn.settings import OneOf
from specfn.validation.compile.engine import compile_schema, pattern_cost
from specfn.validation.compile.limits import depth_limit
from specfn.validation.compile.memory import BYTES_OF_NODE, MEMORY
from specfn.validation.compile.prepare import PreparedSchema, prepare
from specfn.validation.compile.references import Survey, survey
from specfn.validation.outcome import Failure, Success, failure, success
from specfn.validation.plain_json import MAX_DEPTH, is_plain_json, plain_json_problems

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from specfn.validation.explain.explain import Explainer, Fault


class Diagnosis(NamedTuple):
    """The faults of one value, with the objects that a repair needs.

    Attributes:
        faults: the faults, one per place; empty if the value is valid.
        explainer: explains parts of the value; ``None`` if there is nothing to repair: the value is valid, or not plain
            JSON within the limits.
        depth: the maximum number of levels that a value may have.
    """

    faults: "tuple[Fault, ...]"
    explainer: "Explainer | None"
    depth: int

    def outcome(self, value: Any) -> Success | Failure:
        """Return the outcome of the value."""
        if not self.faults:
            return success(value)
        return failure(value, tuple([fault.problem for fault in self.faults]))


class _Enforcement(NamedTuple):
    """The arguments of a validator, except its schema."""

    formats: Literal["assert", "hint"]
    equals: bool
    one_of: OneOf
    pattern_bytes: int


class Validator:
    """A validator for one schema, compiled on first use, and again if its memory was needed for others.

    Attributes:
        schema: the schema as passed.
        used: set at each use; see ``CompiledMemory``.
    """

    __slots__ = (
        "__weakref__",
        "_accepts",
        "_compiled",
        "_depth",
        "_enforcement",
        "_skipped",
        "_without_costly",
        "schema",
        "used",
    )

    def __init__(
        self,
        schema: Schema,
        *,
        formats: Literal["assert", "hint"] = "assert",
        equals: bool = False,
        one_of: OneOf = "any",
        pattern_bytes: int = MAX_FUNCTION_BYTES,
    ) -> None:
        """Accept a JSON Schema 2020-12 schema whose references are ``#/$defs/NAME``.

        Args:
            schema: the schema; it is not copied and must not change.
            formats: whether formats are asserted or only shown.
            equals: whether object schemas refuse properties that they do not declare.
            one_of: whether a value may match several branches of a ``oneOf`` (``any``) or only one (``exactly``).
            pattern_bytes: the maximum number of bytes of all compiled patterns; the largest beyond it are not run.
        """
        self.schema: Final = schema
        self._enforcement: Final = _Enforcement(formats, equals, one_of, pattern_bytes)
        self._compiled: _Compiled | None = None
        self._accepts: Callable[[Any], bool] | None = None
        self._depth = 0
        self._without_costly: _Compiled | None = None
        self._skipped: tuple[str, ...] = ()
        self.used = False

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.schema, self._enforcement)

    @property
    def unchecked(self) -> tuple[str, ...]:
        """Return the patterns that are not enforced: refused patterns, and patterns that were too costly for some value."""
        return (*self._engine().refused, *self._skipped)

    def validate(self, value: Any) -> Success | Failure:
        """Validate a value. ``data`` of the outcome is the same object.

        Raises:
            DocumentError: on first use, if the schema cannot be enforced.
        """
        accepts = self._accepts  # set after the first use if no pattern is costly
        if accepts is not None and is_plain_json(value, self._depth):
            self.used = True
            if accepts(value):
                return success(value)
            return failure(value, self._engine().explainer.problems(value))
        engine = self._engine_for(value)
        if engine is None:
            return Failure(data=value, errors=plain_json_problems(value, self._depth))
        if engine.accepts(value):
            return success(value)
        return failure(value, engine.explainer.problems(value))

    def problems(self, value: Any) -> tuple[ArgumentProblem, ...]:
        """Return each invalid place of a value, in the order of the document's properties; empty if the value is valid.

        Raises:
            DocumentError: on first use, if the schema cannot be enforced.
        """
        outcome = self.validate(value)
        return outcome.errors if isinstance(outcome, Failure) else ()

    def diagnose(self, value: Any, *, is_plain: bool = False) -> "Diagnosis":
        """Return the faults of a value, each with the schema of its place, and the objects that a repair needs.

        Args:
            value: the value.
            is_plain: whether the value is known to be plain JSON within the limits.

        Raises:
            DocumentError: on first use, if the schema cannot be enforced.
        """
        engine = self._engine_for(value, is_plain=is_plain)
        if engine is None:
            from specfn.validation.explain.explain import Fault  # noqa: PLC0415 - only for invalid values

            faults = tuple(
                Fault(problem, True, place=input_tokens(problem.path) or ())
                for problem in plain_json_problems(value, self._depth)
            )
            return Diagnosis(faults, None, self._depth)
        if engine.accepts(value):
            return Diagnosis((), None, engine.depth)
        return Diagnosis(engine.explainer.faults(value), engine.explainer, engine.depth)

    def accepts_only_integers(self, place: tuple[str | int, ...]) -> bool:
        """Return whether the numbers that a place of the value accepts are integers.

        Raises:
            DocumentError: on first use, if the schema cannot be enforced.
        """
        explainer = self._engine().explainer
        return explainer.facts.accepts_only_integers(explainer.root, place)

    def undeclared(self, value: Any) -> "Iterator[tuple[str | int, ...]]":
        """Yield the places of properties that are allowed but not declared, although other properties of the object are.

        Raises:
            DocumentError: on first use, if the schema cannot be enforced.
        """
        explainer = self._engine().explainer
        return explainer.facts.undeclared(explainer.root, value)

    def is_valid(self, value: Any) -> bool:
        """Return whether a value is valid. No problems are collected.

        Raises:
            DocumentError: on first use, if the schema cannot be enforced.
        """
        engine = self._engine_for(value)
        return engine is not None and engine.accepts(value)

    def accepts_read(self, value: Any) -> bool:
        """Return whether a value that ``strict`` read is certainly valid. If false, ``validate`` decides."""
        accepts = self._accepts
        if accepts is None or self._depth < MAX_DEPTH:
            return False
        self.used = True
        return accepts(value)

    def compile(self) -> None:
        """Compile the schema now, not on first use.

        Raises:
            DocumentError: the schema cannot be enforced.
        """
        self._engine()

    def measure(self) -> int:
        """Return the number of nodes that the schema has when it is compiled, without compiling it.

        Raises:
            DocumentError: the schema exceeds a limit.
        """
        surveyed = survey(self.schema)
        dropped = frozenset(refused(surveyed.patterns, classify, self._enforcement.pattern_bytes))
        prepared = _prepare(surveyed, self._enforcement, dropped)
        depth_limit(prepared)
        return len(prepared.origins)

    def release(self) -> None:
        """Release what is compiled. It is compiled again on next use."""
        self._compiled = self._accepts = self._without_costly = None

    def _engine(self) -> "_Compiled":
        self.used = True
        engine = self._compiled
        if engine is None:
            engine = _Compiled(survey(self.schema), self._enforcement, self._keep)
            self._depth = engine.depth
            self._accepts = engine.accepts if engine.pattern_cost is None else None
            self._compiled = engine
            self._keep(engine.nodes)
        return engine

    def _keep(self, nodes: int) -> None:
        MEMORY.add(self, nodes)

    def _engine_for(self, value: Any, *, is_plain: bool = False) -> "_Compiled | None":
        """Return the compiled schema for a value, without its costly patterns if they cost too much.

        A pattern that exceeds its steps makes the engine report an invalid value without an error. So an invalid value
        is reported only if no pattern exceeded its steps.

        Returns:
            ``None`` if the value is not plain JSON within the limits.
        """
        engine = self._engine()
        if not is_plain and not is_plain_json(value, engine.depth):
            return None
        cost = engine.pattern_cost
        if cost is None:
            return engine
        if not cost.affordable(value):
            dropped = cost.patterns
        elif engine.accepts(value):
            return engine
        else:
            dropped = cost.patterns_out_of_steps(value)
        if not dropped:
            return engine
        self._skipped = tuple(dict.fromkeys((*self._skipped, *dropped)))
        if self._without_costly is None:
            self._without_costly = engine.without(cost.patterns)
            self._keep(self._without_costly.nodes)
        return self._without_costly


class _Compiled:
    """A compiled schema: the verdict is available at once, the explanation is built on first use."""

    def __init__(
        self,
        surveyed: Survey,
        enforcement: _Enforcement,
        keep: "Callable[[int], object]",
        dropped: tuple[str, ...] = (),
    ) -> None:
        self._survey = surveyed
        self._enforcement = enforcement
        self._keep = keep
        self.refused = refused(surveyed.patterns, classify, enforcement.pattern_bytes)
        self._dropped = frozenset((*self.refused, *dropped))
        kept = [pattern for pattern in surveyed.patterns if pattern not in self._dropped]
        self.pattern_cost = pattern_cost(kept)
        prepared = _prepare(surveyed, enforcement, self._dropped)
        self.depth = depth_limit(prepared)
        size = sum(classify(pattern).size for pattern in kept)
        self.nodes = len(prepared.origins) + size // BYTES_OF_NODE
        self.accepts = compile_schema(prepared)

    def without(self, patterns: tuple[str, ...]) -> "_Compiled":
        """Return the same schema compiled without some patterns."""
        return _Compiled(self._survey, self._enforcement, self._keep, patterns)

    @cached_property
    def explainer(self) -> "Explainer":
        """Return the explainer of invalid values.

        The schema is prepared again for it: most schemas never need one, and the tree needs more memory than the
        engine.
        """
        from specfn.validation.explain.explain import Explainer  # noqa: PLC0415 - only for invalid values

        prepared = _prepare(self._survey, self._enforcement, self._dropped)
        explainer = Explainer(prepared, self._survey.schema_definitions, self._keep)
        self._keep(self.nodes)
        return explainer


def _prepare(
    surveyed: Survey, enforcement: _Enforcement, dropped: frozenset[str]
) -> PreparedSchema:
    return prepare(
        surveyed,
        formats=enforcement.formats == "assert",
        equals=enforcement.equals,
        one_of=enforcement.one_of,
        refused=dropped,
        spell=to_rust,
    )


def _rebuild(schema: Schema, enforcement: _Enforcement) -> Validator:
    return Validator(schema, **enforcement._asdict())
