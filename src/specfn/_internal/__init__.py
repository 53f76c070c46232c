"""Helpers of the whole package: JSON, JSON Pointers, digests, similar names."""
