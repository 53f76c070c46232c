"""The shop's functions, for tests that need no server."""

from tests.strict_shop.shop_document import document

import specfn

APP = specfn.load(document())

#: A connection that reaches no server.
NOWHERE = specfn.Connection(base_url="http://127.0.0.1:9", credentials={"bearer": "t"})
