"""Diagnostics of a document against the metaschema of its version."""
