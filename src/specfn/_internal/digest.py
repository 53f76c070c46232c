"""Digests of names and contents, which are equal in every run."""


def digest(content: str | bytes) -> str:
    """Return the SHA-256 in hexadecimal. A text is encoded as UTF-8, including lone surrogates."""
    from hashlib import sha256  # noqa: PLC0415  # few documents need it, and it costs more than a small one

    data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    return sha256(data).hexdigest()


def short_digest(content: str | bytes) -> str:
    """Return the first six digits of the digest, which make a name unique."""
    return digest(content)[:6]
