"""The probe fits the system, and there is always one."""

import os
import pty
import sys

import pytest

from panegate.panes.facts import KernelFact, ProbeLevel, TtyWait
from panegate.probes.base import NoProbe
from panegate.probes.factory import open_probe
from panegate.probes.linux import TerminalProbe
from panegate.probes.macos import MacTerminalProbe

L = ProbeLevel


def test_no_probe_knows_nothing() -> None:
    probe = NoProbe()
    assert probe.read(3.0) == KernelFact(level=L.NONE, wait=TtyWait.UNKNOWN, at_s=3.0)
    assert (probe.level, probe.blocking) == (L.NONE, False)


@pytest.mark.parametrize(
    ("tty", "pid", "level", "system"),
    [
        ("/dev/pts/0", 1, L.NONE, "linux"),
        ("/dev/ttys000", 1, L.NONE, "darwin"),
        ("", 1, L.FULL, "linux"),
        ("/dev/pts/0", 0, L.FULL, "linux"),
        ("/dev/pts/0", 1, L.FULL, "sunos5"),
    ],
)
def test_nothing_to_look_at_gives_no_probe(
    tty: str, pid: int, level: ProbeLevel, system: str
) -> None:
    assert isinstance(open_probe(tty, pid, level, system=system), NoProbe)


def test_macos_gets_its_own_probe_which_blocks() -> None:
    probe = open_probe("/dev/ttys003", 7, L.FULL, system="darwin")
    assert isinstance(probe, MacTerminalProbe)
    assert probe.blocking


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux")
@pytest.mark.parametrize("level", [L.FULL, L.WCHAN, L.TERMIOS])
def test_linux_gets_a_probe_of_at_most_that_level(level: ProbeLevel) -> None:
    master, slave = pty.openpty()
    probe = open_probe(os.ttyname(slave), os.getpid(), level)
    assert isinstance(probe, TerminalProbe)
    assert (probe.level, probe.blocking) == (level, False)
    assert probe.read(1.0).echo is True
    os.close(master)
    os.close(slave)
