"""Bytes on their way into a pipe, in order, without ever blocking the event loop."""

import asyncio
import os
from collections import deque
from typing import Final

import anyio

__all__ = ["MAX_PENDING_BYTES", "Outbox"]

MAX_PENDING_BYTES: Final = 8 << 20
"""Most bytes that `send_nowait` lets wait: a peer that far behind is stuck."""


class Outbox:
    """Writes to one pipe; what the pipe does not take at once follows in order.

    It owns the descriptor and belongs to one event loop.
    """

    def __init__(
        self,
        fd: int,
        loop: asyncio.AbstractEventLoop,
        *,
        max_pending_bytes: int = MAX_PENDING_BYTES,
    ) -> None:
        os.set_blocking(fd, False)
        self._fd = fd
        self._loop = loop
        self._max_pending_bytes = max_pending_bytes
        self._pending: deque[memoryview] = deque()
        self._accepted_bytes = 0
        self._written_bytes = 0
        self._ending = False
        self._closed = False
        self._failure: OSError | None = None
        self._sending = False
        self._waiter: asyncio.Future[None] | None = None
        self._waiter_bytes = 0

    @property
    def pending_bytes(self) -> int:
        """Bytes accepted that the pipe has not taken yet."""
        return self._accepted_bytes - self._written_bytes

    def send_nowait(self, data: bytes) -> None:
        """Accept all of *data*, or none of it.

        Data that the pipe takes in part is accepted: the rest follows as the
        peer reads, and later data queues behind it.

        Raises:
            anyio.WouldBlock: The pipe is full, or more than the limit would wait.
            anyio.BrokenResourceError: The peer has closed its end.
            anyio.ClosedResourceError: `end` or `close` was called.

        """
        self._check()
        if self.pending_bytes + len(data) > self._max_pending_bytes:
            raise anyio.WouldBlock
        view = memoryview(data)
        if not self._pending and view:
            n_bytes = self._write(view)
            if n_bytes == 0:
                raise anyio.WouldBlock
            view = view[n_bytes:]
        self._queue(view)

    async def send(self, data: bytes) -> None:
        """Return when the pipe has taken all of *data*.

        Cancelled, what is left of it stays queued and still goes out in order.

        Raises:
            anyio.BusyResourceError: Another task is sending.
            anyio.BrokenResourceError: As for `send_nowait`; likewise closed.

        """
        if self._sending:
            raise anyio.BusyResourceError("sending to")
        self._check()
        self._sending = True
        try:
            view = memoryview(data)
            if not self._pending:
                view = view[self._write(view) :]
            self._queue(view)
            await self._flush()
        finally:
            self._sending = False

    async def end(self) -> None:
        """Close the pipe once all is flushed; a second call does nothing.

        Cancelled, the pipe is still closed when the rest has gone out.

        Raises:
            anyio.BusyResourceError: Another task is sending.
            anyio.BrokenResourceError: The peer closed its end before all was flushed.

        """
        if self._ending or self._closed:
            return
        if self._sending:
            raise anyio.BusyResourceError("sending to")
        self._ending = True
        if not self._pending:
            self._close_fd()
            return
        await self._flush()

    def close(self) -> None:
        """Drop what is pending and close the pipe now."""
        if self._closed:
            return
        self._closed = True
        self._drop()
        self._close_fd()
        self._wake()

    def _check(self) -> None:
        if self._closed or self._ending:
            raise anyio.ClosedResourceError
        if self._failure is not None:
            raise anyio.BrokenResourceError from self._failure

    def _write(self, view: memoryview) -> int:
        """Write what the pipe takes now; return how much that is."""
        try:
            n_bytes = os.write(self._fd, view) if view else 0
        except BlockingIOError:
            return 0
        except OSError as exc:
            self._fail(exc)
            raise anyio.BrokenResourceError from exc
        self._accepted_bytes += n_bytes
        self._written_bytes += n_bytes
        return n_bytes

    def _queue(self, view: memoryview) -> None:
        if not view:
            return
        if not self._pending:
            self._loop.add_writer(self._fd, self._on_writable)
        self._pending.append(view)
        self._accepted_bytes += len(view)

    def _on_writable(self) -> None:
        view = self._pending[0]
        try:
            n_bytes = os.write(self._fd, view)
        except BlockingIOError:
            return
        except OSError as exc:
            self._fail(exc)
            return
        self._written_bytes += n_bytes
        if n_bytes < len(view):
            self._pending[0] = view[n_bytes:]
        else:
            self._pending.popleft()
        if not self._pending:
            self._loop.remove_writer(self._fd)
            if self._ending:
                self._close_fd()
        if self._written_bytes >= self._waiter_bytes:
            self._wake()

    async def _flush(self) -> None:
        """Wait until all that is accepted by now has been written."""
        if not self._pending:
            return
        self._waiter = self._loop.create_future()
        self._waiter_bytes = self._accepted_bytes
        try:
            await self._waiter
        finally:
            self._waiter = None
        if self._closed:
            raise anyio.ClosedResourceError
        if self._failure is not None:
            raise anyio.BrokenResourceError from self._failure

    def _fail(self, failure: OSError) -> None:
        self._failure = failure
        self._drop()
        if self._ending:
            self._close_fd()
        self._wake()

    def _drop(self) -> None:
        if self._pending:
            self._loop.remove_writer(self._fd)
            self._pending.clear()
            self._accepted_bytes = self._written_bytes

    def _close_fd(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
