"""A small HTTP API with its own OpenAPI document, for ``specfn demo`` and the tests."""
