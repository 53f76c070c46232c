"""Rules for the parts of a request: method, path, servers, security, bodies and hidden arguments."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from specfn._internal.json import JsonObject, dumps_sorted, loads
from specfn.comparison.difference import Difference, DifferenceKind, Verdict, brief
from specfn.comparison.matching import anonymous_path, match
from specfn.function.fingerprint import body_parts, scheme_facts
from specfn.function.function import Function
from specfn.migrate.bodies.media_types import is_json
from specfn.migrate.route import Body, Parameter
from specfn.records import ABSENT


def request_changes(old: Function, new: Function) -> Iterator[Difference]:
    """Yield the differences of two operations, except differences of arguments and bodies."""
    for rule in _RULES:
        yield from rule(old, new)


def _plain(
    kind: DifferenceKind, before: Any, after: Any, breaking: Verdict, text: str
) -> Iterator[Difference]:
    if before != after:
        sentence = f"{text} changed from {brief(before)} to {brief(after)}"
        yield Difference("", kind, kind, before, after, breaking, sentence)


def _compare_name(old: Function, new: Function) -> Iterator[Difference]:
    if old.name != new.name:
        sentence = f"the function {old.name} is now called {new.name}"
        yield Difference("", "function-renamed", "name", old.name, new.name, "yes", sentence)


def _compare_method(old: Function, new: Function) -> Iterator[Difference]:
    return _plain("method", old.method.upper(), new.method.upper(), "yes", "the method")


def _compare_path(old: Function, new: Function) -> Iterator[Difference]:
    if anonymous_path(old) != anonymous_path(new):
        yield from _plain("path", old.path, new.path, "yes", "the path")


_SAFETY: Final = ("read", "write", "destructive")


def _compare_safety(old: Function, new: Function) -> Iterator[Difference]:
    is_higher = _SAFETY.index(new.safety) > _SAFETY.index(old.safety)
    return _plain("safety", old.safety, new.safety, "maybe" if is_higher else "no", "the safety")


def _compare_deprecated(old: Function, new: Function) -> Iterator[Difference]:
    if old.deprecated != new.deprecated:
        text = "the function is deprecated" if new.deprecated else "it is no longer deprecated"
        yield Difference("", "deprecated", "deprecated", old.deprecated, new.deprecated, "no", text)


def _compare_description(old: Function, new: Function) -> Iterator[Difference]:
    before, after = old.full_description, new.full_description
    if before != after:
        yield Difference("", "text", "description", before, after, "no", "the description changed")


# -- servers ---------------------------------------------------------------------------------------


def server_changes(old: Sequence[JsonObject], new: Sequence[JsonObject]) -> Iterator[Difference]:
    """Yield the differences of two lists of servers. A call is sent to the first one."""
    before, after = ([*map(_server, servers)] or [_server({})] for servers in (old, new))
    if before == after:
        return
    urls = [server["url"] for server in before], [server["url"] for server in after]
    if before[:1] == after[:1]:
        breaking: Verdict = "no" if all(server in after for server in before) else "maybe"
        sentence = "the other servers changed"
    else:
        breaking = "maybe" if before[0] in after else "yes"
        if urls[0][0] == urls[1][0]:
            shown = [brief(servers[0]["variables"]) for servers in (before, after)]
            text = f"the variables of the server {brief(urls[0][0])} changed"
        else:
            shown, text = [brief(listed[0]) for listed in urls], "the server changed"
        sentence = f"{text} from {shown[0]} to {shown[1]}"
    yield Difference("", "server", "servers", *urls, breaking, sentence, "/servers", "/servers")


def _server(server: JsonObject) -> JsonObject:
    """Return the URL of a server, with the defaults of the variables in it."""
    variables, url = server.get("variables"), server.get("url", "/")
    declared = variables if isinstance(variables, dict) else {}
    defaults = {
        name: node.get("default")
        for name, node in declared.items()
        if isinstance(node, dict) and f"{{{name}}}" in str(url)
    }
    return {"url": url, "variables": defaults}


def _compare_servers(old: Function, new: Function) -> Iterator[Difference]:
    """Yield the difference of servers that an operation declares itself."""
    if old.route.servers or new.route.servers:
        servers = (function.route.servers or function.api.servers for function in (old, new))
        for change in server_changes(*servers):
            yield replace(change, old_pointer=old.route.pointer, new_pointer=new.route.pointer)


# -- security --------------------------------------------------------------------------------------


def _compare_security(old: Function, new: Function) -> Iterator[Difference]:
    before, after = _alternatives(old), _alternatives(new)
    if before.keys() == after.keys():
        return
    is_enough = all(any(needed <= known for needed in after) for known in before)
    breaking: Verdict = "no" if is_enough else "yes"
    values = [*before.values()], [*after.values()]
    text = f"the security requirements changed from {brief(values[0])} to {brief(values[1])}"
    if values[0] == values[1]:
        values = [*map(_schemes, before)], [*map(_schemes, after)]
        text = f"the security schemes changed from {brief(values[0])} to {brief(values[1])}"
    yield Difference("", "security", "security", *values, breaking, text)


def _alternatives(function: Function) -> dict[frozenset[tuple[str, str]], list[str]]:
    """Return the alternative requirements, each as its scopes and schemes, with its text. No list needs nothing."""
    texts: dict[frozenset[tuple[str, str]], list[str]] = {}
    for requirement in function.security or ((),):
        facts: set[tuple[str, str]] = set()
        for name, scopes in requirement:
            scheme = dumps_sorted([name, scheme_facts(function.api, name)]).decode()
            facts |= {(scheme, ""), *((scheme, scope) for scope in scopes)}
        texts[frozenset(facts)] = [
            f"{name}({', '.join(scopes)})" if scopes else name for name, scopes in requirement
        ]
    return texts


def _schemes(requirement: frozenset[tuple[str, str]]) -> list[Any]:
    """Return the names and the definitions of the schemes of a requirement."""
    return [loads(scheme) for scheme, scope in sorted(requirement) if not scope]


# -- hidden arguments ------------------------------------------------------------------------------


def _compare_hidden(old: Function, new: Function) -> Iterator[Difference]:
    """Yield the differences of the arguments that the connection sets."""
    matched = match(old.route.hidden, new.route.hidden, (_place_of,))
    for parameter in matched.removed:
        yield _change_of_hidden(parameter, ABSENT, "no", "is gone")
    for parameter in matched.added:
        breaking: Verdict = "yes" if parameter.required else "no"
        yield _change_of_hidden(ABSENT, parameter, breaking, "is new")
    for before, after in matched.pairs:
        if after.required and not before.required:
            yield _change_of_hidden(before, after, "yes", "is now required")


def _place_of(parameter: Parameter) -> tuple[str, str]:
    return parameter.location, parameter.name


def _change_of_hidden(old: Any, new: Any, breaking: Verdict, state: str) -> Difference:
    """Return the difference of an argument that the connection sets."""
    parameter = old if new is ABSENT else new
    values = [ABSENT if hidden is ABSENT else hidden.name for hidden in (old, new)]
    pointers = [None if hidden is ABSENT else hidden.pointer for hidden in (old, new)]
    text = f"the {parameter.location} argument {parameter.name}, which the connection sets, {state}"
    return Difference(
        "",
        "hidden-argument",
        "connection",
        values[0],
        values[1],
        breaking,
        text,
        pointers[0],
        pointers[1],
    )


# -- bodies ----------------------------------------------------------------------------------------


def body_changes(
    old: Function, new: Function, shared: Callable[[str], bool]
) -> Iterator[Difference]:
    """Yield the differences of two bodies, without those of their schemas.

    ``shared`` decides whether both or none of the bodies declare a property.
    """
    before, after = old.route.body, new.route.body
    pointers = (before and before.pointer, after and after.pointer)
    place = "$input.body"
    if before is None and after is not None:
        breaking: Verdict = "yes" if after.required else "no"
        text = "the body is new and required" if after.required else "the body is new"
        yield Difference(
            "", "argument-added", place, ABSENT, after.media_type, breaking, text, *pointers
        )
    elif before is not None and after is None:
        text = "the body was removed"
        yield Difference(
            "", "argument-removed", place, before.media_type, ABSENT, "yes", text, *pointers
        )
    elif before is not None and after is not None:
        if before.required != after.required:
            text = f"the body is now {'required' if after.required else 'optional'}"
            breaking = "yes" if after.required else "no"
            values = before.required, after.required
            yield Difference("", "required", place, *values, breaking, text, *pointers)
        for change in _compare_media_types(old, new, before, after, shared):
            yield replace(change, old_pointer=pointers[0], new_pointer=pointers[1])


def _compare_media_types(
    old: Function, new: Function, before: Body, after: Body, shared: Callable[[str], bool]
) -> Iterator[Difference]:
    place = "$input.body"
    offered = _media_types_of(old, before), _media_types_of(new, after)
    if before.media_type != after.media_type:
        breaking: Verdict = "no" if before.media_type in offered[1] else "yes"
        values = before.media_type, after.media_type
        text = f"the body is sent as {values[1]} instead of {values[0]}"
        yield Difference("", "media-type", place, *values, breaking, text)
    elif (encoding := _encoding(before, shared)) != (new_encoding := _encoding(after, shared)):
        text = "the encoding of the body changed"
        yield Difference("", "encoding", place, encoding, new_encoding, "yes", text)
    elif {*offered[0]} != {*offered[1]}:
        text = f"the media types changed from {brief(offered[0])} to {brief(offered[1])}"
        yield Difference("", "media-type", place, *offered, "no", text)


def _encoding(body: Body, shared: Callable[[str], bool]) -> list[Any]:
    """Return how a body is written, without the properties of one body and Encoding Objects without an effect."""
    _, kind, how, *rest = body_parts(body)
    if kind == "multipart":
        named = {name: part for name, part in how["named"].items() if shared(name)}
        return [kind, {**how, "named": named}, *rest]
    fields = {name: node for name, node in how.items() if kind == "form" and _has_effect(node)}
    return [kind, {name: node for name, node in fields.items() if shared(name)}, *rest]


def _has_effect(encoding: JsonObject) -> bool:
    """Return whether an Encoding Object changes a field of a form: it has a style, or a field that is JSON."""
    has_style = not {"style", "explode", "allowReserved"}.isdisjoint(encoding)
    return has_style or is_json(str(encoding.get("contentType", "")))


def _media_types_of(function: Function, body: Body) -> list[str]:
    """Return the media types that the document declares for a body."""
    declared = function.operation.get("requestBody")
    content = declared.get("content") if isinstance(declared, dict) else None
    return [*content] if isinstance(content, dict) else [body.media_type]


_RULES: Final[tuple[Callable[[Function, Function], Iterator[Difference]], ...]] = (
    _compare_name,
    _compare_method,
    _compare_path,
    _compare_servers,
    _compare_security,
    _compare_safety,
    _compare_deprecated,
    _compare_description,
    _compare_hidden,
)
