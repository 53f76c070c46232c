"""Base of the records that a caller configures: pydantic models that raise ``UsageError``."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    Self,
    TypeAlias,
    TypeVar,
    get_args,
    get_type_hints,
)

from pydantic import AliasChoices, BaseModel, GetPydanticSchema, ValidationError

from specfn._internal.did_you_mean import ask_or_list
from specfn._internal.tracebacks import without_locals
from specfn.errors import UsageError

#: pydantic's names of the members of a union, which it appends to the place of a fault.
_MEMBER: Final = re.compile(
    r"(callable|str|int|float|bool|bytes|none)\Z|(literal|tuple|list|set|dict|constrained-\w+|function-\w+)\b"
)

#: The words with which most texts of pydantic begin.
_MUST: Final = "Input should be "

#: Texts of pydantic that do not show what to write.
_PLAIN: Final = {
    "Input should be a valid dictionary": 'Input should be a mapping, such as {"name": "value"}'
}

_T = TypeVar("_T")

#: The maximum number of faults that one error lists.
_MAX_FAULTS: Final = 5

#: pydantic's type of the fault of an unknown field: of a model, of a dataclass.
_UNKNOWN: Final = frozenset({"extra_forbidden", "unexpected_keyword_argument"})


def store_as(kind: Any) -> GetPydanticSchema:
    """Return an annotation of a field that accepts more types than it stores: validate as ``kind``."""
    return GetPydanticSchema(lambda _, handler: handler(kind))


#: Texts in any sequence, stored as a tuple.
Texts: TypeAlias = Annotated[Sequence[str], store_as(tuple[str, ...])]


class Model(BaseModel):
    """A pydantic model that raises ``UsageError`` where pydantic raises ``ValidationError``.

    As a field of another pydantic model it is validated as usual, and its faults are collected there. Fields with
    ``kw_only=False`` are also accepted by position.
    """

    #: What to write instead of a word that is not a field, where the words do not resemble each other.
    instead_of: ClassVar[Mapping[str, str]] = {}

    @without_locals
    def __init__(self, /, *given: Any, **data: Any) -> None:
        if given:
            data = _by_name(type(self), given, data)
        valid(type(self).__name__, type(self), lambda: super(Model, self).__init__(**data))

    # pydantic calls an ``__init__`` without this mark for nested models, too, and could not collect their faults.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @classmethod
    @without_locals
    def model_validate(cls, obj: Any, **how: Any) -> Self:
        """Return the record of a mapping or an object."""
        return valid(cls.__name__, cls, lambda: super(Model, cls).model_validate(obj, **how))

    @classmethod
    @without_locals
    def model_validate_json(cls, json_data: str | bytes | bytearray, **how: Any) -> Self:
        """Return the record of a JSON text."""
        return valid(
            cls.__name__, cls, lambda: super(Model, cls).model_validate_json(json_data, **how)
        )

    @without_locals
    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy with changed fields. They are validated as in the constructor; pydantic would not do this.

        Raises:
            UsageError: a field does not exist, or its value is invalid.
        """
        if not update:
            return super().model_copy(deep=deep)
        given = {name: getattr(self, name) for name in self.model_fields_set}
        record = type(self)(**{**given, **update})
        names = {
            *update,
            *(record.model_fields_set - self.model_fields_set),
        } & record.model_fields_set
        return super().model_copy(update={name: getattr(record, name) for name in names}, deep=deep)


def _by_name(
    kind: type[BaseModel], given: Sequence[Any], data: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the fields of a constructor with its arguments by position, as Python binds them."""
    names = [name for name, field in kind.model_fields.items() if field.kw_only is False]
    if len(given) > len(names):
        order = f"{', '.join(names)} by position, and the others by name" if names else "by name"
        raise TypeError(f"{kind.__name__}() has its fields {order}")
    positional = dict(zip(names, given, strict=False))
    twice = next((name for name in positional if name in data), None)
    if twice is not None:
        raise TypeError(f"{kind.__name__}() got multiple values for {twice!r}")
    return {**positional, **data}


def valid(name: str, kind: Any, build: Callable[[], _T]) -> _T:
    """Return the result of ``build``, with pydantic's error as a ``UsageError``, which names the record of the caller.

    Raises:
        UsageError: it is not valid; the text has no values.
    """
    try:
        return build()
    except ValidationError as error:
        faults = error.errors(include_input=False, include_url=False, include_context=False)
    # Raised here, so that it does not refer to pydantic's error, which contains values.
    raise UsageError("; ".join(_texts(name, kind, faults)))


def _texts(name: str, kind: Any, faults: Sequence[Any]) -> Iterator[str]:
    """Yield a sentence for each place. For a field with unknown names, report only the faults of these names."""
    unknown = {fault["loc"][0] for fault in faults if fault["type"] in _UNKNOWN}
    texts: list[str] = []
    places: dict[tuple[str, ...], list[str]] = {}
    for fault in faults:
        place = fault["loc"]
        if fault["type"] in _UNKNOWN:
            owner, kinds = _owner(kind, place[:-1])
            known = [word for record in kinds for word in _field_names(record)]
            word = str(place[-1])
            instead = next(filter(None, (_instead(record, word) for record in kinds)), None)
            hint = f"; write {instead}" if instead else ask_or_list(word, known)
            texts.append(f"{'.'.join([name, *owner])} has no field {str(place[-1])!r}{hint}")
        elif not unknown.intersection(place[:1]):
            places.setdefault(_without_member(kind, place), []).append(fault["msg"])
    texts += [
        f"{'.'.join([name, *place])}: {_join_texts(messages)}" for place, messages in places.items()
    ]
    yield from texts[:_MAX_FAULTS]
    if len(texts) > _MAX_FAULTS:
        yield f"and {len(texts) - _MAX_FAULTS} more"


def _instead(record: Any, word: str) -> str | None:
    """Return the field of a record that replaces a word from another library, such as ``verify`` of httpx; else ``None``."""
    known: Mapping[str, str] = getattr(record, "instead_of", {})
    return known.get(word.lower())


def _without_member(kind: Any, place: Sequence[int | str]) -> tuple[str, ...]:
    """Return the place of a fault without the member of the union, so that its members are reported together."""
    words = (*map(str, place),)
    if len(words) < 2:
        return words
    members = {record.__name__ for record in _owner(kind, place[:-1])[1]}
    is_member = words[-1] in members or _MEMBER.match(words[-1]) is not None
    return words[:-1] if is_member else words


def _join_texts(texts: Sequence[str]) -> str:
    """Return the texts of pydantic about one place as one text."""
    messages = [
        *dict.fromkeys(_PLAIN.get(text, text.removeprefix("Value error, ")) for text in texts)
    ]
    if all(text.startswith(_MUST) for text in messages):
        return f"must be {', or '.join(text.removeprefix(_MUST) for text in messages)}"
    return "; or ".join(messages)


def _owner(kind: Any, place: Sequence[int | str]) -> tuple[list[str], list[Any]]:
    """Return the path to a record, without the names of union members, and the classes that it may have."""
    path: list[str] = []
    kinds = [kind]
    for step in place:
        below = [hint for record in kinds if (hint := _hints(record).get(step)) is not None]
        if below:
            path.append(str(step))
            kinds = [record for hint in below for record in _records(hint)]
    return path, kinds


def _records(hint: Any) -> Iterator[Any]:
    """Yield the models and dataclasses in an annotation."""
    if isinstance(hint, type) and (issubclass(hint, BaseModel) or is_dataclass(hint)):
        yield hint
    for argument in get_args(hint):
        yield from _records(argument)


def _hints(kind: Any) -> Mapping[Any, Any]:
    return get_type_hints(kind, include_extras=True)


def _field_names(kind: Any) -> Iterator[str]:
    """Yield the names that a record's fields have, aliases included."""
    if is_dataclass(kind):
        yield from (field.name for field in fields(kind))
        return
    for name, field in kind.model_fields.items():
        yield name
        if isinstance(field.validation_alias, AliasChoices):
            yield from (alias for alias in field.validation_alias.choices if isinstance(alias, str))
