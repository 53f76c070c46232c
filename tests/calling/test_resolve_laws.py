"""Laws of name resolution on documents whose segments, operationIds and names are wrapper words."""

import re
import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.calling.models import wished
from tests.effort import examples

import specfn
from specfn import Function
from specfn.calling import Catalog, InvocationConfig, Invoke, NamePolicy, Resolution, Send, Session

WRAPPERS = "tools tool functions function call default_api multi_tool_use".split()
WORDS = [*WRAPPERS, "items", "Items", "get", "erase", "issues", "v1", "1", "12", "größe", "日本"]
#: Characters that NFKC, ``lower`` or ``casefold`` turn into ASCII letters or digits, and letters of other scripts.
CONFUSABLE = "\u0131\u017f\u212a\u212b\u00df\u1e9e\u0130\u00b2\uff41\uff11\u2460\ufb01\u0439\u0430\u65e5\u0663\u0301\u20e3"
SEPARATORS = [".", "_", "-", "/", " ", ":", "::", ""]

words = st.sampled_from(WORDS)
paths = st.lists(words | words.map(lambda word: f"{{{word}}}"), min_size=1, max_size=3).map(
    lambda parts: "/" + "/".join(parts)
)
texts = st.lists(words, min_size=1, max_size=3).flatmap(
    lambda parts: st.sampled_from(SEPARATORS).map(lambda between: between.join(parts))
)
operations = st.dictionaries(
    st.sampled_from(["get", "post", "delete"]), texts | st.none(), min_size=1, max_size=3
)


def applied(
    spec: dict[str, dict[str, str | None]], max_length: int = 64, renamed: str | None = None
) -> specfn.Application:
    """Return the application of paths with methods and their operationIds; its first function may have another name."""
    item = {
        path: {
            method: {"responses": {}, **({"operationId": own} if own else {})}
            for method, own in found.items()
        }
        for path, found in spec.items()
    }
    document = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": item}
    path = next(iter(spec))
    names = {f"{next(iter(spec[path])).upper()} {path}": renamed} if renamed else {}
    try:
        return specfn.load(document, options=specfn.Options(max_length=max_length, names=names))
    except specfn.errors.UsageError:  # another function has the name
        return specfn.load(document)


applications = st.builds(
    applied,
    st.dictionaries(paths, operations, min_size=1, max_size=6),
    st.sampled_from([16, 24, 64]),
    st.none() | st.lists(st.sampled_from(WORDS[:12]), min_size=1, max_size=2).map("_".join),
).filter(len)


def letters(text: str) -> str:
    """Return the letters, digits and marks of a text; only ASCII has letter case here."""
    kept = [sign for sign in text if unicodedata.category(sign)[0] in "LNM"]
    return "".join(sign.lower() if sign.isascii() else sign for sign in kept)


def keys(function: Function) -> list[str]:
    """Yield every documented key of a function."""
    verb = function.method
    found = [
        function.name,
        ".".join(function.accessor),
        "_".join(function.accessor),
        f"{verb.upper()} {function.path}",
        f"{verb}  {function.path}",
    ]
    return found if function.operation_id is None else [*found, function.operation_id]


def wrapped(key: str) -> list[str]:
    """Draw a key as models wrap it, which may be another function's key."""
    return [
        *(f"{word}{sign}{key}" for word, sign in zip(WRAPPERS, "._/:.._", strict=True)),
        f"functions.{key}()",
        f'"{key}"',
        f"{key}<|channel|>commentary",
        f"<|start|>functions.{key}<|constrain|>json",
    ]


def spelled(function: Function) -> list[str]:
    """Yield every key of a function, unchanged and as models wrap it."""
    return [text for key in keys(function) for text in (key, *wrapped(key))]


def explained(text: str, function: Function) -> bool:
    """Return whether a function has a handle with exactly the letters of a text, with or without wrapper words."""
    own = {letters(key) for key in keys(function)}
    return not own.isdisjoint(letters(each) for each in unwrapped(text))


def unwrapped(text: str) -> list[str]:
    """Yield a text, and the rest of it after each wrapper word."""
    text = re.sub(r"<\|\w+\|>\s*(commentary|json)?", "", text)
    found = [text]
    while match := re.match(rf"\W*(?:{'|'.join(WRAPPERS)})[.:/]+(?=.)", found[-1], re.IGNORECASE):
        found.append(found[-1][match.end() :])
    return found


def is_ambiguous(found: Resolution, key: str, function: Function, app: Any) -> bool:
    """Return whether a key is ambiguous because another function has that name but for separators, or that key."""
    others = [other for other in app if other is not function]
    return (
        found.status == "ambiguous"
        and function.name in found.candidates
        and any(letters(o.name) == letters(key) or key in keys(o) for o in others)
    )


@settings(max_examples=examples(60), deadline=None)
@given(applications)
def test_every_key_means_its_function(app: specfn.Application) -> None:
    """A key for which ``app[key]`` returns a function resolves to that function or is ambiguous, never to another."""
    for function in app:
        for key in spelled(function):
            meant = app.find(key)
            if meant is None:
                continue
            found = app.resolve(key)
            assert found.name == meant.name or is_ambiguous(found, key, meant, app), key


@settings(max_examples=examples(60), deadline=None)
@given(applications, st.data())
def test_letters_of_every_script_are_differences(app: specfn.Application, data: Any) -> None:
    """Whatever letter, digit or mark is written into a name, only a function with those letters is found."""
    function = data.draw(st.sampled_from(app.functions))
    key = data.draw(st.sampled_from(spelled(function)))
    sign = data.draw(st.characters(categories=["L", "N", "M"]) | st.sampled_from(CONFUSABLE))
    place = data.draw(st.integers(0, len(key)))
    end = place + data.draw(st.sampled_from([0, 1]))
    text = key[:place] + sign + key[end:]
    found = app.resolve(text)
    if found.name is not None:
        assert explained(text, app[found.name]), text


@settings(max_examples=examples(30), deadline=None)
@given(applications, st.data())
def test_only_advertised_functions_take_part(app: specfn.Application, data: Any) -> None:
    """A restricted resolution is that of a document whose other functions were not selected."""
    names = {f"{function.method.upper()} {function.path}": function.name for function in app}
    offered = data.draw(st.sets(st.sampled_from([*names.values()]), min_size=1))
    options = specfn.Options(select=lambda function: function.name in offered, names=names)
    alone = specfn.load(app.raw, options=options)
    assert {function.name for function in alone} == offered
    for function in app:
        for key in spelled(function):
            found, expected = app.resolve(key, advertised=offered), alone.resolve(key)
            assert (found.name, found.candidates) == (expected.name, expected.candidates), key
            assert found.name is None or found.name in offered


@settings(max_examples=examples(30), deadline=None)
@given(applications, st.data())
def test_a_name_of_a_withheld_function_calls_no_other(app: specfn.Application, data: Any) -> None:
    """In a conversation, a key of a function that is not offered leads to that function's key alone, or to no call."""
    offered = data.draw(st.sets(st.sampled_from([function.name for function in app]), min_size=1))
    withheld = [function for function in app if function.name not in offered]
    texts = [key for function in withheld for key in keys(function) if app.find(key) is function]
    for key in texts:
        config = InvocationConfig(select=sorted(offered), approval="never")
        session = Session(app, connector="openai", messages="x", config=config)
        session.next()
        session.feed(wished(("c", key, {})))
        effect = session.next()
        calls = effect.calls if isinstance(effect, Invoke) else ()
        assert all(key in keys(call.entry.function) for call in calls if call.entry), key


@pytest.mark.parametrize(
    "called",
    [
        "tools.items.erase",
        "TOOLS_ITEMS_ERASE",
        "tools/items/erase",
        "functions.tools.items.erase()",
    ],
)
def test_a_withheld_accessor_with_a_wrapper_word_is_unknown(called: str) -> None:
    """``tools.items.erase`` is a function of its own, so it is not ``items.erase`` in the wrapper ``tools.``."""
    app = applied({"/items": {"delete": None}, "/tools/items": {"delete": None}})
    config = InvocationConfig(select=["items_erase"], approval="never")
    session = Session(app, connector="openai", messages="x", config=config)
    session.next()
    session.feed(wished(("c", called, {})))
    assert isinstance(session.next(), Send)
    text = session.messages[-1]["results"][0]["text"]
    assert "there is no function named" in text
    assert 'Did you mean "items_erase"?' in text


@settings(max_examples=examples(20), deadline=None)
@given(
    st.lists(applications, min_size=2, max_size=2),
    st.lists(st.sampled_from(WRAPPERS), min_size=2, max_size=2, unique=True),
    st.sampled_from(["always", "on_conflict"]),
    st.sampled_from(["_", "__", "-", ""]),
)
def test_a_namespace_may_be_a_wrapper_word(
    apps: list[specfn.Application], namespaces: list[str], qualify: Any, separator: str
) -> None:
    """If wrapper words are namespaces of a catalog, no key of a function means another function."""
    catalog = Catalog(policy=NamePolicy(qualify=qualify, separator=separator))
    try:
        for app, namespace in zip(apps, namespaces, strict=True):
            catalog = catalog.add(app, namespace=namespace)
    except specfn.errors.UsageError:  # two names meet
        return
    for entry in catalog.entries:
        assert catalog.resolve(entry.name).name == entry.name
        for key in spelled(entry.function):
            found = catalog.resolve(key)
            if found.name is not None and found.name != entry.name:
                named = letters(found.name) in {letters(text) for text in unwrapped(key)}
                assert named or explained(key, catalog.by_name[found.name].function), key


GLUED = ["({})", "({}=1)", '{{"x": "{}"}}', "[{}]", "?x={}", ' "{}"', "={}", " ( {} )", "({})()"]


@settings(max_examples=examples(30), deadline=None)
@given(applications, words, st.sampled_from(GLUED))
def test_arguments_in_a_name_are_never_dropped(
    app: specfn.Application, word: str, glue: str
) -> None:
    """A name with arguments behind it resolves to nothing, and its function is suggested."""
    for function in app:
        for key in (function.name, f"functions.{function.name}", ".".join(function.accessor)):
            found = app.resolve(key + glue.format(word))
            assert found.name is None
            assert found.arguments_in_name
            meant = app.resolve(key)
            if meant.name:
                assert found.candidates == (meant.name,)


RARE = ["{}:0", "functions.{}:7", "{}</s>", "mcp__srv__{}", "functions.mcp__srv__{}:12", '"{}:3"']


def spaced(text: str) -> str:
    """Return a text in lower case, with one sign for each run of separators."""
    return re.sub(r"[\W_]+", "_", text).strip("_").lower()


@settings(max_examples=examples(30), deadline=None)
@given(applications, st.sampled_from(RARE))
def test_rare_wrappers_are_removed_if_nothing_else_matches(
    app: specfn.Application, wrapper: str
) -> None:
    """Law: the number of a call, the end of a text and a server are removed, unless a function is named with them."""
    for function in app:
        for key in (function.name, ".".join(function.accessor), "_".join(function.accessor)):
            text, alone = wrapper.format(key), app.resolve(key)
            whole = {
                other.name
                for other in app
                for each in unwrapped(text)
                if spaced(each) in {spaced(own) for own in keys(other)}
            }
            found = app.resolve(text)
            assert found.name == alone.name or (found.name or None) in {*whole, None}, text
            if not whole and alone.status == "exact":
                assert (found.name, found.how in ("cleaned", "separator")) == (function.name, True)


@pytest.mark.parametrize(
    "paths",
    [{"/x/0": {"delete": None}}, {"/mcp/srv/items": {"delete": None}}],
)
def test_a_withheld_function_with_a_rare_wrapper_in_its_name_is_not_another(paths: Any) -> None:
    """``x_0_erase`` is a function of its own, so it is not ``x`` with the number of a call."""
    app = applied({**paths, "/items": {"delete": None}, "/x": {"get": "xx"}})
    [withheld] = [function for function in app if function.path in paths]
    names = sorted(function.name for function in app if function is not withheld)
    session = Session(
        app,
        connector="openai",
        messages="x",
        config=InvocationConfig(select=names, approval="never"),
    )
    session.next()
    session.feed(wished(("c", withheld.name.replace("mcp_srv_", "mcp__srv__"), {})))
    assert isinstance(session.next(), Send)


@pytest.mark.parametrize(
    "called", ["items_erase:1234", "items_erase:01", "items_erase:x", "items_erase:"]
)
def test_only_a_short_number_is_the_number_of_a_call(called: str) -> None:
    """What looks like an argument behind a name is none of its wrappers."""
    found = applied({"/items": {"delete": None}}).resolve(called)
    assert (found.name == "items_erase") is (called == "items_erase:")


@pytest.mark.parametrize(
    ("called", "name"),
    [
        ("v1_12_get", "v1_12_get"),
        ("V1.12.get", "v1_12_get"),
        ("v112get", "v1_12_get"),
        ("v11_2_get", None),
        ("v1_1_2_get", None),
    ],
)
def test_a_separator_between_digits_does_not_move(called: str, name: str | None) -> None:
    """A number that is split at another place is another number."""
    assert applied({"/v1_12": {"get": None}}).resolve(called).name == name


def test_a_wrapper_word_may_be_a_namespace() -> None:
    """The exact accessor wins; in another spelling both functions are meant."""
    app = applied({"/tools/items": {"delete": None}, "/items": {"delete": None}})
    assert app.resolve("tools.items.erase").name == "tools_items_erase"
    assert app.resolve("items.erase").name == "items_erase"
    for called in ("Tools.Items.Erase", "functions.tools.items.erase", "tools/items/erase()"):
        assert app.resolve(called).candidates == ("items_erase", "tools_items_erase")
    assert app.resolve("functions.items.erase").name == "items_erase"


def test_an_operation_id_like_another_name_is_ambiguous() -> None:
    """The operationId ``issues/get`` beside a function named ``issues_get`` means both."""
    app = applied({"/issues": {"get": None}, "/repos/issues": {"get": "issues/get"}})
    found = app.resolve("issues/get")
    assert (found.status, found.candidates) == ("ambiguous", ("issues_get", "repos_issues_get"))
    assert app.resolve("issues_get").status == "exact"
    assert app.resolve("issues/get", advertised=["repos_issues_get"]).name == "repos_issues_get"
