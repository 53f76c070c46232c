"""Names and addresses of hosts, and of mailboxes there (RFC 1123, 4291, 5321, 5890 to 5892, 6531)."""

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Final

_LABEL: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?", re.ASCII)
_ATOM: Final = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LOCAL: Final = re.compile(
    rf'{_ATOM}(?:\.{_ATOM})*|"(?:[ !\x23-\x5b\x5d-\x7e]|\\[ -~])*"', re.ASCII
)
_WIDE: Final = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~\x80-\U0010ffff-]+"
_LOCAL_WIDE: Final = re.compile(
    rf'{_WIDE}(?:\.{_WIDE})*|"(?:[ !\x23-\x5b\x5d-\x7e\x80-\U0010ffff]|\\[ -~])*"'
)

#: The dots of names in scripts that have others (RFC 3490, section 3.1).
_DOTS: Final = re.compile("[.\u3002\uff0e\uff61]")


def is_ipv4(text: str) -> bool:
    """Four numbers without leading zeros."""
    try:
        IPv4Address(text)
    except AddressValueError:
        return False
    return True


def is_ipv6(text: str) -> bool:
    """An address without a zone."""
    if "%" in text:
        return False
    try:
        IPv6Address(text)
    except AddressValueError:
        return False
    return True


def is_hostname(text: str) -> bool:
    """Labels of letters, digits and hyphens; those that begin with ``xn--`` must stand for what may be a label."""
    if len(text) > 253:
        return False
    return all(
        _LABEL.fullmatch(label) and (label[2:4] != "--" or _decodes(label))
        for label in text.split(".")
    )


def is_idn_hostname(text: str) -> bool:
    """The same with letters of all scripts, as far as IDNA allows them."""
    return bool(text) and _is_idn(text)


def is_email(text: str) -> bool:
    """A mailbox: a name, ``@``, and a host or an address in brackets."""
    return _is_mailbox(text, _LOCAL, wide=False)


def is_idn_email(text: str) -> bool:
    """The same with letters of all scripts."""
    return _is_mailbox(text, _LOCAL_WIDE, wide=True)


def _is_mailbox(text: str, local: re.Pattern[str], *, wide: bool) -> bool:
    name, at, host = text.rpartition("@")
    if not at or len(name.encode()) > 64 or local.fullmatch(name) is None:
        return False
    if host.startswith("[") and host.endswith("]"):
        return _is_literal(host[1:-1])
    return is_hostname(host) or (wide and is_idn_hostname(host))


def _is_literal(text: str) -> bool:
    if text[:5].lower() == "ipv6:":
        return is_ipv6(text[5:])
    return is_ipv4(text)


def _decodes(label: str) -> bool:
    """Whether a label with two hyphens in the third place stands for one that IDNA allows."""
    if label[:2].lower() != "xn":
        return False
    import idna  # noqa: PLC0415 - a large table, for few names

    try:
        idna.ulabel(label)
    except (idna.IDNAError, UnicodeError):
        return False
    return True


def _is_idn(text: str) -> bool:
    import idna  # noqa: PLC0415 - likewise

    try:
        encoded = [
            idna.alabel(idna.uts46_remap(label, std3_rules=True)) for label in _DOTS.split(text)
        ]
    except (idna.IDNAError, UnicodeError):
        return False
    return sum(map(len, encoded)) + len(encoded) - 1 <= 253
