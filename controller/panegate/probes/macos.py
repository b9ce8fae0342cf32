"""The terminal probe for macOS: termios, and one ``ps`` for the processes.

There is no procfs; ``ps`` is a process of its own and takes milliseconds, so a read
belongs in a worker thread (``blocking``). How a program waits is told only where
``ps`` names a wait channel; newer systems print ``-`` and the wait is unknown.
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Final, NamedTuple

from panegate.panes.facts import KernelFact, ProbeLevel, TtyWait
from panegate.probes.terminal import read_terminal
from panegate.probes.waits import strongest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["WITHIN_S", "MacTerminalProbe", "run_ps"]


WITHIN_S: Final = 2.0
_COLUMNS: Final = "pid=,ppid=,pgid=,tpgid=,stat=,wchan=,comm="
_TTY_READS: Final = ("ttyin", "ttyraw")
_ELSEWHERE: Final = ("nanosle", "wait", "pipe", "pause", "sigwait", "sigsusp", "accept")


class _Row(NamedTuple):
    pid: int
    ppid: int
    pgid: int
    tpgid: int
    state: str
    wchan: str
    comm: str


def run_ps(argv: Sequence[str]) -> str:
    """Run *argv* with a bare environment and return what it printed.

    Raises:
        OSError: It could not be run, failed, or took over two seconds.

    """
    try:
        done = subprocess.run(
            argv,
            check=True,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=WITHIN_S,
            env={"PATH": "/bin:/usr/bin", "LC_ALL": "C"},
        )
    except subprocess.SubprocessError as exc:
        msg = f"{argv[0]}: {exc}"
        raise OSError(msg) from exc
    return done.stdout.decode("utf-8", "replace")


class MacTerminalProbe:
    """Reads one pane's terminal and its foreground programs.

    ``children`` are the descendants that have the same terminal.

    Args:
        tty: Path of the pane's terminal, such as ``/dev/ttys003``.
        pane_pid: The pane's own process.
        level: The most to use; nothing above TERMIOS changes what is read, but
            forced to TERMIOS wait channels are ignored.
        run: Runs ``ps``.

    """

    blocking = True

    def __init__(
        self,
        tty: str,
        pane_pid: int,
        level: ProbeLevel,
        *,
        run: Callable[[Sequence[str]], str] = run_ps,
    ) -> None:
        self.tty = tty
        self.pane_pid = pane_pid
        self.level = level
        self._run = run

    def read(self, now_s: float) -> KernelFact:
        """Return what is known now, stamped *now_s* (monotonic seconds).

        Never raises for a process or terminal that is gone, or when ``ps`` fails.
        """
        if self.level is ProbeLevel.NONE:
            return KernelFact(level=ProbeLevel.NONE, at_s=now_s)
        rows = self._rows()
        own = rows.get(self.pane_pid)
        if own is None:
            return KernelFact(level=ProbeLevel.TERMIOS, at_s=now_s)
        terminal = read_terminal(self.tty)
        members = sorted(
            (row for row in rows.values() if row.pgid == own.tpgid),
            key=lambda row: (row.pid != own.tpgid, row.pid),
        )
        wait, reader = TtyWait.UNKNOWN, None
        if self.level is not ProbeLevel.TERMIOS:
            wait, reader = _judge(members)
        inside = {row.pid for row in members}
        told = wait is not TtyWait.UNKNOWN
        leader = members[0] if members and members[0].pid == own.tpgid else None
        return KernelFact(
            level=ProbeLevel.WCHAN if told else ProbeLevel.TERMIOS,
            wait=wait,
            echo=terminal.echo,
            icanon=terminal.icanon,
            isig=terminal.isig,
            foreground_pids=tuple(row.pid for row in members),
            foreground_command="" if leader is None else leader.comm,
            reader_pid=None if reader is None else reader.pid,
            reader_command="" if reader is None else reader.comm,
            pane_process_is_foreground=own.tpgid == self.pane_pid if own.tpgid > 0 else None,
            children=tuple(sorted(_descendants(self.pane_pid, rows) - inside)),
            stopped=bool(members)
            and (
                (leader is not None and leader.state.startswith("T"))
                or all(row.state.startswith("T") for row in members)
            ),
            unread_bytes=terminal.unread_bytes,
            at_s=now_s,
        )

    def _rows(self) -> dict[int, _Row]:
        """Return the living processes on the terminal, by pid."""
        name = self.tty.removeprefix("/dev/")
        try:
            output = self._run(["/bin/ps", "-o", _COLUMNS, "-t", name])
        except OSError:
            return {}
        rows = {}
        for line in output.splitlines():
            words = line.strip().split(None, 6)
            try:
                pid, ppid, pgid, tpgid = map(int, words[:4])
                row = _Row(pid, ppid, pgid, tpgid, words[4], words[5], os.path.basename(words[6]))
            except (ValueError, IndexError):
                continue
            if not row.state.startswith("Z"):
                rows[row.pid] = row
        return rows


def _judge(members: Sequence[_Row]) -> tuple[TtyWait, _Row | None]:
    waits = []
    for row in members:
        if row.wchan.startswith(_TTY_READS):
            return TtyWait.READ, row
        away = row.state[:1] in "TR" or row.wchan.startswith(_ELSEWHERE)
        waits.append(TtyWait.ABSENT if away else TtyWait.UNKNOWN)
    return strongest(waits), None


def _descendants(pid: int, rows: dict[int, _Row]) -> set[int]:
    inside: set[int] = set()
    waiting = [pid]
    while waiting:
        parent = waiting.pop()
        for row in rows.values():
            if row.ppid == parent and row.pid not in inside:
                inside.add(row.pid)
                waiting.append(row.pid)
    return inside
