"""Lists of functions: selection, tools for a provider, token estimates, and checks of provider limits."""
