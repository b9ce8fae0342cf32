"""Tells when a process is gone, without polling: pidfd on Linux, kqueue on macOS.

The processes are not our children: that one ended is known, its status is not.
"""

from __future__ import annotations

import asyncio
import ctypes
import errno
import os
import select
import sys
from typing import TYPE_CHECKING, Any, Protocol

from panegate.probes.procfs import start_ticks

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ExitWatch"]

_SYS_PIDFD_OPEN = 434  # the same number on every architecture


class ExitWatch:
    """Calls back when watched processes end.

    Belongs to one running asyncio loop; every method is for that loop's thread.

    Args:
        loop: The loop to call back in; the running one by default.
        kqueue: Makes a kqueue; `select.kqueue` where it exists.

    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop | None = None,
        *,
        kqueue: Callable[[], _Kqueue] | None = None,
    ) -> None:
        self._loop = asyncio.get_running_loop() if loop is None else loop
        self._watched: dict[int, _Watched] = {}
        make = kqueue or (_open_kqueue if hasattr(select, "kqueue") else None)
        self._kqueue = None if make is None else make()
        if self._kqueue is not None:
            self._loop.add_reader(self._kqueue.fileno(), self._take_kqueue)

    def watch(self, pid: int, callback: Callable[[int], None], *, start: int | None = None) -> bool:
        """Call ``callback(pid)`` once, from the loop, when *pid* has ended.

        A process that is gone already calls back in the loop's next round, never
        inside this call. Watching a pid again replaces its callback.

        Args:
            pid: Any process, child or not.
            callback: Called once unless `unwatch` comes first.
            start: The process's start time, from `procfs.start_ticks` or a stat read
                earlier: another process that got its pid counts as *gone*. None
                takes whatever has the pid now.

        Returns:
            False when its end will *not* be told: no pidfd or kqueue on this system,
            no descriptor left, not a process. Ask tmux then.

        """
        self.unwatch(pid)
        try:
            fd = self._subscribe(pid)
        except ProcessLookupError:
            self._call_soon(pid, callback)
            return True
        except OSError:
            return False
        if start is not None:
            now = start_ticks(pid)
            if now is not None and now != start:
                self._unsubscribe(pid, fd)
                self._call_soon(pid, callback)
                return True
        self._watched[pid] = _Watched(callback, fd)
        return True

    def unwatch(self, pid: int) -> None:
        """Stop watching *pid*; a call back that is due does not come. Idempotent."""
        watched = self._watched.pop(pid, None)
        if watched is None:
            return
        if watched.soon is not None:
            watched.soon.cancel()
        else:
            self._unsubscribe(pid, watched.fd)

    def close(self) -> None:
        """Stop watching all processes. Idempotent."""
        for pid in list(self._watched):
            self.unwatch(pid)
        if self._kqueue is not None:
            self._loop.remove_reader(self._kqueue.fileno())
            self._kqueue.close()
            self._kqueue = None

    @property
    def watched(self) -> frozenset[int]:
        """The pids whose end was not told yet."""
        return frozenset(self._watched)

    def _subscribe(self, pid: int) -> int:
        if self._kqueue is not None:
            self._kqueue.add(pid)
            return -1
        fd = _pidfd_open(pid)
        self._loop.add_reader(fd, self._fire, pid)
        return fd

    def _unsubscribe(self, pid: int, fd: int) -> None:
        if fd >= 0:
            self._loop.remove_reader(fd)
            os.close(fd)
        elif self._kqueue is not None:
            self._kqueue.remove(pid)

    def _call_soon(self, pid: int, callback: Callable[[int], None]) -> None:
        watched = self._watched[pid] = _Watched(callback, -1)
        watched.soon = self._loop.call_soon(self._fire, pid)

    def _fire(self, pid: int) -> None:
        watched = self._watched.pop(pid)
        if watched.fd >= 0:
            self._unsubscribe(pid, watched.fd)
        watched.callback(pid)

    def _take_kqueue(self) -> None:
        if self._kqueue is None:
            return
        for pid in self._kqueue.take():
            if pid in self._watched:
                self._fire(pid)


class _Watched:
    __slots__ = ("callback", "fd", "soon")

    def __init__(self, callback: Callable[[int], None], fd: int) -> None:
        self.callback = callback
        self.fd = fd
        self.soon: asyncio.Handle | None = None


class _Kqueue(Protocol):
    """A kqueue that watches processes."""

    def fileno(self) -> int: ...
    def add(self, pid: int) -> None:
        """Watch *pid*; ProcessLookupError when it is gone."""
        ...

    def remove(self, pid: int) -> None: ...
    def take(self) -> list[int]:
        """Return the pids that ended, without waiting."""
        ...

    def close(self) -> None: ...


def _open_kqueue() -> _Kqueue:
    return _SystemKqueue(select)


class _SystemKqueue:
    """`select.kqueue`, by name: it does not exist on Linux."""

    def __init__(self, system: Any) -> None:
        self._system = system
        self._queue = system.kqueue()

    def fileno(self) -> int:
        return int(self._queue.fileno())

    def add(self, pid: int) -> None:
        s = self._system
        self._change(pid, s.KQ_EV_ADD | s.KQ_EV_ONESHOT)

    def remove(self, pid: int) -> None:
        try:
            self._change(pid, self._system.KQ_EV_DELETE)
        except OSError:
            return  # it ended meanwhile, and ONESHOT removed it

    def take(self) -> list[int]:
        return [int(event.ident) for event in self._queue.control(None, 64, 0)]

    def close(self) -> None:
        self._queue.close()

    def _change(self, pid: int, flags: int) -> None:
        s = self._system
        event = s.kevent(pid, filter=s.KQ_FILTER_PROC, flags=flags, fflags=s.KQ_NOTE_EXIT)
        self._queue.control([event], 0, 0)


def _pidfd_open(pid: int) -> int:
    """Open a pidfd, also where Python was built without knowing the call."""
    if sys.platform == "linux" and hasattr(os, "pidfd_open"):
        return os.pidfd_open(pid)
    if not sys.platform.startswith("linux"):
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    libc = ctypes.CDLL(None, use_errno=True)
    fd = int(libc.syscall(_SYS_PIDFD_OPEN, ctypes.c_int(pid), ctypes.c_uint(0)))
    if fd < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return fd
