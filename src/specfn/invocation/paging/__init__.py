"""The next page of a response: its arguments, its text for a model, and iteration over pages."""
