"""Processing of a request: routing, authentication, decoding, validation and handling."""

from secrets import compare_digest
from typing import Any

from tests.strict_shop.decode import DecodedRequest, DecodingError, Received, UploadedFile, call
from tests.strict_shop.handlers import HANDLERS, RefusalError, Reply, invalid
from tests.strict_shop.request_validation import problems
from tests.strict_shop.shop_document import BASE_PATH, ShopOperation, join, operations, text
from tests.strict_shop.store import Store


def answer(store: Store, token: str, received: Received) -> Reply:
    """Return the reply to a request; errors become replies, too."""
    if (received.method, received.path) == ("GET", "/openapi.yaml"):
        return Reply(data=text(), media_type="application/yaml")
    try:
        operation, groups = _match(received)
        if operation.secured:
            _authorize(received.headers.get("Authorization", ""), token)
        read = call(operation, received, groups)
        _validate(operation, read)
        return HANDLERS[operation.operation_id](store, read)
    except DecodingError as error:
        return invalid(error.pointer, error.message).reply
    except RefusalError as refusal:
        return refusal.reply


def _match(received: Received) -> tuple[ShopOperation, tuple[str, ...]]:
    """Return the operation of a request with its raw path values."""
    path = received.path.removeprefix(BASE_PATH)
    found = [
        (operation, match.groups())
        for operation in operations()
        if (match := operation.pattern.fullmatch(path))
    ]
    if not found or path == received.path:
        raise RefusalError(404, "Not found")
    for operation, groups in found:
        if operation.method == received.method:
            return operation, groups
    allowed = ", ".join(operation.method for operation, _ in found)
    raise RefusalError(405, "Method not allowed", headers={"Allow": allowed})


def _authorize(header: str, token: str) -> None:
    scheme, _, given = header.partition(" ")
    if scheme.lower() != "bearer" or not compare_digest(given.encode(), token.encode()):
        headers = {"WWW-Authenticate": "Bearer"}
        raise RefusalError(401, "A bearer token is needed", headers=headers)


def _validate(operation: ShopOperation, read: DecodedRequest) -> None:
    """Validate every decoded value against its schema; report all problems together."""
    found: list[dict[str, Any]] = []
    for parameter in operation.parameters:
        values = getattr(read, parameter.location)
        place = join((parameter.location, parameter.name))
        if parameter.name in values:
            found += problems(values[parameter.name], parameter.pointer, place)
        elif parameter.required:
            found.append({"pointer": place, "message": "it is required"})
    if operation.body:
        found += problems(_comparable(read.body), operation.body.pointer, "/body")
    if found:
        raise RefusalError(422, "Invalid request", problems=found)


def _comparable(body: Any) -> Any:
    """Return a body with file names in place of files, as the schema describes it."""
    if not isinstance(body, dict):
        return body
    return {
        name: value.name if isinstance(value, UploadedFile) else value
        for name, value in body.items()
    }
