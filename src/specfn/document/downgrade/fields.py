"""Rules for single objects and fields of OpenAPI 3.0 that a table cannot express (rule N9)."""

import re
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.document.downgrade.objects import (
    DROP,
    ObjectDowngrade,
    Rule,
    list_of,
    map_of,
    of,
    set_of,
    text,
)
from specfn.document.references.resolve import reference_of

_STATUS: Final = re.compile(r"(?:[1-5](?:[0-9]{2}|XX)|default)\Z")

#: The styles of a parameter by its location (3.0, section Parameter Object).
STYLES: Final[dict[str, frozenset[str]]] = {
    "path": frozenset({"matrix", "label", "simple"}),
    "query": frozenset({"form", "spaceDelimited", "pipeDelimited", "deepObject"}),
    "header": frozenset({"simple"}),
    "cookie": frozenset({"form"}),
}

#: Fields that describe the serialization of a schema. They are not allowed next to ``content``.
_SERIALIZATION: Final = ("style", "explode", "allowReserved", "example", "examples")

#: Methods whose request body readers of 3.0 ignore (3.0, section Operation Object).
_BODILESS: Final = frozenset({"get", "head", "delete"})

# -- relations between fields ---------------------------------------------------------------------


def one_example(walk: ObjectDowngrade, out: JsonObject) -> None:
    """Keep either ``examples`` or ``example`` (3.0, section Media Type Object)."""
    if "example" in out and "examples" in out:
        del out["example"]
        walk.losses.add("OpenAPI 3.0 does not allow `example` next to `examples`", "example")


def _keep_style_and_content(walk: ObjectDowngrade, out: JsonObject, styles: frozenset[str]) -> None:
    """Keep a style of the location, and either a schema or content in one media type."""
    if "style" in out and out["style"] not in styles:
        walk.losses.add(f"OpenAPI 3.0 has no style {out.pop('style')!r} here", "style")
    content = out.pop("content", {})
    if content and "schema" in out:
        walk.losses.add("OpenAPI 3.0 does not allow `content` next to `schema`", "content")
    elif content:
        for key in _SERIALIZATION:
            if key in out:
                del out[key]
                walk.losses.add(f"OpenAPI 3.0 does not allow `{key}` next to `content`", key)
        first, *others = content
        for other in others:
            walk.losses.add("OpenAPI 3.0 allows only one media type here", "content", other)
        out["content"] = {first: content[first]}
    else:
        out.setdefault("schema", {})
    one_example(walk, out)


def parameter(walk: ObjectDowngrade, out: JsonObject) -> str | None:
    """Correct a Parameter Object: check its location, and require a path parameter."""
    where = out.get("in")
    if where is not None and where not in STYLES:
        return f"OpenAPI 3.0 has no parameters in {where[:40]!r}"
    if where == "path":
        out["required"] = True
    _keep_style_and_content(walk, out, STYLES.get(where or "", frozenset()))
    return None


def header(walk: ObjectDowngrade, out: JsonObject) -> None:
    """Correct a Header Object."""
    _keep_style_and_content(walk, out, STYLES["header"])


def example(_: ObjectDowngrade, out: JsonObject) -> None:
    """Correct an Example Object."""
    if "dataValue" in out:  # the name that 3.2 gives to most uses of `value`
        out.setdefault("value", out.pop("dataValue"))


def response(_: ObjectDowngrade, out: JsonObject) -> None:
    """Add the description that a Response Object must have."""
    out.setdefault("description", "")


def operation(_: ObjectDowngrade, out: JsonObject) -> None:
    """Add the response that an Operation Object must have."""
    if all(status.startswith("x-") for status in out.get("responses", ())):
        out["responses"] = {**out.get("responses", {}), "default": {"description": ""}}


def info(_: ObjectDowngrade, out: JsonObject) -> None:
    """Add the title and version that the Info Object must have."""
    out.setdefault("title", "")
    out.setdefault("version", "")


def link(walk: ObjectDowngrade, out: JsonObject) -> None:
    """Keep one of the two fields by which a Link Object names its operation."""
    if "operationId" in out and "operationRef" in out:
        del out["operationRef"]
        walk.losses.add(
            "OpenAPI 3.0 does not allow `operationRef` next to `operationId`", "operationRef"
        )


def oauth_flow(_: ObjectDowngrade, out: JsonObject) -> None:
    """Add the scopes that an OAuth Flow Object must have."""
    out.setdefault("scopes", {})


def http(walk: ObjectDowngrade, out: JsonObject) -> None:
    """Correct a Security Scheme Object of the type ``http``."""
    if "bearerFormat" in out and out.get("scheme", "").lower() != "bearer":
        del out["bearerFormat"]
        walk.losses.add("OpenAPI 3.0 has `bearerFormat` for bearer tokens only", "bearerFormat")


# -- rules of single fields -----------------------------------------------------------------------


def of_method(method: str) -> Rule:
    """Return the rule for the operation of a method."""

    def rule(walk: ObjectDowngrade, value: Any) -> Any:
        new = walk.downgrade_object("operation", value)
        if new is None:
            return DROP
        if method in _BODILESS and "requestBody" in new and not walk.is_native:
            reason = f"readers of OpenAPI 3.0 ignore the body of a {method.upper()} request"
            walk.losses.add(reason, "requestBody")
        return new

    return rule


def paths(walk: ObjectDowngrade, value: Any) -> Any:
    """Write the Paths Object: keys that begin with a slash, and extensions."""
    if not isinstance(value, dict):
        return DROP
    out: JsonObject = {}
    for path, item in value.items():
        if path.startswith("/"):
            new = walk.member(of("pathItem"), item, path)
            if new is not DROP:
                out[path] = new
        elif path.startswith("x-"):
            out[path] = item
        else:
            walk.losses.add("a path begins with a slash in OpenAPI 3.0", path)
    return out


def responses(walk: ObjectDowngrade, value: Any) -> Any:
    """Write a Responses Object, by status."""
    if not isinstance(value, dict):
        return DROP
    out: JsonObject = {}
    for status, item in value.items():
        name = status.upper() if _STATUS.match(status.upper()) else status
        if _STATUS.match(name):
            new = walk.member(of("response"), item, status)
            if new is not DROP:
                out[name] = new
        elif name.startswith("x-"):
            out[name] = item
        else:
            walk.losses.add("OpenAPI 3.0 has no such status", status)
    return out


def callback(walk: ObjectDowngrade, value: Any) -> Any:
    """Write a Callback Object, by expression."""
    if reference_of(value) is not None:
        return of("reference")(walk, value)
    return map_of(of("pathItem"))(walk, value)


def requirement(walk: ObjectDowngrade, value: Any) -> Any:
    """Write a Security Requirement Object without the schemes that 3.0 does not have."""
    if not isinstance(value, dict):
        return DROP
    out = {}
    for name, scopes in value.items():
        if name in walk.lost_schemes:
            reason = "OpenAPI 3.0 cannot express this security scheme: the requirement is left out"
            walk.losses.add(reason, name)
        else:
            new = walk.member(list_of(text), scopes, name)
            out[name] = [] if new is DROP else new
    return out


def security_scheme(walk: ObjectDowngrade, value: Any) -> Any:
    """Write a Security Scheme Object, whose fields depend on its type."""
    kind = value.get("type") if isinstance(value, dict) else None
    if kind in ("apiKey", "http", "oauth2", "openIdConnect"):
        return of(kind)(walk, value)
    if reference_of(value) is not None:
        return of("reference")(walk, value)
    walk.losses.add(f"OpenAPI 3.0 has no security scheme of the type {str(kind)[:40]!r}")
    return DROP


def parameters(walk: ObjectDowngrade, value: Any) -> Any:
    """Write a list of parameters. Equal dangling references are merged, because 3.0 requires distinct items."""
    alike = isinstance(value, list) and sum(reference_of(item) is not None for item in value) > 1
    return (set_of if alike else list_of)(of("parameter"))(walk, value)


def webhooks(walk: ObjectDowngrade, value: Any) -> Any:
    """Record each webhook as a loss: 3.0 has no webhooks."""
    for name in value if isinstance(value, dict) else ():
        walk.losses.add("OpenAPI 3.0 has no `webhooks`", name)
    return DROP
