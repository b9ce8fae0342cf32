"""Chunks that have arrived and wait for the one task that receives them."""

import asyncio
from collections import deque
from collections.abc import Callable

import anyio

from panegate_transports.base import Chunk

__all__ = ["Inbox"]


class Inbox:
    """A queue of chunks, filled from any one thread and emptied in an event loop.

    Filling never blocks and never refuses: memory is bounded by whoever watches
    `backlog_bytes`. A wake-up is scheduled only if a task waits and none is on
    its way, so a flood costs the event loop one call, not one per chunk.
    """

    __slots__ = (
        "_call_soon",
        "_chunks",
        "_closed",
        "_ended",
        "_failure",
        "_put_bytes",
        "_receiving",
        "_taken_bytes",
        "_waiter",
        "_waking",
    )

    def __init__(self, call_soon: Callable[[Callable[[], None]], object]) -> None:
        """Make an empty inbox.

        Args:
            call_soon: Runs a function in the receiving event loop; called from
                the filling thread. It may raise RuntimeError when the loop has
                been closed: the inbox then discards what it gets.

        """
        self._call_soon = call_soon
        self._chunks: deque[Chunk] = deque()
        self._closed = False
        self._ended = False
        self._failure: BaseException | None = None
        # Each counter has one writing thread; their difference needs no lock.
        self._put_bytes = 0
        self._taken_bytes = 0
        self._receiving = False
        self._waiter: asyncio.Future[None] | None = None
        self._waking = False

    @property
    def backlog_bytes(self) -> int:
        """Bytes that have arrived and were not taken yet."""
        return self._put_bytes - self._taken_bytes

    @property
    def ended(self) -> bool:
        """Whether nothing more will arrive."""
        return self._ended

    def put(self, data: bytes, at_s: float) -> None:
        """Add non-empty *data* that arrived at *at_s*; called by the filler."""
        if self._closed:
            return
        self._chunks.append(Chunk(data, at_s))
        self._put_bytes += len(data)
        if self._waiter is not None and not self._waking:
            self._schedule_wake()

    def end(self, failure: BaseException | None = None) -> None:
        """Say that nothing more arrives, because of *failure* if there is one."""
        self._failure = failure
        self._ended = True
        if self._waiter is not None and not self._waking:
            self._schedule_wake()

    def close(self) -> None:
        """Drop everything and refuse to give more; called in the event loop."""
        self._closed = True
        self._chunks.clear()
        self._taken_bytes = self._put_bytes
        self._wake()

    async def get(self) -> Chunk:
        """Return the next chunk; cancelled, it takes none.

        Raises:
            anyio.BusyResourceError: Another task is receiving.
            anyio.EndOfStream: `end` was called and all chunks were taken.
            anyio.BrokenResourceError: The same, with a failure as its cause.
            anyio.ClosedResourceError: `close` was called.

        """
        if self._receiving:
            raise anyio.BusyResourceError("receiving from")
        self._receiving = True
        try:
            if self._chunks:  # a flood must leave the loop to others, too
                await asyncio.sleep(0)
            while True:
                try:
                    return self.get_nowait()
                except anyio.WouldBlock:
                    await self._wait()
        finally:
            self._receiving = False

    def get_nowait(self) -> Chunk:
        """Return the next chunk if there is one.

        Raises:
            anyio.WouldBlock: There is none yet; the others as for `get`.

        """
        if self._closed:
            raise anyio.ClosedResourceError
        ended = self._ended  # read first: whatever preceded the end is queued then
        if self._chunks:
            chunk = self._chunks.popleft()
            self._taken_bytes += len(chunk.data)
            return chunk
        if not ended:
            raise anyio.WouldBlock
        if self._failure is not None:
            raise anyio.BrokenResourceError from self._failure
        raise anyio.EndOfStream

    async def _wait(self) -> None:
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            # Checked again: the filler schedules no wake-up unless it sees a waiter.
            if not (self._chunks or self._ended or self._closed):
                await self._waiter
        finally:
            self._waiter = None

    def _schedule_wake(self) -> None:
        self._waking = True
        try:
            self._call_soon(self._wake)
        except RuntimeError:  # the loop is closed: read on, keep nothing
            self._closed = True
            self._chunks.clear()

    def _wake(self) -> None:
        self._waking = False
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
