"""The probe of one terminal: who has the foreground, what runs beside it, what is gone."""

import os
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from classic_programs import BY_NAME, Program, observe, python, started
from pane_terminal import Terminal

from panegate.panes.facts import KernelFact, ProbeLevel, TtyWait
from panegate.probes import procfs, waits
from panegate.probes.levels import available_level
from panegate.probes.linux import TerminalProbe
from panegate.probes.terminal import TerminalReading, read_terminal

pytestmark = pytest.mark.skipif(
    available_level() is not ProbeLevel.FULL, reason="needs Linux with /proc/PID/syscall"
)


TABLES = {None: procfs.ProcessTable(), False: procfs.ProcessTable(children_files=False)}


def until(terminal: Terminal, seen: Callable[[KernelFact], bool]) -> KernelFact:
    """Read until *seen*: what another process does next gives no event here."""
    table = TABLES[terminal.children_files]
    probe = TerminalProbe(terminal.tty, terminal.pid, ProbeLevel.FULL, table=table)
    end_s = time.monotonic() + 10
    while not seen(fact := probe.read(time.monotonic())):
        assert time.monotonic() < end_s, fact
        terminal.drain(0.005)
    return fact


@pytest.fixture(params=TABLES, ids=["as the kernel has it", "without children files"])
def shell(request: pytest.FixtureRequest) -> Iterator[Terminal]:
    with started(BY_NAME["bash at its prompt"]) as terminal:
        terminal.children_files = request.param
        yield terminal


def test_a_background_job_is_a_child_and_not_in_the_foreground(shell: Terminal) -> None:
    assert observe(shell, ProbeLevel.FULL)[0].children == ()
    shell.type("sleep 1000 &\r")
    fact = until(shell, lambda fact: len(fact.children) == 1 and fact.wait is TtyWait.SELECT)
    assert fact.pane_process_is_foreground is True
    assert fact.foreground_pids == (shell.pid,)
    assert fact.foreground_command == "bash"


def test_a_command_takes_the_foreground_and_gives_it_back(shell: Terminal) -> None:
    shell.type("cat\r")
    fact = until(shell, lambda fact: fact.foreground_command == "cat")
    assert fact.pane_process_is_foreground is False
    assert shell.pid not in fact.foreground_pids
    assert fact.children == ()
    shell.type("\x04")
    until(shell, lambda fact: fact.pane_process_is_foreground is True)


def test_all_members_of_a_pipeline_are_told_leader_first(shell: Terminal) -> None:
    shell.type("sleep 1000 | sleep 1001 | sleep 1002\r")
    fact = until(shell, lambda fact: len(fact.foreground_pids) == 3)
    assert fact.foreground_pids[0] == shell.foreground()


def test_a_tool_in_a_session_of_its_own_is_a_child(shell: Terminal) -> None:
    shell.type("setsid -w sleep 1000 </dev/null >/dev/null 2>&1 &\r")
    until(shell, lambda fact: len(fact.children) == 2 and fact.wait is TtyWait.SELECT)


def test_a_stopped_job_leaves_the_shell_in_the_foreground(shell: Terminal) -> None:
    shell.type("cat\r")
    shell.wait_for_foreground("cat")
    shell.type("\x1a")
    fact = until(shell, lambda fact: fact.wait is TtyWait.SELECT)
    assert (fact.stopped, len(fact.children)) == (False, 1)


def test_a_program_stopped_from_outside_says_so_and_does_not_wait() -> None:
    with started(BY_NAME["read -p"]) as terminal:
        os.kill(terminal.pid, signal.SIGSTOP)
        fact = until(terminal, lambda fact: fact.stopped)
        assert fact.wait is TtyWait.ABSENT
        os.kill(terminal.pid, signal.SIGCONT)
        until(terminal, lambda fact: fact.wait is TtyWait.READ)


def test_a_reader_stopped_under_a_wrapper_that_goes_on_says_so(shell: Terminal) -> None:
    shell.type("sh -c 'cat; true'\r")
    fact = until(shell, lambda fact: fact.wait is TtyWait.READ and fact.reader_command == "cat")
    assert fact.reader_pid is not None
    os.kill(fact.reader_pid, signal.SIGSTOP)
    until(shell, lambda fact: fact.stopped and fact.wait is TtyWait.ABSENT)
    os.kill(fact.reader_pid, signal.SIGCONT)
    until(shell, lambda fact: not fact.stopped and fact.wait is TtyWait.READ)


@pytest.mark.parametrize(("n_stale", "wait"), [(1, TtyWait.SELECT), (99, TtyWait.ABSENT)])
def test_a_mode_that_changes_during_the_read_is_never_joined_with_a_later_wait(
    shell: Terminal, monkeypatch: pytest.MonkeyPatch, n_stale: int, wait: TtyWait
) -> None:
    """A program leaves line mode right before it waits: "a line is read" would be wrong."""
    until(shell, lambda fact: fact.wait is TtyWait.SELECT)
    modes: list[bool] = []

    def changing(path: str, device: int | None = None) -> TerminalReading:
        modes.append(len(modes) < n_stale and len(modes) % 2 == 0)
        return read_terminal(path, device)._replace(icanon=modes[-1])

    monkeypatch.setattr("panegate.probes.linux.read_terminal", changing)
    fact = TerminalProbe(shell.tty, shell.pid, ProbeLevel.FULL).read(0.0)
    assert (fact.icanon, fact.wait) == (modes[-1], wait)


def test_a_poll_resumed_after_a_stop_is_still_seen() -> None:
    """The kernel then shows the number of restart_syscall in place of poll's."""
    code = "import select; p=select.poll(); p.register(0,1); print('GO'); p.poll()"
    polls = Program(
        name="poll",
        argv=python(code),
        text="GO",
        at_terminal=True,
        full={TtyWait.SELECT},
        modes=None,
    )
    with started(polls) as terminal:
        os.kill(terminal.pid, signal.SIGSTOP)
        until(terminal, lambda fact: fact.stopped)
        os.kill(terminal.pid, signal.SIGCONT)
        until(terminal, lambda fact: fact.wait is TtyWait.SELECT)
        assert Path(f"/proc/{terminal.pid}/syscall").read_text().split()[0] in ("219", "128")


def test_an_endless_timeout_by_address_counts_as_none() -> None:
    code = "import select; print('GO'); select.select([0],[],[],10**8)"
    selects = Program(
        name="select",
        argv=python(code),
        text="GO",
        at_terminal=True,
        full={TtyWait.SELECT},
        modes=None,
    )
    with started(selects) as terminal:
        assert observe(terminal, ProbeLevel.FULL)[0].wait is TtyWait.SELECT


@pytest.mark.skipif(os.getuid() != 0, reason="su asks for a password")
@pytest.mark.skipif(shutil.which("su") is None, reason="su is not installed")
def test_the_reader_behind_su_is_found() -> None:
    """``su -c`` gives its command a session without a controlling terminal."""
    argv = ["su", "nobody", "-s", "/bin/sh", "-c", "echo GO; cat; :"]
    terminal = Terminal(argv)
    try:
        fact = until(terminal, lambda fact: fact.wait is TtyWait.READ)
        assert fact.reader_command == "cat"
        assert fact.foreground_command == "su"
    finally:
        terminal.close()


def test_a_program_that_holds_another_terminal_relays_and_proves_nothing() -> None:
    """Blocked in read() of ours while the program behind it does anything."""
    code = "import os,pty; m,s=pty.openpty(); print('GO'); os.read(0,1)"
    relay = Program(
        name="relay",
        argv=python(code),
        text="GO",
        at_terminal=True,
        full={TtyWait.EVENT_LOOP},
        modes=None,
    )
    with started(relay) as terminal:
        assert observe(terminal, ProbeLevel.FULL)[0].wait is TtyWait.EVENT_LOOP


def test_a_main_thread_that_ended_does_not_hide_the_others() -> None:
    code = (
        "import ctypes,os,threading; print('GO');"
        "threading.Thread(target=os.read,args=(0,1)).start();"
        "ctypes.CDLL(None).pthread_exit(None)"
    )
    terminal = Terminal(python(code))
    try:
        fact = until(terminal, lambda fact: fact.wait is TtyWait.READ)
        assert fact.foreground_pids == (terminal.pid,)
    finally:
        terminal.close()


def test_refused_syscalls_fall_back_to_wchan(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with yama's ptrace_scope, which refuses ``syscall`` but not ``wchan``."""

    def refused(path: str) -> bytes:
        if path.endswith("/syscall"):
            raise PermissionError(path)
        return procfs.read_bytes(path)

    monkeypatch.setattr(waits, "read_bytes", refused)
    with started(BY_NAME["bash, cat"]) as terminal:
        fact = observe(terminal, ProbeLevel.FULL)[0]
    assert (fact.level, fact.wait) == (ProbeLevel.WCHAN, TtyWait.READ)


def test_an_unknown_machine_lowers_the_level(shell: Terminal) -> None:
    probe = TerminalProbe(shell.tty, shell.pid, ProbeLevel.FULL, machine="riscv64")
    assert probe.level is ProbeLevel.WCHAN
    assert probe.read(0.0).wait is TtyWait.UNKNOWN


def test_unread_input_is_counted() -> None:
    """Line mode counts complete lines only; raw mode counts every byte."""
    with started(BY_NAME["bash, sleep"]) as terminal:
        assert observe(terminal, ProbeLevel.FULL)[0].unread_bytes == 0
        terminal.type("abc")
        terminal.wait_for_text("abc")
        assert observe(terminal, ProbeLevel.FULL)[0].unread_bytes == 0
        terminal.type("d\n")
        terminal.wait_for_text("abcd")
        assert until(terminal, lambda fact: bool(fact.unread_bytes)).unread_bytes == 5


def test_a_process_that_is_gone_leaves_everything_unknown() -> None:
    with started(BY_NAME["read -p"]) as terminal:
        probe = TerminalProbe(terminal.tty, terminal.pid, ProbeLevel.FULL)
        os.kill(terminal.pid, signal.SIGKILL)
        os.waitid(os.P_PID, terminal.pid, os.WEXITED | os.WNOWAIT)
        zombie = probe.read(1.0)
        os.waitpid(terminal.pid, 0)
        assert zombie == probe.read(1.0) == KernelFact(level=ProbeLevel.FULL, at_s=1.0)


def test_a_pid_that_another_process_got_reads_as_gone(
    shell: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    probe = TerminalProbe(shell.tty, shell.pid, ProbeLevel.FULL)
    real = procfs.read_stat

    def recycled(pid: int, proc: str = procfs.PROC) -> procfs.ProcessStat | None:
        stat = real(pid, proc)
        return None if stat is None else stat._replace(start_ticks=stat.start_ticks + 1)

    monkeypatch.setattr("panegate.probes.linux.read_stat", recycled)
    assert probe.read(1.0) == KernelFact(level=ProbeLevel.FULL, at_s=1.0)


def test_a_terminal_path_that_is_gone_leaves_modes_and_wait_unknown(shell: Terminal) -> None:
    fact = TerminalProbe("/dev/pts/999999", shell.pid, ProbeLevel.FULL).read(1.0)
    assert (fact.echo, fact.wait, fact.unread_bytes) == (None, TtyWait.UNKNOWN, None)
    assert fact.foreground_pids == (shell.pid,)


def test_nothing_stays_open_between_reads(shell: Terminal) -> None:
    """A slave kept open would outlive its pane and get the next one's bytes."""
    probe = TerminalProbe(shell.tty, shell.pid, ProbeLevel.FULL)
    before = os.listdir("/proc/self/fd")
    probe.read(1.0)
    assert os.listdir("/proc/self/fd") == before
    assert all(not _is(fd, shell.tty) for fd in before)


def _is(fd: str, path: str) -> bool:
    try:
        return os.readlink(f"/proc/self/fd/{fd}") == path
    except OSError:
        return False


def test_racing_with_processes_that_come_and_go_never_raises(shell: Terminal) -> None:
    shell.type("for i in {1..300}; do /bin/true | /bin/true & done; wait; echo DO''NE\r")
    table = TABLES[shell.children_files]
    probe = TerminalProbe(shell.tty, shell.pid, ProbeLevel.FULL, table=table)
    n = 0
    while b"DONE" not in shell.seen:
        probe.read(time.monotonic())
        shell.drain(0)
        n += 1
    assert n > 10


@pytest.fixture
def socket_name() -> Iterator[str]:
    name = f"panegate-probe-{os.getpid()}"
    yield name
    subprocess.run(["tmux", "-L", name, "kill-server"], capture_output=True, check=False)
    Path(f"/tmp/tmux-{os.getuid()}/{name}").unlink(missing_ok=True)


@pytest.mark.tmux
def test_a_tmux_pane_is_read_and_dies_as_if_unread(socket_name: str) -> None:
    def tmux(*words: str) -> str:
        argv = ["tmux", "-u", "-L", socket_name, "-f", "/dev/null", *words]
        return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip()

    tmux("new-session", "-d", "-s", "p", "cat", ";", "set", "-g", "remain-on-exit", "on")
    tty, pid = tmux("display-message", "-p", "-t", "p", "#{pane_tty} #{pane_pid}").split()
    probe = TerminalProbe(tty, int(pid), ProbeLevel.FULL)
    end_s = time.monotonic() + 10
    while (fact := probe.read(time.monotonic())).wait is not TtyWait.READ:
        assert time.monotonic() < end_s, fact
    assert (fact.foreground_command, fact.pane_process_is_foreground) == ("cat", True)
    ended = os.pidfd_open(int(pid))
    tmux("send-keys", "-t", "p", "C-d")
    assert select.select([ended], [], [], 10)[0]
    os.close(ended)
    while tmux("display-message", "-p", "-t", "p", "#{pane_dead}") != "1":
        assert time.monotonic() < end_s + 10
    assert probe.read(1.0) == KernelFact(level=ProbeLevel.FULL, at_s=1.0)
