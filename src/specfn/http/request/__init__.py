"""Serialize arguments to an HTTP request."""
