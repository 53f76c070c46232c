"""Fit schemas to the profile of a provider."""
