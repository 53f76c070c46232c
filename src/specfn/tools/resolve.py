"""Resolution of the name in a model's call to an advertised function (rule C4).

Names are keys of a table and are never split. A name that differs from an advertised one only in separators, letter
case or a wrapper is repaired. A name that differs in a letter only leads to suggestions, because the nearest name
often belongs to another function.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, TypeAlias

from specfn._internal.did_you_mean import SimilarNames
from specfn.errors import wrong_result
from specfn.function.function_schemas import FunctionInterface
from specfn.function.naming import exact_handles, normalize_handle
from specfn.tools import spelling

Status: TypeAlias = Literal["exact", "repaired", "ambiguous", "unknown", "not_advertised"]
How: TypeAlias = Literal["exact", "hook", "cleaned", "alias", "separator"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """The result of resolving a name.

    Attributes:
        called: the name that the model sent.
        status: ``exact`` or ``repaired`` if a function was found; otherwise the reason.
        name: the advertised name of the function, or ``None``.
        how: the repair; ``exact`` if the name needed no repair; ``None`` if no function was found.
        candidates: the advertised names that match or resemble the name; at most three for an unknown name.
        arguments_in_name: an unknown name with arguments written behind it, as in ``items_erase(id=1)``.
    """

    called: str
    status: Status
    name: str | None = None
    how: How | None = None
    candidates: tuple[str, ...] = ()
    arguments_in_name: bool = False


#: A caller's own resolution: returns an advertised name or a function, or ``None`` to continue with the next step.
Hook: TypeAlias = Callable[[str], "str | FunctionInterface | None"]

#: A longer text is not repaired, and no name is suggested for the rest of it.
_LONGEST: Final = 512


class Directory:
    """A directory of functions by their names and other handles."""

    def __init__(self, functions: Iterable[tuple[str, FunctionInterface]]) -> None:
        """Create a directory from pairs of an advertised name and its function; the names are unique."""
        self._names: dict[str, FunctionInterface] = dict(functions)
        self._handles: dict[str, set[str]] = {}
        for name, function in self._names.items():
            for handle in exact_handles(function):
                self._handles.setdefault(handle, set()).add(name)

    def resolve(
        self,
        called: str,
        *,
        advertised: Collection[str] | None = None,
        hooks: Sequence[Hook] = (),
    ) -> Resolution:
        """Resolve the name that a model sent.

        Args:
            called: the name that the model sent.
            advertised: the names that the model was offered; all if ``None``. Other names are never found or suggested.
            hooks: the caller's own resolutions, used after the exact look-up and before any repair.
        """
        offered = self._names.keys() if advertised is None else self._names.keys() & advertised
        hidden = False
        for how, known in self._steps(called, hooks, offered):
            matching = known.intersection(offered)
            if len(matching) > 1:
                candidates = tuple(sorted(matching))
                return Resolution(called=called, status="ambiguous", candidates=candidates)
            if matching:
                status: Status = "exact" if how == "exact" else "repaired"
                return Resolution(called=called, status=status, name=matching.pop(), how=how)
            hidden = hidden or bool(known)
            if known and how == "hook":  # the caller's resolution is final
                break
        return self._suggest_names(called, offered, "not_advertised" if hidden else "unknown")

    def _steps(
        self, called: str, hooks: Sequence[Hook], offered: Collection[str]
    ) -> Iterator[tuple[How, set[str]]]:
        """Yield the names that each step finds; the first step that finds an offered name decides."""
        yield "exact", {called} & self._names.keys()
        for hook in hooks:
            yield "hook", self._ask_hook(hook, called)
        exact = self._exact(called)
        if not exact.isdisjoint(offered):
            exact = exact | self._similar.get(spelling.letters(called), set())
        yield _repair_of([called], exact), exact
        if len(called) <= _LONGEST:
            for rare in (False, True):
                texts = spelling.unwrap(called, rare=rare)
                matching: set[str] = set()
                for text in texts:
                    matching |= self._keys.get(spelling.fold(text), set())
                yield _repair_of(texts, matching), matching

    def names_for(self, called: str) -> set[str]:
        """Return the names of the functions, advertised or not, that a text names with the fewest repairs."""
        exact = ({called} & self._names.keys()) | self._exact(called)
        if exact or len(called) > _LONGEST:
            return exact
        texts = (*spelling.unwrap(called), *spelling.unwrap(called, rare=True))
        matching = (self._keys.get(spelling.fold(text)) for text in texts)
        return next(filter(None, matching), set())

    def _exact(self, called: str) -> set[str]:
        """Return the names of the functions with exactly this handle."""
        names = self._handles.get(called, set())
        return names | self._handles.get(normalize_handle(called), set())

    @cached_property
    def _similar(self) -> dict[str, set[str]]:
        """The names by their letters alone."""
        index: dict[str, set[str]] = {}
        for name in self._names:
            index.setdefault(spelling.letters(name), set()).add(name)
        return index

    @cached_property
    def _keys(self) -> dict[str, set[str]]:
        """The names by the foldings of all their handles."""
        index: dict[str, set[str]] = {}
        for handle, names in (*((name, {name}) for name in self._names), *self._handles.items()):
            for key in spelling.lookup_keys(handle):
                index.setdefault(key, set()).update(names)
        return index

    def _ask_hook(self, hook: Hook, called: str) -> set[str]:
        target = hook(called)
        if target is None:
            return set()
        if isinstance(target, str):
            return {target} & self._names.keys()
        if not isinstance(getattr(target, "name", None), str):
            raise wrong_result(
                "a hook of NamePolicy", target, "an advertised name, a function, or None"
            )
        return {name for name, function in self._names.items() if function is target}

    # -- no function ---------------------------------------------------------------------------------

    def _suggest_names(self, called: str, offered: Collection[str], status: Status) -> Resolution:
        head = spelling.without_arguments(called[:_LONGEST])
        return Resolution(
            called=called,
            status=status,
            candidates=self._suggest(called[:_LONGEST] if head is None else head, offered),
            arguments_in_name=head is not None,
        )

    def _suggest(self, text: str, offered: Collection[str]) -> tuple[str, ...]:
        """Return at most three offered names: those that a text resolves to, else those that look like it."""
        for _, known in self._steps(text, (), offered):
            matching = known.intersection(offered)
            if matching:
                return tuple(sorted(matching))[:3]
        return self._similar_names.nearest(spelling.unwrap(text, rare=True)[-1], offered)

    @cached_property
    def _similar_names(self) -> SimilarNames:
        return SimilarNames(self._names)


def _repair_of(texts: Sequence[str], names: Collection[str]) -> How:
    """Return the repair that leads from a text, as it is and without its wrapper, to names."""
    if texts[-1] in names:
        return "cleaned"
    similar = {spelling.letters(text) for text in texts}
    return "separator" if any(spelling.letters(name) in similar for name in names) else "alias"
