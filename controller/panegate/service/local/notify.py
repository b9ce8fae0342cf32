"""What a service tells systemd, by hand: a datagram of a few lines."""

import os
import socket
import time
from collections.abc import MutableMapping
from typing import Final, Self

import attrs

__all__ = ["VARIABLE", "Notifier"]

VARIABLE: Final = "NOTIFY_SOCKET"


@attrs.frozen
class Notifier:
    """Speaks to the socket that systemd gave; says nothing where there is none."""

    address: str = ""

    @classmethod
    def taken_from(cls, environ: MutableMapping[str, str] | None = None) -> Self:
        """Take the socket out of the environment: no program that is started inherits it."""
        path = (os.environ if environ is None else environ).pop(VARIABLE, "")
        return cls(path if path[:1] in ("/", "@") else "")

    def send(self, *lines: str) -> bool:
        """Send lines such as ``READY=1``; False where nobody listens."""
        if not self.address:
            return False
        abstract = self.address.startswith("@")
        address = "\0" + self.address[1:] if abstract else self.address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
                sender.setblocking(False)
                sender.sendto("\n".join(lines).encode(), address)
        except OSError:
            return False
        return True

    def ready(self, words: str) -> bool:
        """Say that requests are taken, with *words* for ``systemctl status``."""
        return self.send("READY=1", f"STATUS={words}", f"MAINPID={os.getpid()}")

    def reloading(self) -> bool:
        """Say that the settings are read again; `ready` ends it."""
        now_us = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        return self.send("RELOADING=1", f"MONOTONIC_USEC={now_us}")

    def stopping(self, words: str) -> bool:
        """Say that the end has begun."""
        return self.send("STOPPING=1", f"STATUS={words}")
