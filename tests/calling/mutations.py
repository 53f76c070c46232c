"""Names as models get them wrong: kinds of mutation of a function's name."""

import random
import re
from collections.abc import Iterator

from specfn import Function

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

#: Kinds that are repaired: separators, letter case, wrapping, and the document's own names.
REPAIRED = (
    "dots dashes slashes spaces doubled joined lower upper camel snake kebab prefixed nested quoted backticks called "
    "channel constrain accessor place operation numbered namespaced_number ended hosted"
).split()

#: Kinds that only lead to suggestions, or mean several functions.
SUGGESTED = "dropped changed inserted swapped cut bare".split()

#: Kinds that never resolve: letters, digits and marks of other scripts, and arguments behind the name.
FOREIGN = "cyrillic lookalike han digit superscript fullwidth kelvin mark dotless".split()
GLUED = "call_arguments json_arguments query_arguments text_argument".split()

#: Changed verbs: never another function's business.
VERBS = {
    "get": "erase",
    "erase": "get",
    "post": "put",
    "put": "post",
    "patch": "post",
    "head": "get",
}


def mutations(function: Function, seed: int = 0) -> Iterator[tuple[str, str]]:
    """Yield each kind of mutation with the mutated name, without those that change nothing."""
    name, accessor = function.name, function.accessor
    place = random.Random(f"{seed} {name}").randrange(1, max(2, len(name) - 1))
    letter = "x" if name[place : place + 1] != "x" else "y"
    made = {
        "dots": name.replace("_", "."),
        "dashes": name.replace("_", "-"),
        "slashes": name.replace("_", "/"),
        "spaces": name.replace("_", " "),
        "doubled": name.replace("_", "__"),
        "joined": name.replace("_", ""),
        "lower": name.lower(),
        "upper": name.upper(),
        "camel": "".join(part[:1].upper() + part[1:] for part in name.split("_")),
        "snake": "_".join(word.lower() for word in _WORD.findall(name)),
        "kebab": "-".join(word.lower() for word in _WORD.findall(name)),
        "prefixed": f"functions.{name}",
        "nested": f"multi_tool_use.functions.{name}",
        "quoted": f'"{name} "',
        "backticks": f"`{name}`",
        "called": f"{name}()",
        "channel": f"{name}<|channel|>commentary",
        "constrain": f"functions.{name} <|constrain|>json",
        "numbered": f"{name}:0",
        "namespaced_number": f"functions.{name}:12",
        "ended": f"{name}</s>",
        "hosted": f"mcp__my_shop__{name}",
        "accessor": ".".join(accessor),
        "place": f"{function.method.upper()} {function.path}",
        "operation": function.operation_id or name,
        "dropped": name[:place] + name[place + 1 :],
        "changed": name[:place] + letter + name[place + 1 :],
        "inserted": name[:place] + letter + name[place:],
        "swapped": name[: place - 1]
        + name[place : place + 1]
        + name[place - 1]
        + name[place + 1 :],
        "cut": name[: max(3, len(name) * 4 // 5)],
        "bare": accessor[-1],
        "verb": _verb(function),
        **_foreign(name, place),
        "call_arguments": f'{name}(older_than="2020")',
        "json_arguments": f'functions.{name}{{"id": 1}}',
        "query_arguments": f"{name}?id=1",
        "text_argument": f"{name}(all)",
    }
    yield from ((kind, mutated) for kind, mutated in made.items() if mutated != name)


def _foreign(name: str, place: int) -> dict[str, str]:
    """Return the name with a letter, digit or mark that ASCII does not have."""
    head, letter, tail = name[:place], name[place], name[place + 1 :]
    wide = chr(ord(letter) + 0xFEE0)
    return {
        "cyrillic": f"{name}\N{CYRILLIC SMALL LETTER SHORT I}",
        "lookalike": f"{head}\N{CYRILLIC SMALL LETTER A}{tail}",
        "han": f"{head}\u65e5{letter}{tail}",
        "digit": f"{head}{letter}\N{ARABIC-INDIC DIGIT THREE}{tail}",
        "superscript": f"{name}\N{SUPERSCRIPT TWO}",
        "fullwidth": f"{head}{wide}{tail}" if letter.isalnum() else f"{name}\uff41",
        "kelvin": _replaced(name, "k", "\N{KELVIN SIGN}"),
        "mark": f"{head}{letter}\N{COMBINING ACUTE ACCENT}{tail}",
        "dotless": _replaced(name, "i", "\N{LATIN SMALL LETTER DOTLESS I}"),
    }


def _replaced(name: str, letter: str, other: str) -> str:
    return name.replace(letter, other, 1) if letter in name else f"{name}{other}"


def _verb(function: Function) -> str:
    """Return the name with another verb, or unchanged if its last element was cut."""
    name, last = function.name, function.accessor[-1]
    for verb, other in VERBS.items():
        if last.startswith(verb) and name.endswith(last):
            return name[: len(name) - len(last)] + other + last[len(verb) :]
    return name
