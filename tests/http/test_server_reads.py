"""What a server reads from our requests is what was given, for functions of real documents."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.http.reading import Arrived, differences
from tests.http.wire import content, operation
from tests.samples import Sampler

import specfn
from specfn.errors import ArgumentError
from specfn.migrate.route import Route

#: How many functions of a document are called, and how often arguments are drawn for one.
FUNCTIONS = 30
DRAWS = 12

#: Texts in place of the plain ones that are drawn, where the schema admits them.
TEXTS = ["a b+c&d=e", "é/日?#%2F;", '"[x]{y}"\\', "100%", "=a:b@c", "x,y", "'; --"]


def corpus_documents(folder: Path) -> list[Path]:
    return sorted((folder / "dev").glob("*.json"))


def enlivened(value: Any, generator: random.Random) -> Any:
    """A value with livelier texts."""
    if isinstance(value, dict):
        return {key: enlivened(item, generator) for key, item in value.items()}
    if isinstance(value, list):
        return [enlivened(item, generator) for item in value]
    return generator.choice(TEXTS) if value == "text" else value


def drawn(function: Any, seed: int) -> Iterator[dict[str, Any]]:
    """Valid arguments, each lively and as they were drawn."""
    sampler = Sampler(function.validator, seed)
    generator = random.Random(seed)
    for _ in range(DRAWS):
        try:
            arguments = sampler.draw()
        except (RecursionError, ValueError, TypeError, IndexError, AttributeError):
            continue
        for each in (enlivened(arguments, generator), arguments):
            if function.validate(each):
                yield each


def is_plain(route: Route) -> bool:
    """Whether a server can tell the parameters of a path apart, and is the connection's own."""
    return (
        all(
            sum(not isinstance(piece, str) for piece in pieces) < 2
            for pieces in route.template.segments
        )
        and not route.servers
        and not route.template.query
        and len({parameter.name for parameter in route.parameters})
        == sum(not isinstance(piece, str) for pieces in route.template.segments for piece in pieces)
    )


def called(app: Any, server: Any) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Functions that were called, spread over the document, with the arguments that were sent."""
    schemes = next(iter(app.functions)).api.security_schemes if app.functions else {}
    credentials = {
        name: ("u", "p") if str(scheme.get("scheme")).lower() == "basic" else "k"
        for name, scheme in schemes.items()
    }
    connection = specfn.Connection(base_url=f"{server.url}/base", credentials=credentials)
    plain = [function for function in app.functions if is_plain(function.route)]
    for function in plain[:: max(1, len(plain) // FUNCTIONS)]:
        filled = connection.model_copy(
            update={"query": always(function, "query"), "headers": always(function, "header")}
        )
        for arguments in drawn(function, seed=7):
            try:
                specfn.propagate(function, arguments, filled)
            except (
                ArgumentError
            ):  # a comma in an array of a header, a blank path: tests of their own
                continue
            yield function, arguments
            break


def always(function: Any, where: str) -> dict[str, str]:
    """What the connection must give because no model does."""
    return {
        each.name: "k" for each in function.route.hidden if each.location == where and each.required
    }


def test_the_reader_reads(loopback: Any) -> None:
    """The reader finds what is wrong: another value, a lost one, one in another place."""
    declared = [
        {"name": "ids", "in": "query", "explode": False, "schema": {"type": "array"}},
        {"name": "X", "in": "header", "schema": {"type": "integer"}},
    ]
    document = {
        "openapi": "3.1.0",
        "info": {"title": "x", "version": "1"},
        "paths": {"/a/{id}": {"get": {"parameters": declared}}},
    }
    [function] = specfn.load(document).functions
    arguments = {"id": "a/b", "query": {"ids": ["1,2", "3"]}, "headers": {"X": 1}}
    specfn.propagate(function, arguments, specfn.Connection(base_url=f"{loopback.url}/base"))
    arrived = Arrived.parse(loopback.requests[-1])
    assert list(differences(function.route, arguments, arrived, "/base")) == []
    for wrong in (
        {**arguments, "id": "a"},
        {**arguments, "query": {"ids": ["1", "2", "3"]}},
        {**arguments, "query": {}},
        {**arguments, "headers": {"X": 2}},
        {**arguments, "headers": {}},
    ):
        assert list(differences(function.route, wrong, arrived, "/base"))


texts = st.text(st.characters(codec="utf-8"), max_size=6)
scalars = st.one_of(
    texts, st.integers(), st.booleans(), st.floats(allow_nan=False, allow_infinity=False)
)
leaves = st.one_of(scalars, st.none())
values = st.one_of(leaves, st.lists(leaves, max_size=3), st.dictionaries(texts, leaves, max_size=3))
deep = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text("abc", max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)
STYLES = {
    "path": ["simple", "label", "matrix"],
    "query": ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
    "header": ["simple"],
    "cookie": ["form"],
}
GROUPS = {"query": "query", "header": "headers", "cookie": "cookies"}


def arrived_of(function: Any, arguments: Any) -> Arrived:
    """What a server would get, or an example that is none where the arguments cannot be written."""
    connection = specfn.Connection(base_url="https://h/base")
    try:
        made = specfn.request(function, arguments, connection)
    except ArgumentError:
        reject()
    lines = [f"{made.method} {made.url.raw_path.decode()} HTTP/1.1".encode()]
    lines += [name + b": " + value for name, value in made.headers.raw]
    return Arrived.parse(b"\r\n".join(lines) + b"\r\n\r\n" + made.content)


@given(
    place=st.sampled_from(sorted(STYLES)).flatmap(
        lambda where: st.tuples(st.just(where), st.sampled_from(STYLES[where]))
    ),
    explode=st.booleans(),
    value=st.one_of(values, deep),
    reserved=st.booleans(),
)
@settings(max_examples=examples(160), deadline=None)
def test_whatever_is_given_is_read(
    place: tuple[str, str], value: Any, *, explode: bool, reserved: bool
) -> None:
    """Any value, in any style and place: either it is refused, or a server reads the very value."""
    where, style = place
    declared = {
        "name": "color", "in": where, "required": where == "path", "style": style, "explode": explode,
        "allowReserved": reserved and where == "query", "schema": {},
    }  # fmt: skip
    path = "/x/{color}" if where == "path" else "/x"
    [function] = specfn.load(operation("3.1.1", declared, path=path)).functions
    arguments = {"color": value} if where == "path" else {GROUPS[where]: {"color": value}}
    arrived = arrived_of(function, arguments)
    assert list(differences(function.route, arguments, arrived, "/base")) == []


@given(
    kind=st.sampled_from(
        ["application/x-www-form-urlencoded", "multipart/form-data", "application/json"]
    ),
    value=st.dictionaries(st.text('abc/ü &="+', min_size=1, max_size=4), deep, max_size=3),
)
@settings(max_examples=examples(120), deadline=None)
def test_whatever_a_body_holds_is_read(kind: str, value: dict[str, Any]) -> None:
    """Any object as a form, in parts or as JSON: a server reads the very object."""
    [function] = specfn.load(content(kind, {"type": "object"}, "3.0.4")).functions
    arguments = {"body": value}
    arrived = arrived_of(function, arguments)
    assert list(differences(function.route, arguments, arrived, "/base")) == []


@pytest.mark.corpus
def test_a_server_gets_the_arguments_back(corpus: Path, loopback: Any) -> None:
    """For functions of every real document, a server that knows the declarations reads what was given."""
    checked = 0
    for path in corpus_documents(corpus):
        app = specfn.load(path)
        for function, arguments in called(app, loopback):
            arrived = Arrived.parse(loopback.requests[-1])
            found = list(differences(function.route, arguments, arrived, "/base"))
            assert found == [], f"{path.name} {function.name} {arguments}"
            assert arrived.method == function.method.upper()
            checked += 1
        loopback.requests.clear()
    assert checked > 800
