"""Tells when a program has read its terminal: inotify on the terminal's node.

Every read that returned bytes counts, whoever read; a write or an `ioctl` does not.
The event belongs to the *node* that was opened: a program that reads ``/dev/tty``
(`less` on a pipe, `ssh`, `sudo`, `getpass`) reads through another node and tells
nothing. Absence of a call back therefore proves nothing.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import struct
import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["InputReads"]

_IN_ACCESS: Final = 0x1
_IN_IGNORED: Final = 0x8000
_IN_Q_OVERFLOW: Final = 0x4000
_EVENT: Final = struct.Struct("iIII")
_BUFFER_BYTES: Final = 1 << 16


class InputReads:
    """Calls back when a watched terminal was read.

    Belongs to one running asyncio loop; every method is for that loop's thread.
    Watch only while a write waits for its effect: each keystroke that anybody types
    into a watched pane wakes the loop.

    Args:
        loop: The loop to call back in; the running one by default.

    Attributes:
        overflows: Times that the kernel dropped events; call backs were lost.

    """

    def __init__(self, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self._loop = asyncio.get_running_loop() if loop is None else loop
        self._callbacks: dict[int, Callable[[], None]] = {}
        self._descriptors: dict[str, int] = {}
        self._libc, self._fd = _open_inotify()
        self.overflows = 0
        if self._fd >= 0:
            self._loop.add_reader(self._fd, self._take)

    @property
    def available(self) -> bool:
        """Whether this system tells at all."""
        return self._fd >= 0

    def watch(self, tty: str, callback: Callable[[], None]) -> bool:
        """Call *callback* from the loop whenever bytes were read from *tty*.

        Several reads between two rounds of the loop give one call. Watching a
        terminal again replaces its callback.

        Returns:
            False when reads will *not* be told: another system, no such terminal,
            or the limit of watches is reached.

        """
        if self._libc is None or self._fd < 0:
            return False
        path = os.fsencode(tty)
        descriptor = int(self._libc.inotify_add_watch(self._fd, path, _IN_ACCESS))
        if descriptor < 0:
            return False
        self._descriptors[tty] = descriptor
        self._callbacks[descriptor] = callback
        return True

    def unwatch(self, tty: str) -> None:
        """Stop watching *tty*; nothing is called for it any more. Idempotent."""
        descriptor = self._descriptors.pop(tty, None)
        if descriptor is None or self._callbacks.pop(descriptor, None) is None:
            return
        if self._libc is not None and self._fd >= 0:
            self._libc.inotify_rm_watch(self._fd, descriptor)

    def close(self) -> None:
        """Stop watching all terminals. Idempotent."""
        self._callbacks.clear()
        self._descriptors.clear()
        if self._fd >= 0:
            self._loop.remove_reader(self._fd)
            os.close(self._fd)
            self._fd = -1

    def _take(self) -> None:
        try:
            raw = os.read(self._fd, _BUFFER_BYTES)
        except BlockingIOError:
            return
        read: dict[int, None] = {}
        offset = 0
        while offset < len(raw):
            descriptor, mask, _, n_bytes = _EVENT.unpack_from(raw, offset)
            offset += _EVENT.size + n_bytes
            if mask & _IN_Q_OVERFLOW:
                self.overflows += 1
            elif mask & _IN_IGNORED:  # the terminal is gone
                self._callbacks.pop(descriptor, None)
            elif mask & _IN_ACCESS:
                read[descriptor] = None
        for descriptor in read:
            callback = self._callbacks.get(descriptor)
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
