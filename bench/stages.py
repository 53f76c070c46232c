"""Processor time of the stages of a conversion, and of one check of arguments. Used by ``python -m bench``.

    python bench/stages.py convert DOCUMENT
    python bench/stages.py first DOCUMENT
    python bench/stages.py check

Writes one JSON object: stages and their times, milliseconds for ``convert`` and ``first``, microseconds for ``check``.
"""

import gc
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

USER_FIELDS = {
    "id": {"type": "integer", "minimum": 1},
    "name": {"type": "string", "minLength": 1},
    "email": {"type": "string", "format": "email"},
    "role": {"enum": ["admin", "editor", "viewer"]},
    "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 5},
    "address": {
        "type": "object",
        "required": ["city"],
        "properties": {
            "city": {"type": "string"},
            "zip": {"type": "string", "pattern": "^[0-9]{5}$"},
        },
    },
}
USER = {
    "id": 7,
    "name": "Ann",
    "email": "ann@example.com",
    "role": "editor",
    "tags": ["a", "b"],
    "address": {"city": "Rome", "zip": "00100"},
}

ORDER = {
    "type": "object",
    "required": ["customer", "lines", "payment"],
    "properties": {
        "customer": {"type": "integer", "minimum": 1},
        "lines": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["product", "quantity"],
                "properties": {
                    "product": {"type": "string", "format": "uuid"},
                    "quantity": {"type": "integer", "minimum": 1},
                },
            },
        },
        "payment": {
            "oneOf": [
                {
                    "type": "object",
                    "required": ["kind", "number"],
                    "properties": {"kind": {"const": "card"}, "number": {"type": "string"}},
                },
                {
                    "type": "object",
                    "required": ["kind", "code"],
                    "properties": {"kind": {"const": "voucher"}, "code": {"type": "string"}},
                },
            ]
        },
    },
}


def order(lines: int) -> dict[str, Any]:
    """Return a valid order."""
    line = {"product": "8b1f6a0e-3c1d-4c55-9f0e-0d6a1f2b3c4d", "quantity": 2}
    payment = {"kind": "voucher", "code": "ABCD-1234"}
    return {"customer": 1, "lines": [line] * lines, "payment": payment}


def tagged(kind: str, **properties: Any) -> dict[str, Any]:
    """Return the schema of one kind of object in a union, which has a tag."""
    own = {"kind": {"const": kind}, **properties}
    return {"type": "object", "required": [*own], "properties": own}


#: A webhook: an event by kind, whose subject is of some kind, whose owner is of some kind.
WEBHOOK = {
    "type": "object",
    "required": ["id", "event"],
    "properties": {
        "id": {"type": "string"},
        "event": {
            "oneOf": [
                tagged("deleted", reason={"type": "string"}),
                *(
                    tagged(
                        kind,
                        at={"type": "integer"},
                        subject={"$ref": "#/components/schemas/Subject"},
                    )
                    for kind in (
                        "created",
                        "changed",
                        "closed",
                        "moved",
                        "shared",
                        "paid",
                        "failed",
                    )
                ),
            ]
        },
    },
}
SUBJECT = {
    "oneOf": [
        tagged("page", title={"type": "string", "maxLength": 40}),
        tagged("file", size={"type": "integer"}, owner={"$ref": "#/components/schemas/Owner"}),
        tagged("comment", text={"type": "string"}),
    ]
}
OWNER = {
    "oneOf": [
        tagged("person", email={"type": "string"}),
        tagged("team", members={"type": "array", "items": {"type": "integer"}}),
    ]
}
EVENT = {
    "id": "ev_17",
    "event": {
        "kind": "changed",
        "at": 1714990000,
        "subject": {"kind": "file", "size": 1200, "owner": {"kind": "team", "members": [4, 8, 15]}},
    },
}

#: Readings of a device, and a booking with many formats.
READINGS = {
    "type": "object",
    "required": ["device", "readings"],
    "properties": {
        "device": {"type": "string", "format": "uuid"},
        "readings": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["at", "celsius"],
                "properties": {
                    "at": {"type": "string", "format": "date-time"},
                    "celsius": {"type": "number", "minimum": -90, "maximum": 60},
                    "quality": {"enum": ["good", "fair", "bad"]},
                },
                "additionalProperties": False,
            },
        },
    },
}
DEVICE = "8b1f6a0e-3c1d-4c55-9f0e-0d6a1f2b3c4d"
READING = {"at": "2024-05-06T12:00:00Z", "celsius": 21.5, "quality": "good"}
BOOKING_FORMATS = {
    "guest": "email",
    "room": "uuid",
    "from": "date",
    "until": "date",
    "arrival": "date-time",
    "breakfast": "time",
    "page": "uri",
    "host": "hostname",
    "address": "ipv4",
    "key": "byte",
}
BOOKING = {
    "guest": "ann@example.com",
    "room": DEVICE,
    "from": "2024-02-28",
    "until": "2024-02-29",
    "arrival": "2024-02-28T16:30:00+01:00",
    "breakfast": "08:00:00Z",
    "page": "https://example.com/rooms/7",
    "host": "rooms.example.com",
    "address": "192.0.2.7",
    "key": "c2VjcmV0",
}

#: The settings of a service: maps by name, by pattern, and of maps.
SERVICE = {
    "type": "object",
    "properties": {
        "labels": {"type": "object", "additionalProperties": {"type": "string", "maxLength": 63}},
        "limits": {
            "type": "object",
            "patternProperties": {"^(cpu|memory)$": {"type": "integer", "minimum": 1}},
            "additionalProperties": False,
        },
        "routes": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "required": ["weight"],
                "properties": {
                    "weight": {"type": "integer"},
                    "headers": {"type": "object", "additionalProperties": {"type": "string"}},
                },
            },
        },
    },
}
SETTINGS = {
    "labels": {"app": "shop", "tier": "web", "owner": "ann", "zone": "north"},
    "limits": {"cpu": 2, "memory": 512},
    "routes": {"stable": {"weight": 90, "headers": {"x-canary": "no"}}, "canary": {"weight": 10}},
}

#: A recursive filter, such as those of databases.
FILTER = {
    "anyOf": [
        {"type": "object", "required": ["and"], "properties": {"and": {"type": "array", "items": {"$ref": "#/components/schemas/Filter"}}}, "additionalProperties": False},
        {"type": "object", "required": ["or"], "properties": {"or": {"type": "array", "items": {"$ref": "#/components/schemas/Filter"}}}, "additionalProperties": False},
        {"type": "object", "required": ["property", "equals"], "properties": {"property": {"type": "string"}, "equals": {"type": ["string", "number"]}}, "additionalProperties": False},
    ]
}  # fmt: skip
QUERY = {
    "filter": {
        "and": [
            {"property": "status", "equals": "open"},
            {"or": [{"property": "price", "equals": 12}, {"property": "price", "equals": 15}]},
        ]
    }
}

COMPONENTS = {"Subject": SUBJECT, "Owner": OWNER, "Filter": FILTER}


class Body(NamedTuple):
    """A request body: its schema, a valid value, and the replacements that make the text of the value invalid."""

    schema: dict[str, Any]
    value: Any
    changes: tuple[tuple[str, str], ...]


BODIES = {
    "small": Body(
        {"type": "object", "properties": {"count": {"type": "integer"}}},
        {"count": 3},
        (('"count":3', '"count":"many"'),),
    ),
    "user": Body(
        {"type": "object", "required": [*USER_FIELDS], "properties": USER_FIELDS},
        USER,
        (
            ('"id":7', '"id":0'),
            ('"editor"', '"owner"'),
            ('"b"]', "2,[]]"),
            ('"00100"', '"none"'),
            ('"name":"Ann"', '"name":{}'),
        ),
    ),
    "union": Body(ORDER, order(1), (('"ABCD-1234"', "[12]"),)),
    "order of 100 lines": Body(ORDER, order(100), (('"customer":1', '"customer":-1'),)),
    "array of 12,000": Body(
        {
            "type": "object",
            "properties": {"values": {"type": "array", "items": {"type": "integer"}}},
        },
        {"values": [*range(12_000)]},
        (("11999]", '"last"]'),),
    ),
    "nested unions": Body(WEBHOOK, EVENT, (("[4,8,15]", '[4,"8",null]'), ('"ev_17"', "17"))),
    "500 readings": Body(
        READINGS,
        {"device": DEVICE, "readings": [READING] * 500},
        (('"2024-05-06T12:00:00Z"', '"yesterday"'), ('"celsius":21.5', '"celsius":"warm"')),
    ),
    "formats": Body(
        {
            "type": "object",
            "required": ["guest", "room", "from"],
            "properties": {
                name: {"type": "string", "format": form} for name, form in BOOKING_FORMATS.items()
            },
        },
        BOOKING,
        (('"2024-02-29"', '"2024-02-30"'), ('"192.0.2.7"', '"here"'), ('"08:00:00Z"', "8")),
    ),
    "maps": Body(
        SERVICE,
        SETTINGS,
        (('"web"', "1"), ('"weight":10', '"weight":"10%"'), ('"cpu":2', '"cpu":0')),
    ),
    "recursive filter": Body(
        {"type": "object", "properties": {"filter": {"$ref": "#/components/schemas/Filter"}}},
        QUERY,
        (('"equals":15', '"equals":[15]'), ('"equals":"open"', '"equals":true')),
    ),
}


def written(name: str, description: str, parameters: Any) -> list[bytes]:
    """Return the pieces of a line, as ``specfn tools`` writes them."""
    from specfn._internal.json import dumps  # noqa: PLC0415 - the import is measured
    from specfn.cli.output import json_printable  # noqa: PLC0415 - likewise

    head = {"name": name, "description": description}
    return [json_printable(dumps(head)), json_printable(dumps(parameters))]


def convert(path: str) -> dict[str, float]:
    """Return the milliseconds of each stage of ``specfn tools`` for a document."""
    gc.disable()
    found: dict[str, float] = {"interpreter": time.process_time() * 1e3}

    def stage(name: str, work: Callable[[], Any]) -> Any:
        started = time.process_time()
        result = work()
        found[name] = found.get(name, 0) + (time.process_time() - started) * 1e3
        return result

    stage("import click and orjson", lambda: (__import__("click"), __import__("orjson")))
    stage("import specfn", lambda: __import__("specfn.cli.group"))
    stage("import specfn", lambda: __import__("specfn.cli.commands.tools"))
    stage("import specfn", lambda: __import__("specfn.api").api.load)

    from specfn.application.compose import compose  # noqa: PLC0415 - the import is measured above
    from specfn.cli.commands import tools as tools_command  # noqa: PLC0415 - likewise
    from specfn.document.normalize import normalize  # noqa: PLC0415 - likewise
    from specfn.document.read.limits import too_deep  # noqa: PLC0415 - likewise
    from specfn.document.read.load import read_file  # noqa: PLC0415 - likewise
    from specfn.settings import DEFAULT  # noqa: PLC0415 - likewise

    data = stage("read", lambda: read_file(path))
    raw = stage("parse", lambda: __import__("orjson").loads(data))
    stage("depth", lambda: too_deep(raw))
    normal = stage("normalize", lambda: normalize(raw))
    application = stage("routes and names", lambda: compose(normal, DEFAULT, raw=raw))
    lines = []
    for function in application.functions:
        own = function.schemas
        parameters = stage("compose and render schemas", own.compose)
        result = stage("compose and render schemas", own.output_json)
        text = stage("descriptions", partial(tools_command._description, function, parameters))  # noqa: SLF001
        pieces = stage("write lines", partial(written, function.name, text, parameters))
        lines += [*pieces, result or b""]
    stage("write lines", lambda: Path("/dev/null").write_bytes(b"".join(lines)))
    return found


def per_call(work: Callable[[], Any], seconds: float = 0.2) -> float:
    """Return the least microseconds of processor time for one call, of five series."""
    work()
    count, best = 1, float("inf")
    while True:
        started = time.process_time()
        for _ in range(count):
            work()
        spent = time.process_time() - started
        if spent > seconds / 5:
            break
        count *= 2
    for _ in range(5):
        started = time.process_time()
        for _ in range(count):
            work()
        best = min(best, (time.process_time() - started) / count)
    return best * 1e6


def check() -> dict[str, dict[str, float]]:
    """Return the microseconds of each stage of one check, by body."""
    return {name: check_stages(body) for name, body in BODIES.items()}


def check_stages(body: Body) -> dict[str, float]:
    """Return the microseconds of each stage of a check of one body."""
    import jsonschema_rs  # noqa: PLC0415 - not for convert
    import orjson  # noqa: PLC0415 - likewise

    import specfn  # noqa: PLC0415 - likewise

    content = {"application/json": {"schema": body.schema}}
    operation = {"requestBody": {"required": True, "content": content}, "responses": {}}
    info = {"title": "Bodies", "version": "1"}
    document = {
        "openapi": "3.1.0",
        "info": info,
        "paths": {"/bodies": {"post": operation}},
        "components": {"schemas": COMPONENTS},
    }
    (function,) = specfn.load(document).functions
    valid = {"body": body.value}
    text = json.dumps(valid, separators=(",", ":"))
    broken = text
    for old, new in body.changes:
        assert old in broken
        broken = broken.replace(old, new, 1)
    wrong = json.loads(broken)
    assert function.check(text)
    assert not function.check(broken)
    bare = jsonschema_rs.Draft202012Validator(function.validator, validate_formats=True)

    def errors(value: Any) -> list[Any]:
        """Read what specfn reads of each error, too."""
        return [(error.message, error.instance_path) for error in bare.iter_errors(value)]

    return {
        "jsonschema-rs, valid": per_call(lambda: bare.is_valid(valid)),
        "jsonschema-rs, all errors": per_call(lambda: errors(wrong)),
        "orjson + jsonschema-rs, valid": per_call(lambda: bare.is_valid(orjson.loads(text))),
        "orjson + jsonschema-rs, all errors": per_call(lambda: errors(orjson.loads(broken))),
        "parse": per_call(lambda: function.parse(broken)),
        "validate, valid": per_call(lambda: function.validate(valid)),
        "validate, all errors": per_call(lambda: function.validate(wrong)),
        "coerce, invalid": per_call(lambda: function.coerce(wrong)),
        "check, valid": per_call(lambda: function.check(text)),
        "check, invalid": per_call(lambda: function.check(broken)),
        "check and feedback": per_call(lambda: function.check(broken).feedback()),
    }


def first(path: str) -> dict[str, float]:
    """Return the milliseconds of the work that a process does once: loading, first validation, compiling each function."""
    import orjson  # noqa: PLC0415 - the import is not measured

    data = Path(path).read_bytes()
    with collector_off():
        parse = milliseconds(lambda: orjson.loads(data))

    from specfn.api import load  # noqa: PLC0415 - likewise

    started = time.process_time()
    application = load(data)
    loaded = (time.process_time() - started) * 1e3
    function = load(Path(__file__).parent.parent / "tests" / "strict_shop" / "openapi.yaml")[
        "products_post"
    ]
    validation = milliseconds(lambda: function.validate({"body": {"name": 5}}))
    compiled = sorted(
        milliseconds(partial(compile_function, each)) for each in application.functions
    )
    return {
        "orjson.loads": parse,
        "load": loaded,
        "load / orjson.loads": loaded / parse,
        "first validation of the process": validation,
        "compile one function, median": compiled[len(compiled) // 2],
        "compile one function, p99": compiled[len(compiled) * 99 // 100],
        "compile one function, the most": compiled[-1],
    }


def compile_function(function: Any) -> None:
    """Compose and compile the validator of a function."""
    function.schemas.validator.compile()


@contextmanager
def collector_off() -> Iterator[None]:
    """Pause the garbage collector, as ``load`` does."""
    gc.disable()
    yield
    gc.enable()


def milliseconds(work: Callable[[], Any]) -> float:
    """Return the milliseconds of processor time of one call."""
    started = time.process_time()
    result = work()  # kept until the end: freeing it is not measured
    spent = (time.process_time() - started) * 1e3
    del result
    return spent


if __name__ == "__main__":
    kinds = {"convert": convert, "first": first}
    result = check() if sys.argv[1] == "check" else kinds[sys.argv[1]](sys.argv[2])
    sys.stdout.write(json.dumps(result))
