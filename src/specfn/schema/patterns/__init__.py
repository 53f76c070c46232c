"""Regular expressions of ECMA-262: syntax, cost, and the dialect of the engine."""
