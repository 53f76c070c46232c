"""Servers of this machine over HTTP: the guard of requests, and listening until a signal."""
