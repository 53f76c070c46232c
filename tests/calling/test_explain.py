"""The trail of a conversation: every reason, in a bounded text."""

import operator
import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.calling.models import Script, said, wished
from tests.calling.shop import APP, NOWHERE

from specfn import calling
from specfn.calling import CallContext, CallRecord, Outcome
from specfn.records import Repair

LINE = re.compile(r"round \d+: |\d+ requests|   |not available: ?|\.\.\. and \d+ more")

long_texts = st.text(max_size=20) | st.integers(0, 1_000).map(lambda size: "x\n" * size)
#: Many errors or repairs, few of which differ: drawing each of them takes long.
repeated = st.integers(0, 50)
records = st.builds(
    CallRecord,
    id=st.just("c"),
    round=st.integers(0, 9),
    called=long_texts,
    function=st.none() | st.just("f"),
    errors=st.builds(operator.mul, st.tuples(long_texts), repeated),
    repairs=st.builds(
        operator.mul,
        st.tuples(
            st.builds(Repair, path=long_texts, kind=st.just("k"), before=st.none(), after=st.none())
        ),
        repeated,
    ),
    executed=st.booleans(),
    status=st.none() | st.just(500),
    result=long_texts,
    error=st.booleans(),
)


@given(
    st.lists(records, max_size=5), st.integers(1, 100), st.lists(long_texts, max_size=5).map(tuple)
)
def test_the_trail_is_bounded(
    calls: list[CallRecord], times: int, degraded: tuple[str, ...]
) -> None:
    """Whatever a model and servers wrote, the trail has a bounded length and no line of their own."""
    outcome = Outcome(
        text="", calls=tuple(calls) * times, stopped="limit", degraded=degraded * times
    )
    trail = outcome.explain()
    assert len(trail) < 100_000
    assert all(LINE.match(line) for line in trail.splitlines())


async def _hold(_: CallContext, __: Any) -> None:
    """Hold a call back."""


async def _fail(_: CallContext, __: Any) -> None:
    raise RuntimeError("canary")


LAMP = {"body": {"name": "Lamp", "price": 49.9, "stock": 3}}
LIST = ("c1", "products_get", {})


def _trail(*calls: Any, **settings: Any) -> str:
    script = Script([wished(*calls), said("x")])
    arguments = {"connector": "openai", "messages": "hi", "connection": NOWHERE, **settings}
    return calling.run(APP, script, **arguments).explain()


def test_every_reason_is_in_the_trail() -> None:
    """A call that was not sent, or failed, has its reason in the trail, whatever the reason is."""
    cut = wished(LIST)
    cut["choices"][0]["finish_reason"] = "length"
    limited = calling.InvocationConfig(max_calls_per_round=1)
    trails = {
        "unknown name": (_trail(("c1", "nothing", {})), "no such function"),
        "arguments": (_trail(("c1", "products_post", {"body": {"name": 1}})), "$input.body.price"),
        "nobody to ask": (_trail(("c1", "products_post", LAMP)), "no user is available"),
        "denied": (
            _trail(
                ("c1", "products_post", LAMP), approve=lambda _: calling.Deny(reason="too dear")
            ),
            "too dear",
        ),
        "no server": (_trail(LIST), "GET /products"),
        "held back": (_trail(LIST, filters=[_hold]), "a filter blocked it"),
        "filter fails": (_trail(LIST, filters=[_fail]), "RuntimeError in a filter"),
        "too many": (_trail(LIST, ("c2", "products_get", {}), config=limited), "at most 1"),
        "planned": (_trail(LIST, choice="none"), "only planned"),
        "cut off": (
            calling.run(
                APP, Script([cut, said("x")]), connector="openai", messages="hi", connection=NOWHERE
            ).explain(),
            "cut off",
        ),
    }
    assert [name for name, (trail, reason) in trails.items() if reason not in trail] == []
