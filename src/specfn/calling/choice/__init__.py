"""Function choice: the choice of a prompt, and the configuration of the operator."""
