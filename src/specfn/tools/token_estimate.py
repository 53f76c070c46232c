"""Estimate of tokens: providers count differently, and not offline."""

from collections.abc import Sequence

#: The bytes of compact JSON per token, measured on lists of tools; prose has more, other scripts have fewer.
BYTES_PER_TOKEN = 4


def estimate(size: int) -> int:
    """Return an estimate of the tokens of compact JSON, rounded up; within a third for lists of tools."""
    return -(-size // BYTES_PER_TOKEN)


def beyond_budget(
    tokens: Sequence[int], is_deprecated: Sequence[bool], budget: int
) -> frozenset[int]:
    """Return the places of the functions to leave out: the last ones first, deprecated ones before all others.

    Args:
        tokens: the tokens of each function.
        is_deprecated: for each function, whether it is deprecated.
        budget: the maximum number of tokens of all functions that are kept.
    """
    total = sum(tokens)
    dropped = []
    for place in sorted(range(len(tokens)), key=lambda place: (not is_deprecated[place], -place)):
        if total <= budget:
            break
        total -= tokens[place]
        dropped.append(place)
    return frozenset(dropped)
