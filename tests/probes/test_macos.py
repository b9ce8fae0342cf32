"""What ``ps`` and termios tell on macOS, with its output injected."""

import os
import pty
import sys
from collections.abc import Iterator, Sequence

import pytest

from panegate.panes.facts import KernelFact, ProbeLevel, TtyWait
from panegate.probes.macos import MacTerminalProbe, run_ps

L, W = ProbeLevel, TtyWait

SHELL = "  501   400   501   501 Ss+  -      -zsh\n"
SLEEP = (
    "  501   400   501   620 Ss   -      -zsh\n"
    "  620   501   620   620 S+   -      /bin/sleep \n"
    "  630   501   630   620 S    -      /usr/bin/some tool\n"
)


class Ps:
    """Prints what it is told and remembers how it was asked."""

    def __init__(self, output: str) -> None:
        self.output = output
        self.asked: list[Sequence[str]] = []

    def __call__(self, argv: Sequence[str]) -> str:
        self.asked.append(argv)
        return self.output


@pytest.fixture
def tty() -> Iterator[str]:
    master, slave = pty.openpty()
    yield os.ttyname(slave)
    os.close(master)
    os.close(slave)


def read(output: str, tty: str = "/dev/none", level: ProbeLevel = L.FULL) -> KernelFact:
    return MacTerminalProbe(tty, 501, level, run=Ps(output)).read(1.0)


def test_ps_is_asked_once_about_the_terminal(tty: str) -> None:
    ps = Ps(SHELL)
    MacTerminalProbe("/dev/ttys003", 501, L.FULL, run=ps).read(1.0)
    assert ps.asked == [
        ["/bin/ps", "-o", "pid=,ppid=,pgid=,tpgid=,stat=,wchan=,comm=", "-t", "ttys003"]
    ]


def test_a_shell_at_its_prompt_has_the_foreground(tty: str) -> None:
    assert read(SHELL, tty) == KernelFact(
        level=L.TERMIOS,
        echo=True,
        icanon=True,
        isig=True,
        foreground_pids=(501,),
        foreground_command="-zsh",
        pane_process_is_foreground=True,
        unread_bytes=0,
        at_s=1.0,
    )


def test_a_command_has_it_and_a_background_job_is_a_child() -> None:
    fact = read(SLEEP)
    assert (fact.foreground_pids, fact.foreground_command) == ((620,), "sleep")
    assert fact.pane_process_is_foreground is False
    assert fact.children == (630,)
    assert (fact.echo, fact.unread_bytes) == (None, None)


@pytest.mark.parametrize(
    ("wchan", "state", "wait", "level"),
    [
        ("ttyin", "S+", W.READ, L.WCHAN),
        ("-", "S+", W.UNKNOWN, L.TERMIOS),
        ("select", "S+", W.UNKNOWN, L.TERMIOS),
        ("kqread", "S+", W.UNKNOWN, L.TERMIOS),
        ("nanosleep", "S+", W.ABSENT, L.WCHAN),
        ("wait", "S+", W.ABSENT, L.WCHAN),
        ("-", "R+", W.ABSENT, L.WCHAN),
    ],
)
def test_a_wait_channel_is_used_where_it_is_named(
    wchan: str, state: str, wait: TtyWait, level: ProbeLevel
) -> None:
    line = f"501 400 501 501 {state} {wchan} cat\n"
    fact = read(line)
    assert (fact.wait, fact.level) == (wait, level)
    assert fact.reader_pid == (501 if wait is W.READ else None)
    assert read(line, level=L.TERMIOS).wait is W.UNKNOWN


def test_a_reader_behind_a_sleeping_leader_is_found() -> None:
    fact = read("501 400 501 501 Ss+ wait sh\n502 501 501 501 S+ ttyin cat\n")
    assert (fact.wait, fact.reader_pid, fact.reader_command) == (W.READ, 502, "cat")


def test_a_stopped_leader_is_told() -> None:
    assert read("501 400 501 501 Ts+ - vi\n").stopped
    assert not read(SLEEP).stopped


@pytest.mark.parametrize("output", ["", "garbage\n", "501 400 501 501 Z+ - (zsh)\n"])
def test_a_process_that_is_gone_leaves_everything_unknown(output: str, tty: str) -> None:
    assert read(output, tty) == KernelFact(level=L.TERMIOS, at_s=1.0)


def test_a_failing_ps_leaves_everything_unknown(tty: str) -> None:
    def fails(argv: Sequence[str]) -> str:
        raise OSError(argv[0])

    probe = MacTerminalProbe(tty, 501, L.FULL, run=fails)
    assert probe.read(1.0) == KernelFact(level=L.TERMIOS, at_s=1.0)


def test_level_none_asks_nobody(tty: str) -> None:
    ps = Ps(SHELL)
    fact = MacTerminalProbe(tty, 501, L.NONE, run=ps).read(1.0)
    assert (fact, ps.asked) == (KernelFact(level=L.NONE, at_s=1.0), [])


def test_the_runner_returns_output_and_turns_failures_into_oserror() -> None:
    assert run_ps([sys.executable, "-c", "print('x')"]) == "x\n"
    with pytest.raises(OSError, match="exit status 3"):
        run_ps([sys.executable, "-c", "raise SystemExit(3)"])
    with pytest.raises(FileNotFoundError):
        run_ps(["/does/not/exist"])
