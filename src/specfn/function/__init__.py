"""Routes to functions: names, descriptions, the schemas a model reads, and the application that holds them."""
