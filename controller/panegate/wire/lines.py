"""Bytes to lines, in linear time, with one stated limit.

A reply line may be megabytes long (one 300 kB buffer is one line), so there is
no small limit; the cap only keeps a broken peer from eating all memory.
"""

from typing import Final

from panegate.errors import RemoteProtocolError

__all__ = ["MAX_LINE_BYTES", "LineSplitter"]

MAX_LINE_BYTES: Final = 64 * 1024 * 1024
"""Longest line taken, without its LF; tmux itself writes none near it."""


class LineSplitter:
    """Cuts a byte stream at LF; CR and NUL are data.

    Every byte is looked at once and copied at most twice, whatever the chunks.

    Args:
        max_line_bytes: Longest line allowed, without its LF.

    """

    __slots__ = ("_failed", "_max_line_bytes", "_pending")

    def __init__(self, *, max_line_bytes: int = MAX_LINE_BYTES) -> None:
        self._max_line_bytes = max_line_bytes
        self._pending = bytearray()
        self._failed = False

    @property
    def n_pending(self) -> int:
        """Bytes held of a line that has not ended yet."""
        return len(self._pending)

    def feed(self, chunk: bytes) -> list[bytes]:
        """Take the next chunk and return the lines it completes, without their LF.

        Complete lines that stand before an overlong one are returned first; the
        error is raised by this call when there are none, else by the next call.

        Raises:
            RemoteProtocolError: A line is longer than the limit. The splitter stays
                unusable: every later call raises it again.

        """
        if self._failed:
            raise self._too_long()
        pending = self._pending
        if b"\n" not in chunk:
            pending += chunk
            if len(pending) > self._max_line_bytes:
                return self._fail([])
            return []
        lines = chunk.split(b"\n")
        tail = lines.pop()
        if pending:
            pending += lines[0]
            lines[0] = bytes(pending)
            self._pending = bytearray(tail)
        else:
            pending += tail
        longest = self._max_line_bytes
        if len(lines[0]) > longest or len(chunk) > longest:
            for index, line in enumerate(lines):
                if len(line) > longest:
                    return self._fail(lines[:index])
        return lines

    def finish(self) -> bytes:
        """Return and forget what the stream left behind of a line that never ended."""
        rest = bytes(self._pending)
        self._pending = bytearray()
        return rest

    def _fail(self, before: list[bytes]) -> list[bytes]:
        self._failed = True
        self._pending = bytearray()
        if before:
            return before
        raise self._too_long()

    def _too_long(self) -> RemoteProtocolError:
        msg = f"tmux sent a line of more than {self._max_line_bytes} bytes"
        return RemoteProtocolError(msg)
