"""Many functions: which to offer, what they cost, what a provider would refuse."""
