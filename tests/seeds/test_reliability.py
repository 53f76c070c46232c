"""Reliability of function calling: requirements R1 to R33."""

import json
import re
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.calling.models import converse, results, said, wished
from tests.calling.mutations import REPAIRED, mutations
from tests.calling.shop import APP

import specfn
from specfn import calling
from specfn.connectors.wire_format import legal_name
from specfn.invocation.failure_texts import RECOVERY

LIST = "products_get"
LEGAL = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def api(*paths: str, title: str = "Foo") -> specfn.Application:
    """An application of GET operations."""
    document = {
        "openapi": "3.1.0",
        "info": {"title": title, "version": "1"},
        "paths": {path: {"get": {"responses": {}}} for path in paths},
    }
    return specfn.load(document)


def test_r01_names_are_keys_and_never_split() -> None:
    """A name is looked up whole: namespaces with separators in them lead nowhere else."""
    app = api("/utils/get/time", "/utils_get/time", "/utils/get_time")
    for function in app:
        assert app.resolve(function.name).name == function.name


@pytest.mark.parametrize("called", ["bar.get", "bar-get", "barGet", "bar/get", "bar__get"])
def test_r02_a_wrong_separator_is_called_directly(called: str) -> None:
    """A name with another separator is executed without a round trip, and recorded."""
    outcome, script = converse(api("/bar"), [wished(("c1", called, {})), said("Done.")])
    (call,) = outcome.calls
    assert (call.function, call.how, call.executed) == ("bar_get", "separator", True)
    assert len(script.requests) == 2


@given(st.text(max_size=100))
def test_r03_echoed_names_are_legal(called: str) -> None:
    """Whatever name a model used, what goes back over the wire matches the provider's pattern."""
    assert LEGAL.fullmatch(legal_name(called))


def test_r04_the_error_goes_with_the_original_call() -> None:
    """The request after a bad name carries the call and, by its id, its error."""
    _, script = converse(APP, [wished(("c1", "nope", {})), said("x")])
    *_, call, _ = script.requests[1]["messages"]
    assert call["tool_calls"][0]["id"] == results(script.requests[1])[0][0] == "c1"


@pytest.mark.parametrize("needs", ["name", "suggestion", "never"])
def test_r05_recovery_whatever_the_model_needs(needs: str) -> None:
    """Models that need the called name or a suggestion recover; one that never does is told apart."""

    def line(request: dict[str, Any]) -> dict[str, Any]:
        told = results(request)[-1][1]
        clue = {"name": '"product_gt"', "suggestion": LIST, "never": "\0"}[needs]
        return wished(("c2", LIST, {})) if clue in told else said("I'm sorry, a system error.")

    outcome, _ = converse(APP, [wished(("c1", "product_gt", {})), line, said("Done.")])
    assert bool(outcome.executed) == (needs != "never")
    assert outcome.calls[0].error


def test_r06_generated_names_have_one_separator() -> None:
    """Names consist of letters, digits and ``_``, which every provider takes, at most 64 of them."""
    for function in APP:
        assert re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_]{0,63}", function.name)


def test_r07_what_the_model_is_told_says_what_to_do() -> None:
    """An unknown name is answered with the name, suggestions, and the way to list what there is."""
    _, script = converse(APP, [wished(("c1", "product_gt", {})), said("x")])
    text = results(script.requests[1])[0][1]
    assert text.startswith('Error: there is no function named "product_gt". Did you mean ')
    assert "exact name" in text
    assert text.endswith("Nothing was executed.")


@pytest.mark.parametrize("separator", ["_", "-", "a1b", ""])
@pytest.mark.parametrize("qualify", ["always", "never", "on_conflict", "all_on_conflict"])
@pytest.mark.parametrize("collapse", [True, False])
def test_r08_options_combine(separator: str, qualify: Any, collapse: bool) -> None:  # noqa: FBT001
    """Every naming option works with every other: names are legal, unique, and found."""
    policy = calling.NamePolicy(separator=separator, qualify=qualify, collapse=collapse)
    catalog = calling.Catalog(policy=policy).add(api("/a"), namespace="x")
    catalog = catalog.add(api("/b"), namespace="y")
    for entry in catalog.entries:
        assert LEGAL.fullmatch(entry.name)
        assert catalog.resolve(entry.name).name == entry.name


@pytest.mark.parametrize(
    ("qualify", "expected"),
    [
        ("always", ["x_a_get", "y_a_get", "y_b_get"]),
        ("on_conflict", ["x_a_get", "y_a_get", "b_get"]),
        ("all_on_conflict", ["x_a_get", "y_a_get", "y_b_get"]),
    ],
)
def test_r09_the_namespace_is_left_out_where_it_can_be(qualify: Any, expected: list[str]) -> None:
    """The namespace stands in all names, only in those that meet, or in all as soon as two meet."""
    policy = calling.NamePolicy(qualify=qualify)
    catalog = calling.Catalog(policy=policy).add(api("/a"), namespace="x")
    catalog = catalog.add(api("/a", "/b"), namespace="y")
    assert [entry.name for entry in catalog.entries] == expected


def test_r10_no_separator_to_get_wrong() -> None:
    """Names hold no character but ``_`` that a model could mistake for a separator."""
    assert not any(set(function.name) & set("-. /") for function in APP)


def test_r11_names_without_namespaces_are_shorter() -> None:
    """What is left out of names is not paid for."""
    sizes = {}
    for qualify in ("always", "on_conflict"):
        policy = calling.NamePolicy(qualify=qualify)  # type: ignore[arg-type]
        catalog = calling.Catalog(policy=policy).add(APP, namespace="warehouse")
        sizes[qualify] = sum(len(entry.name) for entry in catalog.entries)
    assert sizes["on_conflict"] < sizes["always"]


def test_r12_duplicates_are_told_when_built_and_never_first_wins() -> None:
    """Two functions of one name are qualified, or refused when the catalog is built; a bare name is ambiguous."""
    catalog = calling.Catalog().add(api("/a"), namespace="x").add(api("/a"), namespace="y")
    assert [entry.name for entry in catalog.entries] == ["x_a_get", "y_a_get"]
    assert catalog.resolve("a_get").name is None
    never = calling.Catalog(policy=calling.NamePolicy(qualify="never")).add(
        api("/a"), namespace="x"
    )
    with pytest.raises(specfn.errors.UsageError, match="a_get"):
        never.add(api("/a"), namespace="y")


def test_r13_names_do_not_depend_on_the_order_of_applications() -> None:
    """On a conflict both are qualified, whichever came first."""
    one = calling.Catalog().add(api("/a"), namespace="x").add(api("/a", "/b"), namespace="y")
    other = calling.Catalog().add(api("/a", "/b"), namespace="y").add(api("/a"), namespace="x")
    assert {e.name for e in one.entries} == {e.name for e in other.entries}


def test_r14_names_keep_their_context() -> None:
    """The path's segments stay in the name, so that ``get`` says of what."""
    assert [function.name for function in api("/weather/data", "/stocks/data")] == [
        "weather_data_get",
        "stocks_data_get",
    ]


def test_r15_the_namespace_may_stand_in_descriptions() -> None:
    """Where a name lacks the namespace, descriptions can begin with it."""
    policy = calling.NamePolicy(qualify="never", namespace_in_description=True)
    catalog = calling.Catalog(policy=policy).add(api("/data"), namespace="weather")
    assert catalog.entries[0].description.startswith("[weather]")


def test_r16_another_letter_only_suggests() -> None:
    """``b0r`` for ``bar`` is suggested, not called."""
    found = api("/bar").resolve("b0r_get")
    assert (found.name, found.candidates) == (None, ("bar_get",))


@pytest.mark.parametrize(
    ("namespace", "expected"), [("shop", "shop_a_get"), (None, "foo_api_a_get"), ("", "a_get")]
)
def test_r17_the_namespace_is_given_inferred_or_left_out(namespace: Any, expected: str) -> None:
    """A namespace is what is given; made of the title where it is ``None``; left out where it is empty."""
    policy = calling.NamePolicy(qualify="always")
    catalog = calling.Catalog(policy=policy).add(api("/a", title="Foo API"), namespace=namespace)
    assert catalog.entries[0].name == expected


@pytest.mark.parametrize("separator", ["_", "__", "-", "a1b"])
def test_r18_the_separator_is_the_callers(separator: str) -> None:
    """Any legal run of characters may separate; one that no provider takes is refused."""
    policy = calling.NamePolicy(separator=separator, qualify="always")
    catalog = calling.Catalog(policy=policy).add(api("/a"), namespace="x")
    assert catalog.entries[0].name == f"x{separator}a_get"
    with pytest.raises(specfn.errors.UsageError):
        calling.NamePolicy(separator=".")


@given(st.from_regex(r"[A-Za-z_]{1,12}", fullmatch=True))
def test_r19_separators_within_names_do_no_harm(namespace: str) -> None:
    """A name is found whatever its namespace holds."""
    policy = calling.NamePolicy(qualify="always")
    catalog = calling.Catalog(policy=policy).add(APP, namespace=namespace)
    for entry in catalog.entries:
        assert catalog.resolve(entry.name).name == entry.name


def test_r20_the_separator_may_be_taken_out_of_the_parts() -> None:
    """With ``collapse`` the separator stands in a name once."""
    policy = calling.NamePolicy(separator="_", qualify="always", collapse=True)
    catalog = calling.Catalog(policy=policy).add(api("/my/data"), namespace="my_api")
    assert catalog.entries[0].name == "myapi_mydataget"


def test_r21_a_shortened_name_is_suggested() -> None:
    """``my_func`` for ``my_function`` leads to the suggestion, not to a call."""
    found = api("/plugin/my_function").resolve("plugin_my_func_get")
    assert (found.name, found.candidates) == (None, ("plugin_my_function_get",))


def test_r22_one_policy_holds_for_all() -> None:
    """Separator and qualification are one record, given once."""
    policy = calling.NamePolicy(separator="__", qualify="always")
    catalog = calling.Catalog(policy=policy).add(api("/a"), namespace="x")
    assert [e.name for e in catalog.add(api("/b"), namespace="y").entries] == [
        "x__a_get",
        "y__b_get",
    ]


def test_r23_no_separator_at_all() -> None:
    """With an empty separator names are joined directly, and found."""
    policy = calling.NamePolicy(separator="", qualify="always")
    catalog = calling.Catalog(policy=policy).add(api("/bar"), namespace="foo")
    assert catalog.resolve("foobar_get").name == "foobar_get"


def test_r24_a_custom_parser_is_a_hook() -> None:
    """A caller's reading of names is asked before the built-in repairs, and its answer must be offered."""

    def last(called: str) -> str | None:
        return {"the lamps": LIST}.get(called)

    catalog = calling.Catalog(policy=calling.NamePolicy(hooks=(last,))).add(APP, namespace="")
    assert catalog.resolve("the lamps").how == "hook"
    assert catalog.resolve("the lamps", advertised=[]).name is None


def test_r25_a_hook_may_return_the_function() -> None:
    """A hook may answer with the function itself."""
    hooks = (lambda _: APP[LIST],)
    catalog = calling.Catalog(policy=calling.NamePolicy(hooks=hooks)).add(APP, namespace="")
    assert catalog.resolve("whatever").name == LIST


def test_r26_hooks_are_of_a_catalog() -> None:
    """Heuristics for one model concern that catalog's conversations, and no others."""
    hooks = (lambda _: LIST,)
    hooked = calling.Catalog(policy=calling.NamePolicy(hooks=hooks)).add(APP, namespace="")
    assert hooked.resolve("zzz").name == LIST
    assert calling.Catalog.of(APP).resolve("zzz").name is None


def test_r27_namespaces_with_separators_are_found() -> None:
    """Names whose namespace holds separators are found under every separator."""
    app = api("/shoppings/customers/sale_snapshots/reviews")
    (function,) = app
    for kind, called in mutations(function):
        if kind in REPAIRED:
            assert app.resolve(called).name == function.name


def test_r28_the_error_names_what_was_called() -> None:
    """The answer to an unknown name quotes it, as JSON, cut to a bearable length."""
    for called in ("fo\no", "x" * 500, 'a"b', "\u202eabc"):
        _, script = converse(APP, [wished(("c1", called, {})), said("x")])
        text = results(script.requests[1])[0][1]
        assert json.dumps(called[:20], ensure_ascii=True)[1:-1][:20] in text
        assert len(text) < 1500
        assert not any(unicodedata.category(sign) in ("Cc", "Cf") for sign in text)


def test_r29_the_hint_to_recover_is_added_once() -> None:
    """The system text gets the hint once, whatever it was and however often; and it can be left out."""
    for messages in (
        "hi",
        [{"role": "system", "content": "Be nice."}, {"role": "user", "content": "x"}],
    ):
        outcome, script = converse(APP, [said("x")], messages=messages)
        (system,) = [m for m in script.requests[0]["messages"] if m["role"] == "system"]
        assert system["content"].count(RECOVERY) == 1
        _, again = converse(APP, [said("x")], messages=list(outcome.messages))
        assert json.dumps(again.requests[0]).count(RECOVERY[:40]) == 1
    _, script = converse(APP, [said("x")], config=calling.InvocationConfig(recovery_hint=False))
    assert RECOVERY not in json.dumps(script.requests[0])


def test_r30_what_never_recovers_ends_with_its_trail() -> None:
    """After the repair rounds the conversation ends, with everything that was tried."""
    lines = [wished((f"c{i}", f"nope{i}", {})) for i in range(9)]
    outcome, _ = converse(APP, lines, config=calling.InvocationConfig(max_repair_rounds=2))
    assert (outcome.stopped, outcome.rounds, len(outcome.calls)) == ("repair_limit", 3, 3)
    assert outcome.explain().count("no such function") == 3


@given(st.text(min_size=1, max_size=40))
def test_r31_echoed_names_never_become_another_function(called: str) -> None:
    """A name made legal is no real function's, unless it was that name."""
    made = legal_name(called, taken=[LIST, "foo_bar"])
    assert called == made or made not in (LIST, "foo_bar")


def test_r32_errors_and_echoes_are_there_without_asking() -> None:
    """The called name in errors and legal echoes need no option."""
    _, script = converse(APP, [wished(("c1", "foo.bar", {})), said("x")])
    call = script.requests[1]["messages"][-2]["tool_calls"][0]["function"]["name"]
    assert call == "foo_bar"
    assert '"foo.bar"' in results(script.requests[1])[0][1]


def test_r33_repairs_can_be_counted() -> None:
    """The outcome says of every call how its name was read, so that one sees whether repairs are needed."""
    outcome, _ = converse(
        APP, [wished(("c1", LIST, {}), ("c2", "products.get", {}), ("c3", "x", {})), said("x")]
    )
    assert [call.how for call in outcome.calls] == ["exact", "separator", None]
