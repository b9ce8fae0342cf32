"""The processes below a pane's own, with the times they started."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from panegate.probes.procfs import PROC, ProcessTable, read_bytes, read_stat
from panegate.session.claims import Child

__all__ = ["PS", "boot_wall_s", "children_of", "parse_ps"]

PS: Final = ("ps", "-Ao", "pid=,ppid=,etime=,comm=")
"""What tells all of it on any system; understood by `parse_ps`."""
_AGE: Final = re.compile(r"(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+)")


def children_of(
    pane_pid: int,
    table: ProcessTable | None = None,
    *,
    run: Callable[[Sequence[str]], str] | None = None,
) -> tuple[Child, ...]:
    """Return the descendants of a pane's process on this host.

    Reads procfs on Linux, else runs `PS` once (milliseconds: use a worker thread).

    Args:
        pane_pid: The pane's own process; it is not among them.
        table: Kept between calls where ``/proc`` has no ``children`` files.
        run: Returns what a command prints.

    """
    if sys.platform.startswith("linux") and run is None:
        return _from_procfs(pane_pid, table or ProcessTable())
    printed = (run or _run)(PS)
    return parse_ps(printed.splitlines(), pane_pid, now_s=time.time())


def parse_ps(rows: Iterable[str], pane_pid: int, *, now_s: float) -> tuple[Child, ...]:
    """Return the descendants of a pane's process in what `PS` printed.

    Args:
        rows: Its rows; what is no row of it is left out.
        pane_pid: The pane's own process.
        now_s: Wall seconds at which it ran, by the clock of that host.

    """
    found: dict[int, Child] = {}
    for row in rows:
        fields = row.split(None, 3)
        age_s = _age_s(fields[2]) if len(fields) == 4 else None
        if age_s is None or not (fields[0].isdigit() and fields[1].isdigit()):
            continue
        command = fields[3].rsplit("/", 1)[-1].lstrip("-")
        pid, ppid = int(fields[0]), int(fields[1])
        found[pid] = Child(pid=pid, ppid=ppid, command=command, started_s=now_s - age_s)
    return tuple(found[pid] for pid in sorted(_below(pane_pid, found.values())))


def boot_wall_s(proc: str = PROC) -> float | None:
    """Return the wall time at which the host's uptime was zero; None when not known."""
    try:
        return time.time() - float(read_bytes(f"{proc}/uptime").split()[0])
    except (OSError, ValueError, IndexError):
        return None


def _from_procfs(pane_pid: int, table: ProcessTable) -> tuple[Child, ...]:
    pane, boot_s = read_stat(pane_pid), boot_wall_s()
    if pane is None or boot_s is None:
        return ()
    ticks = os.sysconf("SC_CLK_TCK")
    related = table.related(pane, pane.tty, time.monotonic())
    stats = (related.stats[pid] for pid in sorted(related.descendants) if pid in related.stats)
    return tuple(
        Child(
            pid=stat.pid,
            ppid=stat.ppid,
            command=stat.comm,
            started_s=boot_s + stat.start_ticks / ticks,
        )
        for stat in stats
        if stat.alive
    )


def _below(root: int, known: Iterable[Child]) -> set[int]:
    by_parent: dict[int, list[int]] = {}
    for child in known:
        by_parent.setdefault(child.ppid, []).append(child.pid)
    found: set[int] = set()
    waiting = [root]
    while waiting:
        for pid in by_parent.get(waiting.pop(), ()):
            if pid not in found and pid != root:
                found.add(pid)
                waiting.append(pid)
    return found


def _age_s(text: str) -> float | None:
    """Read ``[[days-]hours:]minutes:seconds``."""
    found = _AGE.fullmatch(text)
    if found is None:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return float(((days * 24 + hours) * 60 + minutes) * 60 + seconds)


def _run(argv: Sequence[str]) -> str:
    try:
        done = subprocess.run(argv, capture_output=True, check=False, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace")
