"""References between places of a document and between documents."""
