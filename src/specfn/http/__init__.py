"""HTTP calls: arguments to requests, responses to results."""
