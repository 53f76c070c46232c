"""Comparison of two applications: the changes that a model or a server would notice."""
