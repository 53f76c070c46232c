"""Arguments that a model composed: whether they fit, where they do not, and what to tell the model."""
