"""Digests: what tells names and contents apart, the same on every run."""


def digest(told: str | bytes) -> str:
    """The SHA-256 in hexadecimal; of a text, that of its UTF-8, lone surrogates included."""
    from hashlib import sha256  # noqa: PLC0415  # few documents need it, and it costs more than a small one

    data = told if isinstance(told, bytes) else told.encode("utf-8", "surrogatepass")
    return sha256(data).hexdigest()


def mark(told: str | bytes) -> str:
    """The first six digits, which follow a name that is not free or not legal."""
    return digest(told)[:6]
