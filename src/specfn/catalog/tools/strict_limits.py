"""Limits of a request for enforced tools."""

from operator import add

from specfn.schema.profiles.fit import Fit
from specfn.schema.profiles.lint import costs
from specfn.schema.profiles.profile import Profile


class StrictToolCounter:
    """A counter of the enforced tools of one request, their optional properties and their unions."""

    def __init__(self, profile: Profile) -> None:
        limits = profile.strict
        self._name = profile.name
        self._most = {
            "tools": limits and limits.tools,
            "optional properties": limits and limits.optional,
            "unions": limits and limits.unions,
        }
        self._spent = (0, 0, 0)

    @property
    def is_limited(self) -> bool:
        """Return whether the provider limits the enforced tools of a request."""
        return any(self._most.values())

    def refusal(self, fit: Fit) -> str | None:
        """Count a tool and return ``None``, or return the reason why the tool exceeds a limit."""
        if not fit.strict or not self.is_limited:
            return None
        spent = tuple(map(add, self._spent, (1, *costs(fit.schema))))
        for count, (what, limit) in zip(spent, self._most.items(), strict=True):
            if limit is not None and count > limit:
                return f"{self._name} enforces at most {limit} {what} of one request"
        self._spent = spent
        return None


def shows_null(fit: Fit) -> bool:
    """Return whether optional properties were rendered as required ones that accept null."""
    return fit.strict and fit.profile.strict is not None and fit.profile.strict.required
