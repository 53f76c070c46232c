"""The fields of a response that a model reads: those that it asked for, within the operator's defaults (rule X12).

Fields are compared with the documented response before a call, so that the model can correct them.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

from specfn._internal.json import dumps, loads
from specfn._internal.logs import calls_log as log
from specfn.answers import (
    Drop,
    FieldNames,
    Filtered,
    Keep,
    covers,
    field_names,
    field_path,
    filter_data,
    missing_paths,
)
from specfn.errors import UsageError
from specfn.function.function import Function
from specfn.http.response.events import paths_in_items, place_of_fields
from specfn.migrate.bodies.media_types import EVENT_STREAM, essence, has_events
from specfn.migrate.operation_keys import route_keys, values_for
from specfn.migrate.route import Paging

if TYPE_CHECKING:
    from specfn.http.response.response import Result


#: The maximum number of schemas that are combined at one place, and of names that are searched for suggestions.
_MAX_SCHEMAS: Final = 300
_MAX_NAMES: Final = 400

#: The maximum number of characters of the line of top-level fields.
_MAX_LINE_CHARACTERS: Final = 300

#: Nothing was left out.
_NOTHING: Final = Filtered(None)

#: The data of a response that cannot be shown without the fields of ``Drop``.
_WITHHELD: Final = (
    "The response is not shown, because some of its fields must not be shown, and it is not JSON."
)
_NO_TEXT: Final = "Not shown, because some fields must not be shown, and this is not JSON."
_NO_FILE: Final = (
    "The response is not shown, because some of its fields must not be shown, and it is binary content that the document "
    "does not declare, or that its first bytes do not confirm."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseFields:
    """The fields of a response that a model reads.

    Attributes:
        keep: the fields; ``None`` for all.
        drop: the fields that are never shown.
        is_asked: true if the call asked for ``keep``.
        files: the media types of the documented response.
    """

    keep: tuple[FieldNames, ...] | None = None
    drop: tuple[FieldNames, ...] = ()
    is_asked: bool = False
    files: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls, function: Function, asked: tuple[FieldNames, ...] | None = None
    ) -> "ResponseFields":
        """Return the fields of a function: those asked for, else the first ``Keep``; without all of ``Drop``."""
        settings = function.schemas.settings
        if not settings.answers:
            return cls(keep=asked, is_asked=asked is not None)
        rules = [*values_for(settings.answers, route_keys(function.route))]
        kept = next((rule for rule in rules if isinstance(rule, Keep)), None)
        drop = tuple(name for rule in rules if isinstance(rule, Drop) for name in _names(rule))
        keep = asked if asked is not None or kept is None else _names(kept)
        success = function.route.success
        files = frozenset(map(essence, success.media_types if drop and success else ()))
        return cls(keep=keep, drop=drop, is_asked=asked is not None, files=files)

    def problem(self, function: Function) -> str | None:
        """Return the feedback for fields that the document does not have; ``None`` if all are documented."""
        if self.keep is None:
            return None
        unknown = DocumentedFields(function, self.drop).unknown(self.keep)
        return ". ".join(unknown) if unknown else None

    def view(self, function: Function, result: "Result") -> "ResponseView":
        """Return the part of a response that a model reads. A response outside of 2xx is whole."""
        if not result.ok or (self.keep is None and not self.drop):
            return ResponseView(result)
        if not isinstance(result.data, dict | list):
            return ResponseView(replace(result, data=self.permitted(result)))
        keep = self.keep
        note = ""
        if keep is not None and not _is_documented(function, result):
            keep = None
            note = "The document does not describe this response, so all of its fields are shown."
        place = place_of_fields(result.media_type)
        kept = None if keep is None else paths_in_items(keep, result.media_type)
        found = filter_data(self._without_texts(result), kept, self._never_shown(result))
        missing: tuple[str, ...] = ()
        if keep is not None and self.is_asked:
            missing = missing_paths(found.data, [(*place, *names) for names in keep])
        named = replace(found, dropped=_outside(found.dropped, place))
        shown = replace(result, data=found.data)
        return ResponseView(shown, named, _outside(missing, place), note)

    def permitted(self, result: "Result") -> Any:
        """Return the data of a response without the fields that are never shown.

        A text or bytes that contain JSON values are filtered as these values. Any other content has no fields that can
        be left out, so a sentence replaces it, unless it is a file of a documented type that its first bytes confirm.
        """
        data = result.data
        if not self.drop or not result.ok or not data:
            return data
        if not isinstance(data, str | bytes):
            return filter_data(self._without_texts(result), None, self._never_shown(result)).data
        values = _values(data)
        if not values:
            if isinstance(data, str):
                return _WITHHELD
            return data if self._is_file(result.media_type, data) else _NO_FILE
        kept = [filter_data(value, None, self.drop).data for value in values]
        return kept[0] if len(kept) == 1 else kept

    def file(self, result: "Result") -> bytes | None:
        """Return the bytes of a binary response that can leave the server; ``None`` if there are no such bytes.

        JSON without the fields of ``drop`` is written again.
        """
        if not isinstance(result.data, bytes):
            return None
        data = self.permitted(result)
        if isinstance(data, bytes):
            return data
        return None if data is _NO_FILE else dumps(data)

    def hides_next(self, paging: Paging | None) -> bool:
        """Return whether the arguments of the next page contain a field that is never shown."""
        if paging is None or not paging.source:
            return False
        items = paging.items or () if paging.kind == "last_item" else ()
        return covers(self.drop, (*items, *paging.source))

    def _is_file(self, media_type: str | None, content: bytes) -> bool:
        """Return whether content is a file of a documented type, by its first bytes."""
        from specfn.http.response.file_signatures import UNCONFIRMED, file_type  # noqa: PLC0415  # for files only

        return media_type in self.files and file_type(media_type, content) != UNCONFIRMED

    def _never_shown(self, result: "Result") -> tuple[FieldNames, ...]:
        """Return the fields of ``drop``, also in the data of events."""
        place = place_of_fields(result.media_type)
        return (*self.drop, *((*place, *names) for names in self.drop if place))

    def _without_texts(self, result: "Result") -> Any:
        """Return the data; with ``drop``, without the texts of events, whose fields are not known."""
        media_type, data = result.media_type, result.data
        if not self.drop or not isinstance(data, list) or not has_events(media_type or ""):
            return data
        if not place_of_fields(result.media_type):
            return [_NO_TEXT if isinstance(item, str) else item for item in data]
        return [{**event, "data": _NO_TEXT} if _has_text(event) else event for event in data]


@dataclass(frozen=True, slots=True)
class ResponseView:
    """The part of a response that a model reads.

    Attributes:
        result: the response with filtered data.
        filtered: the fields and items that were left out.
        missing: the fields that were asked for and did not arrive.
        note: a sentence on a response that was not filtered.
    """

    result: "Result"
    filtered: Filtered = _NOTHING
    missing: tuple[str, ...] = ()
    note: str = ""

    def lines(self) -> list[str]:
        """Return the lines on fields that were left out or did not arrive."""
        lines = [self.note] if self.note else []
        count = self.filtered.count
        if count:
            names = ", ".join(self.filtered.dropped[:10])
            more = ", …" if count > 10 else ""
            lines.append(f"{count} other field{'s' * (count > 1)} not shown: {names[:300]}{more}")
        if self.missing:
            lines.append(f"Not in the response: {', '.join(self.missing)[:300]}")
        return lines


def refuse_filtered(functions: Iterable[Function]) -> None:
    """Check that no function has filtered responses, which its output schema would not describe.

    Raises:
        UsageError: ``Options.answers`` filters the responses of a function.
    """
    for function in functions:
        fields = ResponseFields.of(function)
        if fields.keep is not None or fields.drop:
            raise UsageError(
                f"output_schema=True and Options.answers exclude each other: the responses of {function.name} are "
                "filtered and would not match their schema"
            )


def warn_of_unknown_drops(functions: Iterable[Function]) -> None:
    """Log a warning for each path of a ``Drop`` that is not a documented field of any response that its pattern selects.

    The path may be misspelled, and then the field that it is meant to hide is shown. It is not an error, because servers
    send fields that the document does not declare. Responses without content are not considered.
    """
    selected: dict[str, tuple[Drop, list[Function]]] = {}
    for function in functions:
        for pattern, rule in function.schemas.settings.answers.items():
            if isinstance(rule, Drop) and route_keys(function.route).match(pattern):
                selected.setdefault(pattern, (rule, []))[1].append(function)
    for pattern, (drop, matching) in selected.items():
        described = [*filter(_has_content, matching)]
        for path in _names(drop) if described else ():
            reason = _unknown_everywhere(described, path)
            if reason is not None:
                log.warning("Options.answers: Drop of %r: %s", pattern, reason)


def _has_content(function: Function) -> bool:
    success = function.route.success
    return success is None or success.media_type is not None


def _unknown_everywhere(functions: Iterable[Function], path: FieldNames) -> str | None:
    """Return the sentence of the first function for a path that no response has; ``None`` if some response may have it."""
    first = None
    for function in functions:
        sentences = DocumentedFields(function).unknown((path,))
        if not sentences:
            return None
        first = first or sentences[0]
    return first


def _names(given: Keep | Drop) -> tuple[FieldNames, ...]:
    return tuple(names for path in given.paths if (names := field_names(path)) is not None)


def _is_documented(function: Function, result: "Result") -> bool:
    """Return whether a response is the documented success response."""
    success = function.route.success
    if success is None or success.schema is None:
        return False
    if _stream_kind(success.media_type) != _stream_kind(result.media_type):
        return False
    return success.status.upper() in {str(result.status), "2XX", "DEFAULT"}


def _stream_kind(media_type: str | None) -> str | None:
    """Return the kind of a stream of events; ``None`` for any other media type."""
    if media_type is None or not has_events(media_type):
        return None
    return "events" if essence(media_type) == EVENT_STREAM else "items"


def _outside(paths: Iterable[str], place: FieldNames) -> tuple[str, ...]:
    """Return the paths of fields in the data of events as a model writes them."""
    if not place:
        return tuple(paths)
    return tuple(path.removeprefix("data").removeprefix(".") or "data" for path in paths)


def _has_text(event: Any) -> bool:
    return isinstance(event, dict) and isinstance(event.get("data"), str)


def _values(data: str | bytes) -> list[Any] | None:
    """Return the JSON values of a text: one value, or one value in each line; ``None`` if it has other content."""
    for parts in ([data], [line for line in data.splitlines() if line.strip()]):
        try:
            return [loads(part) for part in parts]
        except ValueError:
            continue
    return None


# -- the documented response -------------------------------------------------------------------------------


class DocumentedFields:
    """The fields of the documented response of a function; those of the data of server-sent events.

    Attributes:
        is_documented: true if the document describes the response.
    """

    def __init__(self, function: Function, drop: Sequence[FieldNames] = ()) -> None:
        """Read the composed response of a function.

        Args:
            function: the function.
            drop: the fields that no call can ask for.
        """
        composed = function.schemas.composed
        self._lookup, self._drop = composed.outputs, drop
        self.is_documented = self._lookup is not None and composed.result is not None
        self._root: list[Any] = [composed.result]
        if self.is_documented and sends_events(function):
            self._root = self._step(self._root, "data") or [{}]

    def top(self) -> list[str]:
        """Return the top-level fields; those of the items if the response is an array."""
        return [name for name in self._names(self._root) if not covers(self._drop, (name,))]

    def line(self) -> str:
        """Return the top-level fields in one line of at most 300 characters."""
        text = ""
        names = self.top()
        for index, name in enumerate(names):
            added = f", {name}" if text else name
            if len(text) + len(added) > _MAX_LINE_CHARACTERS - 20:
                return f"{text}, … {len(names) - index} more"
            text += added
        return text

    def unknown(self, paths: Iterable[FieldNames]) -> list[str]:
        """Return a sentence for each path that is not in the documented response."""
        if not self.is_documented:
            return []
        return [self._sentence(path) for path in paths if not self._is_known(path)]

    def _is_known(self, path: FieldNames) -> bool:
        if covers(self._drop, path):
            return False
        schemas: list[Any] = self._root
        for name in path:
            inner = self._step(schemas, name)
            if inner is None:
                return True
            if not inner:
                return False
            schemas = inner
        return True

    def _step(self, schemas: list[Any], name: str | None) -> list[Any] | None:
        """Return the schemas of a field; ``None`` if any name is possible, empty if it is not documented."""
        inner: list[Any] = []
        for node in self._flat(schemas):
            properties = node.get("properties") or {}
            extra = node.get("additionalProperties")
            if name is None:
                inner += [*properties.values()]
            elif name in properties:
                inner.append(properties[name])
            if isinstance(extra, dict) and extra and (name is None or name not in properties):
                inner.append(extra)
            patterns = node.get("patternProperties")
            if _is_open(node) or patterns:
                return None
        return inner

    def _flat(self, schemas: list[Any]) -> Iterator[dict[str, Any]]:
        """Yield the objects among schemas: references and unions are followed, arrays passed through."""
        waiting, seen = list(schemas), set[int]()
        while waiting and len(seen) < _MAX_SCHEMAS:
            node = waiting.pop(0)
            if node is True:
                node = {}
            if not isinstance(node, dict) or id(node) in seen:
                continue
            seen.add(id(node))
            reference = node.get("$ref")
            if isinstance(reference, str) and self._lookup is not None:
                name = self._lookup.name_of(reference)
                waiting.append(None if name is None else self._lookup[name])
            for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
                waiting.extend(node.get(key) or ())
            if "items" in node:
                waiting.append(node["items"])
            yield node

    def _names(self, schemas: list[Any]) -> list[str]:
        names: dict[str, None] = {}
        for node in self._flat(schemas):
            names.update(dict.fromkeys(node.get("properties") or ()))
        return [*names][:_MAX_NAMES]

    def _sentence(self, path: FieldNames) -> str:
        """Return a sentence with the closest documented fields."""
        schemas: list[Any] = self._root
        known: FieldNames = ()
        for name in path:
            inner = self._step(schemas, name)
            if not inner or covers(self._drop, (*known, name)):
                break
            schemas, known = inner, (*known, name)
        quoted = json.dumps(field_path(path)[:200], ensure_ascii=True)
        names = [name for name in self._names(schemas) if not covers(self._drop, (*known, name))]
        wanted = path[len(known)] if len(known) < len(path) else path[-1]
        close = get_close_matches(
            (wanted or "*")[:80].lower(), [name.lower() for name in names], n=3, cutoff=0.5
        )
        chosen = [name for name in names if name.lower() in close][:3] or names[:10]
        listed = ", ".join(field_path((*known, name)) for name in chosen)
        return f"{quoted} is not a field of the response" + (
            f"; there is {listed}" if listed else ""
        )


def sends_events(function: Function) -> bool:
    """Return whether the documented response is a stream of server-sent events."""
    success = function.route.success
    declared = None if success is None else success.media_type
    return declared is not None and essence(declared) == EVENT_STREAM


def _is_open(node: dict[str, Any]) -> bool:
    """Return whether a schema declares no fields, so that any name is possible."""
    if (
        node.get("properties")
        or {"$ref", "anyOf", "oneOf", "allOf", "items", "prefixItems", "enum", "const"}
        & node.keys()
    ):
        return False
    types = node.get("type")
    is_object = (
        types is None or types == "object" or (isinstance(types, list) and "object" in types)
    )
    extra = node.get("additionalProperties")
    return is_object and extra in (None, True, {})
