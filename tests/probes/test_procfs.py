"""Process stats are parsed, and the table finds a pane's processes as they come and go."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from panegate.probes import procfs
from panegate.probes.procfs import (
    ProcessStat,
    ProcessTable,
    descendants_of,
    read_stat,
    start_ticks,
    tty_number,
)

TTY = 0x8803  # /dev/pts/3


class FakeProc:
    """A directory that looks like procfs as far as the table reads it."""

    def __init__(self, root: Path, *, children_files: bool) -> None:
        self.root = root
        self._children_files = children_files
        self._last = 0
        (root / "self").symlink_to(str(os.getpid()))
        self.add(os.getpid(), ppid=1)

    def add(
        self,
        pid: int,
        *,
        ppid: int,
        tty: int = 0,
        pgrp: int | None = None,
        tpgid: int = -1,
        comm: str = "x",
        state: str = "S",
    ) -> None:
        task = self.root / str(pid) / "task" / str(pid)
        task.mkdir(parents=True, exist_ok=True)
        rest = [state, ppid, pid if pgrp is None else pgrp, pid, tty, tpgid, *[0] * 11, 1, 0, 77]
        line = f"{pid} ({comm}) {' '.join(map(str, rest))} 0 0\n"
        (self.root / str(pid) / "stat").write_text(line)
        if self._children_files:
            (task / "children").write_text("")
            parent = self.root / str(ppid) / "task" / str(ppid) / "children"
            if parent.exists():
                parent.write_text(f"{parent.read_text()}{pid} ")
        self._last += 1
        (self.root / "loadavg").write_text(f"0.00 0.00 0.00 1/9 {self._last}\n")

    def remove(self, pid: int) -> None:
        os.rename(self.root / str(pid), self.root / f"gone-{pid}")


@pytest.fixture(params=[False, True], ids=["table", "children files"])
def proc(request: pytest.FixtureRequest, tmp_path: Path) -> FakeProc:
    return FakeProc(tmp_path, children_files=request.param)


def related(table: ProcessTable, fake: FakeProc, now_s: float = 0.0) -> set[int]:
    pane = read_stat(100, str(fake.root))
    assert pane is not None
    found = table.related(pane, TTY, now_s)
    assert found.complete
    return set(found.stats)


def test_a_stat_line_with_brackets_and_spaces_in_the_name_is_parsed(tmp_path: Path) -> None:
    fake = FakeProc(tmp_path, children_files=False)
    fake.add(100, ppid=7, tty=TTY, pgrp=99, tpgid=98, comm="a) R (b c")
    assert read_stat(100, str(tmp_path)) == ProcessStat(
        100, "a) R (b c", "S", 7, 99, 100, TTY, 98, 1, 77
    )


@pytest.mark.parametrize("text", ["", "100", "100 (x) S 1", "100 (x) S a b c"])
def test_a_broken_stat_line_reads_as_gone(tmp_path: Path, text: str) -> None:
    (tmp_path / "100").mkdir()
    (tmp_path / "100" / "stat").write_text(text)
    assert read_stat(100, str(tmp_path)) is None
    assert read_stat(101, str(tmp_path)) is None


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs procfs")
def test_our_own_stat_agrees_with_the_system() -> None:
    stat = read_stat(os.getpid())
    assert stat is not None
    assert (stat.ppid, stat.pgrp, stat.session) == (os.getppid(), os.getpgrp(), os.getsid(0))
    assert start_ticks(os.getpid()) == stat.start_ticks
    assert start_ticks(2**22) is None


def test_terminal_numbers_are_encoded_as_in_stat() -> None:
    assert tty_number(os.makedev(136, 3)) == TTY
    assert tty_number(os.makedev(136, 0x1FF)) == 0x1088FF


def test_descendants_are_found_and_strangers_are_not(proc: FakeProc) -> None:
    proc.add(100, ppid=1, tty=TTY)
    proc.add(101, ppid=100, tty=TTY)
    proc.add(102, ppid=101)
    proc.add(200, ppid=1)
    proc.add(201, ppid=200)
    assert related(ProcessTable(str(proc.root)), proc) == {100, 101, 102}


def test_an_orphan_that_leads_the_foreground_is_found_but_no_descendant(proc: FakeProc) -> None:
    proc.add(100, ppid=1, tty=TTY, tpgid=150)
    proc.add(150, ppid=1, tty=TTY)
    pane = read_stat(100, str(proc.root))
    assert pane is not None
    found = ProcessTable(str(proc.root)).related(pane, TTY, 0.0)
    assert set(found.stats) == {100, 150}
    assert found.descendants == frozenset()


def test_processes_that_start_and_end_between_reads_are_noticed(proc: FakeProc) -> None:
    proc.add(100, ppid=1, tty=TTY)
    table = ProcessTable(str(proc.root))
    assert related(table, proc, 0.0) == {100}
    assert related(table, proc, 1.0) == {100}
    proc.add(101, ppid=100, tty=TTY)
    proc.add(102, ppid=101)
    assert related(table, proc, 2.0) == {100, 101, 102}
    proc.remove(102)
    assert related(table, proc, 3.0) == {100, 101}


def test_a_grandchild_given_to_init_is_no_descendant_any_more(tmp_path: Path) -> None:
    fake = FakeProc(tmp_path, children_files=False)
    fake.add(100, ppid=1, tty=TTY)
    fake.add(101, ppid=100)
    fake.add(102, ppid=101)
    table = ProcessTable(str(tmp_path))
    assert related(table, fake, 0.0) == {100, 101, 102}
    fake.remove(101)
    fake.add(102, ppid=1)
    assert related(table, fake, 1.0) == {100}


def test_a_grandchild_given_to_a_subreaper_below_the_pane_stays(tmp_path: Path) -> None:
    fake = FakeProc(tmp_path, children_files=False)
    fake.add(100, ppid=1, tty=TTY)
    fake.add(101, ppid=100)
    fake.add(102, ppid=101)
    table = ProcessTable(str(tmp_path))
    related(table, fake, 0.0)
    fake.remove(101)
    fake.add(102, ppid=100)
    assert related(table, fake, 1.0) == {100, 102}


def test_that_is_seen_although_nothing_was_started(tmp_path: Path) -> None:
    fake = FakeProc(tmp_path, children_files=False)
    for pid in (100, 101, 102):
        fake.add(pid, ppid=pid - 1 if pid > 100 else 1)
    table = ProcessTable(str(tmp_path))
    for now_s in (0.0, 1.0, 2.0):
        assert related(table, fake, now_s) == {100, 101, 102}
    quiet = (tmp_path / "loadavg").read_text()
    fake.remove(101)
    fake.add(102, ppid=100)
    (tmp_path / "loadavg").write_text(quiet)
    assert related(table, fake, 3.0) == {100, 102}


def test_more_processes_than_the_limit_are_said_to_be_incomplete(
    proc: FakeProc, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(procfs, "MAX_RELATED", 10)
    proc.add(100, ppid=1, tty=TTY)
    for pid in range(1000, 1010):
        proc.add(pid, ppid=100)
    pane = read_stat(100, str(proc.root))
    assert pane is not None
    found = ProcessTable(str(proc.root)).related(pane, TTY, 0.0)
    assert not found.complete
    assert len(found.stats) == 10


def test_a_loop_of_parents_ends() -> None:
    stats = {
        pid: ProcessStat(pid, "x", "S", ppid, 1, 1, 0, -1, 1, 1) for pid, ppid in ((2, 3), (3, 2))
    }
    assert descendants_of({2}, stats) == {2, 3}


@pytest.fixture
def listings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every directory that the module lists."""
    seen: list[str] = []
    real = os.scandir

    def scandir(path: str) -> object:
        seen.append(path)
        return real(path)

    monkeypatch.setattr(procfs.os, "scandir", scandir)
    return seen


def test_procfs_is_not_listed_again_while_nothing_was_started(
    tmp_path: Path, listings: list[str]
) -> None:
    """It is listed twice: a new pid is counted a moment before it shows."""
    fake = FakeProc(tmp_path, children_files=False)
    fake.add(100, ppid=1, tty=TTY)
    table = ProcessTable(str(tmp_path))
    related(table, fake, 0.0)
    related(table, fake, 0.01)
    related(table, fake, 0.06)
    assert len(listings) == 3
    for n in range(5):
        related(table, fake, 1.0 + n)
    assert len(listings) == 3
    fake.add(101, ppid=100)
    related(table, fake, 9.0)
    assert len(listings) == 4


def test_another_pid_namespace_is_listed_every_time(tmp_path: Path, listings: list[str]) -> None:
    """Its last pid is not the one that loadavg tells us."""
    fake = FakeProc(tmp_path, children_files=False)
    (tmp_path / "self").unlink()
    (tmp_path / "self").symlink_to("1")
    fake.add(100, ppid=1, tty=TTY)
    table = ProcessTable(str(tmp_path))
    for n in range(4):
        related(table, fake, float(n))
    assert len(listings) == 4


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs procfs")
@pytest.mark.parametrize("children_files", [None, False])
def test_real_children_are_found(children_files: bool | None) -> None:
    table = ProcessTable(children_files=children_files)
    own = read_stat(os.getpid())
    assert own is not None
    table.related(own, own.tty, 0.0)
    child = subprocess.Popen(["sleep", "1000"])
    try:
        assert child.pid in table.related(own, own.tty, 1.0).descendants
    finally:
        child.kill()
        child.wait()
    assert child.pid not in table.related(own, own.tty, 2.0).descendants
