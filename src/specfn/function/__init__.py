"""Routes to functions: names, descriptions, the schemas a model reads."""
