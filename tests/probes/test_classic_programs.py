"""What the probe says about classic programs is true, at each level and for each user."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import attrs
import pytest
from classic_programs import BY_NAME, PROGRAMS, Program, judge, observe, started

from panegate.panes.facts import ProbeLevel, TtyWait
from panegate.probes.levels import available_level

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(
    available_level() is not ProbeLevel.FULL, reason="needs Linux with /proc/PID/syscall"
)
NOBODY = 65534


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_the_reported_wait_is_the_truth(program: Program) -> None:
    if not program.present:
        pytest.skip(f"{program.argv[0]} is not installed")
    hidden = program.setuid and os.getuid() != 0
    with started(program) as terminal:
        facts = {level: observe(terminal, level)[0] for level in ProbeLevel}
    full = facts[ProbeLevel.FULL]
    assert full.wait in ({TtyWait.UNKNOWN} if hidden else program.full)
    assert full.level is (ProbeLevel.TERMIOS if hidden else ProbeLevel.FULL)
    for level, fact in facts.items():
        assert judge(program, fact) != "WRONG", fact
        assert level is not ProbeLevel.TERMIOS or fact.wait is TtyWait.UNKNOWN
        if level is ProbeLevel.NONE:
            assert fact == attrs.evolve(fact, echo=None, icanon=None, foreground_pids=())
            continue
        if program.modes is not None:
            assert (fact.echo, fact.icanon) == program.modes
        assert fact.stopped is (program.process_state == "T")
        assert fact.foreground_pids
        if program.reader and fact.reader_pid is not None:
            assert fact.reader_command == program.reader
    if program.reader and not hidden:
        assert full.reader_command == program.reader


@pytest.mark.parametrize(
    ("name", "wait"),
    [
        ("bash, cat", TtyWait.READ),
        ("bash, sleep", TtyWait.ABSENT),
        ("less", TtyWait.READ),
        ("epoll on it", TtyWait.EVENT_LOOP),
        ("epoll elsewhere", TtyWait.ABSENT),
        ("python recv() of TCP", TtyWait.UNKNOWN),
        ("python read() of inotify", TtyWait.UNKNOWN),
        ("poll elsewhere", TtyWait.UNKNOWN),
    ],
)
def test_wchan_tells_readers_and_admits_what_it_cannot_tell(name: str, wait: TtyWait) -> None:
    with started(BY_NAME[name]) as terminal:
        assert observe(terminal, ProbeLevel.WCHAN)[0].wait is wait


@pytest.mark.slow
@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_an_ordinary_user_learns_the_same_about_programs_of_its_own() -> None:
    """Only setuid programs hide; their terminal modes are told all the same."""
    site = str(Path(attrs.__file__).parents[1])
    python = shutil.which("python3", path="/usr/bin") or sys.executable
    argv = ["setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups"]
    argv += [python, str(ROOT / "tests/probes/classic_programs.py")]
    path = os.pathsep.join([str(ROOT / "controller"), site])
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(argv, env=environ, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("setpriv is not installed")
    if "Permission denied" in done.stderr or "No module named" in done.stderr:
        pytest.skip(f"user {NOBODY} cannot read the sources: {done.stderr[-200:]}")
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert {row["uid"] for row in rows} == {NOBODY}
    assert [row for row in rows if "failed" in row or row["judged"] == "WRONG"] == []
    for row in rows:
        program = BY_NAME[row["program"]]
        if row["asked"] == "full":
            assert row["level"] == ("termios" if program.setuid else "full"), row
            assert program.setuid or TtyWait(row["wait"]) in program.full, row
        if row["asked"] != "none" and program.modes is not None:
            assert (row["echo"], row["icanon"]) == program.modes, row
