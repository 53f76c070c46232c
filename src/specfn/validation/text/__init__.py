"""Extract JSON from the text of a model and parse it leniently."""
