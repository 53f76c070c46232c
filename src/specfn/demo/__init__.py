"""A small real API with its own OpenAPI document: what ``specfn demo`` shows and the tests call."""
