"""The tools of mode ``code``: find functions, and run scripts that call them."""
