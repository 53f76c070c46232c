"""Conversion of any OpenAPI or Swagger document into functions that a language model can call.

The names of this module are imported on first use (PEP 562), so ``import specfn`` takes about a millisecond. Type
checkers see plain imports only. A visible ``__getattr__`` would make every misspelled name look correct to them.
"""

TYPE_CHECKING = False

if TYPE_CHECKING:
    from specfn import calling, connectors, errors, human
    from specfn.api import load, loads, normalize
    from specfn.application.application import Application
    from specfn.asgi.from_asgi import from_asgi
    from specfn.calling import choice
    from specfn.calling.config import InvocationConfig
    from specfn.comparison.compare import compare
    from specfn.document.downgrade.document import downgrade
    from specfn.errors import (
        ArgumentError,
        DocumentError,
        HTTPStatusError,
        LimitError,
        ResponseError,
        SpecfnError,
        TransportError,
        UnknownFunctionError,
        UsageError,
    )
    from specfn.function.function import Function
    from specfn.function.separation.join import merge
    from specfn.http.connection import Connection
    from specfn.http.request.request import request
    from specfn.http.response.response import Result
    from specfn.http.transport.oauth2 import OAuth2
    from specfn.http.transport.send import aexecute, apropagate, execute, propagate
    from specfn.options import Options
    from specfn.validation.outcome import Failure, Success
else:
    from specfn._internal.lazy_names import lazy_names

    _HOMES = {
        "Application": "specfn.application.application",
        "ArgumentError": "specfn.errors",
        "Connection": "specfn.http.connection",
        "DocumentError": "specfn.errors",
        "Failure": "specfn.validation.outcome",
        "Function": "specfn.function.function",
        "HTTPStatusError": "specfn.errors",
        "InvocationConfig": "specfn.calling.config",
        "LimitError": "specfn.errors",
        "OAuth2": "specfn.http.transport.oauth2",
        "Options": "specfn.options",
        "ResponseError": "specfn.errors",
        "Result": "specfn.http.response.response",
        "SpecfnError": "specfn.errors",
        "Success": "specfn.validation.outcome",
        "TransportError": "specfn.errors",
        "UnknownFunctionError": "specfn.errors",
        "UsageError": "specfn.errors",
        "aexecute": "specfn.http.transport.send",
        "apropagate": "specfn.http.transport.send",
        "calling": "specfn.calling",
        "choice": "specfn.calling.choice",
        "compare": "specfn.comparison.compare",
        "connectors": "specfn.connectors",
        "downgrade": "specfn.document.downgrade.document",
        "errors": "specfn.errors",
        "execute": "specfn.http.transport.send",
        "from_asgi": "specfn.asgi.from_asgi",
        "human": "specfn.human",
        "load": "specfn.api",
        "loads": "specfn.api",
        "merge": "specfn.function.separation.join",
        "normalize": "specfn.api",
        "propagate": "specfn.http.transport.send",
        "request": "specfn.http.request.request",
    }

    _MODULES = {"calling", "choice", "connectors", "errors", "human"}

    __getattr__, __dir__ = lazy_names(globals(), _HOMES, _MODULES)


__version__ = "0.1.0"

__all__ = [
    "Application",
    "ArgumentError",
    "Connection",
    "DocumentError",
    "Failure",
    "Function",
    "HTTPStatusError",
    "InvocationConfig",
    "LimitError",
    "OAuth2",
    "Options",
    "ResponseError",
    "Result",
    "SpecfnError",
    "Success",
    "TransportError",
    "UnknownFunctionError",
    "UsageError",
    "aexecute",
    "apropagate",
    "calling",
    "choice",
    "compare",
    "connectors",
    "downgrade",
    "errors",
    "execute",
    "from_asgi",
    "human",
    "load",
    "loads",
    "merge",
    "normalize",
    "propagate",
    "request",
]
