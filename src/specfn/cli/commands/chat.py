"""The subcommand ``specfn chat``: a conversation in which a model calls functions."""

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import click

from specfn._internal.characters import one_line
from specfn._internal.json import dumps, loads
from specfn._internal.url import url_without_secrets
from specfn.cli import connect, output, source
from specfn.cli import shared_options as shared
from specfn.cli.errors import EXIT_FAILURE, in_options
from specfn.cli.progress import Progress
from specfn.cli.select import select_functions
from specfn.cli.terminal import is_terminal
from specfn.connectors.registry import CODECS, codec
from specfn.connectors.registry import DEFAULT as DEFAULT_CONNECTOR
from specfn.errors import SpecfnError, TransportError, UsageError
from specfn.settings import DEFAULT

if TYPE_CHECKING:
    from specfn.calling.outcome import Outcome
    from specfn.calling.session import Session
    from specfn.connectors.wire_format import Codec
    from specfn.http.connection import Connection
    from specfn.http.response.response import Result
    from specfn.invocation.approval import ApprovalRequest, Deny

#: The limits of a reply of the model: seconds for the whole reply, and bytes after decompression.
MAX_REPLY_SECONDS: Final = 300.0
MAX_REPLY_BYTES: Final = 16 * 1024 * 1024


def _connectors() -> list[str]:
    """Return the names of the connectors that need no more than a key."""
    return [name for name in CODECS if codec(name).endpoint is not None]


@shared.command(
    "chat",
    "specfn chat openapi.yaml 'Which lamps are there?' --model MODEL --model-url https://llm.example.com/v1 "
    "--base-url https://shop.example.com",
    "specfn chat openapi.yaml --select 'GET *' --model MODEL --model-url http://localhost:8000/v1 "
    "--base-url https://shop.example.com",
)
@source.argument
@click.argument("message", required=False)
@connect.options
@click.option("--model", metavar="NAME", required=True, help="The model's name.")
@click.option(
    "--model-url",
    metavar="URL",
    required=True,
    help="URL of the model's API, e.g. https://host/v1.",
)
@shared.long_choice(
    "--connector", "connector", _connectors, "The wire format of the model.", DEFAULT_CONNECTOR
)
@click.option("--key-env", metavar="NAME", help="Environment variable that holds the model's key.")
@shared.select
@click.option("--system", metavar="TEXT", default="", help="System prompt.")
@shared.answer_limit
@shared.yes
def command(spec: str, message: str | None, **settings: Any) -> int:
    """Talk to a model that calls the functions of SPEC.

    With MESSAGE, the model replies once. Without it, each line of stdin is a message. A call that changes
    data needs a confirmation. The model's key is read from the environment.

    After an error of the model's server, an empty line on a terminal sends the request again.
    """
    wire = codec(settings["connector"])
    ask = _requester(wire, settings)
    with Progress() as progress:
        answer_limit = settings["answer_limit"] or DEFAULT.answer_limit
        options = DEFAULT._replace(answer_limit=answer_limit)
        application = source.application(spec, options, progress)
    if not application.functions:
        raise UsageError("the document has no functions; specfn inspect lists the reasons")
    connection = connect.connection(application.functions[0].api, settings)
    application = replace(application, functions=select_functions(application, settings["globs"]))
    conversation = _Conversation(application, wire, ask, connection, settings)
    code, line = 0, _line() if message is None else message
    while line is not None:
        if line.strip() or conversation.unanswered is not None:
            code = _send(conversation, line)
        if message is not None and conversation.unanswered is None:
            break
        line = _line()
    return code


def _send(conversation: "_Conversation", line: str) -> int:
    """Send a message, or the last request again; offer to repeat a failed request on a terminal.

    Raises:
        SpecfnError: the request failed, and stdin is not a terminal.
    """
    try:
        return conversation.send(line)
    except SpecfnError as error:
        if conversation.unanswered is None or not is_terminal(sys.stdin):
            raise
        output.complain(in_options(str(error)), "bad")
        output.complain("Return sends the request again; other text is your next message")
        return EXIT_FAILURE


class _Conversation:
    """A conversation with its history."""

    def __init__(
        self,
        application: Any,
        wire: "Codec",
        ask: Callable[[dict[str, Any]], Any],
        connection: "Connection",
        settings: dict[str, Any],
    ) -> None:
        self._application = application
        self._wire = wire
        self._ask = ask
        self._connection = connection
        self._settings = settings
        system = settings["system"]
        self._messages: list[Any] = [{"role": "system", "content": system}] if system else []
        self._told: set[str] = set()
        #: The session whose last request the model's server did not answer.
        self.unanswered: Session | None = None

    def send(self, text: str) -> int:
        """Send a message, print the reply and return an exit code. A blank one sends the unanswered request again.

        Raises:
            SpecfnError: the model's server did not answer. What was executed is kept for the next message.
        """
        from specfn import calling  # noqa: PLC0415  # only for conversations

        if text.strip() or self.unanswered is None:
            self._messages.append({"role": "user", "content": text})
            self.unanswered = calling.Session(
                self._application,
                connector=self._wire,
                model=self._settings["model"],
                messages=self._messages,
                choice=calling.Auto(),
                on_event=_show,
            )
        try:
            outcome: Outcome = calling.run(
                self.unanswered,
                self._ask,
                connection=self._connection,
                approve=(lambda _: True) if self._settings["yes"] else self._approve,
            )
        except SpecfnError as error:
            so_far = getattr(error, "specfn_outcome", None)
            self._messages = self._messages if so_far is None else list(so_far.messages)
            raise
        self.unanswered = None
        self._messages = list(outcome.messages)
        self._report(outcome)
        if outcome.text:
            output.write_text(outcome.text)
            output.flush()
        if outcome.stopped != "model_text":
            output.complain(f"the conversation ended: {outcome.stopped}")
        return 0 if outcome.stopped in ("model_text", "denied") else 1

    def _approve(self, request: "ApprovalRequest") -> "bool | Deny":
        """Ask for confirmation; refuse without a terminal, or if the arguments are too large to be shown."""
        from specfn.invocation.approval import Deny  # noqa: PLC0415  # only for conversations
        from specfn.invocation.approval_form import CallToApprove, approval_form  # noqa: PLC0415  # only for conversations

        function = self._application[request.function]
        call = CallToApprove(name=request.function, function=function, arguments=request.arguments)
        text = approval_form([call]).text
        if not text:
            output.complain(
                f"not sent: the arguments of {request.function} are too large to be shown"
            )
            return Deny(
                reason="the arguments are too large to be shown; split the call into several"
            )
        click.echo(text, err=True)
        if not is_terminal(sys.stdin):
            output.complain(
                "not sent: stdin is not a terminal; pass --yes to send without confirmation"
            )
            return False
        return click.confirm("Send this request?", default=False, err=True)

    def _report(self, outcome: "Outcome") -> None:
        """Write the called names without a function, and once what is not available."""
        for call in outcome.calls:
            if call.function is None:
                output.complain(f"no such function: {call.called!r}")
        for word in outcome.degraded:
            if word not in self._told:
                self._told.add(word)
                output.complain(f"not available: {in_options(word)}")


def _requester(wire: "Codec", settings: dict[str, Any]) -> Callable[[dict[str, Any]], Any]:
    """Return a function that sends a request to the model; its errors never contain the key.

    The model's server is read within limits, through the transport of calls (threat T45).
    """
    from specfn.http.request.request import DEFAULT_HEADERS  # noqa: PLC0415  # only for conversations
    from specfn.network.origins import parse  # noqa: PLC0415  # only for conversations

    endpoint = wire.endpoint
    assert endpoint is not None  # the option lists no other connectors
    variable = settings["key_env"] or endpoint.variable
    key = os.environ.get(variable, "")
    if not key and settings["key_env"]:
        raise UsageError(
            f"the environment variable {variable} (--key-env) is not set; set it to the model's key"
        )
    connect.refuse_placeholder(f"model's key in {variable}", key)
    url = settings["model_url"].rstrip("/") + endpoint.path.format(model=settings["model"])
    headers = {"Accept": "application/json", "Content-Type": "application/json", **DEFAULT_HEADERS}
    headers |= endpoint.headers
    if key:
        headers[endpoint.header] = endpoint.prefix + key
    try:
        origin = parse(settings["model_url"]).origin
    except ValueError as error:
        raise UsageError(f"--model-url {error}") from None

    def hide(text: str) -> str:
        return text.replace(key, "***") if key else text

    def ask(request: dict[str, Any]) -> Any:
        try:
            reply = _reply(origin, url, headers, dumps(request))
        except TransportError as error:
            text = f"the model could not be reached: {hide(str(error))}; check --model-url"
            raise TransportError(text) from None
        if reply.truncated:
            stopped = [note.text for note in reply.notes if "was stopped" in note.text]
            reason = stopped[0] if stopped else f"it has more than {MAX_REPLY_BYTES:,} bytes"
            raise TransportError(f"the model's response is incomplete: {reason}")
        if not reply.ok:
            detail = hide(_text(reply.data).strip())[:500]
            advice = "; check --model-url" if reply.status == 404 else ""
            raise SpecfnError(
                f"the model's server at {hide(url_without_secrets(url))} responded {reply.status}: {detail}{advice}"
            )
        try:
            return loads(reply.data) if isinstance(reply.data, str | bytes) else reply.data
        except ValueError:
            raise TransportError(
                "the model's server responded with invalid JSON; check --model-url and --connector"
            ) from None

    return ask


def _reply(origin: str, url: str, headers: dict[str, str], content: bytes) -> "Result":
    """Send a request to the model's server, and read the response within the limits.

    Raises:
        TransportError: no complete response was received.
    """
    import httpx  # noqa: PLC0415  # only when something is sent

    from specfn.http.connection import Connection, Timeout  # noqa: PLC0415  # only when something is sent
    from specfn.http.redacted_request import redacted_request  # noqa: PLC0415  # only when something is sent
    from specfn.http.transport.send import forward  # noqa: PLC0415  # only when something is sent

    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    limits = Timeout(read=MAX_REPLY_SECONDS, total=MAX_REPLY_SECONDS)
    with Connection(base_url=origin, timeout=limits, max_bytes=MAX_REPLY_BYTES) as connection:
        return forward(redacted_request("POST", httpx.URL(url), pairs, content), connection)


def _text(data: Any) -> str:
    if isinstance(data, bytes):
        return data.decode(errors="replace")
    return data if isinstance(data, str) else "" if data is None else dumps(data).decode()


def _line() -> str | None:
    """Read the next line of stdin; ``None`` at its end."""
    if sys.stdin is None:
        return None
    if is_terminal(sys.stdin):
        click.echo("> ", nl=False, err=True)
    line = sys.stdin.readline()
    return line.rstrip("\n") if line else None


def _show(event: Any) -> None:
    """Print an event of the conversation to stderr."""
    from specfn.calling import events  # noqa: PLC0415  # only for conversations

    line = ""
    if isinstance(event, events.Resolved) and event.function:
        line = f"? {event.function}" + (
            f" (repaired: {event.how})" if event.status == "repaired" else ""
        )
    elif isinstance(event, events.Checked) and (event.repairs or event.problems):
        line = f"  repaired: {', '.join(event.repairs)}" if event.repairs else ""
        if event.problems:
            line = f"  invalid: {', '.join(event.problems)}"
    elif isinstance(event, events.Executed):
        line = f"  {event.function}: HTTP {event.status}" if event.status else "  no response"
    if line:
        click.echo(
            f"{line[:2]}{one_line(line[2:])}", err=True
        )  # after the mark, names from a model
