"""A terminal's own word: echo, line mode, and what lies unread in its queue."""

from __future__ import annotations

import fcntl
import os
import struct
import termios
from typing import Final, NamedTuple

__all__ = ["UNREADABLE", "TerminalReading", "read_terminal"]

_FLAGS: Final = os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC
_LOCAL: Final = 3


class TerminalReading(NamedTuple):
    """What the terminal said; all None when it could not be asked."""

    echo: bool | None
    icanon: bool | None
    isig: bool | None
    unread_bytes: int | None


UNREADABLE: Final = TerminalReading(None, None, None, None)


def read_terminal(path: str, device: int | None = None) -> TerminalReading:
    """Ask the terminal at *path*; it is open only for the length of the call.

    Args:
        path: Such as ``/dev/pts/3``.
        device: The ``st_rdev`` it must have (a path is reused once its pane is
            gone); None accepts any.

    Returns:
        Its flags and the size of its input queue. In line mode the queue counts only
        complete lines; it holds at most 4095 bytes, and more may wait in front of it.

    Never raises: a terminal that is gone, hung up or not ours to open is UNREADABLE.

    """
    try:
        fd = os.open(path, _FLAGS)
    except OSError:
        return UNREADABLE
    try:
        if device is not None and os.fstat(fd).st_rdev != device:
            return UNREADABLE
        local = termios.tcgetattr(fd)[_LOCAL]
        (unread,) = struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, b"\0\0\0\0"))
    except (OSError, termios.error):
        return UNREADABLE
    finally:
        os.close(fd)
    return TerminalReading(
        echo=bool(local & termios.ECHO),
        icanon=bool(local & termios.ICANON),
        isig=bool(local & termios.ISIG),
        unread_bytes=unread,
    )
