import asyncio
import contextlib
import fcntl
import os
from collections.abc import AsyncIterator

import anyio
import pytest

from panegate_transports.outbox import Outbox

pytestmark = pytest.mark.asyncio


class Pipe:
    """An outbox into a pipe of one page's capacity or so, and the page's reader."""

    def __init__(self, **kwargs: int) -> None:
        self.read_fd, write_fd = os.pipe()
        os.set_blocking(self.read_fd, False)
        if hasattr(fcntl, "F_SETPIPE_SZ"):
            fcntl.fcntl(write_fd, fcntl.F_SETPIPE_SZ, 4096)
        self.outbox = Outbox(write_fd, asyncio.get_running_loop(), **kwargs)

    def fill(self) -> int:
        """Fill the pipe to the last byte; return how many that took."""
        n_bytes = 0
        with contextlib.suppress(anyio.WouldBlock):
            while True:
                self.outbox.send_nowait(b"f")
                n_bytes += 1
        return n_bytes

    async def read(self, n_bytes: int) -> bytes:
        got = b""
        readable = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.add_reader(self.read_fd, readable.set)
        try:
            while len(got) < n_bytes:
                await readable.wait()
                readable.clear()
                with contextlib.suppress(BlockingIOError):
                    got += os.read(self.read_fd, n_bytes - len(got))
        finally:
            loop.remove_reader(self.read_fd)
        return got

    def at_end(self) -> bool:
        try:
            return os.read(self.read_fd, 1) == b""
        except BlockingIOError:
            return False


@contextlib.asynccontextmanager
async def pipe(**kwargs: int) -> AsyncIterator[Pipe]:
    opened = Pipe(**kwargs)
    try:
        yield opened
    finally:
        opened.outbox.close()
        with contextlib.suppress(OSError):
            os.close(opened.read_fd)


async def test_full_pipe_would_block_and_takes_nothing() -> None:
    async with pipe() as p:
        n_bytes = p.fill()
        with pytest.raises(anyio.WouldBlock):
            p.outbox.send_nowait(b"more")
        assert p.outbox.pending_bytes == 0
        assert await p.read(n_bytes) == b"f" * n_bytes
        p.outbox.send_nowait(b"ok")
        assert await p.read(2) == b"ok"


async def test_rest_of_a_partial_write_precedes_later_sends() -> None:
    async with pipe() as p:
        big = os.urandom(50_000)
        p.outbox.send_nowait(big)
        assert 0 < p.outbox.pending_bytes < len(big)
        p.outbox.send_nowait(b"second")
        sending = asyncio.ensure_future(p.outbox.send(b"third"))
        assert await p.read(len(big) + 11) == big + b"secondthird"
        await sending
        assert p.outbox.pending_bytes == 0


async def test_bound_refuses_without_taking_a_part() -> None:
    async with pipe(max_pending_bytes=50_000) as p:
        p.outbox.send_nowait(b"a" * 50_000)
        left = 50_000 - p.outbox.pending_bytes
        with pytest.raises(anyio.WouldBlock):
            p.outbox.send_nowait(b"b" * (left + 1))
        p.outbox.send_nowait(b"c" * left)
        assert await p.read(50_000 + left) == b"a" * 50_000 + b"c" * left


async def test_bound_holds_for_a_first_send_too() -> None:
    async with pipe(max_pending_bytes=10) as p:
        with pytest.raises(anyio.WouldBlock):
            p.outbox.send_nowait(b"x" * 11)
        p.outbox.send_nowait(b"y")
        assert await p.read(1) == b"y"


async def test_send_returns_only_when_the_pipe_took_all() -> None:
    async with pipe() as p:
        sending = asyncio.ensure_future(p.outbox.send(b"x" * 9000))
        await asyncio.sleep(0)
        assert not sending.done()
        await p.read(9000)
        await sending


async def test_send_does_not_wait_for_what_comes_after_it() -> None:
    async with pipe() as p:
        sending = asyncio.ensure_future(p.outbox.send(b"x" * 9000))
        await asyncio.sleep(0)
        p.outbox.send_nowait(b"y" * 9000)
        await p.read(9000)
        await sending
        assert p.outbox.pending_bytes > 0


async def test_cancelled_send_does_not_tear_its_data() -> None:
    async with pipe() as p:
        sending = asyncio.ensure_future(p.outbox.send(b"x" * 9000))
        await asyncio.sleep(0)
        sending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sending
        p.outbox.send_nowait(b"y")
        assert await p.read(9001) == b"x" * 9000 + b"y"


async def test_two_senders_collide() -> None:
    async with pipe() as p:
        sending = asyncio.ensure_future(p.outbox.send(b"x" * 9000))
        await asyncio.sleep(0)
        with pytest.raises(anyio.BusyResourceError):
            await p.outbox.send(b"y")
        with pytest.raises(anyio.BusyResourceError):
            await p.outbox.end()
        assert await p.read(9000) == b"x" * 9000
        await sending


async def test_end_flushes_first() -> None:
    async with pipe() as p:
        p.outbox.send_nowait(b"x" * 9000)
        ending = asyncio.ensure_future(p.outbox.end())
        await asyncio.sleep(0)
        with pytest.raises(anyio.ClosedResourceError):
            p.outbox.send_nowait(b"late")
        assert await p.read(9000) == b"x" * 9000
        await ending
        assert p.at_end()


async def test_cancelled_end_still_ends_the_pipe() -> None:
    async with pipe() as p:
        p.outbox.send_nowait(b"x" * 9000)
        ending = asyncio.ensure_future(p.outbox.end())
        await asyncio.sleep(0)
        ending.cancel()
        assert await p.read(9000) == b"x" * 9000
        await asyncio.sleep(0)
        assert p.at_end()


async def test_peer_that_closed_is_a_broken_stream() -> None:
    async with pipe() as p:
        os.close(p.read_fd)
        with pytest.raises(anyio.BrokenResourceError) as caught:
            p.outbox.send_nowait(b"x")
        assert isinstance(caught.value.__cause__, BrokenPipeError)
        with pytest.raises(anyio.BrokenResourceError):
            await p.outbox.send(b"x")


async def test_peer_that_closes_during_a_send_breaks_it() -> None:
    async with pipe() as p:
        sending = asyncio.ensure_future(p.outbox.send(b"x" * 9000))
        await asyncio.sleep(0)
        os.close(p.read_fd)
        with pytest.raises(anyio.BrokenResourceError):
            await sending
        assert p.outbox.pending_bytes == 0
        async with asyncio.timeout(5):
            await p.outbox.end()  # nothing is left to wait for


async def test_close_drops_the_rest_and_wakes_the_sender() -> None:
    async with pipe() as p:
        sending = asyncio.ensure_future(p.outbox.send(b"x" * 9000))
        await asyncio.sleep(0)
        p.outbox.close()
        with pytest.raises(anyio.ClosedResourceError):
            await sending
        assert len(await p.read(4096)) == 4096
        assert p.at_end()
