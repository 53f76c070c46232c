"""Both engines: what is decided must not depend on which one is installed."""

import sys
from collections.abc import Iterator

import pytest

from specfn.validation import engine


@pytest.fixture(scope="module", params=["rust", "python"])
def each_engine(request: pytest.FixtureRequest) -> Iterator[str]:
    """Decide by one engine and then by the other, for which jsonschema-rs is not found."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "python":
            patch.setitem(sys.modules, "jsonschema_rs", None)
        engine.engine.cache_clear()
        assert engine.engine("auto").name == request.param
        yield request.param
    engine.engine.cache_clear()
