"""The names of all profiles and connectors, as the error for an unknown one lists them."""

import re
from collections.abc import Callable
from typing import Any, Final

import specfn


def _listed(look_up: Callable[[str], Any]) -> tuple[str, ...]:
    try:
        look_up("none of them")
    except specfn.UsageError as error:
        listed = re.search(r"must be one of ([\w, -]+)", str(error))
        assert listed is not None
        return tuple(listed[1].split(", "))
    raise AssertionError("an unknown name was accepted")


PROFILES: Final = _listed(specfn.connectors.profile)
CODECS: Final = _listed(specfn.connectors.codec)
