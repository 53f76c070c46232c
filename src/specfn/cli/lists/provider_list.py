"""A list of tools as a provider accepts it."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

from specfn._internal.json import dumps
from specfn.cli import output
from specfn.cli.lists.cut import Cut, named
from specfn.cli.progress import Progress
from specfn.connectors import registry
from specfn.errors import LimitError
from specfn.schema.profiles.profile import Profile
from specfn.tools.fit_cache import FitCache
from specfn.tools.function_set import AdvertisedFunction
from specfn.tools.tool import MANY_TOKENS, LeftOut, Tools
from specfn.tools.tool_builder import build_tools

#: The options that shorten a list.
_SHORTER = "--select, --search or --max-tokens"


def provider_tools(cut: Cut, name: str, budget: int | None, progress: Progress) -> Tools:
    """Build the tools of a profile.

    Args:
        cut: the functions.
        name: the name of the profile.
        budget: the maximum number of tokens of the list. Schemas are truncated first. Then functions are left out.
        progress: receives the number of built tools.

    Raises:
        LimitError: there are more tools than the provider accepts in one request.
        UsageError: there is no such profile.
    """
    profile = registry.profile(name)
    if budget is None:
        _check_count(len(cut.functions), profile)
    entries = (AdvertisedFunction(name=each.name, function=each) for each in cut.functions)
    unlimited = replace(profile, tools=None)
    found = build_tools(
        entries, unlimited, fits=FitCache(), budget_tokens=budget, progress=progress.composed
    )
    _check_count(len(found.tools), profile)
    return found


def _check_count(count: int, profile: Profile) -> None:
    most = profile.tools
    if most is not None and count > most:
        raise LimitError(
            f"{count:,} functions are more than the {most:,} tools that {profile.name} accepts in one request; "
            f"choose fewer with {_SHORTER}"
        )


def written(found: Tools) -> Iterator[bytes]:
    """Yield a list as JSON, with one tool per line."""
    if not found.entries:
        yield b"[]\n"
        return
    group = found.profile.group
    yield b"[" if group is None else b"[\n{" + dumps(group) + b":["
    for count, entry in enumerate(found.entries):
        yield (b",\n" if count else b"\n") + output.json_printable(dumps(entry))
    yield b"\n]\n" if group is None else b"\n]}\n]\n"


def refused(found: Tools) -> Iterator[str]:
    """Yield a message for each reason why the provider refuses functions."""
    others = sorted((each for each in found.left_out if each.code != "budget"), key=_reason)
    for reason, same in groupby(others, _reason):
        names = [each.function for each in same]
        yield f"{found.profile.name} refuses {len(names):,} functions ({named(names)}): {reason}"


def _reason(item: LeftOut) -> str:
    return item.reason


def too_large(found: Tools) -> str:
    """Return a warning about a list that is too large for most models; empty for any other list."""
    if found.tokens <= MANY_TOKENS:
        return ""
    return (
        f"the list has about {found.tokens:,} tokens; most models choose badly above {MANY_TOKENS:,}: "
        f"cut it by {_SHORTER}"
    )
