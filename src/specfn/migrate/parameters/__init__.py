"""Parameters of an operation: declarations, groups, reserved and fixed ones."""
