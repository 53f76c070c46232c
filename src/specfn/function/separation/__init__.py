"""Separate the model's part of the arguments from the human part."""
