"""The defences of specfn, one function each, and the tests that notice when it is gone.

``python -m tests.security.defences`` switches each of them off in turn, runs its tests, and prints for
each row how pytest ended. ``test_defences_bite.py`` expects every row to have failed.
"""

import codecs
import json
import os
import re
import socket
import ssl
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import httpx
import pytest

from specfn.code_mode import script_run
from specfn.migrate.parameters.reserved import CredentialParameters
from specfn.schema.patterns.cost import PatternSize

FOLDER: Final = Path(__file__).parent


@dataclass(frozen=True, kw_only=True)
class Defence:
    """One defence, how it is switched off, and who must notice.

    Attributes:
        threat: the row of the threat, ``T1`` for one.
        function: the function that defends, as ``module:name``, where it is looked up.
        off: what stands in its place: from the function to one that lets everything through.
        tests: of the threat's files; those that must not all pass without the defence.
    """

    threat: str
    function: str
    off: Callable[[Any], Callable[..., Any]]
    tests: str

    @property
    def name(self) -> str:
        """How the row is called."""
        return f"{self.threat} {self.function}"

    @property
    def nodes(self) -> list[str]:
        """The tests, as pytest takes them."""
        return [f"{self._file(test)}::{test}" for test in self.tests.split()]

    def _file(self, test: str) -> Path:
        """The one of the threat's files that has a test."""
        name = f"def {test.partition('[')[0]}("
        [file] = [each for each in files(self.threat) if name in each.read_text(encoding="utf-8")]
        return file


def files(threat: str) -> list[Path]:
    """The files of tests that are named after a threat."""
    return sorted(FOLDER.glob(f"test_t{int(threat[1:]):02}_*.py"))


def gives(value: Any) -> Callable[[Any], Callable[..., Any]]:
    """Whatever it is asked, the answer is this."""
    return lambda _: lambda *_, **__: value


def first_connection(connect: Any) -> Callable[..., Any]:
    """The connection of the first caller serves all."""
    kept: list[Any] = []

    async def connection(self: Any) -> Any:
        if not kept:
            kept.append(await connect(self))
        return kept[0]

    return connection


def in_this_process(_: Any) -> Callable[..., Any]:
    """The findings of another validator, made where nothing can end it."""

    def notes(document: Any, kind: str, uri: str, limit: int) -> list[Any]:
        validation = import_module("openapi_spec_validator").validation
        path = import_module("jsonschema_path").SchemaPath.from_dict(document, base_uri=uri)
        note = import_module("specfn.records").Note
        return [
            note(pointer="", text=error.message)
            for error in list(getattr(validation, kind)(path).root_validator(path))[:limit]
        ]

    return notes


def without_pkce(genuine: Any) -> Callable[..., str]:
    """A query without the challenge of PKCE."""
    return lambda query: genuine({key: query[key] for key in query if "challenge" not in key})


def on_all_addresses(genuine: Any) -> Callable[..., Any]:
    """A server of a login that any machine can reach."""

    def listen(receive: Any, port: int) -> Any:
        server = genuine(receive, port)
        server.socket.close()
        server.socket = socket.create_server(("0.0.0.0", port))
        server.server_address = server.socket.getsockname()
        return server

    return listen


def readable_by_all(_: Any) -> Callable[..., Any]:
    """Write tokens as any other file."""
    return lambda self, content: self.path.write_text(json.dumps(content), "utf-8")


def first(_: Any) -> Callable[..., Any]:
    """The first argument as it is."""
    return lambda value, *_, **__: value


def paired(_: Any) -> Callable[..., Any]:
    """Two keys that are the argument itself."""
    return lambda value: (value, value)


def overwriting(_: Any) -> Callable[..., Any]:
    """Open a file by its name, whatever it is."""

    def opened(self: Any, name: str, flags: int) -> int:
        return os.open(self._path / name, flags & ~os.O_EXCL, 0o600)

    return opened


def not_exclusive(_: Any) -> Callable[..., Any]:
    """Open a file of a new name, whether or not it exists by now."""

    def create(self: Any, name: str, content: bytes) -> None:
        self._check_room(len(content))
        with os.fdopen(self._open(name, os.O_WRONLY | os.O_CREAT), "wb") as file:
            file.write(content)

    return create


def read_at_once(_: Any) -> Callable[..., Any]:
    """Read the whole reply of a model's server, however large it is."""

    def reply(_: str, url: str, headers: dict[str, str], content: bytes) -> Any:
        httpx = import_module("httpx")
        response = httpx.post(url, content=content, headers=headers, timeout=10)
        result = import_module("specfn.http.response.response").Result
        return result(status=response.status_code, data=response.text)

    return reply


def unsealed(text: str, *_: Any) -> Any:
    """The state of a script without a look at its seal."""
    return script_run._from_json(json.loads(text)["content"])


def uncounted(genuine: Any) -> Callable[..., Any]:
    """Hands over whatever a script has."""
    return lambda: genuine().replace("raise ValueError(", "len(")


def without_net(_: Any) -> Callable[..., Any]:
    """A fault of the server ends a script as it comes."""

    async def end(_: Any, steps: Any) -> Any:
        return await steps

    return end


class Everything(frozenset[Any]):
    """A set that holds whatever it is asked for."""

    def __contains__(self, _: object) -> bool:
        return True


def by_expression(_: Any) -> Callable[..., Any]:
    """Compares a segment with an expression that is made of its template."""

    def segment_values(part: Any, segment: str) -> Any:
        pieces = (re.escape(unquote(each)) if isinstance(each, str) else "(.+?)" for each in part)
        found = re.fullmatch("".join(pieces), unquote(segment), re.DOTALL)
        names = [each.name for each in part if not isinstance(each, str)]
        return None if found is None else [*zip(names, found.groups(), strict=True)]

    return segment_values


def unbounded(_: Any) -> Callable[..., Any]:
    """Keeps all that arrives (up to what a test's machine can bear)."""

    def keep(self: Any, content: bytes) -> None:
        self._content += content
        self.truncated = len(self._content) > 30_000_000

    return keep


def unlimited(_: Any) -> Callable[..., Any]:
    """Reads on where the limit is passed (up to what a test's machine can bear)."""

    def content(_: Any, response: Any) -> bytes:
        found = bytearray()
        for chunk in response.iter_bytes():
            found += chunk
            if len(found) > 100_000_000:
                break
        return bytes(found)

    return content


def assembled(_: Any) -> Callable[..., Any]:
    """Joins and believes."""

    def assemble(base: Any, path: str, query: Any, **_: Any) -> Any:
        url = import_module("httpx").URL
        return url(base.origin + base.path + path + ("?" + "&".join(query) if query else ""))

    return assemble


def opening(genuine: Any) -> Callable[..., Any]:
    """What well-meaning code does: a text that names a file is that file."""

    def content_of(value: Any, transfer: str | None, **options: Any) -> Any:
        path = str(value).removeprefix("file://")
        found = isinstance(value, str) and "\0" not in path and Path(path).is_file()
        return genuine(Path(path).read_bytes() if found else value, transfer, **options)

    return content_of


def unverified(_: Any) -> Callable[..., Any]:
    """A context that takes any certificate."""

    def context() -> ssl.SSLContext:
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        made.check_hostname = False
        made.verify_mode = ssl.CERT_NONE
        return made

    return context


def joined(_: Any) -> Callable[..., Any]:
    """Follows a reference wherever it leads."""
    return lambda base, reference: base.join(reference)


def keeping(_: Any) -> Callable[..., Any]:
    """Sends all headers to the next server, too."""
    return lambda request, target, method: httpx.Request(method, target, headers=request.headers)


def elsewhere(_: Any) -> Callable[..., Any]:
    """Follows a redirect over any scheme."""
    return lambda request, location: httpx.Request("GET", request.url.join(location))


def as_told(_: Any) -> Callable[..., Any]:
    """Goes where the server says."""
    return lambda _, url, location, __: url.join(location)


def python_codec(label: str) -> str | None:
    """Whatever Python calls a codec."""
    try:
        return codecs.lookup(label).name
    except LookupError:
        return None


def anywhere(_: Any) -> Callable[..., Any]:
    """References are followed into the whole file system, whatever the caller allowed."""
    bundle = import_module("specfn.document.references.bundle").bundle
    return lambda found, _: bundle(found, "/")


def unjailed(_: Any) -> Callable[..., Any]:
    """A directory is where reading begins, and not where it ends."""

    def gate(_: Path) -> Callable[[str, int], bytes]:
        return lambda uri, limit: Path(unquote(urlsplit(uri).path)).read_bytes()[:limit]

    return gate


def online(genuine: Any) -> Callable[..., Any]:
    """The engine fetches what a schema refers to."""
    return lambda *formats: {**genuine(*formats), "offline": False}


def without_budget(genuine: Any) -> Callable[..., Any]:
    """A schema is as large as it is."""
    return lambda self, node, *_: genuine(self, node, 1 << 30)


def uncached(genuine: Any) -> Callable[..., Any]:
    """What is done once is done again each time."""
    function: Callable[..., Any] = genuine.__wrapped__
    return function


def looking_inside(genuine: Any) -> Callable[..., Any]:
    """Every schema counts as one that has subschemas for inner values."""
    return lambda *args: genuine(*args)._replace(has_inner=True)


def all_branches(_: Any) -> Callable[..., Any]:
    """The constants of every branch are collected, also behind one that has none."""

    def constants(self: Any, branches: Any, depth: int) -> Any:
        found = [self._constants_of(branch, depth) for branch in branches]
        return (
            None if None in found or not found else [value for values in found for value in values]
        )

    return constants


def uncached_fact(_: Any) -> Callable[..., Any]:
    """A fact is computed each time."""
    return lambda _, what, schema: what(schema)


def any_path(_: Any) -> Callable[..., Any]:
    """A server variable takes whatever a path takes, wherever it is."""
    return lambda *_: import_module("specfn.http.request.base_url")._PATH


def forwarding(genuine: Any, taken: Callable[[Any], dict[str, Any]]) -> Callable[..., Any]:
    """Call with a connection that has fields from the headers of the client's request."""

    async def call(served: Any, call: Any, ctx: Any, params: Any, *, asks: bool) -> Any:
        found = copy(served)
        more = taken(ctx.request.headers)
        found._connection = served._connection.model_copy(update=more)
        return await genuine(found, call, ctx, params, asks=asks)

    return call


def forwarding_headers(genuine: Any) -> Callable[..., Any]:
    """Forward the headers of a client that an API could need, such as cookies, keys and traces."""
    names = ("x-api-key", "traceparent")
    return forwarding(genuine, lambda headers: {"headers": {n: headers[n] for n in names}})


def forwarding_token(genuine: Any) -> Callable[..., Any]:
    """Forward the token of a client."""

    def taken(headers: Any) -> dict[str, Any]:
        return {"credentials": {"bearer": headers["authorization"].removeprefix("Bearer ")}}

    return forwarding(genuine, taken)


def raising_call(_: Any) -> Callable[..., Any]:
    """Leave the errors of a call to the SDK."""
    return lambda self, ctx, params: self._call(ctx, params)


def raising_list(_: Any) -> Callable[..., Any]:
    """Answer with the text of an error, as a list without care does."""

    async def list_tools(self: Any, ctx: Any, _: Any) -> Any:
        try:
            return self._page(ctx, None)
        except Exception as error:
            raise import_module("mcp.shared.exceptions").MCPError(-32603, str(error)) from error

    return list_tools


def unqualified(_: Any) -> Callable[..., Any]:
    """Join no namespace; a later function gets a number."""

    def joined(_: Any, pairs: Any) -> list[str]:
        return [f"{function.name}{number or ''}" for number, (_, function) in enumerate(pairs)]

    return joined


def endless_head(_: Any) -> Callable[..., Any]:
    """Heads of a response are read on and on."""

    def arrived(self: Any, content: bytes) -> bytes:
        self._has_answer = True
        if self._body is None:
            self._head += content
        else:
            self._body.feed(content)
        return content

    return arrived


def all_others(_: Any) -> Callable[..., Any]:
    """Exclusions alone mean everything else."""

    def split(_: str, keys: Any) -> tuple[list[str], list[str]]:
        excluded = [key[1:] for key in keys if key.startswith("!")]
        return [key for key in keys if not key.startswith("!")] or ["*"], excluded

    return split


def beginning(_: Any) -> Callable[..., Any]:
    """Shows what fits from the beginning."""
    return lambda lines, room: "\n".join(lines)[:room]


def verbatim(_: Any) -> Callable[..., Any]:
    """Shows a text between quotes as it is."""
    return lambda text: f'"{text}"'


def resumed(_: Any) -> Callable[..., Any]:
    """Resumes a call with its human part whatever its token is."""
    complete = import_module("specfn.invocation.permit")._complete
    return lambda call, _, human, __: complete(call, human)


def content_only(genuine: Any) -> Callable[..., Any]:
    """Of a file, only the content counts."""
    return lambda file: genuine(file)[:1]


DEFENCES: Final = (
    Defence(
        threat="T1",
        function="specfn.http.request.parameters:hazard",
        off=gives(None),
        tests="test_values_that_climb_are_refused",
    ),
    Defence(
        threat="T1",
        function="specfn.http.request.style:in_path",
        off=first,
        tests="test_the_request_line_is_the_templates",
    ),
    Defence(
        threat="T1",
        function="specfn.http.request.request:assemble",
        off=assembled,
        tests="test_an_assembled_url_that_moved_is_not_sent",
    ),
    Defence(
        threat="T2",
        function="specfn.migrate.template:_refuse_other_places",
        off=gives(None),
        tests="test_hostile_keys_are_errors",
    ),
    Defence(
        threat="T2",
        function="specfn.migrate.template:_refuse_dot_segments",
        off=gives(None),
        tests="test_hostile_keys_are_errors",
    ),
    Defence(
        threat="T3",
        function="specfn.http.request.base_url:allowed_origins",
        off=gives(Everything()),
        tests="test_a_server_of_the_document_gets_nothing test_origins_are_compared_whole",
    ),
    Defence(
        threat="T3",
        function="specfn.http.request.base_url:_in_authority",
        off=any_path,
        tests="test_a_value_does_not_end_the_host",
    ),
    Defence(
        threat="T3",
        function="specfn.http.redirects_and_retries:_is_allowed",
        off=gives(value=True),
        tests="test_only_a_declared_path_is_requested",
    ),
    Defence(
        threat="T4",
        function="specfn.http.redirects_and_retries:resolve_reference",
        off=joined,
        tests="test_nothing_leaves_the_origin",
    ),
    Defence(
        threat="T4",
        function="specfn.http.redirects_and_retries:_is_below",
        off=gives(value=True),
        tests="test_credentials_stay_below_the_base_path",
    ),
    Defence(
        threat="T4",
        function="specfn.http.transport.send:_is_anonymous",
        off=gives(value=False),
        tests="test_the_callers_authentication_stays_below_the_base_path "
        "test_a_page_elsewhere_gets_nothing",
    ),
    Defence(
        threat="T4",
        function="specfn.http.redirects_and_retries:_anonymous",
        off=keeping,
        tests="test_another_origin_gets_nothing",
    ),
    Defence(
        threat="T4",
        function="specfn.http.redirects_and_retries:_request_elsewhere",
        off=elsewhere,
        tests="test_a_redirect_keeps_tls",
    ),
    Defence(
        threat="T5",
        function="specfn.http.transport.send:_is_guarded",
        off=gives(value=False),
        tests="test_a_redirect_does_not_lead_inside",
    ),
    Defence(
        threat="T5",
        function="specfn.http.transport.send:_usable_redirects",
        off=gives(("never", "same-origin", "any")),
        tests="test_a_client_of_the_caller_stays_at_its_origin",
    ),
    Defence(
        threat="T5",
        function="specfn.http.request.base_url:_require_public",
        off=first,
        tests="test_no_spelling_leads_inside",
    ),
    Defence(
        threat="T5",
        function="specfn.http.request.base_url:is_private",
        off=gives(value=False),
        tests="test_no_spelling_leads_inside",
    ),
    Defence(
        threat="T5",
        function="specfn.network.sockets:_is_public",
        off=gives(value=True),
        tests="test_a_name_that_leads_inside",
    ),
    Defence(
        threat="T6",
        function="specfn.document.references.loader:_directory",
        off=unjailed,
        tests="test_a_directory_is_a_jail",
    ),
    Defence(
        threat="T6",
        function="specfn.api:_with_referenced_documents",
        off=anywhere,
        tests="test_references_are_never_followed_by_default",
    ),
    Defence(
        threat="T6",
        function="specfn.validation.compile.engine:_options",
        off=online,
        tests="test_the_engine_is_offline",
    ),
    Defence(
        threat="T7",
        function="specfn.document.read.download:_Download._follow_redirect",
        off=as_told,
        tests="test_a_redirect_leads_nowhere_else",
    ),
    Defence(
        threat="T7",
        function="specfn.document.read.download:_Download._read_content",
        off=unlimited,
        tests="test_a_document_without_end_is_refused[endless]",
    ),
    Defence(
        threat="T7",
        function="specfn.document.read.document_credentials:DocumentCredentials.for_origin",
        off=lambda _: lambda self, *_: self,
        tests="test_headers_of_a_document_go_to_its_origin_only",
    ),
    Defence(
        threat="T8",
        function="specfn.migrate.parameters.parameters:reason_to_ignore",
        off=gives(None),
        tests="test_no_schema_offers_a_header_that_routes",
    ),
    Defence(
        threat="T8",
        function="specfn.migrate.parameters.parameters:is_caller_header",
        off=gives(value=False),
        tests="test_no_schema_offers_a_header_that_routes",
    ),
    Defence(
        threat="T8",
        function="specfn.migrate.parameters.parameters:overrides",
        off=gives(None),
        tests="test_no_schema_offers_a_header_that_routes",
    ),
    Defence(
        threat="T8",
        function="specfn.http.request.parameters:_exceeds",
        off=gives(value=False),
        tests="test_a_form_does_not_do_more_than_was_allowed",
    ),
    Defence(
        threat="T8",
        function="specfn.application.compose:method_safety",
        off=gives("write"),
        tests="test_the_only_value_of_an_override_is_sent",
    ),
    Defence(
        threat="T9",
        function="specfn.migrate.parameters.parameters:_reason_to_hide",
        off=gives(None),
        tests="test_a_credential_is_nowhere",
    ),
    Defence(
        threat="T9",
        function="specfn.migrate.migrate:credential_parameters",
        off=gives(CredentialParameters()),
        tests="test_a_credential_is_nowhere",
    ),
    Defence(
        threat="T9",
        function="specfn.migrate.parameters.parameters:_without_credentials",
        off=first,
        tests="test_a_spread_object_hides_nothing_from_the_rule",
    ),
    Defence(
        threat="T10",
        function="specfn.mcp.handlers:call_with_approval",
        off=forwarding_token,
        tests="test_a_client_token_ends_at_the_server",
    ),
    Defence(
        threat="T11",
        function="specfn.http.transport.attempt:url_without_secrets",
        off=first,
        tests="test_what_servers_do",
    ),
    Defence(
        threat="T11",
        function="specfn.http.masking:url_without_secrets",
        off=first,
        tests="test_a_call_shows_no_secret test_a_token_and_a_renewal",
    ),
    Defence(
        threat="T11",
        function="specfn.http.masking:Masking.url",
        off=lambda _: lambda _, url: url,
        tests="test_a_call_shows_no_human_part test_a_redirect_that_repeats_a_secret",
    ),
    Defence(
        threat="T11",
        function="specfn.http.connection:url_without_secrets",
        off=first,
        tests="test_a_proxy_and_a_login_show_no_secret",
    ),
    Defence(
        threat="T11",
        function="specfn.http.redacted_request:url_without_secrets",
        off=first,
        tests="test_a_request_shows_no_secret",
    ),
    Defence(
        threat="T11",
        function="specfn.document.read.download:_url_without_secrets",
        off=first,
        tests="test_no_kind_of_error_shows_a_secret",
    ),
    Defence(
        threat="T12",
        function="specfn.function.description:clean",
        off=first,
        tests="test_no_payload_arrives",
    ),
    Defence(
        threat="T12",
        function="specfn.schema.render.annotations:clean",
        off=first,
        tests="test_no_payload_arrives",
    ),
    Defence(
        threat="T12",
        function="specfn.schema.render.renderer:is_plain",
        off=gives(value=True),
        tests="test_what_is_not_shown_for_what_it_hides_is_told_of",
    ),
    Defence(
        threat="T13",
        function="specfn.http.response.truncate:escape_invisible",
        off=first,
        tests="test_a_model_reads_escapes",
    ),
    Defence(
        threat="T13",
        function="specfn._internal.characters:escape_invisible",
        off=first,
        tests="test_no_error_hides_anything",
    ),
    Defence(
        threat="T13",
        function="specfn.http.response.validate_response:escape_invisible",
        off=first,
        tests="test_what_is_not_promised_hides_nothing[warn]",
    ),
    Defence(
        threat="T13",
        function="specfn.http.response.response:escape_invisible",
        off=first,
        tests="test_a_note_hides_nothing",
    ),
    Defence(
        threat="T13",
        function="specfn.http.response.tolerant_json:escape_invisible",
        off=first,
        tests="test_a_note_hides_nothing",
    ),
    Defence(
        threat="T13",
        function="specfn.cli.output:escape_invisible",
        off=first,
        tests="test_the_command_hides_nothing",
    ),
    Defence(
        threat="T14",
        function="specfn.api:refuse_changed",
        off=gives(None),
        tests="test_a_function_more_is_noticed",
    ),
    Defence(
        threat="T14",
        function="specfn.cli.commands.serve:refuse_changed",
        off=gives(None),
        tests="test_a_server_with_a_lock_refuses_a_change",
    ),
    Defence(
        threat="T14",
        function="specfn.function.fingerprint:_request_facts",
        off=gives({}),
        tests="test_one_character_changes_the_fingerprint",
    ),
    Defence(
        threat="T15",
        function="specfn.validation.validate:refused",
        off=gives(()),
        tests="test_what_is_not_enforced_is_said",
    ),
    Defence(
        threat="T15",
        function="specfn.validation.compile.engine:PatternCost.affordable",
        off=gives(value=True),
        tests="test_long_texts_are_bounded",
    ),
    Defence(
        threat="T15",
        function="specfn.schema.patterns.engine:compiled",
        off=uncached,
        tests="test_a_pattern_is_judged_once",
    ),
    Defence(
        threat="T16",
        function="specfn.validation.validate:to_rust",
        off=first,
        tests="test_meaning",
    ),
    Defence(
        threat="T17",
        function="specfn.application.compose:_refuse_oversized",
        off=gives(gives(None)(None)),
        tests="test_arguments_that_unfold_to_too_much_are_an_error",
    ),
    Defence(
        threat="T17",
        function="specfn.schema.render.budget:ModelRenderer.render",
        off=without_budget,
        tests="test_one_huge_text_is_not_the_whole_budget",
    ),
    Defence(
        threat="T18",
        function="specfn.document.read.yaml:_refuse_tag",
        off=gives(None),
        tests="test_hostile_documents_are_refused",
    ),
    Defence(
        threat="T19",
        function="specfn.validation.validate:is_plain_json",
        off=gives(value=True),
        tests="test_nothing_raises",
    ),
    Defence(
        threat="T20",
        function="specfn.http.request.parameters:is_value",
        off=gives(value=True),
        tests="test_header_values_are_one_line",
    ),
    Defence(
        threat="T20",
        function="specfn.http.request.parameters:is_reserved",
        off=gives(value=False),
        tests="test_reserved_headers_are_not_arguments",
    ),
    Defence(
        threat="T20",
        function="specfn.http.request.style:is_cookie_value",
        off=gives(value=True),
        tests="test_cookies_are_octets",
    ),
    Defence(
        threat="T20",
        function="specfn.http.request.multipart:_percent",
        off=lambda _: lambda match: match[0],
        tests="test_on_the_wire_there_is_one_of_each",
    ),
    Defence(
        threat="T20",
        function="specfn.http.request.body:is_value",
        off=gives(value=True),
        tests="test_a_media_type_is_one_line",
    ),
    Defence(
        threat="T21",
        function="specfn.http.request.style:in_query_reserved",
        off=first,
        tests="test_reserved_characters_that_end_something_are_encoded",
    ),
    Defence(
        threat="T21",
        function="specfn.http.request.multipart:_boundary",
        off=gives("b0undary"),
        tests="test_a_boundary_is_not_to_be_guessed",
    ),
    Defence(
        threat="T21",
        function="specfn.http.request.multipart:_percent",
        off=lambda _: lambda match: match[0],
        tests="test_a_name_of_a_file_is_one_parameter",
    ),
    Defence(
        threat="T21",
        function="specfn.http.request.multipart:plain_file_name",
        off=first,
        tests="test_a_free_property_does_not_name_a_path",
    ),
    Defence(
        threat="T22",
        function="specfn.invocation.call_settings:CallSettings.permits",
        off=gives(value=True),
        tests="test_only_reads_are_sent_unasked",
    ),
    Defence(
        threat="T22",
        function="specfn.invocation.call_settings:split_keys",
        off=all_others,
        tests="test_exclusions_alone_are_a_mistake",
    ),
    Defence(
        threat="T22",
        function="specfn.cli.commands.serve:split_keys",
        off=all_others,
        tests="test_exclusions_alone_are_a_mistake",
    ),
    Defence(
        threat="T22",
        function="specfn.calling.session:Session._needs_approval",
        off=gives(value=False),
        tests="test_a_conversation_waits_for_a_yes",
    ),
    Defence(
        threat="T22",
        function="specfn.http.redirects_and_retries:is_idempotent",
        off=gives(value=True),
        tests="test_what_may_not_be_repeated_is_sent_once",
    ),
    Defence(
        threat="T23",
        function="specfn.http.dry_run:shlex.quote",
        off=first,
        tests="test_a_word_of_a_shell_is_one_word",
    ),
    Defence(
        threat="T23",
        function="specfn.application.signature:python_names",
        off=lambda _: lambda names: {name: name for name in names},
        tests="test_a_name_is_a_name",
    ),
    Defence(
        threat="T24",
        function="specfn.network.response_body:Inflater._keep",
        off=unbounded,
        tests="test_endless_answers",
    ),
    Defence(
        threat="T24",
        function="specfn.http.response.events:EventReader._count_event",
        off=lambda _: lambda _, event: [] if event is None else [event],
        tests="test_endless_events",
    ),
    Defence(
        threat="T24",
        function="specfn.network.sockets:remaining",
        off=first,
        tests="test_slow_answers",
    ),
    Defence(
        threat="T24",
        function="specfn.network.sockets:resolve",
        off=lambda genuine: lambda host, port, _: genuine(host, port, 60),
        tests="test_a_resolver_that_hangs[sync-total]",
    ),
    Defence(
        threat="T24",
        function="specfn.network.sockets:Exchange.receive",
        off=endless_head,
        tests="test_heads_are_bounded_together",
    ),
    Defence(
        threat="T25",
        function="specfn.http.request.body:content_of",
        off=opening,
        tests="test_no_text_is_opened",
    ),
    Defence(
        threat="T25",
        function="specfn.http.request.multipart:content_of",
        off=opening,
        tests="test_no_text_is_opened",
    ),
    Defence(
        threat="T25",
        function="specfn.http.files:_is_path",
        off=gives(False),
        tests="test_a_path_in_the_place_of_a_file_is_refused[/multipart]",
    ),
    Defence(
        threat="T26",
        function="specfn.function.function:Function.problems",
        off=gives(()),
        tests="test_undeclared_arguments_are_refused",
    ),
    Defence(
        threat="T27",
        function="specfn.function.function:Function.problems",
        off=gives(()),
        tests="test_repairs_are_what_is_sent test_only_plain_values_are_taken",
    ),
    Defence(
        threat="T28",
        function="specfn.http.request.security:_is_exposed",
        off=gives(value=False),
        tests="test_nothing_secret_goes_in_the_clear",
    ),
    Defence(
        threat="T28",
        function="specfn.network.sockets:_ssl_context",
        off=unverified,
        tests="test_a_certificate_that_nobody_vouches_for",
    ),
    Defence(
        threat="T28",
        function="specfn.http.request.security:is_loopback",
        off=gives(value=True),
        tests="test_nothing_secret_goes_in_the_clear",
    ),
    Defence(
        threat="T29",
        function="specfn.mcp.handlers:call_with_approval",
        off=forwarding_headers,
        tests="test_nothing_of_a_client_reaches_the_api",
    ),
    Defence(
        threat="T29",
        function="specfn.mcp.callers:CallerConnections.connection",
        off=first_connection,
        tests="test_each_caller_has_its_own_connection",
    ),
    Defence(
        threat="T29",
        function="specfn.mcp.forwarding:_check_api",
        off=gives(None),
        tests="test_everything_unsafe_is_an_error_at_the_start test_a_scheme_that_is_no_token",
    ),
    Defence(
        threat="T29",
        function="specfn.mcp.forwarding:origin_of",
        off=gives("one origin"),
        tests="test_everything_unsafe_is_an_error_at_the_start",
    ),
    Defence(
        threat="T29",
        function="specfn.mcp.callers:principal_components",
        off=lambda _: lambda token: (token.client_id, None, None),
        tests="test_the_id_of_a_caller_is_that_of_one_user",
    ),
    Defence(
        threat="T30",
        function="specfn.http_server.guard:Guard._refusal",
        off=gives(None),
        tests="test_other_origins_are_refused",
    ),
    Defence(
        threat="T30",
        function="specfn.mcp.http_app:_require_origin",
        off=lambda _: str,
        tests="test_what_is_not_an_origin_is_refused[*]",
    ),
    Defence(
        threat="T30",
        function="specfn.http_server.guard:_without_port",
        off=gives("localhost"),
        tests="test_other_names_are_refused",
    ),
    Defence(
        threat="T30",
        function="specfn.http_server.guard:_only",
        off=lambda _: lambda values: next(values, None),
        tests="test_one_host_is_needed",
    ),
    Defence(
        threat="T30",
        function="specfn.http_server.guard:Guard._is_client",
        off=gives(value=True),
        tests="test_a_token_is_needed",
    ),
    Defence(
        threat="T30",
        function="specfn.http_server.guard:Guard._knows_path",
        off=gives(value=True),
        tests="test_the_inspector_needs_its_token",
    ),
    Defence(
        threat="T31",
        function="specfn.inspector.page_files:_data",
        off=lambda _: (
            lambda name, text: (
                b'<script type="application/json" id="%s">%s</script>' % (name.encode(), text)
            )
        ),
        tests="test_inlined_json_cannot_end_its_element",
    ),
    Defence(
        threat="T30",
        function="specfn.cli.commands.serve:_is_loopback",
        off=gives(value=True),
        tests="test_other_machines_need_a_token",
    ),
    Defence(
        threat="T32",
        function="specfn.invocation.approval_token:ApprovalTokens._mac",
        off=gives(b"0" * 32),
        tests="test_other_arguments_are_refused",
    ),
    Defence(
        threat="T32",
        function="specfn.invocation.approval_token:ApprovalTokens._accept",
        off=gives(value=True),
        tests="test_a_token_is_accepted_once",
    ),
    Defence(
        threat="T32",
        function="specfn.invocation.approval_token:_secret",
        off=gives(b"0" * 32),
        tests="test_a_token_of_another_key_is_refused",
    ),
    Defence(
        threat="T33",
        function="specfn.mcp.handlers:Handlers.call_tool",
        off=raising_call,
        tests="test_a_failure_is_a_neutral_text",
    ),
    Defence(
        threat="T33",
        function="specfn.mcp.handlers:Handlers.list_tools",
        off=raising_list,
        tests="test_a_failing_list_is_a_neutral_error",
    ),
    Defence(
        threat="T34",
        function="specfn.tools.function_set:_check_unique",
        off=gives(None),
        tests="test_equal_names_are_refused",
    ),
    Defence(
        threat="T34",
        function="specfn.tools.function_set:Catalog._join_names",
        off=unqualified,
        tests="test_documents_have_qualified_names",
    ),
    Defence(
        threat="T35",
        function="specfn.http.charsets:readable_codec",
        off=lambda _: python_codec,
        tests="test_a_codec_that_is_no_charset_decodes_nothing",
    ),
    Defence(
        threat="T35",
        function="specfn._internal.json:is_deep",
        off=gives(value=False),
        tests="test_no_data_is_too_deep_to_copy",
    ),
    Defence(
        threat="T35",
        function="specfn.network.response_body:_is_known",
        off=gives(value=True),
        tests="test_unrequested_encodings test_two_headers_are_two_encodings",
    ),
    Defence(
        threat="T35",
        function="specfn.http.response.tolerant_json:_integer",
        off=lambda _: int,
        tests="test_numbers_of_a_million_digits",
    ),
    Defence(
        threat="T36",
        function="specfn.code_mode.script_run:unseal",
        off=lambda _: unsealed,
        tests="test_an_altered_state_is_refused test_another_code_or_key_is_refused",
    ),
    Defence(
        threat="T36",
        function="specfn.code_mode.sandbox:Sandbox._is_handed_over",
        off=gives(value=True),
        tests="test_only_the_functions_of_the_namespace_can_be_called",
    ),
    Defence(
        threat="T36",
        function="specfn.code_mode.script_run:_Run.end",
        off=without_net,
        tests="test_every_end_lists_the_executed_calls",
    ),
    Defence(
        threat="T36",
        function="specfn.invocation.approval:Refusals.forbid",
        off=gives(value=False),
        tests="test_a_script_does_not_ask_without_end",
    ),
    Defence(
        threat="T49",
        function="specfn.application.compose:safety_by_verb",
        off=gives(None),
        tests="test_what_changes_data_is_not_read test_what_destroys_data_is_destructive",
    ),
    Defence(
        threat="T49",
        function="specfn.migrate.safety:decode_path",
        off=first,
        tests="test_an_encoding_of_the_path_hides_no_verb test_an_encoded_override_of_the_method_counts",
    ),
    Defence(
        threat="T49",
        function="specfn.migrate.safety:_actions",
        off=gives(()),
        tests="test_what_changes_data_is_not_read",
    ),
    Defence(
        threat="T49",
        function="specfn.http.request.request:is_repeatable",
        off=gives(value=True),
        tests="test_a_get_that_changes_data_is_sent_once",
    ),
    Defence(
        threat="T49",
        function="specfn.function.fingerprint:safety_by_verb",
        off=gives(None),
        tests="test_a_lower_safety_changes_the_fingerprint",
    ),
    Defence(
        threat="T37",
        function="specfn.http.response.file_signatures:_is_confirmed",
        off=gives(value=True),
        tests="test_html_named_image_is_not_shown",
    ),
    Defence(
        threat="T37",
        function="specfn.mcp.saved_files:SavedFiles._open",
        off=overwriting,
        tests="test_a_link_is_not_followed test_a_directory_that_becomes_a_link_has_no_effect",
    ),
    Defence(
        threat="T37",
        function="specfn.mcp.saved_files:SavedFiles._create",
        off=not_exclusive,
        tests="test_a_file_that_appears_meanwhile_is_not_replaced",
    ),
    Defence(
        threat="T37",
        function="specfn.mcp.saved_files:SavedFiles._check_room",
        off=gives(value=None),
        tests="test_all_files_together_are_bounded",
    ),
    Defence(
        threat="T37",
        function="specfn.mcp.saved_files:SavedFiles._is_saved",
        off=gives(value=True),
        tests="test_another_file_is_not_replaced",
    ),
    Defence(
        threat="T38",
        function="specfn.http.masking:_mask",
        off=lambda _: lambda _, value: value,
        tests="test_no_credential_in_any_encoding_and_place",
    ),
    Defence(
        threat="T38",
        function="specfn.http.masking:_base64_needles",
        off=gives(()),
        tests="test_no_credential_in_any_encoding_and_place",
    ),
    Defence(
        threat="T38",
        function="specfn.http.masking:_words",
        off=gives(()),
        tests="test_a_call_of_python_shows_no_secret",
    ),
    Defence(
        threat="T38",
        function="specfn.http.masking:_of_request",
        off=gives(()),
        tests="test_a_hook_and_a_client_hide_their_credentials",
    ),
    Defence(
        threat="T38",
        function="specfn.http.masking:Masking._extend",
        off=gives(None),
        tests="test_a_credential_of_a_later_request_is_masked",
    ),
    Defence(
        threat="T38",
        function="specfn.http.masking:Masking.has_credential",
        off=gives(value=False),
        tests="test_a_next_page_has_no_credential",
    ),
    Defence(
        threat="T38",
        function="specfn.http.response.response:Result.without_secrets",
        off=first,
        tests="test_mcp_shows_no_secret",
    ),
    Defence(
        threat="T38",
        function="specfn.http.request.request:_without_human_part",
        off=first,
        tests="test_problems_of_the_human_part_have_no_values",
    ),
    Defence(
        threat="T38",
        function="specfn._internal.tracebacks:delete_locals",
        off=gives(None),
        tests="test_no_variable_of_a_traceback_is_a_secret",
    ),
    Defence(
        threat="T38",
        function="specfn.http.redacted_request:_NotPickled.__reduce_ex__",
        off=lambda _: object.__reduce_ex__,
        tests="test_a_request_is_not_pickled",
    ),
    Defence(
        threat="T41",
        function="specfn.schema.compose.inheritance:Inheritance._reference",
        off=gives(None),
        tests="test_chains_of_inheritance_have_nodes_of_their_size",
    ),
    Defence(
        threat="T41",
        function="specfn.validation.compile.limits:_InPlace.cost",
        off=looking_inside,
        tests="test_chains_of_inheritance_are_work_of_their_size[parts]",
    ),
    Defence(
        threat="T41",
        function="specfn.schema.compose.merge:_count_comparisons",
        off=gives(0),
        tests="test_crossing_parts_are_merged_within_a_limit[enums]",
    ),
    Defence(
        threat="T41",
        function="specfn.validation.compile.memory:CompiledMemory.add",
        off=gives(None),
        tests="test_what_was_not_used_is_released_first test_each_function_called_once_fits_in_memory",
    ),
    Defence(
        threat="T41",
        function="specfn.validation.validate:Validator.release",
        off=gives(None),
        tests="test_compiled_validators_share_a_limit",
    ),
    Defence(
        threat="T41",
        function="specfn.validation.explain.schema_facts:SchemaFacts._constants_of_all",
        off=all_branches,
        tests="test_alternatives_without_a_discriminator_are_explained_in_work_of_their_size",
    ),
    Defence(
        threat="T41",
        function="specfn.function.function_schemas:DefinitionFacts.of",
        off=uncached_fact,
        tests="test_notes_are_found_once_for_a_component",
    ),
    Defence(
        threat="T41",
        function="specfn.schema.patterns.engine:measure",
        off=gives(PatternSize(0, 0)),
        tests="test_a_pattern_is_classified_without_the_engine",
    ),
    Defence(
        threat="T41",
        function="specfn.validation.validate:refused",
        off=gives({}),
        tests="test_a_function_has_one_budget",
    ),
    Defence(
        threat="T41",
        function="specfn.application.compose:bytes_of_function",
        off=gives(1 << 40),
        tests="test_an_application_has_one_budget",
    ),
    Defence(
        threat="T41",
        function="specfn.function.notes:_patterns",
        off=gives(()),
        tests="test_what_is_not_run_is_noted",
    ),
    Defence(
        threat="T41",
        function="specfn.schema.patterns.engine:enforcement",
        off=gives("validation enforces it"),
        tests="test_what_is_not_run_is_noted",
    ),
    Defence(
        threat="T41",
        function="specfn.tools.search.search:islice",
        off=first,
        tests="test_many_short_words_are_compared_within_limits",
    ),
    Defence(
        threat="T41",
        function="specfn.tools.search.texts:islice",
        off=first,
        tests="test_a_long_path_has_few_short_words",
    ),
    Defence(
        threat="T42",
        function="specfn.invocation.accepted_call:_segment_values",
        off=by_expression,
        tests="test_a_status_url_is_compared_in_linear_time",
    ),
    Defence(
        threat="T41",
        function="specfn._internal.json:read_integer",
        off=lambda _: int,
        tests="test_the_reader_says_where_the_number_is test_integers_are_exact_up_to_the_limit",
    ),
    Defence(
        threat="T41",
        function="specfn.document.references.number_users:NumberUsers.fault_of",
        off=gives(None),
        tests="test_only_the_operation_with_the_number_is_an_error test_an_operation_that_refers_to_the_number_is_an_error",
    ),
    Defence(
        threat="T41",
        function="specfn.document.diagnose.spec_validator:notes",
        off=in_this_process,
        tests="test_the_strict_check_ends",
    ),
    Defence(
        threat="T44",
        function="specfn.http_server.listen:ClientLimits.add",
        off=gives(None),
        tests="test_those_that_waited_longest_make_room",
    ),
    Defence(
        threat="T44",
        function="specfn.http_server.listen:ClientLimits._wait",
        off=gives(None),
        tests="test_headers_have_a_time_limit[half]",
    ),
    Defence(
        threat="T44",
        function="specfn.http_server.listen:ClientLimits._in_time",
        off=lambda _: lambda _self, _client, receive: receive,
        tests="test_a_body_has_a_time_limit",
    ),
    Defence(
        threat="T44",
        function="specfn.http_server.listen:_OncePerMinute.filter",
        off=gives(value=True),
        tests="test_a_server_without_descriptors_logs_one_line",
    ),
    Defence(
        threat="T47",
        function="specfn.http.transport.oauth2_grants:Grants.is_trusted",
        off=gives(True),
        tests="test_no_declared_endpoint_receives_a_secret test_the_error_names_the_origin_and_the_option "
        "test_discovery_names_no_other_origin",
    ),
    Defence(
        threat="T47",
        function="specfn.http.transport.oauth2_grants:is_loopback",
        off=gives(True),
        tests="test_cleartext_receives_nothing",
    ),
    Defence(
        threat="T47",
        function="specfn.http.transport.oauth2:OAuth2.key_of_tokens",
        off=gives("one key"),
        tests="test_a_token_is_for_one_api",
    ),
    Defence(
        threat="T47",
        function="specfn.http.transport.token_store:_require_private",
        off=gives(None),
        tests="test_the_file_of_tokens_is_private",
    ),
    Defence(
        threat="T47",
        function="specfn.http.transport.oauth2_login:hmac.compare_digest",
        off=gives(True),
        tests="test_another_page_cannot_finish_a_login",
    ),
    Defence(
        threat="T47",
        function="specfn.http.transport.oauth2_login:secrets.token_urlsafe",
        off=gives("a" * 64),
        tests="test_nobody_else_can_use_a_code",
    ),
    Defence(
        threat="T47",
        function="specfn.http.transport.oauth2_login:urlencode",
        off=without_pkce,
        tests="test_nobody_else_can_use_a_code",
    ),
    Defence(
        threat="T47",
        function="specfn.http.transport.oauth2_login:_listen",
        off=on_all_addresses,
        tests="test_a_login_listens_on_one_address_of_this_machine",
    ),
    Defence(
        threat="T47",
        function="specfn.http.transport.oauth2_login:one_line",
        off=first,
        tests="test_a_code_for_the_user_is_one_line",
    ),
    Defence(
        threat="T47",
        function="specfn.http.transport.token_store:TokenStore._write_file",
        off=readable_by_all,
        tests="test_the_file_of_tokens_is_private",
    ),
    Defence(
        threat="T45",
        function="specfn.cli.commands.chat:_reply",
        off=read_at_once,
        tests="test_a_reply_is_bounded[bomb]",
    ),
    Defence(
        threat="T39",
        function="specfn.invocation.approval_form:_text",
        off=beginning,
        tests="test_each_key_and_each_scalar_is_in_the_form test_a_long_memo_hides_no_amount "
        "test_a_script_sends_only_what_its_forms_showed",
    ),
    Defence(
        threat="T39",
        function="specfn.invocation.approval_form:_string",
        off=verbatim,
        tests="test_texts_of_others_are_one_line_after_ours",
    ),
    Defence(
        threat="T39",
        function="specfn.invocation.approval_form:escape_invisible",
        off=first,
        tests="test_no_character_of_a_form_is_invisible",
    ),
    Defence(
        threat="T39",
        function="specfn._internal.logs:one_line",
        off=first,
        tests="test_a_log_has_one_line_for_each_message",
    ),
    Defence(
        threat="T39",
        function="specfn.mcp.call_log:_quote",
        off=lambda _: str,
        tests="test_a_name_cannot_forge_a_call",
    ),
    Defence(
        threat="T40",
        function="specfn.invocation.permit:_resume",
        off=resumed,
        tests="test_an_approval_with_a_human_part_is_used_once",
    ),
    Defence(
        threat="T40",
        function="specfn.mcp.served_functions:caller_id",
        off=gives(""),
        tests="test_a_token_covers_all_but_the_human_part",
    ),
    Defence(
        threat="T40",
        function="specfn.invocation.check:copy_json",
        off=first,
        tests="test_arguments_that_change_while_the_approver_thinks_are_not_sent",
    ),
    Defence(
        threat="T40",
        function="specfn.invocation.approval_token:_file_parts",
        off=content_only,
        tests="test_a_file_is_approved_with_its_name_and_media_type",
    ),
    Defence(
        threat="T43",
        function="specfn.code_mode.sandbox:prelude",
        off=uncounted,
        tests="test_the_limits_are_of_the_whole_script",
    ),
    Defence(
        threat="T52",
        function="specfn.api:_safety_levels",
        off=gives({}),
        tests="test_an_overlay_lowers_no_safety",
    ),
    Defence(
        threat="T52",
        function="specfn.application.compose:level_keys",
        off=paired,
        tests="test_an_encoded_copy_of_a_path_has_its_safety",
    ),
    Defence(
        threat="T52",
        function="specfn.document.json_path:_equal",
        off=gives(value=True),
        tests="test_a_comparison_of_an_overlay_costs_what_it_compares",
    ),
    Defence(
        threat="T52",
        function="specfn.document.read.limits:Steps.spend",
        off=gives(None),
        tests="test_an_overlay_takes_a_limited_number_of_steps",
    ),
    Defence(
        threat="T52",
        function="specfn.document.overlay:count_nodes",
        off=gives(0),
        tests="test_the_result_of_an_overlay_is_limited",
    ),
    Defence(
        threat="T52",
        function="specfn.migrate.migrate:_refuse_hidden",
        off=gives(None),
        tests="test_an_extension_hides_and_raises",
    ),
    Defence(
        threat="T52",
        function="specfn.application.compose:safety_by_extension",
        off=gives(None),
        tests="test_an_extension_hides_and_raises",
    ),
)


@contextmanager
def switched_off(defence: Defence) -> Iterator[None]:
    """The library without one of its defences."""
    module, _, path = defence.function.partition(":")
    *outer, name = path.split(".")
    owner = reduce(getattr, outer, import_module(module))
    genuine = getattr(owner, name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, defence.off(genuine))
        yield


# pytest.main runs many times in this process, so pytest warns of plugins that it cannot rewrite any more.
WARNINGS: Final = ("-W", "ignore::pytest.PytestAssertRewriteWarning")

#: The options of pytest for each row: it ends with the first failure, and collects no garbage afterwards, which would
#: take as long as most rows do. A thread that fails when its test has already failed does not end the table.
OPTIONS: Final = (
    *"-x -q --no-header -p no:cacheprovider -p no:unraisableexception -p no:threadexception".split(),
    *WARNINGS,
)


class FirstFailure:
    """A plugin of pytest: Hypothesis looks for a failure, and not for the smallest one."""

    @staticmethod
    def pytest_configure() -> None:
        """Come after the profile of the tests, and before they are imported."""
        from hypothesis import Phase, settings  # noqa: PLC0415  # pytest has to import it first

        phases = (Phase.explicit, Phase.generate)
        settings.register_profile("defences", settings.get_profile("specfn"), phases=phases)
        settings.load_profile("defences")


def main() -> None:
    """Switch off the chosen defences in turn; a line for each: its name and pytest's exit code."""
    out = sys.stdout
    sys.stdout = sys.stderr  # the reports of the failing tests
    for defence in DEFENCES:
        with switched_off(defence):
            code = pytest.main([*OPTIONS, *defence.nodes], plugins=[FirstFailure()])
        print(f"{int(code)} {defence.name}", file=out, flush=True)


if __name__ == "__main__":
    main()
