"""What a process's descriptors are, as far as a terminal is concerned."""

from __future__ import annotations

import enum
import os
import stat
from typing import Final

from panegate.probes.procfs import read_bytes

__all__ = ["Descriptors", "FdKind"]

_DEV_TTY: Final = os.makedev(5, 0)
_DEV_PTMX: Final = os.makedev(5, 2)
_MEMORY_DEVICES: Final = 1  # null, zero, random: reads of them never wait
_EPOLLIN: Final = 0x1 | 0x40
_MAX_DEPTH: Final = 3


class FdKind(enum.Enum):
    """One descriptor of another process."""

    TTY = "tty"
    """The pane's terminal, by device number."""
    PTY_MASTER = "pty_master"
    """The controlling side of another terminal: the process relays for it."""
    SOCKET = "socket"
    EPOLL = "epoll"
    WAITABLE = "waitable"
    """Something else whose reads wait like a terminal's (another terminal, inotify)."""
    OTHER = "other"
    CLOSED = "closed"
    HIDDEN = "hidden"
    """The rights do not tell."""


class Descriptors:
    """The descriptors of one process, each looked at once.

    Args:
        directory: Its directory in procfs.
        tty: ``st_rdev`` of the pane's terminal.
        controlling: That terminal also controls the process, so its ``/dev/tty``
            is the same.

    """

    def __init__(self, directory: str, *, tty: int, controlling: bool) -> None:
        self._directory = directory
        self._ttys = (tty, _DEV_TTY) if controlling else (tty,)
        self._kinds: dict[int, FdKind] = {}

    def kind(self, fd: int) -> FdKind:
        """Return what *fd* is."""
        kind = self._kinds.get(fd)
        if kind is None:
            kind = self._kinds[fd] = self._look(fd)
        return kind

    def all(self) -> dict[int, FdKind] | None:
        """Return all open descriptors; None when the rights do not tell."""
        try:
            fds = [int(name) for name in os.listdir(f"{self._directory}/fd")]
        except FileNotFoundError:
            return {}
        except OSError:
            return None
        return {fd: self.kind(fd) for fd in fds}

    def epoll_has_tty(self, fd: int, depth: int = 0) -> bool | None:
        """Tell whether the terminal's input is in an epoll set, or in one inside it.

        None when the rights do not tell.
        """
        try:
            lines = read_bytes(f"{self._directory}/fdinfo/{fd}").split(b"\n")
        except FileNotFoundError:
            return False
        except OSError:
            return None
        answer: bool | None = False
        for line in lines:
            if not line.startswith(b"tfd:"):
                continue
            words = line.split()
            if not int(words[3], 16) & _EPOLLIN:
                continue
            kind = self.kind(int(words[1]))
            inner: bool | None = kind is FdKind.TTY
            if kind is FdKind.HIDDEN:
                inner = None
            elif kind is FdKind.EPOLL and depth < _MAX_DEPTH:
                inner = self.epoll_has_tty(int(words[1]), depth + 1)
            if inner:
                return True
            if inner is None:
                answer = None
        return answer

    def _look(self, fd: int) -> FdKind:
        path = f"{self._directory}/fd/{fd}"
        try:
            found = os.stat(path)
            mode = found.st_mode
            if stat.S_ISCHR(mode):
                if found.st_rdev in self._ttys:
                    return FdKind.TTY
                if found.st_rdev == _DEV_PTMX:
                    return FdKind.PTY_MASTER
                major = os.major(found.st_rdev)
                return FdKind.OTHER if major == _MEMORY_DEVICES else FdKind.WAITABLE
            if stat.S_ISSOCK(mode):
                return FdKind.SOCKET
            if stat.S_IFMT(mode):
                return FdKind.OTHER
            name = os.readlink(path)
        except FileNotFoundError:
            return FdKind.CLOSED
        except OSError:
            return FdKind.HIDDEN
        if name == "anon_inode:[eventpoll]":
            return FdKind.EPOLL
        return FdKind.WAITABLE if "notify" in name else FdKind.OTHER
