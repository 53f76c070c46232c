"""Typed signatures of functions, for models that write code."""
