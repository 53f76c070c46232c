import os
import subprocess
import sys
import textwrap

import pytest

PRELUDE = """
import os, sys, time
from specfn.cli.both_ends import from_both_ends

here = os.getpid()

def work(item):
    return b"%d by %d\\n" % (item, os.getpid())

def nothing(count):
    pass
"""

needs_cores = pytest.mark.skipif(
    sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2 or not hasattr(os, "memfd_create"),
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
@pytest.mark.parametrize(
    "slow", ["os.getpid() == here", "os.getpid() != here", "item < 100", "item > 400"]
)
def test_a_long_list_is_worked_off_by_two_processes_in_order(slow: str) -> None:
    """Every item is worked off once and stands in its place: the first by one process, the rest by another."""
    program = f"""
    def unlike(item):
        time.sleep(0.001 if {slow} else 0.0001)
        return work(item)
    pieces = from_both_ends(unlike, range(500), nothing)
    """
    done = lines(ran(textwrap.dedent(program) + WRITE))
    assert [item for item, _ in done] == list(range(500))
    processes = [by for _, by in done]
    assert processes == sorted(processes, key=processes.index)
    assert len({*processes}) == 2


def test_a_short_list_is_worked_off_by_one_process() -> None:
    """What is done at once is done here."""
    done = lines(ran("pieces = from_both_ends(work, range(20), nothing)\n" + WRITE))
    assert [item for item, _ in done] == list(range(20))
    assert len({by for _, by in done}) == 1


@needs_cores
def test_what_is_told_of_counts_both_processes() -> None:
    """The number of items that are done only grows, and counts what the copy did as well."""
    program = """
    def slow(item):
        time.sleep(0.001)
        return work(item)
    told = []
    pieces = list(from_both_ends(slow, range(500), told.append))
    mine = sum(piece.endswith(b"by %d\\n" % here) for piece in pieces)
    print(told == sorted(told), len(told) == mine < 500, told[-1] > mine)
    """
    assert ran(program).stdout == "True True True\n"


def test_a_process_with_threads_makes_no_copy() -> None:
    """A copy would lack the threads that may hold its locks."""
    program = """
    import threading
    event = threading.Event()
    threading.Thread(target=event.wait, daemon=True).start()
    pieces = from_both_ends(work, range(500), nothing)
    """
    done = lines(ran(textwrap.dedent(program) + WRITE))
    assert len({by for _, by in done}) == 1
    assert [item for item, _ in done] == list(range(500))


@needs_cores
@pytest.mark.parametrize(
    "death",
    [
        "raise MemoryError",
        "os._exit(7)",
        "os.kill(os.getpid(), 9)",
        "os.pwrite = lambda file, piece, start: 1",
        "os.write = lambda file, data: 1 / 0",
    ],
)
def test_what_the_copy_does_not_finish_is_done_here(death: str) -> None:
    """A copy that fails, is killed, or finds no room loses nothing."""
    program = f"""
    def fragile(item):
        if os.getpid() != here and item == 490:
            {death}
        elif os.getpid() == here:
            time.sleep(0.001)
        return work(item)
    pieces = from_both_ends(fragile, range(500), nothing)
    """
    done = lines(ran(textwrap.dedent(program) + WRITE))
    assert [item for item, _ in done] == list(range(500))
    assert len({by for _, by in done}) == 1


@needs_cores
def test_what_both_have_done_stands_once() -> None:
    """If neither saw the other in time, what the copy did is not used."""
    program = """
    from specfn.cli import both_ends
    both_ends._Copy.leaves = lambda copy, index: True
    both_ends._Copy._here = property(lambda copy: -1)
    pieces = from_both_ends(work, range(500), nothing)
    """
    done = lines(ran(textwrap.dedent(program) + WRITE))
    assert [item for item, _ in done] == list(range(500))


@needs_cores
def test_a_fault_here_leaves_no_copy_behind() -> None:
    """Whoever fails ends the copy, which would otherwise work for nobody."""
    program = """
    def failing(item):
        if os.getpid() == here:
            raise ValueError("mine")
        time.sleep(600)
    try:
        list(from_both_ends(failing, range(500), nothing))
    except ValueError as error:
        print(error)
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        print("no child")
    """
    assert ran(program).stdout.split("\n") == ["mine", "no child", ""]


@needs_cores
@pytest.mark.parametrize("call", ["os.fork", "os.pipe", "os.memfd_create"])
def test_a_system_that_allows_no_more_is_no_fault(call: str) -> None:
    """Where no copy can be made, all is done here, and no file stays open."""
    program = f"""
    files = os.listdir("/proc/self/fd")
    def refuse(*_):
        raise BlockingIOError("Resource temporarily unavailable")
    {call} = refuse
    pieces = list(from_both_ends(work, range(500), nothing))
    assert os.listdir("/proc/self/fd") == files
    """
    done = lines(ran(textwrap.dedent(program) + WRITE))
    assert [item for item, _ in done] == list(range(500))
    assert len({by for _, by in done}) == 1


def test_a_python_without_files_in_memory_makes_no_copy() -> None:
    """A Python that was built for an old C library does all here."""
    program = """
    if hasattr(os, "memfd_create"):
        del os.memfd_create
    pieces = list(from_both_ends(work, range(500), nothing))
    """
    done = lines(ran(textwrap.dedent(program) + WRITE))
    assert [item for item, _ in done] == list(range(500))
    assert len({by for _, by in done}) == 1


@needs_cores
@pytest.mark.parametrize("fault", ["pass", "if item == 9: time.sleep(1); raise ValueError"])
def test_a_system_that_takes_ended_processes_away_is_no_fault(fault: str) -> None:
    """Where nobody may wait for children (SIGCHLD is ignored), all is done, and what fails fails as it does."""
    program = f"""
    import signal
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    def unlike(item):
        if os.getpid() == here:
            {fault}
        elif {fault != "pass"}:
            os._exit(1)
        return work(item)
    try:
        pieces = list(from_both_ends(unlike, range(500), nothing))
    except ValueError:
        pieces = [work(item) for item in range(500)]
    """
    done = lines(ran(textwrap.dedent(program) + WRITE))
    assert [item for item, _ in done] == list(range(500))


@needs_cores
def test_an_interrupt_is_told_by_who_was_copied() -> None:
    """A copy that is interrupted ends without a word, and runs nothing of who called."""
    program = """
    import signal
    def interrupted(item):
        if os.getpid() != here:
            os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.001)
        return work(item)
    try:
        pieces = list(from_both_ends(interrupted, range(300), nothing))
    finally:
        print("once", file=sys.stderr)
    """
    result = ran(textwrap.dedent(program) + WRITE)
    assert [item for item, _ in lines(result)] == list(range(300))
    assert result.stderr == "once\n"


@needs_cores
def test_a_copy_does_not_outlive_who_waits_for_it() -> None:
    """Whoever reads the output of a command that was killed is not kept waiting by the copy."""
    program = """
    def endless(item):
        if os.getpid() == here:
            os.kill(here, 9)
        time.sleep(1)
        return b""
    list(from_both_ends(endless, range(500), nothing))
    """
    assert ran(program).returncode == -9
