"""Validation of a model's arguments: parsing, repairs, problems and feedback."""
