"""The operations and servers that tests/http is tested with, for attacks on the same code."""

from tests.http.conftest import (  # noqa: F401  # fixtures
    declare,
    declare_answer,
    declare_body,
    http,
    loopback,
    make,
    other,
)
