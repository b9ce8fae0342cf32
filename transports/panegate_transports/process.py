"""A transport over the standard streams of a child process."""

import asyncio
import contextlib
import os
import subprocess
import warnings
from collections.abc import Mapping, Sequence
from typing import Final, Self

from panegate_transports.base import Chunk
from panegate_transports.child import Child
from panegate_transports.inbox import Inbox
from panegate_transports.outbox import Outbox
from panegate_transports.reader import shared_reader
from panegate_transports.spawn import spawn

__all__ = ["ProcessTransport"]

_EOF_WITHIN_S: Final = 2.0
_TERM_WITHIN_S: Final = 1.0
_DRAIN_WITHIN_S: Final = 0.25
"""How long output may lag behind the exit: a grandchild may hold the pipes for ever."""

# The loop keeps only weak references to tasks; these outlive a cancelled `aclose`.
_closing_tasks: set[asyncio.Task[None]] = set()


class ProcessTransport:
    """The standard input and output of a child process; a `ByteTransport`.

    Output is read at once and always, by the thread of `reader`: a child that
    writes is never held up. Memory is bounded by who watches `backlog_bytes`.
    Belongs to the event loop that was running in `open`.
    """

    def __init__(
        self,
        popen: "subprocess.Popen[bytes]",
        fds: tuple[int, int, int],
        *,
        stderr_limit: int,
        eof_within_s: float,
        term_within_s: float,
    ) -> None:
        """Take over *popen* and *fds*, our ends of its three pipes; see `open`."""
        loop = asyncio.get_running_loop()
        stdin_fd, stdout_fd, stderr_fd = fds
        self._eof_within_s = eof_within_s
        self._term_within_s = term_within_s
        self._closing: asyncio.Task[None] | None = None
        self._child = Child(popen, loop)
        self._outbox = Outbox(stdin_fd, loop)
        self._inbox = Inbox(loop.call_soon_threadsafe)
        self._tail = _Tail(stderr_limit)
        self._stdout_ended = _ThreadsafeEvent(loop)
        self._stderr_ended = _ThreadsafeEvent(loop)
        # The reader must not hold this object: one that is forgotten should be collected.
        inbox, stdout_ended, stderr_ended = self._inbox, self._stdout_ended, self._stderr_ended

        def end_stdout(failure: OSError | None) -> None:
            inbox.end(failure)
            stdout_ended.set()

        def end_stderr(_failure: OSError | None) -> None:
            stderr_ended.set()

        reader = shared_reader()
        self._sources = (
            reader.attach(stdout_fd, inbox.put, end_stdout),
            reader.attach(stderr_fd, self._tail.append, end_stderr),
        )

    @classmethod
    async def open(
        cls,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        pipe_bytes: int = 1 << 20,
        stderr_limit: int = 64 * 1024,
        eof_within_s: float = _EOF_WITHIN_S,
        term_within_s: float = _TERM_WITHIN_S,
    ) -> Self:
        """Start *argv* in a session of its own.

        Nothing is awaited, so a cancelled caller never leaves a child behind.
        Where ``setpriv`` works the child gets SIGTERM when the *thread* that
        calls this ends: call it in the thread that lives as long as the child
        should, normally the event loop's. Until ``setpriv`` has run, and where
        there is none, the end of its input alone tells the child.

        Args:
            argv: Program and arguments; the program is looked up on ``PATH``.
            env: The child's environment, by default ours. ``TMUX`` and
                ``TMUX_PANE`` are left out in either case.
            cwd: The child's directory, by default ours.
            pipe_bytes: Wanted capacity of the output pipe, where it can be set
                and the system allows it.
            stderr_limit: How many bytes of standard error `stderr_tail` keeps.
            eof_within_s: Seconds that `aclose` leaves the child to exit after
                the end of its input.
            term_within_s: Seconds that `aclose` then leaves it after SIGTERM.

        Raises:
            OSError: The program cannot be started, such as FileNotFoundError.
            ValueError: *argv* is empty.

        """
        if not argv:
            raise ValueError("argv is empty")
        child_env = dict(os.environ if env is None else env)
        for name in ("TMUX", "TMUX_PANE"):
            child_env.pop(name, None)
        popen, fds = spawn(list(argv), env=child_env, cwd=cwd, pipe_bytes=pipe_bytes)
        return cls(
            popen,
            fds,
            stderr_limit=stderr_limit,
            eof_within_s=eof_within_s,
            term_within_s=term_within_s,
        )

    @property
    def pid(self) -> int:
        """Process id of the child."""
        return self._child.pid

    @property
    def returncode(self) -> int | None:
        """Exit status, minus the signal if one ended it, or None while it runs."""
        return self._child.returncode

    @property
    def stderr_tail(self) -> bytes:
        """The last of what the child wrote to standard error.

        Complete once `wait_closed` or `aclose` has returned, unless another
        process holds the pipe or reading it lags by a quarter of a second.
        """
        return self._tail.data

    @property
    def backlog_bytes(self) -> int:
        """Bytes that were read from the child and not received yet."""
        return self._inbox.backlog_bytes

    @property
    def pending_bytes(self) -> int:
        """Bytes accepted by a send that the child's input pipe has not taken yet."""
        return self._outbox.pending_bytes

    async def receive(self) -> Chunk:
        """Return the next chunk; see `ByteTransport.receive`.

        Cancelled, it takes nothing.

        Raises:
            anyio.BusyResourceError: Another task is receiving.

        """
        return await self._inbox.get()

    def receive_nowait(self) -> Chunk:
        """Return a chunk that has already arrived; see `ByteTransport`."""
        return self._inbox.get_nowait()

    async def send(self, data: bytes) -> None:
        """Return when the child's input pipe has taken all of *data*.

        Cancelled, the rest still goes out in order unless the transport is
        closed first, so a line is not torn.

        Raises:
            anyio.BusyResourceError: Another task is sending.

        """
        await self._outbox.send(data)

    def send_nowait(self, data: bytes) -> None:
        """Accept all of *data* or none; see `ByteTransport.send_nowait`.

        Data that the pipe takes in part is accepted, and so is data behind it:
        the rest follows in order. At most `outbox.MAX_PENDING_BYTES` wait.
        """
        self._outbox.send_nowait(data)

    async def send_eof(self) -> None:
        """Close the child's input once all of it is flushed. Idempotent."""
        await self._outbox.end()

    async def wait_closed(self) -> int:
        """Wait until the child is gone and its output was read; return `returncode`.

        Neither closes anything nor signals the child. What it wrote can still be
        received.
        """
        returncode = await self._child.wait()
        await self._drain()
        return returncode

    async def aclose(self) -> None:
        """End the child in order, in bounded time, and leave no zombie.

        Its input is closed, without what is still pending; output is read and
        dropped until the child exits. If it does not, SIGTERM and then SIGKILL
        follow, the latter never in the first second of its life. Cancelling the
        call ends only the wait: the closing goes on in a task of its own.
        """
        if self._closing is None:
            self._inbox.close()
            self._outbox.close()
            self._closing = asyncio.get_running_loop().create_task(
                self._close(), name=f"close-process-{self.pid}"
            )
            _closing_tasks.add(self._closing)
            self._closing.add_done_callback(_closing_tasks.discard)
        await asyncio.shield(self._closing)

    def __repr__(self) -> str:
        return f"<ProcessTransport pid={self.pid} returncode={self.returncode}>"

    def __del__(self) -> None:
        # An object whose constructor failed has nothing to warn of.
        if getattr(self, "_sources", None) is not None and self._closing is None:
            warnings.warn(
                f"unclosed transport {self!r}", ResourceWarning, stacklevel=2, source=self
            )
            self._outbox.close()
            self._child.abandon()

    async def _close(self) -> None:
        await self._child.end(within_s=self._eof_within_s, term_within_s=self._term_within_s)
        await self._drain()
        for source in self._sources:
            shared_reader().detach(source)
        await self._stdout_ended.wait()
        await self._stderr_ended.wait()

    async def _drain(self) -> None:
        """Wait for the end of both streams, but not for one that somebody else holds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_DRAIN_WITHIN_S):
                await self._stdout_ended.wait()
                await self._stderr_ended.wait()


class _Tail:
    """Keeps the last bytes of a stream."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.data = b""

    def append(self, data: bytes, _at_s: float) -> None:
        kept = self.data + data
        self.data = kept[max(0, len(kept) - self._limit) :]


class _ThreadsafeEvent(asyncio.Event):
    """An event of *loop* that other threads may set, also when *loop* is closed."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self._owner = loop

    def set(self) -> None:
        with contextlib.suppress(RuntimeError):
            self._owner.call_soon_threadsafe(super().set)
