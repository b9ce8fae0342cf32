"""The writing half of the truth log.

One JSON object a line, appended with a single ``os.write`` before the program goes on,
so the log is never behind what the terminal shows. Readers that wait are woken through
FIFOs of theirs in ``LOG.wake/``; a wake-up carries nothing and may be lost or doubled.
"""

import contextlib
import json
import os
import time

__all__ = ["TruthWriter", "process_start"]


def process_start(pid: int) -> int | None:
    """Return the start time of a process in clock ticks, or None where there is no /proc.

    With the pid it names one process for good; a pid alone may be used again.
    """
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            return int(stat.read().rpartition(b")")[2].split()[19])
    except (OSError, IndexError, ValueError):
        return None


class TruthWriter:
    """Appends events to one file; without a path it writes nowhere."""

    def __init__(self, path: str | None) -> None:
        self._fd = -1
        self._wake_folder = f"{path}.wake"
        if path:
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
            self._fd = os.open(path, flags, 0o600)

    def log(self, event: str, **fields: object) -> None:
        """Append one event, stamped now in monotonic seconds, and wake the readers."""
        if self._fd < 0:
            return
        record = {"at": time.monotonic(), "event": event, **fields}
        os.write(self._fd, json.dumps(record, ensure_ascii=False).encode("utf-8") + b"\n")
        self._wake_readers()

    def log_bytes(self, data: bytes, **fields: object) -> None:
        """Append a ``bytes`` event: exactly what one read returned, as hexadecimal digits."""
        self.log("bytes", n_bytes=len(data), hex=data.hex(), **fields)

    def _wake_readers(self) -> None:
        try:
            names = os.listdir(self._wake_folder)
        except OSError:
            return
        for name in names:
            with contextlib.suppress(OSError):
                path = os.path.join(self._wake_folder, name)
                fd = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
                try:
                    os.write(fd, b"!")
                finally:
                    os.close(fd)
