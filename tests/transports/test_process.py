import asyncio
import contextlib
import errno
import fcntl
import os
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from panegate_transports import spawn
from panegate_transports.conformance import ECHO_PROGRAM
from panegate_transports.process import ProcessTransport
from panegate_transports.reader import shared_reader

Python = Callable[[str], list[str]]

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


@pytest.mark.asyncio
async def test_blocked_loop_delays_neither_reading_nor_stamps() -> None:
    async with opened(ECHO_PROGRAM) as transport:
        await transport.send(b"x")
        assert (await transport.receive()).data == b"x"
        transport.send_nowait(b"y")
        deadline_s = time.monotonic() + 5
        while transport.backlog_bytes == 0:  # the loop runs nothing meanwhile
            assert time.monotonic() < deadline_s
        seen_s = time.monotonic()
        assert transport.receive_nowait().at_s <= seen_s
        assert transport.backlog_bytes == 0


@pytest.mark.asyncio
async def test_output_is_read_although_nobody_receives(python: Python) -> None:
    n_bytes = 4 << 20
    program = python(f"import os, sys; sys.stdout.buffer.write(b'z' * {n_bytes})")
    async with opened(program) as transport:
        assert await transport.wait_closed() == 0
        assert transport.backlog_bytes == n_bytes
        assert len(await output(transport)) == n_bytes


@pytest.mark.asyncio
async def test_environment_is_the_given_one_without_tmux() -> None:
    env = {"PATH": os.defpath, "A": "b", "TMUX": "/tmp/x,1,0", "TMUX_PANE": "%1"}
    async with opened(["env"], env=env) as transport:
        assert await output(transport) == f"PATH={os.defpath}\nA=b\n".encode()
    assert env["TMUX"] == "/tmp/x,1,0"


@pytest.mark.asyncio
async def test_inherited_environment_lacks_tmux_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMUX", "/tmp/x,1,0")
    monkeypatch.setenv("INHERITED", "yes")
    async with opened(["env"]) as transport:
        lines = (await output(transport)).split(b"\n")
    assert b"INHERITED=yes" in lines
    assert not [line for line in lines if line.startswith(b"TMUX")]


@pytest.mark.asyncio
async def test_child_has_a_session_of_its_own_and_the_given_directory(
    python: Python, tmp_path: Path
) -> None:
    program = python("import os; print(os.getpid() == os.getsid(0), os.getcwd())")
    async with opened(program, cwd=tmp_path) as transport:
        assert await output(transport) == f"True {tmp_path}\n".encode()


@pytest.mark.skipif(not hasattr(fcntl, "F_SETPIPE_SZ"), reason="not on this system")
@pytest.mark.asyncio
async def test_output_pipe_is_enlarged(python: Python) -> None:
    program = python("import fcntl; print(fcntl.fcntl(1, fcntl.F_GETPIPE_SZ))")
    async with opened(program, pipe_bytes=1 << 18) as transport:
        assert int(await output(transport)) == 1 << 18


@pytest.mark.asyncio
async def test_refused_pipe_size_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_fd: int, _command: int, _size: int) -> int:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(spawn.fcntl, "F_SETPIPE_SZ", 1031, raising=False)
    monkeypatch.setattr(spawn.fcntl, "fcntl", refuse)
    async with opened(["echo", "hi"]) as transport:
        assert await output(transport) == b"hi\n"


@pytest.mark.parametrize("program", ["no-such-program", "./no-such-program", "/no/such/program"])
@pytest.mark.asyncio
async def test_missing_program_is_an_error_of_open(program: str) -> None:
    with pytest.raises(FileNotFoundError, match="no"):
        await ProcessTransport.open([program])


@pytest.mark.asyncio
async def test_program_with_a_folder_is_looked_up_from_the_childs_directory(
    tmp_path: Path,
) -> None:
    program = tmp_path / "here"
    program.write_text("#!/bin/sh\necho found\n")
    program.chmod(0o755)
    async with opened(["./here"], cwd=tmp_path) as transport:
        assert await output(transport) == b"found\n"


@pytest.mark.asyncio
async def test_empty_argv_is_refused() -> None:
    with pytest.raises(ValueError, match="empty"):
        await ProcessTransport.open([])


@linux_only
@pytest.mark.asyncio
async def test_failed_open_leaks_no_descriptor(tmp_path: Path) -> None:
    await (await ProcessTransport.open(["true"])).aclose()
    before = set(os.listdir("/proc/self/fd"))
    with pytest.raises(OSError, match="nowhere"):
        await ProcessTransport.open(["true"], cwd=tmp_path / "nowhere")
    assert set(os.listdir("/proc/self/fd")) <= before


@pytest.mark.asyncio
async def test_end_of_standard_error_is_kept_and_the_child_never_waits(python: Python) -> None:
    program = python(
        "import os\nfor n in range(20000): os.write(2, b'%09d\\n' % n)\nos.write(1, b'done')"
    )
    async with opened(program, stderr_limit=1000) as transport:
        assert await output(transport) == b"done"
        assert await transport.wait_closed() == 0
        tail = transport.stderr_tail
    assert tail == b"".join(b"%09d\n" % n for n in range(19_900, 20_000))


@pytest.mark.asyncio
async def test_last_words_can_be_received_after_the_exit() -> None:
    async with opened(["sh", "-c", "echo out; echo err >&2; exit 4"]) as transport:
        assert await transport.wait_closed() == 4
        assert transport.stderr_tail == b"err\n"
        assert await output(transport) == b"out\n"


@pytest.mark.asyncio
async def test_wait_closed_waits_for_what_the_reader_has_not_read_yet() -> None:
    read_fd, write_fd = os.pipe()
    held, release = threading.Event(), threading.Event()

    def hold(_data: bytes, _at_s: float) -> None:
        held.set()
        release.wait(5)

    shared_reader().attach(read_fd, hold, lambda _failure: None)
    os.write(write_fd, b"x")
    os.close(write_fd)
    assert held.wait(5)
    async with opened(["sh", "-c", "echo err >&2; exit 4"]) as transport:
        closed = asyncio.ensure_future(transport.wait_closed())
        await transport._child.wait()
        for _ in range(3):
            await asyncio.sleep(0)
        assert not closed.done()
        release.set()
        assert await closed == 4
        assert transport.stderr_tail == b"err\n"


@pytest.mark.asyncio
async def test_dead_child_is_a_broken_stream_for_the_sender() -> None:
    async with opened(["true"]) as transport:
        await transport.wait_closed()
        with pytest.raises(anyio.BrokenResourceError):
            transport.send_nowait(b"x")


@pytest.mark.asyncio
async def test_setpriv_that_lacks_the_option_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    setpriv = tmp_path / "setpriv"
    setpriv.write_text("#!/bin/sh\nexit 1\n")
    setpriv.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    spawn._death_prefix.cache_clear()
    try:
        async with opened(["echo", "hi"]) as transport:
            assert await output(transport) == b"hi\n"
    finally:
        spawn._death_prefix.cache_clear()
