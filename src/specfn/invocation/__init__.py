"""One call of a function, whoever makes it: resolve, check, permit, send, answer."""
