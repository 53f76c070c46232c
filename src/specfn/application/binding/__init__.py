"""Functions bound to a connection: check, ask, send, and return an answer."""
