"""T38: ordinary values of a human do not mask anything else in the responses of real APIs."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from specfn.http.masking import Masking
from specfn.records import PrivateValue

#: What people fill in: names, cities, countries, addresses of e-mail with common domains, dates, words and numbers.
VALUES = [
    *("Ann", "Ben", "Maria", "Mohammed", "Alexander", "Elisabeth", "Katharina", "Christopher"),
    *("Anna Müller", "Maria Garcia", "Olumide Adeyemi", "Wei Zhang", "O'Brien", "van der Berg"),
    *("Berlin", "Paris", "Tokyo", "Lagos", "Frankfurt", "Amsterdam", "Barcelona", "Rotterdam"),
    *("Buenos Aires", "Addis Ababa", "Kuala Lumpur", "Germany", "Portugal", "Switzerland"),
    *("gmail.com", "outlook.com", "proton.me", "web.de", "anna.mueller@gmail.com", "ben@web.de"),
    *("2001-02-03", "1984-12-31", "2024-01-31T10:00:00Z", "31.12.1999", "12/31/1999", "23:59"),
    *("42", "1234", "99.95", "12345678.5", "true", "+49 151 23456789", "10115", "yes", "Mrs", "urgent"),
]  # fmt: skip


def examples(node: Any, *, inside: bool = False) -> Iterator[Any]:
    """The examples of the responses of a document."""
    waiting = [(node, inside)]
    while waiting:
        node, inside = waiting.pop()
        if isinstance(node, dict):
            for key, value in node.items():
                if inside and key in ("example", "examples", "default", "enum", "value"):
                    yield value
                waiting.append((value, inside or key in ("responses", "schemas", "definitions")))
        elif isinstance(node, list):
            waiting += [(each, inside) for each in node]


class Filled:
    """A function whose human part is some values, in members that no response has."""

    route = SimpleNamespace(path="/")

    def __init__(self, *values: Any) -> None:
        self._values = values

    def private_values(self, _: Any) -> list[PrivateValue]:
        return [
            PrivateValue(
                name="filled in by a human",
                value=value,
                is_human=True,
                is_secret=False,
                is_common=False,
            )
            for value in self._values
        ]


def test_ordinary_values_mask_nothing(corpus: Path) -> None:
    """T38: a name, a city, a domain or a date of a human is masked in no example of a response of the corpus."""
    masking = Masking(None, Filled(*VALUES))
    assert len(VALUES) == 50
    count = 0
    for path in sorted((corpus / "dev").glob("*.json")):
        for example in examples(json.loads(path.read_bytes())):
            count += 1
            masked = masking.apply(example)
            assert masked is example, (path.name, example, masked)
    assert count > 1_000


def test_telling_values_are_masked() -> None:
    """T38: the values of the census mask nothing because they do not occur or are ordinary, not because nothing is masked."""
    for value in ("Anna Müller", "anna.mueller@gmail.com", "+49 151 23456789", "Buenos Aires"):
        assert value in VALUES
        assert Masking(None, Filled(value)).apply([f"to {value}."]) == ["to **********."]
