"""Sizes of functions, one by one and in total, and the limits that they exceed."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from specfn._internal.json import JsonObject, dumps, loads
from specfn.function.function import Function
from specfn.migrate.migrate import operations
from specfn.schema.profiles.profile import Profile
from specfn.schema.walk import LISTS, SINGLES
from specfn.tools.fit_cache import FitCache
from specfn.tools.function_set import AdvertisedFunction
from specfn.tools.token_estimate import estimate
from specfn.tools.tool import MANY_TOKENS, Tool
from specfn.tools.tool_builder import ToolBuilder
from specfn.tools.tool_description import provider_description

#: A callback after each measured function; receives the number of functions before it.
Progress = Callable[[int], object]

#: Texts for exceeded limits, by ``what``.
OVER_TEXTS: Final = {
    "depth": "parameters nested {value:,} deep, limit {limit:,}",
    "description": "a description of {value:,} characters, limit {limit:,}",
    "functions": "{value:,} in one request, limit {limit:,}",
    "name": "the name is not accepted: {limit}",
    "parameters_bytes": "parameters of {value:,} bytes, limit {limit:,}",
    "properties": "{value:,} properties, limit {limit:,}",
    "tokens": "about {value:,} tokens, limit {limit:,}",
}

#: The figures that are summed over all functions.
_SUMS: Final = ("parameters_bytes", "output_bytes", "tool_bytes", "tokens", "properties", "edits")

#: Keywords with schemas by name, and the other keywords with schemas.
_MAPS: Final = frozenset({"properties", "patternProperties", "$defs"})
_NESTED: Final = frozenset((*LISTS, *SINGLES))


class ToolMeter:
    """A meter of the tools that are sent to one provider, without its limit on the number of tools."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._fits = FitCache()
        self._builder = ToolBuilder(replace(profile, tools=None), self._fits)

    def measure(self, function: Function) -> JsonObject:
        """Return the figures of one function, of its tool as the provider receives it.

        ``parameters_bytes``, ``output_bytes`` and ``tool_bytes`` are bytes of compact JSON; ``tool_bytes`` includes name,
        description and parameters. ``tokens`` is an estimate from it, at four bytes per token. ``depth`` is the deepest
        nesting of objects and arrays, and ``properties`` the number of properties at all depths. ``edits`` is the number
        of differences between the function and the document. ``over`` lists the exceeded limits of the profile and the options, as
        ``{"what", "value", "limit"}``. A function that the provider refuses is measured as it is.

        Args:
            function: the function; of a separated function, the model's part is measured.
        """
        shown = function.model_function
        edits = len(shown.edits)  # before the schemas, which are then of the same rendering
        own, output = shown.schemas.as_json
        tool = self._builder.build(AdvertisedFunction(name=function.name, function=function))
        if isinstance(tool, Tool):
            parameters = dumps(tool.fit.schema)
            text = provider_description(shown.full_description, tool.fit, function)
            description = tool.description
        else:
            parameters, text, description = own, shown.description, shown.description
        self._fits.release(shown)
        told = len(dumps({"name": shown.name, "description": description, "parameters": None}))
        size = told - len("null") + len(parameters)
        depth, properties = _shape(loads(parameters))
        figures: JsonObject = {
            "name": function.name,
            "accessor": ".".join(function.accessor),
            "method": function.method,
            "path": function.path,
            "safety": function.safety,
            "deprecated": function.deprecated,
            "parameters_bytes": len(parameters),
            "output_bytes": None if output is None else len(output),
            "tool_bytes": size,
            "tokens": estimate(size),
            "depth": depth,
            "properties": properties,
            "edits": edits,
        }
        return {**figures, "over": [*_over(shown, len(text), figures, self._profile)]}


def _over(
    function: Function, characters: int, figures: JsonObject, profile: Profile
) -> Iterator[JsonObject]:
    """Yield the exceeded limits; ``characters`` is the length of the description before it is shortened."""
    strict = profile.strict
    for what, value, limit in (
        ("description", characters, profile.description_limit),
        ("depth", figures["depth"], profile.nesting if strict is None else strict.nesting),
        ("properties", figures["properties"], None if strict is None else strict.properties),
        ("parameters_bytes", figures["parameters_bytes"], function.schemas.settings.schema_budget),
    ):
        if limit is not None and value > limit:
            yield {"what": what, "value": value, "limit": limit}
    if not re.fullmatch(profile.tool_name, function.name):
        yield {"what": "name", "value": function.name, "limit": profile.tool_name}


def _shape(schema: Any) -> tuple[int, int]:
    """Return the deepest nesting of objects and arrays, and the number of properties."""
    deepest = properties = 0
    waiting: list[tuple[Any, int]] = [(schema, 0)]
    while waiting:
        node, depth = waiting.pop()
        if isinstance(node, list):
            waiting += [(item, depth) for item in node]
        if not isinstance(node, dict):
            continue
        depth += "properties" in node or node.get("type") in ("object", "array")
        deepest = max(deepest, depth)
        properties += len(node.get("properties", ()))
        for key, inner in node.items():
            if key in _MAPS:
                below = 0 if key == "$defs" else depth
                waiting += [(item, below) for item in inner.values()]
            elif key in _NESTED:
                waiting.append((inner, depth))
    return deepest, properties


def report(
    functions: Sequence[Function],
    document: JsonObject,
    profile: Profile,
    *,
    errors: int,
    notes: int,
    progress: Progress = id,
) -> JsonObject:
    """Return the figures of all functions: totals, and those of each function under ``each``.

    ``operations`` is the sum of ``functions``, ``errors``, and ``left_out`` by ``Options.select``. Webhooks and
    callbacks are operations that a server calls, and ``x-ms-paths`` an extension for paths with a query; these are counted
    separately (rule R1).

    Args:
        functions: the functions of the application.
        document: the normalized document.
        profile: the profile whose limits are checked.
        errors: the number of operations that could not be migrated.
        notes: the number of notes.
        progress: is called after each measured function.
    """
    each = []
    meter = ToolMeter(profile)
    for index, function in enumerate(functions):
        each.append(meter.measure(function))
        progress(index)
    count = sum(1 for _ in operations(document))
    counts: JsonObject = {
        "operations": count,
        "functions": len(functions),
        "errors": errors,
        "left_out": count - len(functions) - errors,
        "webhooks": _count(document.get("webhooks")),
        "x-ms-paths": _count(document.get("x-ms-paths")),
        "callbacks": sum(_count(callback) for callback in _callbacks(document)),
        "notes": notes,
        **{key: sum(item[key] or 0 for item in each) for key in _SUMS},
        "depth": max((item["depth"] for item in each), default=0),
        "safety": _safeties(functions),
    }
    return {**counts, "over": [*_over_all(counts, profile)], "each": each}


def _over_all(counts: JsonObject, profile: Profile) -> Iterator[JsonObject]:
    """Yield the limits of a request that all functions together exceed."""
    for what, value, limit in (
        ("functions", counts["functions"], profile.tools),
        ("tokens", counts["tokens"], MANY_TOKENS),
    ):
        if limit is not None and value > limit:
            yield {"what": what, "value": value, "limit": limit}


def _safeties(functions: Sequence[Function]) -> dict[str, int]:
    counts = dict.fromkeys(("read", "write", "destructive"), 0)
    for function in functions:
        counts[function.safety] += 1
    return counts


def _callbacks(document: JsonObject) -> Iterator[Any]:
    for operation in operations(document):
        yield from _dict(_dict(operation.raw).get("callbacks")).values()


def _count(items: Any) -> int:
    """Return the number of operations in a map of path items."""
    return sum(1 for _ in operations({"paths": _dict(items)}))


def _dict(value: Any) -> JsonObject:
    return value if isinstance(value, dict) else {}
