"""Two transports joined in memory, with hooks for what real streams do rarely."""

import asyncio
import time
from collections.abc import Callable

import anyio

from panegate_transports.base import Chunk
from panegate_transports.inbox import Inbox

__all__ = ["MemoryTransport", "memory_pair"]


class MemoryTransport:
    """One end of a `memory_pair`; a `ByteTransport`.

    Each send arrives at the peer at once, as one chunk.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        """Make an end that is not joined yet; use `memory_pair`."""
        self._clock = clock
        self._inbox = Inbox(_call_now)
        self._peer: MemoryTransport | None = None
        self._stalled = False
        self._unstalled: asyncio.Event | None = None
        self._left_bytes: int | None = None
        self._failure: BaseException | None = None
        self._ended = False
        self._closed = False
        self._sending = False

    @property
    def backlog_bytes(self) -> int:
        """Bytes that arrived here and were not received yet."""
        return self._inbox.backlog_bytes

    @property
    def stalled(self) -> bool:
        """Whether sends from this end wait, as with a peer that does not read."""
        return self._stalled

    @stalled.setter
    def stalled(self, stalled: bool) -> None:
        self._stalled = stalled
        if not stalled:
            self._release()

    def cut(self, n_bytes: int) -> None:
        """Let *n_bytes* more leave this end; then the peer sees the end of the stream.

        The send that goes beyond arrives in part and raises
        `anyio.BrokenResourceError`, as does every later one.
        """
        self._left_bytes = n_bytes
        if n_bytes == 0:
            self._arrive_end()

    def break_(self, cause: BaseException) -> None:
        """Break the stream, both ways and at both ends.

        What had arrived can still be received; after that, and in every send,
        `anyio.BrokenResourceError` is raised from *cause*.
        """
        for end in (self, self._joined):
            end._failure = cause
            end._inbox.end(cause)
            end._release()

    async def receive(self) -> Chunk:
        """Return the next chunk; see `ByteTransport.receive`.

        Raises:
            anyio.BusyResourceError: Another task is receiving.

        """
        return await self._inbox.get()

    def receive_nowait(self) -> Chunk:
        """Return a chunk that has already arrived; see `ByteTransport`."""
        return self._inbox.get_nowait()

    async def send(self, data: bytes) -> None:
        """Send all of *data*, after a stall has passed.

        Cancelled, nothing was sent.

        Raises:
            anyio.BusyResourceError: Another task is sending.

        """
        if self._sending:
            raise anyio.BusyResourceError("sending to")
        self._sending = True
        try:
            self._check()
            await asyncio.sleep(0)  # an endless sender must leave the loop to others
            self._check()
            while self._stalled:
                self._unstalled = asyncio.Event()
                await self._unstalled.wait()
                self._check()
            self._deliver(data)
        finally:
            self._sending = False

    def send_nowait(self, data: bytes) -> None:
        """Send all of *data*; see `ByteTransport.send_nowait`.

        Raises:
            anyio.WouldBlock: This end is stalled, or a send waits already.

        """
        self._check()
        if self._stalled or self._sending:
            raise anyio.WouldBlock
        self._deliver(data)

    async def send_eof(self) -> None:
        """Let the peer see the end of the stream. Idempotent."""
        if not self._ended and not self._closed:
            self._ended = True
            self._arrive_end()

    async def aclose(self) -> None:
        """Close this end; the peer sees the end, and its sends fail."""
        if self._closed:
            return
        self._closed = True
        self._inbox.close()
        self._arrive_end()
        self._release()
        self._joined._release()

    def _join(self, peer: "MemoryTransport") -> None:
        self._peer = peer

    @property
    def _joined(self) -> "MemoryTransport":
        assert self._peer is not None
        return self._peer

    def _check(self) -> None:
        if self._closed or self._ended:
            raise anyio.ClosedResourceError
        if self._failure is not None:
            raise anyio.BrokenResourceError from self._failure
        if self._joined._closed:
            raise anyio.BrokenResourceError

    def _deliver(self, data: bytes) -> None:
        sent = data if self._left_bytes is None else data[: self._left_bytes]
        if sent:
            self._joined._inbox.put(bytes(sent), self._clock())
        if self._left_bytes is None:
            return
        self._left_bytes -= len(sent)
        if self._left_bytes == 0:
            self._arrive_end()
        if len(sent) < len(data):
            self._failure = ConnectionResetError("the stream was cut")
            raise anyio.BrokenResourceError from self._failure

    def _arrive_end(self) -> None:
        if not self._joined._inbox.ended:
            self._joined._inbox.end()

    def _release(self) -> None:
        if self._unstalled is not None:
            self._unstalled.set()


def memory_pair(
    clock: Callable[[], float] = time.monotonic,
) -> tuple[MemoryTransport, MemoryTransport]:
    """Return two ends: what one sends the other receives, stamped by *clock*.

    There are no threads and no descriptors, so the pair works in an event loop
    with virtual time; pass ``loop.time`` or the like as *clock*.
    """
    left, right = MemoryTransport(clock), MemoryTransport(clock)
    left._join(right)
    right._join(left)
    return left, right


def _call_now(callback: Callable[[], None]) -> None:
    callback()
