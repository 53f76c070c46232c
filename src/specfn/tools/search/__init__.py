"""Search over functions by words: BM25F with rules for APIs."""
