"""The terminal probe for Linux: one synchronous read of a pane's terminal and programs.

Opening the terminal is enough for its flags. Who has the foreground comes from
``/proc/PID/stat``; how those processes wait from ``syscall``, ``mem`` and ``fd`` of
the same uid (level FULL), or from ``wchan`` (level WCHAN).
"""

from __future__ import annotations

import os
import platform
from typing import TYPE_CHECKING, NamedTuple

from panegate.panes.facts import KernelFact, ProbeLevel, TtyWait
from panegate.probes.levels import lower
from panegate.probes.procfs import (
    PROC,
    ProcessTable,
    Related,
    descendants_of,
    read_stat,
    tty_number,
)
from panegate.probes.syscalls import TABLES
from panegate.probes.terminal import UNREADABLE, TerminalReading, read_terminal
from panegate.probes.waits import ProcessWaits, strongest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from panegate.probes.procfs import ProcessStat

__all__ = ["TerminalProbe"]

_MAX_DETACHED = 64
_TRIES = 3


class _Found(NamedTuple):
    wait: TtyWait
    reader: ProcessStat | None
    level: ProbeLevel


class TerminalProbe:
    """Reads one pane's terminal, its foreground programs and how they wait.

    Nothing is kept open between reads. A pid that was recycled since construction
    reads as gone.

    Args:
        tty: Path of the pane's terminal, ``#{pane_tty}``.
        pane_pid: The pane's own process, ``#{pane_pid}``.
        level: The most to use.
        table: Shared by the probes of one host; a table of its own by default.
        proc: Where procfs is mounted.
        machine: As `platform.machine`.

    """

    blocking = False

    def __init__(
        self,
        tty: str,
        pane_pid: int,
        level: ProbeLevel,
        *,
        table: ProcessTable | None = None,
        proc: str = PROC,
        machine: str | None = None,
    ) -> None:
        self.tty = tty
        self.pane_pid = pane_pid
        calls = TABLES.get(machine or platform.machine())
        if calls is None:
            level = lower(level, ProbeLevel.WCHAN)
        self.level = level
        self._proc = proc
        self._table = ProcessTable(proc) if table is None else table
        self._calls = calls if level is ProbeLevel.FULL else None
        first = read_stat(pane_pid, proc)
        self._start_ticks = None if first is None else first.start_ticks

    def read(self, now_s: float) -> KernelFact:
        """Return what is known now, stamped *now_s* (monotonic seconds).

        Never raises for a process or terminal that is gone or not ours: what
        cannot be told is unknown. Writes nothing and reads no input.
        """
        if self.level is ProbeLevel.NONE:
            return KernelFact(level=ProbeLevel.NONE, at_s=now_s)
        pane = read_stat(self.pane_pid, self._proc)
        if pane is None or not pane.alive or pane.start_ticks != self._start_ticks:
            return KernelFact(level=self.level, at_s=now_s)
        device = self._device()
        tty = pane.tty if device is None else tty_number(device)
        related = self._table.related(pane, tty, now_s)
        group = _foreground_group(pane, tty, related)
        members = _members(group, tty, related)
        inside = {member.pid for member in members}
        terminal, found = self._terminal_and_wait(members, related, pane, device)
        return KernelFact(
            level=found.level,
            wait=found.wait,
            echo=terminal.echo,
            icanon=terminal.icanon,
            isig=terminal.isig,
            foreground_pids=tuple(member.pid for member in members),
            foreground_command=members[0].comm if members and members[0].pid == group else "",
            reader_pid=None if found.reader is None else found.reader.pid,
            reader_command="" if found.reader is None else found.reader.comm,
            pane_process_is_foreground=None if group is None else group == pane.pid,
            children=tuple(
                sorted(
                    pid
                    for pid in related.descendants
                    if pid not in inside and related.stats[pid].alive
                )
            ),
            stopped=_is_stopped(members, group, found.wait),
            unread_bytes=terminal.unread_bytes,
            at_s=now_s,
        )

    def _device(self) -> int | None:
        try:
            return os.stat(self.tty).st_rdev
        except OSError:
            return None

    def _terminal_and_wait(
        self,
        members: Sequence[ProcessStat],
        related: Related,
        pane: ProcessStat,
        device: int | None,
    ) -> tuple[TerminalReading, _Found]:
        """Read both as of one instant: a program changes its mode right before it waits."""
        terminal = self._read_terminal(device)
        for _ in range(_TRIES):
            found = self._wait(members, related, pane, device)
            before, terminal = terminal, self._read_terminal(device)
            if (before.icanon, before.echo) == (terminal.icanon, terminal.echo):
                return terminal, found
        return terminal, _Found(TtyWait.ABSENT, None, found.level)

    def _read_terminal(self, device: int | None) -> TerminalReading:
        return UNREADABLE if device is None else read_terminal(self.tty, device)

    def _wait(
        self,
        members: Sequence[ProcessStat],
        related: Related,
        pane: ProcessStat,
        device: int | None,
    ) -> _Found:
        """Find the strongest wait, in the foreground group first."""
        if self.level is ProbeLevel.TERMIOS or device is None or not members:
            return _Found(TtyWait.UNKNOWN, None, self.level)
        waits = ProcessWaits(self._proc, tty=device, calls=self._calls)
        found = self._strongest(waits, members, controlling=True)
        if found.wait is not TtyWait.ABSENT:
            return found
        # ``su -c`` and other wrappers give their program a session of its own.
        below = descendants_of({member.pid for member in members}, related.stats)
        detached = [
            stat
            for pid, stat in related.stats.items()
            if pid in below and stat.session != pane.session and stat.alive
        ]
        outside = self._strongest(waits, detached[:_MAX_DETACHED], controlling=False)
        wait = found.wait if not detached else strongest((found.wait, outside.wait))
        if wait is TtyWait.ABSENT and (len(detached) > _MAX_DETACHED or not related.complete):
            wait = TtyWait.UNKNOWN
        return _Found(wait, outside.reader, lower(found.level, outside.level))

    def _strongest(
        self, waits: ProcessWaits, processes: Sequence[ProcessStat], *, controlling: bool
    ) -> _Found:
        best, reader, level = TtyWait.ABSENT, None, self.level
        for process in processes:
            if process.state in "Tt":
                continue
            wait, used = waits.of(process, controlling=controlling)
            level = lower(level, used)
            if strongest((wait, best)) is not best:
                best, reader = wait, process
            if best is TtyWait.READ:
                break
        if best in (TtyWait.UNKNOWN, TtyWait.ABSENT):
            reader = None
        return _Found(best, reader, level)


def _foreground_group(pane: ProcessStat, tty: int, related: Related) -> int | None:
    """Return the terminal's foreground process group; None when nobody tells."""
    for stat in (pane, *related.stats.values()):
        if stat.tty == tty and stat.tpgid > 0:
            return stat.tpgid
    return None


def _members(group: int | None, tty: int, related: Related) -> list[ProcessStat]:
    """Return the living processes of the foreground group, leader first."""
    members = [
        stat
        for stat in related.stats.values()
        if stat.pgrp == group and stat.tty == tty and stat.alive
    ]
    return sorted(members, key=lambda stat: (stat.pid != group, stat.pid))


def _is_stopped(members: Sequence[ProcessStat], group: int | None, wait: TtyWait) -> bool:
    """Tell whether the program that would read is stopped.

    A wrapper such as ``sh -c`` leads its group and goes on: then one stopped member is
    the reader if nobody else is.
    """
    if not members:
        return False
    if members[0].pid == group and members[0].stopped:
        return True
    if wait is TtyWait.ABSENT:
        return any(member.stopped for member in members)
    return all(member.stopped for member in members)
