"""Texts of successful responses: their data, the next page, and the function that reads the status of an accepted call."""
