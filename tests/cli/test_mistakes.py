"""What people type by mistake, or by the habit of another tool, and what the command answers."""

import json
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.strict_shop.server import Server

Command = Callable[..., Any]

_INFO = '"info": {"title": "T", "version": "1"}'

FILES = {
    "empty.json": "",
    "comma.json": f'{{"openapi": "3.1.0", {_INFO}, "paths": {{}},}}',
    "postman.json": json.dumps({"info": {"_postman_id": "1", "name": "T"}, "item": []}),
    "page.html": "<!doctype html><title>Swagger UI</title>",
    "arguments.json": '{"query": {"limit": "many"}}',
    "lamp.json": '{"body": {"name": "Lamp", "price": 9.5, "stock": 1}}',
    "faulty.json": f'{{"openapi": "3.1.0", {_INFO}, "paths": {{"/a": {{"get": {{"summary": 5}}}}}}}}',
}

#: The command line, its exit code, and a part of its answer.
MISTAKES = [
    # The beginning
    ("help", 0, "Usage: specfn [OPTIONS] COMMAND [ARGS]..."),
    ("help call", 0, "Usage: specfn call [OPTIONS] SPEC NAME [ARGUMENTS]..."),
    ("version", 0, "specfn "),
    ("-V", 0, "specfn "),
    (
        "--versions",
        2,
        "there is no option '--versions'; did you mean '--version'? See specfn --help",
    ),
    (
        "list shop.yaml",
        2,
        "there is no subcommand 'list'; did you mean 'inspect' or 'validate'? See specfn --help",
    ),
    (
        "shop.yaml",
        2,
        "the subcommand is missing before 'shop.yaml'; write: specfn inspect shop.yaml; see specfn --help",
    ),
    (
        "cal shop.yaml products_get",
        2,
        "there is no subcommand 'cal'; did you mean 'call' or 'chat'? See specfn --help",
    ),
    (
        "Call shop.yaml products_get",
        2,
        "there is no subcommand 'Call'; did you mean 'call'? See specfn --help",
    ),
    (
        "shop.yaml call products_get",
        2,
        "the subcommand is missing before 'shop.yaml'; write: specfn call shop.yaml; see specfn --help",
    ),
    ("call", 2, "missing argument 'SPEC'; see specfn call --help"),
    ("call shop.yaml", 2, "missing argument 'NAME'; see specfn call --help"),
    (
        "check_calls shop.yaml",
        2,
        "there is no subcommand 'check_calls'; did you mean 'check-calls' or 'check' or 'call'? See specfn --help",
    ),
    (
        "inspect shop.yaml other.yaml",
        2,
        "got unexpected extra argument (other.yaml); see specfn inspect --help",
    ),
    # The document
    ("inspect shop.yml", 1, "there is no file 'shop.yml'; did you mean 'shop.yaml'?"),
    ("inspect Shop.yaml", 1, "there is no file 'Shop.yaml'; did you mean 'shop.yaml'?"),
    ("inspect .", 1, "'.' is a directory; pass the path of a file in it"),
    ("inspect {origin}", 0, "the document is at {origin}/openapi.yaml; pass this URL"),
    ("inspect {origin}/docs", 0, "the document is at {origin}/openapi.yaml; pass this URL"),
    (
        "inspect {host}/openapi.yaml",
        1,
        "there is no file '{host}/openapi.yaml'; a URL begins with http:// or https://",
    ),
    (
        "inspect https://{host}/openapi.yaml",
        3,
        "the server of https://{host}/openapi.yaml could not be reached: the server does not use TLS on this port: use http:// instead of https://",
    ),
    (
        "inspect {origin}/api.json",
        1,
        "the server responded 404 for {origin}/api.json; check the address",
    ),
    (
        "inspect http://127.0.0.1:9/openapi.yaml",
        3,
        "the server of http://127.0.0.1:9/openapi.yaml could not be reached: [Errno 111] Connection refused",
    ),
    ("inspect htp://{host}/openapi.yaml", 1, "only http and https URLs are read, not htp"),
    (
        "inspect http:/{host}/openapi.yaml",
        1,
        "this is neither a path nor a URL; a URL begins with https://host",
    ),
    (
        "inspect empty.json",
        1,
        "the document is empty; expected a JSON or YAML object with the key openapi or swagger",
    ),
    ("inspect comma.json", 0, "Notes (1)"),
    (
        "inspect postman.json",
        1,
        "this is not an OpenAPI or Swagger document that specfn reads (swagger 2.0, openapi 3.0, 3.1 or 3.2): it is a Postman collection; convert it to OpenAPI first (at #/info/_postman_id)",
    ),
    (
        "inspect page.html",
        1,
        "found an HTML page instead of an OpenAPI document; use the address of the raw JSON or YAML",
    ),
    (
        "inspect arguments.json",
        1,
        "this is not an OpenAPI or Swagger document that specfn reads (swagger 2.0, openapi 3.0, 3.1 or 3.2): its first keys are 'query'",
    ),
    # The function
    (
        "show shop.yaml product_get",
        2,
        "there is no function 'product_get'; did you mean products_get or getProduct or products_post?",
    ),
    (
        "show shop.yaml GET /products",
        2,
        "write 'GET /products' in quotes: it is one name; see specfn show --help",
    ),
    (
        "show shop.yaml get /products",
        2,
        "write 'get /products' in quotes: it is one name; see specfn show --help",
    ),
    ("show shop.yaml 'get /products'", 0, "GET /products (read)"),
    (
        "show shop.yaml /products",
        2,
        "there is no function '/products'; did you mean listProducts or products_get or products_post?",
    ),
    (
        "show shop.yaml Products_get",
        2,
        "there is no function 'Products_get'; did you mean products_get or products_post or listProducts?",
    ),
    (
        "show shop.yaml 'GET /products/'",
        2,
        "there is no function 'GET /products/'; did you mean products_get?",
    ),
    (
        "show shop.yaml 'GET /products/7'",
        2,
        "there is no function 'GET /products/7'; did you mean products_getByProductId?",
    ),
    (
        "show shop.yaml products",
        2,
        "there is no function 'products'; did you mean listProducts or products_get or products_post?",
    ),
    ("search shop.yaml upload file", 0, "products_images_postByProductId"),
    ("search shop.yaml", 2, "missing argument 'QUERY...'; see specfn search --help"),
    ("search upload shop.yaml", 1, "there is no file 'upload'; check the path"),
    (
        "search shop.yaml zzzz",
        0,
        "no function fits these words; specfn inspect lists all functions",
    ),
    # A call
    ("call shop.yaml products_get query.limit=2 --base-url {base}", 0, '"total": 0'),
    ("call shop.yaml products_get limit=2 --base-url {base}", 0, '"total": 0'),
    (
        "call shop.yaml products_post body.name=Lamp body.price=9.5 body.stock:=1 --base-url {base} --dry-run --anonymous",
        0,
        '{"name":"Lamp","price":9.5,"stock":1}',
    ),
    (
        "call shop.yaml products_post @lamp.json body.name=Desk --base-url {base} --dry-run --anonymous",
        0,
        '{"name":"Desk","price":9.5,"stock":1}',
    ),
    (
        "call shop.yaml products_post body=@lamp.json --base-url {base} --dry-run",
        1,
        "the arguments of products_post are invalid: body.body: not a property here: move its properties up to body",
    ),
    (
        'call shop.yaml products_get \'{"query": {"limit": 2}}\' query.page=1 --base-url {base}',
        0,
        '"total": 0',
    ),
    (
        "call shop.yaml products_get query.limit=many --base-url {base}",
        1,
        "the arguments of products_get are invalid: query.limit: expected integer (int32) of 1 to 50, optional",
    ),
    (
        "call shop.yaml products_get query.limt=2 --base-url {base}",
        1,
        "the arguments of products_get are invalid: query.limt: not a property here; the properties are q, tag, status, price, sort, page and limit",
    ),
    (
        "call shop.yaml products_get limit=many --base-url {base}",
        1,
        "the arguments of products_get are invalid: query.limit: expected integer (int32) of 1 to 50, optional",
    ),
    (
        "call shop.yaml products_get query=2 query.limit=3 --base-url {base}",
        2,
        "query.limit: 'query' is already set to a value that is not an object",
    ),
    (
        "call shop.yaml products_get @missing.json --base-url {base}",
        1,
        "there is no file 'missing.json'; check the path",
    ),
    (
        "call shop.yaml products_get limit --base-url {base}",
        2,
        "'limit' is not an argument; pass query.NAME=VALUE, a JSON object, or @FILE with a JSON object",
    ),
    (
        "call shop.yaml products_get limit 2 --base-url {base}",
        2,
        "'limit' is not an argument; pass query.NAME=VALUE, a JSON object, or @FILE with a JSON object",
    ),
    (
        "call shop.yaml products_get --limit 2 --base-url {base}",
        2,
        "there is no option '--limit'; an argument of the function is written NAME=VALUE, a header --header 'NAME: VALUE'; see specfn call --help",
    ),
    (
        "call shop.yaml products_get '{query:{limit:2}}' --base-url {base}",
        0,
        "query was repaired (key)",
    ),
    (
        'call shop.yaml products_get \'{"query": {"limit": 2}\' --base-url {base}',
        0,
        "the text was repaired (closed)",
    ),
    (
        "call shop.yaml products_getByProductId 7 --base-url {base}",
        2,
        "'7' is not an argument; pass productId=VALUE, a JSON object, or @FILE with a JSON object",
    ),
    (
        "call shop.yaml products_getByProductId productId=seven --base-url {base}",
        1,
        "the arguments of products_getByProductId are invalid: productId: expected string (uuid). A uuid has 32 hexadecimal digits and 4 dashes; never invent one",
    ),
    (
        'call shop.yaml orders_post \'{"body": {"note": 5}}\' --base-url {base}',
        1,
        'the arguments of orders_post are invalid: body.customerId: missing; expected integer (int32) of at least 1; body.lines: missing; expected Array<{ productId: string (uuid); quantity: integer (int32) of 1 to 99 }> with at least 1 item; body.payment: missing; expected { kind: "card"; number: string matching ^[0-9]{12,19}$; holder: string of at least 1 character } | { kind: "transfer"; iban: string matching ^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$ } | { kind: "voucher"; code: string matching ^[A-Z]{4}-[0-9]{4}$ }',
    ),
    (
        "call shop.yaml products_get --base-url {host}",
        2,
        "--base-url: must be a complete http or https URL, such as https://api.example.com/v1",
    ),
    (
        "call shop.yaml products_get --base-url https://{host}/v1",
        3,
        "GET https://{host}/v1/products: could not connect (the server does not use TLS on this port: use http:// instead of https://)",
    ),
    (
        "call shop.yaml products_eraseByProductId productId=1 --base-url {base}",
        1,
        "the arguments of products_eraseByProductId are invalid: productId: expected string (uuid). A uuid has 32 hexadecimal digits and 4 dashes; never invent one",
    ),
    (
        "call shop.yaml products_post @lamp.json --base-url {base} --yes",
        2,
        "POST /products needs credentials: bearer; pass --auth SCHEME=VALUE or set SPECFN_AUTH_BEARER; if the server needs none, pass --anonymous",
    ),
    (
        "call shop.yaml products_get --auth secret --base-url {base}",
        2,
        "--auth is invalid: expected SCHEME=VALUE; or set the environment variable SPECFN_AUTH_SCHEME",
    ),
    (
        "call shop.yaml products_get --auth Bearer=secret --base-url {base}",
        2,
        "the connection has a credential for 'Bearer', which is not a security scheme of the document; the document declares: bearer",
    ),
    (
        "call shop.yaml products_get --header X-A=b --base-url {base}",
        2,
        "--header is invalid: expected a name and a value, separated by ':'",
    ),
    ("call shop.yaml products_get -H 'X-A: b' --base-url {base}", 0, '"total": 0'),
    (
        "call shop.yaml products_get -d '{}' --base-url {base}",
        2,
        "there is no option '-d'; an argument of the function is written NAME=VALUE, a header --header 'NAME: VALUE'; see specfn call --help",
    ),
    (
        "call shop.yaml products_get --timeout 5s --base-url {base}",
        2,
        "invalid value for '--timeout': '5s' is not a number; see specfn call --help",
    ),
    # The rest
    (
        "serve shop.yaml --base-url {base} --port 8000",
        2,
        "there is no option '--port'; to serve HTTP, write --http HOST:PORT; see specfn serve --help",
    ),
    (
        "tools shop.yaml --profile gpt",
        2,
        "invalid value for '--profile': 'gpt' is not one of anthropic, anthropic-strict, azure-openai, bedrock, bedrock-strict, gemini, gemini-json-schema, mcp, mistral, mistral-strict, openai, openai-functions, openai-responses, openai-responses-strict, openai-strict, portable; did you mean 'openai'? See specfn tools --help",
    ),
    ("tools shop.yaml --select 'get*'", 0, "["),
    ("tools shop.yaml -o .", 2, "'.' cannot be written: Is a directory; pass another path to -o"),
    (
        "check shop.yaml --profile gemini",
        0,
        "21 functions can be sent (profile gemini); nothing to do; adapted: 71 places (--all lists them)",
    ),
    (
        "check faulty.json",
        1,
        "1 function can be sent (profile portable); 1 fault to correct in the document; adapted: 1 place (--all lists them)",
    ),
    (
        "validate shop.yaml products_get '{\"query\": {}}'",
        2,
        "FILE is the path of a file, not JSON; pass the text by stdin: echo TEXT | specfn validate SPEC NAME",
    ),
    ("validate shop.yaml products_get arguments.json", 1, "The arguments are invalid."),
    ("diff shop.yaml", 2, "missing argument 'NEW'; see specfn diff --help"),
    ("convert shop.yaml --to 3.1", 0, '"openapi": "3.1.'),
]


@pytest.mark.parametrize(("line", "code", "text"), MISTAKES, ids=[line for line, *_ in MISTAKES])
def test_the_answer_to_a_mistake(
    specfn: Command,
    products: Path,
    shop: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    line: str,
    code: int,
    text: str,
) -> None:
    """A mistake is answered by what was meant, or by one line that names the right form; never by a defect."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(products, "shop.yaml")
    for name, content in FILES.items():
        Path(name).write_text(content, encoding="utf-8")
    url = urlsplit(shop.document_url)
    places = {"origin": f"{url.scheme}://{url.netloc}", "host": url.netloc, "base": shop.base_url}
    for place, value in places.items():
        line, text = (given.replace(f"{{{place}}}", value) for given in (line, text))
    ended = specfn(*shlex.split(line))
    answer = ended.out + ended.err
    assert text in answer
    assert ended.code == code
    assert "internal error" not in answer


@pytest.mark.parametrize(
    "path", ["", "/docs", "/v1/", "/docs/index.html?secret=canary-9f1#canary-9f1"]
)
def test_the_document_of_a_site_is_named_without_secrets(
    specfn: Command, shop: Server, path: str
) -> None:
    """The URL of the document that is read is named without the password and the query of the given URL."""
    url = urlsplit(shop.document_url)
    ended = specfn("inspect", f"http://user:canary-9f1@{url.netloc}{path}")
    assert ended.code == 0
    assert ended.err == f"specfn: the document is at {shop.document_url}; pass this URL\n"


def test_a_site_without_a_document_is_an_error_with_the_tried_paths(
    specfn: Command, shop: Server
) -> None:
    """If no usual path has a document, the first error remains, and the paths are named."""
    url = urlsplit(shop.document_url)
    ended = specfn("inspect", f"http://{url.netloc}/a/b/c")
    assert ended.code == 1
    assert f"the server responded 404 for http://{url.netloc}/a/b/c" in ended.err
    assert "There is no document at /openapi.json, " in ended.err
    assert specfn("inspect", f"http://{url.netloc}/a.json").err.endswith("check the address\n")
