"""A short run of each fuzzed entry: its seeds, and inputs made of them with fixed seeds."""

import random
from functools import partial

import pytest
from tests.effort import examples
from tests.fuzz.entries import ENTRIES, damage, mutate, run


@pytest.mark.parametrize("name", ENTRIES)
def test_no_input_breaks_a_law(name: str) -> None:
    """The law of each entry holds for its seeds, and for texts and JSON that were damaged once or several times."""
    entry, rng = ENTRIES[name], random.Random(name)
    seeds = entry.seeds()
    for seed in rng.sample(seeds, min(len(seeds), examples(100))):
        run(entry, seed)
    for _ in range(examples(600)):
        data = rng.choice(seeds)
        for _ in range(rng.randint(1, 4)):
            data = mutate(entry, data, rng, partial(damage, rng=rng))
        run(entry, data)
