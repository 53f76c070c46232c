"""Read the bytes of a document: files and URLs, JSON and YAML, limits and clear faults."""
