"""The lists of functions that ``specfn tools`` writes."""
