"""Seventeen conversations, each one script in no vendor's words, carried out in the types of every vendor's package."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.live.vendors import VENDORS, Line, Seen, Vendor
from tests.strict_shop.server import Server, serve

import specfn
from specfn import calling
from specfn.connectors import codec

pytestmark = pytest.mark.filterwarnings("ignore")  # the packages' own

LIST, CREATE, CATEGORIES = "products_get", "products_post", "categories_get"
OFFERED = (LIST, CREATE, CATEGORIES)
LAMP = {"name": "Lamp", "price": 49.9, "stock": 3}
DONE = Line("Done.")

#: The beginnings of results that the model is to read as failures.
BAD = "Error: "
INVALID = "The arguments are invalid."
#: A result of a call that succeeded, or that a person declined.
GOOD = ""


def call(key: str, name: str, **arguments: Any) -> tuple[str, str, dict[str, Any]]:
    """Return a call of the model."""
    return key, name, arguments


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A conversation and everything that it must come to, whoever the vendor is.

    Attributes:
        lines: the replies of the model, in order.
        settings: arguments of ``run``.
        modes: what each request demands; there are as many requests as modes.
        only: the one function that the requests demand while a call is required.
        offered: how many functions each request offers; all in every request if empty.
        parallel: what each request says of parallel calls.
        calls: the function, the repair of its name, and the HTTP status of each call.
        results: how the result of each call begins, in the last request.
        stopped: why the conversation ends.
        text: the last words.
        degraded: what is reported as not available, whoever the vendor is.
    """

    lines: tuple[Line, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    modes: tuple[str, ...]
    only: str | None = None
    offered: tuple[int, ...] = ()
    parallel: bool | None = None
    calls: tuple[tuple[str | None, str | None, int | None], ...] = ()
    results: tuple[str, ...] = ()
    stopped: str = "model_text"
    text: str = "Done."
    degraded: frozenset[str] = frozenset()

    @property
    def single(self) -> bool:
        """No reply has several calls."""
        return all(len(line.calls) <= 1 for line in self.lines)


def choice(kind: type[calling.Choice], **more: Any) -> dict[str, Any]:
    """Return the settings of a choice among three functions."""
    return {"choice": kind(**{"functions": OFFERED, **more})}


AUTO = choice(calling.Auto)
LISTED = (LIST, "exact", 200)

SCENARIOS: dict[str, Scenario] = {
    "bad arguments, then recovery": Scenario(
        lines=(
            Line(calls=(call("c1", CREATE, body={"name": "Lamp", "price": "cheap"}),)),
            Line(calls=(call("c2", CREATE, body=LAMP),)),
            DONE,
        ),
        settings={**AUTO, "approve": lambda _: True},
        modes=("auto",) * 3,
        calls=((CREATE, "exact", None), (CREATE, "exact", 201)),
        results=(INVALID, GOOD),
    ),
    "unknown dotted name": Scenario(
        lines=(
            Line(calls=(call("c1", "warehouse.robots.dance"),)),
            Line(calls=(call("c2", LIST),)),
            DONE,
        ),
        settings=AUTO,
        modes=("auto",) * 3,
        calls=((None, None, None), LISTED),
        results=(f'{BAD}there is no function named "warehouse.robots.dance"', GOOD),
    ),
    "repaired dotted name": Scenario(
        lines=(Line(calls=(call("c1", "functions.products.get"),)), DONE),
        settings=AUTO,
        modes=("auto",) * 2,
        calls=((LIST, "separator", 200),),
        results=(GOOD,),
    ),
    "three parallel calls, one bad": Scenario(
        lines=(
            Line(
                calls=(
                    call("c1", LIST, query={"q": "Lamp"}),
                    call("c2", LIST, query={"limit": "many"}),
                    call("c3", CATEGORIES),
                )
            ),
            DONE,
        ),
        settings=AUTO,
        modes=("auto",) * 2,
        calls=(LISTED, (LIST, "exact", None), (CATEGORIES, "exact", 200)),
        results=(GOOD, INVALID, GOOD),
    ),
    "required": Scenario(
        lines=(Line(calls=(call("c1", LIST),)), DONE),
        settings=choice(calling.Required),
        modes=("required", "none"),
        calls=(LISTED,),
        results=(GOOD,),
    ),
    "required with one function": Scenario(
        lines=(Line(calls=(call("c1", LIST),)), DONE),
        settings=choice(calling.Required, functions=(LIST,)),
        modes=("required", "none"),
        only=LIST,
        offered=(1, 1),
        calls=(LISTED,),
        results=(GOOD,),
    ),
    "required, refused in prose": Scenario(
        lines=(Line("I would rather not."), Line("No.")),
        settings=choice(calling.Required),
        modes=("required", "required"),
        text="No.",
        degraded=frozenset({"forced_choice"}),
    ),
    "none": Scenario(
        lines=(Line(calls=(call("c1", LIST),)),),
        settings=choice(calling.NoCall),
        modes=("none",),
        calls=((LIST, "exact", None),),
        stopped="planned",
        text="",
    ),
    "no functions": Scenario(
        lines=(DONE,),
        settings=choice(calling.Auto, functions=()),
        modes=("none",),
        offered=(0,),
    ),
    "round limit": Scenario(
        lines=(
            Line(calls=(call("c1", LIST, query={"limit": 1}),)),
            Line(calls=(call("c2", LIST, query={"limit": 2}),)),
            Line("So far."),
        ),
        settings={**AUTO, "config": calling.InvocationConfig(max_rounds=2)},
        modes=("auto", "auto", "none"),
        calls=(LISTED, LISTED),
        results=(GOOD, GOOD),
        stopped="limit",
        text="So far.",
    ),
    "denied": Scenario(
        lines=(Line(calls=(call("c1", CREATE, body=LAMP),)), Line("I did not.")),
        settings={**AUTO, "approve": lambda _: calling.Deny(reason="too dear")},
        modes=("auto",) * 2,
        calls=((CREATE, "exact", None),),
        results=("The user declined this call.",),
        stopped="denied",
        text="I did not.",
    ),
    "the same id twice": Scenario(
        lines=(
            Line(calls=(call("c1", LIST, query={"limit": 1}), call("c1", CATEGORIES))),
            Line(calls=(call("c1", LIST, query={"limit": 2}),)),
            DONE,
        ),
        settings=AUTO,
        modes=("auto",) * 3,
        calls=(LISTED, (CATEGORIES, "exact", 200), LISTED),
        results=(GOOD,) * 3,
    ),
    "text and call together": Scenario(
        lines=(Line("Let me look.", (call("c1", LIST),)), DONE),
        settings=AUTO,
        modes=("auto",) * 2,
        calls=(LISTED,),
        results=(GOOD,),
    ),
    "empty text at the end": Scenario(
        lines=(Line(calls=(call("c1", LIST),)), Line("")),
        settings=AUTO,
        modes=("auto",) * 2,
        calls=(LISTED,),
        results=(GOOD,),
        stopped="empty",
        text="",
    ),
    "stop advertising": Scenario(
        lines=(Line(calls=(call("c1", LIST),)), DONE),
        settings=choice(calling.Required, after="stop_advertising"),
        modes=("required", "none"),
        offered=(3, 0),
        calls=(LISTED,),
        results=(GOOD,),
    ),
    "parallel calls off": Scenario(
        lines=(Line(calls=(call("c1", LIST),)), DONE),
        settings=choice(calling.Auto, options={"allow_parallel_calls": False}),
        modes=("auto",) * 2,
        parallel=False,
        calls=(LISTED,),
        results=(GOOD,),
    ),
    "strict with null": Scenario(
        lines=(
            Line(calls=(call("c1", LIST, query={"q": None, "limit": 1}),)),
            Line(calls=(call("c2", CREATE, body={**LAMP, "status": None, "tags": None}),)),
            DONE,
        ),
        settings={
            **choice(calling.Auto, options={"allow_strict_schema_adherence": True}),
            "approve": lambda _: True,
        },
        modes=("auto",) * 3,
        calls=(LISTED, (CREATE, "exact", 201)),
        results=(GOOD, GOOD),
    ),
}


@pytest.fixture(scope="module")
def shop() -> Iterator[Server]:
    with serve() as server:
        yield server


@pytest.fixture(scope="module")
def app(shop: Server) -> specfn.Application:
    return specfn.load(shop.document_url)


def carried_out(
    scenario: Scenario, vendor: Vendor, app: specfn.Application, shop: Server, *, stream: bool
) -> tuple[calling.Outcome, list[dict[str, Any]]]:
    """Return the outcome of a scenario, and the requests to the model as they were when they were sent."""
    lines = iter(scenario.lines)
    requests: list[dict[str, Any]] = []

    def send(request: dict[str, Any]) -> Any:
        requests.append(json.loads(json.dumps(request)))
        vendor.check(request)
        return vendor.reply(vendor.raw(next(lines)), stream=stream)

    outcome = calling.run(
        app,
        send,
        connection=specfn.Connection(base_url=shop.base_url, credentials={"bearer": shop.token}),
        connector=vendor.connector,
        profile=vendor.profile,
        messages="Look at the shop.",
        model="some-model",
        **scenario.settings,
    )
    assert next(lines, None) is None
    return outcome, requests


#: Scenarios and vendors; the deprecated form has no parallel calls and no ids.
CASES = [
    (scenario, vendor)
    for scenario in SCENARIOS
    for vendor in VENDORS
    if SCENARIOS[scenario].single or not VENDORS[vendor].single
]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize(("name", "of"), CASES)
def test_scenario(
    name: str, of: str, app: specfn.Application, shop: Server, *, stream: bool
) -> None:
    """A conversation comes to the same with every vendor, and each request is one by the vendor's own types."""
    scenario, vendor = SCENARIOS[name], VENDORS[of]
    before = len(shop.received)
    outcome, requests = carried_out(scenario, vendor, app, shop, stream=stream)
    assert (outcome.stopped, outcome.text) == (scenario.stopped, scenario.text)
    assert outcome.rounds == len(requests) == len(scenario.modes)
    found = tuple((call.function, call.how, call.status) for call in outcome.calls)
    assert found == scenario.calls
    sent = sum(status is not None for _, _, status in scenario.calls)
    assert len(shop.received) - before == sent == len(outcome.executed)
    assert "null" not in str([request.body for request in shop.received[before:]])
    seen = [vendor.seen(request) for request in requests]
    assert [each.mode for each in seen] == demanded(scenario, vendor)
    assert [each.only for each in seen if each.mode == "required"] == [
        scenario.only for each in seen if each.mode == "required"
    ]
    for index, each in enumerate(seen):
        assert len(each.offered) in offers(scenario, vendor, index)
        check_history(each, vendor)
    check_results(scenario, seen[-1])
    check_degraded(scenario, vendor, outcome, seen)


def demanded(scenario: Scenario, vendor: Vendor) -> list[str]:
    """Return what requests demand; with ``functions``, of several none can be demanded."""
    if vendor.connector != "openai-functions" or scenario.only:
        return list(scenario.modes)
    return ["auto" if mode == "required" else mode for mode in scenario.modes]


def offers(scenario: Scenario, vendor: Vendor, index: int) -> set[int]:
    """Return how many functions a request may offer.

    A vendor that needs the definitions beside a history with calls has them in every such request; one that cannot
    forbid calls does not have them in a first request that must not call.
    """
    count = scenario.offered[index] if scenario.offered else len(OFFERED)
    keeps = getattr(codec(vendor.connector), "keeps_tools", False)
    if count == 0 and keeps and index:
        return {len(OFFERED)}
    if vendor.connector == "bedrock" and scenario.modes[index] == "none" and not index:
        return {0}
    return {count}


LEGAL = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def check_history(seen: Seen, vendor: Vendor) -> None:
    """Check that each call of a history has a legal name, an id of its own, and one result, in order."""
    assert all(LEGAL.fullmatch(name) for _, name in seen.asked)
    ids = [key for key, _ in seen.asked]
    assert ids == [key for key, _ in seen.results]
    assert vendor.single or len(set(ids)) == len(ids)


def check_results(scenario: Scenario, last: Seen) -> None:
    """Check that each result is told as the success, failure or refusal that it is."""
    assert len(last.results) == len(scenario.results)
    for (_, text), begin in zip(last.results, scenario.results, strict=True):
        assert text.startswith(begin)
        assert begin or not text.startswith((BAD, INVALID))
    if last.failed:
        assert [*last.failed] == [begin != GOOD for begin in scenario.results]


def check_degraded(
    scenario: Scenario, vendor: Vendor, outcome: calling.Outcome, seen: list[Seen]
) -> None:
    """Check that what was asked for is in the requests, or reported as not available."""
    degraded = {word.split()[0] for word in outcome.degraded}
    assert scenario.degraded <= degraded
    assert degraded <= scenario.degraded | {"parallel_calls", "strict", "forced_choice"}
    if scenario.parallel is not None and "parallel_calls" not in degraded:
        assert {each.parallel for each in seen} == {scenario.parallel}
    if scenario.modes != tuple(demanded(scenario, vendor)):
        assert "forced_choice" in degraded
