"""All functions of a document: found by name, offered to a model, called."""
