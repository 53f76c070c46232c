"""Python values that are no JSON and raise, lie or return nonsense wherever something is asked of them."""

from collections.abc import Callable
from typing import Any, NoReturn


class RefusalError(Exception):
    """Raised by whatever is asked of a hostile value."""


def explode(*_: Any, **__: Any) -> NoReturn:
    raise RefusalError


def exits(*_: Any, **__: Any) -> NoReturn:
    raise SystemExit


_METHODS = (
    *("eq", "ne", "lt", "le", "gt", "ge", "hash", "len", "iter", "next", "bool", "repr", "str"),
    *("format", "bytes", "int", "float", "index", "complex", "contains", "getitem", "call"),
    *(
        "add",
        "mul",
        "mod",
        "neg",
        "abs",
        "reversed",
        "length_hint",
        "reduce_ex",
        "copy",
        "deepcopy",
    ),
    *("instancecheck", "subclasscheck", "dir", "sizeof", "fspath", "enter", "exit", "buffer"),
)
_NAMES = (
    *("keys", "values", "items", "get", "pop", "update", "copy", "encode", "decode", "strip"),
    *(
        "isascii",
        "startswith",
        "bit_length",
        "is_integer",
        "append",
        "read",
        "tell",
        "seek",
        "name",
    ),
)


def methods(raise_: Callable[..., Any]) -> dict[str, Any]:
    return {**{f"__{name}__": raise_ for name in _METHODS}, **dict.fromkeys(_NAMES, raise_)}


class Meta(type):
    """A metaclass that answers nothing."""

    __hash__ = __eq__ = __repr__ = __str__ = __call__ = explode  # type: ignore[assignment]
    __instancecheck__ = __subclasscheck__ = __dir__ = __bool__ = __len__ = explode

    def __getattribute__(cls, name: str) -> Any:
        raise RefusalError


def subclass(base: type, raise_: Callable[..., Any]) -> Any:
    """Return an instance of a subclass of a JSON type that overrides everything."""
    return base.__new__(type("Hostile", (base,), methods(raise_)))


def with_attributes(answer: Any) -> Any:
    """Return an object that answers any attribute it does not have in one way."""
    return type("Asked", (), {"__getattr__": answer})()


def lying(claimed: Any) -> Any:
    """Return an object that claims to be of another class, or raises when it is asked."""
    return type("Liar", (), {"__class__": property(claimed)})()


def with_meta(**members: Any) -> Any:
    made = type.__call__(Meta, "Made", (), members)
    return object.__new__(made)


def keyed(name: str, **members: Any) -> dict[Any, Any]:
    """Return members beside a key that has the hash of a name, and raises when it is hashed or compared again."""
    harmless = {"__hash__": lambda _: hash(name), "__eq__": lambda *_: False}
    kind = type("Key", (), {**methods(explode), **harmless})
    made = {kind(): 1, **members}
    kind.__hash__ = kind.__eq__ = explode  # type: ignore[assignment]
    return made


def _file(content: Any, name: Any = None) -> Any:
    members = {
        "read": lambda _: content, "tell": lambda _: 0, "seek": lambda *_: 0, "name": name,
    }  # fmt: skip
    return type("FileLike", (), members)()


class Lazy:
    """Answers every attribute with itself, and every call likewise."""

    def __getattr__(self, name: str) -> Any:
        return self

    def __call__(self, *_: Any, **__: Any) -> Any:
        return self


#: Made anew for each use.
VALUES: dict[str, Callable[[], Any]] = {
    "raises for every method": type("Bomb", (), methods(explode)),
    "ends the process for every method": type("Bomb", (), methods(exits)),
    "raises for missing attributes": lambda: with_attributes(explode),
    "ends the process for missing attributes": lambda: with_attributes(exits),
    "answers every attribute with itself": Lazy,
    "raises for all attributes": lambda: object.__new__(
        type("Closed", (), {"__getattribute__": explode})
    ),
    "ends the process for all attributes": lambda: object.__new__(
        type("Closed", (), {"__getattribute__": exits})
    ),
    "raises when asked for its class": lambda: lying(explode),
    "claims to be an object": lambda: lying(lambda _: dict),
    "claims to be a text": lambda: lying(lambda _: str),
    "claims to be bytes": lambda: lying(lambda _: bytes),
    "a metaclass that raises": with_meta,
    "a metaclass that raises, attributes, too": lambda: with_meta(__getattr__=explode),
    "a class with such a metaclass": lambda: type.__call__(Meta, "Made", (), {}),
    **{
        f"a hostile {base.__name__}": lambda base=base: subclass(base, explode)  # type: ignore[misc]
        for base in (dict, list, str, int, float, bytes, bytearray, tuple, set)
    },
    "a dict whose items raise": lambda: type("D", (dict,), {"items": explode})(a=1),
    "a dict whose items end the process": lambda: type("D", (dict,), {"items": exits})(a=1),
    "a list that does not iterate": lambda: type("L", (list,), {"__iter__": explode})([1]),
    "a file that reads text": lambda: _file("text"),
    "a file that reads nonsense": lambda: _file(with_meta()),
    "a file with a name that raises": lambda: _file(b"x", property(explode)),
    "a file with a hostile name": lambda: _file(b"x", subclass(str, explode)),
    "a key that collides": lambda: keyed("query", a=1),
    "a key that collides in a group": lambda: {"query": keyed("q", q=float("nan"))},
    "a key that collides in a body": lambda: {"a": keyed("c", c=float("nan"))},
    "a hostile key": lambda: keyed("zz", body=keyed("b")),
    "an integer of 5,000 digits": lambda: 10**5_000,
    "integers of many digits": lambda: [10**5_000, {"a": -(10**700)}],
    "a set of such": lambda: {10**5_000},
    "a lone surrogate": lambda: "\ud800",
    "not a number": lambda: float("nan"),
}  # fmt: skip
