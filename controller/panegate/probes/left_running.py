"""What a program left running in its terminal when it ended."""

from __future__ import annotations

import os

from panegate.probes.procfs import PROC, read_bytes, read_stat

__all__ = ["left_running"]

_MAX_NAMED = 3
_MAX_CHARS = 60


def left_running(pid: int) -> tuple[str, ...]:
    """Return the living processes of a session by its leader, who may have ended.

    Each as its command line and process id, at most three; nothing where there is no procfs.
    Daemons that began a session of their own are not in it.

    Args:
        pid: The session's leader: the process that tmux started in a pane.

    """
    found: list[str] = []
    try:
        names = os.listdir(PROC)
    except OSError:
        return ()
    for name in names:
        if not name.isdigit() or int(name) == pid:
            continue
        stat = read_stat(int(name))
        if stat is None or stat.session != pid or not stat.alive:
            continue
        try:
            line = read_bytes(f"{PROC}/{name}/cmdline")
        except OSError:
            continue
        words = line.replace(b"\0", b" ").decode("utf-8", "replace").strip() or stat.comm
        found.append(f"{words[:_MAX_CHARS]} (process {name})")
        if len(found) == _MAX_NAMED:
            break
    return tuple(found)
