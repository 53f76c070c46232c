"""Prism, a mock server that validates: what it thinks of the requests that specfn makes.

It reads the same document by a code of its own, checks paths, parameters, bodies, media types and
credentials, and answers 200 or says what is wrong. (It judges values, not how a style is written:
it takes ``a=1&a=2`` for ``explode: false`` as well.)

The answers are taken out of the document first: only requests are judged here, and a documented 422
would hide Prism's own. Arguments are sampled from the validator's schema, and must be valid; ones
with empty values in parameters are left out, because neither a path nor a query can say them.
"""

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from tests.conftest import part_of_corpus
from tests.live.environments import PRISM, node_environment
from tests.live.processes import free_port, running
from tests.samples import Sampler

import specfn
from specfn import Application, Connection, Function, Result

#: Swagger 2.0, OpenAPI 3.0 and 3.1; small and middling. Left out of the corpus: what Prism does not
#: start with or dies of (references into responses, unsent array headers), paths with a fragment or
#: a query, 2.0 documents with bodies and no ``consumes``, whose bodies it refuses altogether, and
#: media types that do not exist (``application/form-data``), which specfn takes for bytes.
DOCUMENTS: Final = (
    "extra__oas-examples__3.0__petstore.json",
    "extra__oas-examples__3.0__schema-types.json",
    "extra__oas-examples__3.0__security.json",
    "extra__oas-examples__3.0__parameters-common.json",
    "extra__oas-examples__3.1__train-travel.json",
    "extra__samchon__v2.0__uber.json",
    "extra__samchon__v2.0__semanticscholar.json",
    "extra__samchon__v3.1__bbs.json",
    "extra__samchon__v3.1__shopping.json",
    "extra__airflow__v2-rest-api.json",
    "extra__langgraph__openapi.json",
    "asana.com.json",
    "codat.io__sync-for-expenses.json",
    "googleapis.com__drive.json",
    "iqualify.com.json",
    "ix-api.net.json",
    "notion.com.json",
    "okta.local.json",
    "openai.com.json",
    "sakari.io.json",
    "slmonitor.com.json",
    "urlbox.io.json",
)

ACCEPT: Final = (
    "the document declares Accept as a parameter, which OpenAPI says is ignored (section Parameter "
    "Object); Prism compares our list of media types with its enum"
)
DISCRIMINATOR: Final = (
    "the branches of a oneOf differ by their discriminator alone; Prism reads the oneOf without it, "
    "and finds that two branches fit"
)
OVERLAP: Final = (
    "two branches of a oneOf fit; by default specfn accepts that, since a model cannot correct the document, and "
    "Prism enforces exactly one"
)
FILE: Final = (
    "the schema of the multipart body is a file and no object; whatever is sent, Prism reads a form as "
    "an object, and finds that it is no string"
)

#: The operations whose requests Prism refuses, and why that is Prism's own affair.
EXCEPTIONS: Final[dict[str, dict[str, str]]] = {
    "extra__airflow__v2-rest-api.json": {
        "GET /api/v2/config": ACCEPT,
        "GET /api/v2/config/section/{section}/option/{option}": ACCEPT,
        "GET /api/v2/dagSources/{dag_id}": ACCEPT,
        "GET /api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/logs/{try_number}": (
            ACCEPT
        ),
    },
    "codat.io__sync-for-expenses.json": {
        "POST /companies/{companyId}/sync/expenses/syncs/{syncId}/transactions/{transactionId}"
        "/attachments": FILE,
    },
    "extra__langgraph__openapi.json": {"POST /mcp/": ACCEPT, "POST /a2a/{assistant_id}": OVERLAP},
    "ix-api.net.json": {
        "PATCH /member-joining-rules/{id}": DISCRIMINATOR,
        "PATCH /network-service-configs/{id}": DISCRIMINATOR,
        "PATCH /network-services/{id}": DISCRIMINATOR,
        "POST /member-joining-rules": DISCRIMINATOR,
        "POST /network-service-configs": DISCRIMINATOR,
        "PUT /member-joining-rules/{id}": DISCRIMINATOR,
        "PUT /network-service-configs/{id}": DISCRIMINATOR,
    },
}

#: How many arguments of each function are judged, and how many are drawn to find them.
_CALLS: Final = 2
_DRAWS: Final = 25


@dataclass(frozen=True)
class Verdicts:
    """What Prism said of one document's functions.

    Attributes:
        judged: how many requests.
        refused: for each request that it did not accept, the operation and what was said.
        unsampled: the operations for which no arguments were found.
    """

    judged: int
    refused: list[tuple[str, str]]
    unsampled: list[str]


def judged_document(document: dict[str, Any]) -> dict[str, Any]:
    """The document with a plain answer for every operation."""
    adapted = copy.deepcopy(document)
    for item in adapted.get("paths", {}).values():
        for operation in item.values():
            if isinstance(operation, dict) and "responses" in operation:
                operation["responses"] = {"200": {"description": "accepted"}}
    return adapted


def credentials(app: Application) -> dict[str, Any]:
    """A credential for every scheme; Prism looks whether there is one, not at what it is."""
    schemes = app.functions[0].api.security_schemes
    basic = {name for name, each in schemes.items() if str(each.get("scheme")).lower() == "basic"}
    return {name: ("user", "password") if name in basic else "token" for name in schemes}


def is_sayable(value: Any) -> bool:
    """Whether a parameter's value has a text: nothing in it is empty or null."""
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return bool(value) and all(map(is_sayable, inner))
    return value not in ("", None)


def samples(function: Function) -> Iterator[Any]:
    """Valid arguments of a function, a few of them."""
    found = 0
    for seed in range(_DRAWS):
        arguments = Sampler(function.validator, seed).draw()
        parameters = {key: value for key, value in arguments.items() if key != "body"}
        if not all(map(is_sayable, parameters.values())) or not function.validate(arguments):
            continue
        yield arguments
        found += 1
        if found == _CALLS:
            return


def complaint(result: Result) -> str | None:
    """What Prism says against a request; ``None`` where it accepts it."""
    if result.ok:
        return None
    told = result.data if isinstance(result.data, dict) else {}
    return f"{result.status} {json.dumps(told.get('validation') or told.get('detail'))}"


@pytest.fixture(scope="session")
def judge(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Verdicts]:
    """Prism's verdicts on a document of the corpus, asked for once."""
    prism = node_environment(PRISM) / "node_modules" / ".bin" / "prism"
    known: dict[str, Verdicts] = {}

    def verdicts(name: str) -> Verdicts:
        if name not in known:
            document = json.loads(part_of_corpus(corpus, f"dev/{name}").read_bytes())
            known[name] = _ask(prism, document, tmp_path_factory.mktemp("prism"))
        return known[name]

    return verdicts


def _ask(prism: Path, document: dict[str, Any], folder: Path) -> Verdicts:
    (folder / "api.json").write_text(json.dumps(judged_document(document)), encoding="utf-8")
    port = free_port()
    command = (prism, "mock", "api.json", "--errors", "--host", "127.0.0.1", "--port", str(port))
    app = specfn.load(document)
    connection = Connection(base_url=f"http://127.0.0.1:{port}", credentials=credentials(app))
    judged, refused, unsampled = 0, [], []
    with running(command, f"http://127.0.0.1:{port}/", folder):
        for function in app:
            operation = f"{function.method.upper()} {function.path}"
            before = judged
            for arguments in samples(function):
                judged += 1
                said = complaint(app.propagate(function, arguments, connection))
                if said is not None:
                    refused.append((operation, f"{said} for {json.dumps(arguments)[:2_000]}"))
            if judged == before:
                unsampled.append(operation)
    return Verdicts(judged, refused, unsampled)


@pytest.mark.corpus
@pytest.mark.parametrize("name", DOCUMENTS)
def test_prism_accepts_what_specfn_sends(judge: Callable[[str], Verdicts], name: str) -> None:
    """Every request is accepted, but for those in the table, and they are indeed refused."""
    verdicts = judge(name)
    explained = EXCEPTIONS.get(name, {})
    assert [each for each in verdicts.refused if each[0] not in explained] == []
    assert {operation for operation, _ in verdicts.refused} == set(explained)


@pytest.mark.corpus
def test_exceptions_are_few(judge: Callable[[str], Verdicts]) -> None:
    """Over all documents at most 2 % of the requests are exceptions, and few are not judged at all."""
    verdicts = [judge(name) for name in DOCUMENTS]
    judged = sum(each.judged for each in verdicts)
    assert judged > 1_500
    assert sum(len(each.refused) for each in verdicts) <= 0.02 * judged
    assert sum(len(each.unsampled) for each in verdicts) <= 0.02 * judged
