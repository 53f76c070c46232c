"""Ways in which models damage arguments, to see what becomes of them; for the repair bench and its laws.

A way takes valid arguments and gives damaged ones: a text, or a value with the place where it is damaged. Ways
that damage a value propose many places; the first at which the function refuses the arguments counts.
"""

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from specfn import Failure, Function, Success
from specfn._internal.pointer import input_path

Json: TypeAlias = dict[str, Any]
Place: TypeAlias = tuple[str | int, ...]

TRIES = 12


class Damaged(NamedTuple):
    """Arguments that were damaged.

    Attributes:
        original: what they were.
        given: what a model sends: a text or a value.
        places: where a value is damaged; empty for a text.
    """

    original: Any
    given: Any
    places: tuple[Place, ...] = ()


# -- places ---------------------------------------------------------------------------------------


def places(value: Any, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Every place of a value with what it holds, the root first."""
    yield place, value
    members = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for token, item in members:
        yield from places(item, (*place, token))


def put(value: Any, place: Place, new: Any) -> Any:
    """A value with something else in one place."""
    if not place:
        return new
    copy = value.copy()
    copy[place[0]] = put(copy[place[0]], place[1:], new)
    return copy


def without(value: Any, place: Place) -> Any:
    """A value without one of its properties."""
    *above, last = place
    holder = value
    for token in above:
        holder = holder[token]
    return put(value, tuple(above), {key: item for key, item in holder.items() if key != last})


def replaced(kind: type, new: Callable[[Any], Any]) -> "Way":
    """A way that puts something else in the place of values of one type; ``None`` for nothing."""

    def propose(value: Any, _: random.Random) -> Iterator[tuple[Place, Any]]:
        for place, item in places(value):
            if place and type(item) is kind:
                other = new(item)
                if other is not None:
                    yield place, put(value, place, other)

    return propose


#: Proposes damaged values with the place of the damage.
Way: TypeAlias = Callable[[Any, random.Random], Iterator[tuple[Place, Any]]]

#: Writes a value as a damaged text; ``None`` where it cannot be damaged in this way.
Writer: TypeAlias = Callable[[Any, random.Random], str | None]

# -- ways to damage a value -----------------------------------------------------------------------


def missing(value: Any, _: random.Random) -> Iterator[tuple[Place, Any]]:
    for place, _item in places(value):
        if place and type(place[-1]) is str:
            yield place, without(value, place)


def extra(value: Any, _: random.Random) -> Iterator[tuple[Place, Any]]:
    for place, item in places(value):
        if type(item) is dict:
            yield (*place, "notThere"), put(value, place, {**item, "notThere": "x"})


def null_for_something(value: Any, _: random.Random) -> Iterator[tuple[Place, Any]]:
    for place, _item in places(value):
        if place:
            yield place, put(value, place, None)


def misspelt(value: Any, _: random.Random) -> Iterator[tuple[Place, Any]]:
    for place, _item in places(value):
        if place and type(place[-1]) is str:
            *above, name = place
            holder = value
            for token in above:
                holder = holder[token]
            other = name.swapcase()
            if other != name and other not in holder:
                renamed = {(other if key == name else key): item for key, item in holder.items()}
                yield (*above, other), put(value, tuple(above), renamed)


def text_if(pattern: str, new: Callable[[str], Any]) -> Way:
    """A way that changes texts of one form."""
    form = re.compile(pattern)
    return replaced(str, lambda text: new(text) if form.fullmatch(text) else None)


def case(text: str) -> str | None:
    return text.swapcase() if text.swapcase() != text else None


VALUES: Mapping[str, Way] = {
    "integer as a string": replaced(int, str),
    "number as a string": replaced(float, json.dumps),
    "integer as a string with a fraction": replaced(int, lambda number: f"{number}.0"),
    "whole number beyond 2^53, as a string": replaced(int, lambda _: f"{LARGE}.0"),
    "boolean as a string": replaced(bool, json.dumps),
    "object as a string": replaced(dict, json.dumps),
    "array as a string": replaced(list, json.dumps),
    "enum in another case": replaced(str, case),
    "scalar for an array": replaced(list, lambda items: items[0] if len(items) == 1 else None),
    "integer for a string": text_if(r"[1-9][0-9]{0,14}", int),
    "missing property": missing,
    "extra property": extra,
    "property in another case": misspelt,
    "unknown enum or tag": replaced(str, lambda _: "zzz"),
    "date without a zone": text_if(
        r"\d{4}-\d\d-\d\dT.*Z", lambda text: text.replace("T", " ").rstrip("Z")
    ),
    "date in another shape": text_if(
        r"\d{4}-\d\d-\d\d", lambda text: "/".join(text.split("-")[::-1])
    ),
    "out of range": replaced(int, lambda _: 10**30),
    "below range": replaced(int, lambda _: -(10**30)),
    "decimal for an integer": replaced(int, lambda number: number + 0.5),
    "decimal for an integer, as a string": replaced(int, lambda number: f"{number}.5"),
    "decimal for a string": replaced(str, lambda _: 12.5),
    "boolean for a string": replaced(str, lambda _: True),
    "yes for a boolean": replaced(bool, lambda value: "yes" if value else "no"),
    "1 for a boolean": replaced(bool, int),
    "number with a unit": replaced(int, lambda number: f"{number} kg"),
    "number with leading zeros": replaced(int, lambda number: f"00{number}"),
    "number with separators": replaced(int, lambda number: f"{number + 1_000_000:,}"),
    "text for an object": replaced(dict, lambda _: "x"),
    "text for an array": replaced(list, lambda _: "a,b"),
    "array for a scalar": replaced(str, lambda text: [text]),
    "object for a scalar": replaced(str, lambda text: {"value": text}),
}

#: An integer that no float holds, and that no argument has by chance.
LARGE = 2**53 + 24_681_357

#: What arguments are made to hold first, so that there is something to damage.
PREPARED: Mapping[str, Way] = {
    "scalar for an array": replaced(list, lambda items: items[:1] or None),
    "integer for a string": replaced(str, lambda _: "12345"),
    "line feed in a string": replaced(str, lambda _: "Line 1\nLine 2"),
    "whole number beyond 2^53": lambda value, _: larger(value, LARGE),
    "whole number beyond 2^64": lambda value, _: larger(value, LARGE * 10**9 + 1),
}


def larger(value: Any, number: int) -> Iterator[tuple[Place, Any]]:
    """A large integer in the place of a number."""
    for place, item in places(value):
        if place and type(item) in (int, float):
            yield place, put(value, place, number)


# -- ways to damage a text ------------------------------------------------------------------------


def written(value: Any, rng: random.Random) -> str:
    """JSON as models write it."""
    return json.dumps(value, indent=rng.choice([None, 2]), ensure_ascii=False)


def tokens(text: str) -> Iterator[re.Match[str]]:
    """The strings, numbers, words and marks of a JSON text."""
    return re.finditer(r'"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[{}\[\],:]', text)


def pick(text: str, rng: random.Random, wanted: Callable[[str], bool]) -> re.Match[str] | None:
    """One token of a text."""
    found = [match for match in tokens(text) if wanted(match.group())]
    return rng.choice(found) if found else None


def spliced(wanted: Callable[[str], bool], new: Callable[[str], str]) -> "Writer":
    """A way that writes one token otherwise."""

    def write(value: Any, rng: random.Random) -> str | None:
        text = written(value, rng)
        match = pick(text, rng, wanted)
        return (
            None
            if match is None
            else text[: match.start()] + new(match.group()) + text[match.end() :]
        )

    return write


def all_tokens(new: Callable[[str], str], *, changes: Callable[[str], bool]) -> "Writer":
    """A way that writes all tokens of a kind otherwise."""

    def write(value: Any, rng: random.Random) -> str | None:
        text = written(value, rng)
        out = list(text)
        for match in tokens(text):
            if changes(match.group()):
                out[match.start() : match.end()] = [
                    new(match.group()),
                    *[""] * (len(match.group()) - 1),
                ]
        done = "".join(out)
        return None if done == text else done

    return write


def around(form: str) -> "Writer":
    return lambda value, rng: form.replace("@", written(value, rng))


def unclosed(value: Any, rng: random.Random) -> str | None:
    text = written(value, rng).rstrip("]} \n")
    return None if text[-1] in "{[" or text[-1].isdigit() else text


def unclosed_number(value: Any, rng: random.Random) -> str | None:
    text = written(value, rng).rstrip("]} \n")
    return text if text[-1].isdigit() else None


def cut(value: Any, rng: random.Random) -> str:
    text = written(value, rng)
    return text[: rng.randrange(1, len(text))]


def twice(value: Any, rng: random.Random) -> str | None:
    if not value:
        return None
    key = rng.choice(list(value))
    return f"{json.dumps(value)[:-1]}, {json.dumps(key)}: {json.dumps(value[key])}}}"


def bare_keys(value: Any, rng: random.Random) -> str | None:
    text = written(value, rng)
    done = re.sub(r'(?<=[{,\n] )"([A-Za-z_]\w*)":|(?<=\{)"([A-Za-z_]\w*)":', r"\1\2:", text)
    return None if done == text else done


def comment(value: Any, rng: random.Random) -> str | None:
    text = json.dumps(value, indent=2)
    lines = text.splitlines()
    if len(lines) < 3:
        return None
    at = rng.randrange(1, len(lines))
    lines[at - 1] += "  // as the user said"
    return "\n".join(lines)


def typographic(value: Any, rng: random.Random) -> str | None:
    text = written(value, rng)
    if "\\" in text or "“" in text or "”" in text:
        return None
    return re.sub(r'"([^"]*)"', "“\\1”", text)


def with_fraction(value: Any, rng: random.Random) -> str:
    """JSON in which large integers are written with a fraction or an exponent."""

    def spelled(found: re.Match[str]) -> str:
        digits = found.group()
        forms = (
            f"{digits}.0",
            f"{digits}e0",
            f"{digits}00E-2",
            f"{digits[0]}.{digits[1:]}e{len(digits) - 1}",
        )
        return rng.choice(forms)

    return re.sub(r"(?<![\d.\"])\d{16,}(?![\d.eE\"])", spelled, written(value, rng))


_is_text = re.compile(r'".*"', re.DOTALL).fullmatch
_is_number = re.compile(r"-?\d.*").fullmatch

TEXTS: Mapping[str, Writer] = {
    "fence": around("```json\n@\n```"),
    "fence in prose": around("Here you are:\n\n```json\n@\n```\n\nI hope this helps."),
    "prose": around("I will call the function with @ now."),
    "call": around("call_function(@);"),
    "trailing comma": spliced(lambda token: token == "}", lambda _: ",}"),
    "line comment": comment,
    "block comment": spliced(lambda token: token == ",", lambda _: ", /* next */"),
    "Python": lambda value, _: repr(value),
    "single quotes": all_tokens(lambda token: f"'{token[1:-1]}'", changes=lambda token: bool(_is_text(token)) and "'" not in token and "\\" not in token),
    "Python's words": all_tokens(lambda token: {"true": "True", "false": "False", "null": "None"}[token], changes=lambda token: token in ("true", "false", "null")),
    "keys without quotes": bare_keys,
    "typographic quotes": typographic,
    "line feed in a string": lambda value, rng: written(value, rng).replace("\\n", "\n"),
    "encoded twice": lambda value, rng: json.dumps(written(value, rng)),
    "encoded twice, the quotes lost": lambda value, rng: json.dumps(written(value, rng))[1:-1],
    "unclosed brackets": unclosed,
    "a bracket too many": around("@}"),
    "unclosed number": unclosed_number,
    "unclosed string": spliced(lambda token: bool(_is_text(token)), lambda token: token[:-1]),
    "cut": cut,
    "missing comma": spliced(lambda token: token == ",", lambda _: ""),
    "missing colon": spliced(lambda token: token == ":", lambda _: ""),
    "missing quotes": spliced(lambda token: bool(_is_text(token)), lambda token: token[1:-1]),
    "missing opening bracket": spliced(lambda token: token in ("{", "["), lambda _: ""),
    "a key twice": twice,
    "two values": around("@\n@"),
    "NaN": spliced(lambda token: bool(_is_number(token)), lambda _: "NaN"),
    "number with more behind it": spliced(lambda token: bool(_is_number(token)), lambda token: f"{token}kg"),
    "ellipsis": spliced(lambda token: token == ",", lambda _: ", ...,"),
    "whole number beyond 2^53": with_fraction,
    "whole number beyond 2^64": with_fraction,
}  # fmt: skip

# -- what becomes of it ---------------------------------------------------------------------------

#: Restored: silently, to the original. Incomplete: to a part of it, and it says so. Answered: a failure that names
#: the place, or the value around it, or only something else. Changed: into something that is not the original.
FATES = (
    "restored",
    "incomplete",
    "answered",
    "answered around",
    "answered elsewhere",
    "changed",
)


def same(left: Any, right: Any) -> bool:
    """Whether two values are the same JSON: ``1`` is ``1.0`` and not ``true``."""
    return canonical(left) == canonical(right)


def canonical(value: Any) -> str:
    def plain(item: Any) -> Any:
        if isinstance(item, dict):
            return {key: plain(each) for key, each in item.items()}
        if isinstance(item, list):
            return [plain(each) for each in item]
        return int(item) if isinstance(item, float) and item.is_integer() else item

    return json.dumps(plain(value), sort_keys=True)


def damage(function: Function, value: Any, way: str, rng: random.Random) -> Damaged | None:
    """Damage the valid arguments of a function in one way; ``None`` where they cannot be."""
    if way in PREPARED:
        value = prepared(function, value, PREPARED[way], rng)
        if value is None:
            return None
    if way in TEXTS:
        text = TEXTS[way](value, rng)
        return None if text is None or text == json.dumps(value) else Damaged(value, text)
    proposals = BY_SCHEMA[way](function, value) if way in BY_SCHEMA else VALUES[way](value, rng)
    found = list(proposals)
    rng.shuffle(found)
    for place, sent in found[:TRIES]:
        if not function.validate(sent):
            return Damaged(value, sent, (place, respelt(place)))
    return None


def damages(
    function: Function, value: Any, way: str, rng: random.Random, most: int | None = None
) -> Iterator[Damaged]:
    """Damage the valid arguments of a function in one way: once, or at every place.

    Args:
        function: the function.
        value: the arguments.
        way: one of ``WAYS``.
        rng: makes choices.
        most: the most places at which a way of ``EVERYWHERE`` damages; all where ``None``.
    """
    if way in EVERYWHERE:
        found = [*EVERYWHERE[way](function, value, rng)]
        yield from found if most is None else rng.sample(found, min(most, len(found)))
        return
    damaged = damage(function, value, way, rng)
    if damaged is not None:
        yield damaged


#: Proposes damaged arguments of a function.
Everywhere: TypeAlias = Callable[[Function, Any, random.Random], Iterator[Damaged]]


def too_early(bracket: str) -> Everywhere:
    """A way that writes a closing bracket too many, at every place."""

    def propose(_: Function, value: Any, rng: random.Random) -> Iterator[Damaged]:
        text = written(value, rng)
        for match in tokens(text):
            yield Damaged(value, text[: match.end()] + bracket + text[match.end() :])

    return propose


def null_anywhere(function: Function, value: Any, rng: random.Random) -> Iterator[Damaged]:
    """Null at every place of the arguments, and at every absent one, where the function does not take it."""
    proposals = [*null_for_something(value, rng), *of_absent(function, value)]
    for place, sent in proposals:
        if not function.validate(sent):
            yield Damaged(without_null(function, sent, place), sent, (place,))


def without_null(function: Function, sent: Any, place: Place) -> Any:
    """What null at a place may become: nothing, where it can only mean that; else it has to stay."""
    if type(place[-1]) is not str or (place[0] == "body" and not creates(function)):
        return sent
    left = without(sent, place)
    return left if function.validate(left) else sent


def creates(function: Function) -> bool:
    """Whether a function posts to a collection, and not a merge patch."""
    last = re.split(r"[?#]", function.path)[0].rstrip("/").rpartition("/")[2]
    body = function.route.body
    merges = body is not None and "merge-patch" in body.media_type.lower()
    return function.method == "post" and not re.search(r"\{|^:", last) and not merges


def wrapped(form: Callable[[Function, Any], Any], *, own: bool) -> Everywhere:
    """A way that writes a whole call where its arguments belong; of another function it has to stay."""

    def propose(function: Function, value: Any, _: random.Random) -> Iterator[Damaged]:
        sent = form(function, value)
        yield Damaged(value if own else sent, sent, ((),))

    return propose


EVERYWHERE: Mapping[str, Everywhere] = {
    "a closing brace too early": too_early("}"),
    "a closing square bracket too early": too_early("]"),
    "two closing braces too early": too_early("}}"),
    "null anywhere": null_anywhere,
    "wrapped in its call": wrapped(lambda f, value: {"name": f.name, "arguments": value}, own=True),
    "wrapped in its call, as a text": wrapped(
        lambda f, value: json.dumps({"name": f.name, "arguments": json.dumps(value)}), own=True
    ),
    "wrapped in another call": wrapped(
        lambda _, value: {"name": "another_one", "arguments": value}, own=False
    ),
    "wrapped in more than a call": wrapped(
        lambda f, value: {"id": "c1", "name": f.name, "arguments": value}, own=False
    ),
}


def of_absent(function: Function, value: Any) -> Iterator[tuple[Place, Any]]:
    """Null for optional properties that were not given."""
    for place, name in named_but_absent(function, value, lambda node: node is not False):
        sent = put(value, place, {**at(value, place), name: None})
        yield from (
            ((*place, name), sent) for _ in [0] if not is_unknown(function, sent, (*place, name))
        )


def of_read_only(function: Function, value: Any) -> Iterator[tuple[Place, Any]]:
    """Values for properties that a request must not hold."""
    for place, name in named_but_absent(function, value, lambda node: node is False):
        sent = put(value, place, {**at(value, place), name: "x"})
        yield from (
            ((*place, name), sent) for _ in [0] if is_refused(function, sent, (*place, name))
        )


def of_needed(function: Function, value: Any) -> Iterator[tuple[Place, Any]]:
    """Null for properties that cannot be left out."""
    for place, sent in null_for_something(value, random.Random(0)):
        if type(place[-1]) is not str or not function.validate(without(value, place)):
            yield place, sent


def of_another_branch(function: Function, value: Any) -> Iterator[tuple[Place, Any]]:
    """The tag of another alternative."""
    for place, item in places(value):
        if place and type(item) is str:
            outcome = function.validate(put(value, place, "zzz"))
            for problem in getattr(outcome, "errors", ()):
                if problem.path == input_path(place) and "alternative" in (
                    problem.description or ""
                ):
                    for tag in problem.expected.split(" | "):
                        yield place[:-1], put(value, place, tag.strip('"'))


def of_strings_in_a_string(function: Function, value: Any) -> Iterator[tuple[Place, Any]]:
    """Objects as strings in which integers are strings, too, where those cannot be meant."""
    for place, item in places(value):
        if place and type(item) is dict:
            texts = {key: str(each) if type(each) is int else each for key, each in item.items()}
            if texts == item or not function.validate(put(value, place, texts)):
                yield place, put(value, place, json.dumps(texts))


BY_SCHEMA: Mapping[str, Callable[[Function, Any], Iterator[tuple[Place, Any]]]] = {
    "null for what is absent": of_absent,
    "null for what is needed": of_needed,
    "object as a string, its numbers as strings": of_strings_in_a_string,
    "a readOnly property": of_read_only,
    "the tag of another branch": of_another_branch,
}


WAYS = (*TEXTS, *VALUES, *BY_SCHEMA, *EVERYWHERE)


def named_but_absent(
    function: Function, value: Any, wanted: Callable[[Any], bool]
) -> Iterator[tuple[Place, str]]:
    """The objects of a value with names that the schema has somewhere and they have not."""
    names = list(dict.fromkeys(_names(function, wanted)))[:50]
    for place, item in places(value):
        if type(item) is dict:
            yield from ((place, name) for name in names if name not in item)


def is_unknown(function: Function, sent: Any, place: Place) -> bool:
    return any(expected == "undefined" for expected, _ in said(function, sent, place))


def is_refused(function: Function, sent: Any, place: Place) -> bool:
    return any("must not be given" in more for _, more in said(function, sent, place))


def said(function: Function, sent: Any, place: Place) -> Iterator[tuple[str, str]]:
    """What is said of one place."""
    for problem in getattr(function.validate(sent), "errors", ()):
        if problem.path == input_path(place):
            yield problem.expected, problem.description or ""


def at(value: Any, place: Place) -> Any:
    for token in place:
        value = value[token]
    return value


def prepared(function: Function, value: Any, way: Way, rng: random.Random) -> Any:
    """Valid arguments that hold something; ``None`` if they cannot."""
    found = list(way(value, rng))
    rng.shuffle(found)
    return next((sent for _, sent in found[:TRIES] if function.validate(sent)), None)


def respelt(place: Place) -> Place:
    """A place whose last key is in the other case: what is missing where a property is misspelt."""
    *above, last = place or ("",)
    return (*above, last.swapcase() if isinstance(last, str) else last) if place else place


def _names(function: Function, wanted: Callable[[Any], bool]) -> Iterator[str]:
    """The names of the properties that some object of the arguments may have or must not have."""
    waiting: list[Any] = [function.validator]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            properties = node.get("properties")
            if isinstance(properties, dict):
                yield from (name for name, inner in properties.items() if wanted(inner))
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)


def fate(damaged: Damaged, outcome: Success | Failure) -> str:
    """What became of damaged arguments."""
    if isinstance(outcome, Success):
        if same(outcome.data, damaged.original):
            return "restored"
        return "incomplete" if outcome.incomplete else "changed"
    if not damaged.places:
        return "answered"
    paths = [problem.path for problem in outcome.errors]
    wanted = [input_path(place) for place in damaged.places]
    if any(
        each == path or each.startswith((f"{path}.", f"{path}["))
        for each in paths
        for path in wanted
    ):
        return "answered"
    return (
        "answered around"
        if any(path.startswith(each) for each in paths for path in wanted)
        else "answered elsewhere"
    )
