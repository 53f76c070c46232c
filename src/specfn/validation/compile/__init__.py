"""Prepare schemas for the validation engine, and compile them."""
