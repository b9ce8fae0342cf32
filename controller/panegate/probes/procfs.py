"""Small, fast reads of procfs, and a table of processes kept between reads."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = [
    "MAX_RELATED",
    "PROC",
    "ProcessStat",
    "ProcessTable",
    "Related",
    "descendants_of",
    "read_bytes",
    "read_stat",
    "start_ticks",
    "tty_number",
]

PROC: Final = "/proc"
MAX_RELATED: Final = 256
"""Processes looked at for one pane; a parallel build may have more."""
_SETTLE_S: Final = 0.05
_MAX_READ: Final = 1 << 16
_READ_ONLY: Final = os.O_RDONLY | os.O_CLOEXEC


class ProcessStat(NamedTuple):
    """The fields of ``/proc/PID/stat`` that the probe uses."""

    pid: int
    comm: str
    state: str
    """One letter: R, S, D, T, t, Z, X."""
    ppid: int
    pgrp: int
    session: int
    tty: int
    """Number of the controlling terminal, 0 without one."""
    tpgid: int
    """Foreground process group of that terminal, -1 without one."""
    n_threads: int
    start_ticks: int
    """Start time in clock ticks after boot; with the pid it names one process."""

    @property
    def alive(self) -> bool:
        """Whether it can still do something: no zombie, or one with threads left."""
        return self.state not in "ZXx" or self.n_threads > 1

    @property
    def stopped(self) -> bool:
        """Whether it is stopped by a signal (not by a tracer)."""
        return self.state == "T"


def read_bytes(path: str) -> bytes:
    """Return the first 64 KiB of a procfs file.

    Raises:
        OSError: As for `os.open` and `os.read`.

    """
    fd = os.open(path, _READ_ONLY)
    try:
        return os.read(fd, _MAX_READ)
    finally:
        os.close(fd)


def read_stat(pid: int, proc: str = PROC) -> ProcessStat | None:
    """Return what ``/proc/PID/stat`` says; None when the process is gone or hidden."""
    try:
        raw = read_bytes(f"{proc}/{pid}/stat")
        opened, closed = raw.index(b"("), raw.rindex(b")")
        f = raw[closed + 2 :].split(b" ", 20)
        return ProcessStat(
            pid=pid,
            comm=raw[opened + 1 : closed].decode("utf-8", "replace"),
            state=f[0].decode("ascii"),
            ppid=int(f[1]),
            pgrp=int(f[2]),
            session=int(f[3]),
            tty=int(f[4]) & 0xFFFFFFFF,
            tpgid=int(f[5]),
            n_threads=int(f[17]),
            start_ticks=int(f[19]),
        )
    except (OSError, ValueError, IndexError):
        return None


def start_ticks(pid: int, proc: str = PROC) -> int | None:
    """Return when *pid* started, in clock ticks after boot; None when not known."""
    stat = read_stat(pid, proc)
    return None if stat is None else stat.start_ticks


def tty_number(device: int) -> int:
    """Return a device's ``st_rdev`` in the encoding of ``/proc/PID/stat``."""
    major, minor = os.major(device), os.minor(device)
    return (minor & 0xFF) | (major << 8) | ((minor & ~0xFF) << 12)


class _Known(NamedTuple):
    inode: int
    ppid: int
    tty: int


class Related(NamedTuple):
    """Processes that have to do with one pane."""

    stats: dict[int, ProcessStat]
    """The pane's process, its descendants and others on its terminal, by pid."""
    descendants: frozenset[int]
    """Those that descend from the pane's process."""
    complete: bool
    """False when there were more than `MAX_RELATED`."""


def descendants_of(roots: Iterable[int], stats: Mapping[int, ProcessStat]) -> frozenset[int]:
    """Return *roots* and all that descends from them, as far as *stats* tells."""
    children: dict[int, list[int]] = {}
    for stat in stats.values():
        children.setdefault(stat.ppid, []).append(stat.pid)
    inside = set(roots)
    waiting = list(inside)
    while waiting:
        for pid in children.get(waiting.pop(), ()):
            if pid not in inside:
                inside.add(pid)
                waiting.append(pid)
    return frozenset(inside)


class ProcessTable:
    """Finds a pane's processes without reading every process each time.

    Where the kernel has ``/proc/PID/task/TID/children`` that is walked. Else a
    table is kept of all processes as first seen, keyed by pid and procfs inode (a
    recycled pid gets another inode). Only new ones are read; and ``/proc`` is listed
    only when the kernel's *last pid* says that something was started since. One
    table serves all panes and may be used from several threads.

    With ``children`` files, of the processes on the terminal that do not descend
    from the pane's only the leader of the foreground group is found.

    Args:
        proc: Where procfs is mounted.
        children_files: Use those files; None uses them where they are.

    """

    def __init__(self, proc: str = PROC, *, children_files: bool | None = None) -> None:
        self._proc = proc
        self._lock = threading.Lock()
        self._known: dict[int, _Known] = {}
        self._children: dict[int, set[int]] = {}
        self._on_tty: dict[int, set[int]] = {}
        self._last_pid = b""
        self._listed_s = 0.0
        self._settled = False
        if children_files is None:
            thread = f"{proc}/self/task/{threading.get_native_id()}"
            children_files = os.path.exists(f"{thread}/children")
        self._has_children_files = children_files
        # last pid is ours, a listing may be of another pid namespace
        self._own_namespace = _points_at(f"{proc}/self", str(os.getpid()))

    def related(self, pane: ProcessStat, tty: int, now_s: float) -> Related:
        """Return *pane* itself, its descendants, and others on its terminal.

        Args:
            pane: The pane's own process, just read.
            tty: Number of its terminal.
            now_s: Monotonic seconds.

        """
        if self._has_children_files:
            stats = self._walk_children_files(pane)
        else:
            with self._lock:
                self._refresh(now_s)
                stats = self._walk_table(pane, tty)
        descendants = descendants_of({pane.pid}, stats)
        return Related(
            stats={p: s for p, s in stats.items() if p in descendants or s.tty == tty},
            descendants=descendants - {pane.pid},
            complete=len(stats) < MAX_RELATED,
        )

    def _walk_children_files(self, pane: ProcessStat) -> dict[int, ProcessStat]:
        found = {pane.pid: pane}
        waiting = [pane]
        if pane.tpgid > 0 and pane.tpgid != pane.pid:
            leader = read_stat(pane.tpgid, self._proc)
            if leader is not None:
                found[leader.pid] = leader
                waiting.append(leader)
        while waiting and len(found) < MAX_RELATED:
            for pid in self._children_of(waiting.pop()):
                if pid in found or len(found) >= MAX_RELATED:
                    continue
                stat = read_stat(pid, self._proc)
                if stat is not None:
                    found[pid] = stat
                    waiting.append(stat)
        return found

    def _children_of(self, parent: ProcessStat) -> Iterator[int]:
        task = f"{self._proc}/{parent.pid}/task"
        try:
            tids = [str(parent.pid)] if parent.n_threads == 1 else os.listdir(task)
        except OSError:
            return
        for tid in tids:
            try:
                yield from map(int, read_bytes(f"{task}/{tid}/children").split())
            except OSError:
                continue

    def _refresh(self, now_s: float) -> None:
        try:
            last_pid = read_bytes(f"{self._proc}/loadavg").rsplit(None, 1)[-1]
        except (OSError, IndexError):
            last_pid = b""
        same = bool(last_pid) and last_pid == self._last_pid
        if same and self._settled and self._own_namespace:
            return
        # A pid is counted a moment before it shows: list once more a little later.
        self._settled = same and now_s - self._listed_s >= _SETTLE_S
        if not same:
            self._last_pid, self._listed_s = last_pid, now_s
        self._list()

    def _list(self) -> None:
        seen: set[int] = set()
        known = self._known
        try:
            with os.scandir(self._proc) as entries:
                for entry in entries:
                    name = entry.name
                    if not name.isdigit():
                        continue
                    pid, inode = int(name), entry.inode()
                    seen.add(pid)
                    old = known.get(pid)
                    if old is None or old.inode != inode:
                        self._learn(pid, inode)
        except OSError:
            return
        orphans: set[int] = set()
        for pid in known.keys() - seen:
            orphans |= self._children.get(pid, set())
            self._forget(pid)
        for pid in orphans & known.keys():
            self._learn(pid, known[pid].inode)

    def _learn(self, pid: int, inode: int) -> None:
        stat = read_stat(pid, self._proc)
        self._forget(pid)
        if stat is None:
            return
        self._known[pid] = _Known(inode, stat.ppid, stat.tty)
        self._children.setdefault(stat.ppid, set()).add(pid)
        if stat.tty:
            self._on_tty.setdefault(stat.tty, set()).add(pid)

    def _forget(self, pid: int) -> None:
        old = self._known.pop(pid, None)
        if old is None:
            return
        for index, key in ((self._children, old.ppid), (self._on_tty, old.tty)):
            members = index.get(key)
            if members is not None:
                members.discard(pid)
                if not members:
                    del index[key]

    def _walk_table(self, pane: ProcessStat, tty: int) -> dict[int, ProcessStat]:
        found = {pane.pid: pane}
        tried = {pane.pid}
        waiting = [*self._children.get(pane.pid, ()), *self._on_tty.get(tty, ())]
        while waiting and len(found) < MAX_RELATED:
            pid = waiting.pop()
            if pid in tried:
                continue
            tried.add(pid)
            # Who ended may have left children to a subreaper below the pane.
            waiting.extend(self._children.get(pid, ()))
            stat = read_stat(pid, self._proc)
            if stat is not None:
                found[pid] = stat
        return found


def _points_at(link: str, name: str) -> bool:
    try:
        return os.readlink(link) == name
    except OSError:
        return False
