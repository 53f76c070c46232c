"""Names of functions in a conversation, and their resolution."""
