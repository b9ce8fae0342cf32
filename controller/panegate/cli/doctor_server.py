"""What the doctor says of the service, of sockets, of clients left behind, and of the clock."""

from __future__ import annotations

import os
import stat
import sys
import time
from pathlib import Path
from typing import Final

from panegate.cli.doctor_checks import Check, Health
from panegate.errors import PanegateError
from panegate.runtime.address import ServerAddress
from panegate.runtime.bringup import one_shot
from panegate.service.local.client import connected
from panegate.service.local.endpoint import prepare_folder, socket_path

__all__ = ["check_clients", "check_clock", "check_service", "check_socket"]

_CLIENTS: Final = "#{client_control_mode} #{client_pid} #{client_flags}"
_OURS: Final = "pause-after=5"
"""Among the flags of every control client of panegate."""
_EARLIEST_S: Final = 1_735_689_600
"""2025 began: no clock of a machine that runs this is right before."""
_SLEPT_S: Final = 60.0


def check_socket(address: ServerAddress) -> Check:
    """Check that nobody else can speak to the tmux server itself."""
    path = address.socket
    try:
        found = path.stat()
    except FileNotFoundError:
        words = f"{path} is missing although its server lives"
        fix = "send SIGUSR1 to the server's pid: it makes the socket again"
        return Check("socket", Health.BROKEN, words, fix)
    except OSError as error:
        return Check("socket", Health.BROKEN, f"{path}: {error.strerror}", "choose another -S")
    mode = stat.S_IMODE(found.st_mode)
    if found.st_uid != os.getuid():
        words = f"{path} belongs to user {found.st_uid}: its programs are that user's"
        return Check("socket", Health.NOTE, words)
    if mode & 0o007:
        words = f"every user may speak to {path} (mode {mode:04o})"
        return Check("socket", Health.BROKEN, words, f"chmod o-rwx {path}")
    if mode & 0o020:
        words = f"the group may speak to {path} (mode {mode:04o})"
        return Check("socket", Health.NOTE, words, f"chmod g-rwx {path}")
    return Check("socket", Health.GOOD, f"{path} is yours alone")


async def check_service(address: ServerAddress) -> Check:
    """Say whether a service runs for the server, and whether it can do its work."""
    path = socket_path(address)
    try:
        if path.parent.exists():
            prepare_folder(path)
        async with connected(path) as client:
            if client is None:
                words = "none runs for this server: each command does its work by itself"
                return Check("service", Health.GOOD, words)
            said = await client.request("ready")
            hello = await client.request("hello", person=True)
    except PanegateError as error:
        return Check("service", Health.BROKEN, str(error), error.fix)
    if mode := stat.S_IMODE(path.stat().st_mode) & 0o077:
        words = f"others may speak to {path} (mode {mode:04o})"
        return Check("service", Health.BROKEN, words, f"chmod 600 {path}")
    where = f"panegate {hello['panegate']} at {path}"
    if not said["ready"]:
        words = f"{where} is not ready: {'; '.join(said['problems'])}"
        return Check("service", Health.BROKEN, words, "panegate serve --status says more")
    return Check("service", Health.GOOD, f"{where} is ready")


async def check_clients(address: ServerAddress) -> list[Check]:
    """Find control clients of panegate whose controller is gone."""
    _, listed, _ = await one_shot(address, "list-clients", "-F", _CLIENTS)
    rows = [row.split(" ", 2) for row in listed.splitlines()]
    ours = [int(row[1]) for row in rows if len(row) == 3 and row[0] == "1" and _OURS in row[2]]
    left = [pid for pid in ours if _parent_of(pid) == 1 and os.getpid() != 1]
    if not left:
        words = f"{len(ours)} control clients of panegate, none of them left behind"
        return [Check("clients", Health.GOOD, words)]
    pids = " ".join(map(str, left))
    words = f"control clients of a controller that is gone: pid {pids}"
    return [Check("clients", Health.NOTE, words, f"kill {pids}")]


def _parent_of(pid: int) -> int | None:
    """Return the parent of a process, None where that is not known."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        return int(text[text.rfind(")") + 2 :].split()[1])
    except (OSError, ValueError, IndexError):
        return None


def check_clock(now_s: float | None = None, slept_s: float | None = None) -> Check:
    """Check that the wall clock can be right, and say how long the machine slept.

    Args:
        now_s: Wall time, seconds since 1970; the system's by default.
        slept_s: Time that the monotonic clock stood still since the start; by default
            what the system says.

    """
    now_s = time.time() if now_s is None else now_s
    slept_s = _slept_s() if slept_s is None else slept_s
    said = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(now_s))
    if now_s < _EARLIEST_S:
        fix = "set it: reset times of limits and the journal rest on it"
        return Check("clock", Health.BROKEN, f"the clock is wrong: it is {said}", fix)
    if slept_s >= _SLEPT_S:
        words = f"{said}; the machine has slept for {slept_s / 60:.0f} min since it started"
        return Check("clock", Health.NOTE, f"{words}: limits of wall time ran on meanwhile")
    return Check("clock", Health.GOOD, said)


def _slept_s() -> float:
    if not hasattr(time, "CLOCK_BOOTTIME"):
        return 0.0
    return time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)
