"""Check of the arguments that a model sends for one function: parse, unwrap, repair, validate (rules F4, V7, V9)."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import islice
from typing import Any, Final, NamedTuple, TypeVar

from specfn._internal.json import JsonObject
from specfn._internal.likeness import Likeness, likeness
from specfn._internal.pointer import Tokens, input_path, input_tokens
from specfn.errors import DocumentError
from specfn.function.function_schemas import FunctionInterface, Schemas
from specfn.migrate.parameters.parameters import GROUPS
from specfn.migrate.route import Route
from specfn.migrate.safety import is_creation
from specfn.records import ABSENT, ArgumentProblem, Repair
from specfn.validation.outcome import Failure, Success, success
from specfn.validation.parse import MAX_CHARACTERS, NO_OBJECT, parse
from specfn.validation.plain_types import AFFECTS_MORE, SENT_BY_CONNECTION, UNKNOWN
from specfn.validation.repair.candidates import CoercionPolicy
from specfn.validation.repair.coerce import coerce
from specfn.validation.text.strict_json import UNREAD, integers_in_other_notation, read_strict
from specfn.validation.validate import Diagnosis

_Record = TypeVar("_Record", ArgumentProblem, Repair)


class Positions:
    """The positions of one function's arguments, each with its key and whether it is required."""

    def __init__(self, keys: Sequence[tuple[str, bool]]) -> None:
        """Store the keys in their order."""
        self._keys = keys

    @staticmethod
    def non_object_problem(arguments: Any) -> ArgumentProblem:
        """Return the problem of arguments by key that are not an object."""
        hint = (
            "To pass a text, call check(text) and pass its data."
            if isinstance(arguments, str)
            else None
        )
        return ArgumentProblem(path="$input", expected="object", value=arguments, description=hint)

    def list_problems(self, arguments: Any) -> tuple[ArgumentProblem, ...]:
        """Return the problems of a positional list itself: not a list, or too long."""
        if type(arguments) is not list and type(arguments) is not tuple:
            expected = f"Array<any> & MaxItems<{len(self._keys)}>"
            return (ArgumentProblem(path="$input", expected=expected, value=arguments),)
        return tuple(
            ArgumentProblem(path=f"$input[{index}]", expected="undefined", value=arguments[index])
            for index in range(len(self._keys), len(arguments))
        )

    def by_key(self, arguments: Sequence[Any], nullable: Collection[str]) -> JsonObject:
        """Return positional arguments by key. ``None`` is a missing optional argument, unless its key is ``nullable``."""
        return {
            key: value
            for (key, required), value in zip(self._keys, arguments, strict=False)
            if required or value is not None or key in nullable
        }

    def by_position(self, named: JsonObject, count: int) -> list[Any]:
        """Return as many arguments by position as were sent, with ``None`` for missing ones."""
        return [named.get(key) for key, _ in self._keys[:count]]

    def parse_list(self, arguments: Any) -> tuple[Any, tuple[Repair, ...]]:
        """Parse a list that was sent as a string; return anything else unchanged."""
        value = read_strict(arguments) if type(arguments) is str else UNREAD
        if type(value) is not list:
            return arguments, ()
        return value, (Repair(path="$input", kind="json", before=arguments, after=value),)

    def move(self, records: Sequence[_Record]) -> tuple[_Record, ...]:
        """Return records by key as records by position."""
        places: dict[str | int, int] = {key: index for index, (key, _) in enumerate(self._keys)}
        return tuple(_move(record, places) for record in records)


def _move(record: _Record, places: dict[str | int, int]) -> _Record:
    def path(by_key: str) -> str:
        return _path(by_key, places)

    if isinstance(record, ArgumentProblem):
        return record.rewritten(path)
    return replace(record, path=path(record.path))


def _path(by_key: str, places: dict[str | int, int]) -> str:
    tokens = input_tokens(by_key)
    index = places.get(tokens[0]) if tokens else None
    return by_key if not tokens or index is None else input_path((index, *tokens[1:]))


#: The maximum number of characters of a name that is looked up, and of a name that a description quotes.
_MAX_LOOKED_UP: Final = 512
_MAX_QUOTED: Final = 80


@dataclass(frozen=True, slots=True)
class WrapperNames:
    """The resolution of names in a wrapper.

    Attributes:
        own: the name of the function whose arguments are checked, as the model knows it.
        resolve: returns the name of the one function that a text names, in the same spelling; else ``None``.
    """

    own: str
    resolve: Callable[[str], str | None]


def unwrap(
    given: Any,
    outcome: Success | Failure,
    check: Callable[[Any], Success | Failure],
    names: WrapperNames,
) -> Success | Failure:
    """Return the outcome of arguments that may be wrapped, for example in ``{"name": …, "arguments": …}``.

    Args:
        given: the arguments as they were sent.
        outcome: the outcome of checking them.
        check: checks the content of the wrapper, a text or a value.
        names: the resolution of the name in the wrapper.

    Returns:
        The outcome unchanged, unless the arguments are invalid and wrapped. If the wrapper names this function, the
        outcome of its content, if that is better. If it names another function, the failure with a description of this.
    """
    if isinstance(outcome, Success):
        return outcome
    call = _wrapped_call(given)
    if call is None:
        return outcome
    called, key, content = call
    named = names.resolve(called) if len(called) <= _MAX_LOOKED_UP else None
    if named != names.own:
        return _name_other_function(outcome, called, names.own, key if named is not None else None)
    inner = check(content)
    if isinstance(inner, Failure) and (
        inner.fault
        or any(repair.kind == "no_object" for repair in inner.repairs)
        or _badness(inner) >= _badness(outcome)
    ):
        return outcome
    repair = Repair(path="$input", kind="wrapper", before=given, after=content)
    return replace(inner, repairs=(repair, *inner.repairs))


class _WrappedCall(NamedTuple):
    """A call that was sent as arguments: the name of its function, and the key and the value of its arguments."""

    name: str
    key: str
    arguments: Any


#: The member with the arguments in each shape in which models write a call, by its keys.
_CALL_SHAPES: Final = {
    frozenset(["name", "arguments"]): "arguments",
    frozenset(["name", "parameters"]): "parameters",
    frozenset(["type", "name", "parameters"]): "parameters",
    frozenset(["type", "name", "input"]): "input",
    frozenset(["type", "id", "name", "input"]): "input",
}
_TYPES: Final = {"parameters": "function", "input": "tool_use"}

#: The keys of a call whose name and arguments are in ``function``.
_NESTED_CALLS: Final = frozenset(
    [frozenset(["type", "function"]), frozenset(["type", "id", "function"])]
)


def _wrapped_call(given: Any) -> _WrappedCall | None:
    """Return the call that arguments consist of, perhaps as the only item of a list; else ``None``."""
    if type(given) is list and len(given) == 1:
        given = given[0]
    if type(given) is dict and frozenset(given) in _NESTED_CALLS and given["type"] == "function":
        given = given["function"]
    key = _CALL_SHAPES.get(frozenset(given)) if type(given) is dict and len(given) <= 4 else None
    if key is None or type(given["name"]) is not str:
        return None
    if "type" in given and given["type"] != _TYPES[key]:
        return None
    return _WrappedCall(given["name"], key, given[key])


def _badness(failure: Failure) -> tuple[bool, int]:
    """Return a measure of how badly arguments match a function: the number of problems that concern the root."""
    depths = [len(input_tokens(problem.path) or ()) for problem in failure.errors]
    return 0 in depths, depths.count(1)


def _name_other_function(failure: Failure, called: str, own: str, key: str | None) -> Failure:
    """Return the failure of a wrapper with another name, with a problem that reports the name.

    If the function has an argument ``name``, only the name of another function identifies a wrapper.
    """
    places = ["$input.name", "$input", *([f"$input.{key}"] if key else [])]
    wrong = {problem.path for problem in failure.errors if _is_of_wrapper(problem)}
    place = next((path for path in places if path in wrong), None)
    if place is None:
        return failure
    quoted = json.dumps(called[:_MAX_QUOTED], ensure_ascii=True)
    text = f"{quoted} is not this function. Call it by its own name, or send only the arguments of {own}."
    errors = tuple(
        replace(problem, description=text, target=None)
        if problem.path == place and _is_of_wrapper(problem)
        else problem
        for problem in failure.errors
    )
    return replace(failure, errors=errors)


def _is_of_wrapper(problem: ArgumentProblem) -> bool:
    """Return whether a problem concerns the wrapper itself."""
    return problem.expected == "undefined" or problem.path == "$input"


def coerce_arguments(
    function: FunctionInterface, arguments: Any, *, keep_parsed: bool, texts: Sequence[str] = ()
) -> Success | Failure:
    """Coerce and validate arguments. A failure warns of filters; see ``explain_undeclared``.

    Args:
        function: the function.
        arguments: the arguments.
        keep_parsed: whether a value parsed from a string is kept even if it is invalid.
        texts: the texts that the arguments were parsed from; see ``source_texts``.
    """
    diagnosis = _diagnosis(function, arguments)
    outcome = function.validate(arguments) if diagnosis is None else diagnosis.outcome(arguments)
    if outcome:
        return outcome
    outcome = _repair(function, arguments, outcome, diagnosis, keep_parsed=keep_parsed, texts=texts)
    if isinstance(outcome, Success):
        return outcome
    return explain_undeclared(function.route, _name_misspelled(function.schemas, outcome))


#: The maximum number of undeclared properties that may be misspelled ones, and of characters of a name in a description.
_MAX_UNDECLARED: Final = 100
_MAX_NAME_CHARACTERS: Final = 100


def _name_misspelled(schemas: Schemas, failure: Failure) -> Failure:
    """Return a failure whose missing properties name the undeclared property that is probably meant.

    In an object that allows undeclared properties, only the missing one is a fault: ``yaer`` is valid, and ``year`` missing.
    """
    missing = {id(problem) for problem in failure.errors if problem.value is ABSENT}
    if not missing or not schemas.settings.keyword:
        return failure
    undeclared: dict[Tokens, list[str]] = {}
    for *place, name in islice(schemas.validator.undeclared(failure.data), _MAX_UNDECLARED):
        undeclared.setdefault(tuple(place), []).append(str(name))
    if not undeclared:
        return failure
    return replace(
        failure,
        errors=tuple(
            _with_misspelled(problem, undeclared) if id(problem) in missing else problem
            for problem in failure.errors
        ),
    )


def _with_misspelled(
    problem: ArgumentProblem, undeclared: Mapping[Tokens, Sequence[str]]
) -> ArgumentProblem:
    *place, name = input_tokens(problem.path) or ("",)
    names = undeclared.get(tuple(place), ())
    alike = [other for other in names if likeness(other, str(name)) >= Likeness.TYPO]
    if len(alike) != 1:
        return problem
    sentences = (problem.description, f"You sent {alike[0][:_MAX_NAME_CHARACTERS]}: rename it.")
    return replace(problem, description=" ".join(filter(None, sentences)))


def _repair(
    function: FunctionInterface,
    arguments: Any,
    outcome: Success | Failure,
    diagnosis: Diagnosis | None,
    *,
    keep_parsed: bool,
    texts: Sequence[str],
) -> Success | Failure:
    """Return the outcome after unambiguous mistakes are repaired; the same outcome if there is nothing to repair."""
    if function.fault is not None:
        return outcome
    route, schemas = function.route, function.schemas
    try:
        if schemas.settings.keyword:
            policy = _policy(route, schemas, texts)
            coerced = coerce(arguments, schemas.validator, policy, diagnosis, opens=keep_parsed)
            moved = () if coerced else _move_keys(arguments, schemas, diagnosis)
            if moved:
                again = coerce(moved[0], schemas.validator, policy)
                if isinstance(again, Success):
                    coerced = replace(again, repairs=(*moved[1], *again.repairs))
        else:
            coerced = _coerce_by_position(
                arguments, route, schemas, keep_parsed=keep_parsed, texts=texts
            )
    except DocumentError:
        return outcome
    return coerced if coerced.repairs else outcome


def explain_undeclared(route: Route, failure: Failure) -> Failure:
    """Return a failure that says what the connection sends, and what follows if an undeclared filter is left out.

    A filter is an undeclared member of the query of a function that changes data, and any undeclared property of one that
    destroys data or has no body.
    """
    if route.hidden:
        failure = replace(failure, errors=_name_connection(failure.errors, route))
    if route.safety == "read":
        return failure
    undeclared = {id(problem) for problem in failure.errors if _is_undeclared(problem)}
    if not undeclared:
        return failure
    filters = _paths_of_filters(route)
    errors = tuple(
        replace(problem, description=f"{problem.description} {AFFECTS_MORE}")
        if id(problem) in undeclared and problem.path.startswith(filters)
        else problem
        for problem in failure.errors
    )
    return replace(failure, errors=errors)


def _name_connection(
    problems: Iterable[ArgumentProblem], route: Route
) -> tuple[ArgumentProblem, ...]:
    """Return problems in which each parameter that the connection sends has a description that says so (rule R7)."""
    sent: dict[str, set[str]] = {}
    for parameter in route.hidden:
        for name in (parameter.key, parameter.name):
            sent.setdefault(name.lower(), set()).add(GROUPS[parameter.location])

    def is_sent(group: str | int | None, name: str | int) -> bool:
        """Return whether a name is that of a parameter, in its group, at the root or at a position."""
        groups = sent.get(str(name).lower(), ())
        return bool(groups) if type(group) is not str else group in groups

    def described(problem: ArgumentProblem) -> ArgumentProblem:
        tokens = input_tokens(problem.path) or () if problem.expected == "undefined" else ()
        value, group = problem.value, tokens[0] if len(tokens) == _MAX_DEPTH else None
        if len(tokens) == 1 and tokens[0] in _GROUPS and type(value) is dict and value:
            known = all(is_sent(tokens[0], name) for name in value)
        else:
            known = 1 <= len(tokens) <= _MAX_DEPTH and is_sent(group, tokens[-1])
        return replace(problem, description=SENT_BY_CONNECTION, target=None) if known else problem

    return tuple(map(described, problems))


def _paths_of_filters(route: Route) -> tuple[str, ...]:
    """Return the paths below which the filters of a request are."""
    if route.safety == "destructive" or route.body is None:
        return ("$input",)
    index = [key for key, _ in route.keys].index("query") if route.query else -1
    return tuple(f"{group}{end}" for group in ("$input.query", f"$input[{index}]") for end in ".[")


def _is_undeclared(problem: ArgumentProblem) -> bool:
    """Return whether a problem is an undeclared property that has no advice and no warning yet."""
    said = problem.description or ""
    is_new = said.startswith(UNKNOWN.removesuffix(".")) and not said.endswith(AFFECTS_MORE)
    return is_new and problem.target is None


#: The number of keys from the root to a parameter in its group.
_MAX_DEPTH: Final = 2

#: The groups of arguments, besides the path parameters at the root.
_GROUPS: Final = frozenset({"query", "headers", "cookies", "body"})

#: The maximum number of undeclared keys that are moved.
_MAX_MOVED: Final = 32


def _move_keys(
    named: Any, schemas: Schemas, diagnosis: Diagnosis | None
) -> tuple[JsonObject, tuple[Repair, ...]] | tuple[()]:
    """Return arguments by key with undeclared keys moved to the only group that declares them (rule V7).

    A key is moved only if it is absent there, and never to a place of the human part.

    Returns:
        the arguments and the repairs; empty if nothing is moved.
    """
    faults, explainer, _ = diagnosis or schemas.validator.diagnose(named)
    unknown = [
        fault.place
        for fault in faults
        if fault.problem.expected == "undefined" and fault.place and not fault.refused
    ]
    if explainer is None or not unknown or len(unknown) > _MAX_MOVED:
        return ()
    facts, root = explainer.facts, explainer.root
    owners: list[Tokens] = [
        (),
        *((name,) for name in sorted(_GROUPS.intersection(facts.members(root)))),
    ]
    result: JsonObject = dict(named)
    repairs = []
    for place in unknown:
        here, key = place[:-1], str(place[-1])
        free = [owner for owner in owners if facts.declares(root, (*owner, key))]
        if here not in owners or len(free) != 1 or _is_of_human(schemas, (*free[0], key)):
            continue
        source, target = (_own_group(result, owner) for owner in (here, free[0]))
        if target is None or source is None or key in target:
            continue
        target[key] = value = source.pop(key)
        if not source and here:
            del result[str(here[0])]
        path = input_path((*free[0], key))
        repairs += [
            Repair(path=input_path(place), kind="moved", before=value, after=ABSENT),
            Repair(path=path, kind="moved", before=ABSENT, after=value),
        ]
    return (result, tuple(repairs)) if repairs else ()


def _own_group(named: JsonObject, owner: Tokens) -> JsonObject | None:
    """Return a group of arguments as a copy that may be changed, or the arguments themselves; ``None`` for another value."""
    if not owner:
        return named
    group = named.get(str(owner[0]), {})
    if type(group) is not dict:
        return None
    named[str(owner[0])] = own = dict(group)
    return own


def _is_of_human(schemas: Schemas, place: Tokens) -> bool:
    """Return whether a place may belong to the human part."""
    split_schemas = schemas.split_schemas
    if split_schemas is None or split_schemas.human is None:
        return False
    named: Any = ""
    for token in reversed(place):
        named = {token: named}
    return bool(split_schemas.human_parts(named))


def _diagnosis(function: FunctionInterface, arguments: Any) -> Diagnosis | None:
    """Return the diagnosis of arguments by key, for their outcome and for repairs.

    Returns:
        ``None`` before the first validation, by position, and where files are possible: ``validate`` knows these.
    """
    checker, body = function.schemas.checker, function.route.body
    if checker is None or (body is not None and body.has_encoded_files):
        return None
    diagnosis = checker.diagnose(arguments)
    is_plain = not diagnosis.faults or diagnosis.explainer is not None
    return diagnosis if is_plain else None


def source_texts(text: str | bytes | bytearray, repairs: Sequence[Repair]) -> tuple[str, ...]:
    """Return the texts that arguments were parsed from: the text itself, and the strings in it that were decoded."""
    inner = (repair.before for repair in repairs if repair.kind == "unwrapped")
    return (text if isinstance(text, str) else text.decode(), *inner)


#: Text that occurs in each number that is not written in plain digits.
_OTHER_NOTATION: Final = re.compile(r"[0-9][.eE]|-0")


def integers_not_in_digits(texts: Sequence[str]) -> frozenset[int]:
    """Return the integers that the texts of arguments have in another notation than plain digits."""
    return frozenset(
        integer
        for text in texts
        if _OTHER_NOTATION.search(text)
        for integer in integers_in_other_notation(text, is_strict=read_strict(text) is not UNREAD)
    )


def _policy(route: Route, schemas: Schemas, texts: Sequence[str]) -> CoercionPolicy:
    """Return the repairs that are permitted for an operation.

    Null may mean "clear" in a body (RFC 7396, section 1), so it is left out only of a POST that creates something.
    """
    return CoercionPolicy(
        arrays=schemas.settings.coerce_arrays,
        keeps_null=lambda key: key == "body" and not is_creation(route),
        not_digits=cache(partial(integers_not_in_digits, texts)),
    )


def _coerce_by_position(
    given: Any, route: Route, schemas: Schemas, *, keep_parsed: bool, texts: Sequence[str]
) -> Success | Failure:
    positions = Positions(schemas.keys)
    arguments, json_repairs = positions.parse_list(given)
    problems = positions.list_problems(arguments)
    if problems:
        return Failure(data=given, errors=problems)
    named = positions.by_key(arguments, schemas.nullable)
    policy = _policy(route, schemas, (*texts, given) if json_repairs else texts)
    outcome = coerce(named, schemas.validator, policy, opens=keep_parsed)
    same = outcome.data is named
    data = arguments if same else positions.by_position(outcome.data, len(arguments))
    repairs = (*json_repairs, *positions.move(outcome.repairs))
    if isinstance(outcome, Success):
        return Success(data=data, repairs=repairs)
    if json_repairs and not keep_parsed:
        return Failure(data=given, errors=positions.list_problems(given))
    return Failure(data=data, errors=positions.move(outcome.errors), repairs=repairs)


def check_arguments(
    function: FunctionInterface,
    sent: Any,
    names: Callable[[], WrapperNames] | None,
    *,
    restore: Callable[[Any], Any] | None = None,
    rename: Callable[[Failure, Any], Failure] | None = None,
    problems: Callable[[Any, Any], Sequence[ArgumentProblem]] | None = None,
    texts: Sequence[str] = (),
) -> Success | Failure:
    """Parse, coerce and validate the arguments that a model sent.

    Args:
        function: the function.
        sent: a text, or arguments. An empty text means no arguments.
        names: returns the resolution of the name in a wrapper; ``None`` to keep wrappers.
        restore: returns arguments with the function's own names; ``None`` if the model reads these.
        rename: returns a failure with the names that the model reads, for the arguments that it sent.
        problems: returns further problems of valid arguments.
        texts: the texts that ``sent`` was parsed from, if it is a part of parsed arguments.
    """
    value = read_strict(sent) if type(sent) is str and len(sent) <= MAX_CHARACTERS else UNREAD
    is_read = value is not UNREAD and type(value) is not str
    parsed = success(value) if is_read else _parse(function, sent)
    if isinstance(parsed, Failure):
        return parsed
    given = parsed.data if restore is None else restore(parsed.data)
    checker = function.schemas.checker
    outcome: Success | Failure
    if is_read and given is value and checker is not None and checker.accepts_read(value):
        outcome = parsed
        if problems is None:
            return outcome
    else:
        if _is_text(sent):
            texts = (*texts, *source_texts(sent, parsed.repairs))
        outcome = coerce_arguments(function, given, keep_parsed=True, texts=texts)
    if problems is not None and outcome:
        further = tuple(problems(function, outcome.data))
        if further:
            outcome = Failure(
                data=outcome.data,
                errors=further,
                repairs=outcome.repairs,
                incomplete=outcome.incomplete,
            )
    if isinstance(outcome, Failure):
        outcome = outcome if rename is None else rename(outcome, parsed.data)
        if names is not None:
            check = partial(
                check_arguments,
                function,
                names=None,
                restore=restore,
                rename=rename,
                problems=problems,
                texts=texts,
            )
            outcome = unwrap(parsed.data, outcome, check, names())
    if not parsed.repairs and not parsed.incomplete:
        return outcome
    return replace(
        outcome,
        repairs=(*parsed.repairs, *outcome.repairs),
        incomplete=parsed.incomplete or outcome.incomplete,
    )


def _is_text(sent: Any) -> bool:
    """Return whether arguments are a text. A subclass may have any methods and a metaclass any ``==``."""
    kind = type(sent)
    return kind is str or kind is bytes or kind is bytearray


def _parse(function: FunctionInterface, sent: Any) -> Success | Failure:
    """Return the arguments as a value. An empty text means that there are no arguments.

    A text without an object means the same if the function requires arguments, so that the model reads which.
    """
    if not _is_text(sent):
        return Success(data=sent)
    nothing: Any = {} if function.schemas.settings.keyword else []
    repair = Repair(path="$input", kind="empty", before="", after=nothing)
    if sent.strip():
        parsed = parse(bytes(sent) if type(sent) is bytearray else sent)
        fault = parsed.fault if isinstance(parsed, Failure) else None
        if fault is None or fault.reason != NO_OBJECT or function.validate(nothing):
            return parsed
        repair = replace(repair, kind="no_object", before=fault.text)
    return Success(data=nothing, repairs=(repair,))
