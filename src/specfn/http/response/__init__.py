"""Read, validate and truncate responses."""
