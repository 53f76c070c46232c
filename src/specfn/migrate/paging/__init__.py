"""Paging of operations: the parameter to change, and the source of its next value."""
