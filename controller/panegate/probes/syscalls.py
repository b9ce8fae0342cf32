"""What a thread waits in, from ``/proc/PID/task/TID/syscall``.

The line holds the system call's number and six arguments, or ``running``, or
``-1`` with two addresses for a thread that waits outside of a system call.
"""

import enum
from collections.abc import Mapping
from typing import Final, NamedTuple

__all__ = ["TABLES", "Call", "Shape", "is_endless", "parse_call"]


class Shape(enum.Enum):
    """How a system call names the descriptors that it waits on."""

    READ_0 = "read_0"  # the descriptor is argument 0
    READ_1 = "read_1"  # the descriptor is argument 1
    POLL = "poll"  # pollfd array, count, milliseconds
    PPOLL = "ppoll"  # pollfd array, count, timespec
    SELECT = "select"  # count, three sets, timespec or timeval
    EPOLL = "epoll"  # epoll descriptor
    RESTART = "restart"  # whatever was interrupted, with its arguments
    RING = "ring"  # io_uring: cannot be seen from outside
    OTHER = "other"


_S = Shape

TABLES: Final[Mapping[str, Mapping[int, Shape]]] = {
    "x86_64": {
        0: _S.READ_0,  # read
        17: _S.READ_0,  # pread64
        19: _S.READ_0,  # readv
        295: _S.READ_0,  # preadv
        327: _S.READ_0,  # preadv2
        275: _S.READ_0,  # splice
        40: _S.READ_1,  # sendfile
        7: _S.POLL,
        271: _S.PPOLL,
        23: _S.SELECT,
        270: _S.SELECT,  # pselect6
        232: _S.EPOLL,  # epoll_wait
        281: _S.EPOLL,  # epoll_pwait
        441: _S.EPOLL,  # epoll_pwait2
        219: _S.RESTART,
        426: _S.RING,
    },
    "aarch64": {
        63: _S.READ_0,
        67: _S.READ_0,
        65: _S.READ_0,
        69: _S.READ_0,
        286: _S.READ_0,
        76: _S.READ_0,
        71: _S.READ_1,
        73: _S.PPOLL,
        72: _S.SELECT,
        22: _S.EPOLL,
        441: _S.EPOLL,
        128: _S.RESTART,
        426: _S.RING,
    },
}
"""Numbers of the calls that can wait for input, by `platform.machine`."""

_ENDLESS_S: Final = 86_400
_COMPAT_STACK: Final = 1 << 32


class Call(NamedTuple):
    """A thread's system call."""

    shape: Shape
    arguments: tuple[int, ...]


def parse_call(line: bytes, table: Mapping[int, Shape]) -> Call | None:
    """Return the call in a ``syscall`` *line*; None when it cannot be told.

    ``running`` and a wait outside of system calls are `Shape.OTHER`. A 32-bit
    program numbers its calls differently: it gives None.
    """
    fields = line.split()
    if not fields:
        return None
    if fields[0] == b"running" or fields[0] == b"-1":
        return Call(Shape.OTHER, ())
    try:
        number = int(fields[0])
        arguments = tuple(int(f, 16) for f in fields[1:7])
        stack = int(fields[7], 16)
    except (ValueError, IndexError):
        return None
    if stack < _COMPAT_STACK:
        return None
    return Call(table.get(number, Shape.OTHER), arguments)


def is_endless(seconds: int) -> bool:
    """Tell whether a timeout is so long that it means *for ever* (a day and more)."""
    return seconds >= _ENDLESS_S or seconds < 0
