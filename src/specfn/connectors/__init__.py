"""What each vendor accepts and how it writes things down: one file per vendor."""
