"""The appearance of results on a terminal: colors, line breaks, notes and completion."""
