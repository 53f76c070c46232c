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
    (
        "help",
        2,
        "there is no subcommand 'help'; there is 'inspect', 'ui', 'tools', 'show', 'search', 'diff', 'check', 'convert', 'validate', 'check-calls', ...; see specfn --help",
    ),
    (
        "help call",
        2,
        "there is no subcommand 'help'; there is 'inspect', 'ui', 'tools', 'show', 'search', 'diff', 'check', 'convert', 'validate', 'check-calls', ...; see specfn --help",
    ),
    (
        "version",
        2,
        "there is no subcommand 'version'; there is 'inspect', 'ui', 'tools', 'show', 'search', 'diff', 'check', 'convert', 'validate', 'check-calls', ...; see specfn --help",
    ),
    ("-V", 2, "there is no option '-V'; see specfn --help"),
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
        "there is no subcommand 'shop.yaml'; there is 'inspect', 'ui', 'tools', 'show', 'search', 'diff', 'check', 'convert', 'validate', 'check-calls', ...; see specfn --help",
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
        "there is no subcommand 'shop.yaml'; there is 'inspect', 'ui', 'tools', 'show', 'search', 'diff', 'check', 'convert', 'validate', 'check-calls', ...; see specfn --help",
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
    ("inspect shop.yml", 1, "there is no file 'shop.yml'; check the path"),
    ("inspect Shop.yaml", 1, "there is no file 'Shop.yaml'; check the path"),
    ("inspect .", 1, "'.' is a directory; pass the path of a file in it"),
    ("inspect {origin}", 1, "the server responded 404 for {origin}; check the address"),
    ("inspect {origin}/docs", 1, "the server responded 404 for {origin}/docs; check the address"),
    ("inspect {host}/openapi.yaml", 1, "there is no file '{host}/openapi.yaml'; check the path"),
    (
        "inspect https://{host}/openapi.yaml",
        3,
        "the server of https://{host}/openapi.yaml could not be reached: [SSL: WRONG_VERSION_NUMBER] wrong version number (_ssl.c:1006)",
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
        "got unexpected extra argument (/products); see specfn show --help",
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
    (
        "search shop.yaml upload file",
        2,
        "got unexpected extra argument (file); see specfn search --help",
    ),
    ("search shop.yaml", 2, "missing argument 'QUERY'; see specfn search --help"),
    ("search upload shop.yaml", 1, "there is no file 'upload'; check the path"),
    (
        "search shop.yaml zzzz",
        0,
        "no function fits these words; specfn inspect lists all functions",
    ),
    # A call
    (
        "call shop.yaml products_get query.limit=2 --base-url {base}",
        1,
        "the arguments of products_get are not valid: $input: expected JSON (No JSON object was found. Write the arguments in { }. (line 1, column 1))",
    ),
    (
        "call shop.yaml products_get limit=2 --base-url {base}",
        1,
        "the arguments of products_get are not valid: $input: expected JSON (No JSON object was found. Write the arguments in { }. (line 1, column 1))",
    ),
    (
        "call shop.yaml products_post body.name=Lamp body.price=9.5 body.stock:=1 --base-url {base} --dry-run",
        2,
        "got unexpected extra arguments (body.price=9.5 body.stock:=1); see specfn call --help",
    ),
    (
        "call shop.yaml products_post @lamp.json body.name=Desk --base-url {base} --dry-run",
        2,
        "got unexpected extra argument (body.name=Desk); see specfn call --help",
    ),
    (
        "call shop.yaml products_post body=@lamp.json --base-url {base} --dry-run",
        1,
        'the arguments of products_post are not valid: $input.body: expected Product (missing; It must be { name: string & MinLength<1> & MaxLength<120>; price: number & ExclusiveMinimum<0> & MultipleOf<0.01>; stock: number & Type<"int32"> & Minimum<0>; status?: "draft" | "on_sale" | "sold_out"; tags?: Array<string & MinLength<1>> & MaxItems<10> & UniqueItems; ... })',
    ),
    (
        'call shop.yaml products_get \'{"query": {"limit": 2}}\' query.page=1 --base-url {base}',
        2,
        "got unexpected extra argument (query.page=1); see specfn call --help",
    ),
    (
        "call shop.yaml products_get query.limit=many --base-url {base}",
        1,
        "the arguments of products_get are not valid: $input: expected JSON (No JSON object was found. Write the arguments in { }. (line 1, column 1))",
    ),
    (
        "call shop.yaml products_get query.limt=2 --base-url {base}",
        1,
        "the arguments of products_get are not valid: $input: expected JSON (No JSON object was found. Write the arguments in { }. (line 1, column 1))",
    ),
    (
        "call shop.yaml products_get limit=many --base-url {base}",
        1,
        "the arguments of products_get are not valid: $input: expected JSON (No JSON object was found. Write the arguments in { }. (line 1, column 1))",
    ),
    (
        "call shop.yaml products_get query=2 query.limit=3 --base-url {base}",
        2,
        "got unexpected extra argument (query.limit=3); see specfn call --help",
    ),
    (
        "call shop.yaml products_get @missing.json --base-url {base}",
        1,
        "the arguments of products_get are not valid: $input: expected JSON (No JSON object was found. Write the arguments in { }. (line 1, column 1))",
    ),
    (
        "call shop.yaml products_get limit --base-url {base}",
        1,
        "the arguments of products_get are not valid: $input: expected JSON (No JSON object was found. Write the arguments in { }. (line 1, column 1))",
    ),
    (
        "call shop.yaml products_get limit 2 --base-url {base}",
        2,
        "got unexpected extra argument (2); see specfn call --help",
    ),
    (
        "call shop.yaml products_get --limit 2 --base-url {base}",
        2,
        "there is no option '--limit'; did you mean '--timeout'? See specfn call --help",
    ),
    (
        "call shop.yaml products_get '{query:{limit:2}}' --base-url {base}",
        0,
        "$input.query was repaired (key)",
    ),
    (
        'call shop.yaml products_get \'{"query": {"limit": 2}\' --base-url {base}',
        0,
        "$input was repaired (closed)",
    ),
    (
        "call shop.yaml products_getByProductId 7 --base-url {base}",
        1,
        'the arguments of products_getByProductId are not valid: $input: expected { productId: string & Format<"uuid"> }',
    ),
    (
        "call shop.yaml products_getByProductId productId=seven --base-url {base}",
        1,
        'the arguments of products_getByProductId are not valid: $input.productId: expected string & Format<"uuid"> (missing)',
    ),
    (
        'call shop.yaml orders_post \'{"body": {"note": 5}}\' --base-url {base}',
        1,
        'the arguments of orders_post are not valid: $input.body.customerId: expected number & Type<"int32"> & Minimum<1> (missing); $input.body.lines: expected Array<OrderLine> & MinItems<1> (missing; It must be Array<{ productId: string & Format<"uuid">; quantity: number & Type<"int32"> & Minimum<1> & Maximum<99> }> & MinItems<1>); $input.body.payment: expected Payment (missing; It must be { kind: "card"; number: string & Pattern<"^[0-9]{12,19}$">; holder: string & MinLength<1> } | { kind: "transfer"; iban: string & Pattern<"^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$"> } | { kind: "voucher"; code: string & Pattern<"^[A-Z]{4}-[0-9]{4}$"> })',
    ),
    (
        "call shop.yaml products_get --base-url {host}",
        2,
        "--base-url: must be a complete http or https URL",
    ),
    (
        "call shop.yaml products_get --base-url https://{host}/v1",
        3,
        "GET https://{host}/v1/products: could not connect ([SSL: WRONG_VERSION_NUMBER] wrong version number (_ssl.c:1006))",
    ),
    (
        "call shop.yaml products_eraseByProductId productId=1 --base-url {base}",
        1,
        'the arguments of products_eraseByProductId are not valid: $input.productId: expected string & Format<"uuid"> (missing)',
    ),
    (
        "call shop.yaml products_post @lamp.json --base-url {base} --yes",
        1,
        'the arguments of products_post are not valid: $input.body: expected Product (missing; It must be { name: string & MinLength<1> & MaxLength<120>; price: number & ExclusiveMinimum<0> & MultipleOf<0.01>; stock: number & Type<"int32"> & Minimum<0>; status?: "draft" | "on_sale" | "sold_out"; tags?: Array<string & MinLength<1>> & MaxItems<10> & UniqueItems; ... })',
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
    (
        "call shop.yaml products_get -H 'X-A: b' --base-url {base}",
        2,
        "there is no option '-H'; see specfn call --help",
    ),
    (
        "call shop.yaml products_get -d '{}' --base-url {base}",
        2,
        "there is no option '-d'; see specfn call --help",
    ),
    (
        "call shop.yaml products_get --timeout 5s --base-url {base}",
        2,
        "invalid value for '--timeout': '5s' is not a number; see specfn call --help",
    ),
    # The rest
    (
        "tools shop.yaml --profile gpt",
        2,
        "invalid value for '--profile': 'gpt' is not one of anthropic, anthropic-strict, azure-openai, bedrock, bedrock-strict, gemini, gemini-json-schema, mcp, mistral, mistral-strict, openai, openai-functions, openai-responses, openai-responses-strict, openai-strict, portable; see specfn tools --help",
    ),
    ("tools shop.yaml --select 'get*'", 0, "["),
    ("tools shop.yaml -o .", 2, "'.' cannot be written: Is a directory; pass another path to -o"),
    (
        "check shop.yaml --profile gemini",
        0,
        "no faults in 21 functions for the profile gemini; 71 details are adapted to it (--json lists them)",
    ),
    ("check faulty.json", 1, "document: expected a text, found 5 (at #/paths/~1a/get/summary)"),
    (
        "validate shop.yaml products_get '{\"query\": {}}'",
        2,
        "FILE is the path of a file, not JSON; pass the text by stdin: echo TEXT | specfn validate SPEC NAME",
    ),
    ("validate shop.yaml products_get arguments.json", 1, "The arguments are invalid."),
    ("diff shop.yaml", 2, "missing argument 'NEW'; see specfn diff --help"),
    ("convert shop.yaml --to 3.1", 0, "{"),
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
