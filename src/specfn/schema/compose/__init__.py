"""Compose the schemas of a document: `allOf`, inheritance, polymorphism, direction."""
