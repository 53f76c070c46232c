"""JSONPath (RFC 9535) by the package jsonpath-rfc9535, with a limit of steps and patterns of linear time."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

from iregexp_check import check
from jsonpath_rfc9535 import JSONPathEnvironment, JSONPathError, JSONPathNode, JSONPathNodeList
from jsonpath_rfc9535.filter_expressions import (
    ComparisonExpression,
    FilterExpressionLiteral,
    FilterQuery,
)
from jsonpath_rfc9535.function_extensions import ExpressionType, FilterFunction
from jsonpath_rfc9535.parse import Parser
from jsonpath_rfc9535.query import JSONPathQuery

from specfn.document.read.limits import MAX_DEPTH, Steps

#: The place of a node: the keys and indexes that lead to it.
Place = tuple[str | int, ...]

#: The maximum number of characters of a path.
MAX_CHARACTERS: Final = 2_000

#: The maximum number of bytes of a compiled pattern.
_MAX_PATTERN_BYTES: Final = 1 << 20

#: The number of characters that are compared or matched in one step.
_CHARACTERS_PER_STEP: Final = 100

#: The parts of an I-Regexp: an escape, a class, and the dot, which matches no line break.
_PART: Final = re.compile(r"\\.|\[(?:\\.|[^\[\]\\])*+\]|\.", re.DOTALL)


def places(path: str, document: Any, steps: Steps) -> list[Place]:
    """Return the places that a path selects, each once.

    Raises:
        ValueError: the path is invalid or too long.
        TooManyStepsError: the evaluation took more steps than are left.
    """
    if len(path) > MAX_CHARACTERS:
        raise ValueError(f"the JSONPath is longer than {MAX_CHARACTERS:,} characters")
    try:
        nodes = _Environment(steps).compile(path).finditer(document)
        return [*dict.fromkeys(node.location for node in nodes)]
    except RecursionError:
        raise ValueError("the JSONPath is nested too deeply") from None
    except JSONPathError as error:
        raise ValueError(f"the JSONPath is invalid: {error.args[0]}") from None


class _Node(JSONPathNode):
    """A node whose children cost a step each."""

    __slots__ = ("steps",)

    def __init__(self, steps: Steps, **members: Any) -> None:
        super().__init__(**members)
        self.steps = steps

    def new_child(self, value: object, key: int | str, parent: JSONPathNode | None) -> "_Node":
        self.steps.spend()
        place = (*self.location, key)
        return _Node(self.steps, value=value, location=place, parent=parent, root=self.root)


class _Query(JSONPathQuery):
    """A query that counts its steps, also within filters."""

    __slots__ = ()
    env: "_Environment"

    def finditer(self, value: Any) -> Iterable[JSONPathNode]:
        root = _Node(self.env.steps, value=value, location=(), parent=None, root=value)
        nodes: Iterable[JSONPathNode] = (root,)
        for segment in self.segments:
            nodes = segment.resolve(nodes)
        return nodes


class _Parser(Parser):
    """A parser that creates such queries and counted comparisons for filters."""

    def parse_infix_expression(self, stream: Any, left: Any) -> Any:
        expression = super().parse_infix_expression(stream, left)
        if not isinstance(expression, ComparisonExpression):
            return expression
        return _Comparison(expression.token, expression.left, expression.operator, expression.right)

    def parse_root_query(self, stream: Any) -> Any:
        return _counted(super().parse_root_query(stream))

    def parse_relative_query(self, stream: Any) -> Any:
        return _counted(super().parse_relative_query(stream))


def _counted(expression: Any) -> Any:
    assert isinstance(expression, FilterQuery)
    query = expression.query
    expression.query = _Query(env=query.env, segments=query.segments)
    return expression


class _Comparison(ComparisonExpression):
    """A comparison that costs steps by what it compares: a filter may compare whole trees for each item."""

    __slots__ = ()

    def evaluate(self, context: Any) -> bool:
        left, right = (_operand(side.evaluate(context)) for side in (self.left, self.right))
        if left.__class__ is right.__class__ and left.__class__ in {dict, list}:
            left, right = True, _equal(left, right, context.env.steps) or None
        elif isinstance(left, str) and isinstance(right, str):
            _spend_text(context.env.steps, left, right)
        sides = (FilterExpressionLiteral(self.token, side) for side in (left, right))
        return ComparisonExpression(self.token, next(sides), self.operator, next(sides)).evaluate(
            context
        )


def _operand(result: Any) -> Any:
    is_node = isinstance(result, JSONPathNodeList) and len(result) == 1
    return result[0].value if is_node else result


def _spend_text(steps: Steps, *texts: str) -> None:
    steps.spend(min(map(len, texts)) // _CHARACTERS_PER_STEP)


def _equal(left: Any, right: Any, steps: Steps) -> bool:
    """Return whether two JSON values are equal; each compared pair costs a step."""
    pairs = [(left, right)]
    while pairs:
        left, right = pairs.pop()
        steps.spend()
        if isinstance(left, dict) and isinstance(right, dict):
            steps.spend(len(left) + sum(map(len, left)) // _CHARACTERS_PER_STEP)
            if left.keys() != right.keys():
                return False
            pairs += [(value, right[key]) for key, value in left.items()]
        elif isinstance(left, list) and isinstance(right, list):
            if len(left) != len(right):
                return False
            steps.spend(len(left))
            pairs += zip(left, right, strict=True)
        else:
            if isinstance(left, str) and isinstance(right, str):
                _spend_text(steps, left, right)
            if left != right or isinstance(left, bool) is not isinstance(right, bool):
                return False
    return True


class _PatternFunction(FilterFunction):
    """``match`` or ``search`` by an engine that does not backtrack."""

    arg_types = [ExpressionType.VALUE, ExpressionType.VALUE]  # noqa: RUF012  # as the package declares it
    return_type = ExpressionType.LOGICAL

    def __init__(self, form: str, steps: Steps) -> None:
        self._form = form
        self._steps = steps

    def __call__(self, text: object, pattern: object) -> bool:
        if not isinstance(text, str) or not isinstance(pattern, str):
            return False
        self._steps.spend(len(text) // _CHARACTERS_PER_STEP + len(pattern))
        compiled = _compiled(self._form % pattern) if check(pattern) else None
        return compiled is not None and bool(compiled.is_valid(text))


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> Any:
    """Return a validator of an I-Regexp (RFC 9485); ``None`` if it is too large."""
    from jsonschema_rs import Draft202012Validator, RegexOptions  # noqa: PLC0415  # 20 ms

    options = RegexOptions(size_limit=_MAX_PATTERN_BYTES, dfa_size_limit=_MAX_PATTERN_BYTES)
    spelled = _PART.sub(lambda part: r"[^\n\r]" if part[0] == "." else part[0], pattern)
    try:
        return Draft202012Validator({"pattern": spelled}, offline=True, pattern_options=options)
    except ValueError:
        return None


class _Environment(JSONPathEnvironment):
    """The package's environment with these parts."""

    parser_class = _Parser
    max_recursion_depth = MAX_DEPTH + 1

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        super().__init__()

    def setup_function_extensions(self) -> None:
        super().setup_function_extensions()
        self.function_extensions["match"] = _PatternFunction("^(?:%s)$", self.steps)
        self.function_extensions["search"] = _PatternFunction("%s", self.steps)

    def compile(self, query: str) -> _Query:
        return _Query(env=self, segments=super().compile(query).segments)
