import asyncio
import contextlib
import errno
import gc
import os
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from panegate_transports import process
from panegate_transports.child import KILL_NOT_BEFORE_S
from panegate_transports.conformance import ECHO_PROGRAM, FAREWELL
from panegate_transports.process import ProcessTransport

Python = Callable[[str], list[str]]

STUBBORN = """
import os, signal
signal.signal(signal.SIGTERM, {on_term})
os.write(1, b"ready")
while True: signal.pause()
"""
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@contextlib.asynccontextmanager
async def opened(argv: list[str] | tuple[str, ...], **kw: Any) -> AsyncIterator[ProcessTransport]:
    transport = await ProcessTransport.open(argv, **kw)
    try:
        yield transport
    finally:
        await transport.aclose()


async def output(transport: ProcessTransport) -> bytes:
    got = b""
    with contextlib.suppress(anyio.EndOfStream):
        while True:
            got += (await transport.receive()).data
    return got


def is_child(pid: int) -> bool:
    """Whether *pid* is a child of ours, a zombie included."""
    try:
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def join_reaper(pid: int) -> None:
    for thread in threading.enumerate():
        if thread.name == f"reap-{pid}":
            thread.join(5)
            assert not thread.is_alive()


@pytest.mark.parametrize(
    ("source", "returncode"),
    [("raise SystemExit(3)", 3), ("import os; os.kill(os.getpid(), 9)", -signal.SIGKILL)],
)
@pytest.mark.asyncio
async def test_exit_is_an_event_and_leaves_no_zombie(
    python: Python, source: str, returncode: int
) -> None:
    async with opened(python(source)) as transport:
        assert transport.returncode is None
        assert await transport.wait_closed() == returncode
        assert transport.returncode == returncode
        assert not is_child(transport.pid)


@pytest.mark.asyncio
async def test_exit_is_seen_without_pidfd(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_pid: int, _flags: int = 0) -> int:
        raise OSError(errno.ENOSYS, "not here")

    monkeypatch.setattr(os, "pidfd_open", refuse, raising=False)
    async with opened(ECHO_PROGRAM) as transport:
        await transport.send_eof()
        assert await transport.wait_closed() == 0
        assert await output(transport) == FAREWELL


@pytest.mark.asyncio
async def test_aclose_lets_the_child_end_by_itself(python: Python) -> None:
    program = python("import os, sys; os.read(0, 1); sys.exit(5)")
    async with opened(program) as transport:
        await transport.aclose()
        assert transport.returncode == 5


@pytest.mark.asyncio
async def test_aclose_reads_to_the_end_so_that_the_child_can_finish(python: Python) -> None:
    program = python("import os, sys; os.read(0, 1); sys.stdout.write('z' * 3000000); sys.exit(6)")
    async with opened(program, pipe_bytes=4096) as transport:
        await transport.aclose()
        assert transport.returncode == 6
        assert transport.backlog_bytes == 0


@pytest.mark.asyncio
async def test_aclose_asks_a_child_that_ignores_the_end_of_its_input(python: Python) -> None:
    program = python(STUBBORN.format(on_term="lambda *_: os._exit(7)"))
    async with opened(program, eof_within_s=0.02) as transport:
        await transport.receive()
        await transport.aclose()
        assert transport.returncode == 7


@pytest.mark.slow
@pytest.mark.asyncio
async def test_aclose_kills_at_last_but_never_a_young_child(python: Python) -> None:
    program = python(STUBBORN.format(on_term="signal.SIG_IGN"))
    began_s = time.monotonic()
    async with opened(program, eof_within_s=0.02, term_within_s=0.02) as transport:
        await transport.receive()
        await transport.aclose()
        assert time.monotonic() - began_s >= KILL_NOT_BEFORE_S
        assert transport.returncode == -signal.SIGKILL
        assert not is_child(transport.pid)


@pytest.mark.asyncio
async def test_young_child_that_ends_meanwhile_is_not_killed(python: Python) -> None:
    on_term = "lambda *_: signal.setitimer(signal.ITIMER_REAL, 0.1)"
    program = python(STUBBORN.format(on_term=on_term))
    async with opened(program, eof_within_s=0.02, term_within_s=0.02) as transport:
        await transport.receive()
        await transport.aclose()
        assert transport.returncode == -signal.SIGALRM


@pytest.mark.asyncio
async def test_cancelled_aclose_goes_on_and_does_not_kill(python: Python) -> None:
    program = python(STUBBORN.format(on_term="lambda *_: os._exit(7)"))
    async with opened(program, eof_within_s=0.02) as transport:
        await transport.receive()
        closing = asyncio.ensure_future(transport.aclose())
        await asyncio.sleep(0)
        closing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await closing
        assert await transport.wait_closed() == 7


@pytest.mark.asyncio
async def test_cancelled_scope_closes_too() -> None:
    transport = await ProcessTransport.open(ECHO_PROGRAM)
    with anyio.CancelScope() as scope:
        scope.cancel()
        await transport.aclose()
    assert scope.cancelled_caught
    assert await transport.wait_closed() == 0
    await transport.aclose()


@linux_only
@pytest.mark.asyncio
async def test_aclose_closes_every_descriptor(reader_ended: Callable[[], None]) -> None:
    reader_ended()
    before = set(os.listdir("/proc/self/fd"))
    for _ in range(3):
        async with opened(ECHO_PROGRAM) as transport:
            await transport.send(b"x")
    reader_ended()
    assert set(os.listdir("/proc/self/fd")) <= before


@pytest.mark.slow
@pytest.mark.asyncio
async def test_grandchild_that_holds_the_pipes_does_not_hold_aclose() -> None:
    async with opened(["sh", "-c", "sleep 100 & echo $!; exec cat"]) as transport:
        pid = int((await transport.receive()).data)
        try:
            await transport.aclose()
            assert transport.returncode == 0
        finally:
            os.kill(pid, signal.SIGTERM)


@pytest.mark.asyncio
async def test_aclose_drops_what_the_child_did_not_take(python: Python) -> None:
    program = python("import signal; signal.pause()")
    async with opened(program, eof_within_s=0.02) as transport:
        transport.send_nowait(b"x" * 500_000)
        assert transport.pending_bytes > 0
        await transport.aclose()
        assert transport.pending_bytes == 0
        assert transport.returncode == -signal.SIGTERM


def test_loop_that_ends_meanwhile_leaves_neither_child_nor_zombie(python: Python) -> None:
    program = python(STUBBORN.format(on_term="signal.SIG_DFL"))

    async def main() -> ProcessTransport:
        transport = await ProcessTransport.open(program, eof_within_s=100)
        await transport.receive()
        closing = asyncio.ensure_future(transport.aclose())
        await asyncio.sleep(0)
        closing.cancel()
        return transport

    transport = asyncio.run(main())
    join_reaper(transport.pid)
    assert transport.returncode == -signal.SIGTERM
    assert not is_child(transport.pid)


def test_forgotten_transport_warns_and_ends_its_child(reader_ended: Callable[[], None]) -> None:
    pids = []

    async def main() -> None:
        transport = await ProcessTransport.open(ECHO_PROGRAM)
        pids.append(transport.pid)

    def run() -> None:
        asyncio.run(main())
        gc.collect()

    with pytest.warns(ResourceWarning, match="unclosed transport <ProcessTransport pid="):
        run()
    join_reaper(pids[0])
    assert not is_child(pids[0])
    reader_ended()


@linux_only
@pytest.mark.skipif(shutil.which("setpriv") is None, reason="needs setpriv")
def test_child_ends_when_we_are_killed() -> None:
    source = """
import asyncio
from panegate_transports.process import ProcessTransport
async def main():
    transport = await ProcessTransport.open(["sh", "-c", "echo up; exec sleep 100"])
    await transport.receive()  # setpriv has done its work by now
    print(transport.pid, flush=True)
    await transport.wait_closed()
asyncio.run(main())
"""
    folder = Path(process.__file__).parent.parent
    env = {**os.environ, "PYTHONPATH": str(folder)}
    with subprocess.Popen(
        [sys.executable, "-c", source], stdout=subprocess.PIPE, env=env
    ) as parent:
        assert parent.stdout is not None
        pidfd = os.pidfd_open(int(parent.stdout.readline()))
        try:
            parent.kill()
            assert select.select([pidfd], [], [], 5)[0]
        finally:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(pidfd, signal.SIGKILL)
            os.close(pidfd)
