"""Calls that a person tries in the page: checked as a model's call, shown as a request, and sent after approval."""

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from functools import cache, partial
from typing import Any, Final

from specfn._internal.json import JsonObject, dumps
from specfn.application.application import Application
from specfn.application.bound import Bound
from specfn.connectors import registry
from specfn.errors import SpecfnError, UsageError
from specfn.function.function import Function
from specfn.function.separation.join import is_shared, merge
from specfn.http.connection import Connection
from specfn.invocation import failure_texts
from specfn.invocation.answer import Answer
from specfn.invocation.approval_form import MAX_CHARACTERS, CallToApprove, approval_form
from specfn.invocation.check import check
from specfn.invocation.resolve import wrapper_names
from specfn.records import ArgumentProblem
from specfn.tools.fit_cache import FitCache
from specfn.tools.tool_set import ToolSet
from specfn.validation.outcome import Failure, Success, problems_json, repairs_json, text_of_bytes
from specfn.validation.plain_types import plain

#: The base URL of requests that are shown only, and its replacement in the page.
_NO_SERVER: Final = "https://base-url.invalid"
_SERVER: Final = "{base-url}"

#: The human part of the call that is sent.
_HUMAN: ContextVar[Any] = ContextVar("human part", default=None)


class TriedCalls:
    """Calls of an application's functions, with the names of a profile."""

    def __init__(self, application: Application, connection: "Connection | None") -> None:
        """Try calls of an application; without a connection, they are only checked."""
        self._application = application
        self._connection = connection
        self._fits = FitCache()
        self.tools = cache(self._tools)
        self._bound = cache(self._bind)

    def _tools(self, profile: str) -> ToolSet:
        """Return the tools of a profile.

        Raises:
            UsageError: there is no such profile.
        """
        return ToolSet(self._application.entries, registry.profile(profile), self._fits)

    def _bind(self, profile: str) -> Bound:
        if self._connection is None:
            raise UsageError("calls cannot be sent: start the inspector with --base-url URL")
        return self._application.bind(self._connection, profile=profile, fill=_fill)

    # -- checks -----------------------------------------------------------------------------------

    def check(self, name: str, profile: str, text: str, human: Any) -> JsonObject:
        """Check a text that a model would send, and return the verdict, the feedback and the request.

        Raises:
            UsageError: there is no such profile, or the profile refuses the function.
        """
        function = self._application[name]
        outcome = self._outcome(function, profile, text)
        verdict = {
            "valid": bool(outcome),
            "incomplete": outcome.incomplete,
            "data": text_of_bytes(outcome.data),
            "repairs": repairs_json(outcome.repairs),
            "errors": _in_words(() if outcome else outcome.errors),
            "feedback": None if outcome else outcome.feedback(),
        }
        if isinstance(outcome, Success) and outcome.incomplete and function.safety != "read":
            verdict |= {"valid": False, "feedback": failure_texts.incomplete(function.name)}
        return {
            **verdict,
            **(self._request(function, outcome.data, human) if verdict["valid"] else {}),
        }

    def _outcome(self, function: Function, profile: str, text: str) -> Success | Failure:
        offered = self.tools(profile)
        if function.name not in offered:
            raise UsageError(str(function.fault))
        offered.tool(function.name)  # raises if the provider refuses it
        names = partial(wrapper_names, function.name, self._application, offered)
        return check(self._application.by_name[function.name], text, offered, names)

    def _request(self, function: Function, arguments: Any, human: Any) -> JsonObject:
        """Return the masked request of valid arguments, or the problems of the human part."""
        from specfn.http.dry_run import dry_run  # noqa: PLC0415  # httpx is imported on first use

        schemes = dict.fromkeys(function.api.security_schemes, "masked")
        connection = self._connection or Connection(base_url=_NO_SERVER, credentials=schemes)
        try:
            if is_shared(function):
                arguments = merge(function, llm=arguments, human=human)
                problems = function.problems(arguments)
                if problems:
                    return {"human": [_without_value(problem) for problem in _in_words(problems)]}
            request = dry_run(function, arguments, connection)
        except SpecfnError as error:
            return {"unsendable": str(error)}
        if self._connection is None:
            for key in ("url", "curl"):
                request[key] = request[key].replace(_NO_SERVER, _SERVER)
        request["headers"].pop("Host", None)
        return {"request": request}

    # -- calls ------------------------------------------------------------------------------------

    async def send(
        self, name: str, profile: str, text: str, human: Any, token: str | None
    ) -> JsonObject:
        """Send a call. A call that changes data waits for the approval: it is sent if its token is passed again.

        Raises:
            UsageError: there is no connection, or it is unsuitable.
        """
        bound = self._bound(profile)
        tool = self.tools(profile).tool_names[self._application[name].name]
        _HUMAN.set(human)
        answer = await bound[tool].aoutcome(text, granted=token)
        pending = answer.pending
        if pending is None:
            return answer.as_json()
        function = self._application[name]
        call = CallToApprove(name=pending.function, function=function, arguments=pending.arguments)
        form = approval_form([call]).text
        if not form:
            text = failure_texts.too_large_to_approve(pending.function, MAX_CHARACTERS)
            return Answer(text=text, kind="refused", repairs=answer.repairs).as_json()
        result = answer.as_json()
        result["pending"] = {**result["pending"], "token": pending.token, "form": form}
        return result

    def safe_json(self, value: Any) -> bytes:
        """Return JSON text in which every secret of the connection is masked, even if the server returned it."""
        from specfn.http.masking import Masking  # noqa: PLC0415  # imports httpx

        return dumps(Masking(self._connection).apply(value))


def _in_words(problems: Sequence[ArgumentProblem]) -> list[JsonObject]:
    """Return problems as JSON, with ``words``, the expected value for a person."""
    return [
        {
            **item,
            "words": f"expected {plain(problem.expected)}"
            if problem.expected != "undefined"
            else "not a property here",
        }
        for problem, item in zip(problems, problems_json(problems), strict=True)
    ]


def _without_value(problem: JsonObject) -> JsonObject:
    """Return a problem of the human part without the value, which may be a secret."""
    return {key: value for key, value in problem.items() if key != "value"}


def _fill(_: Function, __: Any) -> Any:
    """Return the human part of the call that is sent."""
    return _HUMAN.get()


def text_member(body: Mapping[str, Any], name: str) -> str:
    """Return a text of a request.

    Raises:
        UsageError: it is missing, or no text.
    """
    value = body.get(name)
    if not isinstance(value, str):
        raise UsageError(f"the request needs a text {name!r}")
    return value
