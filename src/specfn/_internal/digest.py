"""Digests of names and contents, which are equal in every run."""


def digest(told: str | bytes) -> str:
    """Return the SHA-256 in hexadecimal. A text is encoded as UTF-8, including lone surrogates."""
    from hashlib import sha256  # noqa: PLC0415  # few documents need it, and it costs more than a small one

    data = told if isinstance(told, bytes) else told.encode("utf-8", "surrogatepass")
    return sha256(data).hexdigest()


def mark(told: str | bytes) -> str:
    """Return the first six digits of the digest, as a suffix for a name."""
    return digest(told)[:6]
