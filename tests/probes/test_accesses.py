"""Reads of a terminal are told through inotify, on the node that was read."""

import asyncio
import os
import pty
import sys
from collections.abc import Iterator

import pytest

from panegate.probes import accesses
from panegate.probes.accesses import InputReads
from panegate.probes.terminal import read_terminal

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs inotify"),
]
WITHIN_S = 10


class Pty:
    def __init__(self) -> None:
        self.master, self.slave = pty.openpty()
        self.path = os.ttyname(self.slave)

    def type_and_read(self) -> None:
        os.write(self.master, b"x\n")
        os.read(self.slave, 100)

    def close(self) -> None:
        os.close(self.master)
        os.close(self.slave)


@pytest.fixture
def terminal() -> Iterator[Pty]:
    made = Pty()
    yield made
    made.close()


@pytest.fixture
def other() -> Iterator[Pty]:
    made = Pty()
    yield made
    made.close()


class Reads:
    def __init__(self) -> None:
        self.n = 0
        self._seen = asyncio.Event()

    def __call__(self) -> None:
        self.n += 1
        self._seen.set()

    async def next(self) -> None:
        await asyncio.wait_for(self._seen.wait(), WITHIN_S)
        self._seen.clear()


async def test_a_read_is_told_and_typing_or_probing_is_not(terminal: Pty, other: Pty) -> None:
    watch, reads, witness = InputReads(), Reads(), Reads()
    assert watch.available
    assert watch.watch(terminal.path, reads)
    assert watch.watch(other.path, witness)
    os.write(terminal.master, b"typed\n")
    os.write(terminal.slave, b"printed\n")
    read_terminal(terminal.path)
    other.type_and_read()
    await witness.next()
    assert reads.n == 0
    os.read(terminal.slave, 100)
    await reads.next()
    assert reads.n == 1
    watch.close()


async def test_unwatch_leaves_no_watch_in_the_kernel(terminal: Pty) -> None:
    def n_watches() -> int:
        names = os.listdir("/proc/self/fdinfo")
        return sum(n_inotify_lines(f"/proc/self/fdinfo/{name}") for name in names)

    watch, before = InputReads(), n_watches()
    watch.watch(terminal.path, Reads())
    assert n_watches() == before + 1
    watch.unwatch(terminal.path)
    assert n_watches() == before
    watch.close()


def n_inotify_lines(path: str) -> int:
    try:
        with open(path) as file:
            return sum(line.startswith("inotify ") for line in file)
    except FileNotFoundError:
        return 0


async def test_several_reads_in_one_round_are_one_call(terminal: Pty) -> None:
    watch, reads = InputReads(), Reads()
    watch.watch(terminal.path, reads)
    for _ in range(5):
        terminal.type_and_read()
    await reads.next()
    assert reads.n == 1
    watch.close()


async def test_unwatch_keeps_it_quiet(terminal: Pty, other: Pty) -> None:
    watch, reads, witness = InputReads(), Reads(), Reads()
    watch.watch(terminal.path, reads)
    watch.watch(other.path, witness)
    terminal.type_and_read()  # told already, not taken yet
    watch.unwatch(terminal.path)
    watch.unwatch(terminal.path)
    terminal.type_and_read()
    other.type_and_read()
    await witness.next()
    assert reads.n == 0
    assert watch.watch(terminal.path, reads)
    terminal.type_and_read()
    await reads.next()
    watch.close()


async def test_a_terminal_that_goes_away_is_forgotten(other: Pty) -> None:
    watch, reads, witness = InputReads(), Reads(), Reads()
    gone = Pty()
    watch.watch(gone.path, reads)
    watch.watch(other.path, witness)
    gone.close()
    other.type_and_read()
    await witness.next()
    watch.unwatch(gone.path)
    assert reads.n == 0
    watch.close()


async def test_a_read_through_dev_tty_is_not_told(terminal: Pty, other: Pty) -> None:
    """It is another node: absence of a call proves nothing."""
    watch, reads, witness = InputReads(), Reads(), Reads()
    watch.watch(terminal.path, reads)
    watch.watch(other.path, witness)
    code = "import os; os.read(os.open('/dev/tty', os.O_RDWR), 100)"
    process = await asyncio.create_subprocess_exec(
        "setsid", "-c", sys.executable, "-c", code, stdin=terminal.slave
    )
    os.write(terminal.master, b"x\n")
    assert await asyncio.wait_for(process.wait(), WITHIN_S) == 0
    other.type_and_read()
    await witness.next()
    assert reads.n == 0
    watch.close()


async def test_lost_events_are_counted_and_nothing_is_called(
    terminal: Pty, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch, reads = InputReads(), Reads()
    watch.watch(terminal.path, reads)
    terminal.type_and_read()
    real = os.read
    lost = accesses._EVENT.pack(-1, 0x4000, 0, 0)
    monkeypatch.setattr(accesses.os, "read", lambda fd, n: lost + real(fd, n))
    await reads.next()
    monkeypatch.undo()
    assert (watch.overflows, reads.n) == (1, 1)
    watch.close()


async def test_absence_is_an_answer_not_an_error(
    terminal: Pty, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = InputReads()
    assert watch.watch("/dev/pts/999999", Reads()) is False
    watch.close()
    watch.close()
    assert watch.watch(terminal.path, Reads()) is False
    monkeypatch.setattr(accesses.sys, "platform", "darwin")
    elsewhere = InputReads()
    assert not elsewhere.available
    assert elsewhere.watch(terminal.path, Reads()) is False
    elsewhere.unwatch(terminal.path)
    elsewhere.close()
