"""What a request offers and demands: the choice of the prompt, within what the operator and the vendor allow (C2, C3)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from specfn.calling.catalog import Catalog
from specfn.calling.choice import Choice, Round
from specfn.calling.config import InvocationConfig
from specfn.calling.offer import Offer, offer
from specfn.calling.state import State
from specfn.catalog.fits import Fits
from specfn.connectors.codec import Codec
from specfn.connectors.turn import Demand, Mode


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What one request asks.

    Attributes:
        mode: may, must or must not the model call, as the choice wants it.
        offer: the functions.
        demand: what the vendor is asked for; less than the mode where it cannot do it.
        missing: what the vendor cannot do, a short word each.
    """

    mode: Mode
    offer: Offer
    demand: Demand
    missing: tuple[str, ...] = ()


class Planner:
    """Plans requests; tools are made once for each set of functions."""

    def __init__(
        self,
        catalog: Catalog,
        codec: Codec,
        choice: Choice,
        config: InvocationConfig,
        extra: Mapping[str, Any],
    ) -> None:
        self._catalog: Final = catalog
        self._codec: Final = codec
        self._choice: Final = choice
        self._config: Final = config
        self._extra: Final = extra
        self._allowed: Final = frozenset(entry.name for entry in catalog.select(config.allow))
        self._fits: Final = Fits()
        self._offers: Final[dict[tuple[str, ...], Offer]] = {}
        first = choice.plan(Round(index=0, executed=0))
        #: Whether calls are only reported: the choice forbids them from the first request on.
        self.dry: Final = first.mode == "none"
        self._offered(first.functions)  # a name that there is not is said now

    def plan(self, state: State) -> Asked:
        """What the next request asks.

        Raises:
            UnknownFunctionError: the choice names a function that there is not.
        """
        plan = self._choice.plan(Round(index=state.round, executed=state.executed))
        offered = self._offered(plan.functions)
        mode: Mode = "none" if state.final or not offered.names else plan.mode
        options, missing = self._choice.options, []
        asked: Mode = mode
        if mode == "required" and not self._forced():
            missing.append("forced_choice")
            asked = "auto"
        if options.allow_parallel_calls is not None and not self._codec.parallel:
            missing.append("parallel_calls")
        missing += [f"function {left.function}" for left in offered.listed.left_out]
        demand = Demand(mode=asked, parallel=options.allow_parallel_calls)
        return Asked(mode=mode, offer=offered, demand=demand, missing=tuple(missing))

    def _forced(self) -> bool:
        said = self._config.forced_choice
        return self._codec.forced(self._extra) if said is None else said

    def _offered(self, keys: tuple[str, ...] | None) -> Offer:
        """The tools of the functions that a plan names, within what the operator allows."""
        entries = [e for e in self._catalog.select(keys) if e.name in self._allowed]
        names = tuple(entry.name for entry in entries)
        if names not in self._offers:
            strict = self._choice.options.allow_strict_schema_adherence
            self._offers[names] = offer(entries, self._codec.profile, self._fits, strict=strict)
        return self._offers[names]
