"""The entry point of the command: from arguments to an exit code, whatever happens on the way."""

import gc
import os
import sys
from collections.abc import Sequence
from typing import NoReturn


def main() -> NoReturn:
    """Run the command of this process and leave.

    The process ends without taking its heap apart, and the garbage collector stays off: both cost more
    than they give in a process that lives for a second.
    """
    gc.disable()
    os._exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run the command and return its exit code; a fault is one line on stderr, never a traceback.

    Args:
        arguments: what follows the command's name.

    Returns:
        0 done; 1 the document, the arguments or the answer are at fault; 2 wrong use of the command; 3 the
        server could not be reached; 130 interrupted.
    """
    try:
        return _run(arguments)
    except KeyboardInterrupt:  # while modules are imported, or while a first one is being told
        return 130


def _run(arguments: Sequence[str]) -> int:
    from specfn.cli import output  # noqa: PLC0415  # imported where an interrupt is caught

    try:
        from specfn.cli.group import group  # noqa: PLC0415  # likewise

        output.prepare()
        code = group.main(args=list(arguments), prog_name="specfn", standalone_mode=False)
        output.flush()
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001  # the last place to tell of it
        from specfn.cli.faults import explain  # noqa: PLC0415  # needed for faults only

        line, code = explain(error)
        output.complain(line)
    return code if isinstance(code, int) else 0
