"""Safety, idempotence and purpose of a route (rules F6, V7, X11; threat T49).

They follow the method that the server executes. A verb of the operation can raise the safety. It is looked for at four
places: an RPC action in the path, the last static segment of the path, the summary (or the description), and the
operationId. All of them are text of the document, so a verb never lowers the safety.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from specfn._internal.pointer import join
from specfn.document.upgrade.keywords import is_true
from specfn.migrate.accessor import words_of
from specfn.migrate.parameters.reserved import overrides
from specfn.migrate.route import Pieces, Placeholder, Route, Template
from specfn.records import Note
from specfn.settings import Safety

#: The safety of methods (RFC 9110, section 9.2.1); an unknown method may do anything.
_SAFETY: Final[dict[str, Safety]] = {
    "get": "read",
    "head": "read",
    "options": "read",
    "query": "read",
    "patch": "write",
    "post": "write",
    "put": "write",
}

#: The safety levels, the most harmless first.
_ORDER: Final[tuple[Safety, ...]] = ("read", "write", "destructive")

_IDEMPOTENT: Final = frozenset({"delete", "get", "head", "options", "put", "query", "trace"})


def safety_of(method: str) -> Safety:
    """Return the safety of a method, before ``Options.safety`` applies."""
    return _SAFETY.get(method, "destructive")


def is_idempotent(method: str) -> bool:
    """Return whether a method is idempotent (RFC 9110, section 9.2.2)."""
    return method in _IDEMPOTENT


def exceeds(safety: Safety, limit: Safety) -> bool:
    """Return whether one safety level allows more than another."""
    return _ORDER.index(safety) > _ORDER.index(limit)


def method_in(value: Any) -> str:
    """Return the method that an override names, in lower case."""
    return str(value).strip().lower()


def method_safety(route: Route) -> Safety:
    """Return the safety of the method of a route, with its method overrides.

    A value of ``Options.fixed`` replaces the method. A value that only the document declares can raise the level but
    not lower it: a server may ignore the header and execute the method of the request line.
    """
    if not (route.fixed or route.template.query):  # the most common case
        return safety_of(route.method)
    chosen = [*_override_methods(route, by_caller=True)] or [route.method]
    return max(
        (safety_of(method) for method in (*chosen, *_override_methods(route, by_caller=False))),
        key=_ORDER.index,
    )


def is_repeatable(route: Route) -> bool:
    """Return whether a call may be repeated: its method and all its overrides are idempotent.

    A method that reads does not count if the safety of the route is higher.
    """
    safety = method_safety(route)
    is_true = safety != "read" or route.safety == "read"
    return is_true and all(map(is_idempotent, _methods(route)))


def is_update(route: Route) -> bool:
    """Return whether a call changes an existing resource; null may then clear a value (rule V7).

    Updates are PUT, PATCH, a merge patch (RFC 7396), and POST to an item.
    """
    methods = _methods(route)
    merges = route.body is not None and "merge-patch" in route.body.media_type.lower()
    return merges or bool(methods & {"put", "patch"}) or ("post" in methods and _is_item(route))


def is_creation(route: Route) -> bool:
    """Return whether a call only creates a resource; null in its body then means absence (rule V7)."""
    return _methods(route) == {"post"} and not is_update(route) and not _updates_by_name(route)


#: The verbs of a POST that updates, and the words that make it a creation all the same.
_UPDATING: Final = frozenset(
    ["update", "edit", "modify", "change", "replace", "set", "patch", "merge"]
)
_CREATING: Final = frozenset(["create", "add", "new"])

#: The verbs in the third person.
_THIRD_PERSON: Final = {
    **{f"{verb}s": verb for verb in _UPDATING | _CREATING},
    "modifies": "modify",
    "patches": "patch",
}


def _updates_by_name(route: Route) -> bool:
    """Return whether the names of a POST say that it updates: ``POST /usergroups.update`` (rule V7).

    A verb counts as the first or last word of the last static segment, of the operationId or of the summary; in the
    summary, the first word may be in the third person.
    """
    identifier, summary = (
        words_of(text[:_MAX_TEXT]) if isinstance(text, str) else ()
        for text in (route.operation.get("operationId"), route.operation.get("summary"))
    )
    summary = (*(_THIRD_PERSON.get(word, word) for word in summary[:1]), *summary[1:])
    for words in (identifier, summary):
        if not _CREATING.isdisjoint(words) or words[:1] == ("setup",) or words[:2] == ("set", "up"):
            return False
    places = (_last_static_segment(route), identifier, summary)
    return any(not _UPDATING.isdisjoint((words[0], words[-1])) for words in places if words)


#: A percent-encoded character that servers read like the plain one: an unreserved one (RFC 3986, 2.3), or a colon.
_ENCODED: Final = re.compile(
    "%(?:2[DE]|3[0-9A]|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])", re.IGNORECASE
)


def decode_path(path: str) -> str:
    """Return a path as servers read it: without the percent-encoding of characters that need none."""
    return _ENCODED.sub(lambda code: chr(int(code[0][1:], 16)), path)


def level_keys(method_and_path: str) -> tuple[str, str]:
    """Return the keys of an operation among safety levels: its own, and that of its path without query and fragment."""
    key = decode_path(method_and_path)
    return key, f"{re.split('[?#]', key, maxsplit=1)[0]} *"


def _template(route: Route) -> Template:
    """Return the template of a route as servers read it."""
    template = route.template
    if "%" not in route.path:
        return template
    return Template(
        segments=tuple(map(_decode, template.segments)),
        query=tuple(
            (decode_path(name), None if value is None else _decode(value))
            for name, value in template.query
        ),
        fragment=decode_path(template.fragment),
    )


def _decode(pieces: Pieces) -> Pieces:
    return tuple(decode_path(piece) if isinstance(piece, str) else piece for piece in pieces)


def _last_static_segment(route: Route) -> tuple[str, ...]:
    """Return the words of the last segment of the path that has no placeholder."""
    for pieces in reversed(_template(route).segments):
        if len(pieces) == 1 and isinstance(pieces[0], str):
            return words_of(pieces[0])
    return ()


def _is_item(route: Route) -> bool:
    """Return whether the last segment of the path has a parameter. A trailing slash is not a segment."""
    last = next((pieces for pieces in reversed(_template(route).segments) if pieces), ())
    return any(isinstance(piece, Placeholder) for piece in last)


def _methods(route: Route) -> set[str]:
    """Return every method that a server may execute: the route's own and those of its overrides."""
    return {
        route.method,
        *_override_methods(route, by_caller=True),
        *_override_methods(route, by_caller=False),
    }


def _override_methods(route: Route, *, by_caller: bool) -> Iterator[str]:
    """Yield the methods of fixed overrides, set by the caller or by the document."""
    for place, value in route.fixed.items():
        location = "header" if place[0] == "headers" else "query"
        is_override = len(place) > 1 and overrides(place[1], location) == "method"
        if is_override and (place not in route.only) is by_caller:
            yield method_in(value)
    if not by_caller:
        yield from _in_path_key(route)


def _in_path_key(route: Route) -> Iterable[str]:
    """Yield the methods in the query of the path key; an empty text is a placeholder, which may be any method."""
    for name, pieces in _template(route).query:
        if pieces and overrides(name, "query"):
            literal = [piece for piece in pieces if not isinstance(piece, Placeholder)]
            yield method_in("".join(literal)) if len(literal) == len(pieces) else ""


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CONSEQUENTIAL: Final = "x-openai-isConsequential"

#: The verbs that change data, in their base form, with the safety of a reading method that has them.
_VERBS: Final[dict[str, Safety]] = {
    **dict.fromkeys(
        _set("clear delete destroy drop erase purge remove revoke terminate truncate wipe"),
        "destructive",
    ),
    **dict.fromkeys(
        _set(
            "activate add append approve assign attach authorize cancel change confirm connect copy create detach disable edit"
            " enable execute grant import invite lock logoff logout modify move pay post publish put reboot refresh regenerate"
            " register reject release rename replace reset restore rotate send set signout start stop submit subscribe tag transfer trigger update upload"
        ),
        "write",
    ),
}

#: The verbs at the beginning of a summary or an operationId that reads.
_READING: Final = _set(
    "check count describe download export fetch find get list read retrieve return search show view"
)

#: The verbs of RPC actions that read. An action is always a verb, so an action with any other verb changes data. An
#: export is not among them, because it writes files at another place.
_READING_ACTIONS: Final = (_READING - {"export"}) | _set(
    "decode estimate head lookup preview query scan select simulate validate"
)

#: The words before a verb that applies to many objects.
_MANY: Final = _set("batch bulk mass")

#: The beginnings of a summary or an operationId whose later verb is a noun, as in "Create a remove token".
_BUILDING: Final = _set("add create generate get list set update")

#: The verbs that a summary has in the third person.
_KNOWN: Final = _READING | _BUILDING | _VERBS.keys()

#: The words after a verb that make it a noun, as in ``delete-policy``.
_OBJECTS: Final = _set("flag key off policy token")

#: The parameters in a path key that name an RPC action, in lower case.
_ACTIONS: Final = _set("action operation x-amz-target")

#: The parts of dotted names that are file extensions.
_EXTENSIONS: Final = _set("action aspx do html json php txt xml")

#: The maximum numbers of characters of a text that are read, and that a note shows.
_MAX_TEXT: Final = 400
_MAX_SHOWN: Final = 40

#: The maximum number of places that a note names.
_MAX_REASONS: Final = 3

_TAG: Final = re.compile(r"<[^<>]*+>")
_ID_PART: Final = re.compile(r"[./:#]")


class _Place(NamedTuple):
    """The words at one place of an operation.

    Attributes:
        name: the place.
        words: the words from the verb on, in lower case, with the verb in its base form.
        content: the text that the words are from, as a note shows it.
        token: the member of the operation; empty for the path key.
    """

    name: str
    words: tuple[str, ...]
    content: str
    token: str = ""

    @property
    def verb(self) -> str:
        """Return the first word."""
        return self.words[0]

    @property
    def is_destructive(self) -> bool:
        """Return whether the verb destroys data."""
        return _VERBS.get(self.verb) == "destructive"

    @property
    def names_object(self) -> bool:
        """Return whether the next word makes the verb a part of a noun."""
        return not _OBJECTS.isdisjoint(self.words[1:2])


def safety_by_verb(route: Route, safety: Safety) -> tuple[Safety, Note] | None:
    """Return the higher safety that the verb of an operation gives it, with a note that says why.

    Returns:
        ``None`` if the verb does not raise the safety of the method.
    """
    if safety == "read":
        reasons = _places_that_change(route)
    elif safety == "write":
        reasons = _destroys(route)
    else:
        reasons = ()
    if not reasons:
        return None
    destroys = any(place.is_destructive for place in reasons)
    by_verb: Safety = "destructive" if destroys else "write"
    clauses = dict.fromkeys(f"the {place.name} has {place.content!r}" for place in reasons)
    because = " and ".join([*clauses][:_MAX_REASONS])
    text = (
        f"the safety is {by_verb!r}, although the method is {route.method.upper()}, because {because}; "
        "Options.safety overrides it"
    )
    token = reasons[0].token
    pointer = f"{route.pointer}/{token}" if token else join(("paths", route.path))
    return by_verb, Note(pointer=pointer, text=text)


def safety_by_extension(route: Route, safety: Safety) -> tuple[Safety, Note] | None:
    """Return the higher safety that ``x-openai-isConsequential`` gives an operation, with a note (rule R13)."""
    if safety != "read" or not is_true(route.operation.get(_CONSEQUENTIAL)):
        return None
    text = f"the safety is 'write', because of {_CONSEQUENTIAL}; Options.safety overrides it"
    return "write", Note(pointer=f"{route.pointer}/{_CONSEQUENTIAL}", text=text)


def _places_that_change(route: Route) -> tuple[_Place, ...]:
    """Return the places that show that an operation with a reading method changes data.

    An RPC action or a custom verb is enough. The last segment, the text and the operationId count only if two of them
    have a verb that changes data.
    """
    text, identifier = _text(route), _id(route)
    actions = tuple(_actions(route))
    if actions:
        changing = [place for place in actions if place.verb not in _READING_ACTIONS]
        return (*changing, *(place for place in text if place.is_destructive)) if changing else ()
    custom = [place for place in _custom_verb(route) if place.verb in _VERBS]
    if custom:
        return tuple(custom)
    if any(place.verb in _READING for place in (*text, *identifier)):
        return ()
    groups = (_segment(route), text, identifier)
    places = [place for group in groups for place in group if place.verb in _VERBS]
    return tuple(places) if len({place.name for place in places}) > 1 else ()


def _destroys(route: Route) -> tuple[_Place, ...]:
    """Return the place that shows that an operation with a writing method destroys data."""
    for place in (*_actions(route), *_custom_verb(route)):
        if place.is_destructive:
            return (place,)
    text = _text(route)
    if any(place.verb in _BUILDING for place in text):
        return ()
    for place in (*_segment(route), *text, *_id(route)):
        if place.is_destructive and not place.names_object:
            return (place,)
    return ()


def _actions(route: Route) -> Iterator[_Place]:
    """Yield the RPC actions in the query or the fragment of the path key, such as ``/#Action=TerminateInstances``."""
    members = [member.partition("=")[::2] for member in _template(route).fragment.split("&")]
    for name, pieces in _template(route).query:
        literal = [piece for piece in pieces or () if not isinstance(piece, Placeholder)]
        if len(literal) == len(pieces or ()):
            members.append((name, "".join(literal)))
    for name, value in members:
        if name.lower() in _ACTIONS:
            yield from _place("action of the path", value.rpartition(".")[2])


def _custom_verb(route: Route) -> Iterator[_Place]:
    """Yield the verb after a colon at the end of the path, such as ``/jobs/{id}:cancel``."""
    last = next((pieces for pieces in reversed(_template(route).segments) if pieces), ())
    if last and isinstance(last[-1], str):
        yield from _place("end of the path", last[-1].rpartition(":")[2] if ":" in last[-1] else "")


def _segment(route: Route) -> Iterator[_Place]:
    """Yield the last segment of the path that has no placeholder; of a dotted name the last part."""
    for pieces in reversed(_template(route).segments):
        if len(pieces) == 1 and isinstance(pieces[0], str):
            parts = pieces[0].partition(":")[0].split(".")
            while len(parts) > 1 and parts[-1].lower() in _EXTENSIONS:
                parts.pop()
            if "(" not in parts[-1]:  # a function of OData, which reads
                yield from _place("path", parts[-1])
            return


def _text(route: Route) -> tuple[_Place, ...]:
    """Return the words of the summary, else of the description, from the verb on."""
    for token in ("summary", "description"):
        text = route.operation.get(token)
        if isinstance(text, str) and text.strip():
            plain = _TAG.sub(" ", text[:_MAX_TEXT])
            return tuple(_place(token, plain, token=token, is_text=True))
    return ()


def _id(route: Route) -> tuple[_Place, ...]:
    """Return the operationId from its last part on, as in ``instances.delete`` and ``KV_DeleteRange``."""
    name = route.operation.get("operationId")
    if not isinstance(name, str):
        return ()
    last = _ID_PART.split(name)[-1]
    head, tail = last.partition("_")[0], last.rpartition("_")[2]
    is_snake = head in _VERBS or tail.islower() or tail.isupper()
    is_verb = _KNOWN.union(_READING_ACTIONS).intersection(words_of(tail)[:1])
    part = tail if is_verb and not is_snake else last
    return tuple(_place("operationId", part, token="operationId"))  # noqa: S106  # not a password


def _place(name: str, text: str, *, token: str = "", is_text: bool = False) -> Iterator[_Place]:
    """Yield a place, unless its text has no words. In prose (``is_text``), the verb may be in the third person."""
    words = words_of(text[:_MAX_TEXT])
    if words[:1] and words[0] in _MANY:
        words = words[1:]
    if words:
        verb = _base_form(words[0]) if is_text else words[0]
        content = words[0] if is_text else text[:_MAX_SHOWN]
        yield _Place(name, (verb, *words[1:]), content, token)


def _base_form(word: str) -> str:
    """Return the base form of a known verb in the third person, such as ``deletes``; else the word."""
    forms = [word, word.removesuffix("s"), word.removesuffix("es")]
    if word.endswith("ies"):
        forms.append(f"{word[:-3]}y")
    return next((form for form in forms if form in _KNOWN), word)
