"""A child process of this one: its exit is an event, and it is always reaped."""

import asyncio
import contextlib
import os
import subprocess
import sys
import threading
import time
from typing import Final

__all__ = ["KILL_NOT_BEFORE_S", "Child"]

KILL_NOT_BEFORE_S: Final = 1.0
"""No child is killed at a younger age, in seconds.

A client that dies uncleanly while its server is still setting it up can take the
server, and everybody's work in it, down.
"""
_KILL_WITHIN_S: Final = 1.0


class Child:
    """Watches one process that `subprocess.Popen` has started.

    A pidfd tells the event loop of the exit; where there is none, a thread waits.
    """

    def __init__(self, popen: "subprocess.Popen[bytes]", loop: asyncio.AbstractEventLoop) -> None:
        self._popen = popen
        self._loop = loop
        self._spawned_s = time.monotonic()
        self._exited = asyncio.Event()
        self._pidfd = _open_pidfd(popen.pid)
        if self._pidfd >= 0:
            loop.add_reader(self._pidfd, self._on_exit)
        else:
            self._wait_in_thread()

    @property
    def pid(self) -> int:
        """Process id."""
        return self._popen.pid

    @property
    def returncode(self) -> int | None:
        """Exit status, minus the signal if one ended it, or None while it runs."""
        return self._popen.returncode

    async def wait(self) -> int:
        """Wait for the exit and return `returncode`."""
        await self._exited.wait()
        assert self._popen.returncode is not None
        return self._popen.returncode

    async def exited_within(self, within_s: float) -> bool:
        """Wait at most *within_s* seconds and tell whether it has exited."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self._exited.wait()
        return self._exited.is_set()

    async def end(self, *, within_s: float, term_within_s: float) -> None:
        """Let it exit by itself, then ask it to, then kill it.

        Args:
            within_s: Seconds it has to exit by itself.
            term_within_s: Seconds it has after SIGTERM. SIGKILL follows, but not
                before the age of `KILL_NOT_BEFORE_S`.

        Cancelled, it gets SIGTERM at once and no SIGKILL.
        """
        try:
            if await self.exited_within(within_s):
                return
            self._popen.terminate()
            if await self.exited_within(term_within_s):
                return
            young_s = self._spawned_s + KILL_NOT_BEFORE_S - time.monotonic()
            if young_s > 0 and await self.exited_within(young_s):
                return
            self._popen.kill()
            if not await self.exited_within(_KILL_WITHIN_S):
                self.abandon()
        except asyncio.CancelledError:
            self.abandon()
            raise

    def abandon(self) -> None:
        """Send SIGTERM and leave the reaping to a thread; the loop may end now."""
        if self._pidfd < 0 or self._exited.is_set():
            return
        self._close_pidfd()
        self._popen.terminate()
        with contextlib.suppress(RuntimeError):  # no new threads while the interpreter ends
            self._wait_in_thread()

    def _on_exit(self) -> None:
        if self._popen.poll() is not None:
            self._close_pidfd()
            self._exited.set()

    def _close_pidfd(self) -> None:
        self._loop.remove_reader(self._pidfd)
        os.close(self._pidfd)
        self._pidfd = -1

    def _wait_in_thread(self) -> None:
        threading.Thread(target=self._reap, name=f"reap-{self.pid}", daemon=True).start()

    def _reap(self) -> None:
        self._popen.wait()
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._exited.set)


def _open_pidfd(pid: int) -> int:
    """Return a descriptor that is readable once *pid* has exited, or -1."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):  # an old kernel, or a sandbox
            return os.pidfd_open(pid)
    return -1
