"""JSON Schema work: composing, describing and fitting schemas; no OpenAPI beyond its schema objects."""
