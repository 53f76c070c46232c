"""What a call returns for the bytes of a response."""

import httpx

import specfn

_DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "t", "version": "1"},
    "paths": {"/x": {"get": {}}},
}
_FUNCTION = specfn.load(_DOCUMENT).functions[0]


def result_of(
    status: int, content_type: str, body: bytes, *, truncated: bool = False
) -> specfn.Result:
    """Return the result of a call whose response has this status, media type and body.

    A truncated one has more bytes than the connection reads.
    """
    headers = {"content-type": content_type.encode("latin-1")} if content_type else {}
    content = body + b"..." if truncated else body

    def respond(_: httpx.Request) -> httpx.Response:
        return httpx.Response(status, headers=headers, stream=httpx.ByteStream(content))

    with httpx.Client(transport=httpx.MockTransport(respond)) as client:
        connection = specfn.Connection(
            base_url="https://api.example",
            client=client,
            **({"max_bytes": len(body)} if truncated else {}),
        )
        return specfn.propagate(_FUNCTION, {}, connection)
