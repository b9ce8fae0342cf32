"""The end of any process is told once, and only while somebody wants to know."""

import asyncio
import errno
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from panegate.probes import exits
from panegate.probes.exits import ExitWatch
from panegate.probes.procfs import start_ticks

pytestmark = pytest.mark.asyncio
linux_only = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs pidfd")
WITHIN_S = 10


class Ends:
    """Collects pids and wakes whoever waits for the next one."""

    def __init__(self) -> None:
        self.pids: list[int] = []
        self._queue: asyncio.Queue[int] = asyncio.Queue()

    def __call__(self, pid: int) -> None:
        self.pids.append(pid)
        self._queue.put_nowait(pid)

    async def next(self) -> int:
        return await asyncio.wait_for(self._queue.get(), WITHIN_S)


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(["sleep", "1000"])
    yield process
    process.kill()
    process.wait()


@pytest.fixture
def gone() -> int:
    """The pid of a process that was reaped."""
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


@pytest.fixture
def zombie() -> Iterator[int]:
    process = subprocess.Popen(["true"])
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    yield process.pid
    process.wait()


@pytest.fixture
def stranger() -> Iterator[int]:
    """The pid of a process that is no child of ours."""
    argv = ["sh", "-c", "sleep 1000 & echo $!; read x; kill -9 $!"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as shell:
        assert shell.stdout is not None
        pid = int(shell.stdout.readline())
        yield pid


@linux_only
async def test_the_end_is_told_once(sleeper: subprocess.Popen[bytes]) -> None:
    watch, ends = ExitWatch(), Ends()
    assert watch.watch(sleeper.pid, ends)
    assert watch.watched == {sleeper.pid}
    sleeper.kill()
    assert await ends.next() == sleeper.pid
    assert watch.watched == frozenset()
    sleeper.wait()
    await asyncio.sleep(0)
    assert ends.pids == [sleeper.pid]
    watch.close()


@linux_only
async def test_a_process_that_is_no_child_of_ours_is_told_too(stranger: int) -> None:
    """As the programs in panes are: tmux started them."""
    watch, ends = ExitWatch(), Ends()
    assert watch.watch(stranger, ends)
    os.kill(stranger, signal.SIGKILL)
    assert await ends.next() == stranger
    watch.close()


@linux_only
async def test_a_process_that_is_gone_is_told_in_the_next_round(gone: int) -> None:
    watch, ends = ExitWatch(), Ends()
    assert watch.watch(gone, ends)
    assert ends.pids == []
    assert await ends.next() == gone
    watch.close()


@linux_only
async def test_a_zombie_is_told(zombie: int) -> None:
    watch, ends = ExitWatch(), Ends()
    assert watch.watch(zombie, ends)
    assert await ends.next() == zombie
    watch.close()


@linux_only
async def test_unwatch_keeps_it_quiet(
    sleeper: subprocess.Popen[bytes], gone: int, zombie: int
) -> None:
    watch, ends, witness = ExitWatch(), Ends(), Ends()
    failures: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, failure: failures.append(failure))
    watch.watch(sleeper.pid, ends)
    watch.watch(gone, ends)
    watch.unwatch(sleeper.pid)
    watch.unwatch(gone)
    watch.unwatch(gone)
    sleeper.kill()
    os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT)  # noqa: ASYNC222
    watch.watch(zombie, witness)
    await witness.next()
    assert (ends.pids, failures) == ([], [])
    watch.close()


@linux_only
async def test_a_pid_that_another_process_got_counts_as_gone(
    sleeper: subprocess.Popen[bytes],
) -> None:
    watch, ends = ExitWatch(), Ends()
    start = start_ticks(sleeper.pid)
    assert start is not None
    assert watch.watch(sleeper.pid, ends, start=start - 1)
    assert await ends.next() == sleeper.pid
    assert watch.watch(sleeper.pid, ends, start=start)
    assert watch.watched == {sleeper.pid}
    watch.close()
    assert ends.pids == [sleeper.pid]


@linux_only
async def test_watching_again_replaces_the_callback_and_leaks_nothing(
    sleeper: subprocess.Popen[bytes],
) -> None:
    watch, first, second = ExitWatch(), Ends(), Ends()
    watch.watch(sleeper.pid, first)
    before = len(os.listdir("/proc/self/fd"))
    watch.watch(sleeper.pid, second)
    assert len(os.listdir("/proc/self/fd")) == before
    sleeper.kill()
    await second.next()
    assert first.pids == []
    assert len(os.listdir("/proc/self/fd")) == before - 1
    watch.close()


@linux_only
async def test_no_descriptor_left_is_an_answer_not_an_error(
    sleeper: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(pid: int) -> int:
        raise OSError(errno.EMFILE, "too many")

    monkeypatch.setattr(exits, "_pidfd_open", refuse)
    watch = ExitWatch()
    assert watch.watch(sleeper.pid, Ends()) is False
    assert watch.watched == frozenset()
    watch.close()


@linux_only
async def test_a_python_without_pidfd_open_makes_the_system_call(
    sleeper: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "pidfd_open")
    watch, ends = ExitWatch(), Ends()
    assert watch.watch(sleeper.pid, ends)
    assert watch.watch(2**22, ends)  # no such pid
    assert await ends.next() == 2**22
    sleeper.kill()
    assert await ends.next() == sleeper.pid
    watch.close()


class FakeKqueue:
    """Processes with scripted ends; readable while there are some to take."""

    def __init__(self) -> None:
        self.alive = {7, 8}
        self.added: list[int] = []
        self.removed: list[int] = []
        self._ended: list[int] = []
        self._ours, self._theirs = socket.socketpair()

    def end(self, pid: int) -> None:
        self.alive.discard(pid)
        self._ended.append(pid)
        self._theirs.send(b"x")

    def fileno(self) -> int:
        return self._ours.fileno()

    def add(self, pid: int) -> None:
        if pid not in self.alive:
            raise ProcessLookupError(pid)
        self.added.append(pid)

    def remove(self, pid: int) -> None:
        self.removed.append(pid)

    def take(self) -> list[int]:
        self._ours.recv(64)
        ended, self._ended = self._ended, []
        return ended

    def close(self) -> None:
        self._ours.close()
        self._theirs.close()


async def test_kqueue_tells_ends_and_those_before_the_watch() -> None:
    queue, ends = FakeKqueue(), Ends()
    watch = ExitWatch(kqueue=lambda: queue)
    assert watch.watch(7, ends)
    assert watch.watch(8, ends)
    assert watch.watch(9, ends)
    assert await ends.next() == 9
    watch.unwatch(8)
    queue.end(8)
    queue.end(7)
    assert await ends.next() == 7
    assert (ends.pids, queue.removed) == ([9, 7], [8])
    watch.close()
    watch.close()


async def test_the_system_kqueue_is_asked_for_note_exit() -> None:
    controls: list[tuple[object, int, float]] = []

    class Queue:
        def fileno(self) -> int:
            return 42

        def control(self, changes: object, n: int, within_s: float) -> list[object]:
            controls.append((changes, n, within_s))
            return [] if changes else [SimpleNamespace(ident=7)]

        def close(self) -> None:
            controls.append(("close", 0, 0))

    system = SimpleNamespace(
        kqueue=Queue,
        kevent=lambda ident, **fields: (ident, fields),
        KQ_EV_ADD=1,
        KQ_EV_DELETE=2,
        KQ_EV_ONESHOT=16,
        KQ_FILTER_PROC=-5,
        KQ_NOTE_EXIT=0x80000000,
    )
    queue = exits._SystemKqueue(system)
    queue.add(7)
    queue.remove(7)
    assert queue.take() == [7]
    assert queue.fileno() == 42
    queue.close()
    common = {"filter": -5, "fflags": 0x80000000}
    assert controls == [
        ([(7, common | {"flags": 17})], 0, 0),
        ([(7, common | {"flags": 2})], 0, 0),
        (None, 64, 0),
        ("close", 0, 0),
    ]
