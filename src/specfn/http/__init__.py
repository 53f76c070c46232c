"""Arguments to requests, answers to results: what calling an operation needs, and nothing of models."""
