"""Repair values: coercions to declared types, and the candidates for each."""
