"""A program that uses each public name, as a strict type checker of a caller sees it. It is checked, not run."""

from collections.abc import Sequence
from typing import Any

import specfn
from specfn import calling
from specfn.http.response.events import Event
from specfn.http.transport.event_stream import AsyncEventStream, EventStream


def documents(options: specfn.Options) -> specfn.Application:
    application = specfn.load(
        "openapi.yaml", options=options, headers={"X-Key": "k"}, auth=("u", "p")
    )
    text: specfn.Application = specfn.loads("{}", check="strict", expect=application.lock())
    whole: dict[str, Any] = specfn.normalize({"openapi": "3.1.0"})
    older = specfn.downgrade(whole)
    print(older, text.errors, application.tools("portable", select=["pets.*"]))
    print(
        application.tools(select={"tags": ["pets"]}),
        application.tools(select=lambda f: f.safety == "read"),
    )
    return application


def options() -> Sequence[specfn.Options]:
    return [
        specfn.Options(methods=["trace"], references=["https://example.com"], separate="files"),
        specfn.Options(separate=["files", specfn.human.any_of("secrets")], hidden={"tenant": True}),
        specfn.Options(select={"methods": ["get"]}, safety={"*.search": "read"}, recursive=False),
        specfn.Options(select=lambda function: "internal" not in function.tags),
    ]


def arguments(function: specfn.Function) -> Any:
    outcome: specfn.Success | specfn.Failure = function.check('{"limit": 1}')
    if isinstance(outcome, specfn.Failure):
        print(outcome.feedback(), [problem.path for problem in outcome.errors])
        return None
    return specfn.merge(function, llm=outcome.data, human={"body": {"password": "p"}})


def connections() -> Sequence[specfn.Connection]:
    return [
        specfn.Connection(
            base_url="https://api.example.com",
            origins=["https://files.example.com"],
            headers={"X-Key": "k"},
            credentials={
                "bearer": "t",
                "basic": ("u", "p"),
                "fresh": lambda: "t",
                "oauth": specfn.OAuth2("client", "secret", store="tokens.json"),
            },
            timeout=5,
        ),
    ]


def calls(function: specfn.Function, connection: specfn.Connection) -> specfn.Result | None:
    print(specfn.request(function, {}, connection).url)
    with connection:
        try:
            result: specfn.Result = specfn.execute(function, {"limit": 1}, connection)
        except specfn.HTTPStatusError as error:
            print(error.result.status)
        except specfn.ResponseError as error:
            print(error.result.data, error.problems)
        except specfn.ArgumentError as error:
            print(error.function, error.problems)
        except specfn.UnknownFunctionError as error:
            print(error.called, error.suggestions)
        except specfn.DocumentError as error:
            print(error.reason, error.pointer)
        except (specfn.TransportError, specfn.LimitError, specfn.UsageError) as error:
            print(error)
        except specfn.SpecfnError as error:
            print(isinstance(error, specfn.errors.SpecfnError))
        else:
            return result
    return specfn.propagate(function, {}, connection)


async def awaited(
    function: specfn.Function, connection: specfn.Connection
) -> tuple[specfn.Result, ...]:
    async with connection:
        first = await specfn.aexecute(function, {}, connection)
        return first, await specfn.apropagate(function, None, connection)


def events(
    application: specfn.Application, function: specfn.Function, connection: specfn.Connection
) -> int:
    whole: specfn.Result = application.execute("ticks.get", {}, connection)
    also_whole: specfn.Result = specfn.execute(function, {}, connection, stream=False)
    stream: EventStream = application.execute("ticks.get", {}, connection, stream=True)
    status: int = stream.status
    with specfn.execute(function, connection=connection, stream=True) as ticks:
        names: list[str] = [tick.event + tick.id for tick in ticks]
    first: Event = next(stream)
    print(whole.data, also_whole.data, first.data, names, isinstance(stream, EventStream))
    return status


async def either(
    application: specfn.Application, connection: specfn.Connection, *, stream: bool
) -> None:
    found: specfn.Result | EventStream = application.execute("t", {}, connection, stream=stream)
    later: specfn.Result | AsyncEventStream = await application.aexecute("t", stream=stream)
    print(found, later)


async def awaited_events(
    application: specfn.Application, function: specfn.Function, connection: specfn.Connection
) -> list[Event]:
    whole: specfn.Result = await application.aexecute("ticks.get", {}, connection)
    stream: AsyncEventStream = await application.aexecute("ticks.get", {}, connection, stream=True)
    async with await specfn.aexecute(function, {}, connection, stream=True) as ticks:
        print(whole.status, [tick.data async for tick in ticks])
        print(isinstance(ticks, AsyncEventStream))
    return [tick async for tick in stream]


def bound(application: specfn.Application, connection: specfn.Connection) -> str | None:
    functions = application.bind(connection, ask=True)
    answer: calling.Answer = functions.outcome("items.get", "{}")
    kind: calling.AnswerKind = answer.kind
    pending: calling.PendingCall | None = answer.pending
    if kind == "needs_approval" and pending is not None:
        return functions["items.get"].outcome("{}", granted=pending.token).text
    try:
        functions.namespace(data=True).items.get()
    except calling.CallError as error:
        return error.answer.text
    return answer.text


def breaking(old: specfn.Application, new: specfn.Application) -> list[str]:
    return [each.sentence for each in specfn.compare(old, new) if each.breaking == "yes"]


def in_process(asgi_application: Any) -> int:
    application, connection = specfn.from_asgi(asgi_application)
    with connection:
        return len(application)


def approve(request: calling.ApprovalRequest) -> calling.Decision:
    if request.repeated:
        return calling.Deny(reason="it was sent already")
    return (
        calling.Approve(arguments=request.arguments)
        if request.safety == "write"
        else calling.Defer()
    )


async def send_later(request: dict[str, Any]) -> Any:
    return send(request)


async def approve_later(request: calling.ApprovalRequest) -> calling.Decision:
    return approve(request)


async def timed(context: calling.CallContext, following: calling.Next) -> None:
    await following(context)
    if context.result is None:
        context.result = calling.CallResult(text="held back")


def watch(event: calling.Event) -> None:
    match event:
        case calling.Requested() | calling.Replied() | calling.Ended():
            print(event)
        case calling.TextCall():
            print(event.function, event.read)
        case calling.Resolved() | calling.Checked() | calling.Decided() | calling.Executed():
            print(event.id)


class Twice(calling.Choice):
    def plan(self, round_: calling.Round) -> calling.Plan:
        return calling.Plan(
            mode="required" if round_.executed < 2 else "auto", functions=["pets.*"]
        )


def send(request: dict[str, Any]) -> Any:
    return request


def converse(application: specfn.Application, connection: specfn.Connection) -> calling.Outcome:
    config: calling.InvocationConfig = specfn.InvocationConfig(
        allow=["pets.*"], max_rounds=4, deadline=60
    )
    choices: list[calling.Choice] = [
        calling.Auto(functions=["pets.*", *application.functions]),
        calling.Required(options=calling.ChoiceOptions(allow_parallel_calls=False)),
        calling.NoCall(filters=calling.Filters(included_plugins=["pets"])),
        calling.register_choice(Twice)(),
        calling.parse_choice("auto"),
        specfn.choice.Auto(),
    ]
    prompt: calling.Settings = calling.PromptSettings.read("{}").of("service")
    catalog = calling.Catalog(policy=calling.NamePolicy(separator="_")).add(
        application, namespace="shop"
    )
    resolution: calling.Resolution = application.resolve("pets.get")
    history: calling.Messages = [{"role": "user", "content": resolution.name}]
    approver: calling.Approver = approve
    filters: list[calling.Filter] = [timed]
    listener: calling.Listener = watch
    sender: calling.Sender = send
    outcome = calling.run(
        catalog,
        sender,
        connector=specfn.connectors.codec("openai"),
        messages=history,
        choice=choices[0],
        config=config,
        settings=prompt,
        connection=connection,
        approve=approver,
        filters=filters,
        on_event=listener,
    )
    stopped: calling.Stopped = outcome.stopped
    records: tuple[calling.CallRecord, ...] = outcome.calls
    print(stopped, [record.status for record in records], specfn.calling.Outcome)
    return outcome


async def aconverse(application: specfn.Application) -> calling.Outcome:
    approver: calling.AsyncApprover = approve_later
    sender: calling.AsyncSender = send_later
    return await calling.arun(
        application, sender, connector="openai", messages="Hello", approve=approver
    )


def step(session: calling.Session) -> calling.Outcome | None:
    effect: calling.Effect = session.next()
    match effect:
        case calling.Send():
            session.feed(send(effect.request))
        case calling.Ask():
            session.feed([approve(request) for request in effect.requests])
        case calling.Invoke():
            session.feed([calling.CallResult(text=call.name) for call in effect.calls])
        case calling.Done():
            return effect.outcome
    return None
