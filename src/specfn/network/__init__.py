"""Sockets, name resolution and origins: what calls and downloads of documents share."""
