"""Downgrade a normalized document to OpenAPI 3.0."""
