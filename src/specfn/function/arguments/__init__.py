"""Arguments of one function: wrappers, positions, repairs and validation."""
