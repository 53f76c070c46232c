"""Check of functions against the limits of a provider."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from specfn.function.function import Function
from specfn.schema.profiles.profile import Profile
from specfn.schema.profiles.refusals import refusals
from specfn.tools.fit_cache import FitCache
from specfn.tools.function_set import AdvertisedFunction
from specfn.tools.tool import LeftOut, LeftOutCode
from specfn.tools.tool_builder import Progress, build_tools
from specfn.tools.tool_description import provider_description

#: The codes of findings; ``docs/records.md`` describes each.
FindingCode: TypeAlias = Literal["description", "name"] | LeftOutCode


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A violation of a provider's limits by a function.

    Attributes:
        function: the name of the function; empty for a finding about the whole list.
        code: a short stable word: a code of ``Refusal``, or a code for names, descriptions and the list.
        pointer: a JSON Pointer to the violation, beginning with the part of the tool; empty for the tool itself.
        reason: the reason, one sentence.
        mended: whether ``Application.tools`` corrects the violation and sends the function.
    """

    function: str
    code: FindingCode
    pointer: str
    reason: str
    mended: bool


def check(
    functions: Sequence[Function],
    profile: Profile,
    fits: FitCache,
    progress: Progress | None = None,
) -> Iterator[Finding]:
    """Yield the violations of a provider's limits, function by function, in the document's order.

    Args:
        functions: the functions.
        profile: the profile of the provider.
        fits: the cache of fitted schemas.
        progress: receives the number of fitted functions, and the number of all.
    """
    most = profile.tools
    if most is not None and len(functions) > most:
        reason = (
            f"there are {len(functions):,} functions, but one request accepts {most}: select fewer"
        )
        yield Finding(function="", code="count", pointer="", reason=reason, mended=False)
    unlimited = replace(profile, tools=None)
    entries = (AdvertisedFunction(name=each.name, function=each) for each in functions)
    listed = build_tools(entries, unlimited, fits=fits, progress=progress)
    left_out = {item.function: item for item in listed.left_out}
    texts = {
        tool.function.name: provider_description(
            tool.function.full_description, tool.fit, tool.function
        )
        for tool in listed.tools
    }
    for function in functions:
        gone = left_out.get(function.name)
        text = texts.get(function.name, function.description)
        for code, pointer, reason in _violations(function, text, profile):
            yield Finding(
                function=function.name,
                code=code,
                pointer=pointer,
                reason=reason,
                mended=gone is None,
            )
        if gone is not None:
            yield _left_out_finding(gone)


def _left_out_finding(item: LeftOut) -> Finding:
    return Finding(
        function=item.function, code=item.code, pointer="", reason=item.reason, mended=False
    )


def _violations(
    function: Function, description: str, profile: Profile
) -> Iterator[tuple[FindingCode, str, str]]:
    """Yield the violations of a function's name, description and parameters: code, pointer, reason.

    ``description`` is the one that is sent, before it is shortened to the limit.
    """
    if not re.fullmatch(profile.tool_name, function.name):
        reason = (
            f"the name has {len(function.name)} characters, or characters that are not accepted"
        )
        yield "name", "/name", reason
    length, limit = len(description), profile.description_limit
    if limit is not None and length > limit:
        reason = f"the description has {length:,} characters; {limit:,} are accepted"
        yield "description", "/description", reason
    shown: Any = function.model_function.schemas.parameters
    if isinstance(shown, dict):
        for refusal in refusals(shown, profile):
            yield refusal.code, f"/parameters{refusal.pointer}", refusal.reason
    else:
        yield "root", "/parameters", "the parameters are a list, which no provider accepts"
