"""Binary responses as content of a tool result, or as saved files."""
