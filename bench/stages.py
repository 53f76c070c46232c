"""Processor time of the stages of a conversion, and of one check of arguments. Used by ``python -m bench``.

    python bench/stages.py convert DOCUMENT
    python bench/stages.py check

Writes one JSON object: stages and their times, milliseconds for ``convert`` and microseconds for ``check``.
"""

import gc
import json
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

ID = "8b1f6a0e-3c1d-4c55-9f0e-0d6a1f2b3c4d"


def order(lines: int) -> dict[str, Any]:
    """Return valid arguments of the demo's ``orders_post``."""
    line = {"productId": ID, "quantity": 2}
    payment = {"kind": "voucher", "code": "ABCD-1234"}
    return {"body": {"customerId": 1, "lines": [line] * lines, "payment": payment}}


PRODUCT = {"body": {"name": "Lamp", "price": 12.5, "stock": 3, "tags": ["a", "b"]}}

#: For each case: the function of the demo, valid arguments, and one replacement that makes the text invalid.
CASES: dict[str, tuple[str, dict[str, Any], tuple[str, str]]] = {
    "product": ("products_post", PRODUCT, ('"stock":3', '"stock":"many"')),
    "order, union": ("orders_post", order(1), ('"ABCD-1234"', "12")),
    "order, 100 lines": ("orders_post", order(100), ('"customerId":1', '"customerId":-1')),
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
    from specfn.cli.commands import tools  # noqa: PLC0415 - likewise
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
        result = stage("compose and render schemas", own.write_output)
        text = stage("descriptions", partial(tools._description, function, parameters))  # noqa: SLF001
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
    """Return the microseconds of each stage of one check, by case."""
    import specfn  # noqa: PLC0415 - likewise

    demo = specfn.load(Path(specfn.__file__).parent / "demo" / "openapi.yaml")
    return {
        name: check_stages(demo[function], valid, *change)
        for name, (function, valid, change) in CASES.items()
    }


def check_stages(function: Any, valid: dict[str, Any], old: str, new: str) -> dict[str, float]:
    """Return the microseconds of each stage of a check of one function."""
    import jsonschema_rs  # noqa: PLC0415 - not for convert
    import orjson  # noqa: PLC0415 - likewise

    text = json.dumps(valid, separators=(",", ":"))
    broken = text.replace(old, new, 1)
    wrong = json.loads(broken)
    assert function.check(text)
    assert not function.check(broken)
    bare = jsonschema_rs.Draft202012Validator(function.validator)
    return {
        "orjson + jsonschema-rs, all errors": per_call(
            lambda: [*bare.iter_errors(orjson.loads(broken))]
        ),
        "parse": per_call(lambda: function.parse(broken)),
        "validate, valid": per_call(lambda: function.validate(valid)),
        "validate, invalid": per_call(lambda: function.validate(wrong)),
        "coerce, invalid": per_call(lambda: function.coerce(wrong)),
        "check, valid": per_call(lambda: function.check(text)),
        "check, invalid": per_call(lambda: function.check(broken)),
        "check and feedback": per_call(lambda: function.check(broken).feedback()),
    }


if __name__ == "__main__":
    result = convert(sys.argv[2]) if sys.argv[1] == "convert" else check()
    sys.stdout.write(json.dumps(result))
