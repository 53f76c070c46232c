"""Tools of functions in the form of a provider, and the way back from its arguments."""
