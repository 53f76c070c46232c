"""Read, check and normalize OpenAPI and Swagger documents of any version."""
