"""Chooses the terminal probe for this system."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING

from panegate.panes.facts import ProbeLevel
from panegate.probes.base import NoProbe
from panegate.probes.levels import available_level, lower
from panegate.probes.linux import TerminalProbe
from panegate.probes.macos import MacTerminalProbe
from panegate.probes.procfs import ProcessTable

if TYPE_CHECKING:
    from panegate.probes.base import Probe

__all__ = ["open_probe"]


@functools.cache
def _host_table() -> ProcessTable:
    """Return the one process table of this host."""
    return ProcessTable()


def open_probe(tty: str, pane_pid: int, level: ProbeLevel, *, system: str = sys.platform) -> Probe:
    """Return a probe of the local pane with terminal *tty* and process *pane_pid*.

    Never raises and holds nothing open: it may be dropped at any time.

    Args:
        tty: ``#{pane_tty}``; "" gives a probe that knows nothing.
        pane_pid: ``#{pane_pid}``.
        level: The most to use; it is lowered to what the system offers.
        system: As `sys.platform`.

    """
    if system == "darwin":
        reachable = level
    else:
        reachable = lower(level, available_level(system=system))
    if reachable is ProbeLevel.NONE or not tty or pane_pid <= 0:
        return NoProbe()
    if system == "darwin":
        return MacTerminalProbe(tty, pane_pid, reachable)
    return TerminalProbe(tty, pane_pid, reachable, table=_host_table())
