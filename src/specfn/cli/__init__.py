"""The ``specfn`` command, one file per subcommand."""
