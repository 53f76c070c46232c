"""The shop's functions, for tests that need no server."""

import specfn
from specfn.demo.document import document

APP = specfn.load(document())
