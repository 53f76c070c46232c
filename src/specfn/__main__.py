"""``python -m specfn``: the command where its script is not on the path."""

from specfn.cli.main import main

if __name__ == "__main__":
    main()
