"""Reads the end of a file that another program writes: bounded, whatever it holds."""

import os
import stat
from typing import Final

from panegate.probes.transcripts.lines import Line, Tail, split_lines

__all__ = ["MAX_HEAD", "MAX_SCAN", "MAX_TAIL", "read_tail"]

MAX_TAIL: Final = 256 * 1024
"""Bytes read of a file's end, and once more before a line that is longer than that."""
MAX_HEAD: Final = 16 * 1024
"""Bytes kept of a line that is longer than the tail."""
MAX_SCAN: Final = 64 * 1024 * 1024
"""How far back the beginning of such a line is looked for."""
_BLOCK: Final = 64 * 1024


def read_tail(path: str, *, limit: int = MAX_TAIL) -> Tail | None:
    """Return the last lines of the file that is at *path* now.

    Every call starts afresh: a file that was rotated, cut or replaced is read as it is.
    A line that began before the tail is left out; where the tail lies inside one huge line,
    its beginning and the lines before it are read too. Reads at most about twice *limit*.

    Returns:
        None where there is no such file, it is no plain file, or may not be read.

    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            return None
        return _read(fd, found.st_size, limit)
    except OSError:
        return None
    finally:
        os.close(fd)


def _read(fd: int, size: int, limit: int) -> Tail:
    start = max(0, size - limit)
    if start == 0:
        return Tail(lines=split_lines(_bytes(fd, 0, size), at_start=True))
    data = _bytes(fd, start - 1, size - start + 1)  # the byte before tells whether a line begins
    first = data.find(b"\n")
    if 0 <= first < len(data) // 2:
        return Tail(lines=split_lines(data, at_start=False), whole=False)
    begins = _line_start(fd, start)
    if begins is None:
        return Tail(lines=split_lines(data, at_start=False), whole=False)
    older_at = max(0, begins - limit)
    older = split_lines(_bytes(fd, older_at, begins - older_at), at_start=older_at == 0)
    ended = first >= 0
    head = (Line(_bytes(fd, begins, MAX_HEAD), cut=True),) if ended else ()
    newer = split_lines(data, at_start=False) if ended else ()
    return Tail(lines=(*older, *head, *newer), whole=False)


def _line_start(fd: int, position: int) -> int | None:
    """Return where the line begins that holds the byte before *position*."""
    end = position
    while end > 0 and position - end < MAX_SCAN:
        begin = max(0, end - _BLOCK)
        found = _bytes(fd, begin, end - begin).rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        end = begin
    return 0 if end == 0 else None


def _bytes(fd: int, start: int, count: int) -> bytes:
    """Return up to *count* bytes at *start*; fewer where the file was cut meanwhile."""
    parts: list[bytes] = []
    while count > 0:
        part = os.pread(fd, count, start)
        if not part:
            break
        parts.append(part)
        start += len(part)
        count -= len(part)
    return b"".join(parts)
