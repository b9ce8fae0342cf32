"""A terminal tells its modes and its queue, or nothing."""

import os
import pty
import termios
import tty
from collections.abc import Iterator

import pytest

from panegate.probes.terminal import UNREADABLE, read_terminal

ECHO, ICANON, ISIG = termios.ECHO, termios.ICANON, termios.ISIG


@pytest.fixture
def pair() -> Iterator[tuple[int, int, str]]:
    master, slave = pty.openpty()
    yield master, slave, os.ttyname(slave)
    os.close(master)
    os.close(slave)


@pytest.mark.parametrize("cleared", [0, ECHO, ICANON, ISIG, ECHO | ICANON | ISIG])
def test_modes_are_told(pair: tuple[int, int, str], cleared: int) -> None:
    _, slave, path = pair
    modes = termios.tcgetattr(slave)
    modes[3] &= ~cleared
    termios.tcsetattr(slave, termios.TCSANOW, modes)
    reading = read_terminal(path)
    assert reading.echo is not bool(cleared & ECHO)
    assert reading.icanon is not bool(cleared & ICANON)
    assert reading.isig is not bool(cleared & ISIG)


def test_a_full_queue_tells_4095_bytes_at_most(pair: tuple[int, int, str]) -> None:
    """What the terminal takes beyond that waits in front of the queue, unseen."""
    master, slave, path = pair
    tty.setraw(slave, termios.TCSANOW)
    os.set_blocking(master, False)
    taken = 0
    try:
        for _ in range(100):
            taken += os.write(master, b"z" * 1000)
    except BlockingIOError:
        pass
    while (unread := read_terminal(path).unread_bytes or 0) < 4000:
        assert unread >= 0
    assert unread <= 4095 < taken


def test_looking_reads_no_input(pair: tuple[int, int, str]) -> None:
    master, slave, path = pair
    os.write(master, b"line\n")
    for _ in range(3):
        read_terminal(path)
    assert os.read(slave, 100) == b"line\n"


def test_another_device_at_that_path_is_not_believed(pair: tuple[int, int, str]) -> None:
    _, slave, path = pair
    device = os.fstat(slave).st_rdev
    assert read_terminal(path, device) != UNREADABLE
    assert read_terminal(path, device + 1) == UNREADABLE


@pytest.mark.parametrize("path", ["/dev/pts/999999", "/dev/null", ""])
def test_what_is_no_terminal_tells_nothing(path: str) -> None:
    assert read_terminal(path) == UNREADABLE


def test_a_terminal_whose_controlling_side_is_gone_tells_nothing() -> None:
    master, slave = pty.openpty()
    path = os.ttyname(slave)
    os.close(master)
    assert read_terminal(path) == UNREADABLE
    os.close(slave)
