"""Calls that a server accepted and has not finished: the function that reads their status."""
