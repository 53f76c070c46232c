"""Feedback for a model: its own JSON with comments at the invalid places."""
