"""The overview of an application: each function and each operation error in one short row."""

from importlib.metadata import version
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.application.application import Application
from specfn.connectors import registry
from specfn.function.function import Function
from specfn.records import members
from specfn.schema.profiles.profile import Profile
from specfn.tools.tool import MANY_TOKENS

#: The maximum number of characters of a summary in a row.
_SUMMARY: Final = 160


def overview(application: Application, profile: str, profiles: tuple[str, ...]) -> JsonObject:
    """Return the data of the first list of a page, without composing schemas.

    Args:
        application: the application.
        profile: the name of the profile that is selected first.
        profiles: the names of all profiles.

    Raises:
        UsageError: there is no such profile; with the names that exist.
    """
    info = application.document.get("info")
    info = info if isinstance(info, dict) else {}
    raw = application.raw
    return {
        "generator": f"specfn {version('specfn')}",
        "title": _text(info.get("title")) or "Untitled document",
        "version": _text(info.get("version")),
        "format": f"Swagger {raw['swagger']}"
        if "swagger" in raw
        else f"OpenAPI {raw.get('openapi', '')}",
        "functions": [*map(_row, application.functions)],
        "errors": [*map(members, application.errors)],
        "profile": registry.profile(profile).name,
        "profiles": [_profile(registry.profile(name)) for name in profiles],
        "manyTokens": MANY_TOKENS,
    }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


def _row(function: Function) -> JsonObject:
    summary = function.summary or " ".join(_text(function.operation.get("description")).split())
    return {
        "name": function.name,
        "method": function.method,
        "path": function.path,
        "summary": summary[:_SUMMARY],
        "safety": function.safety,
        "deprecated": function.deprecated,
        "accessor": ".".join(function.accessor),
        "pointer": function.route.pointer,
    }


def _profile(profile: Profile) -> JsonObject:
    return {
        "name": profile.name,
        "tools": profile.tools,
        "descriptionLimit": profile.description_limit,
        "verified": profile.verified,
        "strict": profile.strict is not None,
        "emptyRoot": profile.empty_root,
        "shape": profile.shape,
    }
