"""What a caller may configure: checked, frozen pydantic models that refuse unknown fields."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal

import httpx
from pydantic import BaseModel, ConfigDict, Field, SecretStr

from specfn.settings import Presence, Safety, Settings

#: A credential: the value itself, or a callable that gives it when a request is made.
Credential = SecretStr | Callable[[], str] | Callable[[], Awaitable[str]]
