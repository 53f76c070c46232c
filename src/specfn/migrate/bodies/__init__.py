"""Request bodies and responses of an operation."""
