"""Explain why a value is invalid: one problem per place."""
