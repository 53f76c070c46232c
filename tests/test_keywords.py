"""Keyword arguments of the public API that do not exist, or that are given twice."""

import asyncio
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pydantic import BaseModel

import specfn
from specfn import bulk, calling, connectors
from specfn.application.bound import Bound, BoundFunction

#: Records that specfn makes, and callers read; and the base of all choices.
MADE = {
    *(
        "Success",
        "Failure",
        "Counts",
        "ApprovalRequest",
        "CallContext",
        "CallRecord",
        "Resolution",
        "Round",
    ),
    *("Answer", "Ask", "Choice", "Done", "Invoke", "PendingCall", "Send"),
    *("Checked", "Decided", "Ended", "Executed", "Replied", "Requested", "Resolved"),
}


def _constructors_and_functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    for package in (specfn, bulk, calling, connectors):
        for name in package.__all__:
            member = getattr(package, name)
            is_error = isinstance(member, type) and issubclass(member, Exception)
            if (
                name not in MADE
                and not is_error
                and (inspect.isclass(member) or inspect.isfunction(member))
            ):
                yield name, member


def _methods(kind: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    own = [part for part in reversed(kind.__mro__) if part.__module__.startswith("specfn.")]
    members = {name: each for part in own for name, each in vars(part).items()}
    for name, member in members.items():
        if not name.startswith("_") and inspect.isfunction(inspect.unwrap(getattr(kind, name))):
            is_bound = isinstance(member, classmethod)
            method = getattr(kind, name)
            yield f"{kind.__name__}.{name}", method if is_bound else _on_nothing(kind, method)


def _on_nothing(kind: type, method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method with an empty object that it must not touch."""

    def call(*args: Any, **named: Any) -> Any:
        found = method(kind.__new__(kind), *args, **named)
        return asyncio.run(found) if inspect.iscoroutine(found) else found

    parameters = [*inspect.signature(method).parameters.values()][1:]
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return call


CLASSES = (
    *(specfn.Application, specfn.Function, specfn.Result, BoundFunction, Bound),
    *(calling.Catalog, calling.Session, calling.PromptSettings, calling.Outcome),
)
PUBLIC: dict[str, Callable[..., Any]] = dict(_constructors_and_functions()) | {
    name: method for kind in CLASSES for name, method in _methods(kind)
}


def _options(name: str) -> list[str]:
    """Return the names of the arguments that can be given as keywords."""
    kind = PUBLIC[name]
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return [*kind.model_fields]
    parameters = inspect.signature(kind).parameters.values()
    if any(each.kind is each.VAR_KEYWORD for each in parameters):
        return []
    return [
        each.name
        for each in parameters
        if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)
    ]


def _call(called: str, /, *args: Any, **named: Any) -> str:
    """Return the text of the UsageError that a call raises."""
    with pytest.raises(specfn.UsageError) as caught:
        _finished(PUBLIC[called](*args, **named))
    return str(caught.value)


def _finished(found: Any) -> None:
    if inspect.iscoroutine(found):
        asyncio.run(found)


def _is_positional(name: str, option: str) -> bool:
    parameter = inspect.signature(PUBLIC[name]).parameters.get(option)
    return parameter is not None and parameter.kind is parameter.POSITIONAL_OR_KEYWORD


OPTIONS = [(name, option) for name in PUBLIC for option in _options(name)]


@pytest.mark.parametrize(("name", "option"), OPTIONS)
def test_a_mistyped_keyword_is_a_usage_error_with_the_closest_name(name: str, option: str) -> None:
    """For each keyword argument of the public API, the error names the function, the word and the right name."""
    text = _call(name, **{f"{option}x": None})
    assert f"{name} has no " in text
    assert repr(f"{option}x") in text
    assert repr(option) in text


@pytest.mark.parametrize(
    ("name", "option"),
    [(name, option) for name, option in OPTIONS if _is_positional(name, option)],
)
def test_a_repeated_keyword_is_a_usage_error(name: str, option: str) -> None:
    """An argument that is given by position and by name raises UsageError, which names it."""
    names = [*inspect.signature(PUBLIC[name]).parameters]
    text = _call(name, *[None] * (names.index(option) + 1), **{option: None})
    assert text == (
        f"{name} has two values of the argument {option!r}: pass it by position or by name, not both"
    )


def test_the_calls_of_the_public_api_are_covered() -> None:
    """The functions that callers use most are among those that are tested."""
    assert {
        *("execute", "aexecute", "propagate", "apropagate", "request", "load", "run", "Session"),
        *("Application.tools", "Application.bind", "Application.execute", "Application.aexecute"),
        *("Connection", "Options", "BoundFunction.answer", "Result.for_model", "Approve"),
    } <= {name for name, _ in OPTIONS}


def test_type_checkers_and_readers_see_the_signatures() -> None:
    """The check hides neither parameters nor that a function is a coroutine function."""
    assert [*inspect.signature(specfn.execute).parameters] == [
        *("function", "arguments", "connection", "stream"),
    ]
    assert inspect.iscoroutinefunction(specfn.Application.aexecute)
    assert not inspect.iscoroutinefunction(specfn.Application.execute)
