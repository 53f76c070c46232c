"""Estimate of tokens: providers count differently, and not offline."""

#: The bytes of compact JSON per token, measured on lists of tools; prose has more, other scripts have fewer.
BYTES_PER_TOKEN = 4


def estimate(size: int) -> int:
    """Return an estimate of the tokens of compact JSON, rounded up; within a third for lists of tools."""
    return -(-size // BYTES_PER_TOKEN)
