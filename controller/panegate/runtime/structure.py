"""Attaching clients and changing sessions take turns, here and across processes.

Up to 3.6b a notification (a session made or ended, a client detached) that meets a client
which is still identifying itself ends the tmux server. Every command of panegate is a process
that attaches, so a lock within one process is not enough.
"""

import fcntl
import os
import threading
from pathlib import Path
from types import TracebackType

import anyio
import anyio.to_thread
import attrs

from panegate.runtime.address import ServerAddress

__all__ = ["TURN_WITHIN_S", "Structure"]

TURN_WITHIN_S = 5.0
"""A turn that another process keeps longer is not waited for: it may be stopped."""


@attrs.define(kw_only=True, eq=False)
class Structure:
    """The turn to change a server's sessions or clients; an async context manager.

    Across processes it is the kernel's lock (``flock``) of the folder that the socket is in:
    nothing is left behind, and it is let go of whatever ends its holder.
    """

    folder: Path | None
    """None where the server is on another host: only this process takes turns."""
    _here: anyio.Lock = attrs.field(factory=anyio.Lock, init=False)
    _handle: int | None = attrs.field(default=None, init=False)

    @classmethod
    def of(cls, address: ServerAddress) -> "Structure":
        """Return the turns at a server."""
        return cls(folder=address.socket.parent if address.ssh is None else None)

    async def __aenter__(self) -> None:
        await self._here.acquire()
        try:
            self._handle = await self._take()
        except BaseException:
            self._here.release()
            raise

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        handle, self._handle = self._handle, None
        if handle is not None:
            os.close(handle)
        self._here.release()

    async def _take(self) -> int | None:
        """Return the locked folder, None where it cannot be locked (in time)."""
        if self.folder is None:
            return None
        try:
            handle = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return await _wait(handle)
        except OSError:
            os.close(handle)
            return None
        return handle


async def _wait(handle: int) -> int | None:
    turn = _Turn(handle)
    try:
        with anyio.move_on_after(TURN_WITHIN_S):
            await anyio.to_thread.run_sync(turn.wait, abandon_on_cancel=True)
    except BaseException:
        turn.give_up()
        raise
    return turn.take()


class _Turn:
    """A wait in a thread, of which nothing is left if nobody waits for it any more."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._mutex = threading.Lock()
        self._given_up = self._locked = False

    def wait(self) -> None:
        fcntl.flock(self._handle, fcntl.LOCK_EX)
        with self._mutex:
            self._locked = True
            if self._given_up:
                os.close(self._handle)

    def give_up(self) -> None:
        with self._mutex:
            self._given_up = True
            if self._locked:
                os.close(self._handle)

    def take(self) -> int | None:
        with self._mutex:
            if self._locked:
                return self._handle
            self._given_up = True
            return None
