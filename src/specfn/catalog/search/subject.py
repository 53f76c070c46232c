"""A function that a search can find."""

from typing import NamedTuple

from specfn.catalog.search.texts import Components
from specfn.function.function import Function


class Subject(NamedTuple):
    """A function that a search can find.

    Attributes:
        name: the name that a model calls.
        function: the function.
        components: the component schemas of its document.
    """

    name: str
    function: Function
    components: Components
