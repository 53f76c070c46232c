"""Upgrade Swagger 2.0 and OpenAPI 3.0 to OpenAPI 3.1."""
