"""What a provider would refuse of functions as they are, before it does."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from specfn.catalog.tools.build import subjects, tools
from specfn.catalog.tools.fit_cache import Fits
from specfn.catalog.tools.tools import LeftOut, LeftOutCode, offered
from specfn.function.function import Function
from specfn.schema.profiles.lint import refusals
from specfn.schema.profiles.profile import Profile

#: What a provider may refuse of a list of tools; ``docs/records.md`` tells each.
FindingCode: TypeAlias = Literal["description", "name"] | LeftOutCode


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that a provider would refuse.

    Attributes:
        function: the function's name; empty for what concerns all of them.
        code: a short stable word; those of ``Refusal``, and what concerns names, descriptions and the list.
        pointer: JSON Pointer of the place, beginning with the part of the tool; empty for the tool itself.
        reason: one sentence.
        mended: whether ``Application.tools`` sends the function all the same, with what is refused mended.
    """

    function: str
    code: FindingCode
    pointer: str
    reason: str
    mended: bool


def check(functions: Sequence[Function], profile: Profile, fits: Fits) -> Iterator[Finding]:
    """What the provider would refuse, function by function, in the document's order."""
    most = profile.tools
    if most is not None and len(functions) > most:
        reason = f"there are {len(functions):,} functions, and {most} are taken in one request: select some"
        yield Finding(function="", code="count", pointer="", reason=reason, mended=False)
    listed = tools(subjects(functions), replace(profile, tools=None), fits=fits)
    left_out = {item.function: item for item in listed.left_out}
    for function in functions:
        gone = left_out.get(function.name)
        for code, pointer, reason in _refused(function, profile):
            yield Finding(
                function=function.name,
                code=code,
                pointer=pointer,
                reason=reason,
                mended=gone is None,
            )
        if gone is not None:
            yield _left_out(gone)


def _left_out(item: LeftOut) -> Finding:
    return Finding(
        function=item.function, code=item.code, pointer="", reason=item.reason, mended=False
    )


def _refused(function: Function, profile: Profile) -> Iterator[tuple[FindingCode, str, str]]:
    """What is refused of a function's name, description and parameters: code, pointer, reason."""
    if not re.fullmatch(profile.tool_name, function.name):
        reason = f"the name has {len(function.name)} characters, or one that is not accepted"
        yield "name", "/name", reason
    length, limit = len(function.description), profile.description_limit
    if limit is not None and length > limit:
        reason = f"the description has {length:,} characters; {limit:,} are accepted"
        yield "description", "/description", reason
    shown: Any = offered(function).schemas.parameters
    if isinstance(shown, dict):
        for refusal in refusals(shown, profile):
            yield refusal.code, f"/parameters{refusal.pointer}", refusal.reason
    else:
        yield "root", "/parameters", "the parameters are a list, which no provider takes"
