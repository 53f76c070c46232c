"""Send requests: connections, network guard, redirects and retries."""
