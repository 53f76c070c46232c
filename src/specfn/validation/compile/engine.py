"""jsonschema-rs as the validation engine, without network access and within limits (rules V1, V5)."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from specfn._internal.json import JsonObject
from specfn._internal.pointer import join
from specfn.errors import DocumentError
from specfn.schema.patterns.cost import HEAVY, texts_of
from specfn.schema.patterns.engine import MAX_STEPS, classify, matches, pattern_options, runs_out
from specfn.schema.patterns.to_rust import to_rust
from specfn.schema.walk import subschema_entries
from specfn.validation.compile.memory import MAX_NODES
from specfn.validation.compile.prepare import HOME, REFERENCE, PreparedSchema
from specfn.validation.formats import OWN, prefer_pattern

#: The maximum number of nodes that the schemas of one report may have together, each with the definitions that it
#: reaches. Compiling them takes about 0.3 s. Reports about the corpus need at most 400.
MAX_REPORT_NODES: Final = 50_000

#: The maximum work of the patterns of one validation, in states times characters.
_MAX_WORK: Final = 40_000_000


def compile_schema(prepared: PreparedSchema) -> Callable[[Any], bool]:
    """Compile a schema to a function that returns whether a plain JSON value is valid. The prepared schema is used up.

    Raises:
        DocumentError: it is not a JSON Schema.
    """
    from jsonschema_rs import Draft202012Validator, ValidationError  # noqa: PLC0415 - 24 ms, first use

    try:
        formats = _write_patterns(prepared.formats)
        return Draft202012Validator(prepared.schema, **_options(formats)).is_valid
    except ValidationError as error:
        pointer = _pointer(prepared, error.instance_path)
        reason = f"not a JSON Schema: {_first_line(error)}"
    except (ValueError, TypeError, OverflowError) as error:
        pointer, reason = "", f"not a JSON Schema: {_first_line(error)}"
    raise DocumentError(reason, pointer=pointer)


class SubschemaCompiler:
    """A compiler for the subschemas of a prepared schema. Each is compiled when a report first needs it.

    The engine compiles a subschema with every definition that it reaches, and cannot share them. So the number of
    compiled nodes is limited: in memory, and for one report.
    """

    def __init__(self, prepared: PreparedSchema, keep: Callable[[int], object]) -> None:
        """Register the definitions under the name of the prepared schema.

        Args:
            prepared: the schema.
            keep: receives the number of nodes that were compiled, or with a negative sign released.
        """
        from jsonschema_rs import Draft202012, Registry  # noqa: PLC0415 - loaded with the first validator

        self._registry: Final = Registry([(HOME, prepared.schema)], draft=Draft202012)
        self._options: Final = _options(prepared.formats)
        self._sizes: Final = ReachableSizes(prepared.definitions)
        self._keep: Final = keep
        self._verdicts: dict[int, tuple[Any, int]] = {}
        self._used: set[int] = set()
        self._kept = self._kept_verdicts = self._report = 0

    def begin_report(self) -> None:
        """Begin a report of one value: nothing counts as used."""
        self._used.clear()
        self._report = 0

    @property
    def is_report_full(self) -> bool:
        """Return whether the report has used as many nodes as one report may, compiled for it or before it."""
        return self._report > MAX_REPORT_NODES

    @property
    def is_memory_full(self) -> bool:
        """Return whether compiled schemas should be released before more are compiled."""
        return self._kept > MAX_NODES

    def release(self) -> int:
        """Release what is compiled, and return its number of nodes. The caller releases what it compiled, too."""
        nodes = self._kept
        self._verdicts.clear()
        self._kept = self._kept_verdicts = 0
        return nodes

    def compile(self, schema: JsonObject) -> tuple[Any, int]:
        """Compile a schema that may refer to the definitions; return it with its number of nodes."""
        from jsonschema_rs import Draft202012Validator  # noqa: PLC0415 - loaded with the first validator

        nodes = self._sizes.of(schema)
        self._kept += nodes
        self._keep(nodes)
        return Draft202012Validator(schema, registry=self._registry, **self._options), nodes

    def use(self, key: int, nodes: int) -> None:
        """Count the nodes of a compiled schema, once in a report. ``key`` is its identity."""
        if key not in self._used:
            self._used.add(key)
            self._report += nodes

    matches = staticmethod(matches)

    def accepts(self, node: Any, value: Any) -> bool:
        """Return whether a node of the prepared schema accepts a value."""
        if not isinstance(node, dict):
            return node is not False
        verdict = self._verdicts.get(id(node))
        if verdict is None:
            if self._kept_verdicts > MAX_NODES:
                self._verdicts.clear()
                self._keep(-self._kept_verdicts)
                self._kept -= self._kept_verdicts
                self._kept_verdicts = 0
            verdict = self._verdicts[id(node)] = self.compile(node)
            self._kept_verdicts += verdict[1]
        self.use(id(node), verdict[1])
        return bool(verdict[0].is_valid(value))


class PatternCost(NamedTuple):
    """The cost of the expensive patterns of one schema.

    Attributes:
        patterns: all expensive patterns.
        backtracking: the patterns that may exceed their steps.
        weight: the work of the heavy patterns per character.
        behind: whether a pattern has a lookbehind, whose time is quadratic in the length of a text.
    """

    patterns: tuple[str, ...]
    backtracking: tuple[str, ...]
    weight: int
    behind: bool

    def affordable(self, value: Any) -> bool:
        """Return whether the patterns can be applied to all texts of a value within the limit of one validation."""
        texts = characters = squares = 0
        for text in texts_of(value):
            texts += 1
            characters += len(text)
            squares += len(text) ** 2
        looks = squares * 10 if self.behind else 0
        return (
            characters * self.weight + texts * len(self.backtracking) * MAX_STEPS + looks
            <= _MAX_WORK
        )

    def patterns_out_of_steps(self, value: Any) -> tuple[str, ...]:
        """Return the backtracking patterns that exceed their steps on some text of a value."""
        texts = set(texts_of(value))
        return tuple(
            pattern
            for pattern in self.backtracking
            if any(runs_out(to_rust(pattern), text) for text in texts)
        )


def pattern_cost(patterns: Iterable[str]) -> PatternCost | None:
    """Return the cost of patterns beyond linear time; ``None`` if all of them are plain."""
    judged = [(pattern, classify(pattern)) for pattern in patterns]
    costly = [(pattern, one) for pattern, one in judged if one.kind in {"heavy", "backtracking"}]
    if not costly:
        return None
    return PatternCost(
        tuple(pattern for pattern, _ in costly),
        tuple(pattern for pattern, one in costly if one.kind == "backtracking"),
        sum(one.weight for _, one in costly if one.weight > HEAVY),
        any("(?<=" in pattern or "(?<!" in pattern for pattern, _ in costly),
    )


def _write_patterns(formats: Mapping[str, Sequence[JsonObject]]) -> set[str]:
    """Replace formats by patterns in their nodes, and return the formats that still need their own check."""
    left = set()
    for name, nodes in formats.items():
        for node in nodes:
            other = prefer_pattern(node)
            if other is not node:
                node.clear()
                node.update(other)
            if "pattern" not in node:
                left.add(name)
    return left


def _options(formats: Collection[str]) -> JsonObject:
    """Return the options for a schema that asserts some formats.

    With any Python function for a format, the engine needs several times as long for every value.
    """
    return {
        "offline": True,
        "validate_formats": True,
        "formats": {name: check for name, check in OWN.items() if name in formats},
        "pattern_options": pattern_options(),
    }


def _pointer(prepared: PreparedSchema, place: Sequence[str | int]) -> str:
    """Return the pointer in the given schema for a place in the prepared schema."""
    if len(place) < 2:
        return ""
    node: Any = prepared.definitions[str(place[1])]
    tokens: list[str | int] = []
    for token in place[2:]:
        origin = prepared.origins.get(id(node))
        is_renamed = token == "anyOf" and origin is not None and token not in origin  # noqa: S105
        tokens.append("oneOf" if is_renamed else token)
        node = node[token]
    return prepared.keys[int(place[1])] + join(tokens)


def _first_line(error: Exception) -> str:
    try:
        text = str(error)
    except ValueError:  # an integer too long to be written
        return type(error).__name__
    return text.partition("\n")[0][:300]


class ReachableSizes:
    """The sizes of subschemas of one prepared schema. Each definition is walked once."""

    def __init__(self, definitions: JsonObject) -> None:
        self._definitions: Final = definitions
        self._own: dict[str, tuple[int, tuple[str, ...]]] = {}

    def of(self, schema: Any) -> int:
        """Return the number of nodes of a schema and of the definitions that it reaches, each once."""
        total, waiting = _size(schema)
        reached = set(waiting)
        stack = [*reached]
        while stack:
            name = stack.pop()
            own = self._own.get(name)
            if own is None:
                own = self._own[name] = _size(self._definitions[name])
            total += own[0]
            new = [target for target in own[1] if target not in reached]
            reached.update(new)
            stack.extend(new)
        return total


def _size(schema: Any) -> tuple[int, tuple[str, ...]]:
    """Return the number of nodes of a schema, and the definitions that they refer to, each once."""
    nodes = 0
    names: dict[str, None] = {}
    stack = [schema]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            nodes += 1
            reference = node.get("$ref")
            if isinstance(reference, str) and reference.startswith(REFERENCE):
                names[reference[len(REFERENCE) :]] = None
            stack.extend(inner for _, _, inner in subschema_entries(node))
            stack.extend(node.get("$defs", {}).values())  # those of a level of an explanation
    return nodes, tuple(names)
