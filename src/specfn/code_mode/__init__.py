"""Scripts of models that call functions, in a sandbox with limits (extra ``specfn[code]``)."""
