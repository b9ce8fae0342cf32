"""Which process is which: a pid with its start, its boot and its host."""

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

__all__ = ["boot_id", "end_process", "host_name", "is_running", "process_start", "program_words"]

_STAT_START = 19
"""Field of ``/proc/PID/stat`` behind the command's closing parenthesis: ticks since boot."""


def process_start(pid: int) -> str:
    """Return when a process began, in its system's own words; "" when there is none."""
    if pid <= 0:
        return ""
    if sys.platform.startswith("linux"):
        try:
            text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""
        fields = text[text.rfind(")") + 2 :].split()
        return "" if fields[0] in ("Z", "X") else fields[_STAT_START]
    done = subprocess.run(
        ["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


def boot_id() -> str:
    """Return what tells this start of the system from all others."""
    if sys.platform.startswith("linux"):
        try:
            return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        except OSError:
            return ""
    done = subprocess.run(
        ["sysctl", "-n", "kern.boottime"], capture_output=True, text=True, check=False
    )
    found = re.search(r"sec = (\d+)", done.stdout)
    return found[1] if found else ""


def host_name() -> str:
    """Return this host's name."""
    return socket.gethostname()


def program_words() -> str:
    """Return what this process is, for people."""
    return " ".join([os.path.basename(sys.argv[0] or sys.executable), *sys.argv[1:3]])[:80]


def is_running(pid: int, started: str, *, boot: str, host: str) -> bool:
    """Tell whether that very process still runs; one of another host is taken to."""
    if host != host_name():
        return True  # nobody here can know
    if boot != boot_id():
        return False
    return bool(started) and process_start(pid) == started


def end_process(pid: int, started: str) -> bool:
    """Ask that very process to end; False when it is gone or the pid is another's by now."""
    if pid <= 1 or not started or process_start(pid) != started:
        return False
    try:
        os.kill(pid, signal.SIGTERM)
    except (ProcessLookupError, PermissionError):
        return False
    return True
