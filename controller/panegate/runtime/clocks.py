"""The clocks of this host, read together."""

import sys
import time
from typing import Final

from panegate.session.session_record import Instant

__all__ = ["read_instant"]

# On macOS Python's monotonic clock stands still in sleep, and CLOCK_MONOTONIC does not.
_NAME: Final = "CLOCK_MONOTONIC" if sys.platform == "darwin" else "CLOCK_BOOTTIME"
_BOOT: Final[int | None] = getattr(time, _NAME, None)


def read_instant() -> Instant:
    """Return this moment by the wall clock, the monotonic one, and the one that counts sleep."""
    boot_s = None if _BOOT is None else time.clock_gettime(_BOOT)
    return Instant(wall_s=time.time(), mono_s=time.monotonic(), boot_s=boot_s)
