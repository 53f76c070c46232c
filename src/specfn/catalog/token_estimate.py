"""What text costs a model, roughly: no provider counts as another, and none of them offline."""

#: Bytes of compact JSON in one token, as measured on lists of tools; prose has more, other scripts have fewer.
BYTES_PER_TOKEN = 4


def estimate(size: int) -> int:
    """The tokens of so many bytes of compact JSON, rounded up. An estimate: within a third for lists of tools."""
    return -(-size // BYTES_PER_TOKEN)
