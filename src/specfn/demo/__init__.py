"""A small shop as a FastAPI application, for ``specfn demo`` and the documentation (extra ``demo``)."""
