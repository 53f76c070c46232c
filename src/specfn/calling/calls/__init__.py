"""The calls of one turn: preparation, approval, invocation and results."""
