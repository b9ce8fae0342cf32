"""A pty with one program in it, as a pane has, seen from the controlling side."""

import contextlib
import errno
import fcntl
import os
import pty
import select
import shutil
import signal
import struct
import termios
import time
from collections.abc import Sequence
from pathlib import Path

__all__ = ["Terminal", "environment"]

WITHIN_S = 15.0


class Terminal:
    """A pty with one program in it, as a pane has."""

    def __init__(self, argv: Sequence[str], environ: dict[str, str] | None = None) -> None:
        self.seen = b""
        self.children_files: bool | None = None
        """How a test wants the probe to find processes."""
        path = shutil.which(argv[0]) or argv[0]
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            try:
                os.execve(path, list(argv), environ or dict(os.environ))
            finally:
                os._exit(127)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        os.set_blocking(self.master, False)
        number = struct.unpack("I", fcntl.ioctl(self.master, 0x80045430, b"\0" * 4))[0]  # TIOCGPTN
        self.tty = f"/dev/pts/{number}"

    def drain(self, within_s: float) -> bool:
        """Read what arrives first; False when nothing came or it hung up."""
        if not select.select([self.master], [], [], within_s)[0]:
            return False
        try:
            data = os.read(self.master, 65536)
        except OSError as exc:
            if exc.errno != errno.EIO:
                raise
            return False
        self.seen += data
        if b"\x1b[6n" in data:
            self.type("\x1b[1;1R")
        return bool(data)

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def wait_for_text(self, text: str) -> None:
        end_s = time.monotonic() + WITHIN_S
        while text.encode() not in self.seen:
            if time.monotonic() > end_s:
                msg = f"no {text!r} in {self.seen!r}"
                raise TimeoutError(msg)
            self.drain(0.05)

    def foreground(self) -> int:
        try:
            return os.tcgetpgrp(self.master)
        except OSError:
            return 0

    def wait_for_foreground(self, name: str) -> None:
        end_s = time.monotonic() + WITHIN_S
        while (found := _comm(self.foreground())) != name:
            if time.monotonic() > end_s:
                msg = f"foreground is {found!r}, not {name!r}"
                raise TimeoutError(msg)
            self.drain(0.005)

    def wait_for_rest(self, state: str) -> None:
        """Until it wrote nothing for 40 ms and its leader's process state is *state*."""
        end_s = time.monotonic() + WITHIN_S
        quiet = 0
        while quiet < 4:
            if time.monotonic() > end_s:
                msg = f"no rest: state {_state(self.foreground())}, {self.seen[-200:]!r}"
                raise TimeoutError(msg)
            if self.drain(0.01) or _state(self.foreground()) != state:
                quiet = 0
            else:
                quiet += 1

    def close(self) -> None:
        """End the program, what it started, and the terminal."""
        for pid in _family(self.pid):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        os.close(self.master)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


def _comm(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().rstrip("\n")
    except OSError:
        return ""


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def _family(root: int) -> set[int]:
    """Return *root*, its descendants and the members of its session."""
    parents, family = {}, {root}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
            parents[int(name)] = int(fields[1])
            if int(fields[3]) == root:
                family.add(int(name))
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    return family


def environment(home: str) -> dict[str, str]:
    return {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": home,
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        "PS1": "READY$ ",
        "LESS": "",
    }
