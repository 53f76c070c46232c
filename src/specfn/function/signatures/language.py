"""The languages of signatures."""

from typing import Final, Literal, TypeAlias, get_args

Language: TypeAlias = Literal["python", "typescript"]
LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)
