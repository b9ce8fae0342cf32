"""Tells when a file was written: inotify on its folder, so that it may be replaced."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import struct
import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FileChanges"]

_IN_MODIFY: Final = 0x2
_IN_CLOSE_WRITE: Final = 0x8
_IN_MOVED_TO: Final = 0x80
_IN_CREATE: Final = 0x100
_IN_IGNORED: Final = 0x8000
_IN_Q_OVERFLOW: Final = 0x4000
_IN_ONLYDIR: Final = 0x1000000
_WANTED: Final = _IN_MODIFY | _IN_CLOSE_WRITE | _IN_MOVED_TO | _IN_CREATE | _IN_ONLYDIR
_EVENT: Final = struct.Struct("iIII")
_BUFFER_BYTES: Final = 1 << 16


class FileChanges:
    """Calls back when a file in a watched folder was written, made or moved there.

    Belongs to one running asyncio loop; every method is for that loop's thread. Nothing
    here polls: on systems without inotify nothing is told, and `available` says so.

    Attributes:
        overflows: Times that the kernel dropped events; everybody was called then.

    """

    def __init__(self, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self._loop = asyncio.get_running_loop() if loop is None else loop
        self._watches: dict[str, int] = {}
        self._folders: dict[int, str] = {}
        self._callbacks: dict[tuple[str, str], Callable[[], None]] = {}
        self._libc, self._fd = _open_inotify()
        self.overflows = 0
        if self._fd >= 0:
            self._loop.add_reader(self._fd, self._take)

    @property
    def available(self) -> bool:
        """Whether this system tells at all."""
        return self._fd >= 0

    def watch(self, path: str, callback: Callable[[], None]) -> bool:
        """Call *callback* from the loop whenever the file at *path* may have changed.

        Many changes between two rounds of the loop give one call. The file need not be there
        yet, its folder must. Watching a path again replaces its callback.

        Returns:
            False when changes will *not* be told: another system, no such folder, or the
            limit of watches is reached.

        """
        folder, name = os.path.split(path)
        if self._libc is None or self._fd < 0:
            return False
        if folder not in self._watches:
            number = int(self._libc.inotify_add_watch(self._fd, os.fsencode(folder), _WANTED))
            if number < 0:
                return False
            # one folder under two names has one watch: the first name stands for both
            self._watches[folder] = number
            self._folders.setdefault(number, folder)
        self._callbacks[self._folders[self._watches[folder]], name] = callback
        return True

    def unwatch(self, path: str) -> None:
        """Stop watching *path*; nothing is called for it any more. Idempotent."""
        folder, name = os.path.split(path)
        number = self._watches.get(folder)
        if number is None:
            return
        folder = self._folders.get(number, folder)
        self._callbacks.pop((folder, name), None)
        if not any(known == folder for known, _ in self._callbacks):
            self._forget(number)
            if self._libc is not None and self._fd >= 0:
                self._libc.inotify_rm_watch(self._fd, number)

    def close(self) -> None:
        """Stop watching everything. Idempotent."""
        self._callbacks.clear()
        self._watches.clear()
        self._folders.clear()
        if self._fd >= 0:
            with contextlib.suppress(RuntimeError):  # the loop may be closed already
                self._loop.remove_reader(self._fd)
            os.close(self._fd)
            self._fd = -1

    def _forget(self, number: int) -> None:
        self._folders.pop(number, None)
        for folder in [f for f, n in self._watches.items() if n == number]:
            del self._watches[folder]

    def _take(self) -> None:
        try:
            raw = os.read(self._fd, _BUFFER_BYTES)
        except BlockingIOError:
            return
        changed: dict[tuple[str, str], None] = {}
        offset = 0
        while offset < len(raw):
            number, mask, _, n_bytes = _EVENT.unpack_from(raw, offset)
            offset += _EVENT.size
            name = os.fsdecode(raw[offset : offset + n_bytes].split(b"\0", 1)[0])
            offset += n_bytes
            folder = self._folders.get(number, "")
            if mask & _IN_Q_OVERFLOW:
                self.overflows += 1
                changed.update(dict.fromkeys(self._callbacks))
            elif mask & _IN_IGNORED:  # the folder is gone
                self._forget(number)
                changed.update(dict.fromkeys(k for k in self._callbacks if k[0] == folder))
            else:
                changed[folder, name] = None
        for key in changed:
            callback = self._callbacks.get(key)
            if callback is not None:
                callback()


def _open_inotify() -> tuple[ctypes.CDLL | None, int]:
    if not sys.platform.startswith("linux"):
        return None, -1
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        fd = int(libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
    except (OSError, AttributeError):
        return None, -1
    return libc, fd
