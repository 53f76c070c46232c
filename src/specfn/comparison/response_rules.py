"""Rules for responses: statuses, media types, headers and schemas."""

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from specfn._internal.json import JsonObject, dumps_sorted
from specfn._internal.pointer import escape
from specfn.comparison.difference import (
    Difference,
    DifferenceKind,
    SchemaChange,
    Verdict,
    brief,
    schema_differences,
    worst,
)
from specfn.comparison.schema_pairs import SchemaPairs
from specfn.function.function import Function
from specfn.migrate.bodies.media_types import essence, is_within
from specfn.migrate.route import DeclaredResponse
from specfn.records import ABSENT
from specfn.schema.compose.definitions import Definitions
from specfn.schema.compose.polymorphism import Family


class _Response(NamedTuple):
    """A response of one status that both versions of a function declare, or one of them.

    Attributes:
        status: its status.
        functions: the old and the new function.
    """

    status: str
    functions: tuple[Function, Function]

    @property
    def name(self) -> str:
        """Return the name of the new function."""
        return self.functions[1].name

    @property
    def place(self) -> str:
        """Return the place of the response."""
        return f"responses.{self.status}"

    def objects(self, member: str) -> tuple[JsonObject, JsonObject]:
        """Return a member of the two Response Objects that is an object; an empty one if there is none."""
        old, new = (
            _object(_object(_object(function.operation, "responses"), self.status), member)
            for function in self.functions
        )
        return old, new

    def pointers(self) -> tuple[str, str]:
        """Return the JSON Pointers of the responses in the two documents."""
        old, new = (
            f"{function.route.pointer}/responses/{escape(self.status)}"
            for function in self.functions
        )
        return old, new


def _object(node: JsonObject, key: str) -> JsonObject:
    value = node.get(key)
    return value if isinstance(value, dict) else {}


class ResponseRules:
    """The comparison of the responses of two documents.

    Args:
        old, new: the normalized documents.
        is_exact: true if a value must fit exactly one alternative of a ``oneOf``.
        is_judged: true if what the clients of the old version cannot read any more breaks them; without it, no
            difference of a response breaks anything.
    """

    def __init__(
        self, old: JsonObject, new: JsonObject, *, is_exact: bool, is_judged: bool
    ) -> None:
        self._old, self._new = (
            Definitions(schemas, "response", Family(schemas))
            for schemas in (document["components"]["schemas"] for document in (old, new))
        )
        self._is_judged = is_judged
        self._pairs = SchemaPairs(self._old, self._new, is_exact=is_exact)
        # a client reads the responses of the new version by the schemas of the old one
        self._reading = SchemaPairs(self._new, self._old, is_exact=is_exact, is_response=True)

    def differences(self, old: Function, new: Function) -> Iterator[Difference]:
        """Yield the differences of the responses of two functions."""
        before, after = _responses_of(old), _responses_of(new)
        for status in dict.fromkeys((*before, *after)):
            response = _Response(status, (old, new))
            if status in before and status in after:
                yield from self._compare_media_types(response, before[status], after[status])
                yield from self._compare_headers(response)
                yield from self._compare_contents(response, before[status], after[status])
            else:
                yield self._describe_status(response, before, after)
        if old.route.success is not None and new.route.success is not None:
            pointers = old.route.pointer, new.route.pointer
            schemas = old.route.success.schema, new.route.success.schema
            yield from self._compare_schemas(new.name, "$output", schemas, pointers)

    # -- statuses and media types -----------------------------------------------------------------

    def _describe_status(
        self,
        response: _Response,
        old: dict[str, DeclaredResponse],
        new: dict[str, DeclaredResponse],
    ) -> Difference:
        status = response.status
        values = [
            sorted(responses[status].media_types) if status in responses else ABSENT
            for responses in (old, new)
        ]
        if status in new:
            text, verdict = f"the response {status} is new", _verdict_of_new(status, old)
        else:
            text, verdict = f"the response {status} is gone", _verdict_of_gone(status, new)
        return self._difference("response", response, "", values, verdict, text)

    def _compare_media_types(
        self, response: _Response, old: DeclaredResponse, new: DeclaredResponse
    ) -> Iterator[Difference]:
        before, after = sorted(old.media_types), sorted(new.media_types)
        known, offered = {*map(essence, before)}, {*map(essence, after)}
        if known == offered:
            return
        gone = known - offered
        may_be_offered = all(
            any(is_within(media_type, range_) for range_ in offered) for media_type in gone
        )
        verdict: Verdict = "no" if not gone else "maybe" if may_be_offered else "yes"
        subject = f"the response {response.status}"
        if not after:
            text = f"{subject} has no content any more"
        elif not before:
            text = f"{subject} has content now"
        else:
            lists = brief(", ".join(before)), brief(", ".join(after))
            text = f"the media types of {subject} changed from {lists[0]} to {lists[1]}"
        yield self._difference("response", response, "", (before, after), verdict, text)

    def _compare_contents(
        self, response: _Response, old: DeclaredResponse, new: DeclaredResponse
    ) -> Iterator[Difference]:
        """Yield the differences of the schemas that are not the result of the function: errors, other media types."""
        results = [function.route.success for function in response.functions]
        schemas = old.schema, new.schema
        if any(result is None or result.status != response.status for result in results):
            place = f"{response.place}.body"
            yield from self._compare_schemas(response.name, place, schemas, response.pointers())
        contents = response.objects("content")
        for media_type in contents[0]:
            if media_type in contents[1] and media_type != old.media_type:
                pair = tuple(_object(content, media_type).get("schema") for content in contents)
                place = f"{response.place}.body ({media_type})"
                if pair != schemas:  # mostly it is the same in each media type
                    yield from self._compare_schemas(
                        response.name, place, pair, response.pointers()
                    )

    # -- headers ----------------------------------------------------------------------------------

    def _compare_headers(self, response: _Response) -> Iterator[Difference]:
        before, after = map(_headers_of, response.objects("headers"))
        for key in dict.fromkeys((*before, *after)):
            name = (after.get(key) or before[key])[0]
            text = f"the header {name} of the response {response.status}"
            place = f".headers.{name}"
            if key not in before:
                yield self._difference(
                    "response-header", response, place, (ABSENT, name), "no", f"{text} is new"
                )
            elif key not in after:
                verdict: Verdict = "yes" if _is_required(before[key][1]) else "maybe"
                yield self._difference(
                    "response-header", response, place, (name, ABSENT), verdict, f"{text} is gone"
                )
            else:
                headers = before[key][1], after[key][1]
                yield from self._compare_header(response, place, text, headers)
                schemas = map(_schema_of, headers)
                whole = response.place + place
                yield from self._compare_schemas(response.name, whole, schemas, response.pointers())

    def _compare_header(
        self,
        response: _Response,
        place: str,
        text: str,
        headers: tuple[JsonObject, JsonObject],
    ) -> Iterator[Difference]:
        """Yield the differences of a header that both versions declare, without those of its schema."""
        required = [*map(_is_required, headers)]
        if required[0] != required[1]:
            verdict: Verdict = "no" if required[1] else "yes"
            sentence = f"{text} is now {'required' if required[1] else 'optional'}"
            yield self._difference("required", response, place, required, verdict, sentence)
        forms = [*map(_form_of, headers)]
        if forms[0] != forms[1]:
            sentence = f"{text} is serialized differently"
            yield self._difference("serialization", response, place, forms, "yes", sentence)

    # -- records ----------------------------------------------------------------------------------

    def _compare_schemas(
        self, name: str, place: str, schemas: Iterable[Any], pointers: tuple[str, str]
    ) -> Iterator[Difference]:
        """Yield the differences of two schemas; none if a version declares no schema."""
        before, after = schemas
        if before is None or after is None:
            return
        old, new = self._old.compose(before), self._new.compose(after)
        changes = self._pairs.changes(old, new)
        if self._is_judged:
            changes = [*judge(changes, self._reading.changes(new, old))]
        else:
            changes = [change._replace(breaking="no") for change in changes]
        yield from schema_differences(name, changes, place, pointers)

    def _difference(
        self,
        kind: DifferenceKind,
        response: _Response,
        place: str,
        values: Iterable[Any],
        breaking: Verdict,
        sentence: str,
    ) -> Difference:
        before, after = values
        old_pointer, new_pointer = response.pointers()
        return Difference(
            name=response.name,
            kind=kind,
            place=response.place + place,
            before=before,
            after=after,
            breaking=breaking if self._is_judged else "no",
            sentence=sentence,
            old_pointer=None if before is ABSENT else old_pointer,
            new_pointer=None if after is ABSENT else new_pointer,
        )


# -- statuses --------------------------------------------------------------------------------------


def _responses_of(function: Function) -> dict[str, DeclaredResponse]:
    """Return the declared responses of a function by status, its result first."""
    declared = [*function.route.exceptions.values()]
    if function.route.success is not None:
        declared.insert(0, function.route.success)
    return {response.status: response for response in declared}


def _verdict_of_gone(status: str, new: Iterable[str]) -> Verdict:
    """Return the verdict of a status that is no longer declared.

    Without a success that clients wait for, they read nothing. An error that is gone leaves a branch that is not taken.
    """
    return "yes" if _is_success(status) and not _is_covered(status, new) else "maybe"


def _verdict_of_new(status: str, old: Iterable[str]) -> Verdict:
    """Return the verdict of a status that is new.

    A client handles an unknown status like ``x00`` of its class (RFC 9110, section 15), but a success may have a content
    that it cannot read.
    """
    known = [*old]
    is_other_success = _is_success(status) and any(map(_is_success, known))
    return "maybe" if is_other_success else "no"


def _is_success(status: str) -> bool:
    return status.startswith("2")


def _is_covered(status: str, others: Iterable[str]) -> bool:
    """Return whether a range contains a status, or a status is in a range."""
    ranges = {other.upper() for other in others}
    if "DEFAULT" in ranges or f"{status[0]}XX" in ranges:
        return True
    return status.upper() == "2XX" and any(map(_is_success, ranges))


# -- headers ---------------------------------------------------------------------------------------


def _headers_of(headers: JsonObject) -> dict[str, tuple[str, JsonObject]]:
    """Return the headers by their names in lower case, each with its name. ``Content-Type`` is described by the content."""
    return {
        name.lower(): (name, node)
        for name, node in headers.items()
        if isinstance(node, dict) and name.lower() != "content-type"
    }


def _is_required(header: JsonObject) -> bool:
    return header.get("required") is True


def _content_of(header: JsonObject) -> tuple[str, JsonObject] | None:
    """Return the media type of a header and its Media Type Object; ``None`` if it is written in the style ``simple``."""
    content = _object(header, "content")
    return next(((key, _object(content, key)) for key in content), None)


def _schema_of(header: JsonObject) -> Any:
    content = _content_of(header)
    return (header if content is None else content[1]).get("schema")


def _form_of(header: JsonObject) -> JsonObject:
    """Return how a header is written: its media type, or whether an object is written with ``=``."""
    content = _content_of(header)
    if content is not None:
        return {"media type": essence(content[0])}
    return {"explode": header.get("explode") is True}


# -- verdicts --------------------------------------------------------------------------------------

#: The kind of the opposite change, if it is another one.
_OPPOSITES: Final[dict[DifferenceKind, DifferenceKind]] = {
    "branch-added": "branch-removed",
    "branch-removed": "branch-added",
    "property-added": "property-removed",
    "property-removed": "property-added",
}


def judge(
    changes: Iterable[SchemaChange], opposites: Iterable[SchemaChange]
) -> Iterator[SchemaChange]:
    """Yield the changes of a response, each with the verdict of its opposite.

    Args:
        changes: the changes from the old schema to the new one.
        opposites: those from the new schema to the old one, which decide what a client can read.
    """
    waiting = [_opposite(change) for change in opposites if change.breaking != "no"]
    listed = [change._replace(breaking="no") for change in changes]
    for mark in (_identity, _place_and_kind):
        verdicts: dict[Any, list[SchemaChange]] = {}
        for opposite in waiting:
            verdicts.setdefault(mark(opposite), []).append(opposite)
        used = {mark(change) for change in listed}
        listed = [
            change._replace(
                breaking=worst(
                    [change.breaking, *(other.breaking for other in verdicts.get(mark(change), ()))]
                )
            )
            for change in listed
        ]
        waiting = [opposite for opposite in waiting if mark(opposite) not in used]
    yield from listed
    for opposite in waiting:
        may = "is" if opposite.breaking == "yes" else "may be"
        yield opposite._replace(text=f"a value {may} possible that the old version does not have")


def _opposite(change: SchemaChange) -> SchemaChange:
    """Return a change with its values, its kind and the names of a renamed property the other way round."""
    tokens = change.tokens
    if change.kind == "property-renamed":
        tokens = (*tokens[:-1], change.after)
    return change._replace(
        tokens=tokens,
        kind=_OPPOSITES.get(change.kind, change.kind),
        before=change.after,
        after=change.before,
    )


def _identity(change: SchemaChange) -> Any:
    values = [
        None if value is ABSENT else dumps_sorted(value) for value in (change.before, change.after)
    ]
    return *_place_and_kind(change), *values


def _place_and_kind(change: SchemaChange) -> tuple[tuple[str, ...], str]:
    return change.tokens, change.kind
