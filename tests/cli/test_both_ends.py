import os
import subprocess
import sys
import textwrap

import pytest

PRELUDE = """
import os, sys
from specfn.cli import halves

def work(items, tell):
    for item in items:
        yield b"%d by %d\\n" % (item, os.getpid())
        tell(item)
"""

needs_cores = pytest.mark.skipif(
    sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2,
    reason="a copy is made on Linux, where it has a core of its own",
)


def ran(program: str) -> subprocess.CompletedProcess[str]:
    """A program in a process of its own, for one that has threads makes no copies."""
    return subprocess.run(
        [sys.executable, "-c", PRELUDE + textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def lines(result: subprocess.CompletedProcess[str]) -> list[tuple[int, int]]:
    """Each item with the process that worked it off."""
    assert result.returncode == 0, result.stderr
    return [(int(line.split()[0]), int(line.split()[2])) for line in result.stdout.splitlines()]


WRITE = "sys.stdout.write(b''.join(pieces).decode())\n"


@needs_cores
def test_a_long_list_is_worked_off_by_two_processes_in_order() -> None:
    """Every item is worked off once and stands in its place, the first half by one process, the rest by another."""
    done = lines(ran("pieces = halves.by_halves(work, range(500), lambda _: None)\n" + WRITE))
    assert [item for item, _ in done] == list(range(500))
    assert len({by for _, by in done[:250]}) == len({by for _, by in done[250:]}) == 1
    assert done[0][1] != done[-1][1]


def test_a_short_list_is_worked_off_by_one_process() -> None:
    """What is done at once is done here."""
    done = lines(ran("pieces = halves.by_halves(work, range(20), lambda _: None)\n" + WRITE))
    assert [item for item, _ in done] == list(range(20))
    assert len({by for _, by in done}) == 1


def test_a_process_with_threads_makes_no_copy() -> None:
    """A copy would lack the threads that may hold its locks."""
    program = """
    import threading
    event = threading.Event()
    threading.Thread(target=event.wait, daemon=True).start()
    pieces = halves.by_halves(work, range(500), lambda _: None)
    """
    done = lines(ran(textwrap.dedent(program) + WRITE))
    assert len({by for _, by in done}) == 1
    assert [item for item, _ in done] == list(range(500))


@needs_cores
@pytest.mark.parametrize("death", ["raise MemoryError", "os._exit(7)", "os.kill(os.getpid(), 9)"])
def test_what_the_copy_does_not_finish_is_done_here(death: str) -> None:
    """A copy that fails or is killed loses nothing."""
    program = f"""
    here = os.getpid()
    def fragile(items, tell):
        for item in work(items, tell):
            if os.getpid() != here and item.startswith(b"400"):
                {death}
            yield item
    pieces = halves.by_halves(fragile, range(500), lambda _: None)
    """
    done = lines(ran(textwrap.dedent(program) + WRITE))
    assert [item for item, _ in done] == list(range(500))
    assert len({by for _, by in done}) == 1


@needs_cores
def test_a_fault_here_leaves_no_copy_behind() -> None:
    """Whoever fails ends the copy, which would otherwise work for nobody."""
    program = """
    import time
    here = os.getpid()
    def failing(items, tell):
        if os.getpid() == here:
            raise ValueError("mine")
        time.sleep(600)
        yield b""
    try:
        list(halves.by_halves(failing, range(500), lambda _: None))
    except ValueError as error:
        print(error)
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        print("no child")
    """
    assert ran(program).stdout.split("\n") == ["mine", "no child", ""]


@needs_cores
def test_a_system_that_allows_no_more_processes_is_no_fault() -> None:
    """Where no copy can be made, all is done here."""
    program = """
    def refuse():
        raise BlockingIOError("Resource temporarily unavailable")
    os.fork = refuse
    pieces = halves.by_halves(work, range(500), lambda _: None)
    """
    done = lines(ran(textwrap.dedent(program) + WRITE))
    assert [item for item, _ in done] == list(range(500))
    assert len({by for _, by in done}) == 1


@needs_cores
def test_a_copy_does_not_outlive_who_waits_for_it() -> None:
    """Whoever reads the output of a command that was killed is not kept waiting by the copy."""
    program = """
    import time
    here = os.getpid()
    def endless(items, tell):
        if os.getpid() == here:
            os.kill(here, 9)
        while True:
            tell(0)
            time.sleep(0.01)
            yield b""
    list(halves.by_halves(endless, range(500), lambda _: None))
    """
    assert ran(program).returncode == -9
