"""Any OpenAPI or Swagger document, read, checked and made one normalized OpenAPI 3.1 graph."""
