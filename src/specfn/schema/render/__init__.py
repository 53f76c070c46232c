"""Render composed schemas in a dialect, within a size budget."""
