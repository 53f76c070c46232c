"""Adapters: the functions of a document as tools of an agent framework, one module per framework.

Each module has a function ``tools(bound, select=None)``. It imports its framework when it is called.
"""
